"""In which format a record is, told from its keys."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import read_exactly
from generator.formats import FORMATS, Format
from generator.formats.files.validate import LONGEST_LINE, bounded_lines, check_raw
from generator.formats.run_folder.files import held_by
from generator.formats.sinks import reading

_LOOKS = (
    ("preferred_output", "openai-preference"),
    ("conversations", "sharegpt"),
    ("contents", "gemini"),
    ("answers", "xlam"),
    ("question", "bfcl"),
    ("instruction", "alpaca"),
    ("prompt", "trl-prompt_completion"),
)
"""Keys that only one format has."""
_PREFERRED = (
    ({"chosen", "rejected", "conversations"}, "sharegpt-ranking"),
    ({"chosen", "rejected"}, "trl-preference"),
    ({"completion", "label"}, "trl-unpaired"),
    ({"conversations", "kto_tag"}, "sharegpt-unpaired"),
)
"""The same for those of preferences, each with all of its keys."""
_FIRST_LINES = 10


def guessed_format(record: Any) -> str:
    """Return the format of a record, told from its keys."""
    if not isinstance(record, dict):
        return "deepfabric"
    if "messages" in record and isinstance(record.get("answer"), dict):
        return "eval"
    preferred = next((name for keys, name in _PREFERRED if record.keys() >= keys), None)
    if preferred is not None:
        return preferred
    if "messages" not in record:
        if isinstance(record.get("text"), str):
            return next((name for name, fmt in FORMATS.items() if _is_text_of(fmt, record)), "openchatml")
        return next((name for key, name in _LOOKS if key in record), "deepfabric")
    if _has_blocks(record):
        return "anthropic"
    if isinstance(record.get("tools"), str):
        return "axolotl"
    return "openai" if any(isinstance(arguments, str) for arguments in _arguments(record)) else "deepfabric"


def looks_like(path: Path, format_name: str) -> str | None:
    """Return another format in which the file's first record has fewer faults; None if there is no clear one."""
    if not path.is_file():  # a pipe is read once only
        return None
    record = first_record(path)
    if record is None:
        return None
    named = held_by(path.name).format
    other = named if named in FORMATS else guessed_format(record)
    fewer = len(check_raw(record, FORMATS[other])) < len(check_raw(record, FORMATS[format_name]))
    return other if fewer else None


def first_record(path: Path) -> dict[str, Any] | None:
    """Return the first object among the first lines."""
    with reading(path) as file:
        for line in islice(bounded_lines(file), _FIRST_LINES):
            try:
                record = read_exactly(line) if len(line) <= LONGEST_LINE else None
            except FormatError:
                continue
            except OutputError:
                return None
            if isinstance(record, dict):
                return record
    return None


def _has_blocks(record: dict[str, Any]) -> bool:
    """Whether the record has keys that only Anthropic's messages have."""
    if isinstance(record.get("system"), str):
        return True
    tools = record.get("tools")
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def _is_text_of(fmt: Format, record: Any) -> bool:
    return fmt.policy.train == "spans" and not fmt.read(record)[1]


def _arguments(record: Any) -> Iterator[Any]:
    messages = record.get("messages") if isinstance(record, dict) else None
    for message in messages if isinstance(messages, list) else ():
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                yield function.get("arguments")
