"""`report`: measure what rows look like; `score`: compare what a model said with the answers that are right."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.options import FILE, PLACE, format_named
from generator.cli.screen.terminal import count, on_one_line
from generator.core.errors import FormatError

if TYPE_CHECKING:
    from generator.report import Report
    from generator.report.files.score import Score, Scores

_as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")


@click.command(short_help="Measure what finished rows look like.")
@click.argument("paths", type=PLACE, nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "format_name", metavar="NAME", help="How the files are encoded [told from their names or rows]."
)
@_as_json
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
        _print_json({"reports": reports})
    else:
        from generator.cli.screen.page import print_reports

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
    with suppress(ValueError):
        if isfinite(value := float(number)):
            return name, value
    raise click.UsageError(f"{option} {text}: a figure and a number are expected, such as near_duplicates.plain=1.")


def _print_json(found: "Score | dict[str, list[Report]]") -> None:
    """Print what was found as one JSON object."""
    import json

    import msgspec

    click.echo(json.dumps(msgspec.to_builtins(found), indent=2))


def _judge(reports: "list[Report]", limits: list[tuple[str, float, bool]]) -> int:
    """Tell which limits are passed, and which files hold nothing."""
    from generator.report.page import figure_text

    faults = []
    for found in reports:
        if not found.measured:
            first = f" (row {found.unread[0][0]}: {found.unread[0][1]})" if found.unread else ""
            faults.append(f"{found.name}: no row that can be read{first}")
        for name, limit, under in limits:
            value = found.figures[name]
            said = figure_text(name, value) if value is not None else "nothing to measure"
            if value is None or (value < limit if under else value > limit):
                wanted = f"{'at least' if under else 'at most'} {limit:g} is wanted"
                faults.append(f"{found.name}: {name} is {said}, {wanted}")
    for fault in faults:
        click.echo(on_one_line(fault), err=True)
    return 1 if faults else 0


_FIGURES = ("exact", "arguments", "names", "readable")


@click.command(short_help="Compare what a model said with an evaluation file.")
@click.argument("rows", type=FILE, metavar="ROWS")
@click.argument("answers", type=FILE, metavar="ANSWERS")
@click.option("--format", "text_format", metavar="NAME", help="The text format in which calls are written [any].")
@_as_json
@click.option(
    "--fail-under", type=click.FloatRange(0, 100), metavar="N", help="Exit 1 when less than N % are exactly right."
)
def score(rows: Path, answers: Path, text_format: str | None, as_json: bool, fail_under: float | None) -> int:
    """Compare ANSWERS, what a model said, with ROWS, a file of the format `eval`.

    ANSWERS has a JSON value a line for each row: a text in the words of a chat template, a message or response as OpenAI's
    API gives it, or {"id": ..., "completion": ...} with one of those, in any order.

    An item is exactly right when all calls are made, no others, each with the right arguments and values; what may
    differ is said in docs/formats.md. Exits 0, or 1 with --fail-under, or 2 when a file cannot be read.
    """
    from generator.core.documents import nearest
    from generator.episodes.rewards import TEXT_FORMATS
    from generator.report.files.score import score_files

    if text_format is not None and text_format not in TEXT_FORMATS:
        raise FormatError(f"--format {text_format}: unknown text format{nearest(text_format, TEXT_FORMATS)}")
    found = score_files(rows, answers, text_format)
    if not found.overall.items:
        raise FormatError(f"{rows}: holds no rows")
    (_print_json if as_json else _print_tables)(found)
    exact = 100 * found.overall.exact / found.overall.items
    if fail_under is not None and exact < fail_under:
        click.echo(f"{exact:.1f} % are exactly right, at least {fail_under:g} % are wanted", err=True)
        return 1
    return 0


def _print_tables(found: "Score") -> None:
    """Print the shares of right answers: of all, by scenario, by tool."""
    wide = max(map(len, ("should not call", *found.scenarios, *found.tools)))
    click.echo(f"{'':{wide}}  {'items':>6}  " + "  ".join(f"{name:>9}" for name in (*_FIGURES, "reward")))
    parts = [("all", found.overall), ("should call", found.calls), ("should not call", found.no_calls)]
    for title, group in (
        ("", parts),
        ("by scenario", sorted(found.scenarios.items())),
        ("by tool", sorted(found.tools.items())),
    ):
        if title and group:
            click.echo(f"{title}:")
        for name, scores in group:
            if scores.items:
                click.echo(f"{name:{wide}}  {scores.items:>6,}  {_line(scores)}")
    click.echo(f"{count(found.overall.exact, 'item', 'items')} of {found.overall.items:,} exactly right")


def _line(scores: "Scores") -> str:
    shares = [f"{100 * getattr(scores, name) / scores.items:>7.1f} %" for name in _FIGURES]
    return "  ".join([*shares, f"{scores.reward / scores.items:>9.3f}"])
