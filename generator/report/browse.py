"""The page of files and runs that are there."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from generator.formats.run_folder.files import REJECTED, companion_file
from generator.report.entries import Entry, noted, rejected_entries
from generator.report.measure import measure_rows
from generator.report.page import page
from generator.report.reading import files_to_measure, rows_of
from generator.report.wording import sections_of

MOST = 2_000
"""Records of all sources together on one page."""


def browse_page(paths: Sequence[Path], start: int = 0, *, served: bool = False) -> tuple[str, int]:
    """Return a page with the records of files and runs, and how many there are.

    Args:
        paths: Files in any format, or folders of runs; several are shown side by side, row by row.
        start: The first record of each.
        served: Whether other pages can be had from where this one is from, by `?from=N`.

    Raises:
        OutputError: when a file cannot be read.
    """
    share = max(1, MOST // len(paths))
    entries: list[Entry] = []
    reports = []
    for source, path in enumerate(paths):
        pieces = files_to_measure(path)
        read = islice(rows_of(pieces, range(start, start + share).__contains__), start + share + 1)
        reports.append(measure_rows(str(path), noted(read, entries, source, raw=len(paths) > 1)))
        rejected = companion_file(pieces[0].path, REJECTED) if not start else None
        if rejected is not None:
            entries += rejected_entries(rejected, str(rejected), share, source)
    cut = any(report.rows > start + share for report in reports)
    title = " and ".join(map(str, paths))
    names = [path.name or str(path) for path in paths]
    pages = _pages(start, share, cut=cut, served=served)
    return page(title, names, entries, sections_of(reports), marks_of=title, pages=pages), len(entries)


def _pages(start: int, share: int, *, cut: bool, served: bool) -> str:
    if not cut and not start:
        return ""
    told = f"records {start + 1:,} to {start + share:,} of each" if cut or start else ""
    if not served:
        return f"{told}; <code>browse --serve</code> pages through all"
    earlier = f' <a href="?from={max(0, start - share)}">earlier</a>' if start else ""
    later = f' <a href="?from={start + share}">later</a>' if cut else ""
    return f"{told}{earlier}{later}"
