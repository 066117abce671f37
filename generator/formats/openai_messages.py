"""`messages` as in OpenAI's Chat Completions, which several formats share.

Reading is generous about what people write in different ways: arguments as an object or as a string that holds one,
content as text or as a list of text parts, `developer` for `system`, `tools` as a list or as a JSON string.
"""

import ast
import re
from contextlib import suppress
from typing import Any, Literal

import orjson

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.core.exact_json import read_exactly
from generator.formats.format import compact_json
from generator.formats.steps import thought_of

THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking")
"""What a message calls what the model thinks before it; the first is written."""
CUSTOM_INPUT: dict[str, Any] = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""What a call of the type `custom` is as a call of a function: one with this schema."""
ROLES = {SystemMessage: "system", UserMessage: "user", AssistantMessage: "assistant"}


is_name = re.compile(r"[a-zA-Z0-9_-]{1,64}").fullmatch
"""Whether a text is a name of a function as OpenAI and others take it."""


def call_entries(calls: tuple[ToolCall, ...], *, as_text: bool) -> list[dict[str, Any]]:
    """Return `tool_calls`, with arguments as the text of an object, or as the object of the conversation itself."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": compact_json(call.arguments) if as_text else call.arguments},
        }
        for call in calls
    ]


def chat_entry(
    message: Message,
    *,
    as_text: bool,
    no_content: Literal["empty", "null", "absent"] = "empty",
    names: frozenset[str] = frozenset(["system", "user", "assistant", "tool"]),
    thoughts: bool = True,
) -> dict[str, Any]:
    """Return a message as Chat Completions has it, by default as chat templates of Hugging Face take it.

    Args:
        message: The message.
        as_text: Whether arguments are texts.
        no_content: What stands for the content of a message that only calls.
        names: The roles that have names.
        thoughts: Whether thoughts are written.
    """
    role = "tool" if type(message) is ToolMessage else ROLES[type(message)]
    entry: dict[str, Any] = {"role": role}
    if type(message) is ToolMessage:
        entry["tool_call_id"] = message.tool_call_id
    if message.content is not None or no_content != "absent" or not getattr(message, "tool_calls", ()):
        entry["content"] = message.content or "" if no_content == "empty" else message.content
    if message.name is not None and role in names:
        entry["name"] = message.name
    if type(message) is AssistantMessage:
        if thoughts and (thought := thought_of(message)):
            entry[THOUGHT_KEYS[0]] = thought
        if message.tool_calls:
            entry["tool_calls"] = call_entries(message.tool_calls, as_text=as_text)
    return entry


def check_names(conversation: Conversation) -> None:
    """Raise CannotCarryError for a name that OpenAI does not take."""
    for i, message in enumerate(conversation.messages):
        for j, call in enumerate(message.tool_calls if type(message) is AssistantMessage else ()):
            check_name(call.name, f"$.messages[{i}].tool_calls[{j}].function.name")
    for i, tool in enumerate(conversation.tools):
        check_name(tool.name, f"$.tools[{i}].function.name")


def check_name(name: str, place: str) -> None:
    """Raise CannotCarryError for a name that OpenAI and others do not take."""
    if not is_name(name):
        raise CannotCarryError(f"{place}: not 1 to 64 letters, digits, '_' and '-': {name[:80]!r}")


def parse_exact_json(text: str) -> Any:
    """Return the value of a JSON text, exactly.

    Raises:
        ValueError: when it is not JSON, or does not have one meaning.
    """
    try:
        return read_exactly(text.encode("utf-8", "surrogatepass"))
    except FormatError as fault:
        raise ValueError(str(fault)) from None


def parse_or_text(value: Any) -> Any:
    """Return the value of a JSON text; anything else as it is."""
    try:
        return parse_exact_json(value) if isinstance(value, str) else value
    except ValueError:
        return value


def python_value(text: str) -> Any:
    """Return the value of a Python literal of JSON's kinds; None for anything else, and for texts of a million characters."""
    try:
        value = ast.literal_eval(text.strip()) if len(text) < 1_000_000 else None
        return orjson.loads(orjson.dumps(value))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def read_arguments(value: Any) -> tuple[Any, str]:
    """Return arguments as an object, or unchanged with what is wrong with them."""
    if isinstance(value, dict):
        return value, ""
    if not isinstance(value, str):
        return value, "is neither an object nor a string"
    try:
        inner = parse_exact_json(value)
    except ValueError as fault:
        return value, f"does not hold JSON: {fault}"
    return (inner, "") if isinstance(inner, dict) else (value, "holds JSON, but not an object")


def read_messages_record(
    record: Any,
    code: str,
    faults: list[Violation],
    *,
    train: str | None = None,
    empty: str | None = "",
    text_code: str = "",
) -> Any:
    """Return a record with `messages` and `tools` as a plain record.

    Args:
        record: Any JSON value.
        code: The code of the rule that unreadable arguments and tools break.
        faults: The list to which faults are added.
        train: The key that says whether an assistant message is learnt.
        empty: What empty text beside calls is read as.
        text_code: The code of the rule that arguments as text break, if any.
    """
    if not isinstance(record, dict):
        return record
    plain = dict(record)
    if isinstance(record.get("messages"), list):
        plain["messages"] = [
            _read_message(f"$.messages[{i}]", message, (code, text_code), faults, train)
            for i, message in enumerate(record["messages"])
        ]
        for message in plain["messages"]:
            if isinstance(message, dict) and message.get("content") == "" and message.get("tool_calls"):
                message["content"] = empty
    if isinstance(record.get("tools"), str):
        plain["tools"] = declared_tools(record, code, faults)
    return plain


def declared_tools(record: dict[str, Any], code: str, faults: list[Violation]) -> list[Any] | None:
    """Return a record's `tools`: the list, or the one that a text holds; None for anything else."""
    tools = record.get("tools")
    listed = read_json_list(tools, "$.tools", code, faults) if isinstance(tools, str) else tools
    return listed if isinstance(listed, list) else None


def read_json_list(text: str, path: str, code: str, faults: list[Violation]) -> Any:
    """Return the list that a JSON string holds; None for an empty string, and when there is a fault."""
    if not text.strip():
        return None
    try:
        value = parse_exact_json(text)
    except ValueError as fault:
        faults.append(Violation(code, path, f"does not hold JSON: {fault}"))
        return None
    if not isinstance(value, list):
        faults.append(Violation(code, path, "holds JSON, but not a list"))
        return None
    return value


def with_schema_read(tool: Any) -> Any:
    """Return a tool with the schema that its `parameters` hold as text; any other as it is."""
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("parameters"), str):
        return tool
    with suppress(ValueError):
        return tool | {"function": function | {"parameters": parse_exact_json(function["parameters"])}}
    return tool


def tool_call_entries(message: Any) -> list[Any]:
    """Return the entries of a message's `tool_calls`."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return calls if isinstance(calls, list) else []


_INNER_KEYS = frozenset(["train", "thoughts", "is_error"])


def without_inner_keys(message: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a message without the keys that only plain records give a meaning."""
    if _INNER_KEYS.isdisjoint(message):
        return dict(message)
    return {key: value for key, value in message.items() if key not in _INNER_KEYS}


def joined_text_parts(content: Any) -> Any:
    """Return the text of a list of text parts; anything else as it is."""
    if not isinstance(content, list):
        return content
    texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts) if len(texts) == len(content) else content


def _read_message(path: str, raw: Any, codes: tuple[str, str], faults: list[Violation], train: str | None) -> Any:
    """Return a message of a record as a plain record has it; anything that is no object as it is."""
    if not isinstance(raw, dict):
        return raw
    message = without_inner_keys(raw)
    if message.get("role") == "developer":
        message["role"] = "system"
    if isinstance(message.get("content"), list):
        message["content"] = joined_text_parts(message["content"])
    if train and message.get("role") == "assistant" and train in message:
        message["train"] = _read_train_flag(message.pop(train), f"{path}.{train}", codes[0], faults)
    if message.get("role") == "assistant":
        take_thoughts(message)
    calls = tool_call_entries(raw)
    if calls:
        message["tool_calls"] = [
            _read_call(f"{path}.tool_calls[{j}]", call, codes, faults) for j, call in enumerate(calls)
        ]
    elif "tool_calls" in message and not message["tool_calls"]:
        del message["tool_calls"]
    return message


def take_thoughts(message: dict[str, Any]) -> None:
    """Put what a message says that the model thinks where a plain record has it."""
    thoughts = [message.pop(key) for key in THOUGHT_KEYS if isinstance(message.get(key), str)]
    if texts := list(dict.fromkeys(text for text in thoughts if text)):
        message["thoughts"] = {"reason": "\n".join(texts)}


def _read_train_flag(value: Any, path: str, code: str, faults: list[Violation]) -> bool:
    """Return whether a message is learnt, by the value of its flag: 0, 1, false or true."""
    if value in (0, 1):  # False and True too
        return bool(value)
    if value is not None:
        faults.append(Violation(code, path, "is not a flag (0 or 1, false or true)"))
    return True


def _read_call(path: str, raw: Any, codes: tuple[str, str], faults: list[Violation]) -> Any:
    """Return an entry of `tool_calls` with its arguments as an object."""
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(function, dict):
        return raw
    arguments, reason = read_arguments(function.get("arguments"))
    code = codes[0] if reason else codes[1] if isinstance(function.get("arguments"), str) else ""
    if code:
        faults.append(Violation(code, f"{path}.function.arguments", reason or "is a text, not an object"))
    return raw | {"function": function | {"arguments": arguments}}
