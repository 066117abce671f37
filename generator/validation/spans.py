"""Reading one span of text back into the value it says.

The readers know the schema, the spoken forms and the clauses of the place where the value stands; nothing of how the
text was made.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from generator.pointers import schema_at, split
from generator.toolbox import ToolSpec
from generator.validation.readers import READERS, Reading

Read = Callable[[str, date | None], Any]
"""(span, stated day) → the value it says; raises ValueError when it says none."""



def span_fault(
    content: str, span: tuple[int, int], verbalizer: str, value: Any, spec: ToolSpec, pointer: str, of_result: bool,
    today: date | None,
) -> str | None:
    """Why content[start:end] does not say `value`, the value at `pointer` of the tool's arguments (or result)."""
    start, end = span
    text = content[start:end]
    if not 0 <= start < end <= len(content) or not _stands_alone(content, start, end):
        return f"{text!r} is not a word or phrase of its own"
    if verbalizer == "literal" and text == value:
        return None
    day = today if verbalizer.startswith("date") else None
    key = (id(spec), pointer, of_result, verbalizer, text, day)
    known = _READ.get(key)
    if known is None or known[0] is not spec:
        try:
            said = _reader_for(spec, pointer, of_result, verbalizer)(text, day)
        except ValueError as fault:
            return f"{text!r} does not read as {verbalizer}: {fault}"
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        known = _READ[key] = (spec, said)
    return None if same(known[1], value) else f"{text!r} says {known[1]!r}, not {value!r}"


_READ: dict[tuple[int, str, bool, str, str, date | None], tuple[ToolSpec, Any]] = {}
"""What spans have been read as: the same words at the same place mean the same. The tool is held so that its id stays
its own."""
_MOST_READ = 100_000


def _reader_for(spec: ToolSpec, pointer: str, of_result: bool, verbalizer: str) -> Read:
    key = (id(spec), pointer, of_result, verbalizer)
    known = _READERS.get(key)
    if known is None or known[0] is not spec:
        known = _READERS[key] = (spec, _reader_of(spec, pointer, of_result, verbalizer))
    return known[1]


_READERS: dict[tuple[int, str, bool, str], tuple[ToolSpec, Read]] = {}
"""By tool, pointer and verbalizer, found once; the tool is held so that its id stays its own."""
_MOST_READERS = 50_000


def _reader_of(spec: ToolSpec, pointer: str, of_result: bool, verbalizer: str) -> Read:
    """The reader for spans that a verbalizer made at a place."""
    if len(_READERS) >= _MOST_READERS:  # pointers into long lists could be many
        _READERS.clear()
    if verbalizer in {"nothing", "empty"}:
        return _absence_reader(split(pointer)[-1], None if verbalizer == "nothing" else [])
    slot = "/".join("*" if step.isdecimal() else step for step in split(pointer))
    if verbalizer == "clause":
        frames = spec.phrases.slots.get(slot)
        return _clause_reader(frames.clauses if frames is not None else ())
    root = spec.returns if of_result else spec.tool.parameters
    synonyms = spec.phrases.synonyms
    forms = synonyms.get(slot, synonyms.get(slot.rpartition("/")[2], ()) if of_result else ())
    schema = schema_at(root, pointer) or {}
    reader = READERS.get(verbalizer)
    if reader is None:
        return _read_unknown
    return lambda text, today: reader(text, Reading(today=today, schema=schema, synonyms=forms))


def _absence_reader(name: str, meaning: Any) -> Read:
    """Read "no gift message" says that the property `giftMessage` or `gift_message` has nothing."""
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
            meanings.setdefault(text.casefold(), []).append(value)

    def read(text: str, today: date | None) -> Any:
        values = meanings.get(text.casefold(), ())
        if len(values) != 1:
            raise ValueError("the tool's phrases do not have it")
        return values[0]

    return read


_NUMBER_GOES_ON = frozenset("0123456789")
_AROUND = frozenset(["", *" \n;:!?()\"“”"])
"""Marks that never belong to a value beside them."""


def _stands_alone(content: str, start: int, end: int) -> bool:
    """Nothing outside changes what the span says: "5" is not read out of "15", "-5", "1.5" or "5%"."""
    before, after = content[start - 1 : start], content[end : end + 1]
    if before in _AROUND and after in _AROUND:
        return True
    first, last = content[start], content[end - 1]
    if (before.isalnum() and first.isalnum()) or (after.isalnum() and last.isalnum()):
        return False
    if first in _NUMBER_GOES_ON and (
        before == "-" or (before in {".", ","} and content[start - 2 : start - 1].isdigit())
    ):
        return False
    return not (last in _NUMBER_GOES_ON and after in {".", ","} and content[end + 1 : end + 2].isdigit())


def same(left: Any, right: Any) -> bool:
    """Equality as JSON has it: 1 is 1.0 but not true."""
    if type(left) is str:
        return bool(left == right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
