"""A conversation as lines of text, as a model is shown it."""

import orjson

from generator.core.conversation import Conversation, SystemMessage, ToolMessage, UserMessage


def lines_of(conversation: Conversation, longest_result: int | None) -> list[str]:
    """Return one or more lines for each message; a result is cut after `longest_result` characters (None: not cut)."""
    lines: list[str] = []
    for message in conversation.messages:
        if isinstance(message, SystemMessage):
            lines.append(f"System: {message.content}")
        elif isinstance(message, UserMessage):
            lines.append(f"User: {message.content}")
        elif isinstance(message, ToolMessage):
            lines.append(f"Result of {message.name}: {message.content[:longest_result]}")
        else:
            lines += [
                f"Assistant calls {call.name}: {orjson.dumps(call.arguments).decode()}" for call in message.tool_calls
            ]
            lines += [f"Assistant: {message.content}"] if message.content else []
    return lines
