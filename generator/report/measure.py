"""Measure the rows of a file or of a run, each with its proof: every metric looks at each row once."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from generator.core.conversation import Conversation, FileSequence, UserMessage
from generator.core.errors import FormatError
from generator.formats import FORMATS
from generator.formats.files.records import PASSED_OVER, records_of
from generator.formats.files.validate import check_raw
from generator.formats.run_folder.files import PROOFS, companion_file, files_of, held_by
from generator.formats.run_folder.manifest import is_unrolled
from generator.formats.run_folder.proof_line import ProofLine, call_ids, proofs_by_line
from generator.formats.sinks import unpacked_name
from generator.report.files.format_of import guessed_format
from generator.report.files.repairs import understood
from generator.report.metrics import METRICS
from generator.report.metrics.base import Measured
from generator.report.rows import ParsedRow, is_played, parse_row


class RowsFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file with rows."""

    path: Path
    format: str | None = None
    """None: detected from the first record."""
    proofs: Path | None = None
    name: str = ""
    """What the proofs call the file."""
    shown: str = ""
    """What people know the file by."""
    unrolled: bool = False
    """Whether a row is several records, which may end with calls."""


class ReadRow(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a file."""

    number: int
    """Its place over all files, from 0."""
    file: RowsFile
    line: int
    format: str = ""
    """Its format, as far as that can be detected."""
    record: Any = None
    proof_line: ProofLine | None = None
    """What the proofs say of this line."""
    proof: ProofLine | None = None
    """The same, when it speaks of this very conversation."""
    parsed: ParsedRow | None = None
    """The conversation; None when it is none."""
    document: FileSequence | None = None
    fault: str = ""
    """Why it is neither."""


Wanted = Callable[[int], bool]


def files_to_measure(path: Path, format_name: str | None = None) -> list[RowsFile]:
    """Return the files of a path: itself, or in a folder those of one format.

    Raises:
        OutputError: when there is nothing to read.
    """
    return [_rows_file(file, format_name) for file in files_of(path, format_name)]


def _rows_file(path: Path, format_name: str | None) -> RowsFile:
    """Return what is known of a file of rows."""
    named_parts = held_by(path.name)
    unrolled = path.is_file() and is_unrolled(path)
    proofs = companion_file(path, PROOFS) if path.is_file() else None
    format_name = format_name or (named_parts.format if named_parts.format in FORMATS else None)
    return RowsFile(
        path=path, format=format_name, proofs=proofs, name=unpacked_name(path), shown=str(path), unrolled=unrolled
    )


def rows_of(files: Sequence[RowsFile], wanted: Wanted) -> Iterator[ReadRow | None]:
    """Yield every wanted row, by its number over all files; None for the others.

    Raises:
        OutputError: when a file cannot be read.
    """
    number = 0
    for file in files:
        proofs = proofs_by_line(file.proofs, file.name) if file.proofs else iter(())
        line, proof = 0, b""
        fmt = FORMATS[file.format] if file.format else None
        before = number
        for entry in records_of(file.path, partial(lambda before, at: wanted(before + at), number)):
            number = before + entry.number
            while line < entry.number + 1:
                line, proof = next(proofs, _NO_MORE)
            row = ReadRow(number=number, file=file, line=entry.line, fault=entry.fault.removeprefix("$: "))
            if entry.record is not PASSED_OVER and not entry.fault:
                fmt = fmt or FORMATS[guessed_format(entry.record)]
                proof_line = None
                with suppress(msgspec.MsgspecError):
                    proof_line = msgspec.json.decode(proof, type=ProofLine) if line == entry.number + 1 else None
                row = read_row(replace(row, format=fmt.name, record=entry.record, proof_line=proof_line))
            yield None if entry.record is PASSED_OVER else row
            number += entry.lines


_NO_MORE = (sys.maxsize, b"")


def read_row(row: ReadRow) -> ReadRow:
    """Return a row with its record parsed: conversation, violations and proof, or why it cannot be read."""
    fmt, record, proof_line = FORMATS[row.format], row.record, row.proof_line
    try:
        conversation = understood(record, fmt)
        if isinstance(conversation, FileSequence):
            return replace(row, document=conversation)
        violations = check_raw(record, fmt, unrolled=row.file.unrolled)  # as `validate` does
        if fmt.rejected is not None:
            conversation = replace(conversation, rejected=fmt.rejected(record))
        is_about_row = proof_line is not None and belongs_to(proof_line, conversation, fmt.name, part=row.file.unrolled)
        proof = proof_line if is_about_row else None
        # metrics take the proof of a part for none, as it tells of more calls than there are, and that of a model's words, as it claims nothing
        claims_none = row.file.unrolled or (proof is not None and is_played(proof))
        parsed = parse_row(row.number, conversation, None if claims_none else proof, violations)
        return replace(row, parsed=parsed, proof=proof)
    except FormatError as broken:
        return replace(row, fault=str(broken))
    except RecursionError:
        return replace(row, fault="is nested too deep")


def belongs_to(proof: ProofLine, conversation: Conversation, format_name: str, *, part: bool = False) -> bool:
    """Whether the proof belongs to this conversation, or its beginning; without ids, only the number of calls is compared."""
    policy = FORMATS[format_name].policy
    if policy.parallel == "split" or not _messages_match(proof, conversation, part=part):
        return False
    ids = call_ids(conversation)
    calls = proof.calls[: len(ids)] if part else proof.calls
    return len(ids) == len(calls) if policy.id_pattern is None or policy.train == "spans" else ids == calls


def _messages_match(proof: ProofLine, conversation: Conversation, *, part: bool) -> bool:
    """Whether messages are at the indexes that the proof names: some formats move the system message."""
    messages = conversation.messages
    request_indexes = [
        claim.message for claim in proof.arguments if claim.source == "user" and claim.message is not None
    ]
    return all(isinstance(messages[i], UserMessage) if i < len(messages) else part for i in request_indexes)


MOST_TOLD = 5
"""Rows that cannot be read which are named."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured."""

    report: int = 1
    """Version of this shape."""
    name: str
    """What people know the rows by: the path that they gave, or the name of the run."""
    rows: int
    """Rows there are."""
    measured: int
    """Rows that were looked at and could be read: fewer in a sample."""
    documents: int = 0
    """Those of them that are documents, of which nothing else is measured."""
    sampled: bool = False
    """Whether only some of the rows were looked at."""
    unreadable: int = 0
    """Rows that were looked at and are no conversation."""
    unread: tuple[tuple[int, str], ...] = ()
    """The first of them: number and reason."""
    metrics: dict[str, Measured]

    @property
    def figures(self) -> dict[str, float | int | None]:
        """All figures, by the names that people write: `near_duplicates.plain`."""
        return {f"{name}.{key}": value for name, found in self.metrics.items() for key, value in found.figures.items()}


def measure_files(name: str, files: Sequence[RowsFile]) -> Report:
    """Measure the rows of files that people know by `name`.

    Raises:
        OutputError: when a file cannot be read.
    """
    return measure_rows(name, rows_of(files, lambda _: True))


def measure_rows(name: str, read: Iterable[ReadRow | None]) -> Report:
    """Measure rows that are read; those that are None only count."""
    meters = {key: metric.make() for key, metric in METRICS.items()}
    rows = measured = documents = unreadable = 0
    unread: list[tuple[int, str]] = []
    for row in read:
        rows += 1
        if row is None:
            continue
        if row.parsed is not None:
            for meter in meters.values():
                meter.add(row.parsed)
        documents += row.document is not None
        measured += not row.fault
        unreadable += bool(row.fault)
        if row.fault and len(unread) < MOST_TOLD:
            unread.append((row.number, row.fault))
    return Report(
        name=name,
        rows=rows,
        measured=measured,
        documents=documents,
        sampled=measured + unreadable < rows,
        unreadable=unreadable,
        unread=tuple(unread),
        metrics={key: _rounded(meter.result()) for key, meter in meters.items()},
    )


def _rounded(measured: Measured) -> Measured:
    """Return figures rounded to significant digits."""
    figures = {key: round(value, 3) if isinstance(value, float) else value for key, value in measured.figures.items()}
    return msgspec.structs.replace(measured, figures=figures)


def sample(rows: int, most: int) -> range | list[int]:
    """Return the numbers of about `most` rows, spread evenly over all rows; always the same."""
    if rows <= most:
        return range(rows)
    return [number for number in range(rows) if number * 0x9E3779B1 % 2**32 < most / rows * 2**32]
