"""`validate`: any file of conversations against the rules."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.options import PLACE, format_named

if TYPE_CHECKING:
    from generator.formats.files.validate import FileTally, LineFault

MOST_TOLD = 20
"""Faults of one rule that are printed for one file."""
MOST_AS_JSON = 100_000
"""With --json."""


@click.command(short_help="Check files of conversations.")
@click.argument("files", type=PLACE, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format", "format_name", default="deepfabric", show_default=True, metavar="NAME", help="How FILE is encoded."
)
@click.option(
    "--profile", "profile_name", metavar="NAME", help="Hold tools, arguments and results against its limits too."
)
@click.option("--unrolled", is_flag=True, help="A record may end with calls that are to be learnt.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line for each fault, then one with the summary."
)
def validate(files: tuple[Path, ...], format_name: str, profile_name: str | None, unrolled: bool, as_json: bool) -> int:
    """Check files of conversations: the faults of every record, then a summary by rule.

    A FILE is JSON Lines, one JSON list, an object with a list of rows, Parquet, or a session of Claude Code or Codex; packed or not, columns
    may hold JSON as text.

    Of each rule, a file's first 20 faults are printed, with --json the first 100,000; blank lines in a row are one.

    Exits 0 when all is well, 1 when a rule is broken, 2 when a file cannot be read.
    """
    from generator.cli.screen.terminal import printable
    from generator.cli.tools import profile_of
    from generator.core.errors import GeneratorError
    from generator.formats.files.validate import FileTally, violations_in_file

    format_named("--format", format_name)
    profile = profile_of(profile_name)
    total, unreadable = FileTally(), 0
    for file in files:
        tally = FileTally()
        faults = violations_in_file(file, format_name, tally, profile, unrolled=unrolled)
        try:
            _tell_all(file, format_name, faults, tally, as_json=as_json)
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            unreadable += 1
        if not as_json:
            _tell_of_more(file, tally)
        _add(total, tally)
    (_sum_up_as_json if as_json else _sum_up)(total, len(files), unreadable)
    return 2 if unreadable else 1 if total.faulty else 0


def _tell_all(
    file: Path, format_name: str, faults: "Iterable[LineFault]", tally: "FileTally", *, as_json: bool
) -> None:
    """Print the faults of a file; those of one that plainly is in another format after a hint at what else to try."""
    from generator.cli.screen.terminal import printable
    from generator.report.files.format_of import looks_like

    other: str | None = None
    waiting: list[LineFault] = []
    try:
        for number, fault in enumerate(faults):
            other = looks_like(file, format_name) if number == 0 else other
            if as_json:
                if tally.rules[fault.violation.rule] <= MOST_AS_JSON:
                    _tell_as_json(file, fault)
            elif tally.rules[fault.violation.rule] <= MOST_TOLD:
                if other:  # whether most lines have faults is known at the end
                    waiting.append(fault)
                else:
                    _tell(file, fault)
    finally:
        if other and tally.faulty * 2 > tally.rows:
            click.echo(printable(f"{file}: this looks like {other}: validate --format {other}"), err=True)
        for fault in waiting:
            _tell(file, fault)


def _add(total: "FileTally", part: "FileTally") -> None:
    total.rows += part.rows
    total.faulty += part.faulty
    total.rules.update(part.rules)
    total.mended.update(part.mended)
    total.told.update(part.told)


def _tell(file: Path, fault: "LineFault") -> None:
    from generator.cli.screen.terminal import on_one_line

    found = fault.violation
    sys.stdout.write(on_one_line(f"{file}:{fault.line}: {found.path}: {found.rule} {found.message}") + "\n")


def _tell_of_more(file: Path, tally: "FileTally") -> None:
    """How many faults of each rule were not printed."""
    from generator.cli.screen.terminal import on_one_line

    for code, number in tally.rules.items():
        if number > MOST_TOLD:
            click.echo(on_one_line(f"{file}: … and {number - MOST_TOLD:,} more of {code}"))


def _tell_as_json(file: Path, fault: "LineFault") -> None:
    found = fault.violation
    _write_json(
        {"file": str(file), "line": fault.line, "path": found.path, "rule": found.rule, "message": found.message}
    )


def _write_json(value: object) -> None:
    import json

    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")


def _sum_up(total: "FileTally", files: int, unreadable: int) -> None:
    from generator.cli.screen.terminal import count, print_table
    from generator.formats.files.records import UNFOLDED

    print_table("undone to read them", [(name, f"{n:,}", UNFOLDED[name]) for name, n in (+total.mended).items()])
    print_table("to be known", [(what, f"{n:,} rows", "") for what, n in total.told.items()])
    print_table("faults by rule", [(code, f"{n:,}", text) for code, n, text in _by_rule(total.rules)])
    lines = f"{count(total.rows, 'line', 'lines')} in {count(files, 'file', 'files')}"
    if total.faulty:
        found = f"{count(total.rules.total(), 'fault', 'faults')} in {count(total.faulty, 'line', 'lines')}"
    else:
        found = "nothing wrong in what was read" if unreadable else "no faults"
    if unreadable:
        whose = "its" if unreadable == 1 else "their"
        found += f"; {count(unreadable, 'file', 'files')} could not be read to {whose} end"
    click.echo(f"{lines}: {found}")


def _sum_up_as_json(total: "FileTally", files: int, unreadable: int) -> None:
    summary = {
        "files": files,
        "unreadable_files": unreadable,
        "lines": total.rows,
        "faulty_lines": total.faulty,
        "undone": dict(+total.mended),
        "told": dict(total.told),
        "faults": dict(sorted(total.rules.items())),
    }
    _write_json({"summary": summary})


def _by_rule(rules: Counter[str]) -> list[tuple[str, int, str]]:
    from generator.cli.rules import rule_statements

    statements = rule_statements()
    return [(code, n, statements.get(code, "")) for code, n in rules.most_common()]
