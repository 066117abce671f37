"""From a `returns` schema to a function that makes results of one call.

A property's value is, in this order: the argument that `x-from` names, a fact known of the entity, what
`x-compute` says, the argument of the same name, or a value drawn from its schema, kept within the bounds that
arguments give (`x-minimum`, `x-maximum`).
"""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any, Protocol

import jsonschema_rs
import msgspec

from generator.errors import SpecError
from generator.execution.expressions import Expression, MissingError, compile_expression
from generator.pointers import resolve, variants
from generator.seeds import Draw


class CompileValue(Protocol):
    """How the arguments package makes a value of one schema; handed in, because siblings do not import each other."""

    def __call__(
        self, schema: dict[str, Any], name: str, seed: int, *, kind: str | None = None, when: str | None = None
    ) -> Callable[[Draw], Any]:
        """A function that draws one value."""


class Making(msgspec.Struct):
    """What a result is made from."""

    draw: Draw
    arguments: Mapping[str, Any]
    facts: Mapping[str, Any]
    today: str


Maker = Callable[[Making, dict[str, Any]], Any]
"""(what it is made from, the properties of the same object made so far) → value."""

NOTHING_SAID: dict[str, Any] = {
    "type": "object",
    "properties": {"status": {"const": "success"}},
    "required": ["status"],
}
"""The result of a tool whose spec does not say what it returns."""


def compile_returns(
    returns: dict[str, Any], arguments: Collection[str], compile_value: CompileValue, seed: int, *, has_facts: bool
) -> Callable[[Making], Any]:
    """The maker of whole results; raises SpecError for an `x-` keyword that cannot be.

    Args:
        returns: JSON Schema of the result.
        arguments: Names of the tool's arguments, which results may repeat.
        compile_value: Makes the values of leaves.
        seed: The recipe's seed, for pools of values.
        has_facts: Whether a call can be about an entity known from an earlier result.
    """
    compiler = _Compiler(returns, frozenset(arguments), compile_value, seed, has_facts)
    make = compiler.value(returns, "result", "top")
    return lambda making: make(making, {})


class _Compiler:
    """One schema being compiled: holds the root for `$ref`."""

    def __init__(
        self, root: dict[str, Any], arguments: frozenset[str], compile_value: CompileValue, seed: int, has_facts: bool
    ) -> None:
        self.root = root
        self.arguments = arguments
        self.has_facts = has_facts
        self.compile_value = compile_value
        self.seed = seed

    def value(self, schema: dict[str, Any], name: str, level: str) -> Maker:
        """`level`: `top`, `element` (of a list) or `inner`: only the first two take facts or echo arguments."""
        plain = variants(self.root, schema)[0]
        if plain.get("type") == "object" and isinstance(plain.get("properties"), dict):
            return self.object(plain, level)
        if plain.get("type") == "array" and isinstance(plain.get("items"), dict):
            return self.array(plain, name)
        return self.leaf(plain, name)

    def object(self, schema: dict[str, Any], level: str) -> Maker:
        required = set(schema.get("required", ()))
        fields = [(key, *self.field(part, key, level), key in required) for key, part in schema["properties"].items()]

        def make(making: Making, siblings: dict[str, Any]) -> dict[str, Any]:
            made: dict[str, Any] = {}
            draw = making.draw
            for key, draw_value, maker, always in fields:
                if always or draw.rand() < 0.75:
                    made[key] = maker(making, made) if draw_value is None else draw_value(draw)
            return made

        return make

    def array(self, schema: dict[str, Any], name: str) -> Maker:
        element = self.value(schema["items"], name, "element")
        fewest = schema.get("minItems", 1)
        most = schema.get("maxItems", max(3, fewest))
        limit = schema.get("x-maximum")
        arrange = _sorter(schema.get("x-sort"))

        def make(making: Making, siblings: dict[str, Any]) -> list[Any]:
            wanted = making.draw.between(fewest, most)
            cap = making.arguments.get(limit) if limit else None
            if isinstance(cap, int) and not isinstance(cap, bool):
                wanted = max(min(wanted, cap), min(fewest, 1))
            made: list[Any] = []
            seen: set[str] = set()
            for _ in range(wanted * 6):
                if len(made) == wanted:
                    break
                value = element(making, {})
                marks = _marks(value)
                if seen.isdisjoint(marks):
                    seen.update(marks)
                    made.append(value)
            return arrange(made, making.arguments)

        return make

    def leaf(self, schema: dict[str, Any], name: str) -> Maker:
        draw_value = self.drawn(schema, name)
        bounds = (schema.get("x-minimum"), schema.get("x-maximum"))
        if bounds == (None, None):
            return lambda making, siblings: draw_value(making.draw)
        step = schema.get("multipleOf")
        own = (schema.get("minimum"), schema.get("maximum"))

        def bounded(making: Making, siblings: dict[str, Any]) -> Any:
            low, high = (making.arguments.get(bound) if bound else None for bound in bounds)
            return _within(draw_value(making.draw), (low, high), own, step, making.draw)

        return bounded

    def drawn(self, schema: dict[str, Any], name: str) -> Callable[[Draw], Any]:
        """The function that draws a value of this schema alone."""
        definitions: dict[str, Any] = {key: self.root[key] for key in ("$defs", "definitions") if key in self.root}
        standalone = {**definitions, **schema} if "$ref" in str(schema) else schema
        plain = {key: part for key, part in standalone.items() if not key.startswith("x-")}
        return self.compile_value(plain, name, self.seed, kind=schema.get("x-kind"), when=schema.get("x-when"))

    def field(self, schema: dict[str, Any], key: str, level: str) -> tuple[Callable[[Draw], Any] | None, Maker]:
        """How a property is made; the first function is there when nothing but the draw decides."""
        plain = variants(self.root, schema)[0] | {k: v for k, v in schema.items() if k.startswith("x-")}
        explicit = plain.get("x-from")
        takes_facts = level == "top" and self.has_facts
        echoes = level != "inner" and key in self.arguments and "x-from" not in plain
        inner = self.value(plain, key, "inner")
        if not (explicit or takes_facts or echoes or "x-compute" in plain):
            is_leaf = plain.get("type") not in {"object", "array"} and not {"x-minimum", "x-maximum"} & plain.keys()
            return (self.drawn(plain, key) if is_leaf else None), inner
        compute = self.expression(plain["x-compute"], key) if "x-compute" in plain else None
        takes_value = re.search(r"\bvalue\b", str(plain.get("x-compute"))) is not None
        is_valid = self.validator(plain)

        def make(making: Making, siblings: dict[str, Any]) -> Any:
            if explicit and is_valid(given := _given(making.arguments, explicit)):
                return given
            if takes_facts and key in making.facts and is_valid(making.facts[key]):
                return making.facts[key]
            if compute is not None:
                return _computed(compute, takes_value, inner, making, siblings)
            if echoes and key in making.arguments and is_valid(making.arguments[key]):
                return making.arguments[key]
            return inner(making, siblings)

        return None, make

    def expression(self, text: Any, key: str) -> Expression:
        try:
            return compile_expression(str(text))
        except ValueError as fault:
            raise SpecError(f"returns: x-compute of {key!r}: {text!r}: {fault}") from None

    def validator(self, schema: dict[str, Any]) -> Callable[[Any], bool]:
        definitions: dict[str, Any] = {key: self.root[key] for key in ("$defs", "definitions") if key in self.root}
        try:
            validator = jsonschema_rs.validator_for({**definitions, **schema}, validate_formats=True)
        except ValueError as fault:
            raise SpecError(f"returns: not a valid JSON Schema: {fault}") from None
        return lambda value: value is not _ABSENT and validator.is_valid(value)


_ABSENT = object()


def _given(arguments: Mapping[str, Any], slot: str) -> Any:
    try:
        return resolve(arguments, slot)
    except LookupError:
        return _ABSENT


def _computed(
    compute: Expression, takes_value: bool, inner: Maker, making: Making, siblings: dict[str, Any]
) -> Any:
    """What the expression says, or a drawn value when an argument is missing, no date, or divides by nothing."""
    value = inner(making, siblings) if takes_value else None
    try:
        return compute({**siblings, "args": making.arguments, "today": making.today, "value": value})
    except (MissingError, ValueError, TypeError, ArithmeticError):
        return value if takes_value else inner(making, siblings)


def _sorter(order: Any) -> Callable[[list[Any], Mapping[str, Any]], list[Any]]:
    """`field`, `-field` (greatest first), or `{argument: {its value: field}}` for lists that a call can order."""
    if isinstance(order, str):
        return lambda made, _: _sorted_by(made, order)
    if isinstance(order, dict) and len(order) == 1:
        ((argument, fields),) = order.items()
        return lambda made, given: _sorted_by(made, fields.get(given.get(argument), ""))
    return lambda made, _: made


def _sorted_by(made: list[Any], order: str) -> list[Any]:
    field = order.removeprefix("-")
    if not field or not all(isinstance(element, dict) and field in element for element in made):
        return made
    return sorted(made, key=lambda element: element[field], reverse=order.startswith("-"))


def _marks(value: Any) -> list[str]:
    """What must not occur twice in a list: an element's first property, its name and its title."""
    if not isinstance(value, dict):
        return [repr(value)]
    first = next(iter(value), None)
    return [f"{key}={value[key]!r}" for key in {first: 0, "name": 0, "title": 0} if key in value]


Bounds = tuple[Any, Any]


def _within(value: Any, bounds: Bounds, own: Bounds, step: float | None, draw: Draw) -> Any:
    """`value` when the bounds of the call hold it, otherwise another one between them.

    Bounds may be numbers, dates or times; `own` are those of the schema, which a call's bound may leave open.
    """
    low, high = bounds
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    if isinstance(value, str):
        return _text_within(value, low, high, draw)
    bottom = low if low is not None else min(high * 0.6, high) if own[0] is None or own[0] > high else own[0]
    top = high if high is not None else low * 1.4 if own[1] is None or own[1] < low else own[1]
    found = bottom + draw.rand() * (top - bottom)
    unit = step or (1 if isinstance(value, int) else 0.01)
    found = max(found // unit, -(-bottom // unit)) * unit
    return int(found) if isinstance(value, int) else round(found, 2)


def _text_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    if len(value) == 10 and value[4] == "-":
        first = date.fromisoformat(low or high or value).toordinal()
        last = date.fromisoformat(high or low or value).toordinal()
        first, last = (first, last) if low and high else (first, first + 14) if low else (last - 14, last)
        day = min(max(draw.between(first, max(first, last)), 1), date.max.toordinal())
        return date.fromordinal(day).isoformat()
    if len(value) >= 5 and value[2] == ":":
        return _time_within(value, low, high, draw)
    return low if low is not None else str(high)


def _time_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """A clock time between the bounds, on five minutes, within three hours of a bound that stands alone."""
    first = _minutes_of(low) if low else max(0, _minutes_of(high or value) - 180)
    last = _minutes_of(high) if high else min(23 * 60 + 55, first + 180)
    minutes = draw.between(-(-first // 5), max(-(-first // 5), last // 5)) * 5
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}{value[5:]}"


def _minutes_of(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])
