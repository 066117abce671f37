"""Records of files and runs as plain data for a page: who says what, where values come from, what was rejected and why."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from generator.conversation import FileSequence, UserMessage
from generator.data.lookup import FoundRow, found_row
from generator.data.run_folder.files import PROOFS, REJECTED, companion_file, files_of, held_by
from generator.data.run_folder.manifest import is_unrolled
from generator.data.run_folder.placed import proofs_by_line
from generator.data.run_folder.proof_line import ProofLine
from generator.data.show import ShownMessage, show_row
from generator.data.validate import bounded_lines, check_raw
from generator.errors import FormatError
from generator.exact_json import read_exactly
from generator.formats import FORMATS
from generator.sinks import reading, unpacked_name

_LONGEST = 20_000
"""Characters of one text on the page; data may have texts of any length."""


def browsed(path: Path, source: int, start: int, stop: int, *, raw: bool) -> Iterator[dict[str, Any]]:
    """Yield records [start, stop) of a file, or of a run's format that keeps most; behind the first ones what was rejected.

    Args:
        path: A file of JSON lines, or the folder of a run.
        source: What the page calls it by.
        start: The first record.
        stop: The one behind the last.
        raw: Whether the text of each record is wanted, too.

    Raises:
        OutputError: when a file cannot be read.
    """
    files = files_of(path)
    parts = {file: is_unrolled(file) for file in files}
    for record in islice(_records(files), start, stop):
        yield {"source": source, **_shown(*record, raw=raw, unrolled=parts[record[0]])}
    rejected = companion_file(files[0], REJECTED) if not start else None
    if rejected is not None:
        with reading(rejected) as file:
            for line, text in islice(enumerate(bounded_lines(file), start=1), stop):
                yield {"source": source, **_rejected(line, text, held_by(files[0].name).format)}


def _records(files: list[Path]) -> Iterator[tuple[Path, int, bytes, bytes]]:
    """Yield (file, line, text, text of its proof or nothing)."""
    for file in files:
        beside = companion_file(file, PROOFS)
        proofs = proofs_by_line(beside, unpacked_name(file)) if beside else iter(())
        proven, proof = 0, b""
        with reading(file) as source:
            for line, text in enumerate(bounded_lines(source), start=1):
                while proven < line:
                    proven, proof = next(proofs, (sys.maxsize, b""))
                if text.strip():
                    yield file, line, text, proof if proven == line else b""


def _shown(path: Path, line: int, text: bytes, proof: bytes, *, raw: bool, unrolled: bool) -> dict[str, Any]:
    format_name, told = held_by(path.name).format, None
    entry = _entry("row", line, None) | {"format": format_name if format_name in FORMATS else ""}
    if raw:
        entry["raw"] = _cut(_pretty(text))
    try:
        told = msgspec.json.decode(proof, type=ProofLine) if proof else None
        found = found_row(path, line, text, told)
        faults = _faults(text, found.format, unrolled=unrolled)
        entry |= _about(told) | {"format": found.format, "faults": faults}
        return entry | _conversation(found)
    except (FormatError, msgspec.MsgspecError, RecursionError) as fault:
        words = (
            "is nested too deep" if isinstance(fault, RecursionError) else str(fault).removeprefix(f"{path}:{line}: ")
        )
        return entry | {"title": words, "faults": [{"rule": "unreadable", "path": "$", "message": _cut(words)}]}


def _entry(kind: str, line: int, row: int | None) -> dict[str, Any]:
    empty: dict[str, Any] = {"tags": [], "tools": [], "offers": [], "messages": [], "faults": []}
    return {"kind": kind, "line": line, "row": row, "scenario": "", "split": "", "format": "", "title": "", **empty}


def _about(proof: ProofLine | None) -> dict[str, Any]:
    if proof is None:
        return {}
    return {"row": proof.index, "scenario": proof.scenario, "tags": proof.tags, "split": proof.split or ""}


def _faults(text: bytes, format_name: str, *, unrolled: bool) -> list[dict[str, Any]]:
    found = check_raw(read_exactly(text), FORMATS[format_name], unrolled=unrolled)
    return [{"rule": one.rule, "path": _cut(one.path), "message": _cut(one.message)} for one in found[:20]]


def _conversation(found: FoundRow) -> dict[str, Any]:
    if found.document is not None:
        return {"title": "a document", "messages": [_message(m) for m in _of_document(found.document)]}
    row = show_row(found.conversation, found.proof)
    asked = next((m.content for m in found.conversation.messages if isinstance(m, UserMessage)), "")
    return {
        "title": (asked or "")[:160],
        "tools": sorted({call.name for message in row.messages for call in message.calls}),
        "offers": row.tools,
        "messages": [_message(message) for message in row.messages],
    }


def _of_document(document: FileSequence) -> list[ShownMessage]:
    texts = [
        file if isinstance(file, str) else f"{file.prefix}[{file.middle or ''}]{file.suffix}" for file in document.files
    ]
    return [ShownMessage(f"file {number}", text) for number, text in enumerate(texts, 1)]


def _message(message: ShownMessage) -> dict[str, Any]:
    calls = [
        {
            "number": call.number,
            "name": call.name,
            "values": [
                {
                    "name": origin.pointer.removeprefix("/") or "(all)",
                    "value": _cut(json.dumps(origin.value, ensure_ascii=False)),
                    "words": origin.words,
                    "found": origin.found,
                    "span": origin.span,
                }
                for origin in call.origins
            ],
        }
        for call in message.calls
    ]
    return {
        "role": message.role,
        "text": _cut(message.text or ""),
        "json": message.is_json,
        "answers": message.answers,
        "notes": message.notes,
        "thoughts": message.thoughts,
        "calls": calls,
    }


def _rejected(line: int, text: bytes, format_name: str) -> dict[str, Any]:
    """Return a line of rejected rows: an attempt with its faults, a format that refused a row, or a row that was removed."""
    try:
        told = read_exactly(text)
    except FormatError as fault:
        told = {"reason": str(fault)}
    told = told if isinstance(told, dict) else {"reason": "not an object"}
    kind = "removed" if "removed" in told else "left out" if "format" in told else "rejected"
    entry = _entry(kind, line, told.get("index")) | {"scenario": str(told.get("scenario") or "")}
    if kind != "rejected":
        reason = str(told.get("reason") or told.get("removed") or "")
        rule = str(told.get("format") or "removed")
        return entry | {
            "format": rule,
            "title": reason[:160],
            "faults": [{"rule": kind, "path": rule, "message": _cut(reason)}],
        }
    faults = told.get("violations")
    named = [fault for fault in faults if isinstance(fault, dict)] if isinstance(faults, list) else []
    entry["faults"] = [{key: _cut(str(fault.get(key, ""))) for key in ("rule", "path", "message")} for fault in named]
    entry |= {"format": "deepfabric", "title": " ".join(str(fault["rule"]) for fault in entry["faults"])}
    if told.get("messages"):
        entry |= _attempt(line, told)
    return entry


def _attempt(line: int, told: dict[str, Any]) -> dict[str, Any]:
    record = json.dumps({"messages": told["messages"], "tools": told.get("tools") or []}).encode()
    try:
        return _conversation(found_row(Path("deepfabric.jsonl"), line, record, None))
    except (FormatError, RecursionError):
        return {"messages": [_message(ShownMessage("rejected", _pretty(record)))]}


def _pretty(text: bytes) -> str:
    try:
        return json.dumps(read_exactly(text), indent=1, ensure_ascii=False)
    except (FormatError, RecursionError):
        return text.decode("utf-8", "replace")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
