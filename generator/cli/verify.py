"""`verify`: the files of a finished run against its manifest."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.place import PLACE, RECIPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generator.report.files.verify import FileCheck


@click.command(short_help="Check the files of a finished run.")
@click.argument("folders", type=PLACE, nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--recipe",
    type=RECIPE,
    metavar="FILE",
    help="Also make every row again by this recipe, and compare its calls and the state they leave with the proofs.",
)
def verify(folders: tuple[Path, ...], recipe: Path | None) -> int:
    """Check that the files in DIR are those that manifest.json tells of: bytes, digests and rows.

    Exits 0 when all are, 1 when one is not, 2 when there is no manifest.
    """
    from generator.cli.screen.terminal import count, printable
    from generator.core.errors import GeneratorError
    from generator.report.files.verify import verify_folder

    code = 0
    for folder in folders:
        try:
            for check in verify_folder(folder):
                found = f"NOT AS IT WAS MADE: {check.fault}" if check.fault else count(check.rows, "line", "lines")
                click.echo(printable(f"{folder / check.name}: {found}"))
                code = max(code, int(bool(check.fault)))
            for check in _recheck(recipe, folder) if recipe is not None else ():
                found = check.fault or f"{count(check.rows, 'row', 'rows')} made again, with the same calls and state"
                click.echo(printable(f"{folder / check.name}: {found}"))
                code = max(code, int(bool(check.fault)))
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            code = 2
    return code


def _recheck(path: Path, folder: Path) -> "Iterator[FileCheck]":
    from generator.formats import FORMATS, format_options
    from generator.recipe import load_recipe
    from generator.run.recheck import recheck_states
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    recipe = load_recipe(path, scenarios=known, formats=FORMATS, format_options=format_options())
    yield from recheck_states(recipe, folder)
