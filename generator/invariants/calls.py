"""The calls of a conversation with their results, as they stand in its messages."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import orjson

from generator.conversation import AssistantMessage, Conversation, ToolMessage


class SeenCall(msgspec.Struct, frozen=True):
    """One call that succeeded."""

    name: str
    arguments: dict[str, Any]
    result: Any
    """As JSON; a text that is no JSON as it is."""
    message: int
    """The message that makes it: calls of one message are made at once."""


def calls_of(conversation: Conversation) -> Iterator[SeenCall]:
    """Yield the calls that were answered with a result, in order."""
    answers = {message.tool_call_id: message for message in conversation.messages if isinstance(message, ToolMessage)}
    for at, message in enumerate(conversation.messages):
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            answer = answers.get(call.id)
            if answer is None or answer.is_error:
                continue
            result: Any = answer.content
            with suppress(orjson.JSONDecodeError):
                result = orjson.loads(answer.content)
            if not (isinstance(result, dict) and "error" in result):
                yield SeenCall(call.name, call.arguments, result, at)
