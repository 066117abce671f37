"""Whether the element that a call takes is the one that the user's words single out."""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import Claim
from generator.core.pointers import escape, resolve, split
from generator.core.toolbox import Pick
from generator.dialogue.values.texts import reference_forms


def pick_faults(
    claim: Claim, result: Any, words: str | None, picks: tuple[Pick, ...], general: dict[str, str]
) -> Iterator[str]:
    """Yield why the claimed place in the result is not the one that the user's words single out.

    A place in lists within lists is singled out in each of them, unless one holds a single element.

    Args:
        claim: A claim about a value from a result.
        result: That result.
        words: What the user says for the element, if anything.
        picks: How people single out elements of the lists on the way, from the tool's phrases.
        general: By the pick, words that fit any list.
    """
    steps = split(claim.result_pointer or "")
    places = list_indexes(result, claim.result_pointer or "")
    if not places:
        if claim.pick is not None:
            yield "there is no list to pick from"
        return
    if claim.pick is None:
        yield "nothing says why this element was taken"
        return
    verdicts = [_verdict(result, steps, at, claim.pick) for at in places]
    if "another" in verdicts:
        yield f"{claim.result_pointer} is not the only one that {claim.pick!r} names"
    elif "none" in verdicts or "picked" not in verdicts:
        yield f"{claim.pick!r} names no element of a list on the way to {claim.result_pointer}"
    elif not _says(words, claim.pick, picks, general.get(claim.pick, "")):
        yield f"{words!r} does not mean {claim.pick!r}"


def _verdict(result: Any, steps: tuple[str, ...], at: int, by: str) -> str:
    """Return `picked`; `another` when the pick names another element of the list, `none` when it names no element; `only` for a list of one."""
    elements = resolve(result, listed_result(steps[:at]))
    try:
        picked = is_picked(elements, int(steps[at]), by)
    except (LookupError, TypeError):
        return "none" if len(elements) > 1 else "only"
    return "picked" if picked else "another"


def list_indexes(result: Any, pointer: str) -> list[int]:
    """Return which steps of the pointer are places in lists; none when the pointer leads nowhere."""
    found = []
    for index, step in enumerate(split(pointer)):
        if isinstance(result, list) and step.isdecimal() and int(step) < len(result):
            found.append(index)
            result = result[int(step)]
        elif isinstance(result, dict) and step in result:
            result = result[step]
        else:
            return []
    return found


def is_only(result: Any, pointer: str) -> bool:
    """Whether every list that the pointer passes has a single element, so that nothing need be singled out."""
    steps = split(pointer)
    return all(len(resolve(result, listed_result(steps[:at]))) == 1 for at in list_indexes(result, pointer))


def listed_result(steps: tuple[str, ...]) -> str:
    """Return the pointer (without its first slash) to the list that these steps lead into."""
    return "/".join([escape(step) for step in steps])


def is_picked(elements: list[Any], chosen: int, by: str) -> bool:
    """Whether an element of a list is the only one that a pick names; raises LookupError or TypeError where it names none."""
    if by in {"first", "last"}:
        return chosen == (0 if by == "first" else len(elements) - 1)
    if by == "each":
        return True
    if by == "only":
        return len(elements) == 1
    extreme, _, field = by.partition(" ")
    if extreme not in {"min", "max"} or not field:
        raise LookupError(by)
    values = [resolve(element, field) for element in elements]
    best = min(values) if extreme == "min" else max(values)
    return bool(values[chosen] == best and values.count(best) == 1)


def _says(words: str | None, by: str, picks: tuple[Pick, ...], usual: str) -> bool:
    """Whether the words mean this pick; "it" refers to what the sentence before is about, which its own claim proves."""
    if words is None:
        return False
    said = words.casefold()
    if said in {"it", *reference_forms("it")} or (usual and said in {usual, *reference_forms(usual)}):
        return True
    return any(pick.by == by and (pick.say.casefold() == said or said in reference_forms(pick.say)) for pick in picks)
