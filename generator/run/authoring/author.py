"""Worlds and scripts, written by a model or by whoever answers its prompts: for files (`author`), and in a run (`with_worlds`, `ScriptsOfRun`).

For files: the world in one request, shown back with results of its tools until it is sound; scripts, a few a request, over all shapes and
tools, mended by their faults; then more for tools that no script calls yet. What is left at fault is dropped, script by script and wording by
wording, never a tool.

In a run: scripts that it needs and nobody has written. Worlds come first, for the tools of files of which nothing tells what they do. Then scripts are asked for, a few a request; what a request asks for
follows from its number alone, and as soon as those before it are answered, the rows that its scripts are for are made. All of it stands in the
folder of the run. Answers are kept, so that the same run makes the same again without asking.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice, takewhile
from math import ceil
from pathlib import Path

import msgspec

from generator.core.documents import Document, parse_yaml
from generator.core.errors import RecipeError, SpecError, StoppedError
from generator.core.files import is_remote, read_regular
from generator.core.toolbox import Toolbox
from generator.formats.sinks import write_whole, writing
from generator.llm.asking import Account, Estimated, ModelAnswer, Request, estimate_in_words, tokens_in
from generator.llm.session import Session, open_session
from generator.recipe import Recipe, ToolFile
from generator.run.authoring.asking import Answering, Asked, Tell, WaitingError, all_of
from generator.run.authoring.scripts import (
    AT_ONCE,
    Batch,
    Kept,
    Writing,
    scripts_request,
    scripts_text,
    scripts_wanted,
    source_text,
)
from generator.run.authoring.world import World, known_world, world_request, write_world
from generator.run.engine.progress import Listener
from generator.run.engine.progress import Writing as Told
from generator.run.overlays.preferences import weigh_defects
from generator.run.prepared import PreparedRecipe
from generator.run.row import rejected_of
from generator.scenarios.scripts import WrittenScripts, load_scripts, script_tools, scripts_in
from generator.scenarios.scripts.check import checked
from generator.tools.specs.load import load_toolbox

ROUNDS = 3
"""How often scripts are asked for: all that are wanted, then some for tools that none calls."""
_WORLD_TOKENS, _RESULT_TOKENS, _SCRIPT_TOKENS, _JUDGED_TOKENS = 300, 200, 400, 500
"""Tokens of the world for each tool, of its results, of a script, and of two rows of it."""


class People(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked."""

    writer: Answering
    judge: Answering | None = None
    """None: nobody reads rows."""


class Authored(msgspec.Struct, kw_only=True):
    """What came of a server, so far."""

    world: World | None = None
    batches: list[Batch] = []
    of_world: list[str] = []
    """What the judge says of the world, which is shown back with it once."""
    waiting: tuple[str, ...] = ()
    """Files of answers that are not there yet."""
    stopped: str = ""
    """Why asking stopped before all was written."""

    @property
    def scripts(self) -> list[Kept]:
        """All that hold, each under a name of its own."""
        by_name: dict[str, Kept] = {}
        for script in [kept for batch in self.batches for kept in batch.kept.values()]:
            renamed = script.beside(by_name)
            by_name[renamed.name] = renamed
        return [*by_name.values()]

    @property
    def dropped(self) -> Iterator[str]:
        """What is wrong with the scripts that do not hold."""
        yield from (why for batch in self.batches for name, why in batch.faults.items() if name not in batch.kept)

    @property
    def without_script(self) -> list[str]:
        """The tools that no script calls."""
        return [] if self.world is None else [name for name in self.world.callable if name not in self.called]

    @property
    def called(self) -> set[str]:
        """The tools that scripts call."""
        return {tool for one in self.scripts if one.trial.script for tool in one.trial.script.tools}


def why_without(done: Authored, tool: str) -> str:
    """Return why no script calls a tool."""
    if done.world is not None and tool not in done.world.callable:
        return "nobody has said what it returns"
    lost = [name for batch in done.batches for name, text in batch.said.items() if tool in text]
    return f"what was written for it does not hold ({', '.join(dict.fromkeys(lost))})" if lost else "none was written"


def scripts_for(tools: Toolbox) -> int:
    """Return how many scripts are usual for so many tools."""
    return max(2 * AT_ONCE, 2 * len(tools))


def estimate(tools: Toolbox, number: int, *, is_known: bool, is_judged: bool) -> Estimated:
    """Estimate what writing will take, without asking: two showings of the world, a mend of each batch, and a second look of the judge at every other."""
    batches = -(-number // AT_ONCE)
    first_wanted = [*islice(scripts_wanted(list(tools.values())), AT_ONCE)]
    each = tokens_in(Request(messages=scripts_request(World(tools=tools), first_wanted, "").messages))
    each += len(tools) * (_WORLD_TOKENS + _RESULT_TOKENS)
    world_tokens = tokens_in(Request(messages=world_request(tools).messages))
    world = 0 if is_known else 3 * (world_tokens + len(tools) * (_WORLD_TOKENS + _RESULT_TOKENS))
    tokens_of_scripts = AT_ONCE * _SCRIPT_TOKENS
    looks = batches + -(-batches // 2) if is_judged else 0
    return Estimated(
        requests=(0 if is_known else 3) + 2 * batches + looks,
        sent=world + batches * (2 * each + 2 * tokens_of_scripts) + looks * AT_ONCE * _JUDGED_TOKENS,
        received=(0 if is_known else len(tools) * _WORLD_TOKENS * 4 // 3)
        + number * _SCRIPT_TOKENS
        + batches * tokens_of_scripts // 2,
    )


async def author(tools: Toolbox, known: World | None, people: People, number: int, tell: Tell) -> Authored:
    """Have a world, unless it is known, and scripts written. What there is when asking stops is returned; asking again goes on from there."""
    done = Authored()
    try:
        if known is None:
            tell("world", 0, 1)
        done.world = known or await write_world(people.writer, tools)
        if not done.world.callable:
            return done
        writing = Writing(done.world, people.writer, people.judge)
        done.of_world = writing.told
        for turn in range(ROUNDS):
            lacking = done.without_script if turn else done.world.callable
            if not lacking:
                break
            specs = [done.world.tools[name] for name in lacking]
            count = len(lacking) if turn else number
            wanted = [*islice(scripts_wanted(specs, turn * (count + 1)), count)]
            name = f"2-scripts-{turn + 1}" if turn else "2-scripts"
            parts = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
            requests = [scripts_request(done.world, part, f"{name}-{at:02d}") for at, part in enumerate(parts, 1)]
            batches = [Batch(asked=msgspec.structs.replace(one, is_later=turn > 0)) for one in requests]
            done.batches += batches
            await _write_batches(writing.write, batches, "scripts for tools without one" if turn else "scripts", tell)
        if writing.of_world and known is None:
            done.world = await write_world(people.writer, tools, writing.of_world)
            again = Writing(done.world, people.writer, None).again
            await _write_batches(again, done.batches, "scripts in the world that the judge wanted", tell)
    except WaitingError as waits:
        done.waiting = waits.files
    except StoppedError as fault:
        done.stopped = str(fault)
    return done


async def _write_batches(
    write: Callable[[Batch], Awaitable[None]], batches: Sequence[Batch], step: str, tell: Tell
) -> None:
    """Have some batches of scripts written at once."""
    finished = 0
    tell(step, 0, len(batches))

    async def write_one(batch: Batch) -> None:
        """Have one batch written, and tell how many are."""
        nonlocal finished
        await write(batch)
        finished += 1
        tell(step, finished, len(batches))

    await all_of([write_one(batch) for batch in batches])


WORLD, SCRIPTS, CACHE = "world.{}.yaml", "scripts.yaml", "llm-cache.sqlite"
USE = "scripts"
"""What asking is called in the account of a run with scripts that are written."""
_MOST = 8
"""How often as many scripts as are needed are asked for at most: some do not hold."""
_MOST_TOLD = 10
_GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly."""
_BEGIN = "\nscripts:\n"
_REQUEST = re.compile(r"^# Request ([0-9]+)$", re.MULTILINE)
"""The line of a file of scripts after which those of a request stand."""


def as_written(recipe: Recipe, folder: Path) -> Recipe:
    """Return the recipe with the worlds that were written for it in the folder of its run.

    Raises:
        RecipeError: when nothing was written there.
    """
    if recipe.scripts is None or not recipe.scripts.asked:
        return recipe
    if not recipe.scripts.files and not (folder / SCRIPTS).is_file():
        raise RecipeError(f"{folder / SCRIPTS}: a model writes the scripts of this recipe in a run, and there was none")
    worlds = [folder / WORLD.format(at) for at, _ in enumerate(recipe.tools)]
    tools = [
        _with_overlay(source, world) if world.is_file() else source
        for source, world in zip(recipe.tools, worlds, strict=True)
    ]
    return _in_run(recipe, tools)


def add_written(prepared: PreparedRecipe, folder: Path) -> None:
    """Add the scripts that were written in the folder of its run to a recipe."""
    if isinstance(prepared.scripts, WrittenScripts) and (folder / SCRIPTS).is_file():
        head, *parts = _REQUEST.split(read_regular(folder / SCRIPTS).decode())
        for number, part in zip(parts[::2], parts[1::2], strict=True):
            add_scripts(prepared, NewScripts(int(number) - 1, head + part))


class NewScripts(msgspec.Struct, frozen=True):
    """The scripts of a request."""

    number: int
    """Of the request, from 0."""
    text: str
    """They and their tools, as a file has them."""


def add_scripts(prepared: PreparedRecipe, new: NewScripts) -> None:
    """Add scripts to a recipe that has not got them yet; with the first ones it is found out what is rejected, where something is."""
    rows, tools = prepared.scripts, prepared.script_tools
    assert isinstance(rows, WrittenScripts)
    if tools is None or new.number < rows.requests:
        return
    written = scripts_in(Document(SCRIPTS, new.text, parse_yaml(new.text, SCRIPTS, SpecError)))
    rows.add([trial.script for trial in (checked(script, tools) for script in written.scripts) if trial.script])
    for part in prepared.parts.values() or [prepared]:
        if part.defects is None and part.writes_preferences:
            weigh_defects(part, rejected_of)


def with_worlds(recipe: Recipe, folder: Path, listener: Listener, *, cache_only: bool = False) -> Recipe:
    """Have the worlds written that the tools of a recipe need, put them in the folder of its run, and return the recipe with them.

    Raises:
        StoppedError: when the budget is reached, or the server only fails.
    """
    if is_remote(folder):
        raise RecipeError(f"{folder}: what a model writes for this recipe needs a folder on a disk")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    unknown = [source for source in recipe.tools if not _is_known(load_toolbox([source], seed=recipe.seed))]
    tools = (
        asyncio.run(_with_written_worlds(recipe, unknown, folder, listener, cache_only)) if unknown else recipe.tools
    )
    return _in_run(recipe, tools)


def estimated(recipe: Recipe) -> Estimated | None:
    """Estimate what writing will take, without asking; None where there are enough scripts."""
    tools = [(source, load_toolbox([source], seed=recipe.seed)) for source in recipe.tools]
    toolbox = {name: spec for _, specs in tools for name, spec in specs.items()}
    assert recipe.scripts is not None
    scripts_there = len(load_scripts(recipe, script_tools(toolbox, {})).scripts) if recipe.scripts.files else 0
    number = ceil(recipe.rows * recipe.scripts.share / recipe.scripts.per_script) - scripts_there
    is_known = all(_is_known(specs) for _, specs in tools)
    return estimate(toolbox, number, is_known=is_known, is_judged=False) if number > 0 else None


async def _with_written_worlds(
    recipe: Recipe, unknown: list[ToolFile], folder: Path, listener: Listener, cache_only: bool
) -> list[ToolFile]:
    """Return the sources of tools, those that are unknown under a world that is written for them."""
    assert recipe.llm is not None
    async with open_session(recipe.llm, folder / CACHE, USE, cache_only=cache_only) as session:
        if asked_for := estimated(recipe):
            what = estimate_in_words(asked_for, recipe.llm.of(f"{USE}-0"))
            listener(Told(what, 0, asked_for.requests, session.account))
        sources = []
        for at, source in enumerate(recipe.tools):
            if source not in unknown:
                sources.append(source)
                continue
            listener(Told(f"world of {source.title}", 0, 1, session.account))
            try:
                world = await write_world(_Writers(session, recipe), load_toolbox([source], seed=recipe.seed))
            except StoppedError as fault:
                raise StoppedError(f"{fault}\n{kept_in(recipe, folder)}") from None
            text = world.text(f"What a model says of the tools of {source.title}.")
            write_whole(folder / WORLD.format(at), [text.encode()])
            sources.append(_with_overlay(source, folder / WORLD.format(at)))
    return sources


def kept_in(recipe: Recipe, folder: Path) -> str:
    """Return where answers are kept, in words."""
    return f"All answers so far are kept in {(recipe.llm and recipe.llm.cache) or folder / CACHE}."


class ScriptsOfRun:
    """The scripts of a run, while they are asked for; they are added to the prepared recipe."""

    def __init__(self, prepared: PreparedRecipe, folder: Path, listener: Listener) -> None:
        assert isinstance(prepared.scripts, WrittenScripts)
        self.rows = prepared.scripts
        self.written: list[NewScripts] = []
        self._prepared, self._recipe, self._file, self._listener = prepared, prepared.recipe, folder / SCRIPTS, listener
        self._names = {script.name for script in self.rows.scripts}
        self._told: set[bytes] = set()
        """All scripts without their names, as JSON: what a model says again is of no use."""
        self._faults: list[str] = []

    async def write(self, session: Session, added: Callable[[NewScripts], None]) -> None:
        """Have scripts written until there are enough for all rows; `added` is told of those of each request, in order.

        Of those that are certainly needed as many requests are in flight as may be. What each asks for follows from its number.

        Raises:
            StoppedError: when the budget is reached, or the server only fails.
            RecipeError: when fewer scripts hold than the rows need.
        """
        if self._lacking <= 0:
            return
        most, settings = _MOST * ceil(self._lacking / AT_ONCE), self.rows.settings
        writer = Writing(known_world(self._prepared.toolbox), _Writers(session, self._recipe), None)
        specs = [writer.world.tools[name] for name in writer.world.callable]
        wanted = scripts_wanted(specs, **{key: getattr(settings, key) for key in ("people", "topics")})
        batches: list[Batch] = []
        flying: dict[asyncio.Task[None], Batch] = {}
        fault: BaseException | None = None
        try:
            while self._lacking > 0:
                while fault is None and len(flying) < session.settings.window and self._needs_another(batches, most):
                    name = f"2-scripts-{len(batches)}"
                    batches.append(Batch(asked=scripts_request(writer.world, [*islice(wanted, AT_ONCE)], name)))
                    flying[asyncio.ensure_future(writer.write(batches[-1]))] = batches[-1]
                if not flying:  # what is in flight is paid for, and its answers are kept
                    raise fault or RecipeError(self._too_few())
                done, _ = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    fault = fault or task.exception()
                    flying.pop(task).is_written = task.exception() is None
                self._listener(Told(USE, sum(one.is_written for one in batches), len(batches), session.account))
                for batch in takewhile(lambda one: one.is_written, batches[self.rows.requests :]):
                    self._add_batch(batch)
                    added(self.written[-1])
        finally:
            for task in flying:
                task.cancel()
            await asyncio.gather(*flying, return_exceptions=True)
            self._write_down()

    @property
    def _lacking(self) -> float:
        """How many scripts are needed beside those that are there."""
        rows, settings = self._recipe.rows - self.rows.rows, self.rows.settings
        return rows * settings.share / settings.per_script

    def _needs_another(self, batches: list[Batch], most: int) -> bool:
        """Whether another request is needed even if all scripts that are asked for hold; none is after the last of so many."""
        hoped = sum(len(batch.kept) if batch.is_written else AT_ONCE for batch in batches[self.rows.requests :])
        return self._lacking > hoped and len(batches) < most

    def _add_batch(self, batch: Batch) -> None:
        """Add the scripts of the next request, each under a name of its own."""
        renamed = []
        for script in batch.kept.values():
            script_text = msgspec.json.encode({**script.raw, "script": ""})
            if script_text in self._told:
                self._faults.append(f"{script.name}: it is the same as another one")
                continue
            self._told.add(script_text)
            renamed.append(script.beside(self._names))
            self._names.add(renamed[-1].name)
        self._faults += [why for name, why in batch.faults.items() if name not in batch.kept]
        sources = [source_text(source, self._file.parent) for source in self._recipe.tools]
        title = f"Scripts that a model wrote for the rows of {self._recipe.name}."
        text = scripts_text(renamed, sources, title)
        self.written.append(NewScripts(self.rows.requests, text))
        add_scripts(self._prepared, self.written[-1])

    def _write_down(self) -> None:
        """Write all scripts into the folder of the run, each request's under its number."""
        parts = [f"# Request {scripts.number + 1}\n{scripts.text.partition(_BEGIN)[2]}" for scripts in self.written]
        if parts:
            write_whole(self._file, [f"{self.written[0].text.partition(_BEGIN)[0]}{_BEGIN}{''.join(parts)}".encode()])

    def _too_few(self) -> str:
        """Return the message that too few scripts hold, with what is wrong with the others."""
        faults = "".join([f"\n  {why}" for why in [*dict.fromkeys(self._faults)][:_MOST_TOLD]])
        return (
            f"scripts: {ceil(self._lacking):,} scripts are needed beside the {len(self.rows.scripts):,} that hold: ask for fewer rows, "
            f"or more rows of each (`per_script`, now {self.rows.settings.per_script}), or another model{faults}"
        )


def _is_known(tools: Toolbox) -> bool:
    """Whether it is known what some tools do, or what all return."""
    return any(spec.effect is not None for spec in tools.values()) or all(
        spec.returns is not None for spec in tools.values()
    )


def _in_run(recipe: Recipe, tools: Iterable[ToolFile]) -> Recipe:
    """Return the recipe with these tools, and scripts that are written while rows are made."""
    assert recipe.scripts is not None
    scripts = msgspec.structs.replace(recipe.scripts, in_run=True)
    return msgspec.structs.replace(recipe, tools=tuple(tools), scripts=scripts)


def _with_overlay(source: ToolFile, world: Path) -> ToolFile:
    """Return a source of tools with a world as its last overlay."""
    return msgspec.structs.replace(source, overlays=(*source.overlays, world), describe="bare")


class _Writers:
    """Several models on one session: each request goes to one of them by its number, and what is asked after it to the same."""

    def __init__(self, session: Session, recipe: Recipe) -> None:
        assert recipe.scripts is not None
        self._session = session
        self._bounds = [*accumulate(recipe.scripts.asked)]

    @property
    def account(self) -> Account:
        """What all of them have cost so far."""
        return self._session.account

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Ask one of the models, or the cache. The same question under another number has another answer."""
        number = int(match[1]) if (match := re.match(r"2-scripts-([0-9]+)", asked.name)) else 0
        at = bisect_right(self._bounds, number * _GOLDEN % 1 * self._bounds[-1])
        return await self._session.answer(Request(messages=asked.messages, use=f"{USE}-{at}", nth=number))
