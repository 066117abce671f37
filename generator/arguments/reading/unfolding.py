"""A schema that has been read, as a finite tree: recursion is followed a few times, and no further.

What has no end is left out wherever it may be. So whoever walks nodes (the sampler, coverage) knows neither
references nor values without end.
"""

from itertools import takewhile

from msgspec.structs import replace

from generator.arguments.reading.nodes import (
    ArrayNode,
    CheckedNode,
    ChoiceNode,
    Node,
    NothingNode,
    ObjectNode,
    ReferenceNode,
    below,
)
from generator.core.errors import SchemaError

_DEEPEST = 2
_MOST_PARTS = 3_000


def unfolded(root: Node, definitions: dict[str, Node]) -> Node:
    """Return the tree of a root; too wide a one without optional parts beyond a number.

    Raises:
        SchemaError: every value contains another one, or too many.
    """
    if not definitions and _size(root, {}) <= _MOST_PARTS:
        return root
    pointer = root.note.pointer or "/"
    try:
        tree = _Unfolding(definitions, _DEEPEST, is_cut=False).of(root)
    except _WideError:
        tree = _Unfolding(definitions, 1, is_cut=True).of(root)
        if tree is None:
            raise SchemaError(f"{pointer}: the schema unfolds into more than {_MOST_PARTS} parts") from None
    if tree is None:
        raise SchemaError(f"{pointer}: every value contains another one, without end")
    return tree


def _size(node: Node, sizes: dict[int, int]) -> int:
    """Return how many parts a tree has; parts that are read once may stand in many places."""
    if id(node) not in sizes:
        sizes[id(node)] = 1 + sum(_size(part, sizes) for _, part in below(node))
    return sizes[id(node)]


class _WideError(Exception):
    """The schema unfolds into more parts than can be compiled."""


class _Unfolding:
    """One schema being unfolded; recursive parts are followed `deepest` times."""

    def __init__(self, definitions: dict[str, Node], deepest: int, *, is_cut: bool) -> None:
        self.definitions = definitions
        self.deepest = deepest
        self.is_cut = is_cut
        """Whether parts beyond the number are left out; otherwise they raise _WideError."""
        self._depths: dict[str, int] = {}
        self._parts = 0

    def of(self, node: Node) -> Node | None:
        """Return the tree below a node; None when it has no end, or no value."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            if self.is_cut:
                return None
            raise _WideError
        match node:
            case ReferenceNode():
                return self.reference(node)
            case ChoiceNode():
                branches = tuple(filter(None, map(self.of, node.branches)))
                return replace(node, branches=branches) if branches else None
            case CheckedNode():
                inner = self.of(node.node)
                return None if inner is None else replace(node, node=inner)
            case ArrayNode():
                return self.array(node)
            case ObjectNode():
                return self.object(node)
        return None if isinstance(node, NothingNode) else node

    def reference(self, node: ReferenceNode) -> Node | None:
        """Return the tree of a recursive schema, while it is not followed too deep."""
        depth = self._depths.get(node.key, 0)
        if depth >= self.deepest:
            return None
        self._depths[node.key] = depth + 1
        found = self.of(self.definitions[node.key])
        self._depths[node.key] = depth
        return found

    def array(self, node: ArrayNode) -> Node | None:
        """Return a list that ends before the first place without a value."""
        prefix = tuple(takewhile(lambda part: part is not None, map(self.of, node.prefix)))
        is_longer = len(prefix) == len(node.prefix) and (node.most is None or node.most > len(prefix))
        items = self.of(node.items) if is_longer else None
        most = len(prefix) if items is None else node.most
        if most is not None and most < node.fewest:
            return None
        contains = [
            replace(part, items=self.possible(part.items), places=tuple(map(self.possible, part.places)))
            for part in node.contains
        ]
        return replace(node, prefix=prefix, items=items or NothingNode(), most=most, contains=tuple(contains))

    def possible(self, node: Node) -> Node:
        """Return the tree below a node that need not have a value."""
        return self.of(node) or NothingNode(node.note)

    def object(self, node: ObjectNode) -> Node | None:
        """Return an object of the properties that have values."""
        properties = []
        for part in node.properties:
            inner = self.of(part.node)
            if inner is not None:
                properties.append(replace(part, node=inner))
            elif part.required:
                return None
        families = [
            replace(family, node=inner) for family in node.families if (inner := self.of(family.node)) is not None
        ]
        is_needed = node.fewest > len(properties) and not node.families
        is_open = node.extra is not None and (is_needed or not node.properties)
        extra = self.of(node.extra) if is_open and node.extra is not None else None
        if is_needed and extra is None:
            return None
        return replace(node, properties=tuple(properties), families=tuple(families), extra=extra)
