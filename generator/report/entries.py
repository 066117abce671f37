"""Rows as plain data for the page: who says what, where values come from, what was rejected and why."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from generator.core.conversation import Conversation, FileSequence, UserMessage
from generator.core.errors import FormatError
from generator.core.exact_json import read_exactly
from generator.formats.files.records import bounded_lines
from generator.formats.run_folder.proof_line import ProofLine
from generator.formats.sinks import reading
from generator.report.files.show import ShownMessage, show_row
from generator.report.reading import Piece, ReadRow, read_row
from generator.report.schemas import Shapes

_LONGEST = 20_000
"""Characters of one text on the page; data may have texts of any length."""
_MOST_FAULTS = 20

Entry = dict[str, Any]
"""One thing to look at: what page.js shows of a row, a rejected attempt, or a transcript."""


def entry(kind: str, name: str, heading: str, **about: Any) -> Entry:
    """Return an entry in which nothing is said.

    Args:
        kind: What it is: `row`, `rejected`, `left out`, `removed` or `played`.
        name: What links and marks know it by.
        heading: What people know it by.
        about: What else is known of it.
    """
    empty: Entry = {"source": 0, "file": "", "line": None, "row": None, "scenario": "", "split": "", "format": ""}
    lists: Entry = {"tags": [], "tools": [], "offers": [], "messages": [], "faults": []}
    return {"kind": kind, "id": name, "heading": heading, "title": "", **empty, **lists, **about}


def noted(
    rows: Iterable[ReadRow | None],
    into: list[Entry],
    source: int = 0,
    *,
    wanted: Callable[[int], bool] = lambda _: True,
    raw: bool = False,
) -> Iterator[ReadRow | None]:
    """Pass rows on, and note an entry of each that is read and wanted.

    Args:
        rows: What is read.
        into: Where entries are noted.
        source: What the page calls the file or run by.
        wanted: Which rows are noted, by their numbers.
        raw: Whether the text of each record is wanted, too.
    """
    for row in rows:
        if row is not None and wanted(row.number):
            into.append(_of_row(row, source, raw=raw))
        yield row


def _of_row(row: ReadRow, source: int, *, raw: bool) -> Entry:
    proof = row.told
    about = (
        {"row": proof.index, "scenario": proof.scenario, "tags": proof.tags, "split": proof.split or ""}
        if proof
        else {}
    )
    heading = f"Row {proof.index}" if proof else f"Line {row.line}"
    where = {"source": source, "file": row.piece.shown, "line": row.line, "format": row.format}
    found = entry("row", f"{source}/{row.number + 1}", heading, **where, **about)
    if raw:
        found["raw"] = cut(json.dumps(row.record, indent=1, ensure_ascii=False))
    return found | _said(row)


def _said(row: ReadRow) -> Entry:
    """Return what a row says, and its faults."""
    if row.document is not None:
        return {"title": "a document", "messages": [message_of(m) for m in _of_document(row.document)]}
    if row.seen is None:
        return {"title": row.fault, "faults": [{"rule": "unreadable", "path": "$", "message": cut(row.fault)}]}
    faults = [
        {"rule": one.rule, "path": cut(one.path), "message": cut(one.message)}
        for one in row.seen.violations[:_MOST_FAULTS]
    ]
    return said(row.seen.conversation, row.proof) | {"faults": faults}


def said(conversation: Conversation, proof: ProofLine | None) -> Entry:
    """Return what a conversation says, with the origins of its values."""
    row = show_row(conversation, proof)
    asked = next((m.content for m in conversation.messages if isinstance(m, UserMessage)), "")
    return {
        "title": (asked or "")[:160],
        "tools": sorted({call.name for message in row.messages for call in message.calls}),
        "offers": row.tools,
        "messages": [message_of(message) for message in row.messages],
    }


def said_in(record: dict[str, Any], format_name: str) -> Entry:
    """Return what a record says, whatever it is: one that is no conversation is shown as it is."""
    row = read_row(ReadRow(number=0, piece=Piece(path=Path()), line=0, format=format_name, record=record), Shapes())
    if row.seen is not None:
        return said(row.seen.conversation, None)
    return {"messages": [message_of(ShownMessage("unreadable", json.dumps(record, indent=1, ensure_ascii=False)))]}


def _of_document(document: FileSequence) -> list[ShownMessage]:
    texts = [
        file if isinstance(file, str) else f"{file.prefix}[{file.middle or ''}]{file.suffix}" for file in document.files
    ]
    return [ShownMessage(f"file {number}", text) for number, text in enumerate(texts, 1)]


def message_of(message: ShownMessage) -> dict[str, Any]:
    """Return a message as the page has it."""
    calls = [
        {
            "number": call.number,
            "name": call.name,
            "values": [
                {
                    "name": origin.pointer.removeprefix("/") or "(all)",
                    "value": cut(json.dumps(origin.value, ensure_ascii=False)),
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
        "text": cut(message.text or ""),
        "json": message.is_json,
        "answers": message.answers,
        "notes": message.notes,
        "thoughts": message.thoughts,
        "calls": calls,
    }


def rejected_entries(path: Path, shown: str, most: int, source: int = 0) -> Iterator[Entry]:
    """Yield the first lines of a file of rejected rows, which people know by the name that is shown."""
    with reading(path) as file:
        for line, text in islice(enumerate(bounded_lines(file), start=1), most):
            yield _rejected(source, line, text) | {"file": shown}


def _rejected(source: int, line: int, text: bytes) -> Entry:
    """Return a line of rejected rows: an attempt with its faults, a format that refused a row, or a row that was removed."""
    try:
        told, wrong = read_exactly(text), "not an object"
    except FormatError as fault:
        told, wrong = None, str(fault)
    if not isinstance(told, dict):
        told = {"violations": [{"rule": "unreadable", "path": "$", "message": wrong}]}
    kind = "removed" if "removed" in told else "left out" if "format" in told else "rejected"
    index = told.get("index")
    heading = f"Line {line}" if index is None else f"Row {index}"
    about = {"source": source, "line": line, "row": index, "scenario": str(told.get("scenario") or "")}
    found = entry(kind, f"{source}/rejected-{line}", heading, **about)
    if kind != "rejected":
        reason = str(told.get("reason") or told.get("removed") or "")
        rule = str(told.get("format") or "removed")
        faults = [{"rule": kind, "path": rule, "message": cut(reason)}]
        return found | {"format": rule, "title": reason[:160], "faults": faults}
    listed = told.get("violations")
    named = [fault for fault in listed if isinstance(fault, dict)] if isinstance(listed, list) else []
    faults = [{key: cut(str(fault.get(key, ""))) for key in ("rule", "path", "message")} for fault in named]
    found |= {"format": "deepfabric", "faults": faults, "title": " ".join(fault["rule"] for fault in faults)}
    if told.get("messages"):
        found |= said_in({"messages": told["messages"], "tools": told.get("tools") or []}, "deepfabric")
    return found


def cut(text: str) -> str:
    """Return a text, of a very long one its beginning."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
