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
        return _defect_in_number(right, made)
    if _are_among(made, right):
        return None  # the same calls, perhaps in another order
    changed_calls = [(a, b) for a, b in zip(right, made, strict=True) if not alike(a, b)]
    first, second = changed_calls[0]
    if first.name != second.name:
        is_only_that = (
            len(changed_calls) == 1
            and second.name in tools
            and all(is_among(value, first.arguments.values()) for value in second.arguments.values())
        )
        return "wrong_tool" if is_only_that else None
    if any(a.name != b.name for a, b in changed_calls):
        return None
    differences = [(a, b, key) for a, b in changed_calls for key in differing(a.arguments, b.arguments)]
    if len(differences) == 2:
        return "swapped_values" if _have_swapped_values(*differences) else None
    return _defect_in_argument(*differences[0], tools) if len(differences) == 1 else None


def alike(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls are the same but for their ids."""
    return one.name == other.name and same(one.arguments, other.arguments)


def _defect_in_number(right: Calls, made: Calls) -> str | None:
    """Return the name of a defect in the number of calls; None for other defects."""
    if len(made) == 1 and len(right) > 1:
        return "serial_calls" if alike(made[0], right[0]) else None
    fewer, more = (made, right) if len(made) < len(right) else (right, made)
    if not made or len(more) != len(fewer) + 1 or not _are_among(fewer, more):
        return None
    return "missing_call" if fewer is made else "extra_call"


def _defect_in_argument(right: ToolCall, wrong: ToolCall, key: str, tools: dict[str, Tool]) -> str | None:
    """Return the name of the defect in the argument `key` of a call made in place of the right one; None for one without a name."""
    properties, required = parts_of_object(tools[right.name].parameters if right.name in tools else None)
    if key not in right.arguments:
        return "unsaid_optional" if key in properties and key not in required else None
    if key not in wrong.arguments:
        return None
    schema = properties.get(key)
    types = schema.get("type") if isinstance(schema, dict) else None
    allowed = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    is_of_type = not allowed or any(_is_of_type(wrong.arguments[key], kind) for kind in allowed)
    return "wrong_value" if is_of_type else "wrong_type"


def _are_among(few: Calls, many: Calls) -> bool:
    """Whether all of `few` are among `many`, counting equal calls."""
    left = Counter(map(_canonical_json, many))
    left.subtract(map(_canonical_json, few))
    return min(left.values()) >= 0


def _canonical_json(call: ToolCall) -> str:
    """Return what equal calls share, in whatever order their arguments stand."""
    return json.dumps([call.name, call.arguments], sort_keys=True)


def _have_swapped_values(change: tuple[ToolCall, ToolCall, str], other: tuple[ToolCall, ToolCall, str]) -> bool:
    """Whether two changes, each as (right call, wrong call, key of the argument), have exchanged the values of two arguments."""
    (right, wrong, key), (right_too, wrong_too, key_too) = change, other
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
