"""Describing the tools of a server with a model: what they act on, then what people say of each, read back and tried out.

The steps: one request about the server, one for every few tools, both mended; two readers of every phrase; trial rows
before a judge, whose reasons against a tool go back to the writer once; whole conversations before the judge. Each element is judged by itself, and one that is not read as it was written by both readers is not kept.
"""

from collections.abc import Sequence

import msgspec

from generator.core.errors import StoppedError
from generator.llm.asking import tokens_in
from generator.run.authoring.bench import Bench
from generator.run.authoring.decisions import Decisions
from generator.run.authoring.judge.conversations import OF_A_REQUEST, ROWS_OF_A_TOOL, judge_conversations
from generator.run.authoring.judge.judged import mend_disliked
from generator.run.authoring.judge.judging import ROWS
from generator.run.authoring.judge.trial_rows import judge_trial_rows
from generator.run.authoring.readers.read_back import read_back
from generator.run.authoring.result import Authoring
from generator.run.authoring.work import People, Tell, WaitsError, Work
from generator.run.authoring.writer.describing import describe_server, describe_tools
from generator.run.authoring.writer.writing import Prompts, batches, server_request, tools_request

_TOLD_A_TOKEN = 4
_PHRASE_TOKENS, _SERVER_TOKENS = 900, 220
"""Tokens of an answer for each tool, about phrases and about the server."""


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated requests and tokens, the second time of asking included for a third of the requests."""

    requests: int
    sent: int
    received: int


def estimate(bench: Bench, only: Sequence[str], prompts: Prompts, is_judged: bool = True) -> Estimated:
    """Estimate what describing tools will take, without asking."""
    specs = [spec for name, spec in bench.bare.items() if not only or name in only]
    cut = batches(specs)
    writing = [tokens_in(tools_request(bench, batch, {}, prompts, 1).request) for batch in cut]
    server = 0 if bench.adds else tokens_in(server_request(bench, prompts).request)
    phrases = len(specs) * _PHRASE_TOKENS
    listed = sum(len(str(spec.tool.parameters)) + len(spec.tool.description or "") for spec in bench.bare.values())
    reading = len(cut) * (1_000 + listed // _TOLD_A_TOKEN) + phrases
    judging = (len(cut) * 600 + len(specs) * (ROWS + ROWS_OF_A_TOOL) * 160) if is_judged else 0
    whole = -(-len(specs) * ROWS_OF_A_TOOL // OF_A_REQUEST) if is_judged and not bench.adds else 0
    requests = (server > 0) + len(cut) + 2 * len(cut) + (len(cut) if is_judged else 0) + whole
    again = -(-len(cut) // 3)
    received = (len(specs) * _SERVER_TOKENS if server else 0) + phrases + 2 * phrases + len(specs) * ROWS * 30
    return Estimated(
        requests=requests + again,
        sent=server + sum(writing) + again * 4_000 + 2 * reading + judging,
        received=received,
    )


async def author(
    bench: Bench,
    people: People,
    prompts: Prompts,
    decisions: Decisions,
    only: Sequence[str] = (),
    tell: Tell | None = None,
) -> Authoring:
    """Have the tools of a source described.

    What is not described when asking stops is left as it was; asking again goes on from the answers that there are.

    Args:
        bench: The source.
        people: Who is asked.
        prompts: What they are asked.
        decisions: What somebody decided about single texts.
        only: Names of the tools that are wanted; none: all.
        tell: Told of every step.
    """
    work = Work(bench, people, prompts, decisions, only, tell or (lambda *_: None))
    try:
        await describe_server(work)
        await describe_tools(work)
        await read_back(work, work.names)
        await judge_trial_rows(work, work.names)
        await mend_disliked(work)
        await judge_conversations(work)
    except WaitsError as waits:
        return work.result(waiting=waits.files, waits_for=waits.step)
    except StoppedError as fault:
        return work.result(stopped=str(fault))
    return work.result()
