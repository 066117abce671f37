"""What is found when tools are loaded: formulas that fail, and tools that always fail after another one."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from generator.core.documents import shown
from generator.core.entities import Entity
from generator.core.errors import CannotFillError, SpecError
from generator.world.expressions import Expression, fault_of
from generator.world.state.effects import ANY, CompiledEffect
from generator.world.state.entities import Effects
from generator.world.state.population import EntityFields, EntityKind, Population
from generator.world.state.state import State

_TODAY = date(2026, 3, 2)
_TRIED = 12
"""Entities of a kind with which tools are tried."""


def check_formulas(population: Population) -> None:
    """Try the formulas of all entities, as if some of each kind were there.

    Raises:
        SpecError: for one that fails for all that are drawn, or for all with a value or a whole example of the file: they would keep what is drawn.
    """
    kinds = {}
    for title, kind in population.kinds.items():
        entity = msgspec.structs.replace(kind.entity, count=(max(kind.entity.count[1], 1),) * 2)
        kinds[title] = msgspec.structs.replace(kind, entity=entity, pool=[], moments=[], index={})
    state = State(Population(kinds=kinds, draw=population.draw, size=_DRAWN), _TODAY, 0)
    for kind in kinds.values():
        formulas = [(name, expression) for name, expression, _ in kind.computed]
        formulas += [(kind.entity.key, kind.key_formula)] if kind.key_formula is not None else []
        try:
            drawn = _drawn(state, kind) if formulas else []
        except CannotFillError as fault:
            raise SpecError(str(fault)) from None
        for field, expression in formulas:
            for message in _failures(state, kind.entity, field, expression, drawn):
                raise SpecError(message)


def _drawn(state: State, kind: EntityKind) -> list[EntityFields]:
    """Return an entity for each place of a kind's pool, with keys of existing ones and all formulas computed."""
    members, key = state.members(kind.title), kind.entity.key
    keys = [*members.by_key]
    fields_drawn = {*kind.entity.fields} - {name for name, _, _ in kind.computed}
    entities = [state.at(members, place, {}) for place in range(len(kind.pool))]
    entities = [one if one[key] is not None else {**one, key: keys[at % len(keys)]} for at, one in enumerate(entities)]
    return [state.computed(kind, one, fields_drawn) for one in entities]


def _failures(
    state: State, entity: Entity, field: str, expression: Expression, drawn: list[EntityFields]
) -> Iterator[str]:
    """Yield a message for each variant in which a formula fails for all drawn entities: as they are, with a value of the file, or a whole example."""
    text = str(entity.fields[field]["x-compute"])
    fields_read = [(name, part) for name, part in entity.fields.items() if name in text and "x-compute" not in part]
    values = [
        (name, value) for name, part in fields_read for key in ("enum", "examples") for value in part.get(key, ())
    ]
    variants = [("", dict[str, Any]())]
    variants += [(f" where {name} is {shown(value)}", {name: value}) for name, value in values if value is not None]
    variants += [(f" for the example {shown(example)}", example) for example in entity.examples]
    for description, given in variants:
        if all(why := fault_of(expression, state.names({**fields, **given})) for fields in drawn):
            yield f"{entity.where}: entities.{entity.name}: x-compute of {field!r}: {text!r} fails{description}: {why}"


_DRAWN = 12
"""Entities of a kind with which formulas are tried."""


def find_dead_ends(effects: Effects, population: Population) -> frozenset[tuple[str, str]]:
    """Return (tool, next tool) where the second always fails for an entity for which the first was called: some of each kind are tried in each state."""
    day = _TODAY.isoformat()
    ever_succeeds: dict[tuple[str, str], bool] = {}
    by_kind: dict[str, list[CompiledEffect]] = {}
    for effect in effects.values():
        if effect.title and effect.effect.kind != "find":
            by_kind.setdefault(effect.title, []).append(effect)
    for title, effects_of_kind in by_kind.items():
        on_existing = [effect for effect in effects_of_kind if effect.effect.kind != "create"]
        if not any(effect.needs or effect.states or effect.effect.kind == "delete" for effect in on_existing):
            continue
        for fields in _in_all_states(population, title):
            for effect in effects_of_kind:
                if effect.effect.kind == "create" or effect.refuse_one(None, fields, ANY, day) is None:
                    _note_successes(effect, on_existing, fields, day, ever_succeeds)
    return frozenset(pair for pair, ever in ever_succeeds.items() if not ever)


def _note_successes(
    effect: CompiledEffect,
    on_existing: list[CompiledEffect],
    fields: EntityFields,
    day: str,
    ever_succeeds: dict[tuple[str, str], bool],
) -> None:
    """Note in `ever_succeeds`, by (tool, next tool), which tools succeed for an entity after a call of this effect."""
    after = fields if effect.effect.reads else effect.changed(fields, ANY, day)
    for other in on_existing:
        if other is not effect:
            succeeds = effect.effect.kind != "delete" and other.refuse_one(None, after, ANY, day) is None
            ever_succeeds[effect.tool, other.tool] = ever_succeeds.get((effect.tool, other.tool), False) or succeeds


def _in_all_states(population: Population, title: str) -> list[EntityFields]:
    """Return some drawn entities of a kind, and two of them in each combination of states."""
    entities = []
    for place, fields in enumerate(population.samples(title, _TRIED)):
        entities.append(fields)
        entities += [{**fields, **states} for states in population.kinds[title].all_states] if place < 2 else []
    return entities
