"""Makers of single values: the most specific hint whose values the schema allows decides what a value looks like.

Everything is decided when a schema is compiled, by testing candidates against it; drawing is an index into a tuple
where possible.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import Any

import msgspec
import orjson

from generator.arguments.kinds.names import form_of_description, kind_of_description, kind_of_name
from generator.arguments.kinds.records import RECORDS, UsualNumbers, kinds_by, split_values
from generator.arguments.reading.nodes import NumberNode, StringNode
from generator.arguments.reading.patterns import Write, compile_letters, compile_pattern, read_pattern
from generator.arguments.sampling.days import ALL_TIMES
from generator.arguments.sampling.numbers import Maker, allows, make_number
from generator.arguments.vocabulary.kinds import KINDS, DrawnValues, Pool, ValueMaker
from generator.arguments.vocabulary.prepared import Locale
from generator.arguments.vocabulary.words import WORDS, load
from generator.core.errors import SchemaError
from generator.core.exact_json import loads
from generator.core.offline_schemas import validator
from generator.core.seeds import Draw

Test = Callable[[Any], bool]


class ArgumentLocation(msgspec.Struct, frozen=True):
    """Where a value stands."""

    name: str
    """Name of the property, or of the list it is an item of."""
    parents: tuple[str, ...] = ()
    """Names around it, the nearest first."""
    slot: str = ""
    """Its pointer without the leading slash, `*` for any item."""


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the values beside the schema."""

    seed: int
    locale: Locale = ()
    when: str | None = None
    is_said: bool = True
    """Whether a person names the values (and so prefers round figures)."""
    choose: dict[str, tuple[Any, ...]] = {}
    """Slot → values, stronger than everything else."""
    makers: dict[str, Maker] = {}
    """Slot → maker from another source."""
    own_kinds: dict[str, str] = {}
    """Slot → kind, as a recipe wants it."""
    examples: dict[str, tuple[Any, ...]] = {}
    kinds: dict[str, str] = {}
    patterns: dict[str, str] = {}
    """Slot → regular expression of its values."""
    with_null: frozenset[str] = frozenset()
    """Slots for whose null people have words."""


_FORMATS = kinds_by("formats")
_SHAPES = tuple([name for name, record in RECORDS.items() if record.has_shape])
_IN_SHAPES = re.compile(r"[0-9A-Fa-f#:TZ+ .-]*")
"""The characters of dates, times, colours and UUIDs; most patterns are of identifiers with other letters."""
_NOT_SHAPED = ("Oslo", "abc", "12", "A1-B2", "2026", "some words")
_QUOTED_EXAMPLE = re.compile(r"\b(?:e\.g\.|for example|such as),?:? *['\"‘“`]([^'\"’”`]{1,60})['\"’”`]", re.IGNORECASE)
_ENOUGH = 8
_TRIALS = 40
_REDRAWS = 60
_RAW = 10
_STRETCHES = ((6, 0), (20, 0), (64, 0), (256, 0))


def make_text(node: StringNode, location: ArgumentLocation, hints: Hints) -> Maker:
    """Return a maker of strings that the node allows."""
    is_valid, schema = tester(node.schema), json.dumps(node.schema)
    for candidate in _text_candidates(node, location, hints):
        if isinstance(candidate, tuple):
            fitting = _allowed_texts(candidate, is_valid)
            maker = choose_from(fitting) if fitting else None
        else:
            maker = _fit_kind(candidate, schema, hints.when, hints.seed, hints.locale)
        if maker is not None:
            return maker
    for maker in (*text_writers(node), *_makers_by_length(node)):
        fitted = fit_maker(maker, is_valid, 0.02)
        if fitted is not None:
            return fitted
    raise SchemaError(f"{node.note.pointer or '/'}: no text was found that satisfies {_text_rules(node)}")


def make_numeric(node: NumberNode, location: ArgumentLocation, hints: Hints) -> Maker:
    """Return a maker of numbers that the node allows."""
    allowed_examples = tuple(value for value in node.note.examples if _is_number(value) and allows(node, value))
    for values in _chosen_values(location, hints, allowed_examples if len(allowed_examples) > 2 else ()):
        fitting = tuple(value for value in values if _is_number(value) and allows(node, value))
        if fitting:
            return choose_from(fitting)
    for name in _number_kinds(node, location, hints):
        kind = KINDS.get(name or "")
        if isinstance(kind, UsualNumbers):
            return make_number(node, kind, hints.is_said)
        if isinstance(kind, DrawnValues):
            maker = fit_maker(kind.make(hints.when), lambda value: _is_number(value) and allows(node, value), 0.3)
            if maker is not None:
                return maker
    is_open = node.low is None or node.high is None
    return choose_from(allowed_examples) if allowed_examples and is_open else make_number(node, None, hints.is_said)


def choose_from(values: tuple[Any, ...]) -> Maker:
    """Return a maker that takes one of the values."""
    count = len(values)
    only_value = values[0]
    return (lambda draw: only_value) if count == 1 else lambda draw: values[int(draw.rand() * count)]


def pick_from(values: tuple[Any, ...], weights: tuple[float, ...] = ()) -> Maker:
    """Return a maker that takes one of the values, by weight; objects and lists are copied."""
    if any(isinstance(value, dict | list) for value in values):
        pick_json = pick_from(tuple(orjson.dumps(value) for value in values), weights)
        return lambda draw: orjson.loads(pick_json(draw))
    if not weights:
        return choose_from(values)
    bounds = tuple(accumulate(weights))
    last = len(values) - 1
    return lambda draw: values[min(bisect_right(bounds, draw.rand() * bounds[-1]), last)]


def tester(schema: dict[str, Any]) -> Test:
    """Return a test of whether a value is valid, formats asserted."""
    return _tester(json.dumps(schema))


@lru_cache(maxsize=1024)
def _tester(schema: str) -> Test:
    """Return the test for a schema written as JSON; many arguments share a small one."""
    try:
        return validator(loads(schema)).is_valid
    except ValueError as fault:
        raise SchemaError(f"/: {str(fault).splitlines()[0]}") from None


def fits_all(schemas: tuple[dict[str, Any], ...]) -> Test | None:
    """Return a test of whether a value satisfies all schemas; None when there is no way to test (whole values are tested anyway)."""
    try:
        tests = [validator(schema).is_valid for schema in schemas]
    except ValueError:
        return None
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _trial_draw() -> Draw:
    """Return the same draws for each trial."""
    return Draw(20260301, date(2026, 3, 1))


def fit_maker(make: Maker, is_valid: Test, enough: float) -> Maker | None:
    """Return the maker itself if all its values are valid; with redraws if enough of them are; else None."""
    draw = _trial_draw()
    good = sum(is_valid(make(draw)) for _ in range(_TRIALS))
    if good == _TRIALS:
        return make
    if good < enough * _TRIALS or not good:
        return None

    def redraw(draw: Draw) -> Any:
        """Make a value, again while it is invalid, a limited number of times."""
        value = make(draw)
        for _ in range(_REDRAWS):
            if is_valid(value):
                break
            value = make(draw)
        return value

    return redraw


def _text_candidates(node: StringNode, place: ArgumentLocation, hints: Hints) -> Iterator[ValueMaker | tuple[Any, ...]]:
    """Yield makers of this text, or tuples of values, the most specific first; each is used only if the schema allows its values."""
    yield from (values for values in _chosen_values(place, hints, ()))
    named = kind_of_name(place.name, place.parents, False)
    formed = form_of_description(node.note.description)
    kinds = [KINDS[name] for name in (formed, named) if name is not None]
    explicit = [KINDS[slots[place.slot]] for slots in (hints.own_kinds, hints.kinds) if place.slot in slots]
    yield from explicit
    yield from [_matching_texts(hints.patterns[place.slot])] if place.slot in hints.patterns else []
    yield from _examples(node, [*kinds])
    if node.format is not None:
        yield from kinds if node.format in _FORMATS else []
        yield from _values_of_format(node.format)
    yield from kinds
    if len(node.schema) > 1:
        yield from (KINDS[name] for kind in (formed, named) if kind for name in split_values(RECORDS[kind].also))
    if node.patterns:
        yield from _makers_by_shape(node)
        return
    described = kind_of_description(node.note.description, False)
    yield from [KINDS[described]] if described is not None else []
    quoted = tuple(_QUOTED_EXAMPLE.findall(node.note.description))
    yield from [_like(quoted)] if quoted else []
    yield KINDS["title" if node.longest is None or node.longest > 24 else "word"]


def _matching_texts(pattern: str) -> ValueMaker:
    """Return a maker of texts that match a regular expression."""
    write = compile_pattern(read_pattern(pattern), *_STRETCHES[0])
    return DrawnValues(lambda when: writer(write))


def _chosen_values(place: ArgumentLocation, hints: Hints, examples: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the values that somebody chose for a slot: those of the recipe, then examples."""
    yield from (values for values in (hints.choose.get(place.slot), hints.examples.get(place.slot), examples) if values)


def _examples(node: StringNode, by_name: list[ValueMaker]) -> Iterator[ValueMaker | tuple[Any, ...]]:
    """Yield what makes the schema's examples: alone when there are several, else mixed with what the name suggests."""
    examples = tuple(value for value in node.note.examples if isinstance(value, str))
    if not examples:
        return
    if len(examples) < 3:
        pools = [kind for kind in by_name if isinstance(kind, Pool)]
        yield from (
            [Pool(lambda seed, locale: (*examples, *pools[0].make(seed, locale)))] if pools else [_like(examples)]
        )
    yield examples


def _like(examples: tuple[str, ...]) -> ValueMaker | tuple[Any, ...]:
    """Return a maker of more values like a code (`ORD-1234`); any other example as it is."""
    codes = tuple(value for value in examples if len(re.findall(r"[0-9]", value)) >= 3 and " " not in value)
    if not codes:
        return examples

    def make(draw: Draw) -> str:
        return re.sub(r"[0-9]", lambda digit: str(int(draw.rand() * 10)), draw.choice(codes))

    return DrawnValues(lambda when: make)


def _values_of_format(name: str) -> Iterator[ValueMaker | tuple[Any, ...]]:
    """Yield what makes strings of a format: a kind of value, or a tuple of values for formats that are rare."""
    if name in _FORMATS:
        yield KINDS[_FORMATS[name]]
    elif name in load("edges")["rare_formats"]:
        yield tuple(load("edges")["rare_formats"][name])
    else:
        kind = kind_of_name(name, (), False)  # a format of somebody's own: its name may tell
        yield from [] if kind is None else [KINDS[kind]]


def _makers_by_shape(node: StringNode) -> Iterator[ValueMaker | tuple[Any, ...]]:
    """Yield makers of dates, times and the like, if the pattern allows only such texts."""
    is_valid = tester(node.schema)
    sample = next(text_writers(node))(_trial_draw())
    if not _IN_SHAPES.fullmatch(sample) or any(is_valid(text) for text in _NOT_SHAPED):
        return
    yield from (KINDS[name] for name in _SHAPES)
    yield _allowed_texts(ALL_TIMES, is_valid)


def _number_kinds(node: NumberNode, location: ArgumentLocation, hints: Hints) -> Iterator[str | None]:
    """Yield the kinds of value that a number may be of, or None; the surest hint first (recipe, spec file, name, description)."""
    yield hints.own_kinds.get(location.slot)
    yield hints.kinds.get(location.slot)
    yield kind_of_name(location.name, location.parents, True)
    yield kind_of_description(node.note.description, True)


@lru_cache(maxsize=1024)
def _fit_kind(kind: ValueMaker, schema: str, when: str | None, seed: int, locale: Locale) -> Maker | None:
    """Return a kind's maker if enough of its values are valid; most tools share a few kinds and small schemas."""
    is_valid = _tester(schema)
    if isinstance(kind, UsualNumbers):
        return None
    if isinstance(kind, DrawnValues):
        return fit_maker(kind.make(when), is_valid, 0.35)
    pool = kind.make(seed, locale)
    fitting = _allowed_texts(pool, is_valid)
    return choose_from(fitting) if len(fitting) >= max(min(_ENOUGH, len(pool)), 1) else None


def _allowed_texts(values: tuple[Any, ...], is_valid: Test) -> tuple[Any, ...]:
    """Return those of the values that are texts and valid."""
    return tuple([value for value in values if isinstance(value, str) and is_valid(value)])


def text_writers(node: StringNode) -> Iterator[Maker]:
    """Yield makers of texts of a node's patterns, which may be invalid; the shortest texts first."""
    for pattern in node.patterns:
        tree = read_pattern(pattern)
        for stretch, least in (*_STRETCHES, *[(8, -(-node.shortest // part)) for part in (1, 2, 4)]):
            yield writer(compile_pattern(tree, stretch, least))
        if "(?" in pattern:
            yield writer(compile_letters(tree, _RAW))


def writer(write: Write) -> Maker:
    """Return the maker of what a writer of texts writes."""
    return lambda draw: write(draw.rand)


def _makers_by_length(node: StringNode) -> Iterator[Maker]:
    """Yield words until the shortest length is reached, cut at the longest."""
    if node.patterns:
        return
    shortest, longest = node.shortest, node.longest

    def write(draw: Draw) -> str:
        """Join words until the shortest length is reached, and cut them at the longest."""
        text = draw.choice(WORDS)
        while len(text) < shortest:
            text += " " + draw.choice(WORDS)
        return text if longest is None else text[:longest].rstrip().ljust(shortest, "s")

    yield write


def _is_number(value: Any) -> bool:
    """Whether a value is a number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text_rules(node: StringNode) -> str:
    """Return the rules of a text for a message: `minLength 3, pattern '^a'`."""
    return ", ".join(f"{key} {value!r}" for key, value in node.schema.items() if key != "type")
