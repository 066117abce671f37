"""`tools`: look at tools, wherever they come from, and at the states of a Python module with `TOOLS` and of calls of its tools."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import FILE
from generator.cli.screen.terminal import count, on_one_line, print_table, printable
from generator.core.errors import GeneratorError, SchemaError, SpecError
from generator.core.files import here_or_shipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.core.conversation import Tool
    from generator.core.profiles import Profile
    from generator.recipe import OnIllegal, ToolFile
    from generator.tools.specs.models import ToolVerdict
    from generator.world.backends.states import Reached

_LONGEST_REASON = 160


kind_option = click.option(
    "--from", "kind", metavar="KIND", help="What it is, instead of finding it out from its content."
)
on_illegal_option = click.option(
    "--on-illegal",
    type=click.Choice(["reject", "repair", "keep"]),
    default="reject",
    show_default=True,
    help="What to do with a schema that is no legal JSON Schema.",
)


@click.group(short_help="Read tools from other formats.")
def tools() -> None:
    """Look at tools, wherever they come from."""


@tools.command(short_help="Read tools, say which can be used, and save them as a spec file.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@kind_option
@click.option("--profile", "profile_name", metavar="NAME", help="Hold tools against the limits of a target.")
@click.option("--rewrite", is_flag=True, help="Rewrite schemas until they fit the profile; what is changed is counted.")
@on_illegal_option
@click.option("--write", "target", type=FILE, metavar="FILE", help="Save what was read.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each tool.")
@click.option(
    "--states", is_flag=True, help="Show the states of a Python module with TOOLS, and of calls of its tools."
)
def read(
    paths: tuple[str, ...],
    kind: str | None,
    profile_name: str | None,
    rewrite: bool,
    on_illegal: "OnIllegal",
    target: Path | None,
    as_json: bool,
    states: bool,
) -> int:
    """Read the tools of every PATH and print a table: tool, kind, verdict, reason.

    PATH is a file: OpenAI, Anthropic or MCP tools, an OpenAPI document, a Python module, BFCL functions, a portable
    prompt. With --from functions it may be a module's name, with --from mcp-live the command that starts a server.

    A Python module (FILE.py, or a module's name) is executed to read it, and a server is started: docs/foreign-code.md
    says what they can and cannot do.

    Exits 0 when all tools can be used, 1 when one is refused, 2 when a PATH cannot be read.
    """
    from generator.formats.sinks import write_whole
    from generator.tools.specs.write import check_ending, file_text

    if states:
        return _print_states(paths)
    profile = profile_of(profile_name)
    if rewrite and profile is None:
        raise click.UsageError("--rewrite needs --profile.")
    if target is not None:
        check_ending(target)
    verdicts, unreadable = list["ToolVerdict"](), 0
    for path in paths:
        try:
            verdicts += _read(source_of_path(path, kind, on_illegal), profile, rewrite)
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            unreadable += 1
    (_print_json if as_json else _print_table)(verdicts)
    _print_rewritten(verdicts)
    if unreadable:
        return 2
    if target is not None:
        write_whole(target, [file_text(target, verdicts).encode()])
    return 1 if any(verdict.spec is None for verdict in verdicts) else 0


def _print_rewritten(verdicts: "list[ToolVerdict]") -> None:
    """Print how often what was rewritten in all tools, of reasons such as `rewritten: anyOf of one branch, 3 times`."""
    made: Counter[str] = Counter()
    for verdict in verdicts:
        for what, times in re.findall(r"^rewritten: (.*), (\d+) times$", "\n".join(verdict.reasons), re.MULTILINE):
            made[what] += int(times)
    print_table("rewritten", [(what, f"{times:,}", "") for what, times in made.most_common()])


def _print_states(paths: tuple[str, ...]) -> int:
    """Print the states of Python modules; 1 when a call of one of their tools fails its validation."""
    failed = False
    for path in paths:
        if not path.endswith(".py"):
            raise SpecError(f"{path}: only a Python module has states")
        for line in states_of_module(path):
            click.echo(line)
            failed = failed or line.startswith("  FAILED_VALIDATION ")
    return int(failed)


def profile_of(name: str | None) -> "Profile | None":
    """The profile of that name; raises SpecError for one that is not known."""
    from generator.core.documents import nearest
    from generator.core.profiles import PROFILES

    if name is not None and name not in PROFILES:
        raise SpecError(f"--profile {name}: unknown profile{nearest(name, PROFILES)}")
    return PROFILES[name] if name else None


def source_of_path(path: str, kind: str | None, on_illegal: "OnIllegal") -> "ToolFile":
    """A source of tools that a command line names."""
    import shlex

    from generator.recipe import ToolFile
    from generator.tools.specs.readers import FUNCTIONS, LIVE

    if kind == LIVE:
        try:
            command = tuple(shlex.split(path))
        except ValueError as fault:
            raise SpecError(f"{path}: it cannot be read as a command ({fault})") from None
        if not command:
            raise SpecError(f"{path!r}: it names no program")
        return ToolFile(command=command, on_illegal=on_illegal)
    if kind == FUNCTIONS and not path.endswith(".py"):
        return ToolFile(module=path, kind=kind, on_illegal=on_illegal)
    return ToolFile(file=here_or_shipped(Path(path)), kind=kind, on_illegal=on_illegal)


def _read(source: "ToolFile", profile: "Profile | None", rewrite: bool = False) -> "list[ToolVerdict]":
    """The verdicts of a source; a tool for which no arguments can be made is refused too."""
    import msgspec

    from generator.arguments import check_schema
    from generator.tools.specs.read import read_tools

    found = []
    for verdict in read_tools(source, profile, all_at_once=True, rewrite=rewrite):
        spec = verdict.spec
        if spec is not None and verdict.verdict != "kept":
            try:
                for schema in (spec.tool.parameters, spec.returns):
                    check_schema(schema or {})
            except SchemaError as fault:
                verdict = msgspec.structs.replace(verdict, verdict="refused", reasons=(str(fault),), spec=None)
        found.append(verdict)
    return found


def _print_table(verdicts: "list[ToolVerdict]") -> None:
    """Print a line for each tool: name, kind, verdict, reasons."""
    rows = [
        (verdict.name, verdict.kind, verdict.verdict, cut_to("; ".join(verdict.reasons), _LONGEST_REASON))
        for verdict in verdicts
    ]
    print_counted(rows, [verdict.verdict for verdict in verdicts])


def cut_to(text: str, longest: int) -> str:
    """Return a text, of a longer one its beginning."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def print_counted(rows: "Sequence[tuple[str, ...]]", words: list[str]) -> None:
    """Print rows in columns, the last as long as it is, and how many tools there are of each word."""
    cells = [[on_one_line(cell) for cell in row] for row in rows]
    widths = [*[max(map(len, column)) for column in zip(*cells, strict=True)][:-1], 0]
    for row in cells:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    told = ", ".join(f"{number:,} {word}" for word, number in sorted(Counter(words).items()))
    click.echo(f"{count(len(words), 'tool', 'tools')}: {told or 'none'}")


def _print_json(verdicts: "list[ToolVerdict]") -> None:
    """Print a line of JSON for each tool."""
    for verdict in verdicts:
        told = {key: getattr(verdict, key) for key in ("kind", "verdict", "reasons", "where")}
        click.echo(json.dumps({"tool": verdict.name, **told}))


_DAY = date(2026, 1, 1)
_LONGEST = 120


def states_of_module(module: str) -> Iterator[str]:
    """Yield the lines of a module's life, then those of a call of each tool, and of one that is refused, if there is one.

    Raises:
        SpecError: for a module that cannot be imported.
    """
    from generator.world.backends.lifecycle import Handlers
    from generator.world.backends.process import Limits, ModuleProcess
    from generator.world.backends.states import check_report

    process = ModuleProcess(module, Limits())
    try:
        report = process.load()
    finally:
        process.stop()
    loaded = check_report(module, report)
    yield from _state_lines(module, loaded.reached)
    if not loaded.tools:
        return
    handlers = Handlers(module)
    try:
        for tool in loaded.tools:
            for arguments in _trial_arguments(tool):
                handlers.open(0, _DAY)
                yield from _state_lines(f"a call of {tool.name}", handlers.live(tool.name, arguments)[1])
    finally:
        handlers.stop()


def _trial_arguments(tool: "Tool") -> Iterator[dict[str, Any]]:
    """Yield arguments for a tool: some that its schema takes, and none at all where that is wrong."""
    from generator.arguments import arguments_schema, compile_value
    from generator.core.offline_schemas import validator
    from generator.core.seeds import Draw

    schema = arguments_schema(tool.parameters)
    with suppress(GeneratorError):  # a schema for which nothing can be made
        yield compile_value(schema, tool.name, 0)(Draw(0, _DAY))
    if not validator(schema).is_valid({}):
        yield {}


def _state_lines(title: str, reached: "Iterable[Reached]") -> Iterator[str]:
    """Yield a title and the states that were reached, one a line."""
    yield on_one_line(title)
    for state, event, seen in reached:
        yield on_one_line(f"  {state.value:<21}  {event:<24}  {cut_to(seen, _LONGEST)}".rstrip())
