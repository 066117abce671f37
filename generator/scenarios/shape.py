"""The shape of a finished conversation, worked out from the conversation and its proof alone."""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from generator.core.claims import ANYWHERE, Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolMessage, UserMessage
from generator.core.pointers import leaves, resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call, reduced to what shapes compare."""

    name: str
    dependent: bool
    """Whether it takes a value from an earlier result that the user has not said before the call, or takes what that call made."""
    takes: tuple[str, ...]
    """The places in results that it takes values from: `MESSAGE:POINTER`."""


class ShapedDecline(msgspec.Struct, frozen=True):
    """A declined wish, reduced to what shapes compare."""

    tool: str
    like: str
    """A tool on offer that only seems to do what is wished; empty if there is none."""


class ConversationShape(msgspec.Struct, frozen=True):
    """Who does what in which order."""

    order: str
    """A letter for each message except results and system messages: `U` the user, `C` calls, `A` text of the assistant."""
    steps: tuple[tuple[ShapedCall, ...], ...]
    offered: int
    """The number of tools on offer."""
    told: tuple[str, ...] = ()
    """The sentences of the assistant that report no result, by kind (`failed`, `not_done`, …), in order."""
    declined: tuple[ShapedDecline, ...] = ()
    """The wishes that the assistant declines."""
    retracted: int = 0
    """The number of values that the user takes back."""


def conversation_shape(
    conversation: Conversation, proof: Proof, making: Collection[str] = frozenset()
) -> ConversationShape:
    """Return the shape of a finished conversation.

    Args:
        conversation: The conversation.
        proof: Its proof.
        making: Tools of which a call makes what a later one is about, so that the two cannot be made at once although the user has
            said all of their values.
    """
    letters = [
        "U"
        if type(message) is UserMessage
        else "C"
        if type(message) is AssistantMessage and message.tool_calls
        else "A"
        for message in conversation.messages
        if type(message) in (UserMessage, AssistantMessage)
    ]
    return ConversationShape(
        order="".join(letters),
        steps=_steps(conversation, proof, making),
        offered=len(conversation.tools),
        told=tuple([tell.how for tell in proof.tells if tell.how not in ANYWHERE]),
        declined=tuple([ShapedDecline(decline.tool, decline.like) for decline in proof.declines]),
        retracted=len(proof.retracted),
    )


def _steps(conversation: Conversation, proof: Proof, making: Collection[str]) -> tuple[tuple[ShapedCall, ...], ...]:
    """Return the calls of each message."""
    taken = _taken(proof)
    hidden = _hidden(conversation, proof) | _made_before(conversation, proof, making) if taken else set()
    return tuple(
        [
            tuple(
                [ShapedCall(call.name, call.id in hidden, tuple(taken.get(call.id, ()))) for call in message.tool_calls]
            )
            for message in conversation.messages
            if type(message) is AssistantMessage and message.tool_calls
        ]
    )


def _taken(proof: Proof) -> dict[str, list[str]]:
    """Return the places in results that each call takes values from."""
    taken: dict[str, list[str]] = {}
    for claim in proof.arguments:
        if claim.source == "result":
            taken.setdefault(claim.call_id, []).append(f"{claim.message}:{claim.result_pointer}")
    return taken


def _hidden(conversation: Conversation, proof: Proof) -> set[str]:
    """Return the calls that take a value from a result which the user has not said before them."""
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


def _made_before(conversation: Conversation, proof: Proof, making: Collection[str]) -> set[str]:
    """Return the calls about what an earlier call has made."""
    if not making:
        return set()
    makers = {
        index
        for index, message in enumerate(conversation.messages)
        if type(message) is ToolMessage and message.name in making and not message.is_error
    }
    return {claim.call_id for claim in proof.arguments if claim.source == "result" and claim.message in makers}


def _said_values(proof: Proof, arguments: dict[str, dict[str, Any]]) -> list[Any]:
    """Return all values that the user says, in whatever words; the proof guarantees that the spans say them."""
    said = []
    for claim in proof.arguments:
        if claim.source == "user":
            value = resolve(arguments[claim.call_id], claim.pointer)
            said += [leaf for _, leaf in leaves(value)]
    return said


def _stands_in(text: str, value: Any) -> bool:
    """Whether the value is written out in the text, even where no claim says so; "5" is not in "15"."""
    written = str(value)
    if written not in text:  # by far the most usual case
        return False
    return re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text) is not None
