"""`score`: compare what a model said with the answers that are right."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from generator.report.files.score import Score, Scores

_FIGURES = ("exact", "arguments", "names", "readable")


@click.command(short_help="Compare what a model said with an evaluation file.")
@click.argument("rows", type=click.Path(path_type=Path), metavar="ROWS")
@click.argument("answers", type=click.Path(path_type=Path), metavar="ANSWERS")
@click.option("--format", "text_format", metavar="NAME", help="The text format in which calls are written [any].")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
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
    from generator.core.errors import FormatError
    from generator.episodes.rewards.reading import TEXT_FORMATS
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


def _print_json(found: "Score") -> None:
    import json

    import msgspec

    click.echo(json.dumps(msgspec.to_builtins(found), indent=2))


def _print_tables(found: "Score") -> None:
    from generator.cli.screen.terminal import count

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
