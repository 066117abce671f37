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

import re
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Message, ToolMessage, Violation
from generator.core.errors import CannotCarryError
from generator.formats.format import Consumer, Format, Policy, Read, tool_object
from generator.formats.openai_messages import (
    ROLES,
    call_entries,
    calls_of,
    joined_text_parts,
    parse_exact_json,
    without_inner_keys,
)
from generator.formats.steps import without_parts

_FAULTS = (
    ("OA101", "Arguments are a string that holds a JSON object."),
    ("OA102", "The id of a call is a non-empty string."),
    ("OA103", "The name of a tool is at most 64 letters (a-z, A-Z), digits, `_` or `-`."),
    ("OA104", "`parallel_tool_calls`, where there is one, is a boolean, and true when a message makes several calls."),
    ("OA105", "The `weight` of an assistant message, where there is one, is 0 or 1."),
)
_is_name = re.compile(r"[a-zA-Z0-9_-]{1,64}").fullmatch


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _check_names(conversation)
    record: dict[str, Any] = {"messages": [_message(message) for message in conversation.messages]}
    said = [message for message in conversation.messages if type(message) is AssistantMessage]
    if not all(message.train for message in said):
        entries = [entry for entry in record["messages"] if entry["role"] == "assistant"]
        for message, entry in zip(said, entries, strict=True):
            entry["weight"] = int(message.train)
    if conversation.tools:
        record["tools"] = [tool_object(tool) for tool in conversation.tools]
        record["parallel_tool_calls"] = any(len(message.tool_calls) > 1 for message in said)
    return record


def read(record: Any) -> Read:
    """Arguments become objects, text parts become text, `developer` becomes `system`."""
    faults: list[Violation] = []
    if not isinstance(record, dict):
        return record, faults
    plain = dict(record)
    if isinstance(record.get("messages"), list):
        plain["messages"] = [_read_message(f"$.messages[{i}]", m, faults) for i, m in enumerate(record["messages"])]
    if isinstance(record.get("tools"), list):
        for i, tool in enumerate(record["tools"]):
            name = _bad_name(tool)
            if name:
                faults.append(_fault_of_name(f"$.tools[{i}]", name))
    _read_parallel(record, faults)
    return plain, faults


def carries(conversation: Conversation) -> Conversation:
    """All but names on tool messages, thoughts and error flags."""
    return without_parts(conversation, "tool_names", "thoughts", "is_error")


def _message(message: Message) -> dict[str, Any]:
    if type(message) is ToolMessage:
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    entry: dict[str, Any] = {"role": ROLES[type(message)], "content": message.content}
    if message.name is not None:
        entry["name"] = message.name
    if type(message) is AssistantMessage and message.tool_calls:
        entry["tool_calls"] = call_entries(message.tool_calls, as_text=True)
    return entry


def _check_names(conversation: Conversation) -> None:
    for i, message in enumerate(conversation.messages):
        if type(message) is AssistantMessage:
            for j, call in enumerate(message.tool_calls):
                if not _is_name(call.name):
                    raise _misnamed(f"$.messages[{i}].tool_calls[{j}]", call.name)
    for i, tool in enumerate(conversation.tools):
        if not _is_name(tool.name):
            raise _misnamed(f"$.tools[{i}]", tool.name)


def _misnamed(place: str, name: str) -> CannotCarryError:
    return CannotCarryError(f"{place}.function.name: not 1 to 64 letters, digits, '_' and '-': {name[:80]!r}")


def _read_message(path: str, raw: Any, faults: list[Violation]) -> Any:
    if not isinstance(raw, dict):
        return raw
    message = without_inner_keys(raw)
    role = raw.get("role")
    if role == "assistant" and raw.get("weight") is not None:
        message["train"] = _read_weight(f"{path}.weight", raw["weight"], faults)
    if role == "developer":
        message["role"] = "system"
    if isinstance(raw.get("content"), list):
        message["content"] = joined_text_parts(raw["content"])
    calls = calls_of(raw)
    if calls:
        message["tool_calls"] = [_read_call(f"{path}.tool_calls[{j}]", c, faults) for j, c in enumerate(calls)]
    return message


def _read_weight(path: str, weight: Any, faults: list[Violation]) -> bool:
    if type(weight) is not int or weight not in (0, 1):
        faults.append(Violation("OA105", path, "is neither 0 nor 1"))
    return bool(weight)


def _read_call(path: str, raw: Any, faults: list[Violation]) -> Any:
    if not isinstance(raw, dict):
        return raw
    if not isinstance(raw.get("id"), str) or not raw["id"]:
        faults.append(Violation("OA102", f"{path}.id", "is not a non-empty string"))
    function = raw.get("function")
    if not isinstance(function, dict):
        return raw
    name = _bad_name(raw)
    if name:
        faults.append(_fault_of_name(path, name))
    arguments, reason = _decoded(function.get("arguments"))
    if reason:
        faults.append(Violation("OA101", f"{path}.function.arguments", reason))
    return raw | {"function": function | {"arguments": arguments}}


def _decoded(text: Any) -> tuple[Any, str]:
    """The arguments that a string holds; or what is there, and what is wrong with it."""
    if not isinstance(text, str):
        return text, "is not a string"
    try:
        arguments = parse_exact_json(text)
    except ValueError as fault:
        return text, f"does not hold JSON: {fault}"
    return (arguments, "") if isinstance(arguments, dict) else (text, "holds JSON, but not an object")


def _bad_name(raw: Any) -> str | None:
    """The name of the function of a tool or call, if it is not what a name should be."""
    function = raw.get("function") if isinstance(raw, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) and name and not _is_name(name) else None


def _fault_of_name(path: str, name: str) -> Violation:
    message = f"{name[:80]!r} is not 1 to 64 letters, digits, '_' and '-'"
    return Violation("OA103", f"{path}.function.name", message)


def _read_parallel(record: dict[str, Any], faults: list[Violation]) -> None:
    parallel = record.get("parallel_tool_calls")
    if parallel is not None and not isinstance(parallel, bool):
        faults.append(Violation("OA104", "$.parallel_tool_calls", "is neither true nor false"))
        return
    messages = record["messages"] if isinstance(record.get("messages"), list) else []
    if parallel is False and any(len(calls_of(message)) > 1 for message in messages):
        faults.append(Violation("OA104", "$.parallel_tool_calls", "is false, but a message makes several calls"))


FORMAT = Format(
    name="openai",
    about="OpenAI fine-tuning records: arguments as JSON text, `parallel_tool_calls`",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(later_system=True, train="flag"),
    waives=("DF201", "DF301", "DF501"),
    faults=_FAULTS,
    options=(("rows", "messages"),),
    consumers=(
        Consumer("openai", "2.54", "`ChatCompletionMessageParam`, `ChatCompletionToolParam`"),
        Consumer("mistral-common", "1.13.1", "`ChatCompletionRequest.from_openai`"),
    ),
)
