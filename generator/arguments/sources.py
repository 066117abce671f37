"""One tool's argument maker: the recipe's mix of sources, its overrides, relations, and a check of every result."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import msgspec
import orjson

from generator.arguments.llm import AskedPools, make_asked
from generator.arguments.overrides import Overrides, check_reached, read_overrides
from generator.arguments.reading.folding import has_old_references
from generator.arguments.reading.nodes import Schema, node_at
from generator.arguments.reading.patterns import read_pattern
from generator.arguments.reading.schema import read_schema
from generator.arguments.sampling.leaves import ArgumentLocation, Hints, Test, pick_from, tester
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
    example_lists = [example for example in schema.get("examples", ()) if isinstance(example, list)]
    valid_lists = list(filter(tester(compiled.source), example_lists)) if example_lists else []
    hints = Hints(seed=seed, locale=locale, when=when, is_said=False, kinds={} if kind is None else {"": kind})
    if valid_lists:
        hints = msgspec.structs.replace(hints, choose={"": tuple(valid_lists)})
    maker, _ = compile_realistic(compiled, ArgumentLocation(name), hints, Odds())
    is_valid = tester(compiled.source)
    _check_draws(maker, compiled.source, is_valid)
    return maker if "pattern" not in schema and compiled.is_exact else _checked(maker, is_valid, (), name)


def _compile_tool(
    spec: ToolSpec, settings: ArgumentSettings, seed: int, pools: AskedPools | None
) -> Callable[[Draw], dict[str, Any]]:
    """Return a function that draws valid arguments of a tool: from the recipe's sources, related, grouped, as people say them."""
    parts = compile_parts(spec, settings, seed)
    drawn = _with_new_parts(make_pooled(parts.schema, "", parts.is_valid, seed), parts.overridden)
    realistic = _checked(parts.maker, parts.is_valid, parts.relations, spec.name)
    sources = {
        "realistic": realistic,
        "property_based": _checked(drawn, parts.is_valid, parts.relations, spec.name),
    }
    if pools is not None:
        known = (*spec.relations, *relations_by_name(parts.schema, parts.makers, spec.relations))
        asked = _with_new_parts(make_asked(pools, spec, parts.is_valid, known, realistic, seed), parts.overridden)
        relations = parts.relations if parts.overridden else ()  # what a model made fits together as it is
        sources["llm"] = _checked(asked, parts.is_valid, relations, spec.name)
    _check_draws(parts.maker, parts.schema.source, parts.is_valid)
    single = parts.source
    mixed = _weighted_maker(
        tuple((sources[name], weight) for name, weight in ([(single, 1.0)] if single else settings.source))
    )
    parameters = spec.tool.parameters
    required = parameters.get("required", ()) if isinstance(parameters, dict) else ()
    optional = {name: often for name, often in spec.say.items() if name not in required}
    make = _without_seldom(mixed, optional) if optional else mixed
    if spec.phrases.request:
        make = as_people_say(make, spec, parts.is_valid)
    if spec.groups:
        make = keeping_groups(
            make, parts.groups, parts.makers, frozenset(required), parts.relations, parts.is_valid, spec.name
        )
    is_realistic = {single} == {"realistic"} if single else {name for name, _ in settings.source} == {"realistic"}
    return with_example_calls(make, spec, parts.overridden, parts.is_valid) if is_realistic else make


_SELDOM = 0.15
"""Probability of keeping an argument that people seldom say."""


def _without_seldom(make: Maker, say: Mapping[str, str]) -> Maker:
    """Return a maker of the arguments without those that people never say, and mostly without those they seldom say.

    Of those that are said as a rule at least one is there, if that comes up. Elements of a list of which nothing is left are
    left out, too.
    """
    usual_names = {name for name, often in say.items() if often == "usually"}
    seldom_names = {name: often for name, often in say.items() if often != "usually" and "/" not in name}
    inner_slots = [tuple(map(unescape, name.split("/"))) for name in say if "/" in name]

    def make_shorter(draw: Draw) -> Any:
        """Draw arguments and leave out those that are seldom or never said."""
        arguments = make(draw)
        for _ in range(_DRAWS if usual_names or inner_slots else 0):
            if (not usual_names or not usual_names.isdisjoint(arguments)) and not any(
                _is_emptied(arguments, steps) for steps in inner_slots
            ):
                break
            arguments = make(draw)
        left_out = {name for name, often in seldom_names.items() if often == "never" or draw.rand() >= _SELDOM}
        kept = {name: value for name, value in arguments.items() if name not in left_out}
        for steps in inner_slots:
            if steps[0] in kept:
                kept[steps[0]] = _without_value(kept[steps[0]], steps[1:])
        return kept

    return make_shorter


_DRAWS = 8


def _is_emptied(arguments: dict[str, Any], steps: tuple[str, ...]) -> bool:
    """Whether a list (`steps[0]` names it) has only elements that are empty without the value that the steps lead to: `("guests", "*", "age")`."""
    value = arguments.get(steps[0])
    return (
        isinstance(value, list) and bool(value) and all(element == {} for element in _without_value(value, steps[1:]))
    )


def _without_value(value: Any, steps: tuple[str, ...]) -> Any:
    """Return a value without what the steps lead to; `*` is any element of a list."""
    key, rest = steps[0], steps[1:]
    if key == "*" and isinstance(value, list):
        elements = [_without_value(element, rest) for element in value]
        return [element for element in elements if element != {}] or elements
    if not isinstance(value, dict) or key not in value:
        return value
    if not rest:
        return {name: part for name, part in value.items() if name != key}
    return {**value, key: _without_value(value[key], rest)}


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
    hints = _hints_of_spec(spec, schema, overrides, seed, settings.locale)
    odds = Odds(edge_cases=settings.edge_cases, optional=settings.optional)
    maker, makers = compile_realistic(schema, ArgumentLocation("", (spec.name,)), hints, odds)
    check_reached(overrides, makers, spec, settings)
    kept_values = frozenset(overrides.makers)
    person_slots = frozenset(slot for slot, kind in spec.kinds.items() if kind == "person_name")
    return Parts(
        schema=schema,
        is_valid=tester(schema.source),
        maker=maker,
        makers=makers,
        overridden={slot: makers[slot] for slot in overrides.slots},
        relations=(
            *compile_fitting(schema, makers, kept_values, spec.relations, person_slots),
            *[compile_relation(relation, makers, kept_values) for relation in spec.relations],
        ),
        groups=spec.groups,
        source=overrides.source,
    )


def _hints_of_spec(spec: ToolSpec, schema: Schema, overrides: Overrides, seed: int, locale: Locale) -> Hints:
    """Return what the spec file and the recipe say about single arguments; raises SpecError for unknown kinds and bad patterns."""
    for slot, kind in spec.kinds.items():
        if kind not in KINDS:
            raise SpecError(f"{spec.where}: {spec.name}: kinds.{slot}: no kind of value {kind!r}{nearest(kind, KINDS)}")
    for slot, pattern in spec.patterns.items():
        try:
            read_pattern(pattern)
        except ValueError as fault:
            raise SpecError(f"{spec.where}: {spec.name}: patterns.{slot}: {pattern!r}: {fault}") from None
    pooled_makers = {
        slot: make_pooled(schema, slot, None, seed)
        for slot, source in overrides.sources.items()
        if source == "property_based"
    }
    return Hints(
        seed=seed,
        locale=locale,
        makers=pooled_makers | overrides.makers,
        own_kinds=overrides.kinds,
        examples=spec.examples,
        kinds=spec.kinds,
        patterns=spec.patterns,
        with_null=frozenset(
            [slot for slot, frames in spec.phrases.slots.items() if any(value is None for value, _ in frames.clauses)]
        ),
    )


def make_pooled(schema: Schema, slot: str, is_valid: Test | None, seed: int) -> Maker:
    """Return a maker that takes values from a Hypothesis pool, which is drawn when the first value is needed."""
    pool: tuple[bytes, ...] = ()

    def fill() -> tuple[bytes, ...]:
        from generator.arguments.property_based import draw_pool  # Hypothesis only where it is wanted

        return draw_pool(Schema(node_at(schema.root, slot), schema.source), slot, seed, is_valid)

    def make(draw: Draw) -> Any:
        """Take a value from the pool, which is filled at its first use."""
        nonlocal pool
        if not pool:
            pool = drawn_pool((orjson.dumps(schema.source), slot, seed), fill)
        return orjson.loads(pool[int(draw.rand() * len(pool))])

    return make


def _with_new_parts(make: Maker, part_makers: dict[str, Maker]) -> Maker:
    """Return a maker of the same values with overridden parts, if present, made anew."""
    if not part_makers:
        return make

    def make_with_parts(draw: Draw) -> Any:
        """Make a value, and make its overridden parts anew."""
        value = make(draw)
        for slot, make_part in part_makers.items():
            for pointer in expand(value, slot):
                set_at(value, pointer, make_part(draw))
        return value

    return make_with_parts


def _weighted_maker(makers: tuple[tuple[Maker, float], ...]) -> Maker:
    """Return a maker that takes one of the makers by weight."""
    if len(makers) == 1:
        return makers[0][0]
    total = sum(weight for _, weight in makers)
    pick = pick_from(tuple([maker for maker, _ in makers]), tuple([weight / total for _, weight in makers]))
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

    def make_valid(draw: Draw) -> Any:
        value = make(draw)
        return value if is_valid(value) else redraw(draw)

    def redraw(draw: Draw) -> Any:
        """Draw until a value is valid; raises RowError after many draws."""
        for _ in range(_TRIES - 1):
            value = make(draw)
            if is_valid(value):
                return value
        raise RowError(f"{name}: {_TRIES} drawn values were all invalid against its schema")

    return make_valid


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
    message = error.message if len(error.message) <= _LONGEST_REASON else f"{error.message[:_LONGEST_REASON]}…"
    return f"{pointer or '/'}: no valid value was found in {_TRIES // 4} draws ({message})"
