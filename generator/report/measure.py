"""Measure the rows of a file or of a run: every metric looks at each row once."""

from collections.abc import Iterable, Sequence

import msgspec

from generator.report.metrics import METRICS, Measured
from generator.report.reading import Piece, ReadRow, rows_of

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


def measure_files(name: str, pieces: Sequence[Piece], chosen: Iterable[int] | None = None) -> Report:
    """Measure the rows of files.

    Args:
        name: What people know them by.
        pieces: The files.
        chosen: Numbers of the rows to look at; None: all.

    Raises:
        OutputError: when a file cannot be read.
    """
    only = None if chosen is None else frozenset(chosen)
    return measure_rows(name, rows_of(pieces, (lambda _: True) if only is None else only.__contains__))


def measure_rows(name: str, read: Iterable[ReadRow | None]) -> Report:
    """Measure rows that are read; those that are None only count."""
    meters = {key: metric.make() for key, metric in METRICS.items()}
    rows = measured = documents = unreadable = 0
    unread: list[tuple[int, str]] = []
    for row in read:
        rows += 1
        if row is None:
            continue
        if row.seen is not None:
            for meter in meters.values():
                meter.add(row.seen)
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


def _rounded(found: Measured) -> Measured:
    """Return figures rounded to significant digits."""
    figures = {key: round(value, 3) if isinstance(value, float) else value for key, value in found.figures.items()}
    return msgspec.structs.replace(found, figures=figures)


def sample(rows: int, most: int) -> range | list[int]:
    """Return the numbers of about `most` rows, spread evenly over all rows; always the same."""
    if rows <= most:
        return range(rows)
    return [number for number in range(rows) if number * 0x9E3779B1 % 2**32 < most / rows * 2**32]
