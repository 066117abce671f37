"""Words with which the user names an element of a list, or the only thing that was found."""

from collections.abc import Iterator
from typing import Any

import orjson

from generator.core.claims import Claim
from generator.core.connectives import Frame
from generator.core.exact_json import same
from generator.core.pointers import resolve, resolve_or_none, split
from generator.dialogue.from_results.choosing import frames_of, place_said, ways
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.proof.picks import list_indexes, listed_result
from generator.dialogue.proof.spans import place_at
from generator.dialogue.values import VERBALIZERS

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
    """Yield why the words do not name the element that a call takes."""
    pointer = claim.result_pointer or ""
    places = list_indexes(source.result, pointer)
    if len(places) != 1 or words is None:
        yield "there is no list, or nobody says which element is meant"
        return
    steps = split(pointer)
    list_slot, place = listed_result(steps[: places[0]]), int(steps[places[0]])
    key = listed_result(steps[places[0] + 1 :])
    elements = resolve(source.result, list_slot)
    if not _is_pick(claim.pick or "", elements, place):
        yield f"{claim.pick!r} does not name the element at {pointer}"
        return
    if _named(words, source, list_slot, key, elements, ledger) != {place}:
        yield f"{words!r} does not mean the element at {pointer}"
    else:
        yield from _mistakable(made, source, ledger)


def _is_pick(pick: str, elements: list[Any], place: int) -> bool:
    """Whether the claimed pick singles out the element at this place."""
    how, _, rest = pick.partition(" ")
    if how == "nth":
        return rest == str(place + 1)
    field, _, value = rest.partition(" ")
    shown = [_as_json(resolve_or_none(element, field)) for element in elements]
    return shown[place] == value and shown.count(value) == 1


def _as_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _named(words: str, source: ClaimedCall, list_slot: str, key: str, elements: list[Any], ledger: Ledger) -> set[int]:
    """Return the places of the elements that words name."""
    low = words.casefold()
    place = place_said(low, len(elements))
    if place is not None:
        return {place}
    found: set[int] = set()
    spec = source.spec
    for way in ways(spec, list_slot, key):
        pointer, is_text = (
            f"/{list_slot}/0/{way.field}",
            any(isinstance(resolve_or_none(element, way.field), str) for element in elements),
        )
        for before, after in [fitting for frame in frames_of(way) for fitting in _fitting(frame)]:
            if not (
                low.startswith(before.casefold()) and low.endswith(after.casefold()) and len(low) > len(before + after)
            ):
                continue
            rest = words[len(before) : len(words) - len(after)]
            for verbalizer in _OF_TEXTS if is_text else _OF_NUMBERS:
                try:
                    meaning = place_at(spec, pointer, verbalizer, "result").read(rest, ledger.today)
                except ValueError:
                    continue
                found |= {at for at, element in enumerate(elements) if _is_meant(meaning, element, way.field)}
    return found


def _fitting(frame: Frame) -> list[Frame]:
    """Return a frame and the forms that it takes before "tomorrow", "The Old Mill" and "small light"."""
    before, after = frame
    if before == "the " or frame == ("", ""):
        return [frame, ("" if before else "the ", after)]
    return [frame, (before[:-3], after)] if before.endswith((" on ", " at ")) else [frame]


def _is_meant(meaning: Any, element: Any, field: str) -> bool:
    """Whether an element has this value; capitals do not count, because a message may begin with it."""
    value = resolve_or_none(element, field)
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
