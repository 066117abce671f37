"""What must be found again in a rewording for each span of the old text."""

from datetime import date
from functools import lru_cache, partial
from typing import Any

import orjson

from generator.pointers import schema_at
from generator.toolbox import ToolSpec
from generator.validation.proof.spans import SlotReader, place_at
from generator.validation.readers.numbers import NUMBER_WORDS
from generator.validation.reworded.frames import slot_of
from generator.validation.reworded.marked import beside
from generator.validation.reworded.own_words import ToolKey
from generator.validation.reworded.survival import QUOTES, Span, Spoken

_SAME_WORDS_ONLY = frozenset({"literal", "quoted", "block", "pairs", "json", "nothing", "empty", "reference"})
_NUMBERS = frozenset({"number", "words"})
_WORDY = ("words", "enum", "clause", "reference", "date", "time", "minutes", "hours", "seconds", "ordinal", "count")


def reading_place(spec: ToolSpec, pointer: str, verbalizer: str, of: str) -> SlotReader | None:
    """Return where a value stands and how it is read; None where only the same words will do."""
    return None if verbalizer in _SAME_WORDS_ONLY else place_at(spec, pointer, verbalizer, of)


def verbalizer_of(verbalizer: str, words: str, before: str = "") -> str:
    """Return the verbalizer that reads other words for a value: a number may be spelled or not.

    Args:
        verbalizer: The one of the old words.
        words: The new words.
        before: The old words; with a capital at the beginning of a sentence they are read as a message is.
    """
    if verbalizer == "quoted" and words[:1] not in QUOTES:
        return "literal"
    if verbalizer == "literal" and words == f"{before}s":
        return "plural"
    if verbalizer == "clause" and words.casefold() != before.casefold():
        return "clause_words"
    if verbalizer == "literal" and before[:1].islower() and words[:1].isupper():
        return "message"
    if verbalizer not in _NUMBERS:
        return verbalizer
    return "words" if words.lower() in NUMBER_WORDS else "number"


def spoken_at(
    span: Span, spec: ToolSpec, said: tuple[str, str, str], value: Any, today: date | None, calls: frozenset[str]
) -> Spoken:
    """Return the value of a span.

    Args:
        span: Where it stands in the old text.
        spec: The tool whose argument or result it is.
        said: Its pointer, its verbalizer, and `arguments` or `result`.
        value: The value itself; it does not count where only the same words will do.
        today: The day that the conversation states.
        calls: Ids of all calls that the span says something of.
    """
    pointer, verbalizer, of = said
    start, end = span
    slot, group = _slot_and_group(ToolKey(spec), pointer, verbalizer, of)
    is_read = verbalizer not in _SAME_WORDS_ONLY
    if verbalizer == "count" and isinstance(value, list):
        value = len(value)

    def read(text: str) -> Any:
        found = reading_place(spec, pointer, verbalizer_of(verbalizer, text), of)
        if found is None:
            raise ValueError(f"{text!r} is no way to say {pointer}")
        return found.read(text, today)

    return Spoken(
        start=start,
        end=end,
        value=value if is_read else None,
        wordy=verbalizer.startswith(_WORDY),
        read=read if is_read else None,
        group=group,
        is_quoted=verbalizer == "quoted",
        is_clause=verbalizer == "clause",
        calls=calls,
        verbalizer=verbalizer,
        record=(record := _record(of, pointer)),
        has_siblings=bool(record) and record != f"{of} {pointer}",
        leaf=f"{spec.name} {of} {slot}",
        find_beside=partial(beside, spec, of, slot, group),
    )


def _record(of: str, pointer: str) -> str:
    """Return the element of a list in which a value stands; empty where it stands in none."""
    steps = pointer.split("/")
    last = max((at for at, step in enumerate(steps) if step.isdecimal()), default=0)
    return f"{of} {'/'.join(steps[: last + 1])}" if last else ""


@lru_cache(maxsize=4096)
def _slot_and_group(held: ToolKey, pointer: str, verbalizer: str, of: str) -> tuple[str, str]:
    return slot_of(held.spec, of, pointer), _group(held.spec, pointer, verbalizer, of)


def _group(spec: ToolSpec, pointer: str, verbalizer: str, of: str) -> str:
    """Return the group of a value. Values of one group could be confused: numbers, dates, and texts with the same schema."""
    if verbalizer == "reference":
        return "reference"
    if verbalizer in {"clause", "nothing", "empty"}:
        return ""
    if verbalizer.startswith(("date", "time")):
        return "when"
    if verbalizer not in {"literal", "quoted", "json", "enum"}:
        return "number"
    if of == "result":
        return verbalizer
    schema = schema_at(spec.tool.parameters, pointer) or {}
    told = {key: value for key, value in schema.items() if key not in {"description", "title", "examples", "default"}}
    try:
        return orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return "text"
