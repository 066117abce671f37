"""Read the rows of a report: of a run's folder or of any file in one of our formats, each with its proof."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from generator.conversation import Conversation, FileSequence
from generator.data.lookup import first_row, guessed_format, refused_rows, speaks_of
from generator.data.records import PASSED_OVER, read_records
from generator.data.repairs import repaired
from generator.data.run_folder.files import PROOFS, REJECTED, companion_file, held_by
from generator.data.run_folder.manifest import is_unrolled
from generator.data.run_folder.proof_line import ProofLine
from generator.errors import FormatError, OutputError
from generator.formats import FORMATS, Format
from generator.formats.format import conversation_of
from generator.report.rows import SeenRow, see
from generator.report.schemas import Shapes
from generator.sinks import reading, unpacked_name
from generator.validation import check_record


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One file with rows."""

    path: Path
    format: str | None = None
    """None: told from the first record."""
    proofs: Path | None = None
    split: str | None = None
    first: int = 0
    """Index of the first row of the run that may be in it."""
    refused: frozenset[int] = frozenset()
    """Rows of the run that its format could not carry."""


class DocumentRow(msgspec.Struct, frozen=True):
    """A row that is a document: no metric is about such rows."""


class Unreadable(msgspec.Struct, frozen=True):
    """A row that is not a conversation."""

    number: int
    reason: str


Wanted = Callable[[int], bool]


def files_to_measure(path: Path, format_name: str | None = None) -> list[Piece]:
    """Return the files of a path: itself, or in a folder those of one format.

    Raises:
        OutputError: when there is nothing to read.
    """
    if not path.is_dir():
        return [_piece(path, format_name)]
    held: dict[str, list[Path]] = {}
    for file in sorted(path.iterdir()):
        name = held_by(file.name).format
        if unpacked_name(file).endswith(".jsonl") and name in FORMATS and format_name in (None, name):
            held.setdefault(name, []).append(file)
    if not held:
        raise OutputError(_nothing_in(path, format_name))
    name = min(held, key=preference)
    return [_piece(file, name) for file in held[name]]


def _nothing_in(folder: Path, format_name: str | None) -> str:
    what = f"no JSON Lines file of format {format_name}" if format_name else "no JSON Lines file named after a format"
    there = [
        file.name for file in sorted(folder.iterdir()) if ".jsonl" in file.name and file.name not in (PROOFS, REJECTED)
    ]
    inside = f"; name one of its files ({', '.join(there[:10])})" if there else ""
    return f"{folder}: there is {what} in this folder{inside}"


def preference(name: str) -> tuple[bool, bool, bool, int]:
    """Return a sort key by which the format that keeps most of a conversation comes first."""
    policy = FORMATS[name].policy
    return policy.requests != "any", policy.parallel != "ok", policy.train == "spans", list(FORMATS).index(name)


def _piece(path: Path, format_name: str | None) -> Piece:
    held = held_by(path.name)
    proofs = companion_file(path, PROOFS) if path.is_file() and not is_unrolled(path) else None
    if held.format not in FORMATS:
        return Piece(path=path, format=format_name, proofs=proofs)
    return Piece(
        path=path,
        format=format_name or held.format,
        proofs=proofs,
        split=held.split,
        first=first_row(path, held.shard),
        refused=frozenset(refused_rows(path, held.format) if proofs else ()),
    )


def rows_of(pieces: Sequence[Piece], wanted: Wanted) -> Iterator[SeenRow | DocumentRow | Unreadable | None]:
    """Yield every wanted row, by its number over all files; None for the others.

    Raises:
        OutputError: when a file cannot be read.
    """
    shapes, number = Shapes(), 0
    for piece in pieces:
        proofs = _proofs(piece)
        fmt = FORMATS[piece.format] if piece.format else None
        with reading(piece.path) as file:
            for _, record, fault in read_records(file, piece.path, partial(_wanted_behind, wanted, number)):
                proof = next(proofs, None)
                if record is PASSED_OVER:
                    yield None
                elif fault:
                    yield Unreadable(number, fault.removeprefix("$: "))
                else:
                    fmt = fmt or FORMATS[guessed_format(record)]
                    yield _row(number, record, fmt, proof, shapes)
                number += 1


def _wanted_behind(wanted: Wanted, before: int, number: int) -> bool:
    return wanted(before + number)


def _row(
    number: int, record: Any, fmt: Format, proof: bytes | None, shapes: Shapes
) -> SeenRow | DocumentRow | Unreadable:
    plain, faults = fmt.read(record)
    if isinstance(plain, FileSequence):
        return Unreadable(number, faults[0].message) if faults else DocumentRow()
    try:
        violations = faults if plain is None and faults else faults + check_record(plain, fmt.waives)
        conversation = conversation_of(repaired(plain, Counter()) if violations else plain)
        return see(number, conversation, _proof_of(conversation, proof, fmt.name), shapes, violations)
    except FormatError as broken:
        return Unreadable(number, faults[0].message if faults else str(broken))
    except RecursionError:
        return Unreadable(number, "is nested too deep")


class _Place(msgspec.Struct):
    """The fields of a proof that identify its row."""

    index: int
    split: str | None = None


def _proofs(piece: Piece) -> Iterator[bytes]:
    """Yield the proof of each row of the file, in order."""
    if piece.proofs is None:
        return
    every_row = piece.split is None and not piece.refused and not piece.first
    with reading(piece.proofs) as file:
        for line, text in enumerate(file, start=1):
            if every_row:
                yield text
                continue
            try:
                place = msgspec.json.decode(text, type=_Place)
            except msgspec.MsgspecError as fault:
                raise FormatError(f"{piece.proofs}:{line}: not a proof: {fault}") from None
            if place.split == piece.split and place.index >= piece.first and place.index not in piece.refused:
                yield text


def _proof_of(conversation: Conversation, text: bytes | None, format_name: str) -> ProofLine | None:
    """Return the proof, if it is one and speaks of this very conversation."""
    if text is None:
        return None
    try:
        proof = msgspec.json.decode(text, type=ProofLine)
    except msgspec.MsgspecError:
        return None
    return proof if speaks_of(proof, conversation, format_name) else None
