"""How a run is followed: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from generator.cli.screen.terminal import count, on_one_line, printable
from generator.llm.account import cost_in_words
from generator.llm.learning import in_words
from generator.run.engine.progress import Event, Listener, RowsMade, RunStarted, Writing

_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 5.0


@contextmanager
def follow(quiet: bool) -> Iterator[Listener]:
    """A listener that tells the user how far a run is, on standard error; what it leaves out also when quiet."""
    if quiet:
        yield lambda event: _warn(event, lambda line: click.echo(line, err=True))
    elif sys.stderr.isatty():
        with _bar() as listener:
            yield listener
    else:
        yield _lines()


def _teller(say: Callable[[str], None]) -> Listener:
    """Return what says how far a model is that writes scripts, what servers do not take, each once, and what a run leaves out."""
    told: set[str] = set()

    def tell(event: Event) -> None:
        account = event.account if isinstance(event, Writing | RowsMade) else None
        for learnt in account.learnt if account is not None else ():
            if learnt not in told:
                told.add(learnt)
                say(on_one_line(f"note: {in_words(learnt)}"))
        if isinstance(event, Writing):
            say(on_one_line(f"{event.step}: {event.done} of {event.of}, {cost_in_words(event.account)}"))
        _warn(event, say)

    return tell


def _warn(event: Event, say: Callable[[str], None]) -> None:
    """Name what a run leaves out."""
    for left_out in event.left_out if isinstance(event, RunStarted) else ():
        say(on_one_line(f"warning: {left_out}"))


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("rows · {task.fields[speed]}{task.fields[cost]} ·", markup=False),
        TimeRemainingColumn(),
        TextColumn("left", markup=False),
    )
    # drawn when something is told, not by a thread of its own: a process with threads is not easily copied
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        task = progress.add_task("getting ready", total=None, speed="–", cost="")
        drawn = started = time.perf_counter()
        there = 0
        tell = _teller(lambda line: progress.console.print(line, markup=False, highlight=False))

        def listener(event: Event) -> None:
            nonlocal drawn, started, there
            now = time.perf_counter()
            tell(event)
            if isinstance(event, RunStarted):
                started, there = now, event.there
                name = printable(event.recipe.name) + (" goes on" if there else "")
                progress.update(task, description=name, total=_rows(event), completed=there, refresh=True)
            elif isinstance(event, RowsMade) and (now - drawn >= _REDRAW_SECONDS or event.made == event.of):
                drawn = now
                speed = _speed(event.made - there, now - started)
                progress.update(task, completed=event.made, speed=speed, cost=_cost(event), refresh=True)

        yield listener


def _lines() -> Listener:
    told = started = time.perf_counter()
    there = 0
    tell = _teller(lambda line: click.echo(line, err=True))

    def listener(event: Event) -> None:
        nonlocal told, started, there
        now = time.perf_counter()
        tell(event)
        if isinstance(event, RunStarted):
            told, started, there = now, now, event.there
            click.echo(printable(f"{event.recipe.name}: {_what(event)} to {event.out}"), err=True)
        elif isinstance(event, RowsMade) and (now - told >= _LINE_SECONDS or event.made == event.of):
            told = now
            seconds, new = now - started, event.made - there
            left = (
                ""
                if event.made == event.of or not new
                else f" · {_clock(seconds * (event.of - event.made) / new)} left"
            )
            line = f"{event.made:,} of {event.of:,} rows · {_speed(new, seconds)}{_cost(event)}{left}"
            click.echo(line, err=True)

    return listener


def _cost(event: RowsMade) -> str:
    """Return what asking a model has cost, if one is asked."""
    account = event.account
    if account is None:
        return ""
    asked = f"{account.requests:,} requests, {account.tokens:,} tokens, {cost_in_words(account)}"
    return f" · {asked}, {account.cache_hits:,} from cache" if account.cache_hits else f" · {asked}"


def _rows(event: RunStarted) -> int:
    return event.recipe.rows if event.rows is None else event.rows


def _what(event: RunStarted) -> str:
    rows = count(_rows(event), "row", "rows")
    return f"going on with {rows}, of which {event.there:,} are there," if event.there else rows


def _speed(rows: int, seconds: float) -> str:
    """Return a speed as `1,234 rows/s`, or in rows a minute below one row a second."""
    if seconds <= 0:
        return "–"
    return f"{rows / seconds:,.0f} rows/s" if rows >= seconds else f"{rows * 60 / seconds:,.1f} rows/min"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
