"""`run`: make the data set that a recipe describes."""

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from generator.recipe import Recipe


@click.command(short_help="Make the data set that a recipe describes.")
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--rows", type=int, metavar="N", help="Make N rows instead of what the recipe says.")
@click.option("--seed", type=int, metavar="S", help="Use this seed instead of the recipe's.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder to write to [outputs/<recipe name>]."
)
@click.option("--format", "formats", multiple=True, metavar="NAME", help="Write this format (again for several).")
@click.option("--dry-run", is_flag=True, help="Show the plan of the run and three rows; write nothing.")
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def run(
    recipe: Path,
    rows: int | None,
    seed: int | None,
    out: Path | None,
    formats: tuple[str, ...],
    dry_run: bool,
    quiet: bool,
) -> int:
    """Make the data set that RECIPE describes.

    Files go to outputs/<recipe name>/ below the working directory: one for each format, proofs.jsonl (where each
    value comes from) and rejected.jsonl (what was thrown away, and why).
    """
    plan = _read(recipe, rows, seed, formats)
    folder = out or Path("outputs") / plan.name
    signal.signal(signal.SIGTERM, _stop)
    if dry_run:
        from generator.cli.dry_run import print_plan

        print_plan(plan, folder)
        return 0
    from generator.cli.progress import follow
    from generator.cli.summary import print_summary
    from generator.run.run import run as run_recipe

    with follow(quiet) as listener:
        finished = run_recipe(plan, folder, listener)
    if not quiet:
        print_summary(finished)
    return 0 if all(finished.rows_in(name) for name in plan.formats) else 1


def _read(path: Path, rows: int | None, seed: int | None, formats: tuple[str, ...]) -> "Recipe":
    from generator.formats import FORMATS
    from generator.recipe import change_recipe, load_recipe
    from generator.scenarios import SCENARIOS

    recipe = load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)
    return change_recipe(recipe, rows=rows, seed=seed, formats=formats, known_formats=FORMATS)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    """A polite end: what was begun is removed on the way out."""
    sys.exit(128 + signal.SIGTERM)
