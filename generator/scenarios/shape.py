"""The shape of a finished conversation, worked out from the conversation and its proof alone."""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from generator.core.claims import ANYWHERE, Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, UserMessage
from generator.core.pointers import leaves, resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call, reduced to what shapes compare."""

    name: str
    dependent: bool
    """Whether it takes a value from an earlier result that the user has not said before the call, or takes what that call made."""
    takes: tuple[str, ...]
    """The places in results that it takes values from: `MESSAGE:POINTER`."""
    turn: int
    """The number of user messages before it."""
    turns: frozenset[int]
    """The turns in which the values of its arguments were said, or the results it takes were given, or those of the call that
    it makes again.
    """
    failed: bool = False
    """Whether its result is an error."""
    again: bool = False
    """Whether it is a failed call made again."""
    learnt: bool = True
    """Whether a model is to learn to make it."""
    helps: bool = False
    """Whether it is a search that the user does not ask for, made for another call."""
    unblocks: bool = False
    """Whether it changes the state because of which another call was refused."""


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
    chats: tuple[str, ...] = ()
    """The kinds of questions and remarks that need no call."""
    retracted: int = 0
    """The number of values that the user takes back."""
    contents: tuple[str, ...] = ()
    """The content of each result, in order."""


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
    return ConversationShape(
        order="".join(letters),
        steps=_steps(conversation, proof, turn_of, making),
        offered=len(conversation.tools),
        told=tuple([tell.how for tell in proof.tells if tell.how not in ANYWHERE]),
        declined=tuple([ShapedDecline(decline.tool, decline.like) for decline in proof.declines]),
        chats=tuple([chat.kind for chat in proof.chats]),
        retracted=len(proof.retracted),
        contents=tuple([message.content for message in conversation.messages if type(message) is ToolMessage]),
    )


def _steps(
    conversation: Conversation, proof: Proof, turn_of: list[int], making: Collection[str]
) -> tuple[tuple[ShapedCall, ...], ...]:
    """Return the calls of each message; `turn_of` holds the number of user messages up to each message."""
    taken = _taken(proof)
    has_one_turn = max(turn_of, default=0) < 2
    turns = {} if has_one_turn else _turns_of_calls(proof, turn_of)
    usual = frozenset({1}) if has_one_turn else frozenset()
    hidden = _hidden(conversation, proof) | _made_before(conversation, proof, making) if taken else set()
    failed = {m.tool_call_id for m in conversation.messages if type(m) is ToolMessage and m.is_error}
    wishes = {wish.call_id: wish for wish in proof.wishes}

    def shaped(call: ToolCall, turn: int, train: bool) -> ShapedCall:
        wish = wishes.get(call.id)
        return ShapedCall(
            name=call.name,
            dependent=call.id in hidden,
            takes=tuple(taken.get(call.id, ())),
            turn=turn,
            turns=frozenset(turns.get(call.id, usual)),
            failed=call.id in failed,
            again=wish is not None and wish.mends is not None,
            learnt=train,
            helps=wish is not None and wish.helps is not None,
            unblocks=wish is not None and wish.unblocks is not None,
        )

    return tuple(
        [
            tuple([shaped(call, turn, message.train) for call in message.tool_calls])
            for turn, message in zip(turn_of, conversation.messages, strict=True)
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


def _turns_of_calls(proof: Proof, turn_of: list[int]) -> dict[str, set[int]]:
    """Return the turns that each call takes values from; `turn_of` has the turn of each message."""
    turns: dict[str, set[int]] = {}
    for claim in proof.arguments:
        if claim.source != "context" and claim.message is not None and 0 <= claim.message < len(turn_of):
            turns.setdefault(claim.call_id, set()).add(turn_of[claim.message])
    for wish in proof.wishes:
        if wish.mends is not None:
            turns.setdefault(wish.call_id, set()).update(turns.get(wish.mends, ()))
    return turns


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
