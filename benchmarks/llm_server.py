"""A fake server for `benchmarks.llm` that answers as good models would.

What is to be said in other words gets a greeting. What is to be read back is read as the row was planned: the rows are made here, too,
without a model. A row that the judge has had made again is not known, and read as nothing.
"""

import argparse
import asyncio
import json
import re
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Row
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import ACTS
from generator.dialogue.proof.opening import open_ledger
from generator.formats import FORMATS
from generator.llm.asking import Asker
from generator.llm.prompts import load_prompts
from generator.recipe import load_recipe
from generator.recipe.llm import Llm
from generator.run.row import make_row, prepare
from generator.run.stages.points import Point, points_of
from generator.run.stages.read_back import Readings
from generator.run.uses import Uses
from generator.scenarios import SCENARIOS
from tests.scripted_llm import Fake, plain_reply, serving

_TEXT = re.compile(r"The (message|text):\n(.*?)\n\nEach of these", re.DOTALL)
_GREETING = re.compile(r"(?:Hi there!|Sure\.) ")


def reply_to(asked: dict[str, Any], readings: dict[str, str]) -> str:
    """A text in other words, a reading, or a value of the schema that is asked for."""
    question = asked["messages"][-1]["content"]
    found = _TEXT.match(question)
    if found is not None:
        return json.dumps({"text": f"{'Hi there!' if found[1] == 'message' else 'Sure.'} {found[2]}"})
    return readings.get(_GREETING.sub("", question)) or plain_reply(asked)


def readings_of(recipe: Path, rows: int) -> dict[str, str]:
    """The right readings of the first rows of a recipe, by what is asked."""
    loaded = load_recipe(recipe, scenarios=SCENARIOS, formats=FORMATS)
    prepared = prepare(msgspec.structs.replace(loaded, wording=None, judge=None, llm=None))
    uses = Uses(asker=Asker(Llm(model="")), prompts=load_prompts(None), wording=None, judge=None)
    found: dict[str, str] = {}
    for index in range(rows):
        found |= _readings(uses, make_row(prepared, index).row, prepared.toolbox)
    return found


def _readings(uses: Uses, row: Row, toolbox: Toolbox) -> dict[str, str]:
    conversation, proof = row.conversation, row.proof
    readings = Readings(uses, conversation, proof, open_ledger(conversation, proof, toolbox, ACTS), toolbox)
    asked = readings.requests(conversation, proof, sorted(readings.readable))
    answers = [*map(_calls_at, (point for point in points_of(conversation, proof) if point.texts))]
    messages = enumerate(conversation.messages)
    answers += [_values_at(row, at) for at, message in messages if isinstance(message, AssistantMessage)]
    return {one.messages[-1][1]: json.dumps(answer) for one, answer in zip(asked, answers, strict=True)}


def _calls_at(point: Point) -> dict[str, Any]:
    calls = [{"name": call.name, "arguments": call.arguments} for call in point.calls]
    return {"calls": calls, "later": sorted(point.later), "beyond": []}


def _values_at(row: Row, at: int) -> dict[str, Any]:
    before = [one for one in row.conversation.messages[:at] if isinstance(one, AssistantMessage)]
    calls = {call.id: number for number, call in enumerate((call for one in before for call in one.tool_calls), 1)}
    told = {claim.start: claim for claim in reversed(row.proof.answers) if claim.message == at}
    values = [
        {"number": number, "call": calls[claim.call_id], "place": f"{claim.of}{claim.pointer}"}
        for number, (_, claim) in enumerate(sorted(told.items()), 1)
    ]
    return {"values": values, "beyond": []}


async def _serve(fake: Fake) -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with serving(fake) as server:
        sys.stdout.write(f"{server.base}\n")
        sys.stdout.flush()
        await ended.wait()


def main() -> None:
    """Serve until it is terminated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, nargs=2, default=(0.0, 0.0))
    parser.add_argument("--rate-limited", type=float, default=0.0)
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=0, help="so many rows of the recipe are read as they were meant")
    options = parser.parse_args()
    reply = partial(reply_to, readings=readings_of(options.recipe, options.rows))
    asyncio.run(_serve(Fake(latency=tuple(options.latency), rate_limited=options.rate_limited, reply=reply)))


if __name__ == "__main__":
    main()
