"""A server's world and scripts, written by a model or by whoever answers its prompts.

The steps: the world in one request, shown back with results of its tools until it is sound; scripts, a few a request, over all
shapes and tools, mended by their faults; then more for tools that no script calls yet. What is left at fault is dropped, script by
script and wording by wording, never a tool.
"""

from collections.abc import Iterator, Sequence

import msgspec

from generator.core.errors import StoppedError
from generator.core.toolbox import Toolbox
from generator.llm.account import Estimated
from generator.llm.asking import Request, tokens_in
from generator.run.authoring.asking import Answering, Tell, WaitingError, all_of
from generator.run.authoring.scripts import (
    AT_ONCE,
    Batch,
    Kept,
    Writing,
    scripts_request,
    scripts_wanted,
)
from generator.run.authoring.world import World, world_request, write_world

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
    """What the judge says of the world."""
    waiting: tuple[str, ...] = ()
    """Files of answers that are not there yet."""
    stopped: str = ""
    """Why asking stopped before all was written."""

    @property
    def scripts(self) -> list[Kept]:
        """All that hold, each under a name of its own."""
        found: dict[str, Kept] = {}
        for one in [kept for batch in self.batches for kept in batch.kept.values()]:
            names = (one.name, *[f"{one.name}_{number}" for number in range(2, len(found) + 3)])
            name = next(name for name in names if name not in found)
            found[name] = msgspec.structs.replace(one, raw={**one.raw, "script": name})
        return [*found.values()]

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
    """Estimate what writing will take, without asking: two showings of the world, a mend of each batch, and a second look of the judge at every other.

    Args:
        tools: The tools.
        number: How many scripts are wanted.
        is_known: Whether the world is known.
        is_judged: Whether rows are read.
    """
    batches = -(-number // AT_ONCE)
    wanted = scripts_wanted(list(tools.values()), AT_ONCE)
    each = tokens_in(Request(messages=scripts_request(World(tools=tools), wanted, "").messages))
    each += len(tools) * (_WORLD_TOKENS + _RESULT_TOKENS)
    first = tokens_in(Request(messages=world_request(tools).messages))
    world = 0 if is_known else 3 * (first + len(tools) * (_WORLD_TOKENS + _RESULT_TOKENS))
    said = AT_ONCE * _SCRIPT_TOKENS
    looks = batches + -(-batches // 2) if is_judged else 0
    return Estimated(
        requests=(0 if is_known else 3) + 2 * batches + looks,
        sent=world + batches * (2 * each + 2 * said) + looks * AT_ONCE * _JUDGED_TOKENS,
        received=(0 if is_known else len(tools) * _WORLD_TOKENS * 4 // 3)
        + number * _SCRIPT_TOKENS
        + batches * said // 2,
    )


async def author(tools: Toolbox, known: World | None, people: People, number: int, tell: Tell) -> Authored:
    """Have a world and scripts written. What there is when asking stops is returned; asking again goes on from there.

    Args:
        tools: The tools, as their own file says them.
        known: Their world, where somebody has described it.
        people: Who is asked.
        number: How many scripts are wanted.
        tell: Told of every step.
    """
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
            wanted = scripts_wanted(specs, len(lacking) if turn else number, turn)
            name = f"2-scripts-{turn + 1}" if turn else "2-scripts"
            parts = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
            requests = [scripts_request(done.world, part, f"{name}-{at:02d}") for at, part in enumerate(parts, 1)]
            batches = [Batch(asked=msgspec.structs.replace(one, is_later=turn > 0)) for one in requests]
            done.batches += batches
            await _written(writing, batches, "scripts for tools without one" if turn else "scripts", tell)
    except WaitingError as waits:
        done.waiting = waits.files
    except StoppedError as fault:
        done.stopped = str(fault)
    return done


async def _written(writing: Writing, batches: Sequence[Batch], step: str, tell: Tell) -> None:
    """Have some batches of scripts written at once."""
    finished = 0
    tell(step, 0, len(batches))

    async def written(batch: Batch) -> None:
        nonlocal finished
        await writing.write(batch)
        finished += 1
        tell(step, finished, len(batches))

    await all_of([written(batch) for batch in batches])
