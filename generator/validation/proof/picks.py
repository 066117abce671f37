"""Whether the element that a call takes is the one that the user's words single out."""

import re
from functools import lru_cache
from typing import Any

from generator.conversation import Claim
from generator.pointers import escape, resolve, split
from generator.toolbox import Pick

GENERAL = {
    "the first one": "first",
    "the last one on the list": "last",
    "each of them": "each",
}
"""Words for an element that fit any list."""


_THINGS = tuple(
    f"{thing}{end}"
    for thing in (
        *("file", "document", "message", "email", "draft", "order", "task", "event", "appointment", "reservation", "booking", "item"),
        *("note", "song", "track", "reminder", "contact", "ticket", "folder", "photo", "meeting", "invitation", "device", "product"),
    )
    for end in (" on the list", " in the list", " in there", " in it", "")
)
_ALSO = {
    "each of them": (
        *("all of them", "every one of them", "every single one of them", "each one of them", "every single one", "each one"),
        *(f"{every} {thing}" for every in ("every", "every single", "each", "all the", "all of the") for thing in _THINGS),
        *("all of these", "all of those", "them all", "every one", "each and every one", "the lot"),
    ),
    "the first one": ("the first of them", "the first on the list", "the first in the list", "the top one", "the first"),
    "the last one on the list": ("the last one in the list", "the last on the list", "the last of them", "the last one", "the bottom one"),
    "it": ("that one", "this one", "the same one", "that"),
    "them": ("that person",),
}
_FOUND_BY = re.compile(r"the ((?:most |least )?[a-z]+) (?!of\b)([a-z]+)( .*)?")
_SAME_ADJECTIVES = (
    frozenset({"next", "upcoming", "soonest"}),
    frozenset({"newest", "latest", "most recent"}),
    frozenset({"oldest", "earliest"}),
    frozenset({"cheapest", "least expensive", "lowest-priced"}),
    frozenset({"biggest", "largest"}),
    frozenset({"most expensive", "priciest", "dearest"}),
    frozenset({"nearest", "closest"}),
    frozenset({"best-rated", "top-rated", "highest-rated"}),
)


@lru_cache(maxsize=1024)
def reference_forms(words: str) -> tuple[str, ...]:
    """Return other words for what singles out an element, in small letters, the longest first: "the next one" for "the next appointment"."""
    words = words.casefold()
    found = list(_ALSO.get(words, ()))
    match = _FOUND_BY.fullmatch(words)
    if match is not None and words not in _ALSO:
        adjective, noun, rest = match[1], match[2], match[3] or ""
        alike = next((group for group in _SAME_ADJECTIVES if adjective in group), frozenset({adjective}))
        ends = [rest, *([" in that order", " there"] if rest == " in it" else [])]
        nouns = [noun, "one", "of them", "of those", "of these"]
        found += [f"the {one} {thing}{end}" for one in sorted(alike) for thing in nouns for end in ends]
        found += [f"{its} {one} {noun}" for one in sorted(alike) for its in ("its", "my") if rest in {"", " in it"}]
        found += [f"the {one}" for one in sorted(alike)]
    return tuple(sorted([form for form in dict.fromkeys(found) if form != words], key=lambda form: -len(form)))


def pick_fault(claim: Claim, result: Any, words: str | None, picks: tuple[Pick, ...]) -> str | None:
    """Return why the claimed place in the result is not the one that the user's words single out, or None.

    A place in lists within lists is singled out in each of them, unless one holds a single element.

    Args:
        claim: A claim about a value from a result.
        result: That result.
        words: What the user says for the element, if anything.
        picks: How people single out elements of the lists on the way, from the tool's phrases.
    """
    steps = split(claim.result_pointer or "")
    places = list_indexes(result, claim.result_pointer or "")
    if not places:
        return None if claim.pick is None else "there is no list to pick from"
    if claim.pick is None:
        return "nothing says why this element was taken"
    verdicts = [_verdict(result, steps, at, claim.pick) for at in places]
    if "another" in verdicts:
        return f"{claim.result_pointer} is not the only one that {claim.pick!r} names"
    if "none" in verdicts or "picked" not in verdicts:
        return f"{claim.pick!r} names no element of a list on the way to {claim.result_pointer}"
    return None if _says(words, claim.pick, picks) else f"{words!r} does not mean {claim.pick!r}"


def _verdict(result: Any, steps: tuple[str, ...], at: int, by: str) -> str:
    """Return `picked`; `another` when the pick names another element of the list, `none` when it names no element; `only` for a list of one."""
    elements = resolve(result, listed_result(steps[:at]))
    try:
        picked = _is_picked(elements, int(steps[at]), by)
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


def _is_picked(elements: list[Any], chosen: int, by: str) -> bool:
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


def _says(words: str | None, by: str, picks: tuple[Pick, ...]) -> bool:
    """Whether the words mean this pick; "it" refers to what the sentence before is about, which its own claim proves."""
    if words is None:
        return False
    said = words.casefold()
    general = [say for say, meant in GENERAL.items() if meant == by]
    if said in {"it", *reference_forms("it"), *general} or any(said in reference_forms(say) for say in general):
        return True
    return any(pick.by == by and (pick.say.casefold() == said or said in reference_forms(pick.say)) for pick in picks)
