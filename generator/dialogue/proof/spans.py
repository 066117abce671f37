"""Reading one span of text back into the value it says.

The readers know the schema, the spoken forms and the clauses of the slot, and nothing of how the text was made.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import msgspec

from generator.arguments.kinds.other_words import all_other_words, other_words
from generator.core.exact_json import same
from generator.core.pointers import escape, schema_at, split, variants
from generator.core.templates import OF_TWO, addressed
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import SpanContext
from generator.formats.rules import UnusableSchema, compiled
from generator.tools.productions import coordinates_in, find_other_words

Read = Callable[[str, date | None], Any]
"""(span, stated day) → the value it says; raises ValueError when it says none."""


class SlotReader(msgspec.Struct, eq=False):
    """One place of a tool's arguments or result, and how the words of one verbalizer are read there."""

    key: str | None
    """The property, when the pointer leads to a property of the root."""
    read: Read
    verbalizer: str
    literal: bool
    """Whether words stand for themselves, whatever they are."""
    dated: bool
    """Whether words such as "tomorrow" may stand here, so that the stated day matters."""
    known: dict[str, Any] = {}
    """Cache: words that were read here, and their values; used unless they are dated."""


SpanFault = tuple[str, tuple[Any, ...]]
"""A message and its facts."""


def span_faults(
    content: str, start: int, end: int, value: Any, place: SlotReader, today: date | None
) -> Iterator[SpanFault]:
    """Yield why content[start:end] does not say `value`, the value at that place."""
    text = content[start:end]
    if not 0 <= start < end <= len(content) or not (
        (content[start - 1 : start] in AROUND and content[end : end + 2] in CLOSED) or stands_alone(content, start, end)
    ):
        yield "{!r} is not a word or phrase of its own", (text,)
    else:
        yield from misread_faults(text, value, place, today)


def misread_faults(text: str, value: Any, place: SlotReader, today: date | None) -> Iterator[SpanFault]:
    """Yield why a text does not say `value`, the value at that place."""
    if place.literal and text == value:
        return
    said = place.known.get(text, UNREAD)
    if said is UNREAD:
        try:
            said = place.read(text, today)
        except ValueError as fault:
            yield "{!r} does not read as {}: {}", (text, place.verbalizer, str(fault))
            return
        if not place.dated:
            keep(place.known, text, said)
    if not same(said, value):
        yield "{!r} says {!r}, not {!r}", (text, said, value)


UNREAD = object()
"""Stands for words that have not been read yet."""
_MOST_READ = 128
"""Words cached for one place; with more of them a cache is of little use."""


def keep(known: dict[str, Any], text: str, said: Any) -> None:
    """Cache the value that a text says at a place."""
    if len(known) >= _MOST_READ:
        known.clear()
    known[text] = said


@once_per_tool
def _places_of(spec: ToolSpec) -> dict[tuple[str, str, str], SlotReader]:
    """Return the places of a tool that have been looked up so far, by pointer, verbalizer, and `result` or `arguments`."""
    return {}


_MOST_PLACES = 1024


def place_at(spec: ToolSpec, pointer: str, verbalizer: str, of: str) -> SlotReader:
    """Return the place where a verbalizer says the value at `pointer` of the tool's result or arguments (`of`)."""
    places = _places_of(spec)
    place = places.get((pointer, verbalizer, of))
    if place is None:
        if len(places) >= _MOST_PLACES:  # long lists could have many pointers
            places.clear()
        make = _half_reader if verbalizer in OF_TWO else _reader_of
        read, anything = make(spec, pointer, of == "result", verbalizer), verbalizer == "literal"
        if anything and of == "arguments":
            read, anything = _careful(read, _refused_by(spec, pointer), find_other_words(spec)), False
        dated = verbalizer.startswith("date")
        place = SlotReader(own_key(pointer), read, verbalizer, anything, dated, {})
        places[pointer, verbalizer, of] = place
    return place


def own_key(pointer: str) -> str | None:
    """Return the property that a pointer of one step leads to; None for other pointers, and for one with escapes."""
    steps = split(pointer)
    return steps[0] if len(steps) == 1 and pointer == f"/{escape(steps[0])}" else None


def _refused_by(spec: ToolSpec, pointer: str) -> Callable[[str], bool] | None:
    """Whether words cannot be the value of an argument: "table at {restaurant} at {time}" leads to both with the same word.

    None where any words can.
    """
    schema = schema_at(spec.tool.parameters, pointer) or {}
    check = (
        None
        if schema.keys().isdisjoint(_OF_WORDS)
        else compiled({key: schema[key] for key in _OF_WORDS if key in schema})
    )
    return None if check is None or isinstance(check, UnusableSchema) else lambda text: not check.is_valid(text)


_OF_WORDS = ("pattern", "format")
"""What schemas say of the form of texts."""


def _careful(read: Read, refused: Callable[[str], bool] | None, find_other: Callable[[str], object]) -> Read:
    def carefully(text: str, today: date | None) -> Any:
        said = read(text, today)
        if refused is not None and refused(said):
            raise ValueError("the tool does not accept it")
        if find_other(text):
            raise ValueError("it holds words that say another argument of the tool, and no quotation marks")
        return said

    return carefully


def _reader_of(spec: ToolSpec, pointer: str, of_result: bool, verbalizer: str) -> Read:
    """Return the reader for spans that a verbalizer made at a place."""
    if verbalizer in {"nothing", "empty"}:
        return _absence_reader((split(pointer) or ("",))[-1], None if verbalizer == "nothing" else [])
    slot = "/".join("*" if step.isdecimal() else step for step in split(pointer))
    if verbalizer == "message":
        return lambda text, today: text[:1].lower() + text[1:]
    if verbalizer == "clause":
        frames = spec.phrases.slots.get(slot)
        return _clause_reader(frames.clauses if frames is not None else ())
    root = spec.returns if of_result else spec.tool.parameters
    synonyms = spec.phrases.synonyms
    forms = synonyms.get(slot, synonyms.get(slot.rpartition("/")[2], ()) if of_result else ())
    schema = schema_at(root, pointer) or {}
    if not schema.keys().isdisjoint(("anyOf", "oneOf")):
        schema = {**schema, "anyOf": variants(root, schema)[1:], "oneOf": []}
    if verbalizer not in VERBALIZERS or (verbalizer in _OTHER and not _has_other_words(spec, slot, schema, verbalizer)):
        return _read_unknown
    reader = VERBALIZERS[verbalizer].read
    if verbalizer.startswith("date"):
        return lambda text, today: reader(text, SpanContext(today, schema, forms))
    undated = SpanContext(None, schema, forms)
    return lambda text, today: reader(text, undated)


def _half_reader(spec: ToolSpec, pointer: str, of_result: bool, verbalizer: str) -> Read:
    """Return a reader of the latitude or the longitude of a place, as the argument's name tells."""
    read = VERBALIZERS[verbalizer].read
    for number, half in enumerate(zip(*coordinates_of(spec), strict=True)):
        if pointer.removeprefix("/") in half and not of_result:
            reading = SpanContext(schema=schema_at(spec.tool.parameters, pointer) or {})
            return lambda text, today: read(text, reading)[number]
    return _read_unknown


@once_per_tool
def coordinates_of(spec: ToolSpec) -> tuple[tuple[str, str], ...]:
    """Return the slots of the latitude and the longitude of each place among the arguments."""
    return tuple([(latitude, longitude) for latitude, longitude, _ in coordinates_in(spec.tool.parameters)])


_OTHER = frozenset(all_other_words())


def _has_other_words(spec: ToolSpec, slot: str, schema: dict[str, Any], verbalizer: str) -> bool:
    """Whether the schema, the name and the kind of an argument tell that its values have these other words."""
    merged = dict(schema)
    for branch in reversed([part for part in schema.get("anyOf", ()) if part.get("type") != "null"]):
        merged |= {key: value for key, value in branch.items() if key not in ("anyOf", "oneOf", "allOf", "$ref")}
    return verbalizer in other_words(merged, slot.removesuffix("/*").rpartition("/")[2], spec.kinds.get(slot))


def _absence_reader(name: str, meaning: Any) -> Read:
    """Return a reader of "no gift message", which says that the property `giftMessage` or `gift_message` has no value."""
    expected = ["no", *[word.lower() for word in _words(name)]]

    def read(text: str, today: date | None) -> Any:
        if [word.lower() for word in text.split()] != expected:
            raise ValueError(f"it does not say that there is no {name}")
        return meaning

    return read


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))


def _read_unknown(text: str, today: date | None) -> Any:
    raise ValueError("there is no such reader")


def _clause_reader(clauses: tuple[tuple[Any, tuple[str, ...]], ...]) -> Read:
    meanings: dict[str, list[Any]] = {}
    for value, texts in clauses:
        for text in texts:
            for said in {text.casefold(), addressed(text).casefold()}:  # the assistant says it to the user
                meanings.setdefault(said, []).append(value)

    def read(text: str, today: date | None) -> Any:
        values = meanings.get(text.casefold(), ())
        if len(values) != 1:
            raise ValueError("the tool's phrases do not have it")
        return values[0]

    return read


_NUMBER_GOES_ON = frozenset("0123456789")
AROUND = frozenset(["", *' \n;:!?()"“”'])
"""Characters that never belong to a value beside them."""
CLOSED = frozenset(
    [
        *AROUND,
        *[mark + chr(code) for mark in AROUND if mark for code in range(10, 127)],
        *[mark + chr(code) for mark in ".," for code in range(10, 127) if not chr(code).isdigit()],
        *".,",
    ]
)
"""What commonly follows a span, with the letter after it: `stands_alone` is true for all of these."""


def stands_alone(content: str, start: int, end: int) -> bool:
    """Whether nothing outside the span changes what it says: "5" is not read out of "15", "-5", "1.5" or "5%"."""
    before, after = content[start - 1 : start], content[end : end + 1]
    if before in AROUND and after in AROUND:
        return True
    first, last = content[start], content[end - 1]
    if (before.isalnum() and first.isalnum()) or (after.isalnum() and last.isalnum()):
        return False
    if first in _NUMBER_GOES_ON and (
        before == "-" or (before in {".", ","} and content[start - 2 : start - 1].isdigit())
    ):
        return False
    return not (last in _NUMBER_GOES_ON and after in {".", ","} and content[end + 1 : end + 2].isdigit())
