"""Gemini `generateContent`: `{"systemInstruction": {...}, "contents": [...], "tools": [{"functionDeclarations": [...]}]}`.

- roles are `user` and `model`; calls are `functionCall` parts behind the text of the message, with `args` as an object
- the results of a message's calls are `functionResponse` parts of one `user` content, in the order of the calls
- a response must be an object: `{"output": ...}`, or `{"error": ...}` for a failed call. A result that is compact JSON of
  an object or list stands there as JSON, any other as a string
- what the model thinks before a message is a text part with `"thought": true` before the others
- schemas stand under `parametersJsonSchema`, because `parameters` takes only a part of JSON Schema
- no text may be empty; names begin with a letter or `_` and have at most 128 letters, digits, `_`, `.`, `:` and `-`

Read as well: keys in snake_case, calls without ids, `parameters` with type names in capitals.
"""

import re
from collections.abc import Iterator
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
from generator.core.schema_walk import rewrite
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, json_value, plain_call, plain_record, row_format, text_or_json
from generator.formats.openai_messages import declared_tools
from generator.formats.steps import in_call_order, message_path, placeholder_id, thought_of, turns, without_parts

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
_ROLES: dict[Any, str] = {UserMessage: "user", AssistantMessage: "model"}


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation. It shares arguments and schemas with the conversation."""
    messages = conversation.messages
    record: dict[str, Any] = {}
    turned = turns(messages)
    if turned and type(messages[0]) is SystemMessage:
        record["systemInstruction"] = {"parts": [{"text": _nonempty_text(messages[0], messages)}]}
        turned = turned[1:]
    contents: list[dict[str, Any]] = []
    for message, answers in turned:
        contents.append(_message_content(message, messages))
        if answers:
            calls = message.tool_calls if type(message) is AssistantMessage else ()
            names = [call.name for call in calls]
            contents.append(
                {"role": "user", "parts": [_response_part(a, name) for a, name in zip(answers, names, strict=True)]}
            )
    if not contents or contents[0]["role"] != "user":
        raise CannotCarryError("$.messages: does not begin with the user")
    record["contents"] = contents
    if conversation.tools:
        record["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in conversation.tools]}]
    return record


def read(record: Any) -> Read:
    """Parts become messages; calls without ids are numbered, and responses go to the calls of that id or name."""
    if not isinstance(record, dict) or not isinstance(record.get("contents"), list):
        return None, [Violation("GE101", "$.contents", "is not a list")]
    faults: list[Violation] = []
    messages: list[dict[str, Any]] = []
    system = _first_value(record, "systemInstruction", "system_instruction")
    if system is not None:
        parts = system.get("parts") if isinstance(system, dict) else [{"text": system}]
        messages.append({"role": "system", "content": _joined_texts(parts, "$.systemInstruction", faults)})
    reading = _Reading(faults)
    for i, raw in enumerate(record["contents"]):
        role = raw.get("role") if isinstance(raw, dict) else None
        parts = raw.get("parts") if isinstance(raw, dict) else None
        if role not in ("user", "model", "function") or not isinstance(parts, list):
            faults.append(Violation("GE101", f"$.contents[{i}]", "is not an object with `role` and a list of `parts`"))
        else:
            messages += reading.content("assistant" if role == "model" else "user", parts, f"$.contents[{i}]")
    tools = list(_read_tools(declared_tools(record, "GE101", faults) or []))
    return plain_record(messages, tools), faults


def carries(conversation: Conversation) -> Conversation:
    """Results in call order, named after the tool; no names of people, training flags, `strict`; thoughts are one text."""
    ordered = without_parts(in_call_order(conversation), "speakers", "blocks", "train", "strict", "empty_text")
    tools = [msgspec.structs.replace(tool, description=tool.description or None) for tool in ordered.tools]
    return msgspec.structs.replace(ordered, tools=tuple(tools))


def _message_content(message: Message, messages: tuple[Message, ...]) -> dict[str, Any]:
    """Return a message as a content with parts."""
    thought = thought_of(message)
    parts: list[dict[str, Any]] = [{"text": thought, "thought": True}] if thought else []
    if type(message) is AssistantMessage and message.tool_calls:
        parts += [{"text": message.content}] if message.content else []
        for call in message.tool_calls:
            if not _NAME.fullmatch(call.name):
                raise CannotCarryError(
                    f"{message_path(messages, message)}: not a name of a function: {call.name[:80]!r}"
                )
            parts.append({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}})
        return {"role": "model", "parts": parts}
    if type(message) is SystemMessage:
        raise CannotCarryError(f"{message_path(messages, message)}: a system message that is not the first message")
    return {"role": _ROLES[type(message)], "parts": [*parts, {"text": _nonempty_text(message, messages)}]}


def _nonempty_text(message: Message, messages: tuple[Message, ...]) -> str:
    """Return the text of a message; raises CannotCarryError for an empty one."""
    if not message.content:
        raise CannotCarryError(f"{message_path(messages, message)}.content: empty")
    return message.content


def _response_part(answer: ToolMessage, name: str) -> dict[str, Any]:
    """Return a result as a part `functionResponse`."""
    response = {"error" if answer.is_error else "output": json_value(answer.content)}
    return {"functionResponse": {"id": answer.tool_call_id, "name": name, "response": response}}


@once_per_tool
def _declaration(tool: Tool) -> dict[str, Any]:
    """Return a tool as a function declaration."""
    if not _NAME.fullmatch(tool.name):
        raise CannotCarryError(f"$.tools: not a name of a function: {tool.name[:80]!r}")
    entry: dict[str, Any] = {"name": tool.name}
    if tool.description:
        entry["description"] = tool.description
    if tool.parameters is not None:
        entry["parametersJsonSchema"] = tool.parameters
    return entry


class _Reading:
    """The calls that were read so far."""

    def __init__(self, faults: list[Violation]) -> None:
        self._faults = faults
        self._made = 0
        self._open: list[tuple[str, Any]] = []
        """(id, name) of calls that are not answered yet."""

    def content(self, role: str, parts: list[Any], path: str) -> list[dict[str, Any]]:
        """The messages of one content: results, then what is said and called."""
        texts: list[str] = []
        thoughts_said: list[str] = []
        calls: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for j, part in enumerate(parts):
            call = _first_value(part, "functionCall", "function_call")
            response = _first_value(part, "functionResponse", "function_response")
            if isinstance(call, dict) and isinstance(call.get("args", {}), dict):
                calls.append(self._read_call(call))
            elif isinstance(response, dict) and isinstance(response.get("response"), dict):
                results.append(self._read_result(response, f"{path}.parts[{j}]"))
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                (thoughts_said if part.get("thought") is True else texts).append(part["text"])
            else:
                self._faults.append(Violation("GE102", f"{path}.parts[{j}]", "is no part of the kinds known here"))
        thoughts = {"thoughts": {"reason": "\n".join(filter(None, thoughts_said))}} if any(thoughts_said) else {}
        if calls:
            self._open = [(call["id"], call["function"]["name"]) for call in calls]
            content = "".join(texts) or None
            return [*results, {"role": "assistant", "content": content, "tool_calls": calls, **thoughts}]
        return [*results, {"role": role, "content": "".join(texts), **thoughts}] if texts or not results else results

    def _read_call(self, call: dict[str, Any]) -> dict[str, Any]:
        self._made += 1
        return plain_call(call.get("id") or placeholder_id(self._made), call.get("name"), call.get("args", {}))

    def _read_result(self, response: dict[str, Any], path: str) -> dict[str, Any]:
        """Return a `functionResponse` as a tool message, linked to the open call of its id or name."""
        name, given_id = response.get("name"), response.get("id")
        open_calls = [entry for entry in self._open if entry[0] == given_id or (not given_id and entry[1] == name)]
        if open_calls:
            self._open.remove(open_calls[0])
        elif not given_id:
            self._faults.append(Violation("GE102", path, "answers no open call"))
        call_id = open_calls[0][0] if open_calls else given_id
        content, failed = _content_and_failure(response["response"])
        message = {"role": "tool", "tool_call_id": call_id, "name": name, "content": text_or_json(content)}
        return message | {"is_error": True} if failed else message


def _content_and_failure(response: dict[str, Any]) -> tuple[Any, bool]:
    """Return (what a response says, whether the call failed): `{"error": "no such city"}` → ("no such city", True)."""
    for key in ("output", "error"):
        if response.keys() == {key}:
            return response[key], key == "error"
    return response, False


def _first_value(value: Any, *keys: str) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None) if isinstance(value, dict) else None


def _joined_texts(parts: Any, path: str, faults: list[Violation]) -> str:
    """Return the texts of parts as one; a part that is no text is a fault."""
    texts = (
        [part.get("text") if isinstance(part, dict) else None for part in parts] if isinstance(parts, list) else [None]
    )
    if not all(isinstance(text, str) for text in texts):
        faults.append(Violation("GE102", path, "holds something that is not text"))
        return ""
    return "".join(str(text) for text in texts)


def _read_tools(tools: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the tools that the function declarations are."""
    for tool in tools:
        declarations = _first_value(tool, "functionDeclarations", "function_declarations")
        for raw in declarations if isinstance(declarations, list) else ():
            if not isinstance(raw, dict):
                yield {"type": "function", "function": raw}
                continue
            function = {key: raw[key] for key in ("name", "description") if raw.get(key) is not None}
            schema = _first_value(raw, "parametersJsonSchema", "parameters_json_schema")
            if schema is None:
                schema = lower_types(raw.get("parameters"))
            yield {"type": "function", "function": function | ({} if schema is None else {"parameters": schema})}


def lower_types(schema: Any) -> Any:
    """OpenAPI's type names as JSON Schema writes them."""
    return rewrite(
        schema, lambda part, _: part | {"type": part["type"].lower()} if isinstance(part.get("type"), str) else part
    )


FORMAT = row_format("gemini", __doc__, render=render, read=read, carries=carries)
