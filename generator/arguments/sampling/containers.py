"""Makers of objects (which properties there are, and how many) and of lists: different items, required ones, ones that occur twice."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec
import orjson

from generator.arguments.reading.nodes import EnumNode, Node, NumberNode, StringNode
from generator.arguments.sampling.numbers import Maker, number_of
from generator.arguments.vocabulary.words import WORDS
from generator.core.seeds import Draw

Fields = tuple[tuple[str, Maker, bool], ...]
"""Name, maker and whether it is required, of each declared property."""


def simple_object_maker(fields: Fields, optional: float) -> Maker:
    """Return a maker of objects with all required properties, and each optional one with its probability."""
    if all(required for _, _, required in fields):
        pairs = tuple((name, maker) for name, maker, _ in fields)
        return lambda draw: {name: maker(draw) for name, maker in pairs}

    def make(draw: Draw) -> dict[str, Any]:
        return {name: maker(draw) for name, maker, required in fields if required or draw.rand() < optional}

    return make


def _counted_properties(fields: Fields, optional: float, bounds: tuple[int, int]) -> Maker:
    """Return a maker of declared properties, as many as the bounds want as far as there are enough."""
    fewest, most = bounds

    def make(draw: Draw) -> dict[str, Any]:
        """Draw which optional properties there are, within the bounds, and make their values."""
        kept = [required or draw.rand() < optional for _, _, required in fields]
        optionals = [index for index, (_, _, required) in enumerate(fields) if not required]
        for index in draw.shuffled(optionals):
            count = sum(kept)
            if count < fewest or count > most:
                kept[index] = count < fewest
        made: dict[str, Any] = {
            name: maker(draw) for (name, maker, _), is_kept in zip(fields, kept, strict=True) if is_kept
        }
        return made

    return make


def family_object(
    fields: Fields,
    optional: float,
    bounds: tuple[int, int],
    families: tuple[tuple[str, Maker], ...],
    is_open: bool,
) -> Maker:
    """Return a maker of objects with undeclared properties of known names: always some if nothing is declared."""
    fewest, most = bounds
    declared = _counted_properties(fields, optional, bounds)

    def make(draw: Draw) -> dict[str, Any]:
        """Make the declared properties, and some of the families' undeclared ones."""
        made: dict[str, Any] = declared(draw)
        extra_count = 1 + int(draw.rand() * 2) if is_open or draw.rand() < optional else 0
        count = min(max(fewest, len(made) + extra_count), most)
        if count > len(made):
            for name, maker in draw.shuffled(families)[: count - len(made)]:
                made[name] = maker(draw)
        return made

    return make


def counted_object(
    fields: Fields, optional: float, bounds: tuple[int, int], extra: Maker | None, usual: tuple[str, ...]
) -> Maker:
    """Return a maker of objects with a bounded number of properties, or with undeclared ones, first of all of the usual names."""
    fewest, most = bounds
    declared = _counted_properties(fields, optional, bounds)

    def make(draw: Draw) -> dict[str, Any]:
        """Make the declared properties, and undeclared ones until there are enough."""
        made: dict[str, Any] = declared(draw)
        if extra is not None:
            count = min(max(fewest, len(made) + 1 + int(draw.rand() * 2)), most)
            names = draw.shuffled(usual) + draw.shuffled(WORDS) if count > len(usual) else draw.shuffled(usual)
            for name in names:
                if len(made) >= count:
                    break
                if name not in made:
                    made[name] = extra(draw)
            for number in range(2, 2 + fewest - len(made)):
                made[f"{names[number % len(names)]}_{number}"] = extra(draw)
        return made

    return make


Finish = Callable[[Draw, list[Any]], None]
Spare = Callable[[int], Any]

_REDRAWS = 40
_SPARE = 3


class ContainedItems(msgspec.Struct, frozen=True):
    """Items of one kind that a list must hold."""

    places: tuple[Maker | None, ...]
    """What makes such an item for each place of the prefix; None where none can stand."""
    items: Maker | None
    """What makes one after the prefix."""
    fits: Callable[[Any], bool]
    fewest: int
    most: int | None


def finish_list(
    rules: list[ContainedItems],
    item: Maker | None,
    first: int,
    bounds: tuple[int, int | None],
    repeats: bool,
    spare: Spare | None,
) -> Finish:
    """Return a function that changes a list until it holds what it must.

    `first` is the index of the first item after the prefix, `bounds` are the least and the greatest length; `repeats`: two items must be
    equal; `spare` makes different items by number, for a list that is still too short.
    """

    def finish(draw: Draw, items: list[Any]) -> None:
        """Change the items of a list, in place, until the schema's rules for its items hold."""
        if spare is not None and len(items) < bounds[0]:
            _add_spare(items, spare, bounds[0])
        for rule in rules:
            _add_matching_items(draw, items, rule, bounds[1])
        for rule in rules:
            if rule.most is not None:
                _remove_matching_items(draw, items, rule, rule.most, item, first, bounds[0])
        if repeats and len(items) > 1:
            _repeat_an_item(draw, items, first)

    return finish


def _add_matching_items(draw: Draw, items: list[Any], rule: ContainedItems, most: int | None) -> None:
    """Put items that match a `contains` into a list, in place, until it has as many of them as the rule asks for."""
    missing = rule.fewest - sum(map(rule.fits, items))
    if missing <= 0:
        return
    indexes = draw.shuffled([index for index, value in enumerate(items) if not rule.fits(value)])
    for index in indexes:
        maker = rule.places[index] if index < len(rule.places) else rule.items
        if missing and maker is not None:
            items[index] = _item_not_in(draw, maker, items)
            missing -= 1
    while (
        missing > 0
        and rule.items is not None
        and (most is None or len(items) < most)
        and len(items) >= len(rule.places)
    ):
        items.append(_item_not_in(draw, rule.items, items))
        missing -= 1


def _remove_matching_items(
    draw: Draw, items: list[Any], rule: ContainedItems, most: int, item: Maker | None, first: int, fewest: int
) -> None:
    """Remove or replace items that match a `contains`, in place, until at most `most` are left."""
    for index in reversed(range(first, len(items))):
        if sum(map(rule.fits, items)) <= most:
            return
        if rule.fits(items[index]):
            if len(items) > fewest:
                del items[index]
            elif item is not None:
                items[index] = next(
                    (value for value in (item(draw) for _ in range(_REDRAWS)) if not rule.fits(value)), items[index]
                )


def _repeat_an_item(draw: Draw, items: list[Any], first: int) -> None:
    """Repeat one item of a list at another index that is not below `first`, in place."""
    indexes = list(range(first, len(items)))
    if len(indexes) > 1:
        target = draw.choice(indexes)
        source = draw.choice([place for place in indexes if place != target])
        items[target] = orjson.loads(orjson.dumps(items[source]))


def _item_not_in(draw: Draw, maker: Maker, items: list[Any]) -> Any:
    """Return a value that is not in the list yet, if one is found."""
    value = maker(draw)
    for _ in range(_REDRAWS):
        if value not in items:
            break
        value = maker(draw)
    return value


class ArgumentListShape(NamedTuple):
    """The lengths and the form of lists of one kind of items."""

    shortest: int
    longest: int
    share: float
    """How often one of the extreme lengths is taken."""
    extremes: tuple[int, int]
    is_set: bool
    ranks: dict[Any, int]
    """The order of the items, where they have one."""


def make_list(shape: ArgumentListShape, prefix: list[Maker], item: Maker | None, finish: Finish | None) -> Maker:
    """Return a maker of lists: first the prefix, then other items, including those that the list must contain."""
    shortest, lengths, share, extremes, ranks = (
        shape.shortest,
        shape.longest - shape.shortest + 1,
        shape.share,
        shape.extremes,
        shape.ranks,
    )

    def make(draw: Draw) -> list[Any]:
        """Draw a length, make the items and put them in order."""
        length = shortest + int(draw.rand() * lengths)
        if share and draw.rand() < share:
            length = extremes[int(draw.rand() * 2)]
        items = [maker(draw) for maker in prefix[:length]]
        if item is not None and length > len(items):
            items = fill_list(items, item, length, draw, shape.is_set)
        if finish is not None:
            finish(draw, items)
        return sorted(items, key=ranks.__getitem__) if ranks else items

    return make


def fill_list(items: list[Any], item: Maker, length: int, draw: Draw, is_set: bool) -> list[Any]:
    """Return the list with items added up to `length`, different ones while that is possible."""
    seen = {_distinguishing_key(value) for value in items}
    tries_left = length * 8
    while len(items) < length and tries_left:
        tries_left -= 1
        value = item(draw)
        key = _distinguishing_key(value)
        if key not in seen:
            seen.add(key)
            items.append(value)
        elif not is_set and tries_left < length * 6:
            items.append(value)
    return items


def spare_items(node: Node) -> Spare | None:
    """Return different values of a node by number, for lists of more different items than a maker comes up with."""
    if isinstance(node, NumberNode):
        step = node.step or (
            Fraction(1) if node.whole or node.low is None or node.high is None else (node.high - node.low) / 10**6
        )
        first = node.low if node.low is not None else node.high - step * 10**6 if node.high is not None else step
        return lambda index: number_of(node, first + step * (index + node.low_open))
    if isinstance(node, StringNode) and not node.patterns and node.format is None:
        return lambda index: f"{WORDS[index % len(WORDS)]} {index}".rjust(node.shortest, "a")
    return (lambda index: node.values[index % len(node.values)]) if isinstance(node, EnumNode) else None


def _add_spare(items: list[Any], spare: Spare, length: int) -> None:
    """Add different items to a list, in place, until it has its least length."""
    seen = {mark_of(value) for value in items}
    for index in range(length * _SPARE):
        if len(items) >= length:
            return
        value = spare(index)
        if mark_of(value) not in seen:
            seen.add(mark_of(value))
            items.append(value)


def _distinguishing_key(value: Any) -> Any:
    """Return what should differ between the items of a list: an object's first property, or the value itself."""
    return mark_of(next(iter(value.values()))) if isinstance(value, dict) and value else mark_of(value)


def mark_of(value: Any) -> Any:
    """Return a key that two values share only if JSON Schema considers them equal."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) if isinstance(value, dict | list | bool) else value
