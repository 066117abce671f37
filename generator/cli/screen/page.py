"""Rows and reports on a terminal: roles in colour, long text wrapped, one line for each argument and its origin; figures as tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.cli.screen.terminal import on_one_line, printable
from generator.report import Report
from generator.report.files.show import ShownCall, ShownMessage, ShownRow, ShownWords
from generator.report.page import Section, cut, headline, sections_of


class Page(Console):
    """Standard output, for text from data: nothing in it is markup."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width)

    def on_broken_pipe(self) -> NoReturn:
        """Whoever reads has enough (`| head`), which is no fault of the data: `cli.main` ends well then."""
        raise BrokenPipeError


_COLOURS = {"user": "green", "assistant": "cyan", "tool": "yellow", "rejected": "red"}
"""By role; what else there is, such as the system, is magenta."""
_WIDE = 100
"""The width in columns of JSON where the output is no terminal, and of the picture."""
_LONGEST = 2_000
"""Characters of a line that are shown; data may have lines of any length."""
_NO_WORDS: Mapping[int, Sequence[ShownWords]] = {}


def print_row(title: str, row: ShownRow, words: Mapping[int, Sequence[ShownWords]] = _NO_WORDS) -> None:
    """Print one row to standard output; `words` says of messages why their words stand there."""
    console = Page()
    for line in page_lines(title, row, console.width if console.is_terminal else 0, words):
        console.print(line, soft_wrap=True)


def page_lines(
    title: str, row: ShownRow, width: int, words: Mapping[int, Sequence[ShownWords]] = _NO_WORDS
) -> Iterator[Text]:
    """Yield the lines of a row, wrapped to a width; 0: as long as they are."""
    yield Text(on_one_line(title), "bold")
    about = " · ".join([*([row.scenario] if row.scenario else []), *row.tags])
    if about:
        yield Text(on_one_line(about), "dim")
    if not row.is_document:
        yield from _wrapped(f"offers {', '.join(row.tools) or 'no tools'}", width, "", "dim")
    if not row.proven and any(message.calls for message in row.messages):
        yield Text("no proof of this row stands beside it: origins are values that stand literally in the text", "dim")
    for index, message in enumerate(row.messages):
        yield Text("")
        yield from _message(message, width)
        for piece in words.get(index, ()):
            why = " · ".join([piece.why, *piece.calls])
            yield from _wrapped(f"“{on_one_line(piece.text)}” ← {on_one_line(why)}", width, "      ", "dim")


def _message(message: ShownMessage, width: int) -> Iterator[Text]:
    """Yield the lines of a message: who says it, its thoughts, its text, its calls."""
    yield _head(message)
    for kind, thought in message.thoughts:
        if thought:
            yield from _wrapped(f"{kind}: {thought}", width, "  ", "dim")
    if message.is_json:
        for line in pretty(message.result, (width or _WIDE) - 2):
            yield from _fitting(Text(f"  {printable(cut(line, _LONGEST))}"), width)
    elif message.text:
        yield from _wrapped(message.text, width, "  ")
    for call in message.calls:
        yield from _call(call, width)


def _head(message: ShownMessage) -> Text:
    """Return the first line of a message: `ASSISTANT  calls one tool`."""
    head = Text(message.role.upper(), f"bold {_COLOURS.get(message.role, 'magenta')}")
    if message.answers:
        head.append(on_one_line(f"  answers {message.answers}"), "not bold")
    if message.calls:
        several = f"calls {len(message.calls)} tools in parallel" if len(message.calls) > 1 else "calls one tool"
        head.append(f"  {several}", "not bold")
    for note in message.notes:
        head.append(f"  {note}", "not bold red")
    return head


def _call(call: ShownCall, width: int) -> Iterator[Text]:
    """Yield the lines of a call: its name, then an argument a line with its origin."""
    yield Text(f"  {call.number} ").append(on_one_line(call.name), "bold")
    names = [on_one_line(cut(origin.pointer.removeprefix("/"), _LONGEST)) or "(all)" for origin in call.origins]
    values = [on_one_line(cut(json.dumps(origin.value, ensure_ascii=False), _LONGEST)) for origin in call.origins]
    name_width = min(max(map(len, names), default=0), 30)
    value_width = min(max(map(len, values), default=0), 40)
    for name, value, origin in zip(names, values, call.origins, strict=True):
        line = Text(f"      {name:<{name_width}}  {value:<{value_width}}  ")
        words, style = f"← {on_one_line(origin.words)}", "dim" if origin.found else "red"
        if not width or line.cell_len + cell_len(words) <= width:
            yield line.append(words, style)
        else:
            line.rstrip()
            yield from _fitting(line, width)
            yield from _wrapped(words, width, "        ", style)
    if not call.origins:
        yield Text("      without arguments", "dim")


def _fitting(line: Text, width: int) -> Iterator[Text]:
    """Yield a line, in parts below each other where the terminal is too narrow for it."""
    if not width or line.cell_len <= width:
        yield line
        return
    indent = line.plain[: len(line.plain) - len(line.plain.lstrip())][: width // 2]
    for place, part in enumerate(line[len(indent) :].wrap(_MEASURE, width - len(indent) - 2)):
        yield Text(indent + "  " * (place > 0)).append_text(part)


def _wrapped(text: str, width: int, indent: str, style: str = "") -> Iterator[Text]:
    """Yield lines of a text, each behind the indent, so that no message can look like another's beginning."""
    for whole in text.split("\n"):
        line = printable(cut(whole, _LONGEST))
        if width <= len(indent):
            yield Text(indent + line, style)
            continue
        for part in Text(line, style).wrap(_MEASURE, width - len(indent)):
            yield Text(indent, style).append_text(part)


_MEASURE = Console(width=_WIDE)


def pretty(value: Any, width: int) -> Iterator[str]:
    """Yield lines of JSON in which objects and lists that fit into the width stay on one line."""
    yield from _pretty(value, width, "", "", "")


def _pretty(value: Any, width: int, indent: str, before: str, after: str) -> Iterator[str]:
    """Yield the lines of a value; `before` and `after` stand on its first and its last line."""
    flat = f"{indent}{before}{json.dumps(value, ensure_ascii=False)}{after}"
    if len(flat) <= width or not isinstance(value, dict | list) or not value:
        yield flat
        return
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield f"{indent}{before}{opening}"
    if isinstance(value, dict):
        parts = [(f"{json.dumps(key, ensure_ascii=False)}: ", part) for key, part in value.items()]
    else:
        parts = [("", part) for part in value]
    for position, (key, part) in enumerate(parts, start=1):
        yield from _pretty(part, width, indent + "  ", key, "," if position < len(parts) else "")
    yield f"{indent}{closing}{after}"


_LONGEST_NAME = 28
_LONGEST_LABEL = 60
_WIDE_TABLE = 110
"""Width where the output is no terminal."""


def print_reports(reports: Sequence[Report]) -> None:
    """Print a table for each section of the page."""
    console = Page()
    if not console.is_terminal:
        console = Page(_WIDE_TABLE)
    for report in reports:
        console.print(Text(on_one_line(headline(report)), "bold"), soft_wrap=True)
    for section in sections_of(reports):
        console.print()
        console.print(_table(section))
        for line in _charts_and_examples(section):
            console.print(Text(f"  {line}", "dim"))


def _table(section: Section) -> Table:
    """Return the figures of a section as a table of rich."""
    table = Table(title=section.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(section.columns):
        is_text = name == "what it counts"
        style = "dim" if is_text else "cyan" if place % 2 else ""
        table.add_column(
            Text(_end_of(name, _LONGEST_NAME)),
            justify="right" if place and not is_text else "left",
            no_wrap=not is_text and len(section.columns) < 4,
            style=style,
        )
    for line in section.lines:
        table.add_row(*[Text(on_one_line(cell.replace("`", ""))) for cell in line])
    return table


def _end_of(text: str, most: int) -> str:
    """Return the end of a name that is too long."""
    told = on_one_line(text)
    return told if len(told) <= most else f"…{told[-most + 1 :]}"


def _charts_and_examples(section: Section) -> Iterator[str]:
    """Yield the counts of its charts, and rows to look at."""
    for title, counts in section.charts:
        told = " · ".join([f"{on_one_line(label[:_LONGEST_LABEL])}: {value:,}" for label, value in counts])
        yield f"{on_one_line(title)}: {told}"
    for kind, entries in section.examples:
        yield f"{on_one_line(kind)}, for example row {', '.join([number for _, number in entries])}"
