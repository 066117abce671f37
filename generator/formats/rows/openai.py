"""OpenAI chat fine-tuning records: `{"messages": [...], "tools": [...], "parallel_tool_calls": ...}`.

- arguments are a string that holds a JSON object (compact, non-ASCII letters kept)
- an assistant message that only calls has `"content": null`
- ids are any non-empty string, and the `name` of a tool message is not carried
- tool names are at most 64 letters, digits, `_` and `-`
- `parallel_tool_calls` says whether some message makes several calls; it stands beside `tools` only
- where some assistant message is not to be learnt, every assistant message has a `weight` of 0 or 1
- with `rows: preference` a record is `{"input": {...}, "preferred_output", "non_preferred_output"}`: what is not preferred has
  exactly one fault (see trl), which is not named, because no other keys are allowed
- `datasets` changes the last digit of some numbers in `tools` (see trl), never in arguments; OpenAI is not concerned
- there is no flag for failed calls: the content of the tool message says it

Read as well: the role `developer` (a system message) and content as a list of text parts.
"""

from collections.abc import Iterator
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Violation
from generator.formats.format import Read, row_format, tool_object
from generator.formats.openai_messages import chat_entry, check_names, is_name, read_messages_record, tool_call_entries
from generator.formats.steps import without_parts


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    check_names(conversation)
    entries = [
        chat_entry(message, as_text=True, no_content="null", names=_NAMED, thoughts=False)
        for message in conversation.messages
    ]
    record: dict[str, Any] = {"messages": entries}
    answers = [message for message in conversation.messages if type(message) is AssistantMessage]
    if not all(message.train for message in answers):
        for message, entry in zip(answers, [entry for entry in entries if entry["role"] == "assistant"], strict=True):
            entry["weight"] = int(message.train)
    if conversation.tools:
        record["tools"] = [tool_object(tool) for tool in conversation.tools]
        record["parallel_tool_calls"] = any(len(message.tool_calls) > 1 for message in answers)
    return record


def read(record: Any) -> Read:
    """Arguments become objects, text parts become text, `developer` becomes `system`."""
    faults: list[Violation] = []
    plain = read_messages_record(record, "OA101", faults, train="weight")
    return plain, [*(_faults_beside_reading(record) if isinstance(record, dict) else ()), *faults]


def carries(conversation: Conversation) -> Conversation:
    """All but names on tool messages, thoughts and error flags."""
    return without_parts(conversation, "tool_names", "thoughts", "is_error")


_NAMED = frozenset(["system", "user", "assistant"])


def _faults_beside_reading(record: dict[str, Any]) -> Iterator[Violation]:
    """Yield what OpenAI does not take, though it can be read."""
    for i, message in _objects_in_list(record, "messages"):
        if message.get("weight") not in (None, 0, 1) or isinstance(message.get("weight"), bool):
            yield Violation("OA105", f"$.messages[{i}].weight", "is neither 0 nor 1")
        for j, call in _objects_in_list(message, "tool_calls"):
            yield from _faults_of_call(f"$.messages[{i}].tool_calls[{j}]", call)
    for i, tool in _objects_in_list(record, "tools"):
        yield from _faults_of_name(f"$.tools[{i}]", tool)
    if isinstance(record.get("tools"), str):
        yield Violation("OA106", "$.tools", "is a string, not a list")
    parallel = record.get("parallel_tool_calls")
    if parallel is not None and not isinstance(parallel, bool):
        yield Violation("OA104", "$.parallel_tool_calls", "is neither true nor false")
    elif parallel is False and any(
        len(tool_call_entries(message)) > 1 for _, message in _objects_in_list(record, "messages")
    ):
        yield Violation("OA104", "$.parallel_tool_calls", "is false, but a message makes several calls")


def _faults_of_call(path: str, call: dict[str, Any]) -> Iterator[Violation]:
    """Yield what OpenAI does not take of a call."""
    if not isinstance(call.get("id"), str) or not call["id"]:
        yield Violation("OA102", f"{path}.id", "is not a non-empty string")
    yield from _faults_of_name(path, call)
    function = call.get("function")
    if isinstance(function, dict) and not isinstance(function.get("arguments"), str):
        yield Violation("OA101", f"{path}.function.arguments", "is not a string")


def _objects_in_list(value: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (index, object) for the objects of the list under a key."""
    listed = value.get(key)
    yield from (
        (i, entry) for i, entry in enumerate(listed if isinstance(listed, list) else ()) if isinstance(entry, dict)
    )


def _faults_of_name(path: str, raw: dict[str, Any]) -> Iterator[Violation]:
    """Yield the fault of the name of a call or a tool, if it has one."""
    function = raw.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if isinstance(name, str) and name and not is_name(name):
        message = f"{name[:80]!r} is not 1 to 64 letters, digits, '_' and '-'"
        yield Violation("OA103", f"{path}.function.name", message)


FORMAT = row_format("openai", __doc__, render=render, read=read, carries=carries)
