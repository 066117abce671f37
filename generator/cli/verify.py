"""`verify`: the files of a finished run against its manifest."""

from pathlib import Path

import click


@click.command(short_help="Check the files of a finished run.")
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="DIR...")
def verify(folders: tuple[Path, ...]) -> int:
    """Check that the files in DIR are those that manifest.json tells of: bytes, digests and rows.

    Exits 0 when all are, 1 when one is not, 2 when there is no manifest.
    """
    from generator.cli.terminal import count, printable
    from generator.data.verify import verify_folder
    from generator.errors import GeneratorError

    code = 0
    for folder in folders:
        try:
            checks = verify_folder(folder)
            for check in checks:
                found = f"NOT AS IT WAS MADE: {check.fault}" if check.fault else count(check.rows, "line", "lines")
                click.echo(printable(f"{folder / check.name}: {found}"))
                code = max(code, int(bool(check.fault)))
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            code = 2
    return code
