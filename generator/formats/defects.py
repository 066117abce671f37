"""Rejected continuations with exactly one named fault, for preference data.

A fault is made by one function and named again by another that sees both messages only (`defect_between`); if the
names differ, the continuation is not used.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, Tool, ToolCall
from generator.defects import DEFECTS_OF_CALLS
from generator.errors import CannotCarryError
from generator.formats.format import compact_json, number_of, tool_object
from generator.formats.steps import parts_of_object
from generator.values import differing, same

Calls = tuple[ToolCall, ...]
Tools = dict[str, Tool]

Drawn = Callable[[str], dict[str, Any]]
"""Tool -> arguments that a call of it might have; nothing where that is not known."""


def rejected(conversation: Conversation) -> tuple[AssistantMessage, str]:
    """Return the last message with one fault, and the fault's name; the choice depends on the conversation only.

    Raises:
        CannotCarryError: when the last message makes no calls, or none of the faults can be made in them.
    """
    last = conversation.messages[-1] if conversation.messages else None
    if not isinstance(last, AssistantMessage) or not last.tool_calls:
        raise CannotCarryError("$.messages: does not end with calls, so there is nothing to get wrong")
    tools = {tool.name: tool for tool in conversation.tools}
    start = number_of(compact_json([[call.name, call.arguments] for call in last.tool_calls]), *map(_text, conversation.tools))
    names = DEFECTS_OF_CALLS
    for step in range(len(names)):
        name = names[(start + step) % len(names)]
        for calls in MAKERS[name](last.tool_calls, tools, _nothing):
            if defect_between(last.tool_calls, calls, tools) == name:
                return msgspec.structs.replace(last, tool_calls=calls), name
    raise CannotCarryError("$.messages: no fault can be made in these calls")


def _nothing(tool: str) -> dict[str, Any]:
    return {}


def _text(tool: Tool) -> str:
    return compact_json(tool_object(tool))


# ------------------------------------------------------------------------------------------------------- naming


def defect_between(right: Calls, made: Calls, tools: Tools) -> str | None:
    """Return the name of the one fault of the calls made in place of the right ones; None when there is none, or more than one."""
    if len(made) != len(right):
        return _of_number(right, made)
    if _within(made, right):
        return None  # the same calls, perhaps in another order
    changed = [at for at, (a, b) in enumerate(zip(right, made, strict=True)) if a.name != b.name or not same(a.arguments, b.arguments)]
    first, second = right[changed[0]], made[changed[0]]
    if len(changed) == 1 and first.name != second.name:
        values = [same(value, other) for value in second.arguments.values() for other in first.arguments.values()]
        return "wrong_tool" if second.name in tools and sum(values) >= len(second.arguments) else None
    if any(right[at].name != made[at].name for at in changed):
        return None
    differences = [(at, key) for at in changed for key in differing(right[at].arguments, made[at].arguments)]
    if len(differences) == 2:
        (a, key), (b, other) = differences
        if _exchanged(right[a], made[a], key, right[b], made[b], other):
            return "swapped_values"
    return _of_one(right, made, tools, differences[0]) if len(differences) == 1 else None


def _of_number(right: Calls, made: Calls) -> str | None:
    """Return the name of a fault in the number of calls; None for other faults."""
    if len(made) == 1 and len(right) > 1:
        return "serial_calls" if _within(made, right[:1]) else None
    few, many = (made, right) if len(made) < len(right) else (right, made)
    if len(many) != len(few) + 1 or not _within(few, many):
        return None
    return "missing_call" if few is made else "extra_call"


def _of_one(right: Calls, made: Calls, tools: Tools, place: tuple[int, str]) -> str | None:
    """Return the name of a fault in one argument; None for one without a name."""
    at, key = place
    properties, required = parts_of_object(tools[right[at].name].parameters if right[at].name in tools else None)
    if key not in right[at].arguments:
        return "unsaid_optional" if key in properties and key not in required else None
    if key not in made[at].arguments:
        return None
    schema = properties.get(key)
    kinds = schema.get("type") if isinstance(schema, dict) else None
    allowed = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    fits = not allowed or any(_is_of(made[at].arguments[key], kind) for kind in allowed)
    return "wrong_value" if fits else "wrong_type"


def _within(few: Calls, many: Calls) -> bool:
    left = Counter(map(_key, many))
    left.subtract(map(_key, few))
    return min(left.values()) >= 0


def _key(call: ToolCall) -> str:
    """Return what equal calls share, in whatever order their arguments stand."""
    return json.dumps([call.name, call.arguments], sort_keys=True)


def _exchanged(a: ToolCall, made_a: ToolCall, key: str, b: ToolCall, made_b: ToolCall, other: str) -> bool:
    if any(name not in call.arguments for call, name in ((a, key), (made_a, key), (b, other), (made_b, other))):
        return False
    return same(a.arguments[key], made_b.arguments[other]) and same(b.arguments[other], made_a.arguments[key])


_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int, float), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
    "null": (type(None),),
}  # fmt: skip


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(kind, ()))


# ------------------------------------------------------------------------------------------------------- making


def _with(calls: Calls, at: int, call: ToolCall) -> Calls:
    return (*calls[:at], call, *calls[at + 1 :])


def _set(call: ToolCall, key: str, value: Any) -> ToolCall:
    return msgspec.structs.replace(call, arguments={**call.arguments, key: value})


def _wrong_tools(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    called = {call.name for call in calls}
    for at, call in enumerate(calls):
        for name, tool in tools.items():
            arguments = None if name in called else _passed_on(call.arguments, tools.get(call.name), tool)
            if arguments is not None:
                yield _with(calls, at, ToolCall(call.id, name, arguments))


def _passed_on(arguments: dict[str, Any], called: Tool | None, other: Tool) -> dict[str, Any] | None:
    """Return the arguments that another tool takes, too; None where a required one is missing or has another type."""
    declared, _ = parts_of_object(None if called is None else called.parameters)
    properties, required = parts_of_object(other.parameters)
    found = {key: value for key, value in arguments.items() if key in properties and _shape(declared.get(key)) == _shape(properties[key])}
    for key in properties:
        if key in required and key not in found:
            left = [name for name in arguments if name not in found and _shape(declared.get(name)) == _shape(properties[key])]
            if not left or arguments[left[0]] in found.values():
                return None
            found[key] = arguments[left[0]]
    return {key: found[key] for key in properties if key in found} if found or not required else None


def _shape(schema: Any) -> Any:
    """Return what a value is: its type, format and members."""
    return tuple(str(schema.get(key)) for key in ("type", "format", "enum", "pattern")) if isinstance(schema, dict) else None


def _missing(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    if len(calls) > 2:
        for at in range(len(calls) - 1, -1, -1):
            yield calls[:at] + calls[at + 1 :]


def _serial(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    if len(calls) > 1:
        yield calls[:1]


def _extra(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    new_id = _other_id(calls[0].id, {call.id for call in calls})
    for name in dict.fromkeys((*[call.name for call in calls], *tools)):
        if arguments := drawn(name):
            yield (*calls, ToolCall(new_id, name, arguments))
    for changed in _wrong_values(calls, tools, drawn):
        call = next(b for a, b in zip(calls, changed, strict=True) if a is not b)
        yield (*calls, msgspec.structs.replace(call, id=new_id))


def _other_id(call_id: str, taken: set[str]) -> str:
    """Return an id of the same shape that no call has."""
    for digit in "0123456789":
        if (other := f"{call_id[:-1]}{digit}") not in taken:
            return other
    return f"{call_id}0"


def _swapped(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    for a, first in enumerate(calls):
        for key, value in first.arguments.items():
            for b, second in enumerate(calls[a + 1 :], a + 1):
                if second.name == first.name and key in second.arguments and not same(value, second.arguments[key]):
                    yield _with(_with(calls, a, _set(first, key, second.arguments[key])), b, _set(second, key, value))
            for other, held in first.arguments.items():
                if other != key and type(held) is type(value) and not isinstance(held, bool) and not same(held, value):
                    yield _with(calls, a, _set(_set(first, key, held), other, value))


def _wrong_values(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    for at, call in enumerate(calls):
        properties, _ = parts_of_object(tools[call.name].parameters if call.name in tools else None)
        some = [(key, value) for _ in "123" for key, value in drawn(call.name).items()]
        found = [(key, value) for key, value in some if key in call.arguments and not same(value, call.arguments[key])]
        yield from [_with(calls, at, _set(call, key, value)) for key, value in found]
        for key, value in call.arguments.items() if not found else ():
            schema = properties.get(key)
            for other in others(value, schema if isinstance(schema, dict) else {}):
                yield _with(calls, at, _set(call, key, other))


def others(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    """Return other values, near this one, that the schema allows there."""
    if isinstance(schema.get("enum"), list):
        yield from [other for other in schema["enum"] if type(other) is type(value) and not same(other, value)]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        step = schema.get("multipleOf", 1)
        low, high = schema.get("minimum"), schema.get("maximum")
        for other in (value + step, value - step):
            if (low is None or other >= low) and (high is None or other <= high):
                yield other
    elif isinstance(value, str) and schema.get("format") == "date" and value[-2:].isdecimal():
        yield f"{value[:-2]}{1 + int(value[-2:]) % 28:02}"
    elif isinstance(value, str) and not any(key in schema for key in ("format", "pattern")) and " " in value:
        yield value.rpartition(" ")[0]


def _unsaid(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    for at, call in enumerate(calls):
        properties, required = parts_of_object(tools[call.name].parameters if call.name in tools else None)
        some = drawn(call.name)
        for key, schema in properties.items():
            if key not in required and key not in call.arguments and isinstance(schema, dict):
                for value in (*([some[key]] if key in some else ()), *_likely(schema)):
                    if "default" not in schema or not same(value, schema["default"]):
                        yield _with(calls, at, _set(call, key, value))


def _likely(schema: dict[str, Any]) -> list[Any]:
    """Return values that a model might fill in."""
    options = schema["enum"] if isinstance(schema.get("enum"), list) else [True, False] if schema.get("type") == "boolean" else []
    return options or ([schema["minimum"]] if "minimum" in schema else [])


def _wrong_types(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    for at, call in enumerate(calls):
        for key, value in call.arguments.items():
            if isinstance(value, bool | int | float):
                yield _with(calls, at, _set(call, key, compact_json(value)))
            elif isinstance(value, list) and value:
                yield _with(calls, at, _set(call, key, value[0]))
    if all(isinstance(value, str) for call in calls for value in call.arguments.values()):
        for at, call in enumerate(calls):
            for key, value in call.arguments.items():
                yield _with(calls, at, _set(call, key, [value]))


MAKERS: dict[str, Callable[[Calls, Tools, Drawn], Iterator[Calls]]] = {
    "wrong_tool": _wrong_tools,
    "missing_call": _missing,
    "extra_call": _extra,
    "swapped_values": _swapped,
    "wrong_value": _wrong_values,
    "unsaid_optional": _unsaid,
    "wrong_type": _wrong_types,
    "serial_calls": _serial,
}
"""Defect → maker of calls that may have it; each has to be checked."""
