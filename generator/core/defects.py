"""The names of what can be wrong with a continuation that a model should not choose, for preference data, and which of them calls show."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from generator.core.conversation import Tool, ToolCall
from generator.core.exact_json import differing, is_among, same
from generator.core.pointers import parts_of_object
from generator.core.yaml_values import own_data

_DEFECTS: dict[str, dict[str, str]] = own_data(__file__)
DEFECTS_OF_CALLS, DEFECTS_OF_TRIES = _DEFECTS["of_calls"], _DEFECTS["of_tries"]
"""Those that show in two messages with calls alone; and what a model's own tries at a row show (`solve`), which no maker makes."""
DEFECTS = DEFECTS_OF_CALLS | _DEFECTS["others"]
"""Name -> what is wrong; a rejected continuation has exactly one of them."""
NAMED_DEFECTS = DEFECTS | DEFECTS_OF_TRIES
"""All that data may name."""


Calls = Sequence[ToolCall]


def defect_between(right: Calls, made: Calls, tools: dict[str, Tool]) -> str | None:
    """Return the name of the one defect of the calls made in place of the right ones; None when there is none, or more than one.

    Each call stands where the one that it replaces stood.
    """
    if len(made) != len(right):
        return _of_number(right, made)
    if _are_among(made, right):
        return None  # the same calls, perhaps in another order
    changed = [(a, b) for a, b in zip(right, made, strict=True) if not alike(a, b)]
    first, second = changed[0]
    if first.name != second.name:
        is_only_that = (
            len(changed) == 1
            and second.name in tools
            and all(is_among(value, first.arguments.values()) for value in second.arguments.values())
        )
        return "wrong_tool" if is_only_that else None
    if any(a.name != b.name for a, b in changed):
        return None
    places = [(a, b, key) for a, b in changed for key in differing(a.arguments, b.arguments)]
    if len(places) == 2:
        return "swapped_values" if _are_exchanged(*places) else None
    return _of_argument(*places[0], tools) if len(places) == 1 else None


def alike(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls are the same but for their ids."""
    return one.name == other.name and same(one.arguments, other.arguments)


def _of_number(right: Calls, made: Calls) -> str | None:
    """Return the name of a defect in the number of calls; None for other defects."""
    if len(made) == 1 and len(right) > 1:
        return "serial_calls" if alike(made[0], right[0]) else None
    few, many = (made, right) if len(made) < len(right) else (right, made)
    if not made or len(many) != len(few) + 1 or not _are_among(few, many):
        return None
    return "missing_call" if few is made else "extra_call"


def _of_argument(right: ToolCall, made: ToolCall, key: str, tools: dict[str, Tool]) -> str | None:
    """Return the name of a defect in one argument; None for one without a name."""
    properties, required = parts_of_object(tools[right.name].parameters if right.name in tools else None)
    if key not in right.arguments:
        return "unsaid_optional" if key in properties and key not in required else None
    if key not in made.arguments:
        return None
    schema = properties.get(key)
    kinds = schema.get("type") if isinstance(schema, dict) else None
    allowed = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    fits = not allowed or any(_is_of_type(made.arguments[key], kind) for kind in allowed)
    return "wrong_value" if fits else "wrong_type"


def _are_among(few: Calls, many: Calls) -> bool:
    """Whether all of `few` are among `many`, counting equal calls."""
    left = Counter(map(_key, many))
    left.subtract(map(_key, few))
    return min(left.values()) >= 0


def _key(call: ToolCall) -> str:
    """Return what equal calls share, in whatever order their arguments stand."""
    return json.dumps([call.name, call.arguments], sort_keys=True)


def _are_exchanged(one: tuple[ToolCall, ToolCall, str], other: tuple[ToolCall, ToolCall, str]) -> bool:
    """Whether two arguments, each of a right and a wrong call, have each other's values."""
    (right, wrong, key), (right_too, wrong_too, key_too) = one, other
    if any(
        name not in call.arguments
        for call, name in ((right, key), (wrong, key), (right_too, key_too), (wrong_too, key_too))
    ):
        return False
    first = same(right.arguments[key], wrong_too.arguments[key_too])
    return first and same(right_too.arguments[key_too], wrong.arguments[key])


_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int, float), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
    "null": (type(None),),
}  # fmt: skip


def _is_of_type(value: Any, kind: str) -> bool:
    """Whether a value is of the JSON type; 2.0 is an integer."""
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(kind, ()))
