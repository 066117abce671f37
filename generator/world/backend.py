"""The backend behind offline rows: answers from declared entities that calls change, and pure answers of all other tools.

A tool with an `effect` is answered from the state of the conversation (`world/state`). The answer of any other one is a
function of (seed, the conversation's salt, tool, canonical arguments, facts known from earlier steps), so equal calls give
equal results and a whole conversation can be replayed. Facts are keyed by the identifiers that links name, and their kind:
the order that was found is the order that is cancelled, and order 7 is not customer 7.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import msgspec
import orjson

from generator.core.errors import SpecError
from generator.core.pointers import escape, split
from generator.core.toolbox import Toolbox, ToolSpec, WhenUsed
from generator.world.making import CallDraw, CompileValue, MakeResult
from generator.world.result_fields import ShownEntity, argument_reader
from generator.world.returns import compile_returns
from generator.world.state import Population, check_formulas, compile_population
from generator.world.state.effects import ANY, CompiledEffect, compile_effect
from generator.world.world import SIZES, Kind, SimulatedWorld, kinds_of_entities


class CompiledTool(msgspec.Struct, frozen=True):
    """One tool, compiled for the backend."""

    make: MakeResult
    address: bytes
    """Begins the address of every result's random stream."""
    identifying_arguments: tuple[tuple[Kind, Callable[[dict[str, Any]], Any]], ...]
    """The arguments that identify an entity: of which kind it is, and how they are read."""
    identified_objects: tuple[tuple[Kind, Callable[[Any], list[tuple[Any, dict[str, Any]]]]], ...]
    """How the entities of a result are found, with what identifies each, by kind."""
    effect: CompiledEffect | None = None


class Backend(msgspec.Struct, frozen=True):
    """All tools, ready to answer."""

    tools: dict[str, CompiledTool]
    draw: CallDraw
    """Shared by all worlds, since every answer begins a stream of its own."""
    is_linked: bool
    """Whether any call is about what other calls may have said."""
    population: Population
    effects: dict[str, CompiledEffect]
    """Of the tools that have one."""
    sizes: tuple[tuple[str, float], ...]
    """How large the results of conversations are, with weights; lean without any."""

    def open(self, today: date, salt: int = 0) -> SimulatedWorld:
        """Return the world of one conversation; another salt is another world, with other answers to the same calls."""
        return SimulatedWorld(self, today, salt)


def compile_backend(
    toolbox: Toolbox,
    compile_value: CompileValue,
    seed: int,
    *,
    guided: bool = False,
    sizes: tuple[tuple[str, float], ...] = (),
    locale: object = None,
) -> Backend:
    """Compile every tool's `returns`; raises SpecError naming the tool at fault.

    `guided`: values are proposed for results (`World.answer`). `sizes` are how large the results of conversations are, with weights; lean
    without any. With a `locale`, that of `compile_value`, what is drawn for tools that come with the program is kept between starts.
    """
    kinds = kinds_of_entities(toolbox)
    identifier_slots: dict[str, list[str]] = {name: [] for name in toolbox}
    for spec in toolbox.values():
        for link in spec.links:
            if link.tool in identifier_slots and link.result not in identifier_slots[link.tool]:
                identifier_slots[link.tool].append(link.result)
    effects: dict[str, CompiledEffect] = {}
    for name, spec in toolbox.items():
        with _naming_tool_in_errors(spec):
            effect = compile_effect(spec)
        if effect is not None:
            effects[name] = effect
    population = compile_population(toolbox, compile_value, seed, _identifying_fields(effects.values()), locale)
    check_formulas(population)

    def compiled(name: str) -> CompiledTool:
        spec, effect = toolbox[name], effects.get(name)
        slots = dict.fromkeys(link.argument for link in spec.links)
        linked = tuple([(kinds[name, "argument", slot], argument_reader(slot)) for slot in slots])
        objects_in_result = tuple(
            [(kinds[name, "result", slot], _identified_objects(slot)) for slot in identifier_slots[name]]
        )
        with _naming_tool_in_errors(spec):
            make = compile_returns(spec, compile_value, seed, _shown_entity(spec, effect, population), guided=guided)
        address = f"{seed}\x1fresult\x1f{name}\x1f".encode()
        return CompiledTool(_with_written_results(make, spec, effect), address, linked, objects_in_result, effect)

    tools = WhenUsed(compiled, [name for name, spec in toolbox.items() if not spec.is_tested])
    varied = sizes if any(name != SIZES[0] for name, _ in sizes) else ()
    is_linked = any(spec.links and (spec.effect is None or not effects[name].title) for name, spec in toolbox.items())
    return Backend(tools, CallDraw(0, date.min), is_linked, population, effects, varied)


@contextmanager
def _naming_tool_in_errors(spec: ToolSpec) -> Iterator[None]:
    """Raise a SpecError within again, with the tool's file and name before its message."""
    try:
        yield
    except SpecError as fault:
        raise SpecError(f"{spec.where}: {spec.name}: {fault}") from None
    except RecursionError:
        raise SpecError(
            f"{spec.where}: {spec.name}: returns: it is nested too deep, or a $ref leads back to itself"
        ) from None


def _identifying_fields(effects: Iterable[CompiledEffect]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return, by the title of a kind, the groups of fields by which some tool names an entity: `{"orders": (("city", "day"),)}`."""
    fields_by_kind: dict[str, tuple[tuple[str, ...], ...]] = {}
    for effect in effects:
        earlier_fields = fields_by_kind.setdefault(effect.title, ())
        if effect.names_one_by and effect.names_one_by not in earlier_fields:
            fields_by_kind[effect.title] = (*earlier_fields, effect.names_one_by)
    return fields_by_kind


def _shown_entity(spec: ToolSpec, effect: CompiledEffect | None, population: Population) -> ShownEntity | None:
    """Return what a tool's result shows of an entity, with some examples for which the call succeeds; None for tools without an effect on one."""
    if effect is None or not effect.title:
        return None
    record = "".join(f"/properties/{escape(step)}" for step in split(effect.effect.at)) + "/items" * (
        effect.effect.kind == "find"
    )
    samples = population.samples(effect.title, _SAMPLES)
    day = _SAMPLE_DAY.isoformat()
    matching = [sample for sample in samples if effect.can_be_said(sample) and effect.matches(sample, ANY, day)]
    accepted = [sample for sample in matching if effect.refuse_one(None, sample, ANY, day) is None]
    shown = [effect.changed(sample, ANY, day) for sample in accepted]  # as far as no argument says what becomes of them
    examples = [
        {name: value for name, value in sample.items() if name not in effect.from_arguments} for sample in shown
    ]
    fields = frozenset(spec.declared.entities[effect.effect.entity].fields)
    references = [*population.kinds[effect.title].references, *((name, title) for name, title, _ in effect.references)]
    related = {name: (title, frozenset(population.kinds[title].entity.fields)) for name, title in references}
    is_only_shown = effect.effect.kind in ("find", "get", "read")
    return ShownEntity(
        record, effect.effect.kind == "find", fields, tuple(examples), related, effect.key, is_only_shown
    )


def _with_written_results(make: MakeResult, spec: ToolSpec, effect: CompiledEffect | None) -> MakeResult:
    """Return a maker of the same results, but for calls whose result somebody wrote; what entities say stands above that.

    A call with other optional arguments is answered as one with the same required ones, but for what it repeats of its own. One that
    stands there with several results has one of them, the same all through a conversation.
    """
    written = [(arguments, result) for arguments, result in spec.example_calls if result]
    if not written or (effect is not None and effect.title):
        return make
    required = {*spec.required}

    def required_part(arguments: Mapping[str, Any]) -> bytes:
        """Return what a call cannot do without."""
        return orjson.dumps(
            {name: arguments[name] for name in required & arguments.keys()}, option=orjson.OPT_SORT_KEYS
        )

    results_by_required = (
        {required_part(arguments): result for arguments, result in reversed(written)} if required else {}
    )
    results: dict[bytes, list[dict[str, Any]]] = {}
    for arguments, result in written:
        results.setdefault(orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS), []).append(result)

    def make_written(draw: CallDraw) -> Any:
        usual, written_results = make(draw), results.get(orjson.dumps(draw.arguments, option=orjson.OPT_SORT_KEYS), ())
        written_result = (
            written_results[int(draw.rand() * len(written_results))]
            if len(written_results) > 1
            else written_results[0]
            if written_results
            else None
        )
        if written_result is None:
            similar_result = results_by_required.get(required_part(draw.arguments), {})
            written_result = {name: value for name, value in similar_result.items() if name not in draw.arguments}
        return {**usual, **written_result} if isinstance(usual, dict) else usual

    return make_written


_SAMPLES = 12
_SAMPLE_DAY = date(2026, 3, 2)


def _identified_objects(slot: str) -> Callable[[Any], list[tuple[Any, dict[str, Any]]]]:
    """Return a function that finds (identifier, object that holds it) at a slot: `orders/*/id` → `[("A1", {"id": "A1", …}), …]`."""
    *parents, last = split(slot) or ("",)

    def find(result: Any) -> list[tuple[Any, dict[str, Any]]]:
        parts = [result]
        for step in parents:
            parts = _values_below(parts, step)
        return [(part[last], part) for part in parts if type(part) is dict and last in part]

    return find


def _values_below(parts: list[Any], step: str) -> list[Any]:
    """Return the values one step below the parts: of objects the property of that name, of lists all elements (`*`) or one."""
    found: list[Any] = []
    for part in parts:
        if type(part) is dict:
            if step in part:
                found.append(part[step])
        elif type(part) is list:
            if step == "*":
                found += part
            elif step.isdecimal():
                found += part[int(step) : int(step) + 1]
    return found
