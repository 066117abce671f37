"""The report of a run that is being finished: a sample of its rows, read before the files get their final names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.formats import FORMATS
from generator.formats.run_folder.files import (
    PROOFS,
    REJECTED,
    Layout,
    Planned,
    order_of_completeness,
    packed_name,
    planned_files,
)
from generator.formats.run_folder.tally import Shared
from generator.formats.sinks import SINKS, unpacked_name
from generator.recipe import Recipe
from generator.report.files.contamination import Against
from generator.report.measure import Report, RowsFile, measure_rows, rows_of, sample
from generator.report.page import Entry, figure_text, noted, page, rejected_entries, sections_of, shown_first

ONE_IN = 50
"""Measuring a row takes about as long as making it: of every 50 rows one is measured, which keeps it at 2 to 4 % of a run."""
AT_LEAST, AT_MOST = 100, 5_000
"""Rows that are measured if there are so many, and most of them."""
SHOWN = 200
"""Those of them that stand on the page, at most; and as many rejected attempts."""


def measure_run(
    recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int]
) -> tuple[Report, str]:
    """Measure a sample of a run's rows: one in 50, at least 100 and at most 5,000; return the report and the page of them.

    `paths` is where each file stands now, by its name.
    """
    files, total = _best(recipe, layout, paths, rows)
    chosen = frozenset(sample(total, min(max(AT_LEAST, total // ONE_IN), AT_MOST)))
    shown = frozenset(sample(total, SHOWN))
    entries: list[Entry] = []
    read = noted(rows_of(files, chosen.__contains__), entries, wanted=shown.__contains__)
    report = measure_rows(recipe.name, read)
    rejected = packed_name(REJECTED, layout)
    entries += rejected_entries(paths[rejected], rejected, SHOWN)
    more = f"a sample of {total:,} rows; <code>browse</code> shows more" if len(shown & chosen) < total else ""
    return report, page(recipe.name, [recipe.name], entries, sections_of([report]), pages=more)


def compare_run(
    against: Against, recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int]
) -> Shared:
    """Compare all rows of a run with other files."""
    files, _ = _best(recipe, layout, paths, rows)
    for row in rows_of(files, lambda _: True):
        if row is not None and row.parsed is not None:
            against.compare(row.parsed.conversation)
    return against.shared


def _best(
    recipe: Recipe, layout: Layout, paths: Mapping[str, Path], rows: Mapping[str, int]
) -> tuple[list[RowsFile], int]:
    """Return the files of the format that keeps most of the rows, a record each if there is one; and how many records they have."""
    sink = next(name for name in layout.sinks if not SINKS[name].texts_only)
    files_by_format: dict[str, list[Planned]] = {name: [] for name in recipe.formats}
    for planned in planned_files(recipe, layout):
        if planned.format and planned.sink == sink:
            files_by_format[planned.format].append(planned)
    totals = {name: sum(rows[file.name] for file in files) for name, files in files_by_format.items()}
    best = min(
        totals, key=lambda name: (FORMATS[name].policy.records != "whole", -totals[name], order_of_completeness(name))
    )
    unrolled = recipe.records == "unrolled" or FORMATS[best].policy.records != "whole"
    common: dict[str, Any] = {"format": best, "proofs": paths[packed_name(PROOFS, layout)], "unrolled": unrolled}
    return [
        RowsFile(path=paths[name], name=unpacked_name(Path(name)), shown=name, **common)
        for name in [file.name for file in files_by_format[best]]
    ], totals[best]


def main_figures(report: Report) -> list[tuple[str, str]]:
    """Return what a dataset card shows: (what, how much)."""
    looked_at = ("rows looked at", f"{report.measured:,} of {report.rows:,}")
    shown = [(name, label) for name, label in shown_first([report]) if report.figures[name] is not None]
    return [looked_at, *((label, figure_text(name, report.figures[name])) for name, label in shown)]
