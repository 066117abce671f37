"""The default source: a schema compiled once into closures that make values a person might have meant.

Under `is_hostile` they are made to break parsers instead: at the limits of the schema, in all scripts.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec
import orjson

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
    found = [
        *_edges_of_format(node),
        *load("edges")["hostile_texts"],
        long_text,
        "é" * longest,
        "x" * shortest,
        "ñ" * shortest,
    ]
    if node.longest is None or node.longest > shortest:
        found.append("y" * (shortest + 1))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))


def edge_texts(node: StringNode, kind: str | None, is_valid: Test) -> tuple[str, ...]:
    """Return unusual strings that the node allows: the far ends of its format, names with accents and apostrophes."""
    found = (*_edges_of_format(node), *(split_values(RECORDS[kind].edges) if kind in RECORDS else ()))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))


def _edges_of_format(node: StringNode) -> list[str]:
    found: list[str] = load("edges")["formats"].get(node.format, [])
    return found


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

    def written(draw: Draw) -> str:
        letter = draw.choice(makers)
        return "".join([letter(draw) for _ in range(draw.between(shortest, longest))])

    return one_of([*options, written, written, written, written])


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
    return items if kind == 2 else {draw.choice(load("edges")["names"]): one for one in items}


def _scalar(draw: Draw) -> Any:
    return draw.choice(_scalars())(draw)


@cache
def _scalars() -> tuple[Maker, ...]:
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
    found = {
        name: compile_letters(read_pattern(pattern), _LONGEST)
        for name, pattern in load("edges")["format_patterns"].items()
    }
    found |= {"idn-email": found["email"], "iri": found["uri"], "iri-reference": found["uri-reference"]}
    return {name: writer(write) for name, write in found.items()}


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
    schema: Schema, place: ArgumentLocation, hints: Hints, odds: Odds
) -> tuple[Maker, dict[str, Maker]]:
    """Return a maker of values, and the makers of its parts by slot."""
    compiler = _Compiler(hints, odds)
    return compiler.compile(schema.root, place), compiler.makers


class _Compiler:
    """One schema being compiled."""

    def __init__(self, hints: Hints, odds: Odds) -> None:
        self.hints = hints
        self.odds = odds
        self.makers: dict[str, Maker] = {}
        self.nested = 0
        """The number of lists around the place that is being compiled."""

    def compile(self, node: Node, place: ArgumentLocation) -> Maker:
        """Return the maker for a node standing at `place`."""
        if place.slot in self.hints.makers:
            maker = self.hints.makers[place.slot]
        elif place.slot in self.hints.choose:
            maker = _fresh(self.hints.choose[place.slot])
        elif examples := _examples_for(node, self.hints.examples.get(place.slot, ())):
            maker = _fresh(examples)
        else:
            maker = _COMPILERS[type(node)](self, node, place)
        self.makers[place.slot] = maker
        return maker

    def fixed(self, node: EnumNode, place: ArgumentLocation) -> Maker:
        """Return a maker of the values of an enum; examples that name a value twice weigh it."""
        weighted = _examples_for(node, node.note.examples)
        # examples that have a value twice say how often each comes
        return _fresh(weighted if len({*map(mark_of, weighted)}) < len(weighted) else node.values)

    def nothing(self, node: NothingNode, place: ArgumentLocation) -> Maker:
        raise SchemaError(f"{node.note.pointer or '/'}: no value satisfies this schema")

    def text(self, node: StringNode, place: ArgumentLocation) -> Maker:
        """Return a maker of strings: what hints and the format suggest, and now and then a boundary value."""
        if self.odds.is_hostile:
            return make_hostile_text(node)
        usual = make_text(node, place, self.hints)
        examples = self.hints.examples.get(place.slot, ())
        if takes_commas({**node.schema, "description": node.note.description}) and "," not in "".join(
            map(str, examples)
        ):
            usual = fit_maker(_with_commas(usual), tester(node.schema), 0.3) or usual
        if examples:
            return usual  # whoever gives examples knows what is meant
        kind = self.hints.kinds.get(place.slot) or kind_of_name(place.name, place.parents, False)
        if node.format == "date" and len(node.schema) == 2:  # its edges depend on today
            return self.with_edge_days(usual, kind)
        return self.with_edges(usual, lambda: edge_texts(node, kind, tester(node.schema)))

    def number(self, node: NumberNode, place: ArgumentLocation) -> Maker:
        if self.odds.is_hostile:
            return make_hostile_number(node)
        return self.with_edges(make_numeric(node, place, self.hints), lambda: edge_numbers(node))

    def with_edges(self, usual: Maker, edges: Callable[[], tuple[Any, ...]]) -> Maker:
        """Return a maker of boundary values, taken with the probability that the recipe sets."""
        share = self.odds.edge_cases
        values = edges() if share > 0 else ()
        return usual if not values else _sometimes(choose_from(values), usual, share)

    def with_edge_days(self, usual: Maker, kind: str | None) -> Maker:
        share = self.odds.edge_cases
        known = RECORDS[kind].when if kind in RECORDS else None
        unusual = make_edge_date(known or self.hints.when)
        return _sometimes(unusual, usual, share) if share > 0 else usual

    def anything(self, node: AnythingNode, place: ArgumentLocation) -> Maker:
        """Return a maker for a schema that allows any value: mostly texts, some whole numbers and booleans."""
        if self.odds.is_hostile:
            return hostile_anything
        text = make_text(StringNode({"type": "string"}, note=node.note), place, self.hints)
        whole = make_numeric(NumberNode({"type": "integer"}, True), place, self.hints)
        options = (text, text, text, whole, lambda draw: draw.rand() < 0.5)
        return lambda draw: options[int(draw.rand() * 5)](draw)

    def choice(self, node: ChoiceNode, place: ArgumentLocation) -> Maker:
        """Return a maker that takes one of the branches of `anyOf` or `oneOf`; null seldom."""
        options: list[Maker] = []
        nulls: list[Maker] = []
        is_valid = fits_all((node.only_one_of,)) if node.only_one_of else None
        for branch in node.branches:
            made = self.compile(branch, place)
            maker = made if is_valid is None else fit_maker(made, is_valid, 0.0)
            if maker is None:
                continue
            (nulls if isinstance(branch, EnumNode) and branch.values == (None,) else options).append(maker)
        if not options and not nulls:
            raise SchemaError(f"{node.note.pointer}/oneOf: no value was found that fits only one of the schemas")
        if not options or not nulls:
            return _one_of(tuple(options or nulls))
        return _sometimes(nulls[0], _one_of(tuple(options)), _NULL_SHARE)

    def checked(self, node: CheckedNode, place: ArgumentLocation) -> Maker:
        """Return a maker of values that also pass the checks that nodes cannot express."""
        made, fits = self.compile(node.node, place), fits_all(node.schemas)
        maker = made if fits is None else fit_maker(made, fits, 0.0)
        if maker is None:
            words = ", ".join(
                repr(word) for schema in node.schemas for word in schema if word[0] != "$" and word != "definitions"
            )
            raise SchemaError(f"{node.note.pointer or '/'}: no value was found that satisfies {words}")
        return maker

    def array(self, node: ArrayNode, place: ArgumentLocation) -> Maker:
        below = ArgumentLocation(place.name, place.parents, joined(place.slot, "*"))
        self.nested += 1
        try:
            return self.list_maker(node, below)
        finally:
            self.nested -= 1

    def list_maker(self, node: ArrayNode, below: ArgumentLocation) -> Maker:
        """Return a maker of lists whose items stand at `below`."""
        prefix = [self.compile(part, below) for part in node.prefix]
        item = self.compile(node.items, below) if node.most is None or node.most > len(prefix) else None
        most = max(node.fewest, _LONGEST_LIST) if node.most is None else max(node.fewest, min(node.most, _LONGEST_LIST))
        usual_low = max(node.fewest, min(1, most), min(len(prefix), most))
        usual = (usual_low, max(usual_low, min(most, max(3, node.fewest + 2))))
        extremes = (node.fewest, most)
        share = self.odds.edge_cases
        # people name days and the like in their usual order
        ranks = _ranks(node.items) if node.unique and not prefix else {}
        usual, extremes = self.lengths(node, usual, extremes)
        finish = self.required_items(node, prefix, item, below)
        return make_list(ArgumentListShape(*usual, share, extremes, node.unique, ranks), prefix, item, finish)

    def lengths(
        self, node: ArrayNode, usual: tuple[int, int], extremes: tuple[int, int]
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the lengths of lists; nested ones are short, so that values do not grow without bound."""
        if self.nested > _DEEP:
            return (usual[0], usual[0]), (node.fewest, max(node.fewest, min(extremes[1], 1)))
        return usual, extremes if self.nested == 1 else (extremes[0], max(node.fewest, min(extremes[1], 3)))

    def required_items(
        self, node: ArrayNode, prefix: list[Maker], item: Maker | None, below: ArgumentLocation
    ) -> Finish | None:
        """Return a function that puts required items into lists (`contains`, an item twice, many different ones)."""
        wanted = [
            ContainedItems(
                tuple(self.possible(part, below) for part in asked.places[: len(prefix)]),
                self.possible(asked.items, below) if item is not None else None,
                fits_all((asked.schema,)) or (lambda value: True),
                asked.fewest,
                asked.most,
            )
            for asked in node.contains
        ]
        spare = spare_items(node.items) if node.unique and node.fewest > _ENOUGH else None
        if not wanted and not node.repeats and spare is None:
            return None
        return finish_list(wanted, item, len(prefix), (node.fewest, node.most), node.repeats, spare)

    def possible(self, node: Node, place: ArgumentLocation) -> Maker | None:
        """Return the maker for a node; None if no value can be made, which is allowed for optional parts."""
        try:
            return self.compile(node, place)
        except SchemaError:
            return None

    def object(self, node: ObjectNode, place: ArgumentLocation) -> Maker:
        """Return a maker of objects: declared properties, and undeclared ones where the schema has rules for them or needs them."""
        fields: list[tuple[str, Maker, bool]] = []
        for part in node.properties:
            maker = self.property(part, _below(place, part))
            fields += [] if maker is None else [(part.name, maker, part.required)]
        families = self.families(node, place)
        if families:
            most = len(fields) + 3 if node.most is None else node.most
            always_open = not node.properties
            return family_object(
                tuple(fields), self.odds.optional, (node.fewest, max(node.fewest, most)), families, always_open
            )
        extra = self.extras(node, place, len(fields))
        always = sum(required for _, _, required in fields)
        if extra is None and node.fewest <= always and (node.most is None or node.most >= len(fields)):
            return simple_object_maker(tuple(fields), self.odds.optional)
        most = len(fields) + 3 if node.most is None else node.most
        names = load("edges")["names"] if self.odds.is_hostile else PROPERTY_NAMES
        return counted_object(tuple(fields), self.odds.optional, (node.fewest, most), extra, tuple(names))

    def property(self, part: Property, place: ArgumentLocation) -> Maker | None:
        """Return the maker of one value; None if there is nothing that people would say.

        People who give an argument that they need not give seldom say "no", and "none" only where there are words for it.
        """
        node = part.node
        is_named = place.slot in self.hints.with_null
        if not (part.required or is_named) and self.hints.is_said and isinstance(node, ChoiceNode):
            told = tuple([one for one in node.branches if not (isinstance(one, EnumNode) and one.values == (None,))])
            if not told:
                return None
            node = msgspec.structs.replace(node, branches=told)
        maker = self.compile(node, place)
        if part.required or not self.hints.is_said or not isinstance(part.node, EnumNode):
            return maker
        hints = self.hints
        yes = tuple([value for value in part.node.values if value is not False and value is not None])
        is_told = place.slot in hints.makers or place.slot in hints.choose or place.slot in hints.examples
        if is_told or not 0 < len(yes) < len(part.node.values):
            return maker
        self.makers[place.slot] = maker = _sometimes(maker, _fresh(yes), _DECLINED)
        return maker

    def families(self, node: ObjectNode, place: ArgumentLocation) -> tuple[tuple[str, Maker], ...]:
        """Return the names of undeclared properties with the makers of their values."""
        found: list[tuple[str, Maker]] = []
        for family in node.families:
            maker = self.possible(family.node, ArgumentLocation(place.name, place.parents, joined(place.slot, "*")))
            found += [] if maker is None else [(name, maker) for name in family.names]
        return tuple(found)

    def extras(self, node: ObjectNode, place: ArgumentLocation, declared: int) -> Maker | None:
        """Return the maker of undeclared properties' values, where some are expected."""
        needed = node.fewest > declared
        is_open = not node.properties and (node.is_map or place.slot != "")
        if node.extra is None or not (needed or is_open):
            return None
        return self.compile(node.extra, ArgumentLocation(place.name, place.parents, joined(place.slot, "*")))


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


def _ranks(node: Node) -> dict[Any, int]:
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


def _below(place: ArgumentLocation, part: Property) -> ArgumentLocation:
    parents = (place.name, *place.parents[:1]) if place.name else place.parents
    return ArgumentLocation(part.name, parents, joined(place.slot, part.name))


def _sometimes(unusual: Maker, usual: Maker, share: float) -> Maker:
    """Return a maker that takes the unusual with probability `share`, else the usual."""
    return lambda draw: unusual(draw) if draw.rand() < share else usual(draw)


def _fresh(values: tuple[Any, ...]) -> Maker:
    """Return a maker that picks a value; objects and lists are copied."""
    if not any(isinstance(value, dict | list) for value in values):
        return choose_from(values)
    written = choose_from(tuple(orjson.dumps(value) for value in values))
    return lambda draw: orjson.loads(written(draw))


def _with_commas(make: Maker) -> Maker:
    """Return a maker of texts that list one to three of these with commas."""

    def make_list(draw: Draw) -> str:
        drawn = [str(make(draw)) for _ in range(draw.between(1, 3))]
        return ",".join(dict.fromkeys([text for text in drawn if "," not in text] or drawn[:1]))

    return make_list


def _one_of(options: tuple[Maker, ...]) -> Maker:
    count = len(options)
    return options[0] if count == 1 else lambda draw: options[int(draw.rand() * count)](draw)
