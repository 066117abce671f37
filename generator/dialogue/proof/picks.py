"""Whether the element of a list that a call takes is the one that the user's words single out.

A claim says how an element was chosen (`Claim.pick`): `first`, `min price`, `nth 2`, `is time "09:40"`, `each`.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from generator.core.claims import Claim
from generator.core.connectives import Frame
from generator.core.exact_json import same
from generator.core.pointers import escape, resolve, resolve_or_none, split
from generator.core.toolbox import Pick
from generator.dialogue.from_results.choosing import REFERENCES, frames_of, place_said, ways
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.proof.spans import verbalization
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.texts import reference_forms


def pick_faults(claim: Claim, result: Any, words: str | None, picks: tuple[Pick, ...]) -> Iterator[str]:
    """Yield why the claimed place in the result is not the one that the user's words single out.

    A place in lists within lists is singled out in each of them, unless one holds a single element.

    Args:
        claim: A claim about a value from a result.
        result: That result.
        words: What the user says for the element, if anything.
        picks: How people single out elements of the lists on the way, from the tool's phrases.
    """
    steps = split(claim.result_pointer or "")
    list_steps = list_indexes(result, claim.result_pointer or "")
    if not list_steps:
        if claim.pick is not None:
            yield "there is no list to pick from"
        return
    if claim.pick is None:
        yield "nothing says why this element was taken"
        return
    elements_and_index = [(resolve(result, as_slot(steps[:at])), int(steps[at])) for at in list_steps]
    elements_index_and_picked = [
        (elements, index, places_picked(elements, claim.pick)) for elements, index in elements_and_index
    ]
    if any(
        picked and not is_picked(elements, index, claim.pick) for elements, index, picked in elements_index_and_picked
    ):
        yield f"{claim.result_pointer} is not the only one that {claim.pick!r} names"
    elif any(len(elements) > 1 and not picked for elements, _, picked in elements_index_and_picked) or not any(
        picked for *_, picked in elements_index_and_picked
    ):
        yield f"{claim.pick!r} names no element of a list on the way to {claim.result_pointer}"
    elif not _is_said_by(words, claim.pick, picks, REFERENCES.picks.get(claim.pick, "")):
        yield f"{words!r} does not mean {claim.pick!r}"


def _is_said_by(words: str | None, by: str, picks: tuple[Pick, ...], usual_words: str) -> bool:
    """Whether the words mean this pick; "it" refers to what the sentence before is about, which its own claim proves."""
    if words is None:
        return False
    lower = words.casefold()
    if lower in {"it", *reference_forms("it")} or (
        usual_words and lower in {usual_words, *reference_forms(usual_words)}
    ):
        return True
    return any(pick.by == by and (pick.say.casefold() == lower or lower in reference_forms(pick.say)) for pick in picks)


def list_indexes(result: Any, pointer: str) -> list[int]:
    """Return which steps of the pointer are places in lists: `/rooms/0/beds/1` → [1, 3]; none when the pointer leads nowhere."""
    indexes = []
    for index, step in enumerate(split(pointer)):
        if isinstance(result, list) and step.isdecimal() and int(step) < len(result):
            indexes.append(index)
            result = result[int(step)]
        elif isinstance(result, dict) and step in result:
            result = result[step]
        else:
            return []
    return indexes


def is_only(result: Any, pointer: str) -> bool:
    """Whether every list that the pointer passes has a single element, so that nothing need be singled out."""
    steps = split(pointer)
    return all(len(resolve(result, as_slot(steps[:at]))) == 1 for at in list_indexes(result, pointer))


def as_slot(steps: tuple[str, ...]) -> str:
    """Return steps as a pointer without its first slash."""
    return "/".join(map(escape, steps))


def is_picked(elements: list[Any], place: int, by: str) -> bool:
    """Whether an element of a list is the only one that a pick names, or one of `each`."""
    picked = places_picked(elements, by)
    return place in picked and (len(picked) == 1 or by == "each")


def places_picked(elements: list[Any], by: str) -> list[int]:
    """Return the places of the elements that a pick names: several where none is better than the others."""
    extreme_or_kind, _, field = by.partition(" ")
    all_places = range(len(elements))
    if extreme_or_kind in ("min", "max") and field:
        values = [resolve_or_none(element, field) for element in elements]
        try:
            best = min(values) if extreme_or_kind == "min" else max(values)
        except TypeError:  # an element lacks the field, or they cannot be compared
            return []
        return [place for place in all_places if values[place] == best is not None]
    if extreme_or_kind == "nth":
        return [place for place in all_places if field == str(place + 1)]
    if extreme_or_kind == "is":
        field, _, value = field.partition(" ")
        return [
            place for place in all_places if orjson.dumps(resolve_or_none(elements[place], field)).decode() == value
        ]
    named = {
        "first": all_places[:1],
        "last": all_places[-1:],
        "each": all_places,
        "only": all_places if len(elements) == 1 else (),
    }
    return list(named.get(by, ()))


# --- elements that are named by their place or by a value ---

_OF_TEXTS = tuple(
    [name for name in VERBALIZERS if name in {"literal", "quoted", "enum"} or name.startswith(("date", "time"))]
)
_OF_NUMBERS = tuple([name for name in VERBALIZERS if name not in {*_OF_TEXTS, "json", "count", "yes_no", "ordinal"}])
"""Verbalizers of numbers by which people may choose; those above are of texts, dates and times."""


def names_one(claim: Claim) -> bool:
    """Whether the user names an element by its place in the list or by a value."""
    return claim.pick is not None and claim.pick.startswith(("nth ", "is "))


def which_faults(
    claim: Claim, made: ClaimedCall, source: ClaimedCall, words: str | None, ledger: Ledger
) -> Iterator[str]:
    """Yield why the words ("the one at 9:40") do not name the element that a call takes."""
    pointer = claim.result_pointer or ""
    list_steps = list_indexes(source.result, pointer)
    if len(list_steps) != 1 or words is None:
        yield "there is no list, or nobody says which element is meant"
        return
    steps = split(pointer)
    list_slot, place = as_slot(steps[: list_steps[0]]), int(steps[list_steps[0]])
    elements = resolve(source.result, list_slot)
    if not is_picked(elements, place, claim.pick or ""):
        yield f"{claim.pick!r} does not name the element at {pointer}"
    elif _places_named(words, source, list_slot, as_slot(steps[list_steps[0] + 1 :]), elements, ledger) != {place}:
        yield f"{words!r} does not mean the element at {pointer}"
    else:
        yield from _mistakable(made, source, ledger)


def _places_named(
    words: str, source: ClaimedCall, list_slot: str, key: str, elements: list[Any], ledger: Ledger
) -> set[int]:
    """Return the places of the elements that words name: "the second one" → {1}, "the one at 9:40" → those whose time that is."""
    lower_words = words.casefold()
    place_in_order = place_said(lower_words, len(elements))
    if place_in_order is not None:
        return {place_in_order}
    places: set[int] = set()
    for way in ways(source.spec, list_slot, key):
        values = [resolve_or_none(element, way.field) for element in elements]
        is_text = any(isinstance(value, str) for value in values)
        ways_to_read = [
            verbalization(source.spec, "result", f"/{list_slot}/0/{way.field}", verbalizer)
            for verbalizer in (_OF_TEXTS if is_text else _OF_NUMBERS)
        ]
        for before, after in [fitting for frame in frames_of(way) for fitting in _fitting(frame)]:
            if not (
                lower_words.startswith(before.casefold())
                and lower_words.endswith(after.casefold())
                and len(lower_words) > len(before + after)
            ):
                continue
            value_words = words[len(before) : len(words) - len(after)]
            for way_to_read in ways_to_read:
                try:
                    meaning = way_to_read.read(value_words, ledger.today)
                except ValueError:
                    continue
                places |= {at for at, value in enumerate(values) if _is_meant(meaning, value)}
    return places


def _fitting(frame: Frame) -> list[Frame]:
    """Return a frame and the forms that it takes before "tomorrow", "The Old Mill" and "small light"."""
    before, after = frame
    if before == "the " or frame == ("", ""):
        return [frame, ("" if before else "the ", after)]
    return [frame, (before[:-3], after)] if before.endswith((" on ", " at ")) else [frame]


def _is_meant(meaning: Any, value: Any) -> bool:
    """Whether words mean a value; capitals do not count, because a message may begin with it."""
    if isinstance(value, str) and isinstance(meaning, str):
        return value.casefold() == meaning.casefold()
    return value is not None and same(value, meaning)


def _mistakable(made: ClaimedCall, source: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why words for what a call has found could mean something that was found since."""
    if any(source.told_at < call.told_at < made.asked_at for call in ledger.calls.values()):
        yield "something else has been found since"


def that_faults(made: ClaimedCall, source: ClaimedCall, words: str, ledger: Ledger) -> Iterator[str]:
    """Yield why the words do not mean the only thing that an earlier call is about: "it"."""
    if words.casefold() != "it":
        yield f"{words!r} is nothing that was found"
    else:
        yield from _mistakable(made, source, ledger)
