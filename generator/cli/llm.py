"""`llm show`: what models were asked, and what they answered."""

from itertools import islice
from pathlib import Path

import click

from generator.cli.screen.terminal import printable


@click.group(short_help="Look at what models were asked.")
def llm() -> None:
    """Look at what models were asked."""


@llm.command(short_help="Print prompts and answers that a run has kept.")
@click.argument("cache", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--use", metavar="NAME", default="", help="Of this use alone: arguments, results, solve, judge.")
@click.option("--refused", is_flag=True, help="Only answers that could not be used, with the reason.")
@click.option("--count", type=click.IntRange(min=1), default=5, show_default=True, help="How many at most.")
def show(cache: Path, use: str, refused: bool, count: int) -> int:
    """Print what was asked for the run in FOLDER (or for a cache of answers, a file), and what came back."""
    from generator.core.errors import OutputError
    from generator.llm.cache import Cache
    from generator.run.authoring.in_run import CACHE

    file = cache / CACHE if cache.is_dir() else cache
    if not file.is_file():
        raise OutputError(f"{file}: there are no answers of a model")
    kept = Cache(file, "")
    try:
        found = list(islice(kept.shown(use=use, refused=refused), count))
    finally:
        kept.close()
    for place, (prompt, fault, answer) in enumerate(found):
        click.echo(f"{'' if place == 0 else chr(10)}== {prompt.use or 'a request'}, {printable(prompt.model)}")
        for role, text in prompt.messages:
            click.echo(f"[{role}]\n{_lines(text)}")
        if answer.reasoning:
            click.echo(f"[reasoning]\n{_lines(answer.reasoning)}")
        said = [answer.text] if answer.text else []
        said += [f"{call.name} {call.arguments}" for call in answer.calls]
        click.echo(f"[answer]\n{_lines(chr(10).join(said))}" if said else f"[no answer: {answer.fault}]")
        if fault:
            click.echo(f"[refused: {printable(fault)}]")
    if not found:
        click.echo("no such answers")
    return 0


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
