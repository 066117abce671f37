"""Find one row in a file of conversations, and its proof in the file beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import orjson

from generator.conversation import Conversation
from generator.errors import FormatError, OutputError
from generator.formats import FORMATS
from generator.run.files import PROOFS, REJECTED
from generator.run.proof_line import ProofLine, call_ids


class FoundRow(msgspec.Struct, frozen=True):
    """A row as it stands in a file."""

    index: int
    line: int
    format: str
    conversation: Conversation
    proof: ProofLine | None
    """What the proofs file beside it says, when it speaks of this very row."""


def find_row(path: Path, index: int) -> FoundRow:
    """Row `index` (from 0) of a JSONL file in any format, which is told from the record itself.

    Rows that the format could not carry are missing from the file of a run; they count all the same.

    Raises:
        OutputError: when the file cannot be read or has no such row.
        FormatError: when its line is no conversation.
    """
    line, text, format_name = _line(path, index)
    try:
        conversation = FORMATS[format_name].parse(_decode(path, line, text))
    except FormatError as fault:
        raise FormatError(f"{path}:{line}: not a conversation ({format_name}): {fault}") from None
    proof = _proof(path.with_name(PROOFS), index)
    if proof is not None and not _speaks_of(proof, conversation, format_name):
        proof = None
    return FoundRow(index, line, format_name, conversation, proof)


def format_of(record: Any) -> str:
    """The format that a record is written in, by its look."""
    if isinstance(record, dict) and isinstance(record.get("text"), str) and "messages" not in record:
        return "openchatml"
    return "openai" if any(isinstance(arguments, str) for arguments in _arguments(record)) else "deepfabric"


def _arguments(record: Any) -> Iterator[Any]:
    messages = record.get("messages") if isinstance(record, dict) else None
    for message in messages if isinstance(messages, list) else ():
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                yield function.get("arguments")


def _line(path: Path, index: int) -> tuple[int, bytes, str]:
    """Line number, text and format of a row."""
    position, format_name, seen = index, "", 0
    for line, text in _lines(path):
        if not text.strip():
            continue
        if not format_name:
            format_name = format_of(_decode(path, line, text))
            position -= _left_out(path, format_name, index)
        if seen == position:
            # a file of somebody else may mix the two formats that look alike
            return line, text, format_of(_decode(path, line, text))
        seen += 1
    raise OutputError(f"{path}: there is no row {index}: the file holds {seen} {'row' if seen == 1 else 'rows'}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from enumerate(file, start=1)
    except FileNotFoundError:
        raise OutputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        inside = ", ".join(sorted(other.name for other in path.glob("*.jsonl")))
        raise OutputError(f"{path}: this is a folder; name a file in it{f' ({inside})' if inside else ''}") from None
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None


def _decode(path: Path, line: int, text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        raise FormatError(f"{path}:{line}: not valid JSON: {fault}") from None


def _left_out(path: Path, format_name: str, index: int) -> int:
    """How many rows before this one the format could not carry."""
    beside = path.with_name(REJECTED)
    if path.name != f"{format_name}.jsonl" or not beside.exists():
        return 0
    count = 0
    for line, text in _lines(beside):
        entry = _decode(beside, line, text)
        if not isinstance(entry, dict) or entry.get("format") != format_name:
            continue
        if entry["index"] == index:
            raise OutputError(f"{path}: row {index} is not in this file: {entry['reason']}")
        count += entry["index"] < index
    return count


def _proof(path: Path, index: int) -> ProofLine | None:
    if not path.exists():
        return None
    for line, text in _lines(path):
        if line == index + 1:
            try:
                return msgspec.json.decode(text, type=ProofLine)
            except msgspec.MsgspecError as fault:
                raise FormatError(f"{path}:{line}: not a proof: {fault}") from None
    return None


def _speaks_of(proof: ProofLine, conversation: Conversation, format_name: str) -> bool:
    """Whether the proof is of this conversation. OpenChatML has no ids, so there the calls are only counted."""
    ids = call_ids(conversation)
    return len(ids) == len(proof.calls) if format_name == "openchatml" else ids == proof.calls
