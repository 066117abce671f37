"""Find records in files of conversations, and the proof of each in the file beside them."""

import heapq
import random
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

import msgspec

from generator.core.documents import nearest
from generator.core.errors import FormatError, OutputError
from generator.formats.files.records import records_of
from generator.formats.run_folder.files import PROOFS, companion_file, files_of, held_by
from generator.formats.run_folder.proof_line import Placed, placed_rows
from generator.formats.sinks import unpacked_name
from generator.report.reading import ReadRow, files_to_measure, rows_of


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which records are looked for; what is None does not matter."""

    row: int | None = None
    """Index of the row in its run."""
    scenario: str | None = None
    tag: str | None = None

    def fits(self, row: Placed) -> bool:
        """Whether the row of a run is looked for."""
        has_tag = self.tag is None or self.tag in row.tags
        return has_tag and self.row in (None, row.index) and self.scenario in (None, row.scenario)


EVERY = Wanted()
Place = tuple[int, int]
"""Which of the files, and which record there, both from 0."""


def find_rows(
    path: Path, wanted: Wanted = EVERY, index: int = 0, sample: int | None = None
) -> tuple[list[ReadRow], int]:
    """Return a record of a file (see `records_of`) in any format; or one in a folder of a run.

    Args:
        path: A file; or a folder, of which the files of the format that keeps most are read.
        wanted: Which records; only the proofs of a run tell rows, scenarios and tags.
        index: Which of these, from 0.
        sample: So many of them by chance instead, in their order.

    Returns:
        The records, and how many there are to choose from as far as that was looked at.

    Raises:
        OutputError: when a file cannot be read, or has no such record.
        FormatError: when its line is not a conversation.
    """
    files = files_of(path)
    places = _places_of(files) if wanted == EVERY else _wanted_places(files, wanted)
    chosen, seen = _chosen(places, index, sample, stop=wanted == EVERY)
    if not chosen:
        what = "the file holds" if wanted == EVERY else "what is looked for are"
        raise OutputError(f"{path}: there is no row {index}: {what} {seen} {'row' if seen == 1 else 'rows'}")
    return [
        row for at, file in enumerate(files) for row in _read(file, {number for n, number in chosen if n == at})
    ], seen


def _places_of(files: Sequence[Path]) -> Iterator[Place]:
    for at, file in enumerate(files):
        for entry in records_of(file, wanted=lambda _: False):
            if not entry.is_blank:
                yield at, entry.number


def _wanted_places(files: Sequence[Path], wanted: Wanted) -> Iterator[Place]:
    """Yield the places of the rows that are looked for; raises OutputError when there are none."""
    proofs = companion_file(files[0], PROOFS)
    if proofs is None:
        raise OutputError(f"{files[0]}: no {PROOFS} stands beside it, which tells rows, scenarios and tags")
    names, found = [unpacked_name(file) for file in files], False
    for row, _ in placed_rows(proofs):
        if wanted.fits(row):
            for place in [(at, line - 1) for at, name in enumerate(names) for line in row.lines.get(name, ())]:
                found = True
                yield place
    if not found:
        raise OutputError(f"{files[0]}: {_why_none(proofs, held_by(names[0]).format, wanted)}")


def _why_none(proofs: Path, format_name: str, wanted: Wanted) -> str:
    """Return why a file has no record that is looked for."""
    rows = [row for row, _ in placed_rows(proofs)]
    if wanted.row is not None:
        of_row = next((row for row in rows if row.index == wanted.row), None)
        if of_row is None:
            return f"{proofs.name} tells of no row {wanted.row}"
        if format_name in of_row.left_out:
            return f"row {wanted.row} is not in this file: {of_row.left_out[format_name]}"
    scenarios = {row.scenario for row in rows}
    if wanted.scenario is not None and wanted.scenario not in scenarios:
        return f"no row has the scenario {wanted.scenario!r}{nearest(wanted.scenario, sorted(scenarios))}"
    tags = {tag for row in rows for tag in row.tags}
    if wanted.tag is not None and wanted.tag not in tags:
        return f"no row has the tag {wanted.tag!r}{nearest(wanted.tag, sorted(tags))}"
    return "no row in it is all that is looked for"


def _chosen(places: Iterator[Place], index: int, sample: int | None, *, stop: bool) -> tuple[list[Place], int]:
    """Return one place, or a sample; and how many places there are, or if `stop` how many came before it."""
    if sample is not None:
        weighted = enumerate(places, start=1)
        drawn = heapq.nlargest(sample, ((random.random(), number, place) for number, place in weighted))
        return sorted(place for _, _, place in drawn), len(drawn)
    chosen, seen = [], 0
    for seen, place in enumerate(places, start=1):
        if seen == index + 1:
            chosen.append(place)
            if stop:
                break
    return chosen, seen


def _read(path: Path, numbers: Set[int]) -> Iterator[ReadRow]:
    """Yield some records of a file; raises FormatError for one that is no conversation."""
    for row in rows_of(files_to_measure(path), numbers.__contains__) if numbers else ():
        if row is not None and row.number in numbers:
            if row.fault:
                what = f"not a conversation ({row.format}): " if row.format else ""
                raise FormatError(f"{path}:{row.line}: {what}{row.fault}")
            yield row
            if row.number == max(numbers):
                return
