"""`report`: measure what finished rows look like."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.place import PLACE, format_named

if TYPE_CHECKING:
    from generator.report import Report

_BAD_LIMIT = "a figure and a number are expected, such as near_duplicates.plain=1"


@click.command(short_help="Measure what finished rows look like.")
@click.argument("paths", type=PLACE, nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "format_name", metavar="NAME", help="How the files are encoded [told from their names or rows]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@click.option(
    "--fail-under", multiple=True, metavar="FIGURE=N", help="Exit 1 when a figure is less (again for several)."
)
@click.option(
    "--fail-over", multiple=True, metavar="FIGURE=N", help="Exit 1 when a figure is more (again for several)."
)
def report(
    paths: tuple[Path, ...],
    format_name: str | None,
    as_json: bool,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
) -> int:
    """Measure the rows of each PATH, and show several side by side.

    A PATH is the folder of a run, or a file in one of our formats (as for `validate`).
    docs/report.md says what every figure means. Where proofs.jsonl stands beside a file it is used. `browse` writes a page
    of the rows with the same figures.

    Exits 0 when all is well, 1 when a limit is passed or a file has no row that can be read, 2 when the input is bad.
    """
    from generator.report import files_to_measure, measure_files

    if format_name is not None:
        format_named("--format", format_name)
    limits = [(*_limit("--fail-under", text), True) for text in fail_under]
    limits += [(*_limit("--fail-over", text), False) for text in fail_over]
    reports = [measure_files(str(path), files_to_measure(path, format_name)) for path in paths]
    if as_json:
        _print_json(reports)
    else:
        from generator.cli.screen.report_table import print_reports

        print_reports(reports)
    return _judge(reports, limits)


def _limit(option: str, text: str) -> tuple[str, float]:
    """(figure, number) of `near_duplicates.plain=1`."""
    from math import isfinite

    from generator.core.documents import nearest
    from generator.report import FIGURES

    name, _, number = text.partition("=")
    if name not in FIGURES:
        raise click.UsageError(f"{option} {text}: unknown figure {name!r}{nearest(name, FIGURES)}")
    try:
        value = float(number)
    except ValueError:
        raise click.UsageError(f"{option} {text}: {_BAD_LIMIT}.") from None
    if not isfinite(value):
        raise click.UsageError(f"{option} {text}: {_BAD_LIMIT}.")
    return name, value


def _print_json(reports: "list[Report]") -> None:
    import json

    import msgspec

    click.echo(json.dumps({"reports": msgspec.to_builtins(reports)}, indent=2))


def _judge(reports: "list[Report]", limits: list[tuple[str, float, bool]]) -> int:
    """Tell which limits are passed, and which files hold nothing."""
    from generator.cli.screen.terminal import on_one_line
    from generator.report.page import in_words

    faults = []
    for found in reports:
        if not found.measured:
            first = f" (row {found.unread[0][0]}: {found.unread[0][1]})" if found.unread else ""
            faults.append(f"{found.name}: no row that can be read{first}")
        for name, limit, under in limits:
            value = found.figures[name]
            said = in_words(name, value) if value is not None else "nothing to measure"
            if value is None or (value < limit if under else value > limit):
                faults.append(
                    f"{found.name}: {name} is {said}, {'at least' if under else 'at most'} {limit:g} is wanted"
                )
    for fault in faults:
        click.echo(on_one_line(fault), err=True)
    return 1 if faults else 0
