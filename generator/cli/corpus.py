"""`corpus`: run a parser over a corpus, hand its texts to fuzzers, make an edition of the grid; and `run` on a recipe with `kind: corpus`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import COUNT, FILE, in_order
from generator.cli.screen.terminal import count, on_one_line, print_table, printable
from generator.core.errors import OutputError

if TYPE_CHECKING:
    from generator.corpus.check.failures import FindingCluster
    from generator.corpus.check.run import CheckReport

MOST_TOLD = 40
"""Causes that are printed."""


@click.group(short_help="Run a parser over a corpus, feed fuzzers, make an edition to vendor.")
def corpus() -> None:
    """Run a parser over a corpus that `run` made from a recipe with `kind: corpus`."""


_RUN = in_order(
    (
        click.option(
            "--parser",
            metavar="MODULE:CALLABLE",
            help="Called with (text, tools); gives {content, tool_calls}. Or FILE.py:CALLABLE.",
        ),
        click.option(
            "--stream", metavar="MODULE:CALLABLE", help="Called with (pieces, tools), pieces a list of texts."
        ),
        click.option("--command", metavar="COMMAND", help="A program: text on stdin or in {file}, JSON on stdout."),
        click.option(
            "--server",
            metavar="COMMAND",
            help="A program that answers a line of JSON with one, whole texts and pieces.",
        ),
    )
)
"""What is run."""
_LIMITS = in_order(
    (
        click.option(
            "--seconds", type=click.FloatRange(min=0.01), default=5.0, show_default=True, help="Time for one text."
        ),
        click.option(
            "--start-seconds",
            type=click.FloatRange(min=0.01),
            default=120.0,
            show_default=True,
            help="Time to import the parser, or to the first answer of the server.",
        ),
        click.option(
            "--memory",
            type=click.IntRange(min=16),
            default=1024,
            show_default=True,
            metavar="MB",
            help="Memory for the parser.",
        ),
        click.option("--strict-numbers", is_flag=True, help="1 and 1.0 are not the same."),
    )
)
"""How long it may take, and how strictly it is compared."""
_formats = click.option(
    "--format", "formats", multiple=True, metavar="NAME", help="Only this format (again for several)."
)


@corpus.command()
@click.argument("folder", type=FILE, metavar="CORPUS")
@_RUN
@_formats
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case (again for several).")
@click.option(
    "--jobs", type=click.IntRange(min=1, max=256), default=1, show_default=True, metavar="N", help="Use N processes."
)
@_LIMITS
@click.option("--no-content", is_flag=True, help="Compare calls only, not what is said beside them.")
@click.option("--torn-tokens", is_flag=True, help="Stream also pieces that cut special tokens.")
@click.option("--recover", is_flag=True, help="Calls that a model writes off its template must be found.")
@click.option("--json", "as_json", is_flag=True, help="All findings as JSON instead of paragraphs.")
def check(folder: Path, no_content: bool, as_json: bool, formats: Any, cases: Any, jobs: int, **how: Any) -> int:
    """Run a parser over CORPUS in processes of its own, and tell where it fails, one paragraph a cause.

    Exits 0 when it never does, 1 when it does, 2 when the corpus or the parser cannot be read.
    """
    from generator.corpus.check.run import CheckOptions, check_corpus

    ways = [how["command"] is not None, how["server"] is not None, bool(how["parser"] or how["stream"])]
    if not any(ways):
        raise click.UsageError("--parser, --stream, --command or --server: say what to run.")
    if sum(ways) > 1:
        raise click.UsageError("--command and --server run another program: neither goes with another one.")
    options = CheckOptions(**how, content=not no_content)
    report = check_corpus(folder, options, formats=formats, ids=cases, jobs=jobs)
    if as_json:
        _print_json(report)
    else:
        _print_report(report)
    return 1 if report.findings else 0


@corpus.command()
@click.argument("folder", type=FILE, metavar="CORPUS")
@_formats
@click.option("--out", type=FILE, metavar="FOLDER", help="Where to; CORPUS/fuzz where nothing is said.")
def seeds(folder: Path, formats: tuple[str, ...], out: Path | None) -> int:
    """Write the texts of CORPUS for fuzzers: one input a file, a dictionary and an archive for each format."""
    from generator.corpus.layout import formats_in, write_seeds

    for name in formats or formats_in(folder):
        texts = write_seeds(folder, name, (out or folder / "fuzz") / name)
        click.echo(printable(f"{count(texts, 'text', 'texts')}: {(out or folder / 'fuzz') / name}/"))
    return 0


@corpus.command()
@click.option("--version", type=COUNT, required=True, metavar="N", help="The edition; its bytes never change.")
@click.option("--out", type=FILE, metavar="FOLDER", help="Where to; outputs/tool_call_cases_N where nothing is said.")
@click.option("--overwrite", is_flag=True, help="Replace an edition that is there.")
def release(version: int, out: Path | None, overwrite: bool) -> int:
    """Write the grid as an edition for other repositories: lines with texts, tests for pytest and vitest, and a wheel of all."""
    from generator.corpus.release import write_edition

    folder = out or Path("outputs") / f"tool_call_cases_{version}"
    made = write_edition(version, folder, overwrite=overwrite)
    told = "" if made.is_published else " (not published yet: what is added until then changes it)"
    total = count(sum(by.total() for by in made.counts.values()), "case", "cases")
    click.echo(printable(f"edition {version}{told}: {total} in {len(made.counts)} formats: {folder}/"))
    return 0


def _print_report(report: "CheckReport") -> None:
    """Print a paragraph for each cause, and how many cases failed."""
    clusters = report.by_cause()
    for cluster in clusters[:MOST_TOLD]:
        for line in _paragraph(cluster):
            click.echo(on_one_line(line))
        click.echo()
    if len(clusters) > MOST_TOLD:
        click.echo(f"… and {count(len(clusters) - MOST_TOLD, 'more cause', 'more causes')}; --json tells all")
    failing = len({(found.format, found.case) for found in report.findings})
    told = f"{count(len(report.findings), 'finding', 'findings')} in {count(failing, 'case', 'cases')}"
    told = told if failing else "no findings"
    click.echo(f"{count(report.cases, 'case', 'cases')}, {count(report.runs, 'run', 'runs')}: {told}")


def _paragraph(cluster: "FindingCluster") -> Iterator[str]:
    """Yield the lines that tell one cause: how often, in which formats, and the smallest case."""
    found = cluster.witness
    formats = ", ".join(cluster.formats[:6]) + (" …" if len(cluster.formats) > 6 else "")
    pieces = f", only in pieces ({', '.join(found.plans)})" if cluster.streams else ""
    yield f"{cluster.label}: {cluster.failing:,} of {cluster.cases:,} cases with {cluster.cause}{pieces} ({formats})"
    yield f"  {found.format}/{found.case}, {found.bytes:,} bytes: {_shown(found.text) if found.text else '…'}"
    if found.expected is not None and found.verdict != "i":
        told = found.expected
        yield f"  expected {_shown(told.get('error') or told.get('value', told['tool_calls']))}"
    yield f"  observed {found.detail}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else f"{text[:300]} … {text[-80:]}"


def _print_json(report: "CheckReport") -> None:
    """Print all that was found as one JSON object."""
    import msgspec

    plain: dict[str, Any] = {
        "cases": report.cases,
        "runs": report.runs,
        "causes": [msgspec.to_builtins(cluster) for cluster in report.by_cause()],
        "findings": [msgspec.to_builtins(found) for found in report.findings],
    }
    sys.stdout.write(json.dumps(plain, indent=1) + "\n")


def make_corpus(path: Path, out: str | None, *, overwrite: bool, dry_run: bool, quiet: bool, **changed: Any) -> int:
    """Make the corpus that a recipe describes, and say how many cases there are; `changed` is what the command line says instead."""
    from generator.corpus.clients import CLIENT_FORMATS
    from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
    from generator.corpus.rows import row_formats
    from generator.corpus.run import make_corpus as make
    from generator.formats.wire.format import wire_formats
    from generator.recipe.corpus import change_corpus, load_corpus

    rows = row_formats()
    wire, mutations = wire_formats(), (*MUTATIONS, AMBIGUOUS)
    recipe = load_corpus(path, wire=wire, rows=rows, mutations=mutations, clients=CLIENT_FORMATS)
    recipe = change_corpus(recipe, known=(*wire, *rows, *CLIENT_FORMATS), **changed)
    if out and "://" in out:
        raise OutputError("--out: a corpus is written to a folder of this machine")
    folder = Path(out) if out else Path("outputs") / recipe.name
    if dry_run:
        each = f"{recipe.cases:,} cases with seed {recipe.seed} of each of {len(recipe.formats)} formats"
        click.echo(f"{each}, to {folder}/\nformats: {', '.join(recipe.formats)}")
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
