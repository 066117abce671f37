"""`convert`: a file of conversations from one format to another."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import COUNT, PLACE, format_named
from generator.cli.screen.terminal import count, on_one_line, print_table
from generator.core.files import place

if TYPE_CHECKING:
    from generator.formats import Format
    from generator.report.files.convert import Conversion, ConversionOptions


_MOST_TOLD = 20
"""The most rows left out that are printed with their lines."""


@click.command(short_help="Turn a file of conversations into another format.")
@click.argument("paths", nargs=-1, required=True, metavar="IN OUT")
@click.option("--from", "from_name", metavar="NAME", help="How IN is encoded [told from its name or its first row].")
@click.option("--to", "to_name", required=True, metavar="NAME", help="How OUT is to be encoded.")
@click.option("--mix", is_flag=True, help="Take rows of several files: FILE:SHARE FILE:SHARE ... OUT.")
@click.option("--rows", type=COUNT, metavar="N", help="With --mix: how many records OUT is to have.")
@click.option(
    "--unrolled", "unroll", is_flag=True, help="Write a record for each assistant message to be learnt, ending there."
)
@click.option(
    "--thoughts",
    type=click.Choice(("keep", "last", "drop")),
    default="keep",
    show_default=True,
    help="Which thoughts OUT has, where its format holds any: all, those behind the last message of the user, or none.",
)
@click.option("--read-calls", is_flag=True, help="Read calls that stand in texts as calls.")
@click.option("--drop-images", is_flag=True, help="Leave images and files out; without it such rows are left out.")
@click.option("--trim", is_flag=True, help="Cut off ends that are not learnt; empty answers are not learnt.")
@click.option("--max-tokens", type=COUNT, metavar="N", help="Cut whole early turns of records that are longer.")
@click.option("--tokenizer", type=PLACE, metavar="FILE", help="A tokenizer.json to count by [four bytes a token].")
@click.option("--overwrite", is_flag=True, help="Replace OUT when it is there.")
@click.option("--quiet", is_flag=True, help="Tell only of rows that are left out.")
def convert(
    paths: tuple[str, ...],
    from_name: str | None,
    to_name: str,
    mix: bool,
    rows: int | None,
    overwrite: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Write the conversations of IN to OUT as JSON lines.

    IN is JSON Lines, one JSON list, an object with a list of rows, Parquet, or a session of Claude Code or Codex; packed or not, columns
    may hold JSON as text.

    Rows keep their order. What was repaired, what the other format does not hold and the faults that OUT still has are counted; rows that cannot
    be read or written are told with their line and left out. OUT appears when it is whole.

    With --mix, `convert --mix a.jsonl:0.7 b.jsonl:0.3 OUT --rows 1000 --to openai` takes 700 rows of a.jsonl and 300 of b.jsonl,
    evenly among each other, in any of our formats.

    Exits 0 when all rows are in OUT, 1 when some are not or a call, a result or a tool was lost, 2 when none is, IN cannot be read or OUT cannot be written; OUT is
    then as it was.
    """
    if mix != (rows is not None):
        raise click.UsageError("--mix and --rows go together.")
    from generator.report.files.convert import ConversionOptions, convert_file
    from generator.report.files.format_of import format_of

    options, to = ConversionOptions(**how), format_named("--to", to_name)
    if rows is not None:
        return _mix(paths, from_name, to, rows, options, overwrite=overwrite, quiet=quiet)
    if len(paths) != 2:
        raise click.UsageError("IN and OUT are expected.")
    source, target = map(place, paths)
    fmt, left_out = format_named("--from", from_name or format_of(source)), _LeftOutReporter()
    try:
        tally = convert_file(source, target, fmt, to, left_out.report, overwrite=overwrite, how=options)
    finally:
        left_out.finish()
    if not quiet:
        _sum_up(target, tally)
    return 0 if tally.is_whole else 1


class _LeftOutReporter:
    """Tells which rows are left out, the first of them."""

    def __init__(self) -> None:
        self._left_out: Counter[Path] = Counter()

    def report(self, source: Path, line: int, reason: str) -> None:
        """Print one row, unless enough were printed of its file."""
        self._left_out[source] += 1
        if self._left_out[source] <= _MOST_TOLD:
            click.echo(on_one_line(f"{source}:{line}: {reason}"), err=True)

    def finish(self) -> None:
        """Tell how many more there were."""
        for source, number in self._left_out.items():
            if number > _MOST_TOLD:
                click.echo(on_one_line(f"{source}: and {number - _MOST_TOLD:,} more rows that are left out"), err=True)


def _mix(
    paths: tuple[str, ...],
    from_name: str | None,
    to: "Format",
    rows: int,
    how: "ConversionOptions",
    *,
    overwrite: bool,
    quiet: bool,
) -> int:
    """Write shares of several files, `FILE:SHARE FILE:SHARE ... OUT`."""
    from generator.report.files.convert import MixedFile, mix_files

    *sources, target = paths
    if from_name is not None:
        format_named("--from", from_name)
    parts = [MixedFile(path, share, from_name) for path, share in map(_share, sources)]
    if len(parts) < 2:
        raise click.UsageError("--mix: FILE:SHARE FILE:SHARE ... OUT is expected.")
    left_out = _LeftOutReporter()
    tallies = mix_files(parts, Path(target), to, rows, left_out.report, overwrite=overwrite, how=how)
    left_out.finish()
    if not quiet:
        for part, tally in zip(parts, tallies, strict=True):
            taken = f"{tally.written:,} of {count(tally.read, 'row', 'rows')} that were read"
            click.echo(on_one_line(f"{part.path}: {taken}"))
        click.echo(on_one_line(f"{target}: {count(rows, 'record', 'records')}"))
    return 0


def _share(text: str) -> tuple[Path, float]:
    """Return the path and the share of `rows.jsonl:0.7`."""
    from math import isfinite

    path, _, share = text.rpartition(":")
    try:
        number = float(share)
    except ValueError:
        number = 0.0
    if not path or not isfinite(number) or number <= 0:
        raise click.UsageError(f"--mix {text}: a file and its share are expected, such as rows.jsonl:0.7.")
    return Path(path), number


def _sum_up(target: Path, tally: "Conversion") -> None:
    """Print what became of the rows."""
    from generator.cli.validate import by_rule
    from generator.report.files.repairs import REPAIRS

    print_table("rows left out", [(reason, f"{n:,}", "") for reason, n in tally.left_out.most_common()])
    print_table("repaired", [(name, f"{n:,}", REPAIRS[name]) for name, n in (+tally.repaired).most_common()])
    print_table("rows that lost something", [(what, f"{n:,}", "") for what, n in tally.lost.most_common()])
    print_table("to be known", [(what, f"{n:,} rows", "") for what, n in (+tally.told).items()])
    print_table("faults in what is written", [(code, f"{n:,}", text) for code, n, text in by_rule(tally.faults)])
    if tally.new_ids:
        click.echo(f"{count(tally.new_ids, 'row', 'rows')} got new ids for the calls")
    click.echo(on_one_line(f"{target}: {tally.written:,} of {count(tally.read, 'row', 'rows')}"))
