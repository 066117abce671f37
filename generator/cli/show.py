"""`show`: one conversation as a person likes to read it."""

from pathlib import Path

import click

from generator.cli.place import PLACE


@click.command(short_help="Print one conversation of a file.")
@click.argument("file", type=PLACE)
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which row; the first is 0.")
def show(file: Path, index: int) -> None:
    """Print one conversation of FILE: who says what, calls, results, and where each value comes from.

    Reads JSONL in any format that `run` writes. Origins are those of the proofs.jsonl beside it, when it is there.
    """
    from generator.cli.screen.page import print_document, print_row
    from generator.data.lookup import find_row
    from generator.data.show import show_row
    from generator.errors import FormatError

    found = find_row(file, index)
    title = f"Row {found.index} · {file}:{found.line} · {found.format}"
    if found.document is not None:
        print_document(title, found.document, found.proof.tags if found.proof else ())
        return
    try:
        print_row(title, show_row(found.conversation, found.proof))
    except RecursionError:
        raise FormatError(f"{file}:{found.line}: nested too deep to be shown") from None
