"""Checks of the `x-` keywords of `returns` schemas: a misspelled one would have no effect, without an error."""

from collections.abc import Collection, Iterator
from typing import Any

from generator.core.documents import nearest
from generator.core.entities import WorldDeclarations
from generator.core.errors import SpecError
from generator.core.pointers import escape, schema_at, variants
from generator.world.expressions import Expression, Reads, compile_expression
from generator.world.order import sort_fields

KEYWORDS = ("x-from", "x-compute", "x-minimum", "x-maximum", "x-sort", "x-kind", "x-when", "x-field", "x-fresh")
_TIMES = ("past", "future")


def fault(at: str, message: str) -> SpecError:
    """Return the error for something at a place in `returns`."""
    return SpecError(f"returns{at and ': '}{at}: {message}")


def check_x_keywords(schema: dict[str, Any], parameters: Any, at: str) -> None:
    """Raise SpecError for an `x-` keyword that does not exist or names what is not there."""
    for key in schema:
        if key.startswith("x-") and key not in KEYWORDS:
            raise fault(at, f"unknown keyword {key!r}{nearest(key, KEYWORDS)}")
    if schema.get("x-when", "past") not in _TIMES:
        raise fault(at, f"x-when: {' or '.join(_TIMES)} is expected, not {schema['x-when']!r}")
    if schema.get("x-from") is not None:
        _check_argument(schema["x-from"], parameters, f"{at}: x-from")
    for key in ("x-minimum", "x-maximum"):
        if key in schema:
            _check_bound(schema, schema[key], parameters, f"{at}: {key}")
    if "x-sort" in schema and not isinstance(schema.get("items"), dict):
        raise fault(at, "x-sort is for lists")


def check_x_sort(order: Any, element: dict[str, Any], parameters: Any, at: str) -> None:
    """Raise SpecError for an `x-sort` by what the elements do not have."""
    at = f"{at}: x-sort"
    try:
        fields = sort_fields(order)
    except ValueError as wrong:
        raise fault(at, f"{wrong}, not {order!r}") from None
    properties = element.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for field in fields:
        if field not in known:
            raise fault(at, f"the elements have no {field!r}{nearest(field, known)}")
    if isinstance(order, dict):
        _check_choice(order, parameters, at)


def _check_choice(order: dict[str, Any], parameters: Any, at: str) -> None:
    ((argument, fields),) = order.items()
    _check_argument(argument, parameters, at, deep=False)
    schema = schema_at(parameters, escape(argument)) or {}
    values = {str(value) for branch in variants(parameters, schema) for value in branch.get("enum", ())}
    for value in fields:
        if values and str(value) not in values:
            raise fault(at, f"{value!r} is not a value of {argument}{nearest(str(value), sorted(values))}")


def read_expression(
    text: Any, key: str, before: Collection[str], parameters: Any, at: str, declared: WorldDeclarations
) -> tuple[Expression, Reads]:
    """Return an `x-compute` and the names it reads, all of which stand before it or are arguments."""
    start = f"x-compute of {key!r}: {text!r}"
    try:
        expression, reads = compile_expression(str(text), declared.tables, declared.entities)
    except ValueError as wrong:
        raise fault(at, f"{start}: {wrong}") from None
    for name in sorted(reads.properties - {"today", "value", *before}):
        hint = " (the value it would otherwise have is 'value')" if name == key else nearest(name, before)
        raise fault(at, f"{start}: no property {name!r} stands before it{hint}")
    for name in sorted(reads.arguments):
        _check_argument(name, parameters, f"{at}: {start}", deep=False)
    return expression, reads


def hidden_keyword(schema: Any, depth: int = 0) -> str | None:
    """Return the first `x-` keyword below a schema whose values are drawn as a whole, where it would have no effect."""
    if not isinstance(schema, dict):
        return None
    own = next((key for key in schema if key.startswith("x-")), None) if depth else None
    return own or next((found for part in _below(schema) if (found := hidden_keyword(part, depth + 1))), None)


def _below(schema: dict[str, Any]) -> Iterator[Any]:
    for key in ("items", "additionalProperties"):
        yield schema.get(key)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from schema.get(key, ())
    properties = schema.get("properties")
    yield from properties.values() if isinstance(properties, dict) else ()


def _check_argument(slot: Any, parameters: Any, at: str, *, deep: bool = True) -> None:
    if not isinstance(slot, str) or not slot or "*" in slot.split("/"):
        raise fault(at, f"the name of one argument is expected, not {slot!r}")
    place = slot if deep else escape(slot)
    if schema_at(parameters, place) is None:
        known = [name for branch in variants(parameters, parameters) for name in branch.get("properties", {})]
        raise fault(at, f"there is no argument {slot!r}{nearest(slot, known)}")


def _check_bound(schema: dict[str, Any], slot: Any, parameters: Any, at: str) -> None:
    _check_argument(slot, parameters, at)
    wanted, given = _kinds(schema, schema), _kinds(parameters, schema_at(parameters, slot))
    wanted = {"number"} if "array" in wanted else wanted
    if wanted and given and not wanted & given:
        raise fault(at, f"{slot!r} is of type {', '.join(sorted(given))} and cannot bound this")


def _kinds(root: Any, schema: Any) -> set[str]:
    """Return the types that a schema names; whole numbers are numbers."""
    found: set[str] = set()
    for branch in variants(root, schema):
        named = branch.get("type", ())
        found |= {named} if isinstance(named, str) else {str(name) for name in named}
    return {"number" if name == "integer" else name for name in found - {"null"}}
