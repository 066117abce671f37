"""Rejected calls with exactly one named defect, for preference data.

A defect is made by one function and named again by another that sees both messages only (`defect_between`); if the
names differ, the calls are not used.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall
from generator.core.defects import defect_between
from generator.core.errors import CannotCarryError
from generator.core.exact_json import same
from generator.core.pointers import parts_of_object
from generator.core.seeds import Draw
from generator.formats.format import compact_json, number_from_texts, tool_text

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
    seed = number_from_texts(
        compact_json([[call.name, call.arguments] for call in last.tool_calls]), *map(tool_text, conversation.tools)
    )
    for name in Draw(seed, date.min).ordered(_WEIGHTS):
        for calls in MAKERS[name](last.tool_calls, tools, _no_arguments):
            if defect_between(last.tool_calls, calls, tools) == name:
                return msgspec.structs.replace(last, tool_calls=calls), name
    raise CannotCarryError("$.messages: no fault can be made in these calls")


_WEIGHTS = (
    ("wrong_tool", 4.0), ("missing_call", 12.0), ("extra_call", 1.0), ("swapped_values", 2.0), ("wrong_value", 1.0),
    ("unsaid_optional", 1.5), ("wrong_type", 1.0), ("serial_calls", 5.0),
)  # fmt: skip
"""How early each defect is tried: the fewer calls can show it, the earlier, so that all occur about equally often."""


def _no_arguments(tool: str) -> dict[str, Any]:
    return {}


# ------------------------------------------------------------------------------------------------------- making


def _replaced_call(calls: Calls, at: int, call: ToolCall) -> Calls:
    return (*calls[:at], call, *calls[at + 1 :])


def _with_argument(call: ToolCall, key: str, value: Any) -> ToolCall:
    return msgspec.structs.replace(call, arguments={**call.arguments, key: value})


def _with_wrong_tool(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield calls of other tools that take the arguments, too: first those that take most of them by name, and are most alike."""
    called = {call.name for call in calls}
    candidates: list[tuple[int, int, Calls]] = []
    for at, call in enumerate(calls):
        called_tool = tools.get(call.name)
        for name, tool in tools.items():
            arguments = (
                None
                if name in called or called_tool is None
                else _arguments_for_other_tool(call.arguments, called_tool, tool)
            )
            if called_tool is not None and arguments is not None:
                shared_arguments, shared_words = (
                    len(arguments.keys() & call.arguments.keys()),
                    len(_words_about_tool(tool) & _words_about_tool(called_tool)),
                )
                if shared_arguments or shared_words:
                    candidates.append(
                        (shared_arguments, shared_words, _replaced_call(calls, at, ToolCall(call.id, name, arguments)))
                    )
    yield from [
        changed_calls for *_, changed_calls in sorted(candidates, key=lambda candidate: candidate[:2], reverse=True)
    ]


def _words_about_tool(tool: Tool) -> set[str]:
    """Return the words that say what a tool is about, without endings of plurals."""
    text = f"{tool.name} {tool.description or ''}".casefold()
    return {word.removesuffix("s") for word in re.findall(r"[^\W\d_]{5,}", text)}


def _arguments_for_other_tool(arguments: dict[str, Any], called: Tool, other: Tool) -> dict[str, Any] | None:
    """Return those of the arguments that another tool takes; None where it takes none of them, or a required one is missing."""
    declared, _ = parts_of_object(called.parameters)
    properties, required = parts_of_object(other.parameters)
    matched = {
        key: value
        for key, value in arguments.items()
        if key in properties and _value_shape(declared.get(key)) == _value_shape(properties[key])
    }
    for key in properties:
        if key in required and key not in matched:
            unmatched = [
                name
                for name in arguments
                if name not in matched and _value_shape(declared.get(name)) == _value_shape(properties[key])
            ]
            if not unmatched or arguments[unmatched[0]] in matched.values():
                return None
            matched[key] = arguments[unmatched[0]]
    return {key: matched[key] for key in properties if key in matched} if matched or not arguments else None


def _value_shape(schema: Any) -> Any:
    """Return the keywords that say what values a schema allows: type, format, enum, pattern; None for no schema."""
    return (
        tuple(str(schema.get(key)) for key in ("type", "format", "enum", "pattern"))
        if isinstance(schema, dict)
        else None
    )


def _without_one_call(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield all calls but one, where more than two were made."""
    if len(calls) > 2:
        for at in range(len(calls) - 1, -1, -1):
            yield calls[:at] + calls[at + 1 :]


def _first_call_only(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    if len(calls) > 1:
        yield calls[:1]


def _with_extra_call(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield the calls and one more, with drawn or slightly other arguments."""
    new_id = _other_id(calls[0].id, {call.id for call in calls})
    for name in dict.fromkeys((*[call.name for call in calls], *tools)):
        if arguments := drawn(name):
            yield (*calls, ToolCall(new_id, name, arguments))
    for changed in _with_wrong_value(calls, tools, drawn):
        call = next(b for a, b in zip(calls, changed, strict=True) if a is not b)
        yield (*calls, msgspec.structs.replace(call, id=new_id))


def _other_id(call_id: str, used_ids: set[str]) -> str:
    """Return an id of the same shape that no call has."""
    for digit in "0123456789":
        if (other := f"{call_id[:-1]}{digit}") not in used_ids:
            return other
    return f"{call_id}0"


def _with_swapped_values(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield calls of which two arguments have changed values: of two calls of a tool, or of one call."""
    for first_index, first in enumerate(calls):
        for key, value in first.arguments.items():
            for second_index, second in enumerate(calls[first_index + 1 :], first_index + 1):
                if second.name == first.name and key in second.arguments and not same(value, second.arguments[key]):
                    yield _replaced_call(
                        _replaced_call(calls, first_index, _with_argument(first, key, second.arguments[key])),
                        second_index,
                        _with_argument(second, key, value),
                    )
            for other_key, other_value in first.arguments.items():
                if (
                    other_key != key
                    and type(other_value) is type(value)
                    and not isinstance(other_value, bool)
                    and not same(other_value, value)
                ):
                    yield _replaced_call(
                        calls, first_index, _with_argument(_with_argument(first, key, other_value), other_key, value)
                    )


def _with_wrong_value(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield calls of which one argument has another value that its schema allows."""
    for at, call in enumerate(calls):
        properties, _ = parts_of_object(tools[call.name].parameters if call.name in tools else None)
        drawn_values = [(key, value) for _ in "123" for key, value in drawn(call.name).items()]
        new_values = [
            (key, value)
            for key, value in drawn_values
            if key in call.arguments and not same(value, call.arguments[key])
        ]
        yield from [_replaced_call(calls, at, _with_argument(call, key, value)) for key, value in new_values]
        for key, value in call.arguments.items() if not new_values else ():
            schema = properties.get(key)
            for other in nearby_values(value, schema if isinstance(schema, dict) else {}):
                yield _replaced_call(calls, at, _with_argument(call, key, other))


def nearby_values(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
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


def _with_unsaid_optional(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield calls with an optional argument that nobody asked for."""
    for at, call in enumerate(calls):
        properties, required = parts_of_object(tools[call.name].parameters if call.name in tools else None)
        some = drawn(call.name)
        for key, schema in properties.items():
            if key not in required and key not in call.arguments and isinstance(schema, dict):
                for value in (*([some[key]] if key in some else ()), *_likely_values(schema)):
                    if "default" not in schema or not same(value, schema["default"]):
                        yield _replaced_call(calls, at, _with_argument(call, key, value))


def _likely_values(schema: dict[str, Any]) -> list[Any]:
    """Return values that a model might fill in: those of an enum, true and false, or the minimum."""
    options = (
        schema["enum"]
        if isinstance(schema.get("enum"), list)
        else [True, False]
        if schema.get("type") == "boolean"
        else []
    )
    return options or ([schema["minimum"]] if "minimum" in schema else [])


def _with_wrong_type(calls: Calls, tools: Tools, drawn: Drawn) -> Iterator[Calls]:
    """Yield calls of which one argument is of a type that its schema does not allow."""
    for at, call in enumerate(calls):
        for key, value in call.arguments.items():
            if isinstance(value, bool | int | float):
                yield _replaced_call(calls, at, _with_argument(call, key, compact_json(value)))
            elif isinstance(value, list) and value:
                yield _replaced_call(calls, at, _with_argument(call, key, value[0]))
    if all(isinstance(value, str) for call in calls for value in call.arguments.values()):
        for at, call in enumerate(calls):
            for key, value in call.arguments.items():
                yield _replaced_call(calls, at, _with_argument(call, key, [value]))


MAKERS: dict[str, Callable[[Calls, Tools, Drawn], Iterator[Calls]]] = {
    "wrong_tool": _with_wrong_tool,
    "missing_call": _without_one_call,
    "extra_call": _with_extra_call,
    "swapped_values": _with_swapped_values,
    "wrong_value": _with_wrong_value,
    "unsaid_optional": _with_unsaid_optional,
    "wrong_type": _with_wrong_type,
    "serial_calls": _first_call_only,
}
"""Defect → maker of calls that may have it; each has to be checked."""
