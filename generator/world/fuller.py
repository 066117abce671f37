"""Results as services give them: lean, with some more fields, or with all that nobody asked for.

What is added to a thing follows from its key, so that all results of a conversation agree and a replay gives the same.
Nothing is taken away and nothing is moved: what links, picks and answers point at stays where it is.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Any, NamedTuple
from zlib import crc32

from generator.core.yaml_values import own_data

SIZES = ("lean", "usual", "full")
"""How large results are; the first is what `returns` says and nothing else."""
_ADDED: dict[str, dict[str, dict[str, Any]]] = own_data(__file__, "fuller.yaml")


_OF_LOOK_UPS = "sync"
"""What other systems know of a thing, which a call that changes it does not tell."""


class Shown(NamedTuple):
    """What a result depends on beside what it is about."""

    mark: str
    """Tells the call from all others of the conversation."""
    day: str
    """Today, for moments."""
    made: frozenset[str]
    """Keys of things that the conversation has made, about which no other system knows yet."""
    total: int | None
    """How many there are of what a search has found, where it may have been cut."""
    looks_up: bool


def size_at(weights: tuple[tuple[str, float], ...], number: int) -> str:
    """Return the size of the results of the conversation with a number of 64 bits; the first one without weights."""
    if not weights:
        return SIZES[0]
    bounds = tuple(accumulate(weight for _, weight in weights))
    return weights[min(bisect_right(bounds, number / 2**64 * bounds[-1]), len(weights) - 1)][0]


def enlarged(result: Any, size: str, call: Shown) -> Any:
    """Return a result with what is usual beside what was asked for.

    Args:
        result: As `returns` says; what is no object stays as it is.
        size: One of `SIZES`.
        call: The call that it is of.
    """
    if type(result) is not dict or size == SIZES[0]:
        return result
    added = _ADDED[size]
    larger = {
        name: [_thing(one, added["element"], call) for one in value] if type(value) is list else value
        for name, value in result.items()
    }
    larger = _thing(larger, added["thing"], call)
    listed = next(
        (value for value in result.values() if type(value) is list and value and type(value[0]) is dict), None
    )
    if listed is not None and size == SIZES[-1]:
        more = call.total is not None and call.total > len(listed)
        cursor = f"c_{crc32(call.mark.encode()):08x}" if more else None
        page = {"size": len(listed), "total": max(call.total or 0, len(listed)), "has_more": more}
        larger.setdefault("page", {**page, "next_cursor": cursor})
    for part, key in (("result", call.mark), ("service", call.day)):
        for name, value in added[part].items():
            larger.setdefault(name, _value(value, "", key, call.day, name))
    return larger


def _thing(one: Any, added: dict[str, Any], call: Shown) -> Any:
    """Return an object with what is added to a thing, if its first `…_id` is the key of one."""
    if type(one) is not dict:
        return one
    key = next((name for name in one if name[-3:] == "_id" and type(one[name]) is str), None)
    if key is None or one[key] in call.made:
        return one
    larger = dict(one)
    for name, value in added.items():
        if name not in larger and (call.looks_up or name != _OF_LOOK_UPS):
            larger[name] = _value(value, key[:-3], one[key], call.day, name)
    return larger


def _value(value: Any, kind: str, key: str, day: str, at: str) -> Any:
    """Return the value of an added field: of a kind that fuller.yaml names, for the thing with a key."""
    if type(value) is dict:
        return {name: _value(part, kind, key, day, f"{at}/{name}") for name, part in value.items()}
    if value is None:
        return None
    number = crc32(f"{key}/{at}".encode())
    if type(value) is list:
        return value[number % len(value)]
    if value == "moment":
        return f"{day}T{number % 5:02}:{number // 5 % 60:02}:{number // 300 % 60:02}Z"
    if value == "number":
        return number % 1000
    return value.format(one=kind, many=_many(kind), key=key, hex=f"{number:08x}")


def _many(noun: str) -> str:
    if noun[-1:] == "y" and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
