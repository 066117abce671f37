"""A row arranged for a person: who says what, which calls were made at once, where each value comes from.

Nothing is printed or escaped here; the caller does that.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Rejected,
    Thoughts,
    ToolCall,
    ToolMessage,
)
from generator.formats.run_folder.proof_line import ProofLine
from generator.report.files.origins import ValueOrigin, found_origins, proven_origins


class ShownCall(msgspec.Struct, frozen=True):
    """A call with the origin of each of its values."""

    number: int
    """Position among all calls of the conversation, from 1."""
    name: str
    origins: tuple[ValueOrigin, ...]


class ShownMessage(msgspec.Struct, frozen=True):
    """One message."""

    role: str
    text: str | None = None
    calls: tuple[ShownCall, ...] = ()
    """Several calls of one message are made in parallel."""
    answers: str = ""
    """For a result: the call it answers, as `2 find_orders`."""
    result: Any = None
    """For a result that is JSON: its value."""
    is_json: bool = False
    thoughts: tuple[tuple[str, str], ...] = ()
    """(kind, text) of what is thought before it."""
    notes: tuple[str, ...] = ()
    """What else is to be said of it: a call that failed, a message that is not to be learnt."""


class ShownRow(msgspec.Struct, frozen=True):
    """A whole row."""

    scenario: str
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    messages: tuple[ShownMessage, ...]
    proven: bool
    """Whether the origins are those of the row's proof; otherwise they were looked for."""


def show_row(conversation: Conversation, proof: ProofLine | None) -> ShownRow:
    """Arrange a conversation."""
    numbers: dict[str, tuple[int, str]] = {}
    number = 0
    claims = proof.claims_by_call() if proof else []
    asked_at = {wish.call_id: wish.message for wish in proof.wishes} if proof else {}
    made = [
        call
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    by_id = dict(zip(proof.calls, made, strict=False)) if proof else {}
    messages = []
    for position, message in enumerate(conversation.messages):
        calls = []
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            number += 1
            numbers[call.id] = (number, call.name)
            is_wrong = (
                isinstance(message, AssistantMessage) and not message.train
            )  # on purpose: nothing is claimed of it
            if proof is None or is_wrong:
                origins = found_origins(call, position, conversation)
            else:
                asked, helped = asked_at.get(proof.calls[number - 1]), _helped(proof.calls[number - 1], proof, by_id)
                origins = proven_origins(call, claims[number - 1], conversation, asked, helped)
            calls.append(ShownCall(number, call.name, tuple(origins)))
        messages.append(_message(message, tuple(calls), numbers))
    if conversation.rejected is not None:
        messages.append(_rejected(conversation.rejected, conversation, number))
    return ShownRow(
        scenario=proof.scenario if proof else "",
        tags=proof.tags if proof else (),
        tools=tuple(tool.name for tool in conversation.tools),
        messages=tuple(messages),
        proven=proof is not None,
    )


def _helped(call_id: str, proof: ProofLine, by_id: Mapping[str, ToolCall]) -> list[Any]:
    """Return the arguments of the call, made or refused, before which a policy demands this one; none for other calls."""
    for wish in proof.wishes:
        if wish.call_id == call_id and wish.demanded and wish.helps is not None:
            refused = {other.call_id: other.unmade for other in proof.wishes}.get(wish.helps)
            return list((by_id[wish.helps].arguments if wish.helps in by_id else refused or {}).values())
    return []


def _rejected(wrong: Rejected, conversation: Conversation, number: int) -> ShownMessage:
    """What should not be said, in place of the last message of the assistant; nothing proves where its values come from."""
    calls = tuple(
        ShownCall(at, call.name, tuple(found_origins(call, len(conversation.messages), conversation)))
        for at, call in enumerate(wrong.message.tool_calls, number + 1)
    )
    return ShownMessage(
        "rejected", wrong.message.content, calls, notes=(wrong.defect or "in place of the last message",)
    )


def _message(message: Message, calls: tuple[ShownCall, ...], numbers: dict[str, tuple[int, str]]) -> ShownMessage:
    if isinstance(message, AssistantMessage):
        notes = () if message.train else ("not to be learnt",)
        return ShownMessage("assistant", message.content, calls, thoughts=_thoughts(message.thoughts), notes=notes)
    if not isinstance(message, ToolMessage):
        return ShownMessage(str(message.__struct_config__.tag), message.content, calls)
    notes = ("failed",) if message.is_error else ()
    number, name = numbers.get(message.tool_call_id, (0, message.name or "a call that was not made"))
    answers = f"{number} {name}" if number else name
    try:
        return ShownMessage(
            "tool", message.content, answers=answers, result=orjson.loads(message.content), is_json=True, notes=notes
        )
    except orjson.JSONDecodeError:
        return ShownMessage("tool", message.content, answers=answers, notes=notes)


def _thoughts(thoughts: Thoughts | None) -> tuple[tuple[str, str], ...]:
    return tuple(msgspec.structs.asdict(thoughts).items()) if thoughts is not None else ()
