"""Hypothesis strategies from nodes, built from small choices only.

Hypothesis also draws constants that it finds in the source files of whatever program it runs in: wide integers,
floats and strings would depend on where this package is installed. Integers from -99 to 99 and choices among few
options do not, so everything here is put together from those, and pools are the same bytes everywhere.
"""

from collections.abc import Callable
from typing import Any

import orjson
from hypothesis import strategies as st

from generator.arguments.other_sources.leaf_strategies import (
    ASCII,
    FEW,
    Strategy,
    any_value,
    letters,
    number_strategy,
    sampled,
    text_strategy,
)
from generator.arguments.reading.nodes import (
    AnythingNode,
    ArrayNode,
    CheckedNode,
    ChoiceNode,
    EnumNode,
    Node,
    NothingNode,
    NumberNode,
    ObjectNode,
    StringNode,
)
from generator.arguments.sampling.leaves import fits_all, fits_one

_FARTHEST = 2**53 - 1
_LONGEST_LISTS = (8, 5, 3, 1)
_NOTHING: Strategy = st.nothing()
"""What has no values."""


class Strategies:
    """Strategies for the nodes of one schema."""

    def __init__(self) -> None:
        self._nested = 0

    def of(self, node: Node, is_root: bool = False) -> Strategy:
        """Return the strategy for a node."""
        if isinstance(node, ObjectNode | ChoiceNode | CheckedNode):
            return _WHOLE[type(node)](self, node, is_root)
        return _PARTS[type(node)](self, node)

    def choice(self, node: ChoiceNode, is_root: bool) -> Strategy:
        """Return a strategy of values that one of several nodes allows."""
        fits = fits_one(node.only_one_of)
        made = st.one_of([self.of(branch, is_root) for branch in node.branches])
        return made if fits is None else made.filter(fits)

    def checked(self, node: CheckedNode, is_root: bool) -> Strategy:
        """Return a strategy of values that also satisfy the checks that nodes cannot express."""
        fits = fits_all(node.schemas)
        made = self.of(node.node, is_root)
        return made if fits is None else made.filter(fits)

    def array(self, node: ArrayNode) -> Strategy:
        """Return a strategy of lists: empty, full, and in between; the deeper they are nested, the shorter."""
        usual = _LONGEST_LISTS[min(self._nested, len(_LONGEST_LISTS) - 1)]
        most = max(node.fewest, usual) if node.most is None else min(node.most, max(node.fewest, usual))
        self._nested += 1
        prefix = [self.place(node, index) for index in range(len(node.prefix))]
        items = _NOTHING if most <= len(prefix) else self.of(node.items)
        asked = [
            st.lists(self.of(part.items), min_size=part.fewest, max_size=part.fewest + 1) for part in node.contains
        ]
        self._nested -= 1
        rest = st.lists(
            items,
            min_size=max(0, node.fewest - len(prefix) - sum(part.fewest for part in node.contains)),
            max_size=max(0, most - len(prefix)),
            unique_by=canonical_bytes if node.unique else None,
        )
        if asked and most > len(prefix):
            rest = st.tuples(rest, st.tuples(*asked)).map(lambda pair: _mingled(pair, most - len(prefix)))
        if node.repeats:
            rest = st.tuples(rest, st.integers(0, FEW), st.integers(0, FEW)).map(_repeated)
        if not prefix:
            return rest
        lengths = st.integers(min(node.fewest, len(prefix)), min(most, len(prefix), FEW))
        return st.tuples(st.tuples(*prefix), lengths, rest).map(_joined)

    def place(self, node: ArrayNode, index: int) -> Strategy:
        """Return values of one of the first items of a list; often ones that `contains` asks for."""
        usual = self.of(node.prefix[index])
        asked = [self.of(part.places[index]) for part in node.contains if part.fewest]
        found = [part for part in asked if part is not _NOTHING]
        return st.one_of([usual, *found]) if found and usual is not _NOTHING else usual

    def object(self, node: ObjectNode, is_root: bool) -> Strategy:
        """Return a strategy of objects with and without each optional property."""
        required = {part.name: self.of(part.node) for part in node.properties if part.required}
        optional = {part.name: self.of(part.node) for part in node.properties if not part.required}
        order = [part.name for part in node.properties]
        declared = st.fixed_dictionaries(required, optional=optional).map(
            lambda made: {name: made[name] for name in order if name in made}
        )
        fewest, most = node.fewest, node.most
        if node.families:
            declared = st.tuples(declared, self.undeclared(node, max(0, fewest - len(order)))).map(
                lambda pair: {**pair[1], **pair[0]}
            )
        needed = fewest > len(order)
        if node.extra is not None and (needed or (not order and (node.is_map or not is_root))):
            extras = st.dictionaries(
                letters(ASCII, 1, 12),
                self.of(node.extra),
                min_size=max(0, fewest - len(required)),
                max_size=max(fewest, min(4, 4 if most is None else most)),
            )
            declared = st.tuples(declared, extras).map(lambda pair: {**pair[1], **pair[0]})
        if fewest <= len(required) and (most is None or most >= len(order) + FEW):
            return declared
        return declared.filter(lambda made: fewest <= len(made) and (most is None or len(made) <= most))

    def undeclared(self, node: ObjectNode, fewest: int) -> Strategy:
        """Return a strategy of undeclared properties whose names the schema restricts, from none to a few more than required."""
        kinds = [st.tuples(sampled(family.names), self.of(family.node)) for family in node.families]
        room = sum(len(family.names) for family in node.families)
        return st.lists(
            st.one_of(kinds), min_size=min(fewest, room), max_size=min(fewest + 3, room), unique_by=lambda pair: pair[0]
        ).map(dict)


_WHOLE: dict[type[Any], Callable[[Strategies, Any, bool], Strategy]] = {
    ObjectNode: Strategies.object,
    ChoiceNode: Strategies.choice,
    CheckedNode: Strategies.checked,
}
"""Nodes that may stand for all arguments of a tool."""
_PARTS: dict[type[Any], Callable[[Strategies, Any], Strategy]] = {
    ArrayNode: Strategies.array,
    EnumNode: lambda _, node: sampled(node.values),
    StringNode: lambda _, node: text_strategy(node),
    NumberNode: lambda _, node: number_strategy(node),
    NothingNode: lambda _, node: _NOTHING,
    AnythingNode: lambda _, node: any_value(),
}


def canonical_bytes(value: Any) -> bytes:
    """Return the same bytes for values that JSON Schema considers equal."""
    return orjson.dumps(_whole(value), option=orjson.OPT_SORT_KEYS)


def _joined(parts: tuple[tuple[Any, ...], int, list[Any]]) -> list[Any]:
    prefix, length, rest = parts
    return [*prefix, *rest] if rest else list(prefix[:length])


def _mingled(parts: tuple[list[Any], tuple[list[Any], ...]], most: int) -> list[Any]:
    """Mix required items with others; others are left out when there is no room."""
    others, asked = parts
    must = [value for values in asked for value in values]
    kept = others[: max(0, most - len(must))]
    middle = len(kept) // 2
    return [*kept[:middle], *must, *kept[middle:]]


def _repeated(parts: tuple[list[Any], int, int]) -> list[Any]:
    """Return the list with one item repeated at another place, if it has any."""
    made, source, target = parts
    if len(made) > 1:
        made[target % len(made)] = made[source % len(made)]
    return made


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _FARTHEST:
        return int(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return {key: _whole(part) for key, part in value.items()} if isinstance(value, dict) else value
