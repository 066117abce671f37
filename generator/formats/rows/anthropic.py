"""Anthropic Messages: `{"system": "...", "messages": [...], "tools": [...]}`.

- calls are `tool_use` blocks with an `input` object behind the text of the message; results are `tool_result` blocks at
  the beginning of *one* user message, and what the person says next is a text block behind them in the same message
- every call is answered in the next message, unless it ends the conversation; results stand in the order of the calls
- a failed call has `"is_error": true`
- what the model thinks before a message is a `thinking` block before its text, with an empty `signature`: only Anthropic
  can sign, and its API takes no unsigned one
- no text may be empty or white space only: beside calls empty text is left out, other such messages are refused
- the system message is a field, so it can only be the first message
- a tool is `{"name", "description", "input_schema"}`; names have at most 128 letters, digits, `_` and `-`
- ids are letters, digits, `_` and `-`

Read as well: text and results as lists of text blocks.
"""

import re
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Tool,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.errors import CannotCarryError
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, plain_call, plain_record, row_format
from generator.formats.openai_messages import declared_tools, joined_text_parts
from generator.formats.steps import argument_schema, in_call_order, message_path, thought_of, turns, without_parts

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation. It shares arguments and schemas with the conversation."""
    messages = conversation.messages
    record: dict[str, Any] = {}
    turned = turns(messages)
    if turned and type(messages[0]) is SystemMessage:
        record["system"] = _nonempty_text(messages[0], messages)
        turned = turned[1:]
    entries: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for message, answers in turned:
        if results and type(message) is UserMessage:  # said behind the results, in their message
            results.append({"type": "text", "text": _nonempty_text(message, messages)})
        else:
            entries.append(_message_entry(message, messages))
        results = [_result_block(answer) for answer in answers]
        if results:
            entries.append({"role": "user", "content": results})
    if not entries or entries[0]["role"] != "user":
        raise CannotCarryError("$.messages: does not begin with the user")
    record["messages"] = entries
    if conversation.tools:
        record["tools"] = [_tool_entry(tool) for tool in conversation.tools]
    return record


def read(record: Any) -> Read:
    """Blocks become messages: one for each result, one for the text behind them."""
    faults: list[Violation] = []
    if not isinstance(record, dict) or not isinstance(record.get("messages"), list):
        return None, [Violation("AN101", "$.messages", "is not a list")]
    messages: list[dict[str, Any]] = []
    if record.get("system"):
        messages.append({"role": "system", "content": joined_text_parts(record["system"])})
    for i, raw in enumerate(record["messages"]):
        path = f"$.messages[{i}]"
        role = raw.get("role") if isinstance(raw, dict) else None
        content = raw.get("content") if isinstance(raw, dict) else None
        if role not in ("user", "assistant") or not isinstance(content, str | list):
            faults.append(Violation("AN101", path, "is not a message of user or assistant with content"))
        elif isinstance(content, str):
            messages.append({"role": role, "content": content})
        elif role == "user":
            messages += _read_user(content, path, faults)
        else:
            messages.append(_read_assistant(content, path, faults))
    return plain_record(messages, [_read_tool(tool) for tool in declared_tools(record, "AN101", faults) or ()]), faults


def carries(conversation: Conversation) -> Conversation:
    """Results in call order; no names and training flags; thoughts are one text; beside calls, empty and no content are the same."""
    ordered = without_parts(
        in_call_order(conversation), "speakers", "tool_names", "blocks", "train", "empty_text", "no_schema"
    )
    tools = [msgspec.structs.replace(tool, description=tool.description or None) for tool in ordered.tools]
    return msgspec.structs.replace(ordered, tools=tuple(tools))


def _message_entry(message: Message, messages: tuple[Message, ...]) -> dict[str, Any]:
    """Return a message as an entry of `messages`: text, or blocks of thinking, text and calls."""
    if type(message) is SystemMessage:
        raise CannotCarryError(f"{message_path(messages, message)}: a system message that is not the first message")
    if type(message) is not AssistantMessage:
        return {"role": "user", "content": _nonempty_text(message, messages)}
    thought = thought_of(message)
    if not message.tool_calls and not thought:
        return {"role": "assistant", "content": _nonempty_text(message, messages)}
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": thought, "signature": ""}] if thought else []
    if message.content or not message.tool_calls:
        blocks.append({"type": "text", "text": _nonempty_text(message, messages)})
    for call in message.tool_calls:
        if not _ID.fullmatch(call.id) or not _NAME.fullmatch(call.name):
            path = message_path(messages, message)
            raise CannotCarryError(f"{path}: an id or a name holds other than letters, digits, '_' and '-'")
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    return {"role": "assistant", "content": blocks}


def _nonempty_text(message: Message, messages: tuple[Message, ...]) -> str:
    """Return the text of a message; raises CannotCarryError where there is none to speak of."""
    if not message.content or message.content.isspace():
        raise CannotCarryError(f"{message_path(messages, message)}.content: empty, or white space only")
    return message.content


def _result_block(answer: ToolMessage) -> dict[str, Any]:
    """Return a result as a block `tool_result`."""
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": answer.tool_call_id, "content": answer.content}
    if answer.is_error:
        block["is_error"] = True
    return block


@once_per_tool
def _tool_entry(tool: Tool) -> dict[str, Any]:
    """Return a tool as Anthropic declares it."""
    if not _NAME.fullmatch(tool.name):
        raise CannotCarryError(f"$.tools: a name with other than letters, digits, '_', '-': {tool.name[:80]!r}")
    schema = argument_schema(tool)
    if schema.get("type") != "object":
        raise CannotCarryError(f"$.tools: the parameters of {tool.name[:80]!r} are not of type object")
    entry: dict[str, Any] = {"name": tool.name}
    if tool.description:
        entry["description"] = tool.description
    entry["input_schema"] = schema
    if tool.strict is not None:
        entry["strict"] = tool.strict
    return entry


def _read_user(blocks: list[Any], path: str, faults: list[Violation]) -> list[dict[str, Any]]:
    """Return the tool messages and the user message that the blocks are."""
    messages: list[dict[str, Any]] = []
    texts: list[str] = []
    for j, block in enumerate(blocks):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_result" and not texts:
            messages.append(_read_result(block, f"{path}.content[{j}]", faults))
        elif kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        else:
            faults.append(
                Violation(
                    "AN102", f"{path}.content[{j}]", f"is neither text nor a result before it{_type_in_words(kind)}"
                )
            )
    return [*messages, {"role": "user", "content": "\n".join(texts)}] if texts or not messages else messages


def _read_result(block: dict[str, Any], path: str, faults: list[Violation]) -> dict[str, Any]:
    """Return a block `tool_result` as a tool message."""
    content = joined_text_parts(block.get("content", ""))
    if not isinstance(block.get("tool_use_id"), str):
        faults.append(Violation("AN102", path, "has no `tool_use_id`"))
    if not isinstance(content, str):
        kinds = [part.get("type") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        strange = next((kind for kind in kinds if kind != "text"), None)
        faults.append(Violation("AN102", f"{path}.content", f"is not text{_type_in_words(strange)}"))
    message = {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": content}
    return message | {"is_error": True} if block.get("is_error") is True else message


def _read_assistant(blocks: list[Any], path: str, faults: list[Violation]) -> dict[str, Any]:
    """Return the blocks of a message as one assistant message."""
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for j, block in enumerate(blocks):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            thoughts.append(block["thinking"])
        elif kind == "tool_use" and isinstance(block.get("input"), dict):
            calls.append(plain_call(block.get("id"), block.get("name"), block["input"]))
        elif kind != "redacted_thinking":
            faults.append(
                Violation(
                    "AN102", f"{path}.content[{j}]", f"is neither text nor a call with an object{_type_in_words(kind)}"
                )
            )
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) if texts or not calls else None}
    if calls:
        message["tool_calls"] = calls
    if any(thoughts):
        message["thoughts"] = {"reason": "\n".join(filter(None, thoughts))}
    return message


def _type_in_words(kind: Any) -> str:
    """Return the type of a block for a message about it."""
    images = ": no format here holds images or files (convert --drop-images leaves them out)"
    return f" ({kind!r}{images if kind in ('image', 'document') else ''})" if kind else ""


def _read_tool(raw: Any) -> Any:
    """Return an entry of `tools` as plain records declare it."""
    if not isinstance(raw, dict):
        return raw
    function = {key: raw[key] for key in ("name", "description", "strict") if raw.get(key) is not None}
    return {"type": "function", "function": function | {"parameters": raw.get("input_schema")}}


FORMAT = row_format("anthropic", __doc__, render=render, read=read, carries=carries)
