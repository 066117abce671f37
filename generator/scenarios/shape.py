"""The shape of a finished conversation, found out from the conversation and its proof alone."""

import re
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, Proof, ToolMessage, UserMessage
from generator.pointers import leaves, resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call as shapes see it."""

    name: str
    dependent: bool
    """It takes a value from an earlier result that the user has not said before the call."""
    takes: tuple[str, ...]
    """Places of the results it takes values from: `MESSAGE:POINTER`."""
    turn: int
    """How many user messages stand before it."""
    turns: frozenset[int]
    """In which turns the values of its arguments were said, or the results it takes were given."""
    failed: bool = False
    """Its result is an error."""
    again: bool = False
    """It is a failed call made again."""
    learnt: bool = True
    """A model is to learn to make it."""
    computed: bool = False
    """It takes a value that is computed from a result."""
    helps: bool = False
    """The user does not ask for it: it is made for another call."""


class ShapedDecline(msgspec.Struct, frozen=True):
    """A wish that is declined, as shapes see it."""

    tool: str
    like: str
    """A tool on offer that looks as if it could do it, or an empty text."""


class Shape(msgspec.Struct, frozen=True):
    """Who does what in which order."""

    order: str
    """A letter for each message but results and system messages: `U` the user, `C` calls, `A` text of the assistant."""
    steps: tuple[tuple[ShapedCall, ...], ...]
    offered: int
    """How many tools are on offer."""
    told: tuple[str, ...] = ()
    """What the assistant says besides results: `failed`, `not_done`, … in order."""
    declined: tuple[ShapedDecline, ...] = ()
    """What the assistant says that it cannot do."""
    chats: tuple[str, ...] = ()
    """The kinds of questions and remarks that need no call."""

    retracted: int = 0
    """How many values the user takes back."""
    contents: tuple[str, ...] = ()
    """What each result says, in order."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Calls in each step."""
        return tuple([len(step) for step in self.steps])


def shape_of(conversation: Conversation, proof: Proof) -> Shape:
    """Find out the shape."""
    letters: list[str] = []
    turn_of: list[int] = []
    turn = 0
    for message in conversation.messages:
        if type(message) is UserMessage:
            letters.append("U")
            turn += 1
        elif type(message) is AssistantMessage:
            letters.append("C" if message.tool_calls else "A")
        turn_of.append(turn)
    taken: dict[str, list[str]] = {}
    turns: dict[str, set[int]] = {}
    for claim in proof.arguments:
        if claim.source == "result":
            taken.setdefault(claim.call_id, []).append(f"{claim.message}:{claim.result_pointer}")
        if claim.source != "context" and claim.message is not None and 0 <= claim.message < len(turn_of):
            turns.setdefault(claim.call_id, set()).add(turn_of[claim.message])
    hidden = _hidden(conversation, proof) if taken else set()
    failed = {m.tool_call_id for m in conversation.messages if type(m) is ToolMessage and m.is_error}
    again = {wish.call_id for wish in proof.wishes if wish.mends is not None}
    computed = {claim.call_id for claim in proof.arguments if claim.calc is not None}
    helping = {wish.call_id for wish in proof.wishes if wish.helps is not None}
    steps = [
        tuple(
            [
                ShapedCall(
                    c.name,
                    c.id in hidden,
                    tuple(taken.get(c.id, ())),
                    turn_of[at],
                    frozenset(turns.get(c.id, ())),
                    c.id in failed,
                    c.id in again,
                    message.train,
                    c.id in computed,
                    c.id in helping,
                )
                for c in message.tool_calls
            ]
        )
        for at, message in enumerate(conversation.messages)
        if type(message) is AssistantMessage and message.tool_calls
    ]
    declined = tuple([ShapedDecline(decline.tool, decline.like) for decline in proof.declines])
    told = tuple([tell.how for tell in proof.tells])
    chats = tuple([chat.kind for chat in proof.chats])
    contents = tuple([message.content for message in conversation.messages if type(message) is ToolMessage])
    return Shape("".join(letters), tuple(steps), len(conversation.tools), told, declined, chats, len(proof.retracted), contents)


def _hidden(conversation: Conversation, proof: Proof) -> set[str]:
    """The calls that take a value from a result which the user has not said before them."""
    arguments: dict[str, dict[str, Any]] = {}
    before: dict[str, str] = {}
    said: list[str] = []
    for message in conversation.messages:
        if type(message) is UserMessage:
            said.append(message.content)
        elif type(message) is AssistantMessage:
            for call in message.tool_calls:
                arguments[call.id] = call.arguments
                before[call.id] = "\n".join(said)
    values = _said_values(proof, arguments)
    found: set[str] = set()
    for claim in proof.arguments:
        if claim.source == "result":
            value = resolve(arguments[claim.call_id], claim.pointer)
            is_said = any(type(value) is type(other) and value == other for other in values)
            if not is_said and not _stands_in(before[claim.call_id], value):
                found.add(claim.call_id)
    return found


def _said_values(proof: Proof, arguments: dict[str, dict[str, Any]]) -> list[Any]:
    """All values that the user says, whatever the words: the proof holds that the spans say them."""
    said = []
    for claim in proof.arguments:
        if claim.source == "user":
            value = resolve(arguments[claim.call_id], claim.pointer)
            said += [leaf for _, leaf in leaves(value)]
    return said


def _stands_in(text: str, value: Any) -> bool:
    """Whether the value is written out in the text, though no claim may say so; "5" is not in "15"."""
    written = str(value)
    if written not in text:  # as a rule
        return False
    return re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text) is not None
