"""Axolotl, dataset type `chat_template`: `{"messages": [...], "tools": "[...]"}`.

- arguments are a string that holds the object, and `tools` a string that holds the list; Axolotl takes both apart again.
  As objects they would get each other's keys, filled with null, when `datasets` makes one column of all rows
- every assistant message says with `training` whether it is learnt (`message_field_training: training`)
- a message that only calls has `"content": ""`
- what the model thinks before a message is its `reasoning_content`, which is what `field_thinking` names

Read as well: arguments and `tools` as objects, `parameters` as a string, `reasoning` and `thinking`.
"""

from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Message, Violation
from generator.formats.format import Read, row_format, tool_text
from generator.formats.openai_messages import chat_entry, read_messages_record, tool_call_entries, with_schema_read
from generator.formats.steps import without_parts


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    record: dict[str, Any] = {"messages": [_message_entry(message) for message in conversation.messages]}
    if conversation.tools:
        record["tools"] = f"[{','.join(map(tool_text, conversation.tools))}]"
    return record


def read(record: Any) -> Read:
    """Return the record as a plain one: strings become objects, and `training` says what is learnt."""
    faults: list[Violation] = []
    plain = read_messages_record(record, "AX101", faults, train="training", empty=None)
    tools = plain.get("tools") if isinstance(plain, dict) else None
    for i, message in enumerate(record["messages"] if isinstance(plain, dict) and plain.get("messages") else ()):
        for j, call in enumerate(tool_call_entries(message)):
            arguments = (
                call["function"].get("arguments")
                if isinstance(call, dict) and isinstance(call.get("function"), dict)
                else None
            )
            if isinstance(arguments, dict) and None in arguments.values():
                path = f"$.messages[{i}].tool_calls[{j}].function.arguments"
                faults.append(Violation("AX102", path, "is an object that holds null"))
    if isinstance(tools, list):
        plain["tools"] = [with_schema_read(tool) for tool in tools]
    return plain, faults


def carries(conversation: Conversation) -> Conversation:
    """All but error flags; thoughts are one text; beside calls, empty and no content are the same."""
    return without_parts(conversation, "blocks", "is_error", "empty_text")


def _message_entry(message: Message) -> dict[str, Any]:
    entry = chat_entry(message, as_text=True)
    return entry | {"training": message.train} if type(message) is AssistantMessage else entry


FORMAT = row_format("axolotl", __doc__, render=render, read=read, carries=carries)
