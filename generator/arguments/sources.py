"""One tool's argument maker: the recipe's mix of sources, its overrides, relations, and a check of every result."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import msgspec
import orjson

from generator.arguments.llm import AskedPools, make_asked
from generator.arguments.overrides import Overrides, check_reached, read_overrides, take_one
from generator.arguments.reading.folding import has_old_references
from generator.arguments.reading.nodes import Schema, node_at
from generator.arguments.reading.patterns import read_pattern
from generator.arguments.reading.schema import read_schema
from generator.arguments.sampling.leaves import ArgumentLocation, Hints, Test, tester
from generator.arguments.sampling.numbers import Maker
from generator.arguments.sampling.realistic import Odds, compile_realistic
from generator.arguments.sampling.relations import (
    Relate,
    as_people_say,
    compile_fitting,
    compile_relation,
    keeping_groups,
    relations_by_name,
    with_example_calls,
)
from generator.arguments.vocabulary.kinds import KINDS
from generator.arguments.vocabulary.prepared import Locale, drawn_pool
from generator.core.documents import nearest, shown
from generator.core.errors import RowError, SchemaError, SpecError
from generator.core.offline_schemas import validator
from generator.core.pointers import escape, expand, set_at, unescape
from generator.core.seeds import Draw
from generator.core.toolbox import Groups, ToolSpec
from generator.recipe import ArgumentSettings

_TRIES = 200
_TRIALS = 6
_LONGEST_REASON = 160
_TOO_DEEP = "/: it is nested too deep, or a $ref leads back to itself"
_EMPTY: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def arguments_schema(parameters: dict[str, Any] | bool | None) -> dict[str, Any]:
    """Return the schema of a tool's arguments: its parameters, restricted to objects.

    Raises:
        SchemaError: when the parameters describe something other than an object.
    """
    if parameters is None:
        return _EMPTY
    if isinstance(parameters, bool):  # JSON Schema has it for "anything" and "nothing"
        return {"type": "object"} if parameters else {"not": {}}
    types = parameters.get("type", "object")
    if types == "object" and ("type" in parameters or ("$ref" in parameters and has_old_references(parameters))):
        return parameters
    if "object" not in ([types] if isinstance(types, str) else types):
        raise SchemaError(f"/type: the arguments of a call are an object, so 'object' is expected, not {shown(types)}")
    return {**parameters, "type": "object"}


def check_schema(schema: Any) -> None:
    """Raise SchemaError (`pointer: reason`) when no values can be made for a JSON Schema."""
    try:
        compiled = read_schema(schema)
        maker, _ = compile_realistic(compiled, ArgumentLocation(""), Hints(seed=0), Odds())
        _check_draws(maker, compiled.source, tester(compiled.source))
    except RecursionError:
        raise SchemaError(_TOO_DEEP) from None


def compile_source(
    spec: ToolSpec, settings: ArgumentSettings, seed: int, pools: AskedPools | None = None
) -> Callable[[Draw], dict[str, Any]]:
    """Return the maker of one tool's arguments; every result is valid against the tool's schema.

    The source `llm` needs `pools`.

    Raises:
        SchemaError: the schema cannot be satisfied or uses what is not handled.
        RecipeError: an override names what is not there.
    """
    try:
        return _compile_tool(spec, settings, seed, pools)
    except SchemaError as fault:
        raise SchemaError(f"{spec.where}: {spec.name}: parameters: {fault}") from None
    except RecursionError:
        raise SchemaError(f"{spec.where}: {spec.name}: parameters: {_TOO_DEEP}") from None


def compile_value(
    schema: dict[str, Any],
    name: str,
    seed: int,
    *,
    kind: str | None = None,
    when: str | None = None,
    locale: Locale = (),
) -> Callable[[Draw], Any]:
    """Return a maker of realistic values for one schema; `when` is `past` for days before today.

    Where a pattern rules every value is checked when it is made; otherwise some are tried here, once.
    """
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        raise SpecError(f"{name}: there is no kind of value {kind!r}{nearest(str(kind), KINDS)}")
    compiled = read_schema(schema)
    known = [one for one in schema.get("examples", ()) if isinstance(one, list)]
    told = list(filter(tester(compiled.source), known)) if known else []
    hints = Hints(seed=seed, locale=locale, when=when, is_said=False, kinds={} if kind is None else {"": kind})
    if told:
        hints = msgspec.structs.replace(hints, choose={"": tuple(told)})
    maker, _ = compile_realistic(compiled, ArgumentLocation(name), hints, Odds())
    is_valid = tester(compiled.source)
    _check_draws(maker, compiled.source, is_valid)
    return maker if "pattern" not in schema and compiled.is_exact else _checked(maker, is_valid, (), name)


def _compile_tool(
    spec: ToolSpec, settings: ArgumentSettings, seed: int, pools: AskedPools | None
) -> Callable[[Draw], dict[str, Any]]:
    """Return a function that draws valid arguments of a tool: from the recipe's sources, related, grouped, as people say them."""
    parts = compile_parts(spec, settings, seed)
    drawn = _replaced(make_pooled(parts.schema, "", parts.is_valid, seed), parts.overridden)
    realistic = _checked(parts.maker, parts.is_valid, parts.relations, spec.name)
    sources = {
        "realistic": realistic,
        "property_based": _checked(drawn, parts.is_valid, parts.relations, spec.name),
    }
    if pools is not None:
        known = (*spec.relations, *relations_by_name(parts.schema, parts.makers, spec.relations))
        asked = _replaced(make_asked(pools, spec, parts.is_valid, known, realistic, seed), parts.overridden)
        relations = parts.relations if parts.overridden else ()  # what a model made fits together as it is
        sources["llm"] = _checked(asked, parts.is_valid, relations, spec.name)
    _check_draws(parts.maker, parts.schema.source, parts.is_valid)
    whole = parts.source
    mixed = _weighted_maker(
        tuple((sources[name], weight) for name, weight in ([(whole, 1.0)] if whole else settings.source))
    )
    parameters = spec.tool.parameters
    required = parameters.get("required", ()) if isinstance(parameters, dict) else ()
    optional = {name: often for name, often in spec.say.items() if name not in required}
    made = _seldom_said(mixed, optional) if optional else mixed
    if spec.phrases.request:
        made = as_people_say(made, spec, parts.is_valid)
    if spec.groups:
        made = keeping_groups(
            made, parts.groups, parts.makers, frozenset(required), parts.relations, parts.is_valid, spec.name
        )
    is_realistic = {whole} == {"realistic"} if whole else {name for name, _ in settings.source} == {"realistic"}
    return with_example_calls(made, spec, parts.overridden, parts.is_valid) if is_realistic else made


_SELDOM = 0.15
"""Probability of keeping an argument that people seldom say."""


def _seldom_said(make: Maker, say: Mapping[str, str]) -> Maker:
    """Return the arguments without those that people never say, and mostly without those they seldom say.

    Of those that are said as a rule at least one is there, if that comes up. Elements of a list of which nothing is left are
    left out, too.
    """
    usual = {name for name, often in say.items() if often == "usually"}
    dropped = {name: often for name, often in say.items() if often != "usually" and "/" not in name}
    inside = [tuple(map(unescape, name.split("/"))) for name in say if "/" in name]

    def made(draw: Draw) -> Any:
        arguments = make(draw)
        for _ in range(_DRAWS if usual or inside else 0):
            if (not usual or not usual.isdisjoint(arguments)) and not any(_is_lost(arguments, way) for way in inside):
                break
            arguments = make(draw)
        gone = {name for name, often in dropped.items() if often == "never" or draw.rand() >= _SELDOM}
        kept = {name: value for name, value in arguments.items() if name not in gone}
        for way in inside:
            if way[0] in kept:
                kept[way[0]] = _less(kept[way[0]], way[1:])
        return kept

    return made


_DRAWS = 8


def _is_lost(arguments: dict[str, Any], way: tuple[str, ...]) -> bool:
    """Whether nothing is left of a list's elements without what stands at the end of the way."""
    value = arguments.get(way[0])
    return isinstance(value, list) and bool(value) and all(element == {} for element in _less(value, way[1:]))


def _less(value: Any, way: tuple[str, ...]) -> Any:
    """Return a value without what stands at the end of the way, in all elements where that leads through a list."""
    key, rest = way[0], way[1:]
    if key == "*" and isinstance(value, list):
        found = [_less(element, rest) for element in value]
        return [element for element in found if element != {}] or found
    if not isinstance(value, dict) or key not in value:
        return value
    if not rest:
        return {name: part for name, part in value.items() if name != key}
    return {**value, key: _less(value[key], rest)}


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the arguments of one tool are made of."""

    schema: Schema
    is_valid: Test
    maker: Maker
    """Of all arguments, before relations and the check."""
    makers: dict[str, Maker]
    """Of each argument, by slot."""
    overridden: dict[str, Maker]
    """Those of them that the recipe changes."""
    relations: tuple[Relate, ...]
    groups: Groups
    source: str | None
    """The source of all arguments, where the recipe says that for this tool alone."""


def compile_parts(spec: ToolSpec, settings: ArgumentSettings, seed: int) -> Parts:
    """Read a tool's schema and compile makers for all its arguments, as the recipe wants them."""
    schema = read_schema(arguments_schema(spec.tool.parameters))
    overrides = read_overrides(spec, schema, settings, seed)
    hints = _hints(spec, schema, overrides, seed, settings.locale)
    odds = Odds(edge_cases=settings.edge_cases, optional=settings.optional)
    maker, makers = compile_realistic(schema, ArgumentLocation("", (spec.name,)), hints, odds)
    check_reached(overrides, makers, spec, settings)
    kept_values = frozenset(overrides.makers)
    people = frozenset(slot for slot, kind in spec.kinds.items() if kind == "person_name")
    return Parts(
        schema=schema,
        is_valid=tester(schema.source),
        maker=maker,
        makers=makers,
        overridden={slot: makers[slot] for slot in overrides.slots},
        relations=(
            *compile_fitting(schema, makers, kept_values, spec.relations, people),
            *[compile_relation(relation, makers, kept_values) for relation in spec.relations],
        ),
        groups=spec.groups,
        source=overrides.source,
    )


def _hints(spec: ToolSpec, schema: Schema, overrides: Overrides, seed: int, locale: Locale) -> Hints:
    """Return what the spec file and the recipe say about single arguments; raises SpecError for unknown kinds and bad patterns."""
    for slot, kind in spec.kinds.items():
        if kind not in KINDS:
            raise SpecError(f"{spec.where}: {spec.name}: kinds.{slot}: no kind of value {kind!r}{nearest(kind, KINDS)}")
    for slot, pattern in spec.patterns.items():
        try:
            read_pattern(pattern)
        except ValueError as fault:
            raise SpecError(f"{spec.where}: {spec.name}: patterns.{slot}: {pattern!r}: {fault}") from None
    pooled = {
        slot: make_pooled(schema, slot, None, seed)
        for slot, source in overrides.sources.items()
        if source == "property_based"
    }
    return Hints(
        seed=seed,
        locale=locale,
        makers=pooled | overrides.makers,
        own_kinds=overrides.kinds,
        examples=spec.examples,
        kinds=spec.kinds,
        patterns=spec.patterns,
        with_null=frozenset(
            [slot for slot, said in spec.phrases.slots.items() if any(value is None for value, _ in said.clauses)]
        ),
    )


def make_pooled(schema: Schema, slot: str, is_valid: Test | None, seed: int) -> Maker:
    """Return a maker that takes values from a Hypothesis pool, which is drawn when the first value is needed."""
    pool: tuple[bytes, ...] = ()

    def fill() -> tuple[bytes, ...]:
        from generator.arguments.property_based import draw_pool  # Hypothesis only where it is wanted

        return draw_pool(Schema(node_at(schema.root, slot), schema.source), slot, seed, is_valid)

    def make(draw: Draw) -> Any:
        nonlocal pool
        if not pool:
            pool = drawn_pool((orjson.dumps(schema.source), slot, seed), fill)
        return orjson.loads(pool[int(draw.rand() * len(pool))])

    return make


def _replaced(make: Maker, parts: dict[str, Maker]) -> Maker:
    """Return a maker of the same values with overridden parts, if present, made anew."""
    if not parts:
        return make

    def changed(draw: Draw) -> Any:
        value = make(draw)
        for slot, part in parts.items():
            for pointer in expand(value, slot):
                set_at(value, pointer, part(draw))
        return value

    return changed


def _weighted_maker(makers: tuple[tuple[Maker, float], ...]) -> Maker:
    """Return a maker that takes one of the makers by weight."""
    if len(makers) == 1:
        return makers[0][0]
    total = sum(weight for _, weight in makers)
    pick = take_one(tuple([maker for maker, _ in makers]), tuple([weight / total for _, weight in makers]))
    return lambda draw: pick(draw)(draw)


def _checked(make: Maker, is_valid: Test, relations: tuple[Relate, ...], name: str) -> Maker:
    """Return the maker with relations enforced and invalid values redrawn."""
    if relations:
        related = make

        def make(draw: Draw) -> Any:
            value = related(draw)
            for relate in relations:
                relate(draw, value)
            return value

    def valid(draw: Draw) -> Any:
        value = make(draw)
        return value if is_valid(value) else again(draw)

    def again(draw: Draw) -> Any:
        for _ in range(_TRIES - 1):
            value = make(draw)
            if is_valid(value):
                return value
        raise RowError(f"{name}: {_TRIES} drawn values were all invalid against its schema")

    return valid


def _check_draws(make: Maker, schema: dict[str, Any], is_valid: Test) -> None:
    """Raise SchemaError if draws hardly ever satisfy the schema (such as a `oneOf` of nearly equal branches)."""
    draw = Draw(0, date(2026, 3, 1))
    for _ in range(_TRIALS):
        for _ in range(_TRIES // 4):
            value = make(draw)
            if is_valid(value):
                break
        else:
            raise SchemaError(_why_never_valid(schema, value))
        try:
            orjson.dumps(value)
        except TypeError:
            raise SchemaError("/: whole numbers beyond 64 bits are not handled") from None


def _why_never_valid(schema: dict[str, Any], value: Any) -> str:
    """Return the message for a schema whose draws were all invalid, with what the last one broke."""
    error = next(validator(schema).iter_errors(value))
    pointer = "".join(f"/{escape(str(step))}" for step in error.schema_path)
    told = error.message if len(error.message) <= _LONGEST_REASON else f"{error.message[:_LONGEST_REASON]}…"
    return f"{pointer or '/'}: no valid value was found in {_TRIES // 4} draws ({told})"
