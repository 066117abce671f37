"""BFCL test cases of one turn: `{"id", "question", "function", "ground_truth"}`.

BFCL keeps questions and possible answers in two files that are joined by `id`, and each category in files of its own. Its
loader looks at the keys it knows only, so each record here holds both: the lines of one category are the file
`BFCL_v4_<category>.json` and the file of that name in `possible_answer/`.

- `id` is the category and a number made from the record. The category is `simple_python`, `multiple`, `parallel` or
  `parallel_multiple` by how many functions there are and how many calls; a row without calls is `irrelevance`
- `question` holds the system message, if there is one, and the request
- `function` is the list of functions with BFCL's names of types: `float` for `number`, `dict` for `object`, `any` where the
  schema names no type or several. Of a type that allows null, the other one is named
- `ground_truth` is one `{function: {argument: [accepted values]}}` for each call: its own value and others that are as right
  (`accepts` of [`eval`](#eval)). `""` among the values says that the argument may be left out: of one that has this value as
  its default, or that was left out and has a default (then `""` stands first)
- a row without calls keeps what the assistant says under `answer`
- results of calls and the words about them are not part of such a record
- rows that BFCL's checker could never accept are refused: calls in several messages, null, an argument that is no
  parameter, whole numbers in a list of `number`, whole numbers for a `number` that no float is equal to
"""

from collections.abc import Iterator
from typing import Any

from generator.core.conversation import Conversation, Tool, ToolCall, Violation
from generator.core.errors import CannotCarryError
from generator.core.pointers import escape
from generator.core.schema_walk import rewrite
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, compact_json, number_from_texts, plain_record, row_format
from generator.formats.steps import one_step, placeholder_id

_TO_BFCL = {
    "number": "float",
    "object": "dict",
    "string": "string",
    "integer": "integer",
    "boolean": "boolean",
    "array": "array",
}
_TYPES = {
    **dict.fromkeys(("dict", "HashMap", "Hashtable"), "object"),
    **dict.fromkeys(("float", "double"), "number"),
    **dict.fromkeys(("tuple", "list", "ArrayList", "Array", "Queue", "Stack"), "array"),
    **dict.fromkeys(("String", "char"), "string"),
    **dict.fromkeys(("long", "short", "byte", "Bigint"), "integer"),
    "Boolean": "boolean",
}
_NO_TYPE = ("any", "Any", "")
_NOT_SCHEMA = ("optional", "response")


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    step = one_step(conversation)
    functions = [_bfcl_function(tool) for tool in step.tools]
    documents = {function["name"]: function["parameters"] for function in functions}
    question = [] if step.system is None else [{"role": "system", "content": step.system}]
    question.append({"role": "user", "content": step.request})
    truth = [{call.name: _accepted_values(call, documents.get(call.name))} for call in step.calls]
    number = number_from_texts(
        compact_json(question), *[_function_text(tool) for tool in step.tools], compact_json(truth)
    )
    record: dict[str, Any] = {
        "id": f"{_category(len(functions), len(truth))}_{number}",
        "question": [question],
        "function": functions,
    }
    if truth:
        record["ground_truth"] = truth
    elif step.content:
        record["answer"] = step.content
    return record


def read(record: Any) -> Read:
    """The first of the accepted values is the argument, the others are as right; types become JSON Schema's."""
    turns = record.get("question") if isinstance(record, dict) else None
    if not isinstance(turns, list) or len(turns) != 1 or not isinstance(turns[0], list):
        return None, [Violation("BF101", "$.question", "is not a list of one turn")]
    faults: list[Violation] = []
    functions = record.get("function", [])
    if not isinstance(functions, list) or not all(isinstance(function, dict) for function in functions):
        return None, [Violation("BF102", "$.function", "is not a list of functions")]
    documents = {compact_json(function.get("name")): function.get("parameters") for function in functions}
    if "ground_truth" not in record and "irrelevance" not in str(record.get("id", "irrelevance")):
        faults.append(
            Violation("BF103", "$.ground_truth", "is missing, and without it the right answer is to call nothing")
        )
    calls = list(_read_calls(record.get("ground_truth", []), documents, faults))
    messages: list[Any] = list(turns[0])
    for i, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("system", "user"):
            faults.append(Violation("BF101", f"$.question[0][{i}]", "is not a message of system or user"))
    answer = record.get("answer", "")
    messages.append({"role": "assistant", "tool_calls": calls} if calls else {"role": "assistant", "content": answer})
    tools = [{"type": "function", "function": _read_function(function)} for function in functions]
    return plain_record(messages, tools), faults


def carries(conversation: Conversation) -> Conversation:
    """The system message, the request and the calls of the first step (numbered); one type for each schema."""
    step = one_step(conversation)
    tools = [
        Tool(
            name=tool.name,
            description=tool.description or None,
            parameters=read_schema(_bfcl_function(tool)["parameters"]),
        )
        for tool in step.tools
    ]
    return step.conversation(tools)


def _category(functions: int, calls: int) -> str:
    """Return the test category by how many functions there are and how many calls."""
    if not calls:
        return "irrelevance"
    if calls > 1:
        return "parallel_multiple" if functions > 1 else "parallel"
    return "multiple" if functions > 1 else "simple_python"


@once_per_tool
def _bfcl_function(tool: Tool) -> dict[str, Any]:
    """Return a tool as BFCL declares it."""
    parameters = _with_bfcl_types(tool.parameters, root=True)
    return {"name": tool.name, "description": tool.description or "", "parameters": parameters}


@once_per_tool
def _function_text(tool: Tool) -> str:
    return compact_json(_bfcl_function(tool))


def _with_bfcl_types(schema: Any, *, root: bool = False) -> dict[str, Any]:
    """Return a copy of a schema in which every schema for a value has one type, as BFCL calls it."""
    schema = schema if isinstance(schema, dict) else {}
    kind = "object" if root else _only_type(schema)
    copy = {"type": _TO_BFCL.get(kind or "", "any")} | {key: value for key, value in schema.items() if key != "type"}
    if isinstance(copy.get("properties"), dict):
        copy["properties"] = {key: _with_bfcl_types(part) for key, part in copy["properties"].items()}
    if root:
        copy["properties"] = copy.get("properties", {})
        copy["required"] = copy.get("required", [])
        if not isinstance(copy["properties"], dict) or not isinstance(copy["required"], list):
            raise CannotCarryError("$.tools: `properties` is no object, or `required` no list")
    if isinstance(copy.get("additionalProperties"), dict):
        copy["additionalProperties"] = _with_bfcl_types(copy["additionalProperties"])
    if kind == "array" or "items" in copy:
        copy["items"] = _with_bfcl_types(copy.get("items"))
    return copy


def _only_type(schema: dict[str, Any]) -> str | None:
    """The one type of a schema; None when it names none, or several beside null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        types = [name for name in kind if name != "null"]
        kind = types[0] if len(types) == 1 else None
    return kind if isinstance(kind, str) and kind in _TO_BFCL else None


def _accepted_values(call: ToolCall, document: dict[str, Any] | None) -> dict[str, list[Any]]:
    """Return argument → the values that are right for it: `{"unit": ["celsius", ""]}`.

    The call's own comes first; "" means that it may be left out.
    """
    if document is None:
        raise CannotCarryError(f"$.messages: calls {call.name[:80]!r}, which is not offered")
    required = document["required"]
    accepted: dict[str, list[Any]] = {}
    for name, value in call.arguments.items():
        part = document["properties"].get(name)
        if part is None:
            raise CannotCarryError("$.messages: an argument that is no parameter of its function")
        reason = _reason_never_accepted(value, part)
        if reason:
            raise CannotCarryError(f"$.messages: {reason}")
        others = [other for other in (call.accepts or {}).get(f"/{escape(name)}", ()) if other != ""]
        may_be_left_out = "" in (call.accepts or {}).get(f"/{escape(name)}", ()) or _is_default(
            value, name, part, required
        )
        accepted[name] = [_accepted_value(other, part) for other in (value, *others)] + [""] * may_be_left_out
    for name, part in document["properties"].items():
        others = [_accepted_value(other, part) for other in (call.accepts or {}).get(f"/{escape(name)}", ())]
        if name not in call.arguments and name not in required and part.get("default") not in (None, ""):
            others.insert(0, _accepted_value(part["default"], part))
        if name not in call.arguments and others:
            accepted[name] = ["", *others]
    return accepted


def _is_default(value: Any, name: str, part: dict[str, Any], required: list[str]) -> bool:
    return name not in required and "default" in part and _same_json(part["default"], value)


def _same_json(left: Any, right: Any) -> bool:
    return compact_json(left) == compact_json(right)


def _reason_never_accepted(value: Any, part: dict[str, Any]) -> str:
    """Why BFCL's checker would accept no answer; empty when it would."""
    if _holds_null(value):
        return "a null among the arguments"
    kind = part["type"]
    if kind == "float" and isinstance(value, int) and not _is_float(value):
        return "a whole number that no float is equal to"
    if kind == "array" and isinstance(value, list):
        inner = part["items"]["type"]
        if inner == "float" and any(isinstance(item, int) for item in value):
            return "a whole number in a list of numbers, which BFCL's checker takes for a wrong type"
    return ""


def _is_float(value: int) -> bool:
    """Whether a number is the same as a float: 2**53 is, 2**53 + 1 is not."""
    try:
        return float(value) == value
    except OverflowError:
        return False


def _holds_null(value: Any) -> bool:
    """Whether null stands anywhere in a value."""
    if isinstance(value, dict):
        return any(_holds_null(item) for item in value.values())
    return value is None or (isinstance(value, list) and any(_holds_null(item) for item in value))


def _accepted_value(value: Any, part: dict[str, Any]) -> Any:
    """An accepted value; in objects, each member is again a list of accepted values."""
    if part["type"] == "dict" and isinstance(value, dict):
        return {key: [item] for key, item in value.items()}
    if part["type"] == "array" and part["items"]["type"] == "dict" and isinstance(value, list):
        return [_accepted_value(item, part["items"]) for item in value]
    return value


def _value_of_accepted(value: Any, part: Any) -> Any:
    """Return a value whose members stand in lists of accepted values: the first of each."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "dict" and isinstance(value, dict):
        return {key: item[0] if isinstance(item, list) and item else item for key, item in value.items()}
    if kind in ("array", "tuple") and isinstance(value, list):
        return [_value_of_accepted(item, part.get("items")) if isinstance(item, dict) else item for item in value]
    return value


def _read_calls(truth: Any, documents: dict[str, Any], faults: list[Violation]) -> Iterator[dict[str, Any]]:
    """Yield the calls that the ground truth accepts; the first accepted value of each argument is its value."""
    if not isinstance(truth, list):
        faults.append(Violation("BF102", "$.ground_truth", "is not a list"))
        return
    for i, entry in enumerate(truth):
        path = f"$.ground_truth[{i}]"
        if not isinstance(entry, dict) or len(entry) != 1:
            faults.append(Violation("BF102", path, "is not an object with one function"))
            continue
        ((name, accepted),) = entry.items()
        if not isinstance(accepted, dict) or not all(isinstance(v, list) and v for v in accepted.values()):
            faults.append(Violation("BF102", path, "does not hold a list of accepted values for each argument"))
            continue
        document = documents.get(compact_json(name))
        properties = document.get("properties") if isinstance(document, dict) else None
        parts = properties if isinstance(properties, dict) else {}
        required = document.get("required", []) if isinstance(document, dict) else []
        function: dict[str, Any] = {"name": name, "arguments": {}}
        others: dict[str, list[Any]] = {}
        for key, values in accepted.items():
            part = parts.get(key)
            first, *further_values = [value if value == "" else _value_of_accepted(value, part) for value in values]
            default_schema = {"default": part["default"]} if isinstance(part, dict) and "default" in part else {}
            if first != "" or not further_values:
                function["arguments"][key] = first
                further_values = [
                    other
                    for other in further_values
                    if other != "" or not _is_default(first, key, default_schema, required)
                ]
            else:
                further_values = [
                    other for other in further_values if not _is_default(other, key, default_schema, required)
                ]
            others |= {f"/{escape(key)}": further_values} if further_values else {}
        yield {
            "id": placeholder_id(i + 1),
            "type": "function",
            "function": function | ({"accepts": others} if others else {}),
        }


def _read_function(raw: dict[str, Any]) -> dict[str, Any]:
    function = {key: value for key, value in raw.items() if key in ("name", "description") and value not in (None, "")}
    return function | {"parameters": read_schema(raw.get("parameters"))}


def read_schema(document: Any) -> Any:
    """Return a schema of the leaderboard's dialect, with types as Python, Java and JavaScript call them, as JSON Schema."""
    return rewrite(document, _read_part)


def _read_part(part: dict[str, Any], _pointer: str) -> dict[str, Any]:
    """Return one schema within another with the type that JSON Schema names so: `{"type": "dict"}` → `{"type": "object"}`."""
    schema = {key: value for key, value in part.items() if key not in _NOT_SCHEMA}
    kind = schema.get("type")
    if isinstance(kind, str):
        if kind in _NO_TYPE:
            del schema["type"]
        else:
            schema["type"] = _TYPES.get(kind, kind)
    return schema


FORMAT = row_format("bfcl", __doc__, render=render, read=read, carries=carries)
