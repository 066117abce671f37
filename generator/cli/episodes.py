"""`episodes`: rows that are played, by a model, by an agent of yours, or again from a transcript."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import COUNT, FILE, RECIPE, llm_settings, model_options
from generator.cli.run import read_recipe
from generator.cli.screen.terminal import on_one_line, printable
from generator.core.errors import FormatError, OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.episodes.table import Table
    from generator.llm.asking import Account
    from generator.recipe.llm import Llm
    from generator.run.episodes import PlayedRows, RecipeTasks

_recipe = click.argument("recipe", type=RECIPE, metavar="RECIPE")
_fail_under = click.option(
    "--fail-under", metavar="pass=N", help="Exit 1 when a smaller share passes: pass=0.9, or reward=0.8."
)


@click.group(short_help="Play rows as episodes: score transcripts, test models, serve environments.")
def episodes() -> None:
    """Play rows: the world answers calls, the user answers texts, and what was done is scored (docs/episodes.md)."""


@episodes.command(short_help="Replay transcripts and score them.")
@_recipe
@click.argument("transcripts", type=FILE, metavar="TRANSCRIPTS")
@click.option(
    "--faults", "show_faults", is_flag=True, help="A line for each episode that does not pass, with the reasons."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each transcript instead of the table.")
@_fail_under
def score(recipe: Path, transcripts: Path, show_faults: bool, as_json: bool, fail_under: str | None) -> int:
    """Play TRANSCRIPTS again in the rows of RECIPE, and give each the score that it had when it was played.

    TRANSCRIPTS has a JSON line for each: {"index": 12, "messages": [...]}, with messages as in OpenAI's API.

    A result or a message of the user that is not what comes back is told: the transcript was altered, or made with another
    recipe. Exits 0, or 1 when one was altered or with --fail-under, or 2 when a file cannot be read.
    """
    import msgspec

    from generator.episodes.replay import read_transcripts, replay
    from generator.episodes.table import Table

    wanted = read_threshold(fail_under)
    table, episode = Table(), open_tasks(recipe).episode()
    for transcript in read_transcripts(transcripts):
        found = replay(episode, transcript)
        table.add(found.index, found.scenario, found.score, altered=bool(found.faults))
        if as_json:
            click.echo(json.dumps(msgspec.to_builtins(found), ensure_ascii=False))
        elif show_faults and (found.faults or not found.score.passed):
            why = "; ".join([*found.faults, *found.score.faults])
            click.echo(f"{transcript.where}: row {found.index} ({found.scenario}): {found.score.reward:.2f}: {why}")
    return print_table(table, wanted, quiet=as_json, source=transcripts)


def open_tasks(path: Path) -> "RecipeTasks":
    """Return the rows of a recipe, ready to be played."""
    from generator.run.episodes import open_recipe

    return open_recipe(read_recipe(path))


def read_threshold(text: str | None) -> tuple[str, float] | None:
    """Return `pass=0.9` as a pair; raises UsageError for anything else."""
    if text is None:
        return None
    name, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if name not in {"pass", "reward"} or not 0 <= value <= 1:
        raise click.UsageError(f"--fail-under {text}: pass=N or reward=N is expected, with N from 0 to 1")
    return name, value


def print_table(table: "Table", wanted: tuple[str, float] | None, *, quiet: bool, source: Any) -> int:
    """Print the table and return the exit code."""
    from generator.episodes.table import lines_of

    if not table.overall.episodes:
        raise FormatError(f"{source}: holds no episodes")
    for line in () if quiet else lines_of(table):
        click.echo(printable(line))
    tally, (name, least) = table.overall, wanted or ("pass", 0.0)
    found = (tally.passed if name == "pass" else tally.reward) / tally.episodes
    if tally.altered:
        click.echo(f"{tally.altered} of {tally.episodes} transcripts are not what comes back", err=True)
    if found < least:
        click.echo(f"{name} is {found:.3f}, at least {least:g} is wanted", err=True)
    return int(bool(tally.altered) or found < least)


@episodes.command(short_help="Serve rows to agents, over OpenEnv or MCP.")
@_recipe
@click.option("--openenv", "as_openenv", is_flag=True, help="All rows, over WebSocket, to OpenEnv's clients.")
@click.option("--host", metavar="HOST", help="With --openenv: the address to listen at [127.0.0.1].")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="With --openenv: the port; 0: any [8000].")
@click.option("--mcp", "as_mcp", is_flag=True, help="One row, over stdin and stdout, by the Model Context Protocol.")
@click.option("--index", type=click.IntRange(min=0), metavar="N", help="With --mcp: the row that is played.")
@click.option("--transcript", type=FILE, metavar="FILE", help="With --mcp: add transcript and score to this file.")
def serve(recipe: Path, as_openenv: bool, as_mcp: bool, index: int | None, transcript: Path | None, **at: Any) -> None:
    """Serve rows of RECIPE as episodes: all of them with --openenv, until it is interrupted; one with --mcp, until the client is gone.

    The tools are those of the row, and one to talk to the user.
    """
    if as_openenv == as_mcp:
        raise click.UsageError("one of --openenv and --mcp is expected")
    if as_openenv and (index is not None or transcript is not None):
        raise click.UsageError("--index and --transcript go with --mcp; clients of --openenv say which row they want")
    if as_mcp and (at["host"] is not None or at["port"] is not None):
        raise click.UsageError("--host and --port go with --openenv")
    if as_mcp and index is None:
        raise click.UsageError("--mcp needs --index N: the row that is played")
    if index is None:
        _serve_openenv(recipe, at["host"] or "127.0.0.1", 8000 if at["port"] is None else at["port"])
        return
    from generator.episodes.mcp import serve_mcp
    from generator.formats.sinks import check_can_write

    if transcript is not None:
        check_can_write(transcript)
    episode = open_tasks(recipe).episode()
    episode.reset(index)
    serve_mcp(episode, transcript)


def _serve_openenv(recipe: Path, host: str, port: int) -> None:
    """Serve all rows of a recipe to OpenEnv's clients, until it is interrupted."""
    from generator.episodes.openenv import (  # first: without the package nothing else is done
        MOST_SESSIONS,
        MOST_WITH_PROCESSES,
        app_of,
        serve_openenv,
    )

    tasks = open_tasks(recipe)
    served = tasks.prepared.recipe
    sessions = MOST_WITH_PROCESSES if served.has_real_backend else MOST_SESSIONS
    app = app_of(served.name, tasks.episode, tasks.splits(), sessions)
    serve_openenv(app, host, port, lambda url: click.echo(f"serving {tasks.rows} rows at {url}"))


_MODEL_ONLY = ("api_base", "api_key_env", "price", "budget", "requests", "cache")
_STOPPED = 3


@episodes.command(short_help="Have a model play rows, and print its scores; or an agent without a model.")
@_recipe
@click.option(
    "--model", metavar="NAME", help="Who plays, as litellm names it, or `local`, or `local:` and a GGUF file."
)
@click.option("--baseline", type=click.Choice(["own", "idle"]), help="No model. own: what the row does; idle: says OK.")
@click.option("--rows", type=COUNT, metavar="N", help="How many rows [as the recipe says].")
@click.option(
    "--tries",
    type=click.IntRange(min=1, max=100),
    default=1,
    show_default=True,
    metavar="K",
    help="How often a model plays each row; the table has pass^K then.",
)
@model_options
@click.option("--cache", type=FILE, metavar="FILE", help="The model's answers [RECIPE.play.llm-cache, here].")
@click.option("--llm-cache-only", is_flag=True, help="Ask no model: take its answers from the cache.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it costs.")
@click.option("--out", type=FILE, metavar="FILE", help="Write the transcripts to this new file.")
@click.option("--json", "json_file", type=FILE, metavar="FILE", help="Write the table to this file, too.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page with the transcripts beside the rows, too.")
@_fail_under
def play(
    recipe: Path,
    model: str | None,
    baseline: str | None,
    rows: int | None,
    tries: int,
    llm_cache_only: bool,
    dry_run: bool,
    out: Path | None,
    json_file: Path | None,
    html: Path | None,
    fail_under: str | None,
    **asked: Any,
) -> int:
    """Have a model play rows of RECIPE, and print its scores by scenario.

    The model gets the messages and the tools of the row, calls what it wants to, and says the rest to the row's user. Its
    answers are kept, so that the same command goes on where it stopped, and never pays twice. Documents are passed over.

    Exits 0, or 1 with --fail-under, or 3 when the budget or the server stopped it.
    """
    from generator.episodes.table import plain_table
    from generator.formats.sinks import write_whole

    wanted = read_threshold(fail_under)
    _check_options(model, baseline, tries, llm_cache_only or dry_run, asked)
    _check_files(out, json_file, html)
    tasks = open_tasks(recipe)
    rows = tasks.rows if rows is None else rows
    if model is None:
        table, lines = _baseline(str(baseline), tasks, rows)
    else:
        settings = _settings(model, asked)
        _print_estimate(tasks, settings, rows, tries, only=dry_run)
        if dry_run:
            return 0
        cache = asked["cache"] or Path(f"{recipe.stem}.play.llm-cache")
        played = _model(tasks, settings, cache, rows, tries, llm_cache_only)
        table, lines = played.table(), [one.transcript for one in played.done]
        if played.stopped:
            if played.done:
                print_table(table, None, quiet=False, source=recipe)
            return _stopped(played)
    _check_files(out, json_file, html)  # again: playing takes its time
    if out is not None:
        write_whole(out, [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines])
    named = model or f"baseline {baseline}"
    if table.overall.episodes and json_file is not None:
        plain = {"recipe": recipe.stem, "agent": named, "rows": rows, **plain_table(table)}
        write_whole(json_file, [json.dumps(plain, ensure_ascii=False, indent=2).encode(), b"\n"])
    if table.overall.episodes:
        write_page(html, f"{recipe.stem}, played by {named}", table, tasks, lines)
    return print_table(table, wanted, quiet=False, source=recipe)


def write_page(
    html: Path | None, title: str, table: "Table", tasks: "RecipeTasks", transcripts: "Sequence[dict[str, Any]]"
) -> None:
    """Write transcripts beside the rows that were played, as a page, where one is wanted."""
    if html is None:
        return
    from generator.formats.sinks import write_whole
    from generator.report.page import transcript_page

    text = transcript_page(title, table, transcripts, lambda index: tasks.task(index).row)
    write_whole(html, [text.encode("utf-8", "replace")])


def _check_options(model: str | None, baseline: str | None, tries: int, asks: bool, asked: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together."""
    if (model is None) == (baseline is None):
        raise click.UsageError("--model names who plays, or --baseline an agent that is none: one of them is expected")
    given = [f"--{name.replace('_', '-')}" for name in _MODEL_ONLY if asked[name] is not None]
    given += [*["--tries"] * (tries > 1), *["--dry-run and --llm-cache-only"] * asks]
    if model is None and given:
        raise click.UsageError(f"--baseline: nobody is asked, so {given[0]} can have no meaning")


def _check_files(out: Path | None, *others: Path | None) -> None:
    """Raise OutputError, before anything is played, for a file that is there or for one that cannot be written."""
    from generator.formats.sinks import check_can_write

    if out is not None and out.exists():
        raise OutputError(f"{out}: cannot be written (File exists)")
    for file in (out, *others):
        if file is not None:
            check_can_write(file)


def _baseline(name: str, tasks: "RecipeTasks", rows: int) -> "tuple[Table, list[dict[str, Any]]]":
    """Have an agent without a model play."""
    from generator.episodes.player import play_idle, play_reference
    from generator.episodes.replay import transcript_of
    from generator.episodes.table import Table
    from generator.run.episodes import playable

    agent = {"own": play_reference, "idle": play_idle}[name]
    table, episode, lines = Table(), tasks.episode(), []
    for index in playable(tasks, rows):
        episode.reset(index)
        agent(episode)
        assert episode.task is not None
        table.add(index, episode.task.row.scenario, episode.score())
        lines.append(transcript_of(episode))
    return table, lines


def _settings(model: str, asked: dict[str, Any]) -> "Llm":
    """Return the model as it is asked: with the temperature that its server has for it."""
    from msgspec.structs import replace

    given = {name: value for name, value in asked.items() if name != "cache"}
    return replace(llm_settings(model, **given), temperature=None, max_tokens=4096)


def _print_estimate(tasks: "RecipeTasks", settings: "Llm", rows: int, tries: int, *, only: bool) -> None:
    """Say what playing takes; on the error stream before it, so that the output is the table alone."""
    from generator.llm.asking import estimate_in_words
    from generator.llm.session import check_prices
    from generator.run.episodes import estimate_play

    check_prices(settings)
    words = estimate_in_words(estimate_play(tasks, rows, tries), settings)
    click.echo(f"{words}; for a model that does what the rows do", err=not only)


def _model(tasks: "RecipeTasks", settings: "Llm", cache: Path, rows: int, tries: int, cache_only: bool) -> "PlayedRows":
    """Have a model play rows, and tell on the error stream how far it is."""
    import asyncio

    from generator.llm.asking import cost_in_words
    from generator.llm.session import open_session
    from generator.run.episodes import play_rows

    def tell(done: int, of: int, account: "Account") -> None:
        if done * 10 // of > (done - 1) * 10 // of:  # ten lines, however many there are
            click.echo(f"played {done:,} of {of:,}, {account.answers:,} answers, {cost_in_words(account)}", err=True)

    async def run() -> "PlayedRows":
        named = f"play {settings.model} {rows} {tries}"
        async with open_session(settings, cache, named, cache_only=cache_only) as session:
            return await play_rows(tasks, session, rows, tries, tell)

    return asyncio.run(run())


def _stopped(played: "PlayedRows") -> int:
    """Say what stopped a model, and how to go on; return the exit code."""
    done = f"{len(played.done):,} of {played.wanted:,} episodes are played"
    why = "no file is written before all are: the same command goes on"
    click.echo(f"{on_one_line(f'stopped: {played.stopped}')}\n{done}; {why}", err=True)
    return _STOPPED
