"""`x-sort`: the elements of a list in order of a field, always or as an argument of the call says."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

Arrange = Callable[[list[Any], Mapping[str, Any]], list[Any]]
"""(elements, arguments of the call) → elements in order."""
NO_DEFAULTS: Mapping[str, Any] = {}


def compile_order(order: Any, defaults: Mapping[str, Any] = NO_DEFAULTS) -> Arrange | None:
    """Return the arrangement that `field`, `-field` (greatest first) or `{argument: {its value: field}}` asks for; `defaults` are the arguments of calls that leave them out."""
    if isinstance(order, str):
        return _sorting(order)
    if not isinstance(order, dict):
        return None
    ((argument, fields),) = order.items()
    by_text = {str(value): _sorting(field) for value, field in fields.items()}  # keys of JSON files are text

    def arrange(made: list[Any], given: Mapping[str, Any]) -> list[Any]:
        sort = by_text.get(str(given.get(argument, defaults.get(argument))))
        return made if sort is None else sort(made, given)

    return arrange


def sort_fields(order: Any) -> tuple[str, ...]:
    """Return the fields that an order names; raises ValueError for anything else."""
    if isinstance(order, str):
        return (order.removeprefix("-"),)
    if isinstance(order, dict) and len(order) == 1:
        (fields,) = order.values()
        if isinstance(fields, dict) and all(isinstance(field, str) for field in fields.values()):
            return tuple(field.removeprefix("-") for field in fields.values())
    raise ValueError("a field, -field, or {argument: {its value: field}} is expected")


def _sorting(order: str) -> Arrange:
    """Sorts by a field, whatever the arguments; elements that do not have it come last."""
    field, reverse = order.removeprefix("-"), order[:1] == "-"
    key = itemgetter(field)

    def sort(made: list[Any], _: Mapping[str, Any]) -> list[Any]:
        try:
            return sorted(made, key=key, reverse=reverse)
        except (KeyError, TypeError):  # an element lacks the field, holds null there, or what has no order
            return _sorted_with_gaps(made, field, reverse)

    return sort


def _sorted_with_gaps(made: list[Any], field: str, reverse: bool) -> list[Any]:
    having = [element for element in made if element.get(field) is not None]
    try:
        having.sort(key=itemgetter(field), reverse=reverse)
    except TypeError:  # text and numbers have no order
        return made
    return having + [element for element in made if element.get(field) is None]
