"""`corpus`: run a parser over a corpus, and make an edition of the grid."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from generator.corpus.check.clusters import FindingCluster
    from generator.corpus.check.judge import ParserFailure
    from generator.corpus.check.run import CheckOptions, CheckReport

MOST_TOLD = 40
"""Lines of the table that are printed."""


@click.group(short_help="Run a parser over a corpus, make an edition to vendor.")
def corpus() -> None:
    """Run a parser over a corpus that `run` made from a recipe with `kind: corpus`."""


_RUN = (
    click.option(
        "--parser",
        metavar="MODULE:CALLABLE",
        help="Called with (text, tools); gives {content, tool_calls}. Or FILE.py:CALLABLE.",
    ),
    click.option("--stream", metavar="MODULE:CALLABLE", help="Called with (pieces, tools), pieces a list of texts."),
    click.option("--command", metavar="COMMAND", help="A program: text on stdin or in {file}, JSON on stdout."),
    click.option(
        "--server", metavar="COMMAND", help="A program that answers a line of JSON with one, whole texts and pieces."
    ),
)
"""What is run."""
_LIMITS = (
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
"""How long it may take, and how strictly it is compared."""


def _options(options: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return a decorator that gives a command several options, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


@corpus.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="CORPUS")
@_options(_RUN)
@click.option("--format", "formats", multiple=True, metavar="NAME", help="Only this format (again for several).")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case (again for several).")
@click.option(
    "--jobs", type=click.IntRange(min=1, max=256), default=1, show_default=True, metavar="N", help="Use N processes."
)
@_options(_LIMITS)
@click.option("--no-content", is_flag=True, help="Compare calls only, not what is said beside them.")
@click.option("--torn-tokens", is_flag=True, help="Stream also pieces that cut special tokens.")
@click.option(
    "--stream-equals-whole", is_flag=True, help="Also of broken texts, pieces must mean what the whole means."
)
@click.option(
    "--all", "tell_all", is_flag=True, help="Also a table of all findings by what is wrong and what was changed."
)
@click.option("--json", "as_json", is_flag=True, help="All findings as JSON instead of paragraphs.")
def check(
    folder: Path,
    formats: tuple[str, ...],
    cases: tuple[str, ...],
    jobs: int,
    no_content: bool,
    tell_all: bool,
    as_json: bool,
    **how: Any,
) -> int:
    """Run a parser over CORPUS in processes of its own, and tell where it fails, one paragraph a cause.

    Exits 0 when it never does, 1 when it does, 2 when the corpus or the parser cannot be read.
    """
    from generator.corpus.check.run import check_corpus

    options = _how(**how, content=not no_content)
    report = check_corpus(folder, options, formats=formats, ids=cases, jobs=jobs)
    if as_json:
        _print_json(report)
    else:
        _print_report(report, tell_all=tell_all)
    return 1 if report.findings else 0


@corpus.command()
@click.option(
    "--version", type=click.IntRange(min=1), required=True, metavar="N", help="The edition; its bytes never change."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where to; outputs/tool_call_cases_N where nothing is said.",
)
@click.option("--overwrite", is_flag=True, help="Replace an edition that is there.")
def release(version: int, out: Path | None, overwrite: bool) -> int:
    """Write the grid as an edition to copy into other repositories: lines with texts, a schema, tests for pytest and vitest."""
    from generator.cli.screen.terminal import count, printable
    from generator.corpus.release.making import write_edition

    folder = out or Path("outputs") / f"tool_call_cases_{version}"
    made = write_edition(version, folder, overwrite=overwrite)
    total = sum(by.total() for by in made.counts.values())
    told = "" if made.is_published else " (not published yet: what is added until then changes it)"
    click.echo(
        printable(f"edition {version}{told}: {count(total, 'case', 'cases')} in {len(made.counts)} formats: {folder}/")
    )
    return 0


def _how(**given: Any) -> "CheckOptions":
    from generator.corpus.check.run import CheckOptions

    ways = [given["command"] is not None, given["server"] is not None, bool(given["parser"] or given["stream"])]
    if not any(ways):
        raise click.UsageError("--parser, --stream, --command or --server: say what to run.")
    if sum(ways) > 1:
        raise click.UsageError("--command and --server run another program: neither goes with another one.")
    return CheckOptions(**given)


def _print_report(report: "CheckReport", *, tell_all: bool) -> None:
    from generator.cli.screen.terminal import count, on_one_line

    clusters = report.by_cause()
    for cluster in clusters[:MOST_TOLD]:
        for line in _paragraph(cluster):
            click.echo(on_one_line(line))
        click.echo()
    if len(clusters) > MOST_TOLD:
        click.echo(f"… and {count(len(clusters) - MOST_TOLD, 'more cause', 'more causes')}; --json tells all")
    for label, change, found in report.by_mutation() if tell_all else ():
        click.echo(on_one_line(f"{label:<28} {change:<24} {len(found):>5}  {_example(found[0])}"))
    failing = len({(found.format, found.case) for found in report.findings})
    told = (
        f"{count(len(report.findings), 'finding', 'findings')} in {count(failing, 'case', 'cases')}"
        if failing
        else "no findings"
    )
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


def _example(finding: "ParserFailure") -> str:
    return f"{finding.format}/{finding.case}: {finding.detail[:90]}"


def _print_json(report: "CheckReport") -> None:
    import msgspec

    plain: dict[str, Any] = {
        "cases": report.cases,
        "runs": report.runs,
        "causes": [msgspec.to_builtins(cluster) for cluster in report.by_cause()],
        "summary": [
            {"label": label, "mutation": change, "findings": len(found)}
            for label, change, found in report.by_mutation()
        ],
        "findings": [msgspec.to_builtins(found) for found in report.findings],
    }
    sys.stdout.write(json.dumps(plain, indent=1) + "\n")
