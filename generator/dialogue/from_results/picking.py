"""Singling one element out of a list: "the cheapest one", "the second one", "the one on Friday"."""

from collections.abc import Sequence
from typing import Any

import orjson

from generator.core.errors import CannotFillError
from generator.core.pointers import expand, resolve
from generator.core.toolbox import Pick


def single_out(result: Any, pattern: str, picks: Sequence[Pick]) -> tuple[str, Pick | None]:
    """Return the pointer to the element of a list that the first workable pick singles out, and that pick.

    Raises:
        CannotFillError: when no pick names exactly one element.
    """
    pointers = expand(result, pattern)
    if not pointers:
        raise CannotFillError(f"the result has no {pattern}")
    if not picks:
        return pointers[0], None
    for pick in picks:
        pointer = "/" + pattern.replace("*", str(_index_of(pick, result, pattern)), 1)
        if pointer in pointers:  # the element may lack the field
            return pointer, pick
    raise CannotFillError("no element of the list stands out")


def by_value(element: Any, field: str) -> str:
    """Return the pick for the element that has this value in a field."""
    return f"is {field} {orjson.dumps(resolve(element, field)).decode()}"


def _index_of(pick: Pick, result: Any, pattern: str) -> int | None:
    elements = resolve(result, pattern.partition("/*")[0])
    if pick.by in {"first", "last"}:
        return 0 if pick.by == "first" else len(elements) - 1
    if pick.by == "only":
        return 0 if len(elements) == 1 else None
    extreme, _, field = pick.by.partition(" ")
    if extreme == "nth":
        return int(field) - 1
    try:
        if extreme == "is":
            return _index_of_value(elements, *field.split(" ", 1))
        values = [resolve(element, field) for element in elements]
        best = min(values) if extreme == "min" else max(values)
    except (LookupError, TypeError):  # an element lacks the field, or holds null there
        return None
    return values.index(best) if values.count(best) == 1 and len(values) > 1 else None


def _index_of_value(elements: list[Any], field: str, value: str) -> int | None:
    """Return the only element that has a value (as JSON) in a field."""
    found = [place for place, element in enumerate(elements) if by_value(element, field) == f"is {field} {value}"]
    return found[0] if len(found) == 1 else None
