"""`episodes`: rows that are played, by a model, by an agent of yours, or again from a transcript."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.episodes.play import play
from generator.cli.place import RECIPE

if TYPE_CHECKING:
    from generator.episodes.table import Table
    from generator.run.episodes import RecipeTasks

_FILE = click.Path(path_type=Path)


@click.group(short_help="Play rows as episodes: score transcripts, test models, serve environments.")
def episodes() -> None:
    """Play rows: the world answers calls, the user answers texts, and what was done is scored (docs/episodes.md)."""


@episodes.command(short_help="Replay transcripts and score them.")
@click.argument("recipe", type=RECIPE, metavar="RECIPE")
@click.argument("transcripts", type=_FILE, metavar="TRANSCRIPTS")
@click.option(
    "--faults", "show_faults", is_flag=True, help="A line for each episode that does not pass, with the reasons."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each transcript instead of the table.")
@click.option("--fail-under", metavar="pass=N", help="Exit 1 when a smaller share passes: pass=0.9, or reward=0.8.")
def score(recipe: Path, transcripts: Path, show_faults: bool, as_json: bool, fail_under: str | None) -> int:
    """Play TRANSCRIPTS again in the rows of RECIPE, and give each the score that it had when it was played.

    TRANSCRIPTS has a JSON line for each: {"index": 12, "messages": [...]}, with messages as in OpenAI's API.

    A result or a message of the user that is not what comes back is told: the transcript was altered, or made with another
    recipe. Exits 0, or 1 when one was altered or with --fail-under, or 2 when a file cannot be read.
    """
    import json

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
    from generator.formats import FORMATS, format_options
    from generator.recipe import load_recipe
    from generator.run.episodes import open_recipe
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    return open_recipe(load_recipe(path, scenarios=known, formats=FORMATS, format_options=format_options()))


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
    from generator.cli.screen.terminal import printable
    from generator.core.errors import FormatError
    from generator.episodes.table import lines_of

    if not table.overall.episodes:
        raise FormatError(f"{source}: holds no episodes")
    for line in () if quiet else lines_of(table):
        click.echo(printable(line))
    code = 0
    if table.overall.altered:
        click.echo(f"{table.overall.altered} of {table.overall.episodes} transcripts are not what comes back", err=True)
        code = 1
    if wanted is not None:
        name, least = wanted
        tally = table.overall
        found = (tally.passed if name == "pass" else tally.reward) / tally.episodes
        if found < least:
            click.echo(f"{name} is {found:.3f}, at least {least:g} is wanted", err=True)
            code = 1
    return code


@episodes.command(short_help="Serve rows to agents, over OpenEnv or MCP.")
@click.argument("recipe", type=RECIPE, metavar="RECIPE")
@click.option("--openenv", "as_openenv", is_flag=True, help="All rows, over WebSocket, to OpenEnv's clients.")
@click.option("--host", metavar="HOST", help="With --openenv: the address to listen at [127.0.0.1].")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="With --openenv: the port; 0: any [8000].")
@click.option("--mcp", "as_mcp", is_flag=True, help="One row, over stdin and stdout, by the Model Context Protocol.")
@click.option("--index", type=click.IntRange(min=0), metavar="N", help="With --mcp: the row that is played.")
@click.option("--transcript", type=_FILE, metavar="FILE", help="With --mcp: add transcript and score to this file.")
def serve(
    recipe: Path,
    as_openenv: bool,
    host: str | None,
    port: int | None,
    as_mcp: bool,
    index: int | None,
    transcript: Path | None,
) -> None:
    """Serve rows of RECIPE as episodes: all of them with --openenv, until it is interrupted; one with --mcp, until the client is gone.

    The tools are those of the row, and one to talk to the user.
    """
    if as_openenv == as_mcp:
        raise click.UsageError("one of --openenv and --mcp is expected")
    if as_openenv and (index is not None or transcript is not None):
        raise click.UsageError("--index and --transcript go with --mcp; clients of --openenv say which row they want")
    if as_mcp and (host is not None or port is not None):
        raise click.UsageError("--host and --port go with --openenv")
    if as_mcp and index is None:
        raise click.UsageError("--mcp needs --index N: the row that is played")
    if index is None:
        _serve_openenv(recipe, host or "127.0.0.1", 8000 if port is None else port)
        return
    from generator.episodes.mcp import serve_mcp
    from generator.formats.sinks.disk import check_can_write

    if transcript is not None:
        check_can_write(transcript)
    episode = open_tasks(recipe).episode()
    episode.reset(index)
    serve_mcp(episode, transcript)


def _serve_openenv(recipe: Path, host: str, port: int) -> None:
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


episodes.add_command(play)
