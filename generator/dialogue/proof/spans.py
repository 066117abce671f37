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
from generator.core.pointers import escape, resolve, schema_at, split, variants
from generator.core.templates import OF_TWO, addressed
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.texts import clause_of
from generator.dialogue.values.voice import SpanContext
from generator.formats.rules import UnusableSchema, compiled
from generator.tools.productions import coordinates_in, find_other_words

Read = Callable[[str, date | None], Any]
"""(span, stated day) → the value it says; raises ValueError when it says none."""


class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result, and how its words are read there."""

    spec: ToolSpec
    of: str
    """Where the value is: `arguments` or `result`."""
    pointer: str
    slot: str
    """The pointer without its first slash and with `*` for places in lists."""
    verbalizer: str
    """Empty where the words stand for a value that an earlier result or turn holds."""
    read: Read
    counts: bool
    """Whether the number of elements of a list is said, not the list."""

    @property
    def is_reference(self) -> bool:
        """Whether the words stand for a value that an earlier result or turn holds."""
        return not self.verbalizer

    @property
    def is_clause(self) -> bool:
        """Whether the text of an error is said, as a clause."""
        return self.verbalizer == "message" and self.of == "result"

    @property
    def is_literal(self) -> bool:
        """Whether words stand for themselves, whatever they are."""
        return self.verbalizer == "literal" and self.of == "result"

    def find(self, source: Any) -> Any:
        """Return what is said of the arguments or of the result; raises LookupError where there is no such value."""
        value = resolve(source, self.pointer)
        if self.counts and type(value) is list:
            return len(value)
        return clause_of(value) if self.is_clause else value


def verbalization(
    spec: ToolSpec, of: str, pointer: str, verbalizer: str | None, *, in_answer: bool = False
) -> Verbalization:
    """Return how a verbalizer says the value at `pointer` of the tool's result or arguments (`of`)."""
    known, key = _known(spec), (of, pointer, verbalizer, in_answer)
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_KNOWN:  # long lists could have many pointers
            known.clear()
        slot = slot_of(spec, of, pointer)
        found = known[key] = Verbalization(
            spec=spec,
            of=of,
            pointer=pointer,
            slot=slot,
            verbalizer=verbalizer or "",
            read=_reader(spec, of, pointer, slot, verbalizer or ""),
            counts=in_answer and verbalizer == "count",
        )
    return found


_MOST_KNOWN = 2048


@once_per_tool
def _known(spec: ToolSpec) -> dict[tuple[str, str, str | None, bool], Verbalization]:
    """Return what has been looked up so far of a tool."""
    return {}


def slot_of(spec: ToolSpec, of: str, pointer: str) -> str:
    """Return the slot of a pointer (`stops/*/city`); the schema tells places in lists from keys that look like numbers."""
    slot, root = "", spec.returns if of == "result" else spec.tool.parameters
    for number, step in enumerate(split(pointer)):
        is_key = not step.isdecimal() or any(
            step in one.get("properties", ()) for one in variants(root, schema_at(root, slot))
        )
        slot += ("/" if number else "") + (escape(step) if is_key else "*")
    return slot


SpanFault = tuple[str, tuple[Any, ...]]
"""A message and its facts."""


def span_faults(
    content: str, start: int, end: int, value: Any, saying: Verbalization, today: date | None
) -> Iterator[SpanFault]:
    """Yield why content[start:end] does not say `value`, the value at that place."""
    if not 0 <= start < end <= len(content) or not stands_alone(content, start, end):
        yield "{!r} is not a word or phrase of its own", (content[start:end],)
    else:
        yield from misread_faults(content[start:end], value, saying, today)


def misread_faults(text: str, value: Any, saying: Verbalization, today: date | None) -> Iterator[SpanFault]:
    """Yield why a text does not say `value`, the value at that place."""
    if saying.is_literal and text == value:
        return
    try:
        said = saying.read(text, today)
    except ValueError as fault:
        yield "{!r} does not read as {}: {}", (text, saying.verbalizer, str(fault))
        return
    if not same(said, value):
        yield "{!r} says {!r}, not {!r}", (text, said, value)


# --- readers ---


def _reader(spec: ToolSpec, of: str, pointer: str, slot: str, verbalizer: str) -> Read:
    """Return the reader for spans that a verbalizer made at a place."""
    if verbalizer in OF_TWO:
        return _half_reader(spec, of, pointer, verbalizer)
    read = _reader_at(spec, of, pointer, slot, verbalizer)
    return _careful(spec, pointer, read) if verbalizer == "literal" and of == "arguments" else read


def _careful(spec: ToolSpec, pointer: str, read: Read) -> Read:
    """Return a reader of an argument's own words that reads none which could be of another argument.

    "table at {restaurant} at {time}" leads to both with the same word.
    """
    schema = schema_at(spec.tool.parameters, pointer) or {}
    check = compiled({key: schema[key] for key in _OF_WORDS if key in schema})
    find_other = find_other_words(spec)

    def carefully(text: str, today: date | None) -> Any:
        said = read(text, today)
        if not isinstance(check, UnusableSchema) and not check.is_valid(said):
            raise ValueError("the tool does not accept it")
        if find_other(text):
            raise ValueError("it holds words that say another argument of the tool, and no quotation marks")
        return said

    return carefully


_OF_WORDS = ("pattern", "format")
"""What schemas say of the form of texts."""


def _reader_at(spec: ToolSpec, of: str, pointer: str, slot: str, verbalizer: str) -> Read:
    """Return the reader of one value at a place, as the tool says it: its schema, spoken forms and clauses decide."""
    if verbalizer in {"nothing", "empty"}:
        return _absence_reader((split(pointer) or ("",))[-1], None if verbalizer == "nothing" else [])
    if verbalizer == "message":
        return lambda text, today: text[:1].lower() + text[1:]
    if verbalizer == "clause":
        frames = spec.phrases.slots.get(slot)
        return _clause_reader(frames.clauses if frames is not None else ())
    of_result = of == "result"
    root = spec.returns if of_result else spec.tool.parameters
    synonyms = spec.phrases.synonyms
    forms = synonyms.get(slot, synonyms.get(slot.rpartition("/")[2], ()) if of_result else ())
    schema = schema_at(root, pointer) or {}
    if not schema.keys().isdisjoint(("anyOf", "oneOf")):
        schema = {**schema, "anyOf": variants(root, schema)[1:], "oneOf": []}
    if verbalizer not in VERBALIZERS or (verbalizer in _OTHER and not _has_other_words(spec, slot, schema, verbalizer)):
        return _read_unknown
    read = VERBALIZERS[verbalizer].read
    if verbalizer.startswith("date"):
        return lambda text, today: read(text, SpanContext(today, schema, forms))
    undated = SpanContext(None, schema, forms)
    return lambda text, today: read(text, undated)


def _half_reader(spec: ToolSpec, of: str, pointer: str, verbalizer: str) -> Read:
    """Return a reader of the latitude or the longitude of a place, as the argument's name tells."""
    read = VERBALIZERS[verbalizer].read
    for number, half in enumerate(zip(*coordinates_of(spec), strict=True)):
        if pointer.removeprefix("/") in half and of == "arguments":
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
    """Return the words of a name: `giftMessage` is "gift", "Message"."""
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))


def _read_unknown(text: str, today: date | None) -> Any:
    """Read nothing: a claim names a verbalizer that this place does not have."""
    raise ValueError("there is no such reader")


def _clause_reader(clauses: tuple[tuple[Any, tuple[str, ...]], ...]) -> Read:
    """Return a reader of clauses that stand for a value: "without breakfast" for false."""
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


_DIGITS = frozenset("0123456789")


def stands_alone(content: str, start: int, end: int) -> bool:
    """Whether nothing outside the span changes what it says: "5" is not read out of "15", "-5", "1.5" or "5,000"."""
    before, after = content[start - 1 : start], content[end : end + 1]
    first, last = content[start], content[end - 1]
    if (before.isalnum() and first.isalnum()) or (after.isalnum() and last.isalnum()):
        return False
    if first in _DIGITS and (before == "-" or (before in {".", ","} and content[start - 2 : start - 1].isdigit())):
        return False
    return not (last in _DIGITS and after in {".", ","} and content[end + 1 : end + 2].isdigit())
