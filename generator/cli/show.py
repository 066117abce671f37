"""`show`: one conversation as a person likes to read it."""

from pathlib import Path

import click

from generator.cli.place import PLACE


@click.command(short_help="Print conversations of a file or a run.")
@click.argument("path", type=PLACE)
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which record; the first is 0.")
@click.option("--row", type=click.IntRange(min=0), help="The row of the run with this index.")
@click.option("--scenario", help="Only rows of this scenario.")
@click.option("--tag", help="Only rows with this tag.")
@click.option(
    "--words", is_flag=True, help="Say of all words why they stand there: the phrase of which tool, or which act."
)
@click.option("--random", "sample", type=click.IntRange(min=1), help="So many by chance, instead of one by its index.")
def show(
    path: Path, index: int, row: int | None, scenario: str | None, tag: str | None, sample: int | None, words: bool
) -> None:
    """Print a conversation of PATH: who says what, calls, results, and where each value comes from.

    PATH is a file in any format that `run` writes (as for `validate`), or the folder of a run. Origins are those of the proofs.jsonl beside
    it, when it is there; it also tells which records --row, --scenario and --tag choose. --index counts among these.
    """
    from generator.cli.screen.page import print_document, print_row
    from generator.core.errors import FormatError
    from generator.report.files.show import Wanted, derived_words, find_rows, show_row

    found, _ = find_rows(path, Wanted(row=row, scenario=scenario, tag=tag), index, sample)
    for number, record in enumerate(found):
        if number:
            click.echo()
        proof = record.proof if record.document is None else record.told
        of_run = f"Row {proof.index} · " if proof else ""
        where = f"{record.piece.path}:{record.line}"
        title = f"{of_run}{where} · {record.format}"
        if record.document is not None:
            print_document(title, record.document, proof.tags if proof else ())
        elif record.seen is not None:
            conversation = record.seen.conversation
            try:
                derived = derived_words(conversation, proof) if words and proof else {}
                print_row(title, show_row(conversation, proof), derived)
            except RecursionError:
                raise FormatError(f"{where}: nested too deep to be shown") from None
