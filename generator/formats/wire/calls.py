"""A call as a parser must find it, and whether two sets of calls are the same, as JSON values."""

from typing import Any

import msgspec


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call that a parser must find."""

    name: str
    arguments: dict[str, Any]


def same_json(left: Any, right: Any, *, strict_numbers: bool = False) -> bool:
    """Whether two JSON values are equal: 1 is 1.0 unless numbers are strict, but never true; key order is free."""
    pairs = [(left, right)]
    while pairs:  # no recursion: values may be nested deeper than Python calls
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += [(one[key], other[key]) for key in one]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif not _same_leaf(one, other, strict_numbers):
            return False
    return True


def _same_leaf(one: Any, other: Any, strict_numbers: bool) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other and (not strict_numbers or type(one) is type(other))
    return type(one) is type(other) and bool(one == other)


def same_calls(
    left: tuple[ExpectedCall, ...], right: tuple[ExpectedCall, ...], *, strict_numbers: bool = False
) -> bool:
    """Whether both lists call the same functions in the same order with equal arguments."""
    return len(left) == len(right) and all(
        a.name == b.name and same_json(a.arguments, b.arguments, strict_numbers=strict_numbers)
        for a, b in zip(left, right, strict=True)
    )
