"""xLAM / APIGen records of one turn: `{"id", "query", "tools", "answers"}`, the last two as JSON strings.

- `query` is the request, `answers` the list of `{"name", "arguments"}` of the calls that the assistant makes first; results
  of the calls and the words about them are not part of such a record
- `id` is a number made from the record
- a tool is `{"name", "description", "parameters": {"city": {"type": "str", "description", "default"}}}`: not JSON Schema
  but names of Python types. `List[T]` and `Optional[T]` say what a list holds and that null is allowed, `, optional` that
  the argument may be left out, as may one with a `default`, which required ones do not have here; `Any` stands for what these cannot say. Nothing else of a schema is carried
- rows with several requests, with calls in several messages or with none are refused
- a system message has no place: `run` leaves it out, and counts that, where the row's proof holds without it, and refuses
  rows that need it ("tomorrow", with the day that it states); `convert`, which has no proof, refuses both
"""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.conversation import Conversation, Tool, Violation
from generator.core.errors import CannotCarryError
from generator.core.pointers import parts_of_object
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, compact_json, number_from_texts, plain_call, plain_record, row_format
from generator.formats.openai_messages import read_arguments, read_json_list
from generator.formats.steps import OneStep, one_step, placeholder_id

_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "list": "array",
    "set": "array",
    "tuple": "array",
}
_NAMES = {schema: name for name, schema in reversed(_TYPES.items())}
_WRAPPED = re.compile(r"(list|set|tuple|optional|dict)\[(.*)\]", re.DOTALL | re.IGNORECASE)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    step = _one_step_with_calls(conversation)
    texts = [f'{{"name":{compact_json(c.name)},"arguments":{compact_json(c.arguments)}}}' for c in step.calls]
    answers = f"[{','.join(texts)}]"
    tools = f"[{','.join([_tool_text(tool) for tool in step.tools])}]"
    number = number_from_texts(step.request, tools, answers)
    return {"id": number, "query": step.request, "tools": tools, "answers": answers}


def read(record: Any) -> Read:
    """The request and the calls, numbered; types become schemas."""
    if not isinstance(record, dict) or not isinstance(record.get("query"), str):
        return None, [Violation("XL101", "$.query", "is not a text")]
    faults: list[Violation] = []
    answers, tools = (_listed(record.get(key), key, faults) for key in ("answers", "tools"))
    calls = list(_read_calls(answers, faults))
    declared = [_read_tool(tool, f"$.tools[{i}]", faults) for i, tool in enumerate(tools)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": record["query"]}]
    messages.append({"role": "assistant", "tool_calls": calls} if calls else {"role": "assistant", "content": ""})
    return plain_record(messages, declared), faults


def carries(conversation: Conversation) -> Conversation:
    """The request, the calls of the first step (numbered), and of the tools what names of types can say."""
    step = _one_step_with_calls(conversation)
    tools = [
        Tool(name=tool.name, description=tool.description or None, parameters=_read_schema(_typed_parameters(tool)))
        for tool in step.tools
    ]
    return step.conversation(tools)


def _one_step_with_calls(conversation: Conversation) -> OneStep:
    """Return the one step of a conversation; raises CannotCarryError where it has a system message or no calls."""
    step = one_step(conversation)
    if step.system is not None:
        raise CannotCarryError("$.messages[0]: a system message")
    if not step.calls:
        raise CannotCarryError("$.messages: no calls")
    return step


@once_per_tool
def _tool_text(tool: Tool) -> str:
    """Return a tool with names of Python types as JSON."""
    described = {"name": tool.name, "description": tool.description or "", "parameters": _typed_parameters(tool)}
    return compact_json(described)


def _typed_parameters(tool: Tool) -> dict[str, Any]:
    """Return the arguments of a tool with names of Python types: `{"city": {"type": "str, optional", "description": ""}}`."""
    properties, required = parts_of_object(tool.parameters)
    parameters = {}
    for name, part in properties.items():
        kind = _type_name(part)
        entry = {"type": kind if name in required else f"{kind}, optional", "description": _description(part)}
        if isinstance(part, dict) and "default" in part and name not in required:
            entry["default"] = part["default"]
        parameters[name] = entry
    return parameters


def _description(part: Any) -> str:
    text = part.get("description") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def _type_name(part: Any) -> str:
    """The Python type of a schema; never one that allows less."""
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(kind, list) and len(kind) == 2 and "null" in kind:
        inner = next((name for name in kind if name != "null"), "null")
        return f"Optional[{_type_name(part | {'type': inner})}]" if inner in _NAMES else "Any"
    if kind == "array" and isinstance(part.get("items"), dict):
        inner = _type_name(part["items"])
        return "list" if inner == "Any" else f"List[{inner}]"
    return _NAMES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _listed(value: Any, key: str, faults: list[Violation]) -> list[Any]:
    """Return the list that a value is or that its text holds; empty, with a fault added, where it is neither."""
    entries = read_json_list(value, f"$.{key}", "XL101", faults) if isinstance(value, str) else value
    if isinstance(entries, list):
        return entries
    if not isinstance(value, str):
        faults.append(Violation("XL101", f"$.{key}", "is neither a list nor a string that holds one"))
    return []


def _read_calls(answers: list[Any], faults: list[Violation]) -> Iterator[dict[str, Any]]:
    """Yield the calls of `answers`, numbered."""
    for i, answer in enumerate(answers):
        path = f"$.answers[{i}]"
        if not isinstance(answer, dict) or not isinstance(answer.get("name"), str):
            faults.append(Violation("XL102", path, "is not an object with a `name` and `arguments`"))
            continue
        arguments, reason = read_arguments(answer.get("arguments"))
        if reason:
            faults.append(Violation("XL102", f"{path}.arguments", reason))
        yield plain_call(placeholder_id(i + 1), answer["name"], arguments)


def _read_tool(raw: Any, path: str, faults: list[Violation]) -> dict[str, Any]:
    """Return an entry of `tools` as plain records declare it."""
    if isinstance(raw, dict) and isinstance(raw.get("function"), dict):
        raw = raw["function"]
    parameters = raw.get("parameters") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(raw.get("name"), str) or not isinstance(parameters, dict | None):
        faults.append(Violation("XL102", path, "is not an object with a `name` and `parameters`"))
        return {"type": "function", "function": {}}
    function: dict[str, Any] = {"name": raw["name"]}
    if isinstance(raw.get("description"), str) and raw["description"]:
        function["description"] = raw["description"]
    return {"type": "function", "function": function | {"parameters": _read_schema(parameters or {})}}


def _read_schema(parameters: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of named types; one that is JSON Schema already stays."""
    if isinstance(parameters.get("properties"), dict) and parameters.get("type") == "object":
        return parameters
    properties, required = {}, []
    for name, entry in parameters.items():
        entry = entry if isinstance(entry, dict) else {}
        text = entry["type"] if isinstance(entry.get("type"), str) else ""
        kind, comma, rest = text.rpartition(",")
        may_be_left_out = bool(comma) and rest.strip() == "optional"
        if not may_be_left_out and "default" not in entry:
            required.append(name)
        properties[name] = _schema_of_type((kind if may_be_left_out else text).strip())
        if _description(entry):
            properties[name]["description"] = entry["description"]
        if "default" in entry:
            properties[name]["default"] = entry["default"]
    return {"type": "object", "properties": properties, "required": required}


def _schema_of_type(name: str) -> dict[str, Any]:
    """Return the schema of a Python type: `List[int]` → `{"type": "array", "items": {"type": "integer"}}`."""
    wrapped = _WRAPPED.fullmatch(name)
    if wrapped is None:
        kind = _TYPES.get(name.lower())
        return {"type": kind} if kind else {}
    outer = wrapped[1].lower()
    if outer == "dict":
        return {"type": "object"}
    inner = _schema_of_type(wrapped[2].strip())
    if outer == "optional":
        return inner | {"type": [inner["type"], "null"]} if isinstance(inner.get("type"), str) else {}
    return {"type": "array", "items": inner} if inner else {"type": "array"}


FORMAT = row_format("xlam", __doc__, render=render, read=read, carries=carries)
