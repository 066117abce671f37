"""The default source: a schema compiled once into closures that make values a person might have meant.

Under `is_hostile` they are made to break parsers instead: at the limits of the schema, in all scripts.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.arguments.kinds.names import kind_of_name
from generator.arguments.kinds.other_words import takes_commas
from generator.arguments.kinds.records import RECORDS, split_values
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
    Property,
    Schema,
    StringNode,
)
from generator.arguments.reading.patterns import compile_letters, read_pattern
from generator.arguments.sampling.containers import (
    ArgumentListShape,
    ContainedItems,
    Finish,
    counted_object,
    family_object,
    finish_list,
    make_list,
    mark_of,
    simple_object_maker,
    spare_items,
)
from generator.arguments.sampling.days import make_edge_date
from generator.arguments.sampling.leaves import (
    ArgumentLocation,
    Hints,
    Test,
    choose_from,
    fit_maker,
    fits_all,
    make_numeric,
    make_text,
    pick_from,
    tester,
    text_writers,
    writer,
)
from generator.arguments.sampling.numbers import Maker, allows, edge_numbers, make_any_number
from generator.arguments.vocabulary.words import PROPERTY_NAMES, load
from generator.core.errors import SchemaError
from generator.core.pointers import joined
from generator.core.seeds import Draw

_LONG = "This line goes on for as long as it may, and then a little further, "
_USUAL_LONGEST = 300


def hostile_texts(node: StringNode, is_valid: Test) -> tuple[str, ...]:
    """Return boundary strings for parsers: empty, shortest, longest, other scripts, marks that need escaping."""
    longest = min(_USUAL_LONGEST if node.longest is None else node.longest, 2000)
    shortest = node.shortest
    long_text = (_LONG * (longest // len(_LONG) + 1))[:longest]
    candidates = [
        *_edges_of_format(node),
        *load("edges")["hostile_texts"],
        long_text,
        "é" * longest,
        "x" * shortest,
        "ñ" * shortest,
    ]
    if node.longest is None or node.longest > shortest:
        candidates.append("y" * (shortest + 1))
    return tuple(text for text in dict.fromkeys(candidates) if is_valid(text))


def edge_texts(node: StringNode, kind: str | None, is_valid: Test) -> tuple[str, ...]:
    """Return unusual strings that the node allows: the far ends of its format, names with accents and apostrophes."""
    candidates = (*_edges_of_format(node), *(split_values(RECORDS[kind].edges) if kind in RECORDS else ()))
    return tuple(text for text in dict.fromkeys(candidates) if is_valid(text))


def _edges_of_format(node: StringNode) -> list[str]:
    """Return the texts in edges.yaml for the format of a node."""
    edges: list[str] = load("edges")["formats"].get(node.format, [])
    return edges


def one_of(options: Sequence[Maker]) -> Maker:
    """Return a maker that takes one of others."""
    chosen = tuple(options)
    return lambda draw: draw.choice(chosen)(draw)


def make_hostile_text(node: StringNode) -> Maker:
    """Return a maker of texts in all scripts; with a pattern or format, also typical texts of that form."""
    is_valid = tester(node.schema)
    edges = hostile_texts(node, is_valid)
    options = [choose_from(edges)] if edges else []
    formed = None if node.patterns or (node.longest or _ROOMY) < _ROOMY else _format_makers().get(node.format or "")
    fitted = (fit_maker(make, is_valid, _MANY) for make in (*text_writers(node), *([formed] if formed else [])))
    options += [make for make in fitted if make is not None][-1:]
    if node.patterns or node.format is not None:
        return one_of([*options, make_text(node, ArgumentLocation(""), Hints(seed=0))])
    shortest, longest = node.shortest, node.shortest + _LONGEST
    longest = longest if node.longest is None else min(node.longest, longest)
    letters = [choose_from(tuple(page)) for page in _alphabets()]
    makers = [letters[0], letters[0], one_of(letters), one_of(letters), *letters[1:]]
    if node.longest is None:
        makers += [choose_from(tuple(load("edges")["pieces"]))] * 2

    def write(draw: Draw) -> str:
        letter = draw.choice(makers)
        return "".join([letter(draw) for _ in range(draw.between(shortest, longest))])

    return one_of([*options, write, write, write, write])


_ROOMY = 60
_LONGEST = 40
_MANY = 0.5


def make_hostile_number(node: NumberNode) -> Maker:
    """Return a maker of numbers: at the bounds, small ones, and any others."""
    edges, others = edge_numbers(node), make_any_number(node)
    usual = fit_maker(others, lambda value: allows(node, value), 0.0) or others
    return one_of([choose_from(edges), usual]) if edges else usual


def hostile_anything(draw: Draw) -> Any:
    """Return any JSON value of small depth."""
    kind = draw.below(4)
    if kind < 2:
        return _scalar(draw)
    items = [_scalar(draw) for _ in range(draw.below(5))]
    return items if kind == 2 else {draw.choice(load("edges")["names"]): item for item in items}


def _scalar(draw: Draw) -> Any:
    """Return a null, boolean, number or text."""
    return draw.choice(_scalars())(draw)


@cache
def _scalars() -> tuple[Maker, ...]:
    """Return the makers of nulls and booleans, of numbers and of texts."""
    text, number = make_hostile_text(StringNode({"type": "string"})), make_hostile_number(NumberNode({}, True))
    return (choose_from((None, False, True)), number, text)


@cache
def _alphabets() -> tuple[str, ...]:
    """Return the letters of each script in edges.yaml, written there as ranges: `az09` stands for a to z and 0 to 9."""
    return tuple(
        "".join(
            chr(code)
            for first, last in zip(page[::2], page[1::2], strict=True)
            for code in range(ord(first), ord(last) + 1)
        )
        for page in load("edges")["letters"]
    )


@cache
def _format_makers() -> dict[str, Maker]:
    """Return format → maker of texts that match the format's pattern in edges.yaml."""
    writers = {
        name: compile_letters(read_pattern(pattern), _LONGEST)
        for name, pattern in load("edges")["format_patterns"].items()
    }
    writers |= {"idn-email": writers["email"], "iri": writers["uri"], "iri-reference": writers["uri-reference"]}
    return {name: writer(write) for name, write in writers.items()}


_NULL_SHARE = 0.15
_DECLINED = 0.25
"""How often an optional argument that may be false or null has any of its values; otherwise it has one of the others."""
_LONGEST_LIST = 12
_DEEP = 3
_ENOUGH = 2


class Odds(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities that a recipe sets."""

    edge_cases: float = 0.0
    optional: float = 0.4
    is_hostile: bool = False
    """Whether values are made to break parsers: Hypothesis draws the choices then."""


def compile_realistic(
    schema: Schema, location: ArgumentLocation, hints: Hints, odds: Odds
) -> tuple[Maker, dict[str, Maker]]:
    """Return a maker of values, and the makers of its parts by slot."""
    compiler = _Compiler(hints, odds)
    return compiler.compile(schema.root, location), compiler.makers


class _Compiler:
    """One schema being compiled."""

    def __init__(self, hints: Hints, odds: Odds) -> None:
        self.hints = hints
        self.odds = odds
        self.makers: dict[str, Maker] = {}
        self.nested = 0
        """The number of lists around the place that is being compiled."""

    def compile(self, node: Node, location: ArgumentLocation) -> Maker:
        """Return the maker for a node whose value stands at a location."""
        if location.slot in self.hints.makers:
            maker = self.hints.makers[location.slot]
        elif location.slot in self.hints.choose:
            maker = pick_from(self.hints.choose[location.slot])
        elif examples := _examples_for(node, self.hints.examples.get(location.slot, ())):
            maker = pick_from(examples)
        else:
            maker = _COMPILERS[type(node)](self, node, location)
        self.makers[location.slot] = maker
        return maker

    def fixed(self, node: EnumNode, location: ArgumentLocation) -> Maker:
        """Return a maker of the values of an enum; examples that name a value twice weigh it."""
        weighted = _examples_for(node, node.note.examples)
        # examples that have a value twice say how often each comes
        return pick_from(weighted if len({*map(mark_of, weighted)}) < len(weighted) else node.values)

    def nothing(self, node: NothingNode, location: ArgumentLocation) -> Maker:
        """Raise SchemaError: there is no value to make."""
        raise SchemaError(f"{node.note.pointer or '/'}: no value satisfies this schema")

    def text(self, node: StringNode, location: ArgumentLocation) -> Maker:
        """Return a maker of strings: what hints and the format suggest, and now and then a boundary value."""
        if self.odds.is_hostile:
            return make_hostile_text(node)
        usual_maker = make_text(node, location, self.hints)
        examples = self.hints.examples.get(location.slot, ())
        if takes_commas({**node.schema, "description": node.note.description}) and "," not in "".join(
            map(str, examples)
        ):
            usual_maker = fit_maker(_maker_of_comma_lists(usual_maker), tester(node.schema), 0.3) or usual_maker
        if examples:
            return usual_maker  # whoever gives examples knows what is meant
        kind = self.hints.kinds.get(location.slot) or kind_of_name(location.name, location.parents, False)
        if node.format == "date" and len(node.schema) == 2:  # its edges depend on today
            return self.with_boundary_days(usual_maker, kind)
        return self.with_boundary_values(usual_maker, lambda: edge_texts(node, kind, tester(node.schema)))

    def number(self, node: NumberNode, location: ArgumentLocation) -> Maker:
        """Return a maker of numbers: usual ones, and now and then a boundary value."""
        if self.odds.is_hostile:
            return make_hostile_number(node)
        return self.with_boundary_values(make_numeric(node, location, self.hints), lambda: edge_numbers(node))

    def with_boundary_values(self, usual_maker: Maker, edges: Callable[[], tuple[Any, ...]]) -> Maker:
        """Return a maker of boundary values, taken with the probability that the recipe sets."""
        share = self.odds.edge_cases
        values = edges() if share > 0 else ()
        return usual_maker if not values else _maker_of_either(choose_from(values), usual_maker, share)

    def with_boundary_days(self, usual_maker: Maker, kind: str | None) -> Maker:
        """Return a maker that takes a day at the end of a month or year with the probability that the recipe sets, else a usual one."""
        share = self.odds.edge_cases
        days_of_kind = RECORDS[kind].when if kind in RECORDS else None
        unusual = make_edge_date(days_of_kind or self.hints.when)
        return _maker_of_either(unusual, usual_maker, share) if share > 0 else usual_maker

    def anything(self, node: AnythingNode, location: ArgumentLocation) -> Maker:
        """Return a maker for a schema that allows any value: mostly texts, some whole numbers and booleans."""
        if self.odds.is_hostile:
            return hostile_anything
        text = make_text(StringNode({"type": "string"}, note=node.note), location, self.hints)
        whole = make_numeric(NumberNode({"type": "integer"}, True), location, self.hints)
        options = (text, text, text, whole, lambda draw: draw.rand() < 0.5)
        return lambda draw: options[int(draw.rand() * 5)](draw)

    def choice(self, node: ChoiceNode, location: ArgumentLocation) -> Maker:
        """Return a maker that takes one of the branches of `anyOf` or `oneOf`; null seldom."""
        options: list[Maker] = []
        nulls: list[Maker] = []
        is_valid = fits_all((node.only_one_of,)) if node.only_one_of else None
        for branch in node.branches:
            branch_maker = self.compile(branch, location)
            maker = branch_maker if is_valid is None else fit_maker(branch_maker, is_valid, 0.0)
            if maker is None:
                continue
            (nulls if isinstance(branch, EnumNode) and branch.values == (None,) else options).append(maker)
        if not options and not nulls:
            raise SchemaError(f"{node.note.pointer}/oneOf: no value was found that fits only one of the schemas")
        if not options or not nulls:
            return _one_of(tuple(options or nulls))
        return _maker_of_either(nulls[0], _one_of(tuple(options)), _NULL_SHARE)

    def checked(self, node: CheckedNode, location: ArgumentLocation) -> Maker:
        """Return a maker of values that also pass the checks that nodes cannot express."""
        unchecked_maker, fits = self.compile(node.node, location), fits_all(node.schemas)
        maker = unchecked_maker if fits is None else fit_maker(unchecked_maker, fits, 0.0)
        if maker is None:
            words = ", ".join(
                repr(word) for schema in node.schemas for word in schema if word[0] != "$" and word != "definitions"
            )
            raise SchemaError(f"{node.note.pointer or '/'}: no value was found that satisfies {words}")
        return maker

    def array(self, node: ArrayNode, location: ArgumentLocation) -> Maker:
        """Return a maker of lists, whose items stand at `*` below the list."""
        below = ArgumentLocation(location.name, location.parents, joined(location.slot, "*"))
        self.nested += 1
        try:
            return self.list_maker(node, below)
        finally:
            self.nested -= 1

    def list_maker(self, node: ArrayNode, location: ArgumentLocation) -> Maker:
        """Return a maker of lists whose items stand at `location`."""
        prefix = [self.compile(part, location) for part in node.prefix]
        item = self.compile(node.items, location) if node.most is None or node.most > len(prefix) else None
        most = max(node.fewest, _LONGEST_LIST) if node.most is None else max(node.fewest, min(node.most, _LONGEST_LIST))
        usual_low = max(node.fewest, min(1, most), min(len(prefix), most))
        usual = (usual_low, max(usual_low, min(most, max(3, node.fewest + 2))))
        extremes = (node.fewest, most)
        share = self.odds.edge_cases
        # people name days and the like in their usual order
        ranks = _index_by_value(node.items) if node.unique and not prefix else {}
        usual, extremes = self.lengths(node, usual, extremes)
        finish = self.required_items(node, prefix, item, location)
        return make_list(ArgumentListShape(*usual, share, extremes, node.unique, ranks), prefix, item, finish)

    def lengths(
        self, node: ArrayNode, usual: tuple[int, int], extremes: tuple[int, int]
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the lengths of lists; nested ones are short, so that values do not grow without bound."""
        if self.nested > _DEEP:
            return (usual[0], usual[0]), (node.fewest, max(node.fewest, min(extremes[1], 1)))
        return usual, extremes if self.nested == 1 else (extremes[0], max(node.fewest, min(extremes[1], 3)))

    def required_items(
        self, node: ArrayNode, prefix: list[Maker], item: Maker | None, item_location: ArgumentLocation
    ) -> Finish | None:
        """Return a function that puts required items into lists (`contains`, an item twice, many different ones)."""
        wanted = [
            ContainedItems(
                tuple(self.possible(part, item_location) for part in contained.places[: len(prefix)]),
                self.possible(contained.items, item_location) if item is not None else None,
                fits_all((contained.schema,)) or (lambda value: True),
                contained.fewest,
                contained.most,
            )
            for contained in node.contains
        ]
        spare = spare_items(node.items) if node.unique and node.fewest > _ENOUGH else None
        if not wanted and not node.repeats and spare is None:
            return None
        return finish_list(wanted, item, len(prefix), (node.fewest, node.most), node.repeats, spare)

    def possible(self, node: Node, location: ArgumentLocation) -> Maker | None:
        """Return the maker for a node; None if no value can be made, which is allowed for optional parts."""
        try:
            return self.compile(node, location)
        except SchemaError:
            return None

    def object(self, node: ObjectNode, location: ArgumentLocation) -> Maker:
        """Return a maker of objects: declared properties, and undeclared ones where the schema has rules for them or needs them."""
        fields: list[tuple[str, Maker, bool]] = []
        for part in node.properties:
            maker = self.property(part, _location_of_property(location, part))
            fields += [] if maker is None else [(part.name, maker, part.required)]
        families = self.families(node, location)
        if families:
            most = len(fields) + 3 if node.most is None else node.most
            always_open = not node.properties
            return family_object(
                tuple(fields), self.odds.optional, (node.fewest, max(node.fewest, most)), families, always_open
            )
        extra = self.extras(node, location, len(fields))
        required_count = sum(required for _, _, required in fields)
        if extra is None and node.fewest <= required_count and (node.most is None or node.most >= len(fields)):
            return simple_object_maker(tuple(fields), self.odds.optional)
        most = len(fields) + 3 if node.most is None else node.most
        names = load("edges")["names"] if self.odds.is_hostile else PROPERTY_NAMES
        return counted_object(tuple(fields), self.odds.optional, (node.fewest, most), extra, tuple(names))

    def property(self, part: Property, location: ArgumentLocation) -> Maker | None:
        """Return the maker of one value; None if there is nothing that people would say.

        People who give an argument that they need not give seldom say "no", and "none" only where there are words for it.
        """
        node = part.node
        is_named = location.slot in self.hints.with_null
        if not (part.required or is_named) and self.hints.is_said and isinstance(node, ChoiceNode):
            others = tuple([one for one in node.branches if not (isinstance(one, EnumNode) and one.values == (None,))])
            if not others:
                return None
            node = msgspec.structs.replace(node, branches=others)
        maker = self.compile(node, location)
        if part.required or not self.hints.is_said or not isinstance(part.node, EnumNode):
            return maker
        hints = self.hints
        usual = tuple([value for value in part.node.values if value is not False and value is not None])
        is_chosen = location.slot in hints.makers or location.slot in hints.choose or location.slot in hints.examples
        if is_chosen or not 0 < len(usual) < len(part.node.values):
            return maker
        self.makers[location.slot] = maker = _maker_of_either(maker, pick_from(usual), _DECLINED)
        return maker

    def families(self, node: ObjectNode, place: ArgumentLocation) -> tuple[tuple[str, Maker], ...]:
        """Return the names of undeclared properties with the makers of their values."""
        named: list[tuple[str, Maker]] = []
        for family in node.families:
            maker = self.possible(family.node, ArgumentLocation(place.name, place.parents, joined(place.slot, "*")))
            named += [] if maker is None else [(name, maker) for name in family.names]
        return tuple(named)

    def extras(self, node: ObjectNode, location: ArgumentLocation, declared_count: int) -> Maker | None:
        """Return the maker of undeclared properties' values, where some are expected."""
        needed = node.fewest > declared_count
        is_open = not node.properties and (node.is_map or location.slot != "")
        if node.extra is None or not (needed or is_open):
            return None
        return self.compile(node.extra, ArgumentLocation(location.name, location.parents, joined(location.slot, "*")))


_COMPILERS: dict[type[Any], Callable[[_Compiler, Any, ArgumentLocation], Maker]] = {
    AnythingNode: _Compiler.anything,
    NothingNode: _Compiler.nothing,
    EnumNode: _Compiler.fixed,
    NumberNode: _Compiler.number,
    CheckedNode: _Compiler.checked,
    StringNode: _Compiler.text,
    ArrayNode: _Compiler.array,
    ObjectNode: _Compiler.object,
    ChoiceNode: _Compiler.choice,
}


def _index_by_value(node: Node) -> dict[Any, int]:
    """Return the text values of an enum with their index in it."""
    if not isinstance(node, EnumNode) or not all(isinstance(value, str) for value in node.values):
        return {}
    return {value: place for place, value in enumerate(node.values)}


def _examples_for(node: Node, examples: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the examples of whole lists, objects and enums; makers of texts and numbers choose theirs."""
    if isinstance(node, EnumNode):
        return tuple(value for value in examples if any(mark_of(value) == mark_of(known) for known in node.values))
    kinds = {ArrayNode: list, ObjectNode: dict}
    kind = kinds.get(type(node))
    return () if kind is None else tuple(value for value in examples if isinstance(value, kind))


def _location_of_property(location: ArgumentLocation, part: Property) -> ArgumentLocation:
    """Return where a property of the object at a location stands."""
    parents = (location.name, *location.parents[:1]) if location.name else location.parents
    return ArgumentLocation(part.name, parents, joined(location.slot, part.name))


def _maker_of_either(unusual: Maker, usual: Maker, share: float) -> Maker:
    """Return a maker that takes the unusual with probability `share`, else the usual."""
    return lambda draw: unusual(draw) if draw.rand() < share else usual(draw)


def _maker_of_comma_lists(make: Maker) -> Maker:
    """Return a maker of texts that list one to three of these with commas."""

    def make_list(draw: Draw) -> str:
        drawn = [str(make(draw)) for _ in range(draw.between(1, 3))]
        return ",".join(dict.fromkeys([text for text in drawn if "," not in text] or drawn[:1]))

    return make_list


def _one_of(options: tuple[Maker, ...]) -> Maker:
    """Return a maker that takes one of the options."""
    count = len(options)
    return options[0] if count == 1 else lambda draw: options[int(draw.rand() * count)](draw)
