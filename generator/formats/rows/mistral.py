"""Mistral fine-tuning records (mistral-finetune, mistral-common): `{"messages": [...], "tools": [...]}`.

- arguments are a string that holds a JSON object
- an id is nine letters or digits, and no two calls of a conversation have the same
- tool names are at most 64 letters, digits, `_` and `-`, and every tool has `parameters` and a `description`, be it empty
- the last message is the assistant's, and every call before it is answered
- with `tokenizer: v3` (which all versions take) a message has text or calls, not both; with `tokenizer: v13` (versions 7
  and later) it may have both
- where some assistant message is not to be learnt, every assistant message has a `weight` of 0 or 1
- mistral-finetune learns the last message of a record with tools only, whatever the weights say: use `records: unrolled`

Read as well: arguments as objects, and `available_tools` for `tools`.
"""

import re
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Message, ToolMessage, Violation
from generator.core.errors import CannotCarryError
from generator.formats.format import Read, row_format
from generator.formats.openai_messages import chat_entry, check_name, read_messages_record
from generator.formats.steps import described_tool, turns, with_descriptions, without_parts

_ID = re.compile(r"[a-zA-Z0-9]{9}")


def render(conversation: Conversation) -> dict[str, Any]:
    """Return the record for every version of the tokenizer; raises CannotCarryError for text beside calls."""
    for i, message in enumerate(conversation.messages):
        if type(message) is AssistantMessage and message.tool_calls and message.content:
            raise CannotCarryError(f"$.messages[{i}].content: text beside calls")
    return render_v13(conversation)


def render_v13(conversation: Conversation) -> dict[str, Any]:
    """Return the record for versions 7 and later of the tokenizer."""
    _check(conversation)
    weighed = not all(message.train for message in conversation.messages if type(message) is AssistantMessage)
    record: dict[str, Any] = {
        "messages": [_message_entry(message, weighed) for message in without_parts(conversation, "empty_text").messages]
    }
    if conversation.tools:
        record["tools"] = [described_tool(tool) for tool in conversation.tools]
    return record


def read(record: Any) -> Read:
    """Arguments become objects, `available_tools` become `tools`."""
    faults: list[Violation] = []
    if isinstance(record, dict) and "available_tools" in record and "tools" not in record:
        record = {key: value for key, value in record.items() if key != "available_tools"} | {
            "tools": record["available_tools"]
        }
    if isinstance(record, dict) and isinstance(record.get("tools"), str):
        faults.append(Violation("MI102", "$.tools", "is a string, not a list"))
    return read_messages_record(record, "MI101", faults, train="weight"), faults


def carries(conversation: Conversation) -> Conversation:
    """All but names of people, thoughts and error flags; empty and no content, description or schema are the same."""
    return with_descriptions(without_parts(conversation, "speakers", "thoughts", "is_error", "empty_text", "no_schema"))


def _message_entry(message: Message, weighed: bool) -> dict[str, Any]:
    """Return a message as an entry; assistant messages say their weight where some have 0."""
    entry = chat_entry(message, as_text=True, no_content="absent", names=frozenset(["tool"]), thoughts=False)
    return entry | {"weight": int(message.train)} if weighed and type(message) is AssistantMessage else entry


def _check(conversation: Conversation) -> None:
    """Refuse what the validators of mistral-common refuse."""
    messages = conversation.messages
    turns(messages)
    if not messages or not isinstance(messages[-1], AssistantMessage):
        raise CannotCarryError("$.messages: does not end with the assistant")
    ids_so_far: set[str] = set()
    for i, message in enumerate(messages):
        if type(message) is AssistantMessage:
            _check_calls(message, f"$.messages[{i}]", ids_so_far)
        elif type(message) is ToolMessage and message.name is not None:
            check_name(message.name, f"$.messages[{i}].name")
    for i, tool in enumerate(conversation.tools):
        check_name(tool.name, f"$.tools[{i}].function.name")


def _check_calls(message: AssistantMessage, path: str, ids_so_far: set[str]) -> None:
    """Refuse the calls of a message that the validators refuse.

    `ids_so_far` are the ids of calls before them; those of this message are added.
    """
    if not message.tool_calls and not message.content:
        raise CannotCarryError(f"{path}.content: no text and no calls")
    for j, call in enumerate(message.tool_calls):
        check_name(call.name, f"{path}.tool_calls[{j}].function.name")
        if not _ID.fullmatch(call.id):
            raise CannotCarryError(f"{path}.tool_calls[{j}].id: not nine letters or digits")
        if call.id in ids_so_far:
            raise CannotCarryError(f"{path}.tool_calls[{j}].id: two calls have this id")
        ids_so_far.add(call.id)


FORMAT = row_format("mistral", __doc__, render=render, read=read, carries=carries)
V13_FORMAT = row_format("mistral-v13", __doc__, render=render_v13, read=read, carries=carries)
