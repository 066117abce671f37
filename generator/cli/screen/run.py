"""What `run` prints: the plan of a run, its progress, and the short table at its end."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from generator.cli.rules import rule_statements
from generator.cli.screen.page import print_row
from generator.cli.screen.terminal import count, on_one_line, print_table, printable
from generator.core.errors import RowError
from generator.formats.files.lengths import LengthCounts
from generator.formats.run_folder.files import MANIFEST, Layout, all_shards, file_names
from generator.formats.run_folder.proof_line import proof_line
from generator.formats.run_folder.tally import Tally
from generator.llm.asking import Estimate, Request, cost_in_words, estimate_in_words, tokens_in
from generator.llm.providers import in_words, price_of
from generator.llm.session import check_prices
from generator.recipe import Recipe
from generator.recipe.llm import Llm
from generator.report.files.show import show_row
from generator.run.engine.checked_row import make_checked_row, settle_rows
from generator.run.engine.progress import Event, Listener, RowsMade, RunFinished, RunStarted, Writing, Written
from generator.run.row import MadeRow, PreparedRecipe
from generator.run.stages.attempts import JUDGED_ATTEMPTS
from generator.run.usable import prepare_usable
from generator.world.llm import NOT_ASKED
from generator.world.llm import USE as RESULTS

_SAMPLES = 3
_ASKED = 20
"""Rows that are made to find out what a model will be asked."""
_ANSWER_TOKENS = 120
"""Tokens of a usual answer."""


def print_plan(recipe: Recipe, folder: Path, layout: Layout) -> None:
    """Print the plan of a run and three of its rows, or what it takes to have its scripts written; nothing is written."""
    if recipe.scripts is not None and recipe.scripts.asked:  # there are no rows before that
        from generator.run.authoring.author import estimated  # and with it all that asks a model

        assert recipe.llm is not None
        asked = estimated(recipe)
        click.echo(
            f"scripts    {estimate_in_words(asked, recipe.llm.of('scripts-0')) if asked else 'there are enough'}"
        )
        return
    recipe = settle_rows(recipe)
    if recipe.llm is not None:
        check_prices(recipe.llm)
    asker = Estimate(recipe.llm) if recipe.llm is not None else None
    prepared = prepare_usable(recipe, asker=asker)
    rows = range(min(_SAMPLES if asker is None else _ASKED, recipe.rows))
    made = [row for index in rows if isinstance(row := make_checked_row(prepared, index), MadeRow)]
    if not made:
        raise RowError(f"none of the first {count(len(rows), 'row', 'rows')} could be made")
    load = [] if asker is None else _estimate(prepared, asker, made)
    for name, text in (*_plan(prepared, folder, layout), *load):
        click.echo(f"{name:<11}{on_one_line(text)}")
    for index, row in enumerate(made[:_SAMPLES]):
        click.echo("")
        print_row(f"Row {index}", show_row(row.row.document or row.row.conversation, proof_line(row.row)))


def _estimate(prepared: PreparedRecipe, asker: Estimate, made: list[MadeRow]) -> Iterator[tuple[str, str]]:
    """Yield (name, value) lines of an estimate of the requests to the model, without retries; it is made from a few rows, and no model is asked."""
    settings, recipe, rows = asker.settings, prepared.recipe, len(made)
    # a pool is filled once for each tool, and with many rows every tool is used
    pools = len(prepared.toolbox) / len(asker.pools) if asker.pools and recipe.rows > rows else 1.0
    weights = {"arguments": pools}
    usual = _Load.of(asker.requests, weights, recipe.rows / rows, settings)
    second = _Load.of(asker.seconds, weights, recipe.rows / rows, settings)
    yield "model", f"{_model_in_words(settings)}, {settings.concurrency} requests in flight"
    for use, model in settings.uses.items():
        if _model_in_words(model) != _model_in_words(settings):
            yield use, _model_in_words(model)
    most = usual.requests + second.requests
    yield "asks", f"about {usual.requests:,} requests, {usual.sent:,} tokens in, {usual.received:,} tokens out"
    if second.requests:
        what = f"{most:,} requests, {usual.sent + second.sent:,} tokens in, {usual.received + second.received:,} tokens out"
        yield "at most", f"{what}: what cannot be used is asked for once more"
    outcomes = Counter(outcome for row in made for use, outcome in row.notes if use == RESULTS)
    if outcomes[NOT_ASKED]:
        share = outcomes[NOT_ASKED] / outcomes.total()
        decided = "leave the model nothing to make: arguments, entities and formulas decide their results"
        yield "results", f"about {share:.0%} of the calls {decided}"
    if recipe.judge is not None:
        yield "judge", f"may take up to {JUDGED_ATTEMPTS} times as many: rows below its threshold are made again"
    if usual.usd is None or second.usd is None:
        yield "cost", "price unknown; llm.price tells it"
    else:
        yield "cost", f"about ${usual.usd:,.4f}, at most ${usual.usd + second.usd:,.4f}"


def _model_in_words(model: Llm) -> str:
    """Return a model's name, and where it is."""
    where = model.api_base or next((words for start, words in _WHERE.items() if model.model.startswith(start)), "")
    return f"{model.model} ({where or 'through litellm'})"


_WHERE = {"local": "on this machine", "openai/": "OpenAI"}


class _Load(NamedTuple):
    """Requests, and tokens of them and of their answers."""

    requests: int
    sent: int
    received: int
    usd: float | None
    """None: the price of a model is not known."""

    @classmethod
    def of(cls, asked: list[Request], weights: dict[str, float], share: float, settings: Llm) -> "_Load":
        """Return the load of a whole run, extrapolated from that of a few rows; some uses have a weight of their own."""
        found, sent, received, usd = 0.0, 0.0, 0.0, 0.0
        prices = {use: price_of(settings.of(use)) for use in {request.use for request in asked}}
        for request in asked:
            times, (in_price, out_price) = weights.get(request.use, share), prices[request.use] or (0.0, 0.0)
            tokens, answer = tokens_in(request), min(_ANSWER_TOKENS, settings.of(request.use).max_tokens)
            found, sent, received = found + times, sent + times * tokens, received + times * answer
            usd += times * (tokens * in_price + answer * out_price) / 1e6
        return cls(round(found), round(sent), round(received), None if None in prices.values() else usd)


def _plan(prepared: PreparedRecipe, folder: Path, layout: Layout) -> list[tuple[str, str]]:
    """Return the plan of a run as (name, text) lines."""
    recipe = prepared.recipe
    domains = Counter(spec.domain for spec in prepared.toolbox.values())
    tools = ", ".join(f"{name} {n}" for name, n in domains.items())
    first, last = recipe.today
    arguments = recipe.arguments
    files = [*dict.fromkeys(map(all_shards, file_names(recipe, layout))), MANIFEST]
    chances = f"edge cases {arguments.edge_cases:.0%}, optional ones {arguments.optional:.0%}"
    overridden = f"; {count(len(arguments.overrides), 'override', 'overrides')}" if arguments.overrides else ""
    return [
        ("recipe", f"{recipe.name} ({recipe.path})"),
        ("rows", f"{recipe.rows:,} with seed {recipe.seed}"),
        ("tools", f"{count(len(prepared.toolbox), 'tool', 'tools')}: {tools}"),
        ("offer", f"the tools called and {_range(recipe.offer.distractors)} others"),
        ("scenarios", _shares(recipe.scenarios)),
        *[("left out", str(one)) for one in prepared.left_out],
        ("calls", f"{_range(recipe.calls)} in a parallel step, chains of {_range(recipe.steps)} steps"),
        ("arguments", f"{_shares(arguments.source)}; {chances}{overridden}"),
        *([("coverage", f"{recipe.coverage}: {len(prepared.aims.targets):,} combinations")] if prepared.aims else []),
        ("system", f"{count(len(recipe.system), 'message', 'messages')}" if recipe.system else "no system message"),
        ("today", str(first) if first == last else f"a day from {first} to {last}"),
        *([("splits", _shares(recipe.splits))] if recipe.splits else []),
        ("files", f"{folder}/: {', '.join(files)}"),
    ]


def _shares(weights: tuple[tuple[str, float], ...]) -> str:
    total = sum(weight for _, weight in weights)
    return ", ".join(f"{name} {weight / total:.0%}" for name, weight in weights)


def _range(pair: tuple[int, int]) -> str:
    low, high = pair
    return str(low) if low == high else f"{low} to {high}"


_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 5.0


@contextmanager
def follow(quiet: bool) -> Iterator[Listener]:
    """A listener that prints how far a run is, on standard error; what it leaves out also when quiet."""
    if quiet:
        yield lambda event: _warn(event, _print_remark)
    elif sys.stderr.isatty():
        with _bar() as listener:
            yield listener
    else:
        yield _listener(_print_remark, _LINE_SECONDS, _print_line)


def _print_remark(line: str) -> None:
    click.echo(line, err=True)


def _remarks_to(say: Callable[[str], None]) -> Listener:
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


ShowProgress = Callable[[RunStarted | RowsMade, float, int], None]
"""Called with what is to be shown, the seconds since the rows began, and how many there were then."""


def _listener(say: Callable[[str], None], every: float, show: ShowProgress) -> Listener:
    """Return what says remarks as they come, and shows the start of a run and, every so many seconds, how far it is."""
    shown = started = time.perf_counter()
    there = 0
    tell = _remarks_to(say)

    def listen(event: Event) -> None:
        nonlocal shown, started, there
        now = time.perf_counter()
        tell(event)
        if isinstance(event, RunStarted):
            shown, started, there = now, now, event.there
            show(event, 0.0, there)
        elif isinstance(event, RowsMade) and (now - shown >= every or event.made == event.of):
            shown = now
            show(event, now - started, there)

    return listen


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

        def show(event: RunStarted | RowsMade, seconds: float, there: int) -> None:
            if isinstance(event, RunStarted):
                name = printable(event.recipe.name) + (" goes on" if there else "")
                progress.update(task, description=name, total=_rows(event), completed=there, refresh=True)
            else:
                speed = _speed(event.made - there, seconds)
                progress.update(task, completed=event.made, speed=speed, cost=_cost(event), refresh=True)

        yield _listener(lambda line: progress.console.print(line, markup=False, highlight=False), _REDRAW_SECONDS, show)


def _print_line(event: RunStarted | RowsMade, seconds: float, there: int) -> None:
    """Print how far a run is, on standard error that is no terminal."""
    if isinstance(event, RunStarted):
        click.echo(printable(f"{event.recipe.name}: {_what(event)} to {event.out}"), err=True)
        return
    new, missing = event.made - there, event.of - event.made
    left = f" · {_clock(seconds * missing / new)} left" if new and missing else ""
    click.echo(f"{event.made:,} of {event.of:,} rows · {_speed(new, seconds)}{_cost(event)}{left}", err=True)


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
    """Return seconds as `1:02:03`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


_MOST_LACKING = 10
"""The most tools that are named for incomplete coverage."""
_MOST_NAMED = 3
"""The most names that are printed of those with more than their share."""


def print_summary(finished: RunFinished) -> None:
    """Print what a run made to standard output."""
    tally = finished.tally
    statements = rule_statements()
    if not finished.made:
        click.echo(on_one_line(f"{finished.out}: the run was finished already; nothing was made"))
    print_table("rows by scenario", [(name, f"{n:,}", "") for name, n in _largest_first(tally.scenarios)])
    if tally.scripts:
        rows, most = sum(tally.scripts.values()), max(tally.scripts.values())
        scripts = count(len(tally.scripts), "script", "scripts")
        print_table("conversations of scripts", [(f"{rows:,}", scripts, f"one makes {most:,} at most")])
    print_table("rows by split", [(name, f"{n:,}", "") for name, n in tally.splits.items()])
    print_table(
        "attempts rejected by rule (made again)",
        [(code, f"{n:,}", statements.get(code, "")) for code, n in _largest_first(tally.rejected)],
    )
    print_table("coverage (pairwise)", _coverage(tally))
    print_table("rows removed", _removed(tally))
    print_table(
        "rows that a format cannot carry",
        [(name, f"{n:,}", reason) for name, reasons in tally.refused.items() for reason, n in _largest_first(reasons)],
    )
    print_table(
        "rows that lost something",
        [(name, f"{n:,}", what) for name, parts in tally.lost.items() for what, n in _largest_first(parts)],
    )
    _print_model(finished)
    print_table("tokens of a record", [(name, *_length(lengths)) for name, lengths in tally.lengths.items()])
    print_table(
        "files",
        [(name, count(rows, "line", "lines"), _size(size)) for name, rows, size in _without_shards(finished.files)],
    )


def _length(lengths: LengthCounts) -> tuple[str, str]:
    """Return the tokens that half of the records have at most, and a remark on the others."""
    found = lengths.summary()
    if found is None:
        return "", ""
    return f"{found.p50:,}", f"half of them; {found.p95:,} 95 %; {found.longest:,} the longest"


def _print_model(finished: RunFinished) -> None:
    """Print the requests to a model, the outcomes of its answers, and the cost."""
    tally, account = finished.tally, finished.account
    for use, outcomes in tally.llm.items():
        total = sum(outcomes.values())
        lines = [(outcome, f"{n:,}", f"{n / total:.0%}") for outcome, n in _largest_first(outcomes)]
        print_table(f"{use} by the model", lines)
    print_table("rows by score", [(score, f"{tally.scores[score]:,}", "") for score in sorted(tally.scores)])
    if account is not None:
        lines = [
            ("requests", f"{account.requests:,}", count(account.retries, "retry", "retries")),
            ("from cache", f"{account.cache_hits:,}", ""),
            ("tokens in", f"{account.prompt_tokens:,}", ""),
            ("tokens out", f"{account.completion_tokens:,}", cost_in_words(account)),
        ]
        print_table("asking the model", lines)


def _without_shards(files: tuple[Written, ...]) -> list[tuple[str, int, int]]:
    """Return name, rows and bytes of every file, the shards of a file as one."""
    sums: dict[str, tuple[int, int]] = {}
    for file in files:
        name = str(file.path.with_name(all_shards(file.path.name)))
        rows, size = sums.get(name, (0, 0))
        sums[name] = (rows + file.rows, size + file.bytes)
    return [(name, rows, size) for name, (rows, size) in sums.items()]


def _removed(tally: Tally) -> list[tuple[str, str, str]]:
    """Return how many rows are like earlier ones, each kind on a line, and how many too many of something."""
    lines = [(f"dedup: {kind}", f"{n:,}", _ALIKE[kind]) for kind, n in tally.removed.get("dedup", {}).items()]
    for key, otherwise in (("max_share", "nothing has more than its share"), ("solve", ""), ("failed", "")):
        counts = tally.removed.get(key)
        if counts is not None:
            named = [f"{name} {n:,}" for name, n in _largest_first(counts)[:_MOST_NAMED]]
            named += [f"{len(counts) - _MOST_NAMED} more in manifest.json"] if len(counts) > _MOST_NAMED else []
            what = "could not be made, by tool" if key == "failed" else key
            lines.append((what, f"{sum(counts.values()):,}", ", ".join(named) or otherwise))
    return lines


def _coverage(tally: Tally) -> list[tuple[str, str, str]]:
    """Return goals reached of those possible: of all tools, then of those that lack most."""
    counts = {name: (len(tally.reached.get(name, ())), possible) for name, possible in tally.possible.items()}
    lacking = sorted(
        (name for name, (reached, possible) in counts.items() if reached < possible),
        key=lambda name: counts[name][0] - counts[name][1],
    )
    if not counts:
        return []
    reached, possible = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    what = "every enum value, both states of every optional parameter, every pair of states"
    rows = [(count(len(counts), "tool", "tools"), f"{reached:,} of {possible:,}", what)]
    rows += [(name, f"{counts[name][0]:,} of {counts[name][1]:,}", "") for name in lacking[:_MOST_LACKING]]
    if len(lacking) > _MOST_LACKING:
        rows.append((f"{len(lacking) - _MOST_LACKING} more", "", "manifest.json has all of them"))
    return rows


def _largest_first(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: -pair[1])


def _size(number: int) -> str:
    """Return a number of bytes as `1.2 MB`."""
    size = float(number)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


_ALIKE = {
    "row": "the same as an earlier one",
    "request": "the same request as an earlier one",
    "near request": "nearly the request of an earlier one",
}
