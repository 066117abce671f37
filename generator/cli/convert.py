"""`convert`: a file of conversations from one format to another."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from generator.data.convert import Conversion
    from generator.formats import Format


_MOST_TOLD = 20
"""Rows left out that are told with their lines."""


@click.command(short_help="Turn a file of conversations into another format.")
@click.argument("source", type=click.Path(path_type=Path), metavar="IN")
@click.argument("target", type=click.Path(path_type=Path), metavar="OUT")
@click.option("--from", "from_name", required=True, metavar="NAME", help="How IN is encoded.")
@click.option("--to", "to_name", required=True, metavar="NAME", help="How OUT is to be encoded.")
@click.option("--unrolled", is_flag=True, help="Write a record for each assistant message to be learnt, ending there.")
@click.option("--overwrite", is_flag=True, help="Replace OUT when it is there.")
@click.option("--quiet", is_flag=True, help="Tell only of rows that are left out.")
def convert(source: Path, target: Path, from_name: str, to_name: str, unrolled: bool, overwrite: bool, quiet: bool) -> int:
    """Write the conversations of IN (JSON lines or one JSON list, packed or not) to OUT as JSON lines.

    Rows keep their order. What was repaired and what the other format does not hold is counted by name; rows that cannot
    be read or written are told with their line and left out. OUT appears when it is whole.

    Exits 0 when all rows are in OUT, 1 when some are not, 2 when IN cannot be read or OUT cannot be written.
    """
    from generator.cli.terminal import on_one_line
    from generator.data.convert import convert_file

    told = 0

    def tell(line: int, reason: str) -> None:
        nonlocal told
        told += 1
        if told <= _MOST_TOLD:
            click.echo(on_one_line(f"{source}:{line}: {reason}"), err=True)

    fmt, to = _format("--from", from_name), _format("--to", to_name)
    tally = convert_file(source, target, fmt, to, tell, overwrite=overwrite, unroll=unrolled)
    if told > _MOST_TOLD:
        click.echo(on_one_line(f"{source}: and {told - _MOST_TOLD:,} more rows that are left out"), err=True)
    if not quiet:
        _sum_up(target, tally)
    return 0 if tally.written == tally.read else 1


def _format(option: str, name: str) -> "Format":
    from generator.documents import nearest
    from generator.errors import FormatError
    from generator.formats import FORMATS

    if name not in FORMATS:
        raise FormatError(f"{option} {name}: unknown format{nearest(name, FORMATS)}")
    return FORMATS[name]


def _sum_up(target: Path, tally: "Conversion") -> None:
    from generator.cli.terminal import count, on_one_line, print_table
    from generator.data.repairs import REPAIRS

    print_table("rows left out", [(reason, f"{n:,}", "") for reason, n in tally.left_out.most_common()])
    print_table("repaired", [(name, f"{n:,}", REPAIRS[name]) for name, n in tally.repaired.most_common()])
    print_table("rows that lost something", [(what, f"{n:,}", "") for what, n in tally.lost.most_common()])
    if tally.new_ids:
        click.echo(f"{count(tally.new_ids, 'row', 'rows')} got new ids for the calls")
    click.echo(on_one_line(f"{target}: {tally.written:,} of {count(tally.read, 'row', 'rows')}"))
