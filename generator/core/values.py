"""Compare JSON values by the rules of JSON."""

from collections.abc import Iterable
from typing import Any

PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types whose values, when both are of one of them, are the same as JSON has it when Python says so."""


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal in JSON: 1 is 1.0 but not true."""
    kind = type(left)
    if kind is type(right) and kind in PLAIN:
        return bool(left == right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def is_among(value: Any, others: Iterable[Any]) -> bool:
    """Whether one of the others is the same value in JSON."""
    return any(same(value, other) for other in others)


def differing(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """Return the keys that only one of two objects has, and those whose values are not the same."""
    return [key for key in {**left, **right} if key not in left or key not in right or not same(left[key], right[key])]
