"""Hypothesis strategies that many tests share: whole conversations, and JSON that may be anything."""

import copy
import json
import string
from typing import Any, NamedTuple

from hypothesis import strategies as st

from generator.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

HOSTILE = (
    "",
    "\n",
    " leading and trailing ",
    "two\nlines\n",
    '{"a":1}',
    "[1, 2]",
    "null",
    'quotes " and \\ backslashes',
    "Zürich 東京 🌍 e\u0301",
    "\x00\x1b[31m\x7f",
    "\u2028\u2029\ufeff",
    "</s> <tool_call> <|im_star",
    "assistant name=x",
    "call00001",
)
CONTROL_TOKENS = ("<|im_start|>", "<|im_end|>", "<|function_call|>", "<|start_reason|>", "[BOS]", "[EOS]")
ENCODABLE = st.characters(codec="utf-8")
TEXT = st.one_of(st.text(ENCODABLE, max_size=20), st.sampled_from(HOSTILE))
TEXT_WITH_CONTROL_TOKENS = st.one_of(TEXT, st.builds("{}{}{}".format, TEXT, st.sampled_from(CONTROL_TOKENS), TEXT))
NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12)
IDS = st.text(string.ascii_letters + string.digits, min_size=9, max_size=9)
SPEAKERS = st.none() | st.sampled_from(["Ada", "Zoë-2", "user"])
WHOLE_NUMBERS = st.integers(-(2**63), 2**63 - 1)

JSON = st.recursive(
    st.none() | st.booleans() | WHOLE_NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


class Kind(NamedTuple):
    """A JSON Schema and values that are valid against it."""

    schema: dict[str, Any]
    values: st.SearchStrategy[Any]


class OfferedTool(NamedTuple):
    """A tool and arguments that it takes."""

    tool: Tool
    arguments: st.SearchStrategy[dict[str, Any]]


def kinds(text: st.SearchStrategy[str]) -> st.SearchStrategy[Kind]:
    """Schemas of the everyday kinds, each with its values."""
    plain = [
        Kind({"type": "string"}, text),
        Kind({"type": "integer", "minimum": -5, "maximum": 5}, st.integers(-5, 5)),
        Kind({"type": "integer"}, WHOLE_NUMBERS),
        Kind({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False)),
        Kind({"type": "boolean"}, st.booleans()),
        Kind({"enum": ["low", "high", None, 3]}, st.sampled_from(["low", "high", None, 3])),
        Kind({"type": ["string", "null"]}, st.none() | text),
        Kind({"type": "string", "format": "date"}, st.dates().map(str)),
        Kind({"type": "string", "pattern": "^[A-Z]{3}$"}, st.text(string.ascii_uppercase, min_size=3, max_size=3)),
        Kind({}, JSON),
    ]
    return st.recursive(st.sampled_from(plain), lambda inner: _lists(inner) | _objects(text, inner), max_leaves=4)


def _lists(inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    return inner.map(
        lambda kind: Kind({"type": "array", "items": kind.schema, "maxItems": 3}, st.lists(kind.values, max_size=3))
    )


def _objects(names: st.SearchStrategy[str], inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    return st.dictionaries(names, inner, max_size=3).map(_object)


def _object(properties: dict[str, Kind]) -> Kind:
    required = [name for i, name in enumerate(properties) if i % 2 == 0]
    schema = {
        "type": "object",
        "properties": {name: kind.schema for name, kind in properties.items()},
        "required": required,
        "additionalProperties": False,
    }
    values = st.fixed_dictionaries(
        {name: properties[name].values for name in required},
        optional={name: kind.values for name, kind in properties.items() if name not in required},
    )
    return Kind(schema, values)


@st.composite
def offered_tools(draw: st.DrawFn, text: st.SearchStrategy[str]) -> OfferedTool:
    """A tool with full, empty or no parameters."""
    name, description = draw(NAMES), draw(st.none() | text)
    strict = draw(st.sampled_from([None, True, False]))
    if draw(st.integers(0, 7)) == 0:
        return OfferedTool(Tool(name=name, description=description, strict=strict), st.just({}))
    kind = draw(_objects(text, kinds(text)))
    return OfferedTool(Tool(name=name, description=description, parameters=kind.schema, strict=strict), kind.values)


@st.composite
def conversations(draw: st.DrawFn, text: st.SearchStrategy[str] = TEXT) -> Conversation:
    """Conversations that break no rule: one to three turns, each with up to three steps of parallel calls."""
    tools = draw(st.lists(offered_tools(text), max_size=4, unique_by=lambda offered: offered.tool.name))
    ids = iter(draw(st.lists(IDS, min_size=27, max_size=27, unique=True)) if tools else ())
    messages: list[Message] = []
    if draw(st.booleans()):
        messages.append(SystemMessage(content=draw(text), name=draw(SPEAKERS)))
    for _ in range(draw(st.integers(1, 3))):
        messages.append(UserMessage(content=draw(text), name=draw(SPEAKERS)))
        for _ in range(draw(st.integers(0, 3)) if tools else 0):
            calls = [
                ToolCall(id=next(ids), name=offered.tool.name, arguments=draw(offered.arguments))
                for offered in draw(st.lists(st.sampled_from(tools), min_size=1, max_size=3))
            ]
            content = draw(st.none() | text)
            messages.append(AssistantMessage(content=content, tool_calls=tuple(calls), name=draw(SPEAKERS)))
            for call in draw(st.permutations(calls)):
                name = draw(st.sampled_from([call.name, None]))
                messages.append(ToolMessage(tool_call_id=call.id, content=draw(results(text)), name=name))
        messages.append(AssistantMessage(content=draw(text), name=draw(SPEAKERS)))
    return Conversation(messages=tuple(messages), tools=tuple(offered.tool for offered in tools))


def results(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """What tools answer: text, compact JSON, JSON with spaces."""
    return st.one_of(
        text,
        JSON.map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
        JSON.map(json.dumps),
    )


@st.composite
def tampered(draw: st.DrawFn, record: Any, times: int = 2) -> Any:
    """A copy of a JSON value in which something was replaced, left out, doubled or swapped."""
    record = copy.deepcopy(record)
    for _ in range(draw(st.integers(1, times))):
        places = list(_places(record))
        if not places:
            return draw(JSON)
        holder, key = draw(st.sampled_from(places))
        action = draw(st.sampled_from(["replace", "drop", "double", "swap", "borrow"]))
        if action == "drop":
            del holder[key]
        elif action == "double" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif action == "swap" and isinstance(holder, list):
            other = draw(st.integers(0, len(holder) - 1))
            holder[key], holder[other] = holder[other], holder[key]
        elif action == "borrow":
            lender, other_key = draw(st.sampled_from(places))
            holder[key] = copy.deepcopy(lender[other_key])
        else:
            holder[key] = draw(JSON)
    return record


def _places(value: Any) -> Any:
    """Every (container, key) in a JSON value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in entries:
        yield value, key
        yield from _places(child)
