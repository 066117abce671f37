"""`run` on a recipe with `kind: corpus`."""

import sys
from pathlib import Path

import click


def make_corpus(
    path: Path,
    *,
    cases: int | None,
    seed: int | None,
    out: str | None,
    formats: tuple[str, ...],
    overwrite: bool,
    dry_run: bool,
    quiet: bool,
) -> int:
    """Make the corpus that a recipe describes, and say how many cases there are."""
    from generator.cli.screen.terminal import count, print_table
    from generator.core.errors import OutputError
    from generator.corpus.clients import CLIENT_FORMATS
    from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
    from generator.corpus.rows import row_formats
    from generator.corpus.run import make_corpus as make
    from generator.formats.wire.format import wire_formats
    from generator.recipe.corpus import change_corpus, load_corpus

    rows = row_formats()
    recipe = load_corpus(
        path, wire=wire_formats(), rows=rows, mutations=(*MUTATIONS, AMBIGUOUS), clients=CLIENT_FORMATS
    )
    recipe = change_corpus(
        recipe, cases=cases, seed=seed, formats=formats, known=(*wire_formats(), *rows, *CLIENT_FORMATS)
    )
    if out and "://" in out:
        raise OutputError("--out: a corpus is written to a folder of this machine")
    folder = Path(out) if out else Path("outputs") / recipe.name
    if dry_run:
        click.echo(
            f"{recipe.cases:,} cases with seed {recipe.seed} of each of {len(recipe.formats)} formats, to {folder}/"
        )
        click.echo(f"formats: {', '.join(recipe.formats)}")
        return 0
    tell = _progress if not quiet and sys.stderr.isatty() else lambda name, made: None
    finished = make(recipe, folder, overwrite=overwrite, tell=tell)
    if quiet:
        return 0
    if finished.again:
        click.echo(f"{folder}/ is whole already.")
        return 0
    lines = [
        (name, f"{sum(by.values()):,}", ", ".join(f"{number:,} {verdict}" for verdict, number in by.items()))
        for name, by in finished.counts.items()
    ]
    print_table("cases by format and verdict", lines)
    total = sum(sum(by.values()) for by in finished.counts.values())
    click.echo(f"{count(total, 'case', 'cases')} in {count(len(lines), 'format', 'formats')}: {folder}/")
    return 0


def _progress(name: str, made: int) -> None:
    click.echo(f"{name}: {made:,} cases", err=True)
