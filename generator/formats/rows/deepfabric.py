"""DeepFabric records: `{"messages": [...], "tools": [...]}`, one object for each conversation.

- arguments are native objects, as DeepFabric wrote them before version 4.3; with `arguments: string` they are a string
  that holds the object, as later versions write them
- an id is nine letters or digits
- a tool message names the call it answers by id and the tool by `name`; with `arguments: string` it has no `name`,
  because later versions forbid it, and neither has any other message
- an assistant message that only calls has no `content` key
- a run leaves out rows with a system message among the others: rule DF501 allows one at the beginning only

DeepFabric 4.3 and later leave out arguments that are null when they read a record.
"""

from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolMessage, Violation
from generator.formats.format import Read, plain_record, row_format, tool_object
from generator.formats.openai_messages import call_entries, chat_entry, read_messages_record
from generator.formats.steps import without_parts


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation. It shares arguments and tools with the conversation."""
    messages: list[dict[str, Any]] = []
    for message in conversation.messages:
        if type(message) is ToolMessage:
            entry: dict[str, Any] = {"role": "tool", "tool_call_id": message.tool_call_id}
            if message.name is not None:
                entry["name"] = message.name
            entry["content"] = message.content
        elif type(message) is AssistantMessage:
            entry = _assistant_entry(message)
        else:
            entry = {"role": "system" if type(message) is SystemMessage else "user", "content": message.content}
            if message.name is not None:
                entry["name"] = message.name
        messages.append(entry)
    return plain_record(messages, [tool_object(tool) for tool in conversation.tools])


def read(record: Any) -> Read:
    """A DeepFabric record is the plain record itself; the rules know all that can be wrong with it."""
    return record, []


def carries(conversation: Conversation) -> Conversation:
    """All but thoughts, training and error flags."""
    return without_parts(conversation, "thoughts", "train", "is_error")


def render_strings(conversation: Conversation) -> dict[str, Any]:
    """The record as DeepFabric 4.3 and later write it."""
    messages = [
        chat_entry(message, as_text=True, no_content="absent", names=frozenset(), thoughts=False)
        for message in conversation.messages
    ]
    return plain_record(messages, [tool_object(tool) for tool in conversation.tools])


def read_strings(record: Any) -> Read:
    """Arguments become objects, whichever of the two they are."""
    faults: list[Violation] = []
    return read_messages_record(record, "DS101", faults), faults


def carries_with_strings(conversation: Conversation) -> Conversation:
    """All but names on messages, thoughts, training and error flags."""
    return without_parts(conversation, "speakers", "tool_names", "thoughts", "train", "is_error")


def _assistant_entry(message: AssistantMessage) -> dict[str, Any]:
    """Return an assistant message as an entry of `messages`; a name, content or calls that it has not are left out."""
    entry: dict[str, Any] = {"role": "assistant"}
    if message.name is not None:
        entry["name"] = message.name
    if message.content is not None or not message.tool_calls:
        entry["content"] = message.content
    if message.tool_calls:
        entry["tool_calls"] = call_entries(message.tool_calls, as_text=False)
    return entry


FORMAT = row_format("deepfabric", __doc__, render=render, read=read, carries=carries)
STRING_FORMAT = row_format(
    "deepfabric-string", __doc__, render=render_strings, read=read_strings, carries=carries_with_strings
)
