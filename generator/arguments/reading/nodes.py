"""The node kinds that schemas are read into, whatever keywords were used, and the one walk over them.

The sampler, strategies and coverage read these and never a raw schema.
"""

from collections.abc import Iterator
from fractions import Fraction
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
        nodes = [part for node in nodes for one in same_value(node) for step, part in below(one) if step == wanted]
    if not nodes:
        raise LookupError(slot)
    return nodes[0] if len(nodes) == 1 else ChoiceNode(tuple(nodes))


def object_nodes(node: Node) -> list[ObjectNode]:
    """Return the objects that a value may be: itself, or those of its branches."""
    return [one for one in same_value(node) if isinstance(one, ObjectNode)]
