"""The report of a run that is being finished: a sample of its rows, read before the files get their final names."""

from collections.abc import Mapping
from pathlib import Path

from generator.data.contamination import Against
from generator.data.lookup import refused_rows
from generator.data.run_folder.files import PROOFS, Layout, format_file, packed_name, planned_files, splits_of
from generator.data.run_folder.tally import Shared, Tally
from generator.formats import FORMATS
from generator.recipe import Recipe
from generator.report.measure import Report, measure_files, sample
from generator.report.reading import Piece, preference, rows_of
from generator.report.rows import SeenRow
from generator.report.wording import in_words, shown_first
from generator.sinks import SINKS

ONE_IN = 50
"""Measuring a row takes about as long as making it: of every 50 rows one is measured, which keeps it at 2 to 4 % of a run."""
AT_LEAST, AT_MOST = 100, 5_000
"""Rows that are measured if there are so many, and most of them."""


def measure_run(
    recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int], tally: Tally
) -> Report:
    """Measure a sample of a run's rows: one in 50, at least 100 and at most 5,000.

    Args:
        recipe: What was made.
        layout: How it was put into files.
        paths: Where each file stands now, by its name.
        rows: How many rows each file has.
        tally: What was made, counted.
    """
    pieces, total = _best(recipe, layout, paths, rows, tally)
    return measure_files(recipe.name, pieces, sample(total, min(max(AT_LEAST, total // ONE_IN), AT_MOST)))


def compare_run(
    against: Against, recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int], tally: Tally
) -> Shared:
    """Compare all rows of a run with other files."""
    pieces, _ = _best(recipe, layout, paths, rows, tally)
    for row in rows_of(pieces, lambda _: True):
        if isinstance(row, SeenRow):
            against.look(row.conversation)
    return against.shared


def _best(
    recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int], tally: Tally
) -> tuple[list[Piece], int]:
    """Return the files of the format that keeps most of the rows, and how many records they have."""
    sink = next(name for name in layout.sinks if not SINKS[name].texts_only)
    held: dict[str, list[str]] = {name: [] for name in recipe.formats}
    for planned in planned_files(recipe, layout):
        if planned.format and planned.sink == sink:
            held[planned.format].append(planned.name)
    totals = {name: sum(rows[file] for file in files) for name, files in held.items()}
    best = min(totals, key=lambda name: (-totals[name], preference(name)))
    return _pieces(best, sink, recipe, layout, paths, refused=best in tally.refused), totals[best]


def _pieces(
    name: str, sink: str, recipe: Recipe, layout: Layout, paths: Mapping[str, Path], *, refused: bool
) -> list[Piece]:
    """Return the files of one format, in the order of its splits and shards."""
    unrolled = recipe.records == "unrolled" or FORMATS[name].policy.records != "whole"
    proofs = None if unrolled else paths[packed_name(PROOFS, layout)]
    missing = frozenset(refused_rows(proofs, name)) if refused and proofs is not None else frozenset[int]()
    size = layout.shard_rows
    shards: list[int | None] = [None] if size is None else list(range(-(-recipe.rows // size)))
    return [
        Piece(
            path=paths[packed_name(format_file(name, sink, split, shard), layout)],
            format=name,
            proofs=proofs,
            split=split,
            first=(shard or 0) * (size or 0),
            refused=missing,
        )
        for split in splits_of(recipe)
        for shard in shards
    ]


def main_figures(report: Report) -> list[tuple[str, str]]:
    """Return what a dataset card shows: (what, how much)."""
    looked_at = ("rows looked at", f"{report.measured:,} of {report.rows:,}")
    shown = [(name, label) for name, label in shown_first([report]) if report.figures[name] is not None]
    return [looked_at, *((label, in_words(name, report.figures[name])) for name, label in shown)]
