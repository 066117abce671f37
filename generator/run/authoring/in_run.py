"""Scripts that a run needs and nobody has written: a model writes them before the first row is made.

Worlds come first, for the tools of files of which nothing tells what they do; then as many scripts as the rows need. All of it stands in the folder
of the run, and rows are made of it as of files that the recipe names. Answers are kept, so that the same run makes the same again without asking.
"""

import asyncio
import re
from bisect import bisect_right
from itertools import accumulate
from math import ceil
from pathlib import Path

import msgspec

from generator.core.errors import RecipeError, StoppedError
from generator.core.files import is_remote
from generator.core.toolbox import Toolbox
from generator.formats.sinks import write_whole, writing
from generator.llm.account import Account, Estimated, estimate_in_words
from generator.llm.asking import ModelAnswer, Request
from generator.llm.open import open_session
from generator.llm.session import Session
from generator.recipe import Recipe, ToolFile
from generator.run.authoring.asking import Asked, Tell
from generator.run.authoring.author import People, author, estimate
from generator.run.authoring.scripts import Brief, scripts_text, source_text
from generator.run.authoring.world import known_world, write_world
from generator.run.engine.progress import Listener, Writing
from generator.run.preparing.loading import load
from generator.scenarios.scripts import load_scripts, script_tools
from generator.tools.specs.load import load_toolbox

WORLD, SCRIPTS, CACHE = "world.{}.yaml", "scripts.yaml", "llm-cache.sqlite"
_USE = "scripts"
_MOST_TOLD = 10
_GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly."""


def needs_writing(recipe: Recipe) -> bool:
    """Whether a model is to write scripts for a recipe."""
    return recipe.scripts is not None and bool(recipe.scripts.asked)


def as_written(recipe: Recipe, folder: Path) -> Recipe:
    """Return the recipe with what was written for it in the folder of its run, in place of who writes.

    Raises:
        RecipeError: when nothing was written there.
    """
    if not needs_writing(recipe):
        return recipe
    written = [folder / SCRIPTS] if (folder / SCRIPTS).is_file() else []
    if not written and recipe.scripts is not None and not recipe.scripts.files:
        raise RecipeError(f"{folder / SCRIPTS}: a model writes the scripts of this recipe in a run, and there was none")
    worlds = [folder / WORLD.format(at) for at, _ in enumerate(recipe.tools)]
    tools = [_under(one, world) if world.is_file() else one for one, world in zip(recipe.tools, worlds, strict=True)]
    return _with(msgspec.structs.replace(recipe, tools=tuple(tools)), tuple(written))


def write_missing(recipe: Recipe, folder: Path, listener: Listener, *, cache_only: bool = False) -> Recipe:
    """Have worlds and scripts written that the rows of a recipe need, and return the recipe with them in place of who writes.

    Args:
        recipe: The recipe.
        folder: Of its run, in which they are put.
        listener: Told of every step.
        cache_only: Take answers from the cache alone.

    Raises:
        StoppedError: when the budget is reached, or the server only fails.
        RecipeError: when fewer scripts hold than the rows need.
    """
    if is_remote(folder):
        raise RecipeError(f"{folder}: what a model writes for this recipe needs a folder on a disk")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_written(recipe, folder, listener, cache_only))


def estimated(recipe: Recipe) -> Estimated | None:
    """Estimate what writing will take, without asking; None where there are enough scripts."""
    tools = [(source, load_toolbox([source], seed=recipe.seed)) for source in recipe.tools]
    toolbox = {name: spec for _, found in tools for name, spec in found.items()}
    number = _missing(recipe, toolbox)
    is_known = all(_is_known(found) for _, found in tools)
    return estimate(toolbox, number, is_known=is_known, is_judged=False) if number > 0 else None


async def _written(recipe: Recipe, folder: Path, listener: Listener, cache_only: bool) -> Recipe:
    assert recipe.scripts is not None
    wanted = recipe.scripts
    uses = {f"{_USE}-{at}": one for at, (one, _) in enumerate(wanted.asked)}
    settings = msgspec.structs.replace(wanted.asked[0][0], uses=uses)
    async with open_session(settings, folder / CACHE, _USE, cache_only=cache_only) as session:

        def tell(step: str, done: int, number: int) -> None:
            listener(Writing(step, done, number, session.account))

        if asked_for := estimated(recipe):
            tell(estimate_in_words(asked_for, settings), 0, asked_for.requests)
        writer = _Writers(session, tuple(accumulate([weight for _, weight in wanted.asked])))
        try:
            tools = [
                await _described(writer, one, folder / WORLD.format(at), recipe.seed, tell)
                for at, one in enumerate(recipe.tools)
            ]
            recipe = msgspec.structs.replace(recipe, tools=tuple(tools))
            toolbox = load(recipe).toolbox
            number = _missing(recipe, toolbox)
            if number <= 0:
                return _with(recipe, ())
            assert isinstance(wanted.topics, tuple)  # files are read with the recipe
            assert isinstance(wanted.people, tuple)
            people, brief = People(writer=writer), Brief(topics=wanted.topics, people=wanted.people)
            done = await author(toolbox, known_world(toolbox), people, number, tell, brief)
            if done.stopped:
                raise StoppedError(done.stopped)
        except StoppedError as fault:
            raise StoppedError(f"{fault}\nAll answers so far are kept in {settings.cache or folder / CACHE}.") from None
    if len(done.scripts) < number:
        faults = "".join([f"\n  {why}" for why in [*done.dropped][:_MOST_TOLD]])
        each = f"more rows of each (`per_script`, now {wanted.per_script})"
        raise RecipeError(
            f"scripts: {number:,} scripts are needed, and {len(done.scripts):,} of those that were written hold: ask for fewer rows, "
            f"or {each}, or another model{faults}"
        )
    title = f"Scripts that a model wrote for the rows of {recipe.name}."
    text = scripts_text(done.scripts, [source_text(one, folder) for one in recipe.tools], title)
    write_whole(folder / SCRIPTS, [text.encode()])
    return _with(recipe, (folder / SCRIPTS,))


async def _described(writer: "_Writers", source: ToolFile, world: Path, seed: int, tell: Tell) -> ToolFile:
    """Return a source of tools under a world, which is written where nothing tells what its tools do."""
    tools = load_toolbox([source], seed=seed)
    if _is_known(tools):
        return source
    tell(f"world of {source.title}", 0, 1)
    text = (await write_world(writer, tools)).text(f"What a model says of the tools of {source.title}.")
    write_whole(world, [text.encode()])
    return _under(source, world)


def _is_known(tools: Toolbox) -> bool:
    """Whether it is known what some tools do, or what all return."""
    return any(one.effect is not None for one in tools.values()) or all(
        one.returns is not None for one in tools.values()
    )


def _missing(recipe: Recipe, toolbox: Toolbox) -> int:
    """Return how many scripts the rows need beside those of the files that the recipe names."""
    assert recipe.scripts is not None
    there = len(load_scripts(_with(recipe, ()), script_tools(toolbox, {})).scripts) if recipe.scripts.files else 0
    return ceil(recipe.rows * recipe.scripts.share / recipe.scripts.per_script) - there


def _with(recipe: Recipe, more: tuple[Path, ...]) -> Recipe:
    """Return the recipe with more files of scripts, and nobody who writes any."""
    assert recipe.scripts is not None
    files = (*recipe.scripts.files, *more)
    scripts = msgspec.structs.replace(recipe.scripts, asked=(), topics=(), people=(), files=files)
    return msgspec.structs.replace(recipe, scripts=scripts)


def _under(source: ToolFile, world: Path) -> ToolFile:
    return msgspec.structs.replace(source, overlays=(*source.overlays, world), describe="bare")


class _Writers(msgspec.Struct, frozen=True):
    """Several models on one session: each request goes to one of them by its number, and what is asked after it to the same."""

    session: Session
    bounds: tuple[float, ...]
    """Their weights, added up."""

    @property
    def account(self) -> Account:
        """What all of them have cost so far."""
        return self.session.account

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Ask one of the models, or the cache."""
        first = re.sub(r"-(?:mended|judged).*", "", asked.name)
        number = int(re.sub(r".*-", "", first)) if first[-1].isdigit() else 0
        at = bisect_right(self.bounds, number * _GOLDEN % 1 * self.bounds[-1])
        return await self.session.answer(Request(messages=asked.messages, use=f"{_USE}-{at}"))
