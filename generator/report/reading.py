"""Read the rows of a report: of a run's folder or of any file in one of our formats, each with its proof."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from generator.conversation import Conversation, FileSequence
from generator.data.format_of import guessed_format
from generator.data.lookup import speaks_of
from generator.data.records import PASSED_OVER, read_records
from generator.data.repairs import repaired
from generator.data.run_folder.files import PROOFS, companion_file, files_of, held_by
from generator.data.run_folder.manifest import is_unrolled
from generator.data.run_folder.placed import proofs_by_line
from generator.data.run_folder.proof_line import ProofLine
from generator.data.validate import check_raw
from generator.errors import FormatError
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
    name: str = ""
    """What the proofs call the file."""
    unrolled: bool = False
    """Whether a row is several records, which may end with calls."""


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
    return [_piece(file, format_name) for file in files_of(path, format_name)]


def _piece(path: Path, format_name: str | None) -> Piece:
    held = held_by(path.name)
    unrolled = path.is_file() and is_unrolled(path)
    proofs = companion_file(path, PROOFS) if path.is_file() and not unrolled else None
    format_name = format_name or (held.format if held.format in FORMATS else None)
    return Piece(path=path, format=format_name, proofs=proofs, name=unpacked_name(path), unrolled=unrolled)


def rows_of(pieces: Sequence[Piece], wanted: Wanted) -> Iterator[SeenRow | DocumentRow | Unreadable | None]:
    """Yield every wanted row, by its number over all files; None for the others.

    Raises:
        OutputError: when a file cannot be read.
    """
    shapes, number = Shapes(), 0
    for piece in pieces:
        proofs = proofs_by_line(piece.proofs, piece.name) if piece.proofs else iter(())
        line, proof = 0, b""
        fmt = FORMATS[piece.format] if piece.format else None
        with reading(piece.path) as file:
            for at, record, fault in read_records(file, piece.path, partial(_wanted_behind, wanted, number)):
                while line < at:
                    line, proof = next(proofs, _NO_MORE)
                if record is PASSED_OVER:
                    yield None
                elif fault:
                    yield Unreadable(number, fault.removeprefix("$: "))
                else:
                    fmt = fmt or FORMATS[guessed_format(record)]
                    text = proof if line == at else None
                    yield _row(number, record, fmt, text, shapes, unrolled=piece.unrolled)
                number += 1


_NO_MORE = (sys.maxsize, b"")


def _wanted_behind(wanted: Wanted, before: int, number: int) -> bool:
    return wanted(before + number)


def _row(
    number: int, record: Any, fmt: Format, proof: bytes | None, shapes: Shapes, *, unrolled: bool
) -> SeenRow | DocumentRow | Unreadable:
    plain, faults = fmt.read(record)
    if isinstance(plain, FileSequence):
        return Unreadable(number, faults[0].message) if faults else DocumentRow()
    try:
        whole = [] if plain is None and faults else check_record(plain, fmt.waives)
        violations = check_raw(record, fmt, unrolled=unrolled)  # as `validate` does
        conversation = conversation_of(repaired(plain, Counter()) if faults or whole else plain)
        return see(number, conversation, _proof_of(conversation, proof, fmt.name), shapes, violations)
    except FormatError as broken:
        return Unreadable(number, faults[0].message if faults else str(broken))
    except RecursionError:
        return Unreadable(number, "is nested too deep")


def _proof_of(conversation: Conversation, text: bytes | None, format_name: str) -> ProofLine | None:
    """Return the proof, if it is one and speaks of this very conversation."""
    if text is None:
        return None
    try:
        proof = msgspec.json.decode(text, type=ProofLine)
    except msgspec.MsgspecError:
        return None
    return proof if speaks_of(proof, conversation, format_name) else None
