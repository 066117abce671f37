"""Hypothesis strategies that many tests share: whole conversations, and JSON that may be anything."""

import copy
import json
import string
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Thoughts,
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
_ENCODABLE = st.characters(codec="utf-8")
TEXT = (st.text(_ENCODABLE, max_size=12) | st.sampled_from(HOSTILE)).filter(
    lambda text: "|>" not in text and "[BOS]" not in text and "[EOS]" not in text
)
TEXT_WITH_CONTROL_TOKENS = st.one_of(TEXT, st.builds("{}{}{}".format, TEXT, st.sampled_from(CONTROL_TOKENS), TEXT))


@cache
def text_without(tokens: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Text that holds none of these."""
    return TEXT.filter(lambda text: not any(token in text for token in tokens))


@cache
def text_with(tokens: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Text that may hold one of these."""
    return st.one_of(TEXT, st.builds("{}{}{}".format, TEXT, st.sampled_from(tokens), TEXT))


NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12)
ID_LETTERS = string.ascii_letters + string.digits
STRICT = st.sampled_from([None, True, False])
SPEAKERS = st.none() | st.sampled_from(["Ada", "Zoë-2", "user"])
SELDOM = st.integers(0, 3).map(lambda number: number == 3)
WHOLE_NUMBERS = st.integers(-(2**63), 2**63 - 1)


@cache
def json_values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Any JSON value whose strings are such text."""
    return st.recursive(
        st.none() | st.booleans() | WHOLE_NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=6,
    )


JSON = json_values(TEXT)


class Kind(NamedTuple):
    """A JSON Schema and values that are valid against it."""

    schema: dict[str, Any]
    values: st.SearchStrategy[Any]


def parameters(text: st.SearchStrategy[str]) -> list[Kind]:
    """What tools may take: nothing, one thing of each everyday kind, and things within things."""
    when = Kind({"type": "string", "format": "date"}, st.dates().map(str))
    level = Kind({"enum": ["low", "high", None, 3]}, st.sampled_from(["low", "high", None, 3]))
    note = Kind({"type": ["string", "null"]}, st.none() | text)
    code = Kind({"type": "string", "pattern": "^[A-Z]{3}$"}, st.text(string.ascii_uppercase, min_size=3, max_size=3))
    number = Kind({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False))
    count = Kind({"type": "integer", "minimum": -5, "maximum": 5}, st.integers(-5, 5))
    place = _object({"city": Kind({"type": "string"}, text), "zip": code}, ["city"])
    stop = _object({"place": place, "nights": count}, ["place"])
    return [
        _object({}, []),
        _object({"date": when, "level": level, "sure": Kind({"type": "boolean"}, st.booleans())}, ["date"]),
        _object({"note": note, "count": count, "big": Kind({"type": "integer"}, WHOLE_NUMBERS)}, []),
        _object({"stops": _list(stop), "prices": _list(number)}, ["stops"]),
        _object({'odd "key"\n': note, "schlüssel/~": Kind({}, json_values(text))}, []),
        Kind({"type": "object"}, st.dictionaries(text, json_values(text), max_size=3)),
    ]


def _list(items: Kind) -> Kind:
    return Kind({"type": "array", "items": items.schema, "maxItems": 3}, st.lists(items.values, max_size=3))


def _object(properties: dict[str, Kind], required: list[str]) -> Kind:
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


def conversations(
    text: st.SearchStrategy[str] = TEXT, *, later_system: bool = False
) -> st.SearchStrategy[Conversation]:
    """Conversations that break no rule: up to three turns, each with up to three steps of parallel calls.

    Some calls fail, some stand beside text. With `later_system`, which breaks a rule of DeepFabric's, system messages
    stand between turns, too.
    """
    return _conversations(text, parameters(text), later_system)


@st.composite
def _conversations(
    draw: st.DrawFn, text: st.SearchStrategy[str], kinds: list[Kind], later_system: bool
) -> Conversation:
    offered = draw(st.dictionaries(NAMES, st.none() | st.sampled_from(kinds), max_size=4))
    tools = [
        Tool(name=name, description=draw(st.none() | text), parameters=kind and kind.schema, strict=draw(STRICT))
        for name, kind in offered.items()
    ]
    ids = _ids(draw(st.integers(0, 62**9 - 1)))
    messages: list[Message] = []
    if draw(st.booleans()):
        messages.append(SystemMessage(content=draw(text), name=draw(SPEAKERS)))
    for turn in range(draw(st.integers(1, 3))):
        if turn and later_system and draw(st.booleans()):
            messages.append(SystemMessage(content=draw(text)))
        messages.append(UserMessage(content=draw(text), name=draw(SPEAKERS)))
        for _ in range(draw(st.integers(0, 3)) if tools else 0):
            names = draw(st.lists(st.sampled_from(list(offered)), min_size=1, max_size=3))
            taken = [offered[name].values if offered[name] else st.just({}) for name in names]
            calls = [
                ToolCall(id=next(ids), name=name, arguments=draw(arguments))
                for name, arguments in zip(names, taken, strict=True)
            ]
            content = draw(st.none() | text)
            messages.append(draw(_said(text, content, tuple(calls))))
            for call in draw(st.sampled_from([calls, calls[::-1], calls[1:] + calls[:1]])):
                name = draw(st.sampled_from([call.name, None]))
                content, failed = draw(results(text)), draw(SELDOM)
                messages.append(ToolMessage(tool_call_id=call.id, content=content, name=name, is_error=failed))
        messages.append(draw(_said(text, draw(text))))
    return Conversation(messages=tuple(messages), tools=tuple(tools))


@st.composite
def _said(
    draw: st.DrawFn, text: st.SearchStrategy[str], content: str | None, calls: tuple[ToolCall, ...] = ()
) -> AssistantMessage:
    """An assistant message; some are not to be learnt, and now and then it thinks before."""
    thoughts = Thoughts(reflect=draw(st.none() | text), reason=draw(text)) if draw(SELDOM) else None
    return AssistantMessage(
        content=content, tool_calls=calls, name=draw(SPEAKERS), thoughts=thoughts, train=not draw(SELDOM)
    )


def requests() -> st.SearchStrategy[Conversation]:
    """Conversations of one request that every format can hold: one step of calls, no empty text, nothing beside calls."""
    return _requests(parameters(TEXT))


SAID = TEXT.map(lambda text: text if text.strip() else f"{text}so")


@st.composite
def _requests(draw: st.DrawFn, kinds: list[Kind]) -> Conversation:
    names = NAMES.map(lambda name: f"f{name}")
    offered = draw(st.dictionaries(names, st.none() | st.sampled_from(kinds), min_size=1, max_size=3))
    tools = [
        Tool(name=name, description=draw(st.none() | TEXT), parameters=kind and kind.schema)
        for name, kind in offered.items()
    ]
    called = draw(st.lists(st.sampled_from(list(offered)), min_size=1, max_size=3))
    ids = _ids(draw(st.integers(0, 62**9 - 1)))
    calls = []
    for name in called:
        kind = offered[name]
        calls.append(ToolCall(id=next(ids), name=name, arguments=draw(kind.values) if kind else {}))
    answers = [ToolMessage(tool_call_id=call.id, content=draw(results(TEXT)), name=call.name) for call in calls]
    messages = [UserMessage(content=draw(SAID)), AssistantMessage(tool_calls=tuple(calls))]
    return Conversation(messages=(*messages, *answers, AssistantMessage(content=draw(SAID))), tools=tuple(tools))


def _ids(start: int) -> Iterator[str]:
    """Ids that are all different, from one number."""
    while True:
        start = (start + 8675309123457) % 62**9
        yield "".join(ID_LETTERS[start // 62**place % 62] for place in range(9))


@cache
def results(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """What tools answer: text, compact JSON, JSON with spaces."""
    return st.one_of(
        text,
        json_values(text).map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
        json_values(text).map(json.dumps),
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
