"""A page with rows in it, which needs nothing else: one template, one script, and the rows as JSON."""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any

from generator.data.browse import browsed
from generator.data.run_folder.files import files_of
from generator.files.regular import read_regular
from generator.report.plots import visible

MOST = 5_000
"""Records of all sources together on one page."""

_HEAD = ("source", "kind", "line", "row", "scenario", "tags", "split", "format", "tools", "title")
"""What lists and filters need of a record; the rest of it is read only when it is looked at."""


def browse_page(paths: Sequence[Path], start: int = 0, *, served: bool = False) -> tuple[str, int]:
    """Return a page with the records of files and runs, and how many there are.

    Args:
        paths: Files of JSON lines, or folders of runs; several are shown side by side, row by row.
        start: The first record of each.
        served: Whether other pages can be had from where this one is from, by `?from=N`.

    Raises:
        OutputError: when a file cannot be read.
    """
    share = max(1, MOST // len(paths))
    rows: list[dict[str, Any]] = []
    cut = False
    for source, path in enumerate(paths):
        found = list(islice(browsed(path, source, start, start + share + 1, raw=len(paths) > 1), 2 * share))
        good = [row for row in found if row["kind"] == "row"]
        cut = cut or len(good) > share
        rows += good[:share] + [row for row in found if row["kind"] != "row"]
    title = " and ".join(str(path) for path in paths)
    heads = [{**{key: row[key] for key in _HEAD}, "rules": [fault["rule"] for fault in row["faults"]]} for row in rows]
    data = {"sources": [_source(path) for path in paths], "rows": heads, "key": _digest(title)}
    bodies = [_in_script({key: value for key, value in row.items() if key not in _HEAD}) for row in rows]
    script = read_regular(Path(__file__).with_name("browse.js")).decode()
    template = Template(read_regular(Path(__file__).with_name("browse.html")).decode())
    text = template.substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'",
        title=escape(visible(title)),
        pages=_pages(start, share, cut=cut, served=served),
        data=_in_script(data),
        bodies="\n".join(bodies),
        script=script,
    )
    return text, len(rows)


def _source(path: Path) -> dict[str, str]:
    return {"name": path.name or str(path), "path": str(files_of(path)[0])}


def _pages(start: int, share: int, *, cut: bool, served: bool) -> str:
    if not cut and not start:
        return ""
    told = f"records {start + 1:,} to {start + share:,} of each" if cut or start else ""
    if not served:
        return f"{told}; <code>browse --serve</code> pages through all"
    earlier = f' <a href="?from={max(0, start - share)}">earlier</a>' if start else ""
    later = f' <a href="?from={start + share}">later</a>' if cut else ""
    return f"{told}{earlier}{later}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "replace")).digest()).decode()


def _in_script(data: Any) -> str:
    """Return JSON that no text in it can end the element of, or begin a comment in."""
    return (
        json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    )
