"""`validate`: any file of conversations against the rules."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import PLACE, format_named, llm_settings, model_options
from generator.cli.screen.terminal import count, on_one_line, print_table, printable
from generator.core.errors import GeneratorError

if TYPE_CHECKING:
    from collections import Counter

    from generator.core.conversation import Conversation, Violation
    from generator.formats.files.validate import FileTally, LineFault
    from generator.llm.session import Session
    from generator.recipe.llm import Llm

MOST_TOLD = 20
"""Faults of one rule that are printed for one file."""
MOST_AS_JSON = 100_000
"""With --json."""
_CACHE = "validate.llm-cache"
_CLAIMS_TOKENS = 500
"""Tokens of the claims of a usual conversation."""
_STOPPED = 3
Read = dict[Path, dict[int, "list[Violation]"]]
"""What a reader has found wrong, by file and line."""


@click.command(short_help="Check files of conversations.")
@click.argument("files", type=PLACE, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format", "format_name", default="deepfabric", show_default=True, metavar="NAME", help="How FILE is encoded."
)
@click.option(
    "--profile", "profile_name", metavar="NAME", help="Hold tools, arguments and results against its limits too."
)
@click.option("--unrolled", is_flag=True, help="A record may end with calls that are to be learnt.")
@click.option(
    "--reader",
    metavar="MODEL",
    help="Have a model list what the texts say; each claim is held against calls and results.",
)
@model_options
@click.option("--llm-cache-only", is_flag=True, help=f"With --reader: take its answers from {_CACHE}, and ask nobody.")
@click.option("--dry-run", is_flag=True, help="With --reader: say what would be asked and what it costs.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line for each fault, then one with the summary."
)
def validate(
    files: tuple[Path, ...],
    format_name: str,
    profile_name: str | None,
    unrolled: bool,
    as_json: bool,
    reader: str | None,
    llm_cache_only: bool,
    dry_run: bool,
    **asked: Any,
) -> int:
    """Check files of conversations: the faults of every record, then a summary by rule.

    A FILE is JSON Lines, one JSON list, an object with a list of rows, Parquet, or a session of Claude Code or Codex; packed or not, columns
    may hold JSON as text.

    Of each rule, a file's first 20 faults are printed, with --json the first 100,000; blank lines in a row are one.

    With --reader a model lists every statement of each conversation, and the program evaluates it: CL101 to CL104. Its answers are kept in
    validate.llm-cache, here, so that the same command goes on where it stopped, and never pays twice (docs/language-models.md).

    Exits 0 when all is well, 1 when a rule is broken, 2 when a file cannot be read, 3 when the budget or the server stopped the reader.
    """
    from msgspec.structs import replace

    from generator.cli.tools import profile_of
    from generator.core.errors import StoppedError
    from generator.formats.files.validate import FileTally, violations_in_file

    if reader is None and (llm_cache_only or dry_run or any(value is not None for value in asked.values())):
        raise click.UsageError("options of how a model is asked go with --reader MODEL")
    format_named("--format", format_name)
    profile = profile_of(profile_name)
    total, unreadable = FileTally(), 0
    read: Read = {}
    if reader is not None:
        settings = replace(llm_settings(reader, **asked), temperature=0.0)
        _print_estimate(files, format_name, settings, only=dry_run)
        try:
            read = {} if dry_run else _read(files, format_name, settings, cache_only=llm_cache_only)
        except StoppedError as stopped:
            text = f"stopped: {stopped}\nno fault is told before all is read: the same command goes on"
            click.echo(printable(text), err=True)
        if dry_run or not read:
            return 0 if dry_run else _STOPPED
    for file in files:
        tally = FileTally()
        claimed = read[file] if read else {}
        faults = violations_in_file(file, format_name, tally, profile, unrolled=unrolled, read=claimed)
        try:
            _print_faults(file, format_name, faults, tally, as_json=as_json)
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            unreadable += 1
        if not as_json:
            _print_counts_of_more(file, tally)
        _add(total, tally)
    (_sum_up_as_json if as_json else _sum_up)(total, len(files), unreadable)
    return 2 if unreadable else 1 if total.faulty else 0


def _conversations(files: Sequence[Path], format_name: str) -> "Iterator[tuple[Path, int, Conversation]]":
    """Yield what can be read of files: the rest has other faults."""
    from generator.core.errors import FormatError, OutputError
    from generator.formats import FORMATS
    from generator.formats.files.records import records_of

    for file in files:
        try:
            for entry in records_of(file):
                try:
                    yield file, entry.line, FORMATS[format_name].parse(entry.record)
                except (FormatError, RecursionError):
                    continue
        except OutputError:
            continue


def _print_estimate(files: Sequence[Path], format_name: str, settings: "Llm", *, only: bool) -> None:
    """Print what a reader would be asked and what it costs."""
    from generator.dialogue.proof.reader import requests_for
    from generator.llm.asking import Estimated, estimate_in_words, tokens_in
    from generator.llm.session import check_prices

    check_prices(settings)
    sent = [tokens_in(requests_for(conversation)[0]) for _, _, conversation in _conversations(files, format_name)]
    asked = Estimated(requests=len(sent), sent=sum(sent), received=len(sent) * _CLAIMS_TOKENS)
    click.echo(estimate_in_words(asked, settings), err=not only)


def _read(files: Sequence[Path], format_name: str, settings: "Llm", *, cache_only: bool) -> Read:
    """Have a model read conversations, and return what is wrong with them."""
    import asyncio

    from generator.core.conversation import Violation
    from generator.dialogue.proof.reader import UNREAD, faults_of_reading, requests_for, statements_in
    from generator.llm.asking import cost_in_words
    from generator.llm.session import open_session

    found: Read = {file: {} for file in files}
    waiting = _conversations(files, format_name)

    async def work(session: "Session") -> None:
        for file, line, conversation in waiting:
            for request in requests_for(conversation):
                statements, fault = statements_in(await session.answer(request))
                if not fault:
                    break
            unread = [Violation(UNREAD, "$", f"the reader's answer cannot be used: {fault}")]
            found[file][line] = unread if fault else faults_of_reading(conversation, statements)

    async def run() -> None:
        async with open_session(settings, Path(_CACHE), f"validate {settings.model}", cache_only=cache_only) as session:
            working = [work(session) for _ in range(settings.concurrency)]
            for stopped in filter(None, await asyncio.gather(*working, return_exceptions=True)):
                raise stopped
            number = sum(map(len, found.values()))
            click.echo(f"{number:,} conversations read, {cost_in_words(session.account)}", err=True)

    asyncio.run(run())
    return found


def _print_faults(
    file: Path, format_name: str, faults: "Iterable[LineFault]", tally: "FileTally", *, as_json: bool
) -> None:
    """Print the faults of a file; those of one that plainly is in another format after a hint at what else to try."""
    from generator.report.files.format_of import looks_like

    other: str | None = None
    waiting: list[LineFault] = []
    try:
        for number, fault in enumerate(faults):
            other = looks_like(file, format_name) if number == 0 else other
            if tally.rules[fault.violation.rule] > (MOST_AS_JSON if as_json else MOST_TOLD):
                continue
            if other and not as_json:  # whether most lines have faults is known at the end
                waiting.append(fault)
            else:
                _print_fault(file, fault, as_json=as_json)
    finally:
        if other and tally.faulty * 2 > tally.rows:
            click.echo(printable(f"{file}: this looks like {other}: validate --format {other}"), err=True)
        for fault in waiting:
            _print_fault(file, fault, as_json=False)


def _print_counts_of_more(file: Path, tally: "FileTally") -> None:
    """How many faults of each rule were not printed."""
    for code, number in tally.rules.items():
        if number > MOST_TOLD:
            click.echo(on_one_line(f"{file}: … and {number - MOST_TOLD:,} more of {code}"))


def _add(total: "FileTally", part: "FileTally") -> None:
    """Add the counts of a file to those of all."""
    total.rows += part.rows
    total.faulty += part.faulty
    total.rules.update(part.rules)
    total.mended.update(part.mended)
    total.told.update(part.told)


def _print_fault(file: Path, fault: "LineFault", *, as_json: bool) -> None:
    """Print one fault: `rows.jsonl:3: $.messages: DF101 …`, or as JSON."""
    found = fault.violation
    if as_json:
        where = {"file": str(file), "line": fault.line, "path": found.path}
        _write_json(where | {"rule": found.rule, "message": found.message})
    else:
        sys.stdout.write(on_one_line(f"{file}:{fault.line}: {found.path}: {found.rule} {found.message}") + "\n")


def _write_json(value: object) -> None:
    """Print a value as one line of JSON."""
    import json

    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")


def _sum_up(total: "FileTally", files: int, unreadable: int) -> None:
    """Print what was found in all files."""
    from generator.formats.files.records import UNFOLDED

    print_table("undone to read them", [(name, f"{n:,}", UNFOLDED[name]) for name, n in (+total.mended).items()])
    print_table("to be known", [(what, f"{n:,} rows", "") for what, n in total.told.items()])
    print_table("faults by rule", [(code, f"{n:,}", text) for code, n, text in by_rule(total.rules)])
    lines = f"{count(total.rows, 'line', 'lines')} in {count(files, 'file', 'files')}"
    if total.faulty:
        found = f"{count(total.rules.total(), 'fault', 'faults')} in {count(total.faulty, 'line', 'lines')}"
    else:
        found = "nothing wrong in what was read" if unreadable else "no faults" if total.rows else "no rows"
    if unreadable:
        end = "its end" if unreadable == 1 else "their end"
        found += f"; {count(unreadable, 'file', 'files')} could not be read to {end}"
    click.echo(f"{lines}: {found}")


def _sum_up_as_json(total: "FileTally", files: int, unreadable: int) -> None:
    """Print what was found in all files as one line of JSON."""
    counts = {"files": files, "unreadable_files": unreadable, "lines": total.rows, "faulty_lines": total.faulty}
    remarks = {"undone": dict(+total.mended), "told": dict(total.told)}
    _write_json({"summary": {**counts, **remarks, "faults": dict(sorted(total.rules.items()))}})


def by_rule(rules: "Counter[str]") -> list[tuple[str, int, str]]:
    """Return the code, the number and the statement of each rule that is broken, most often broken ones first."""
    from generator.cli.rules import rule_statements

    return [(code, n, rule_statements().get(code, "")) for code, n in rules.most_common()]
