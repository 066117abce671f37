"""`run --dry-run`: what a run would do, and its first rows."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from generator.cli.screen.page import print_document, print_row
from generator.cli.screen.terminal import count, on_one_line
from generator.core.errors import RowError
from generator.formats.run_folder.files import MANIFEST, Layout, all_shards, file_names
from generator.formats.run_folder.proof_line import proof_line
from generator.llm.account import estimate_in_words
from generator.llm.asking import Estimate, Request, tokens_in
from generator.llm.open import check_prices
from generator.llm.providers import price_of
from generator.recipe import Recipe
from generator.recipe.llm import Llm
from generator.report.files.show import show_row
from generator.run.authoring.in_run import estimated, needs_writing
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.until_covered import settle_rows
from generator.run.row import MadeRow, PreparedRecipe
from generator.run.stages.judge import JUDGED_ATTEMPTS
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
    if needs_writing(recipe):
        _print_writing(recipe)
    else:
        _print_plan(recipe, folder, layout)


def _print_plan(recipe: Recipe, folder: Path, layout: Layout) -> None:
    recipe = settle_rows(recipe)
    if recipe.llm is not None:
        check_prices(recipe.llm)
    asker = Estimate(recipe.llm) if recipe.llm is not None else None
    prepared = prepare_usable(recipe, asker=asker)
    rows = range(min(_SAMPLES if asker is None else _ASKED, recipe.rows))
    made = [row for index in rows if isinstance(row := make_checked_row(prepared, index), MadeRow)]
    if not made:
        raise RowError(f"none of the first {count(len(rows), 'row', 'rows')} could be made")
    for name, text in _plan(prepared, folder, layout):
        click.echo(f"{name:<11}{on_one_line(text)}")
    if asker is not None:
        for name, text in _estimate(prepared, asker, made):
            click.echo(f"{name:<11}{on_one_line(text)}")
    for index, row in enumerate(made[:_SAMPLES]):
        click.echo("")
        if row.row.document is not None:
            print_document(f"Row {index}", row.row.document, row.row.tags)
        else:
            print_row(f"Row {index}", show_row(row.row.conversation, proof_line(row.row)))


def _print_writing(recipe: Recipe) -> None:
    """Print what it takes to have the scripts of a recipe written; there are no rows before that."""
    assert recipe.llm is not None
    asked = estimated(recipe)
    told = "there are enough" if asked is None else estimate_in_words(asked, recipe.llm.of("scripts-0"))
    click.echo(f"scripts    {told}")


def _estimate(prepared: PreparedRecipe, asker: Estimate, made: list[MadeRow]) -> Iterator[tuple[str, str]]:
    """Yield (name, value) lines of an estimate of the requests to the model, without retries; it is made from a few rows, and no model is asked."""
    settings, recipe, rows = asker.settings, prepared.recipe, len(made)
    # a pool is filled once for each tool, and with many rows every tool is used
    pools = len(prepared.toolbox) / len(asker.pools) if asker.pools and recipe.rows > rows else 1.0
    weights = {"arguments": pools}
    usual = _Load.of(asker.requests, weights, recipe.rows / rows, settings)
    second = _Load.of(asker.seconds, weights, recipe.rows / rows, settings)
    yield "model", f"{_named(settings)}, {settings.concurrency} requests in flight"
    for use, model in settings.uses.items():
        if _named(model) != _named(settings):
            yield use, _named(model)
    most = usual.requests + second.requests
    yield "asks", f"about {usual.requests:,} requests, {usual.sent:,} tokens in, {usual.received:,} tokens out"
    if second.requests:
        what = f"{most:,} requests, {usual.sent + second.sent:,} tokens in, {usual.received + second.received:,} tokens out"
        yield "at most", f"{what}: what cannot be used is asked for once more"
    outcomes = Counter(outcome for row in made for use, outcome in row.notes if use == RESULTS)
    if outcomes[NOT_ASKED]:
        share = outcomes[NOT_ASKED] / outcomes.total()
        yield (
            "results",
            f"about {share:.0%} of the calls leave the model nothing to make: arguments, entities and formulas decide their results",
        )
    if recipe.judge is not None:
        yield "judge", f"may take up to {JUDGED_ATTEMPTS} times as many: rows below its threshold are made again"
    if usual.usd is None or second.usd is None:
        yield "cost", "price unknown; llm.price tells it"
    else:
        yield "cost", f"about ${usual.usd:,.4f}, at most ${usual.usd + second.usd:,.4f}"


def _named(model: Llm) -> str:
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
        unpriced = False
        prices = {use: price_of(settings.of(use)) for use in {request.use for request in asked}}
        for request in asked:
            times = weights.get(request.use, share)
            tokens, answer = tokens_in(request), min(_ANSWER_TOKENS, settings.of(request.use).max_tokens)
            found, sent, received = found + times, sent + times * tokens, received + times * answer
            price = prices[request.use]
            unpriced |= price is None
            usd += times * (tokens * price[0] + answer * price[1]) / 1e6 if price else 0.0
        return cls(round(found), round(sent), round(received), None if unpriced else usd)


def _plan(prepared: PreparedRecipe, folder: Path, layout: Layout) -> list[tuple[str, str]]:
    recipe = prepared.recipe
    domains = Counter(spec.domain for spec in prepared.toolbox.values())
    tools = ", ".join(f"{name} {n}" for name, n in domains.items())
    first, last = recipe.today
    arguments = recipe.arguments
    return [
        ("recipe", f"{recipe.name} ({recipe.path})"),
        ("rows", f"{recipe.rows:,} with seed {recipe.seed}"),
        ("tools", f"{count(len(prepared.toolbox), 'tool', 'tools')}: {tools}"),
        ("offer", f"the tools called and {_range(recipe.offer.distractors)} others"),
        ("scenarios", _shares(recipe.scenarios)),
        *[("left out", str(one)) for one in prepared.left_out],
        ("calls", f"{_range(recipe.calls)} in a parallel step, chains of {_range(recipe.steps)} steps"),
        (
            "arguments",
            f"{_shares(arguments.source)}; edge cases {arguments.edge_cases:.0%}, optional ones {arguments.optional:.0%}"
            + (f"; {count(len(arguments.overrides), 'override', 'overrides')}" if arguments.overrides else ""),
        ),
        *([("coverage", f"{recipe.coverage}: {len(prepared.aims.targets):,} combinations")] if prepared.aims else []),
        ("system", f"{count(len(recipe.system), 'message', 'messages')}" if recipe.system else "no system message"),
        ("today", str(first) if first == last else f"a day from {first} to {last}"),
        *([("splits", _shares(recipe.splits))] if recipe.splits else []),
        ("files", f"{folder}/: {', '.join([*_files(recipe, layout), MANIFEST])}"),
    ]


def _files(recipe: Recipe, layout: Layout) -> list[str]:
    return list(dict.fromkeys(map(all_shards, file_names(recipe, layout))))


def _shares(weights: tuple[tuple[str, float], ...]) -> str:
    total = sum(weight for _, weight in weights)
    return ", ".join(f"{name} {weight / total:.0%}" for name, weight in weights)


def _range(pair: tuple[int, int]) -> str:
    low, high = pair
    return str(low) if low == high else f"{low} to {high}"
