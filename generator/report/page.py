"""The one page of HTML: things to look at, and figures behind them. It needs nothing else and asks nothing of any network."""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from generator.core.files import read_regular
from generator.report.entries import Entry

_BODY = ("raw", "offers", "messages", "faults")
"""What is read of an entry only when it is looked at; lists and filters need the rest."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A table of figures, with charts and rows to look at."""

    title: str
    about: str
    """What stands between backquotes is shown as code."""
    columns: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()
    """Cells of the table; the first of a line is its heading."""
    charts: Sequence[tuple[str, Sequence[tuple[str, float]]]] = ()
    """(title, counts by what is counted)."""
    examples: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()
    """(what they are examples of, entries as (name, what people know it by))."""


def page(
    title: str,
    sources: Sequence[str],
    entries: Sequence[Entry],
    sections: Sequence[Section] = (),
    *,
    marks_of: str = "",
    pages: str = "",
) -> str:
    """Return the page.

    Args:
        title: What it is about.
        sources: What people know the files or runs by that entries are from.
        entries: What there is to look at.
        sections: The figures behind it.
        marks_of: What a browser keeps marks under: pages of one thing share them. By default those with the same entries do.
        pages: Where other entries are, as HTML.
    """
    bodies = "\n".join([_in_script({key: one[key] for key in _BODY if key in one}) for one in entries])
    heads = [
        {key: value for key, value in one.items() if key not in _BODY}
        | {"rules": [fault["rule"] for fault in one["faults"]]}
        for one in entries
    ]
    data = {"sources": sources, "rows": heads, "key": _digest(marks_of or bodies)}
    script = read_regular(Path(__file__).with_name("page.js")).decode()
    template = Template(read_regular(Path(__file__).with_name("page.html")).decode())
    return template.substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'",
        title=escape(visible(title)),
        pages=pages,
        data=_in_script(data | {"figures": msgspec.to_builtins(sections)}),
        bodies=bodies,
        script=script,
    )


def visible(text: str) -> str:
    """Return the text without characters that a page may not hold or that turn the direction of others."""
    return "".join(letter if letter.isprintable() or letter == " " else "\ufffd" for letter in text)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "replace")).digest()).decode()


def _in_script(data: Any) -> str:
    """Return JSON that no text in it can end the element of, or begin a comment in."""
    return (
        json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    )
