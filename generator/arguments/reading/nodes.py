"""The node kinds that schemas are read into, whatever keywords were used, and the one walk over them.

The sampler and coverage read these and never a raw schema.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

import msgspec

from generator.core.pointers import split


class Annotations(msgspec.Struct, frozen=True):
    """The annotations of a schema: what it tells people."""

    description: str = ""
    examples: tuple[Any, ...] = ()
    pointer: str = ""
    """Where the schema stands, for messages."""


class AnythingNode(msgspec.Struct, frozen=True):
    """Any JSON value."""

    note: Annotations = Annotations()


class NothingNode(msgspec.Struct, frozen=True):
    """No value at all."""

    note: Annotations = Annotations()


class EnumNode(msgspec.Struct, frozen=True):
    """One of the listed values (enum, const, null, booleans)."""

    values: tuple[Any, ...]
    note: Annotations = Annotations()


class NumberNode(msgspec.Struct, frozen=True):
    """A number between bounds, on a grid when it has a step."""

    schema: dict[str, Any]
    """The same in JSON Schema, to test values with."""
    whole: bool
    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    step: Fraction | None = None
    note: Annotations = Annotations()


class StringNode(msgspec.Struct, frozen=True):
    """A string."""

    schema: dict[str, Any]
    """The same in JSON Schema, to test values with."""
    shortest: int = 0
    longest: int | None = None
    patterns: tuple[str, ...] = ()
    format: str | None = None
    note: Annotations = Annotations()


class Contains(msgspec.Struct, frozen=True):
    """Items of which a list holds some."""

    schema: dict[str, Any]
    """What they satisfy, as a schema that stands alone."""
    items: "Node"
    """Such an item, as the list's places after the prefix allow it."""
    places: "tuple[Node, ...]"
    """The same for each place of the prefix."""
    fewest: int = 1
    most: int | None = None


class ArrayNode(msgspec.Struct, frozen=True):
    """A list: first the prefix's places, then any number of items."""

    items: "Node"
    prefix: "tuple[Node, ...]" = ()
    fewest: int = 0
    most: int | None = None
    unique: bool = False
    note: Annotations = Annotations()
    contains: tuple[Contains, ...] = ()
    repeats: bool = False
    """Whether two items must be equal."""


class Property(msgspec.Struct, frozen=True):
    """A declared property."""

    name: str
    node: "Node"
    required: bool


class Family(msgspec.Struct, frozen=True):
    """Undeclared properties of the same kind: names that the schema's patterns and name rules allow."""

    names: tuple[str, ...]
    node: "Node"


class ObjectNode(msgspec.Struct, frozen=True):
    """An object, properties in declared order."""

    properties: tuple[Property, ...] = ()
    extra: "Node | None" = None
    """What undeclared properties hold; None when there may be none."""
    is_map: bool = False
    """Whether the schema says what undeclared properties hold (and so expects some)."""
    fewest: int = 0
    most: int | None = None
    note: Annotations = Annotations()
    families: tuple[Family, ...] = ()
    """What undeclared properties hold where their names matter; there is no `extra` then."""


class ChoiceNode(msgspec.Struct, frozen=True):
    """One of several."""

    branches: "tuple[Node, ...]"
    note: Annotations = Annotations()
    only_one_of: dict[str, Any] = {}
    """A schema that stands alone, with the `oneOf` of which a value must satisfy exactly one."""


class CheckedNode(msgspec.Struct, frozen=True):
    """Values of a node that must also pass checks that nodes cannot express."""

    node: "Node"
    schemas: tuple[dict[str, Any], ...]
    """Schemas that stand alone; all must hold."""
    note: Annotations = Annotations()


class ReferenceNode(msgspec.Struct, frozen=True):
    """A recursive schema, by its key, while it is read: `unfolded` follows it."""

    key: str
    note: Annotations = Annotations()


Node = (
    AnythingNode
    | NothingNode
    | EnumNode
    | NumberNode
    | StringNode
    | ArrayNode
    | ObjectNode
    | ChoiceNode
    | CheckedNode
    | ReferenceNode
)


class Schema(msgspec.Struct, frozen=True):
    """A schema that has been read."""

    root: Node
    """A finite tree (unfolding.py): no references, and no more parts than can be compiled."""
    source: dict[str, Any]
    """The JSON Schema it was read from."""
    is_exact: bool = True
    """Whether the nodes alone hold all that the schema asks for; if not, values need to be checked."""


def below(node: Node) -> Iterator[tuple[str | None, Node]]:
    """Yield the nodes directly below, each with the step that leads to it: a name, or `*` for what has none.

    The step is None where the node describes the same value.
    """
    if isinstance(node, ChoiceNode):
        yield from ((None, branch) for branch in node.branches)
    elif isinstance(node, CheckedNode):
        yield None, node.node
    elif isinstance(node, ArrayNode):
        yield from (("*", part) for part in (*node.prefix, node.items))
    elif isinstance(node, ObjectNode):
        yield from ((part.name, part.node) for part in node.properties)
        yield from (("*", family.node) for family in node.families)
        if node.extra is not None:
            yield "*", node.extra


def same_value(node: Node) -> Iterator[Node]:
    """Yield the node itself and all below it that describe the same value."""
    yield node
    for step, part in below(node):
        if step is None:
            yield from same_value(part)


def node_at(root: Node, slot: str) -> Node:
    """Return the node of the values at a slot (`""` is the root); raises LookupError when there is none."""
    nodes = [root]
    for wanted in split(slot):
        nodes = [part for node in nodes for same in same_value(node) for step, part in below(same) if step == wanted]
    if not nodes:
        raise LookupError(slot)
    return nodes[0] if len(nodes) == 1 else ChoiceNode(tuple(nodes))


def object_nodes(node: Node) -> list[ObjectNode]:
    """Return the objects that a value may be: itself, or those of its branches."""
    return [same_node for same_node in same_value(node) if isinstance(same_node, ObjectNode)]


Schemas = list[dict[str, Any]]


def join_texts(schemas: Schemas, note: Annotations) -> StringNode | NothingNode:
    """Return a string that satisfies all parts."""
    shortest = int(max((schema.get("minLength", 0) for schema in schemas), default=0))
    longest = min((int(schema["maxLength"]) for schema in schemas if "maxLength" in schema), default=None)
    patterns = tuple(dict.fromkeys(schema["pattern"] for schema in schemas if "pattern" in schema))
    formats = list(dict.fromkeys(schema["format"] for schema in schemas if "format" in schema))
    if longest is not None and longest < shortest:
        return NothingNode(note)
    joined_schema: dict[str, Any] = {"type": "string"}
    if shortest:
        joined_schema["minLength"] = shortest
    if longest is not None:
        joined_schema["maxLength"] = longest
    if formats:
        joined_schema["format"] = formats[0]
    if patterns:
        joined_schema["pattern"] = patterns[0]
    further_rules = [{"pattern": pattern} for pattern in patterns[1:]] + [{"format": name} for name in formats[1:]]
    if further_rules:
        joined_schema["allOf"] = further_rules
    return StringNode(joined_schema, shortest, longest, patterns, formats[0] if formats else None, note)


def join_numbers(schemas: Schemas, whole: bool, note: Annotations) -> NumberNode | NothingNode:
    """Return a number that satisfies all parts; its bounds lie on the grid when there is one."""
    schema_of_all: dict[str, Any] = {"type": "integer" if whole else "number"}
    lows = [(_exact(schema[word]), word != "minimum") for schema in schemas for word in _LOW if word in schema]
    highs = [(_exact(schema[word]), word != "maximum") for schema in schemas for word in _HIGH if word in schema]
    low, low_open = max(lows, default=(None, False))
    high, high_open = min(highs, key=lambda bound: (bound[0], not bound[1]), default=(None, False))
    steps = [_exact(schema["multipleOf"]) for schema in schemas if "multipleOf" in schema]
    for schema in schemas:
        schema_of_all.update({word: schema[word] for word in (*_LOW, *_HIGH, "multipleOf") if word in schema})
    if len(schemas) > 1:
        schema_of_all["allOf"] = [
            {word: part[word] for word in (*_LOW, *_HIGH, "multipleOf") if word in part} for part in schemas
        ]
    step = _common_step(steps, whole)
    if step is not None:
        low = None if low is None else _first_multiple(low, step, low_open)
        high = None if high is None else _last_multiple(high, step, high_open)
        low_open = high_open = False
    if low is not None and high is not None and (low > high or (low == high and (low_open or high_open))):
        return NothingNode(note)
    return NumberNode(schema_of_all, whole, low, high, low_open, high_open, step, note)


_LOW = ("minimum", "exclusiveMinimum")
_HIGH = ("maximum", "exclusiveMaximum")


def list_shape(plain: list[tuple[Any, str]]) -> tuple[list[list[tuple[Any, str]]], list[tuple[Any, str]]]:
    """Return the schemas of each of the first items of a list, and of every item after them."""
    shapes = [_item_schemas(schema, pointer) for schema, pointer in plain]
    length = max((len(prefix) for prefix, _ in shapes), default=0)
    places = []
    for index in range(length):
        at = [prefix[index : index + 1] if index < len(prefix) else rest for prefix, rest in shapes]
        places.append([part for parts in at for part in parts])
    return places, [part for _, rest in shapes for part in rest]


def _item_schemas(schema: dict[str, Any], pointer: str) -> tuple[list[tuple[Any, str]], list[tuple[Any, str]]]:
    """Return the (schema, pointer) parts of the first items of a list, and those of all later ones, in either dialect."""
    items = schema.get("items")
    prefix_schemas = items if isinstance(items, list) else schema.get("prefixItems", [])
    keyword = "items" if isinstance(items, list) else "prefixItems"
    prefix = [(part, f"{pointer}/{keyword}/{index}") for index, part in enumerate(prefix_schemas)]
    later_keyword = "additionalItems" if isinstance(items, list) else "items"
    return prefix, [(schema[later_keyword], f"{pointer}/{later_keyword}")] if later_keyword in schema else []


def _exact(number: float) -> Fraction:
    """Return a number of JSON exactly: 0.1 → 1/10."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _common_step(steps: list[Fraction], whole: bool) -> Fraction | None:
    """Return the number of which multiples satisfy all steps: 4 and 6 → 12."""
    if whole:
        steps = [*steps, Fraction(1)]
    if not steps:
        return None
    scale = lcm(*(step.denominator for step in steps))
    return Fraction(lcm(*(int(step * scale) for step in steps)), scale)


def _first_multiple(bound: Fraction, step: Fraction, is_open: bool) -> Fraction:
    """Return the least multiple of the step that is not below the bound; above it, where the bound is open."""
    multiple = ceil(bound / step) * step
    return multiple + step if is_open and multiple == bound else multiple


def _last_multiple(bound: Fraction, step: Fraction, is_open: bool) -> Fraction:
    """Return the greatest multiple of the step that is not above the bound; below it, where the bound is open."""
    multiple = floor(bound / step) * step
    return multiple - step if is_open and multiple == bound else multiple
