"""`run`: make the data set that a recipe describes; `merge`: join its shards; `verify`: check its files."""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import PLACE, RECIPE
from generator.cli.screen.terminal import count, printable
from generator.core.errors import GeneratorError, OutputError
from generator.core.files import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generator.formats.run_folder.files import Layout
    from generator.recipe import Recipe
    from generator.run.engine.progress import Event, Listener, RunFinished
    from generator.run.engine.run import RunOptions

_SINKS = click.Choice(["jsonl", "parquet", "parquet_json", "text"])
"""As in `generator.formats.sinks.SINKS`, which is too slow to look at for `--help`."""


_against = click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Count rows that share words, tools or arguments with FILE, such as a benchmark (again for several).",
)
_no_report = click.option("--no-report", is_flag=True, help="Write no report.json and index.html beside the rows.")
_quiet = click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
_CORES = click.IntRange(min=1, max=4096)


@click.command(short_help="Make the data set that a recipe describes.")
@click.argument("recipe", type=RECIPE)
@click.option("--rows", type=int, metavar="N", help="Make N rows instead of what the recipe says.")
@click.option("--seed", type=int, metavar="S", help="Use this seed instead of the recipe's.")
@click.option("--out", type=click.Path(), metavar="DIR", help="Folder to write to [outputs/<recipe name>].")
@click.option("--format", "formats", multiple=True, metavar="NAME", help="Write this format (again for several).")
@click.option(
    "--workers", type=_CORES, metavar="N", help="Use N processes at most [all cores]; the bytes are the same."
)
@click.option("--compress", type=click.Choice(["zstd", "gzip"]), help="Pack the files.")
@click.option(
    "--sink", "sinks", multiple=True, type=_SINKS, help="Write to this container [jsonl] (again for several)."
)
@click.option(
    "--shard-rows", type=click.IntRange(min=1), metavar="N", help="Begin new files after every N rows of the run."
)
@_against
@click.option(
    "--shard",
    metavar="I/N",
    help="Make only shard I of N, counted from 0, for `merge`; auto/N or auto takes I (and N) from Slurm or Kubernetes.",
)
@click.option("--resume", is_flag=True, help="Go on with what is there, or start; never replace (this is the default).")
@click.option("--overwrite", is_flag=True, help="Replace what was made from something else, or is finished.")
@click.option(
    "--executor",
    type=click.Choice(["auto", "serial", "processes", "ray"]),
    default="auto",
    show_default=True,
    help="Who makes the rows; auto starts processes when that saves time, ray takes a cluster.",
)
@click.option(
    "--ray-address",
    metavar="HOST:6379",
    help="With --executor ray: a running cluster [RAY_ADDRESS, or start one here].",
)
@click.option("--shared-fs", is_flag=True, help="With --ray-address: all nodes see the folder of --out under its name.")
@click.option(
    "--llm-cache-only",
    "cache_only",
    is_flag=True,
    help="Ask no model: take its answers from the cache of an earlier run.",
)
@_no_report
@click.option("--dry-run", is_flag=True, help="Show the plan of the run and three rows; write nothing.")
@_quiet
def run(
    recipe: Path,
    rows: int | None,
    seed: int | None,
    out: str | None,
    formats: tuple[str, ...],
    workers: int | None,
    compress: str | None,
    sinks: tuple[str, ...],
    shard_rows: int | None,
    against: tuple[Path, ...],
    shard: str | None,
    resume: bool,
    no_report: bool,
    dry_run: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Make the data set that RECIPE describes: a file, or the name of one that comes with the program (`parallel`).

    Files go to outputs/<recipe name>/ below the working directory: one for each format, proofs.jsonl (where each
    value comes from), rejected.jsonl (what was thrown away, and why), index.html (a page with a sample of the rows, and figures), and
    when all is done manifest.json.

    A run that was interrupted goes on when the same command is given again; with more --rows, a finished run is
    extended.

    With --shard, many machines share the work, each with a command of its own and one --out for all: see `merge`.
    """
    from generator.recipe.corpus import is_corpus

    of_corpus, overwrite, executor = is_corpus(recipe), how["overwrite"], how["executor"]
    _check_options(how, shard, resume=resume, out=out, against=against, dry_run=dry_run, of_corpus=of_corpus)
    if of_corpus:
        from generator.cli.corpus import make_corpus

        changed = {"cases": rows, "seed": seed, "formats": formats}
        return make_corpus(recipe, out, overwrite=overwrite, dry_run=dry_run, quiet=quiet, **changed)
    from generator.formats.run_folder.files import Layout

    plan = read_recipe(recipe, rows, seed, formats)
    folder = Path("outputs") / plan.name if out is None else place(out)
    sinks = tuple(dict.fromkeys(sinks)) or ("jsonl",)
    layout = Layout(sinks=sinks, packing=compress, shard_rows=shard_rows, against=against, report=not no_report)
    signal.signal(signal.SIGTERM, _stop)
    if dry_run:
        from generator.cli.screen.run import print_plan

        print_plan(plan, folder, layout)
        return 0
    from generator.run.engine.run import RunOptions, all_cores

    if executor == "ray":
        how["ray_address"] = how["ray_address"] or os.environ.get("RAY_ADDRESS")
    options = RunOptions(workers=workers or all_cores(), layout=layout, **how)
    if shard is not None:
        return _make_shard(plan, folder, shard, options, quiet)
    if plan.llm is not None and not quiet:
        _warn_of_ignored(executor, workers, plan.llm.concurrency)
    return _make(plan, folder, options, quiet)


def _check_options(how: dict[str, Any], shard: str | None, **given: Any) -> None:
    """Raise UsageError for options that do not go together."""
    if given["resume"] and how["overwrite"]:
        raise click.UsageError("--resume keeps what is there, --overwrite replaces it: give one of them.")
    if (how["ray_address"] or how["shared_fs"]) and how["executor"] != "ray":
        raise click.UsageError("--ray-address and --shared-fs go with --executor ray.")
    if shard is not None and given["against"]:
        raise click.UsageError("--against looks at all rows: give it to merge, not to a shard.")
    if shard is not None and given["dry_run"]:
        raise click.UsageError("--dry-run shows the whole run: leave out --shard.")
    if shard is not None and given["of_corpus"]:
        raise click.UsageError("--shard: a corpus is made by one command.")
    if given["out"] is not None and not given["out"].strip():
        raise click.UsageError("--out: the name of a folder is expected.")


def _warn_of_ignored(executor: str, workers: int | None, concurrency: int) -> None:
    """Name the options that mean nothing for a recipe that asks a model."""
    from generator.run.engine.asked import MANY

    few = concurrency < MANY
    flags = [f"--executor {executor}"] if executor in ("processes", "ray") else []
    flags += ["--workers"] if few and workers is not None and workers > 1 else []
    if flags:
        verb = "is" if len(flags) == 1 else "are"
        text = f"this recipe asks a model, and worker processes make its rows from llm.concurrency: {MANY} on"
        click.echo(f"{' and '.join(flags)} {verb} ignored: {text}", err=True)


def _make(plan: "Recipe", folder: Path, how: "RunOptions", quiet: bool) -> int:
    """Make the rows, tell how that goes, and say how many there are; 1 when a format got none."""
    from generator.run.engine.run import run as run_recipe

    with _followed(quiet) as listener:
        finished = run_recipe(plan, folder, listener, how)
    return print_finished(plan, finished, how.layout, quiet)


def _make_shard(plan: "Recipe", folder: Path, text: str, how: "RunOptions", quiet: bool) -> int:
    """Make a share of the rows, and say what comes next."""
    from generator.run.engine.merge import make_shard
    from generator.run.engine.progress import RunFinished
    from generator.run.engine.shard import read_shard

    shard = read_shard(text, os.environ)
    with _followed(quiet) as listener:
        finished = make_shard(plan, folder, shard, listener, how)
    if quiet:
        return 0
    if isinstance(finished, RunFinished):
        click.echo(printable(f"{folder}: the shards are merged already; nothing was made"))
        return 0
    new = "" if finished.made == finished.rows else f", {finished.made:,} of them made now"
    rows = f"{count(finished.rows, 'row', 'rows')}{new}; when all {shard.of} shards are there: merge"
    click.echo(printable(f"{folder / shard.folder}: {rows}"))
    return 0


def print_finished(plan: "Recipe", finished: "RunFinished", layout: "Layout", quiet: bool) -> int:
    """Print what a run made; 1 when a format got no rows, or a model was asked and nothing that it said could be used."""
    from generator.cli.screen.run import print_summary

    folder = finished.out
    if not quiet:
        print_summary(finished)
        _advise(plan, finished, layout)
    empty = [name for name in plan.formats if not finished.rows_in(name)]
    if empty and quiet:
        click.echo(f"{folder}: no row could be written as {', '.join(empty)}", err=True)
    outcomes = [one for uses in finished.tally.llm.values() for one in uses if not one.startswith("not asked")]
    is_unused = bool(outcomes) and all(one.startswith("replaced") for one in outcomes)
    if is_unused:
        what = f"no answer of the model could be used: python -m generator llm show {folder} --refused"
        click.echo(f"{folder}: the rows are as without a model: {what}", err=True)
    return 1 if empty or is_unused else 0


def _advise(plan: "Recipe", finished: "RunFinished", layout: "Layout") -> None:
    """Say what the rows share with other files, and what a trainer would do with them in silence."""
    from generator.formats.run_folder.manifest import read_manifest

    manifest = read_manifest(finished.out) if layout.against else None
    if manifest is not None and manifest.shared is None:
        why = "the run was finished before, so --against compared nothing; --overwrite makes it again"
        click.echo(f"note: {why}", err=True)
    if manifest is not None and (shared := manifest.shared) is not None:
        found = f"{shared.requests:,} rows share eight words of a request, {shared.tools:,} a tool's name, {shared.arguments:,} arguments"
        click.echo(f"of {shared.rows:,} rows, in common with {', '.join(shared.files)}: {found}")
    if finished.confined is False:
        risk = "they could read your files and use the network (docs/foreign-code.md)"
        click.echo(f"note: the recipe's Python files ran without Landlock: {risk}", err=True)
    from generator.formats.run_folder.card import advice

    for sentence in advice(plan, finished.tally):
        click.echo(f"note: {sentence}", err=True)


def read_recipe(
    path: Path, rows: int | None = None, seed: int | None = None, formats: tuple[str, ...] = ()
) -> "Recipe":
    """The recipe in a file, with what a command line says instead."""
    from generator.formats import FORMATS, format_options
    from generator.recipe import change_recipe, load_recipe
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    recipe = load_recipe(
        path, scenarios={**SCENARIOS, **DOCUMENT_SCENARIOS}, formats=FORMATS, format_options=format_options()
    )
    return change_recipe(recipe, rows=rows, seed=seed, formats=formats, known_formats=FORMATS)


@contextmanager
def _followed(quiet: bool) -> "Iterator[Listener]":
    """Tell how a run goes; at its end print how to resume it if it stopped, also when quiet."""
    from generator.cli.screen.run import follow
    from generator.run.engine.progress import RunStopped

    stopped: list[RunStopped] = []
    try:
        with follow(quiet) as listener:

            def note(event: "Event") -> None:
                if isinstance(event, RunStopped):
                    stopped.append(event)
                listener(event)

            yield note
    finally:
        for event in stopped:
            answers = " and all answers of the model" if event.asked else ""
            text = f"{event.out}: {event.made:,} of {event.of:,} rows{answers} are kept; the same command goes on from there."
            click.echo(printable(text), err=True)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    """A polite end: finished blocks are kept."""
    sys.exit(128 + signal.SIGTERM)


@click.command(short_help="Join the shards of a run.")
@click.argument("folder", type=PLACE, metavar="DIR")
@click.option(
    "--recipe", type=RECIPE, metavar="FILE", help="The recipe, where it stands elsewhere than it did for the shards."
)
@_against
@click.option(
    "--workers",
    type=_CORES,
    metavar="N",
    help="Processes for blocks from which `dedup` or `max_share` remove rows [all cores].",
)
@click.option("--overwrite", is_flag=True, help="Replace another run that is in DIR.")
@_no_report
@_quiet
def merge(
    folder: Path, recipe: Path | None, against: tuple[Path, ...], workers: int | None, no_report: bool, **how: bool
) -> int:
    """Write the files of the run whose shards (`run RECIPE --out DIR --shard I/N`) are in DIR, the same bytes as of one process.

    Every block's size and digest is looked at before. Missing shards, missing rows and changed files are named, and nothing
    is written then (exit code 2). The shards go away when all is written.
    """
    import msgspec

    from generator.run.engine.merge import is_merged, plan_of_shards, settings_of
    from generator.run.engine.merge import merge as merge_shards
    from generator.run.engine.run import all_cores

    plan, quiet = plan_of_shards(folder), how["quiet"]
    if plan is None:
        if not is_merged(folder):
            raise OutputError(f"{folder}: holds no shards; `run RECIPE --out {folder} --shard I/N` makes one")
        if not quiet:
            click.echo(printable(f"{folder}: the shards are merged already; nothing was made"))
        return 0
    settings = settings_of(folder, plan)
    wanted = read_recipe(recipe or Path(plan.recipe or ""), plan.rows, settings.seed, settings.formats)
    layout = msgspec.structs.replace(settings.layout, against=against, report=not no_report)
    finished = merge_shards(wanted, plan, folder, layout, overwrite=how["overwrite"], workers=workers or all_cores())
    return print_finished(wanted, finished, layout, quiet)


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
    from generator.report.files.verify import verify_folder
    from generator.run.recheck import recheck_states

    code = 0
    for folder in folders:
        try:
            for check in verify_folder(folder):
                found = f"NOT AS IT WAS MADE: {check.fault}" if check.fault else count(check.rows, "line", "lines")
                click.echo(printable(f"{folder / check.name}: {found}"))
                code = max(code, int(bool(check.fault)))
            for check in recheck_states(read_recipe(recipe), folder) if recipe is not None else ():
                found = check.fault or f"{count(check.rows, 'row', 'rows')} made again, with the same calls and state"
                click.echo(printable(f"{folder / check.name}: {found}"))
                code = max(code, int(bool(check.fault)))
        except GeneratorError as error:
            click.echo(printable(str(error)), err=True)
            code = 2
    return code
