"""Mix several files into one by shares: deterministic, with one row of each file in memory at a time."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from generator.core.errors import OutputError
from generator.formats import FORMATS, Format
from generator.formats.sinks import packing_of, write_whole
from generator.report.files.convert import (
    DEFAULT_OPTIONS,
    Conversion,
    ConversionOptions,
    check_target,
    converted,
    packed,
)
from generator.report.files.format_of import format_of

Tell = Callable[[Path, int, str], None]
"""Called with the file and line of a row that is left out, and why."""


class MixedFile(msgspec.Struct, frozen=True):
    """A file and its weight in the mix."""

    path: Path
    share: float
    format: str | None = None
    """None: detected from its name, or its first record."""


def mix_files(
    parts: Sequence[MixedFile],
    target: Path,
    to: Format,
    rows: int,
    tell: Tell,
    *,
    overwrite: bool = False,
    how: ConversionOptions = DEFAULT_OPTIONS,
) -> list[Conversion]:
    """Write `rows` records to `target`, each file's share of them, evenly interleaved and in order.

    Args:
        parts: The files; their shares are weights.
        target: A file of JSON lines.
        to: Its format.
        rows: How many records it is to have.
        tell: Called for rows that are left out; others are taken in their place.
        overwrite: Whether `target` may be there already.
        how: What else is wanted.

    Returns:
        What became of the rows that were read of each file.

    Raises:
        OutputError: when a file cannot be read or holds too few rows, or `target` cannot be written.
    """
    for part in parts:
        check_target(part.path, target, overwrite)
    counts = shares_of([part.share for part in parts], rows)
    tallies = [Conversion() for _ in parts]
    lines = []
    for part, tally in zip(parts, tallies, strict=True):
        fmt = FORMATS[part.format or format_of(part.path)]
        lines.append(converted(part.path, fmt, to, tally, partial(tell, part.path), how))
    write_whole(target, packed(_taken(parts, lines, counts), packing_of(target)))
    return tallies


def shares_of(weights: Sequence[float], rows: int) -> list[int]:
    """Divide a number of rows by weights, rounded by largest remainders so that the shares add up."""
    total = sum(weights)
    exact = [weight / total * rows for weight in weights]
    counts = [int(number) for number in exact]
    for at in sorted(range(len(exact)), key=lambda at: (counts[at] - exact[at], at))[: rows - sum(counts)]:
        counts[at] += 1
    return counts


def _taken(parts: Sequence[MixedFile], lines: Sequence[Iterator[bytes]], counts: Sequence[int]) -> Iterator[bytes]:
    """Yield the records in the order of the mix: the next one is from the file that is furthest behind its share."""
    taken = [0] * len(parts)
    for _ in range(sum(counts)):
        left = [at for at in range(len(parts)) if taken[at] < counts[at]]
        at = min(left, key=lambda at: ((taken[at] + 0.5) / counts[at], at))
        record = next(lines[at], None)
        if record is None:
            raise OutputError(
                f"{parts[at].path}: only {taken[at]:,} rows can be taken, and {counts[at]:,} are wanted of it"
            )
        taken[at] += 1
        yield record
