"""A report as one page that needs nothing else: no script, no network, every text escaped, light and dark."""

import re
from collections.abc import Sequence
from pathlib import Path

from generator import __version__
from generator.files.regular import read_regular
from generator.report.measure import Report
from generator.report.metrics import METRICS, Chart, Metric
from generator.report.plots import plot, safe
from generator.report.wording import in_words, shown_first

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the browser is told to allow: the style in the page, and nothing from anywhere."""
_CODE = re.compile(r"`([^`]+)`")


def page(reports: Sequence[Report]) -> str:
    """Return the page of one report, or of several side by side."""
    style = read_regular(Path(__file__).with_name("page.css")).decode()
    names = " and ".join(report.name for report in reports)
    links = "".join(f'<a href="#{name}">{safe(metric.title)}</a>' for name, metric in METRICS.items())
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
            f"<title>{safe(names)}: report</title><style>{style}</style></head><body><main>",
            *[_heading(place, report, several=len(reports) > 1) for place, report in enumerate(reports)],
            _tiles(reports),
            f'<nav aria-label="Parts of the report">{links}</nav>',
            *[_section(metric, reports) for metric in METRICS.values()],
            f'<p class="quiet">Made by tool-use-generator {__version__}.</p>',
            "</main></body></html>\n",
        ]
    )


def _heading(place: int, report: Report, *, several: bool) -> str:
    read = f"{report.rows:,} {'row' if report.rows == 1 else 'rows'}"
    if report.sampled:
        read += (
            f"; {report.measured:,} of them, spread evenly, were looked at. What grows with the number of rows, such as the"
            " share of near-duplicates, is marked †: `python -m generator report FOLDER` looks at all rows"
        )
    mark = f"{_mark(place)} " if several else ""
    parts = [f'<header><h1>{mark}{safe(report.name)}</h1><p class="quiet">{_text(read)}.</p>']
    if report.documents:
        parts.append(f'<p class="quiet">{report.documents:,} of them are documents, which no figure is about.</p>')
    if report.unreadable:
        parts.append(f'<p class="warning">{report.unreadable:,} cannot be read:</p><ul class="rows">')
        parts += [f"<li>row {number}: {safe(reason)}</li>" for number, reason in report.unread]
        parts.append("</ul>")
    return "".join([*parts, "</header>"])


def _mark(place: int, after: str = ":") -> str:
    """Return a letter for one of several reports."""
    letter = chr(ord("A") + place) if place < 26 else str(place + 1)
    return f"{letter}{after}"


def _tiles(reports: Sequence[Report]) -> str:
    """Return the main figures."""
    tiles = []
    for name, label in shown_first(reports):
        values = [
            f"<b{' class=second' if place % 2 else ''}>{f'{_mark(place)} ' if len(reports) > 1 else ''}"
            f"{safe(in_words(name, report.figures.get(name)))}</b>"
            for place, report in enumerate(reports)
        ]
        tiles.append(f"<li>{''.join(values)}<span>{safe(label)}</span></li>")
    return f'<ul class="tiles" aria-label="Main figures">{"".join(tiles)}</ul>'


def _section(metric: Metric, reports: Sequence[Report]) -> str:
    parts = [
        f'<section id="{metric.name}" aria-labelledby="{metric.name}-title">',
        f'<h2 id="{metric.name}-title">{safe(metric.title)}</h2><p class="quiet">{_text(metric.about)}</p>',
        _table(metric, reports),
        '<div class="charts">',
    ]
    for title in dict.fromkeys(chart.title for report in reports for chart in report.metrics[metric.name].charts):
        for place, report in enumerate(reports):
            parts += [
                _figure(chart, _mark(place) if len(reports) > 1 else "", "second" if place % 2 else "only")
                for chart in report.metrics[metric.name].charts
                if chart.title == title
            ]
    parts.append("</div>")
    rows = [
        f"<li>{f'{_mark(place)} ' if len(reports) > 1 else ''}{safe(kind)}: for example row {', '.join(map(str, numbers))}</li>"
        for place, report in enumerate(reports)
        for kind, numbers in report.metrics[metric.name].examples.items()
    ]
    if rows:
        parts.append(f'<ul class="rows">{"".join(rows)}</ul>')
    return "".join([*parts, "</section>"])


def _table(metric: Metric, reports: Sequence[Report]) -> str:
    columns = "".join(
        f'<th scope="col" class="number">{_mark(place, "") if len(reports) > 1 else "value"}</th>'
        for place in range(len(reports))
    )
    lines = []
    for figure in metric.figures:
        key = f"{metric.name}.{figure.name}"
        values = "".join(
            f"<td {_of(place, several=len(reports) > 1)}>{safe(in_words(key, report.figures.get(key)))}</td>"
            for place, report in enumerate(reports)
        )
        dagger = " †" if figure.grows and any(report.sampled for report in reports) else ""
        lines.append(f'<tr><th scope="row"><code>{key}</code>{dagger}</th>{values}<td>{_text(figure.about)}</td></tr>')
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="Figures: {safe(metric.title)}"><table><thead><tr><th scope="col">figure</th>{columns}<th scope="col">what it counts</th></tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _of(place: int, *, several: bool) -> str:
    """Return the attributes of a cell; on a narrow screen there are no columns, and it tells whose value it is."""
    return f'class="number" data-of="{_mark(place)}"' if several else 'class="number"'


def _figure(chart: Chart, mark: str, style: str) -> str:
    if not chart.counts:
        return ""
    return f'<figure class="{style}"><h3>{f"{mark} {safe(chart.title)}".lstrip()}</h3>{plot(chart)}</figure>'


def _text(about: str) -> str:
    """Return a definition, with what stands between backquotes as code."""
    return _CODE.sub(r"<code>\1</code>", safe(about))
