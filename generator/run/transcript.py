"""A conversation as lines that a model is shown."""

import orjson

from generator.conversation import Conversation, SystemMessage, ToolMessage, UserMessage


def lines_of(conversation: Conversation, longest_result: int | None) -> list[str]:
    """One or more lines for each message; of a result so many characters, or all."""
    lines: list[str] = []
    for message in conversation.messages:
        if isinstance(message, SystemMessage):
            lines.append(f"System: {message.content}")
        elif isinstance(message, UserMessage):
            lines.append(f"User: {message.content}")
        elif isinstance(message, ToolMessage):
            lines.append(f"Result of {message.name}: {message.content[:longest_result]}")
        else:
            lines += [f"Assistant calls {call.name}: {orjson.dumps(call.arguments).decode()}" for call in message.tool_calls]
            lines += [f"Assistant: {message.content}"] if message.content else []
    return lines
