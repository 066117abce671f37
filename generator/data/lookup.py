"""Find one row in a file of conversations, and its proof in the file beside it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from generator.conversation import Conversation, FileSequence, UserMessage
from generator.data.run_folder.files import PROOFS, REJECTED, companion_file, held_by
from generator.data.run_folder.manifest import is_unrolled, read_manifest
from generator.data.run_folder.proof_line import ProofLine, call_ids
from generator.data.validate import LONGEST_LINE, bounded_lines, check_raw
from generator.errors import FormatError, OutputError
from generator.exact_json import read_exactly
from generator.formats import FORMATS, Format
from generator.sinks import reading


class FoundRow(msgspec.Struct, frozen=True):
    """A row as it stands in a file."""

    index: int
    line: int
    format: str
    conversation: Conversation
    proof: ProofLine | None
    """What the proofs file beside it says, when it speaks of this very row."""
    document: FileSequence | None = None
    """For a row that is a document; then the conversation is empty."""


def find_row(path: Path, index: int) -> FoundRow:
    """Return row `index` (from 0) of a JSONL file, packed or not, in any format, which is told from the record itself.

    Rows that the format could not carry are missing from the file of a run; they count all the same. In the file of
    a split, only its own rows count.

    Raises:
        OutputError: when the file cannot be read or has no such row.
        FormatError: when its line is not a conversation.
    """
    position, proof = _place(path, index)
    line, text, format_name = _line(path, position, index)
    record = _decode(path, line, text)
    named = held_by(path.name).format
    format_name = named if named in FORMATS else format_name
    document, _ = FORMATS[format_name].read(record)
    if isinstance(document, FileSequence):
        return FoundRow(index, line, format_name, Conversation(messages=()), proof, document)
    try:
        conversation = FORMATS[format_name].parse(record)
    except FormatError as fault:
        raise FormatError(f"{path}:{line}: not a conversation ({format_name}): {fault}") from None
    wrong = FORMATS[format_name].rejected
    conversation = msgspec.structs.replace(conversation, rejected=wrong(record) if wrong else None)
    if proof is not None and not speaks_of(proof, conversation, format_name):
        proof = None
    return FoundRow(index, line, format_name, conversation, proof)


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


def _place(path: Path, index: int) -> tuple[int, ProofLine | None]:
    """Return the position of the row in its file, and its proof, from the files that the run wrote beside it."""
    held = held_by(path.name)
    if is_unrolled(path):
        return index, None
    if held.format not in FORMATS:
        return index, _proof(path, index, None, 0)[0]
    first = first_row(path, held.shard)
    refused = {row: reason for row, reason in refused_rows(path, held.format).items() if row >= first}
    proof, indexes_before = _proof(path, index, held.split, first)
    row = proof.index if proof is not None else first + index
    if row in refused:
        raise OutputError(f"{path}: row {index} is not in this file: {refused[row]}")
    if held.split:
        return index - sum(before in refused for before in indexes_before), proof
    return index - sum(before < row for before in refused), proof


def first_row(path: Path, shard: int | None) -> int:
    """Return index of the first row that may be in the file, by the manifest beside it."""
    manifest = read_manifest(path.parent) if shard else None
    size = manifest.made_from.get("shard_rows") if manifest else None
    return shard * size if shard and isinstance(size, int) else 0


def _proof(path: Path, index: int, split: str | None, first: int) -> tuple[ProofLine | None, list[int]]:
    """Return the proof of a row, and the indexes of the rows of its split before it, counted from row `first` on."""
    proofs = companion_file(path, PROOFS)
    indexes: list[int] = []
    for line, text in _lines(proofs) if proofs else ():
        if split is None and not first:
            if line <= index:
                continue
        elif split is not None and f'"split":"{split}"'.encode() not in text:
            continue
        proof = _decode_proof(proofs or path, line, text)
        if proof.index < first or (split is not None and proof.split != split):
            continue
        if (split is None and not first) or len(indexes) == index:
            return proof, indexes
        indexes.append(proof.index)
    return None, indexes


def _decode_proof(path: Path, line: int, text: bytes) -> ProofLine:
    try:
        return msgspec.json.decode(text, type=ProofLine)
    except msgspec.MsgspecError as fault:
        raise FormatError(f"{path}:{line}: not a proof: {fault}") from None


def refused_rows(path: Path, format_name: str) -> dict[int, str]:
    """Return the rows that the format could not carry, with the reasons."""
    rejected = companion_file(path, REJECTED)
    refused: dict[int, str] = {}
    for line, text in _lines(rejected) if rejected else ():
        entry = _decode(rejected or path, line, text)
        if isinstance(entry, dict) and entry.get("format") == format_name:
            refused[entry["index"]] = entry["reason"]
    return refused


def _line(path: Path, position: int, index: int) -> tuple[int, bytes, str]:
    """Return line number, text and format of the row at a position."""
    seen = 0
    for line, text in _lines(path):
        if not text.strip():
            continue
        if seen == position:
            return line, text, guessed_format(_decode(path, line, text))
        seen += 1
    raise OutputError(f"{path}: there is no row {index}: the file holds {seen} {'row' if seen == 1 else 'rows'}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.is_dir():
        inside = ", ".join(sorted(other.name for other in path.glob("*.jsonl*")))
        raise OutputError(f"{path}: this is a folder; name a file in it{f' ({inside})' if inside else ''}")
    with reading(path) as file:
        yield from enumerate(bounded_lines(file), start=1)


def _decode(path: Path, line: int, text: bytes) -> Any:
    if len(text) > LONGEST_LINE:
        raise FormatError(f"{path}:{line}: is longer than {LONGEST_LINE:,} bytes")
    try:
        return read_exactly(text)
    except FormatError as fault:
        raise FormatError(f"{path}:{line}: {fault}") from None


def speaks_of(proof: ProofLine, conversation: Conversation, format_name: str) -> bool:
    """Whether the proof belongs to this conversation; without ids, only the number of calls is compared."""
    policy = FORMATS[format_name].policy
    if policy.parallel == "split" or not _stands(proof, conversation):
        return False
    ids = call_ids(conversation)
    if policy.id_pattern is None or policy.train == "spans":
        return len(ids) == len(proof.calls)
    return ids == proof.calls


def _stands(proof: ProofLine, conversation: Conversation) -> bool:
    """Whether messages are at the indexes that the proof names: some formats move the system message."""
    messages = conversation.messages
    said = [claim.message for claim in proof.arguments if claim.source == "user" and claim.message is not None]
    return all(i < len(messages) and isinstance(messages[i], UserMessage) for i in said)
