"""The calls of a conversation with their results, as they stand in its messages."""

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.profiles import says_failure


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
    made: dict[str, tuple[ToolCall, int]] = {}
    for at, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                made[call.id] = call, at
        elif isinstance(message, ToolMessage) and message.tool_call_id in made and not message.is_error:
            call, asked = made[message.tool_call_id]
            try:
                result: Any = orjson.loads(message.content)
            except orjson.JSONDecodeError:
                result = message.content
            if not says_failure(result):
                yield SeenCall(call.name, call.arguments, result, asked)
