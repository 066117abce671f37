"""The figures of reports as tables on a terminal, side by side."""

from collections.abc import Iterator

from rich import box
from rich.table import Table
from rich.text import Text

from generator.cli.screen.console import Page
from generator.cli.screen.terminal import count, on_one_line
from generator.report import METRICS, Report
from generator.report.metrics.base import Chart
from generator.report.wording import in_words

_LONGEST_NAME = 28
_MOST_BARS = 5
_MOST_COLUMNS = 20
_WIDE = 110
"""Width where the output is no terminal."""


def print_reports(reports: list[Report]) -> None:
    """Print one table for each metric."""
    console = Page()
    if not console.is_terminal:
        console = Page(_WIDE)
    for report in reports:
        console.print(Text(_headline(report), "bold"), soft_wrap=True)
        for number, reason in report.unread:
            console.print(Text(f"  row {number} cannot be read: {on_one_line(reason)}", "red"), soft_wrap=True)
    for name in METRICS:
        console.print()
        console.print(_table(name, reports))
        for line in _beside(name, reports):
            console.print(line)


def _headline(report: Report) -> str:
    text = f"{on_one_line(report.name)}: {count(report.rows, 'row', 'rows')}"
    if report.sampled:
        text += f", {report.measured:,} of them looked at"
    if report.documents:
        text += f", {count(report.documents, 'document', 'documents')} which no figure is about"
    if report.unreadable:
        text += f", {report.unreadable:,} cannot be read"
    return text


def _table(name: str, reports: list[Report]) -> Table:
    metric = METRICS[name]
    table = Table(title=metric.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("figure", no_wrap=True)
    for place, report in enumerate(reports):
        heading = _short(report.name) if len(reports) > 1 else "value"
        table.add_column(
            Text(heading), justify="right", no_wrap=len(reports) == 1, style="cyan" if place % 2 == 0 else ""
        )
    table.add_column("what it counts", overflow="fold")
    for figure in metric.figures:
        key = f"{name}.{figure.name}"
        values = [Text(in_words(key, report.figures.get(key))) for report in reports]
        table.add_row(Text(key), *values, Text(figure.about, "dim"))
    return table


def _short(path: str) -> str:
    name = on_one_line(path)
    return name if len(name) <= _LONGEST_NAME else f"…{name[-_LONGEST_NAME + 1 :]}"


def _beside(name: str, reports: list[Report]) -> Iterator[Text]:
    """Yield its distributions, the longest bars of its other charts, and rows to look at."""
    for report in reports:
        found = report.metrics[name]
        whose = f"{_short(report.name)}: " if len(reports) > 1 else ""
        for chart in found.charts:
            if chart.counts:
                yield Text(f"  {whose}{chart.title}: {_bars(chart)}", "dim")
        for kind, rows in found.examples.items():
            yield Text(f"  {whose}{on_one_line(kind)}, for example row {', '.join(map(str, rows))}", "dim")


def _bars(chart: Chart) -> str:
    most, join = (_MOST_COLUMNS, ": ") if chart.kind == "columns" else (_MOST_BARS, " ")
    told = [f"{on_one_line(label)}{join}{value:,}" for label, value in chart.counts[:most]]
    return " · ".join([*told, *(["…"] if len(chart.counts) > most else [])])
