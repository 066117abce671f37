"""The figures of reports as tables on a terminal, side by side."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from generator.cli.screen.console import Page
from generator.cli.screen.terminal import on_one_line
from generator.report import Report
from generator.report.page import Section, headline, sections_of

_LONGEST_NAME = 28
_LONGEST_LABEL = 60
_WIDE = 110
"""Width where the output is no terminal."""


def print_reports(reports: Sequence[Report]) -> None:
    """Print a table for each section of the page."""
    console = Page()
    if not console.is_terminal:
        console = Page(_WIDE)
    for report in reports:
        console.print(Text(on_one_line(headline(report)), "bold"), soft_wrap=True)
    for section in sections_of(reports):
        console.print()
        console.print(_table(section))
        for line in _beside(section):
            console.print(Text(f"  {line}", "dim"))


def _table(section: Section) -> Table:
    table = Table(title=section.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(section.columns):
        is_text = name == "what it counts"
        style = "dim" if is_text else "cyan" if place % 2 else ""
        table.add_column(
            Text(_cut(name, _LONGEST_NAME)),
            justify="right" if place and not is_text else "left",
            no_wrap=not is_text and len(section.columns) < 4,
            style=style,
        )
    for line in section.lines:
        table.add_row(*[Text(on_one_line(cell.replace("`", ""))) for cell in line])
    return table


def _cut(text: str, most: int) -> str:
    """Return the end of a name that is too long."""
    told = on_one_line(text)
    return told if len(told) <= most else f"…{told[-most + 1 :]}"


def _beside(section: Section) -> Iterator[str]:
    """Yield the counts of its charts, and rows to look at."""
    for title, counts in section.charts:
        told = " · ".join([f"{on_one_line(label[:_LONGEST_LABEL])}: {value:,}" for label, value in counts])
        yield f"{on_one_line(title)}: {told}"
    for kind, entries in section.examples:
        yield f"{on_one_line(kind)}, for example row {', '.join([number for _, number in entries])}"
