"""Reading back: a model that does not know the plan turns a reworded conversation into calls, and code compares them with it.

It is asked once for each step: it sees the tools on offer and the conversation up to there, and says which calls come next,
and which tools will have to be called later because of what the user said. Both must be those of the plan. So each text
that a model has said anew has a second witness, in whatever language it is.
"""

from collections.abc import Iterator, Set
from typing import Any

import msgspec
import orjson

from generator.conversation import AssistantMessage, Conversation, Proof, SystemMessage, Tool, ToolCall, UserMessage
from generator.formats.accepted import Accepted, accepted
from generator.formats.format import compact_json, tool_object
from generator.llm.asking import Request
from generator.llm.prompts import Prompts
from generator.llm.reading import json_of_answer
from generator.rewards.matching import match
from generator.run.transcript import lines_of
from generator.run.uses import Uses
from generator.toolbox import Toolbox

USE = "reading back"
FAULT = "reads as something else"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            },
        },
        "later": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["calls", "later"],
    "additionalProperties": False,
}


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a conversation where the next calls are known."""

    at: int
    """Index of the assistant message that stands there."""
    texts: frozenset[int]
    """Indexes of the user messages that lead to the calls."""
    calls: tuple[ToolCall, ...]
    """The calls of the plan, including those that would be made if a missing tool were there."""
    later: frozenset[str]
    """Names of the tools that are called after that before the user speaks again, or would have been."""
    may_follow: frozenset[str] = frozenset()
    """Names of tools that are called after that once the user has said what is missing."""
    missing: tuple[str, ...] = ()
    """Tools that the user wants and that are not on offer; the model is shown them, too."""


def read_back_rewording(
    uses: Uses, conversation: Conversation, proof: Proof, toolbox: Toolbox, texts: Set[int]
) -> dict[int, str]:
    """Return, by index, why reworded user messages must be given up.

    Args:
        uses: The model.
        conversation: With the new texts.
        proof: What is claimed of it.
        toolbox: The tools by name.
        texts: Indexes of the messages that were said anew.
    """
    points = [point for point in points_of(conversation, proof) if not point.texts.isdisjoint(texts)]
    requests = [_request(uses.prompts, conversation, toolbox, point) for point in points]
    answers = uses.asker.ask(*requests)
    faults: dict[int, str] = {}
    for point, answer in zip(points, answers, strict=True):
        value, fault = json_of_answer(answer, _SCHEMA)
        fault = f"not read back: {fault}" if fault else _difference(point, value, _shown(conversation, toolbox, point))
        if fault:
            faults |= dict.fromkeys(point.texts & texts, fault)
    return faults


def requests_to_read_back(uses: Uses, conversation: Conversation, proof: Proof, toolbox: Toolbox) -> list[Request]:
    """Return the requests of a row whose texts are all reworded."""
    return [_request(uses.prompts, conversation, toolbox, point) for point in points_of(conversation, proof)]


def points_of(conversation: Conversation, proof: Proof) -> Iterator[Point]:
    """Yield the places at which calls are read back: before each step, each proposal, and each text after a user message.

    A call that is wrong on purpose is read as the one that mends it. Left out are calls that are made again or unblock one, what comes after
    a yes, and tools that a system message withholds; a user message after which the assistant asks for a value is read
    together with the reply.
    """
    said = _Said(conversation, proof)
    turn: list[int] = []
    for at, message in enumerate(conversation.messages):
        if isinstance(message, UserMessage):
            turn = [] if at in said.answers else [*turn, at] if at - 1 in said.asking else [at]
        elif isinstance(message, AssistantMessage) and turn:
            point = _point(said, at, message, turn)
            if point is not None:
                yield point


class _Said:
    """A conversation and its proof, looked up."""

    def __init__(self, conversation: Conversation, proof: Proof) -> None:
        self.messages = conversation.messages
        self.proof = proof
        self.wishes = {wish.call_id: wish for wish in proof.wishes}
        self.mending = {wish.mends: wish.call_id for wish in proof.wishes if wish.mends is not None}
        """By call that failed: the one that is made instead."""
        self.made: dict[str, ToolCall] = {}
        self.wrong: set[str] = set()
        for message in conversation.messages:
            if isinstance(message, AssistantMessage):
                self.made |= {call.id: call for call in message.tool_calls}
                self.wrong |= {call.id for call in message.tool_calls if not message.train}
        self.proposed = {tell.message: tell.call_id for tell in proof.tells if tell.how == "proposed"}
        self.asking = {ask.message for ask in proof.asks} | self.proposed.keys()
        """Messages of the assistant to which the user replies."""
        self.answers = {tell.message for tell in proof.tells if tell.how in ("yes", "no")}

    def proposal(self, call_id: str) -> ToolCall:
        """Return a proposed call, whether it is made or not."""
        wish = self.wishes[call_id]
        return self.made.get(call_id) or ToolCall(call_id, wish.tool, wish.unmade or {})

    def to_read(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Return those calls of a step that the user's words lead to."""
        first = [
            call for call in calls if call.id not in self.mending.values() and self.wishes[call.id].unblocks is None
        ]
        right = [self.made.get(self.mending.get(call.id, "")) if call.id in self.wrong else call for call in first]
        return tuple([call for call in right if call is not None])

    def is_withheld(self, tool: str) -> bool:
        """Whether a system message names a tool, as those do that withhold it."""
        return any(isinstance(message, SystemMessage) and tool in message.content for message in self.messages)


def _point(said: _Said, at: int, message: AssistantMessage, turn: list[int]) -> Point | None:
    """Return the point before a message of the assistant; None if there is nothing to read."""
    is_first = at == turn[-1] + 1
    declined = [one for one in said.proof.declines if one.asked_at in turn and is_first]
    calls = (said.proposal(said.proposed[at]),) if at in said.proposed else said.to_read(message.tool_calls)
    if not calls and (message.tool_calls or at in said.asking or not is_first):
        return None
    if any(said.is_withheld(one.tool) for one in declined):
        return None
    ids = {call.id for call in calls}
    texts = {said.wishes[call_id].message for call_id in ids & said.wishes.keys()}
    texts |= {claim.message for claim in said.proof.arguments if claim.call_id in ids and claim.message is not None}
    later, open_ = _later(said, at, turn)
    return Point(
        at=at,
        texts=frozenset(index for index in {*turn, *texts} if isinstance(said.messages[index], UserMessage)),
        calls=(*calls, *[ToolCall("", one.tool, one.arguments) for one in declined]),
        later=later - ({call.name for call in calls} if at in said.proposed else frozenset()),
        may_follow=open_,
        missing=tuple([one.tool for one in declined]),
    )


def _later(said: _Said, at: int, turn: list[int]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the tools of later calls: those made before the user says more, or planned but not reached; and those made after a reply."""
    now = {wish.tool for wish in said.proof.wishes if wish.unmade is not None and wish.message in turn}
    after: set[str] = set()
    names = now
    for index, message in enumerate(said.messages[at + 1 :], start=at + 1):
        if isinstance(message, UserMessage) and index not in said.answers:
            if index - 1 not in said.asking:
                break
            names = after
        if isinstance(message, AssistantMessage):
            names |= {call.name for call in message.tool_calls if call.id not in said.mending.values()}
    return frozenset(now), frozenset(after)


def _shown(conversation: Conversation, toolbox: Toolbox, point: Point) -> list[Tool]:
    return [*conversation.tools, *[toolbox[name].tool for name in dict.fromkeys(point.missing)]]


def _request(prompts: Prompts, conversation: Conversation, toolbox: Toolbox, point: Point) -> Request:
    before = msgspec.structs.replace(conversation, messages=conversation.messages[: point.at])
    return prompts.read.ask(
        _SCHEMA,
        USE,
        tools="\n".join(compact_json(tool_object(tool)) for tool in _shown(conversation, toolbox, point)),
        conversation="\n".join(lines_of(before, None)),
    )


def _difference(point: Point, value: Any, tools: list[Tool]) -> str:
    """Return how the calls that were read differ from the plan; an empty text if they do not."""
    by_name = {tool.name: tool for tool in tools}
    right: list[Accepted] = [accepted(call, by_name.get(call.name)) for call in point.calls]
    made = [(call["name"], call["arguments"]) for call in value["calls"]]
    if not match(made, right).exact:
        return f"{FAULT}: {orjson.dumps(value['calls']).decode()[:300]}"
    if not point.later <= set(value["later"]) <= point.later | point.may_follow:
        return f"{FAULT}: afterwards {', '.join(value['later']) or 'nothing'}"
    return ""
