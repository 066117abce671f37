"""Detects the format of a record from its keys."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from generator.core.errors import OutputError
from generator.core.yaml_values import own_data
from generator.formats import FORMATS
from generator.formats.files.records import records_of
from generator.formats.files.validate import check_raw
from generator.formats.openai_messages import tool_call_entries
from generator.formats.run_folder.files import held_by

_KEYS: dict[str, dict[str, Any]] = own_data(__file__)
"""Keys that only one format has; the same for formats of preferences, each with all of its keys."""
_SWIFT = ("tool_call", "tool_response", "function_call", "observation")
_FIRST = 10


def guessed_format(record: Any) -> str:
    """Return the format of a record, detected from its keys."""
    if not isinstance(record, dict):
        return "deepfabric"
    if "messages" in record and isinstance(record.get("answer"), dict):
        return "eval"
    preferred = next((name for name, keys in _KEYS["preferences"].items() if record.keys() >= {*keys}), None)
    if preferred is not None:
        return preferred
    if "messages" not in record:
        if isinstance(record.get("text"), str):
            texts = [name for name, fmt in FORMATS.items() if fmt.policy.train == "spans" and not fmt.read(record)[1]]
            other = "openchatml" if re.search(r"\[BOS\]|<\|", record["text"]) else "deepfabric"
            return texts[0] if texts else other
        return next((name for key, name in _KEYS["keys"].items() if key in record), "deepfabric")
    return _format_of_messages(record)


def _format_of_messages(record: dict[str, Any]) -> str:
    """Return the format of a record with `messages`."""
    if any(message.get("role") in _SWIFT for message in _messages(record)):
        return "swift"
    if _has_blocks(record):
        return "anthropic"
    if isinstance(record.get("tools"), str) or any("training" in message for message in _messages(record)):
        return "axolotl"
    return "openai" if any(isinstance(arguments, str) for arguments in _arguments(record)) else "deepfabric"


def format_of(path: Path) -> str:
    """Return the format of a file, by its name or else by its first record."""
    format_in_name = held_by(path.name).format
    return format_in_name if format_in_name in FORMATS else guessed_format(first_record(path))


def looks_like(path: Path, format_name: str) -> str | None:
    """Return another format in which the file's first record has fewer faults; None if there is no clear one."""
    if not path.is_file():  # a pipe is read once only
        return None
    record = first_record(path)
    if record is None:
        return None
    other = format_of(path)
    fewer = len(check_raw(record, FORMATS[other])) < len(check_raw(record, FORMATS[format_name]))
    return other if fewer else None


def first_record(path: Path) -> dict[str, Any] | None:
    """Return the first object among the first records."""
    with suppress(OutputError):
        return next((e.record for e in islice(records_of(path), _FIRST) if isinstance(e.record, dict)), None)
    return None


def _has_blocks(record: dict[str, Any]) -> bool:
    """Whether the record has keys or blocks that only Anthropic's messages have."""
    blocks = [block for message in _messages(record) for block in _objects(message.get("content"))]
    has_calls = any(block.get("type") in ("tool_use", "tool_result") for block in blocks)
    has_schemas = any("input_schema" in tool for tool in _objects(record.get("tools")))
    return isinstance(record.get("system"), str) or has_calls or has_schemas


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none of anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _messages(record: dict[str, Any]) -> list[dict[str, Any]]:
    return _objects(record.get("messages"))


def _arguments(record: dict[str, Any]) -> Iterator[Any]:
    """Yield the arguments of all calls of a record, text or not."""
    for message in _messages(record):
        for call in _objects([*tool_call_entries(message), message.get("function_call")]):
            function = call.get("function", call)
            if isinstance(function, dict):
                yield function.get("arguments")
