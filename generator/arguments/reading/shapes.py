"""Number, text and list nodes from the keywords of several schemas that must all hold."""

from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

from generator.arguments.reading.nodes import Annotations, NothingNode, NumberNode, StringNode

Schemas = list[dict[str, Any]]


def join_texts(schemas: Schemas, note: Annotations) -> StringNode | NothingNode:
    """Return a string that satisfies all parts."""
    shortest = int(max((schema.get("minLength", 0) for schema in schemas), default=0))
    longest = min((int(schema["maxLength"]) for schema in schemas if "maxLength" in schema), default=None)
    patterns = tuple(dict.fromkeys(schema["pattern"] for schema in schemas if "pattern" in schema))
    formats = list(dict.fromkeys(schema["format"] for schema in schemas if "format" in schema))
    if longest is not None and longest < shortest:
        return NothingNode(note)
    joined: dict[str, Any] = {"type": "string"}
    if shortest:
        joined["minLength"] = shortest
    if longest is not None:
        joined["maxLength"] = longest
    if formats:
        joined["format"] = formats[0]
    if patterns:
        joined["pattern"] = patterns[0]
    further = [{"pattern": pattern} for pattern in patterns[1:]] + [{"format": name} for name in formats[1:]]
    if further:
        joined["allOf"] = further
    return StringNode(joined, shortest, longest, patterns, formats[0] if formats else None, note)


def join_numbers(schemas: Schemas, whole: bool, note: Annotations) -> NumberNode | NothingNode:
    """Return a number that satisfies all parts; its bounds lie on the grid when there is one."""
    joined: dict[str, Any] = {"type": "integer" if whole else "number"}
    lows = [(_exact(schema[word]), word != "minimum") for schema in schemas for word in _LOW if word in schema]
    highs = [(_exact(schema[word]), word != "maximum") for schema in schemas for word in _HIGH if word in schema]
    low, low_open = max(lows, default=(None, False))
    high, high_open = min(highs, key=lambda bound: (bound[0], not bound[1]), default=(None, False))
    steps = [_exact(schema["multipleOf"]) for schema in schemas if "multipleOf" in schema]
    for schema in schemas:
        joined.update({word: schema[word] for word in (*_LOW, *_HIGH, "multipleOf") if word in schema})
    if len(schemas) > 1:
        joined["allOf"] = [
            {word: part[word] for word in (*_LOW, *_HIGH, "multipleOf") if word in part} for part in schemas
        ]
    step = _common_step(steps, whole)
    if step is not None:
        low = None if low is None else _up(low, step, low_open)
        high = None if high is None else _down(high, step, high_open)
        low_open = high_open = False
    if low is not None and high is not None and (low > high or (low == high and (low_open or high_open))):
        return NothingNode(note)
    return NumberNode(joined, whole, low, high, low_open, high_open, step, note)


_LOW = ("minimum", "exclusiveMinimum")
_HIGH = ("maximum", "exclusiveMaximum")


def list_shape(plain: list[tuple[Any, str]]) -> tuple[list[list[tuple[Any, str]]], list[tuple[Any, str]]]:
    """Return the schemas of each of the first items of a list, and of every item after them."""
    shapes = [_items(schema, pointer) for schema, pointer in plain]
    length = max((len(prefix) for prefix, _ in shapes), default=0)
    places = []
    for index in range(length):
        at = [prefix[index : index + 1] if index < len(prefix) else rest for prefix, rest in shapes]
        places.append([part for parts in at for part in parts])
    return places, [part for _, rest in shapes for part in rest]


def _items(schema: dict[str, Any], pointer: str) -> tuple[list[tuple[Any, str]], list[tuple[Any, str]]]:
    items = schema.get("items")
    listed = items if isinstance(items, list) else schema.get("prefixItems", [])
    keyword = "items" if isinstance(items, list) else "prefixItems"
    prefix = [(part, f"{pointer}/{keyword}/{index}") for index, part in enumerate(listed)]
    last = "additionalItems" if isinstance(items, list) else "items"
    return prefix, [(schema[last], f"{pointer}/{last}")] if last in schema else []


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _common_step(steps: list[Fraction], whole: bool) -> Fraction | None:
    if whole:
        steps = [*steps, Fraction(1)]
    if not steps:
        return None
    scale = lcm(*(step.denominator for step in steps))
    return Fraction(lcm(*(int(step * scale) for step in steps)), scale)


def _up(bound: Fraction, step: Fraction, is_open: bool) -> Fraction:
    found = ceil(bound / step) * step
    return found + step if is_open and found == bound else found


def _down(bound: Fraction, step: Fraction, is_open: bool) -> Fraction:
    found = floor(bound / step) * step
    return found - step if is_open and found == bound else found
