"""DeepFabric records: `{"messages": [...], "tools": [...]}`, one object for each conversation.

- arguments are native objects, never text
- an id is nine letters or digits; a tool message names the call it answers by id and the tool by `name`
- an assistant message that only calls has no `content` key
- nothing of a conversation is lost
"""

from typing import Any

from generator.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage
from generator.formats.base import Format, Read, tool_object


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation. It shares arguments and tools with the conversation."""
    record: dict[str, Any] = {"messages": [_message(message) for message in conversation.messages]}
    if conversation.tools:
        record["tools"] = [tool_object(tool) for tool in conversation.tools]
    return record


def read(record: Any) -> Read:
    """A DeepFabric record is the plain record itself; the rules know all that can be wrong with it."""
    return record, []


def carries(conversation: Conversation) -> Conversation:
    """Everything."""
    return conversation


def _message(message: Message) -> dict[str, Any]:
    if type(message) is ToolMessage:
        return _tool_message(message)
    if type(message) is AssistantMessage:
        return _assistant_message(message)
    entry = {"role": "system" if type(message) is SystemMessage else "user", "content": message.content}
    if message.name is not None:
        entry["name"] = message.name
    return entry


def _tool_message(message: ToolMessage) -> dict[str, Any]:
    if message.name is None:
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    return {
        "role": "tool",
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "content": message.content,
    }


def _assistant_message(message: AssistantMessage) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": "assistant"}
    if message.name is not None:
        entry["name"] = message.name
    if message.content is not None or not message.tool_calls:
        entry["content"] = message.content
    if message.tool_calls:
        entry["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return entry


FORMAT = Format(
    name="deepfabric",
    about="native argument objects, nine-character ids, `messages` and `tools`",
    render=render,
    read=read,
    carries=carries,
)
