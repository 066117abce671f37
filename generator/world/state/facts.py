"""What is found when tools are loaded: formulas that fail, and which tools fail in which states of their entities."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from generator.core.documents import shown
from generator.core.entities import Entity
from generator.core.errors import CannotFillError, SpecError
from generator.world.expressions import Expression, fault_of
from generator.world.state.effects import ANY, Arguments, CompiledEffect
from generator.world.state.entities import Effects
from generator.world.state.population import EntityFields, EntityKind, Population
from generator.world.state.state import State

_TODAY = date(2026, 3, 2)
_TRIED = 12
"""Entities of a kind with which tools are tried in each state."""


class Refusal(msgspec.Struct, frozen=True, order=True):
    """A tool fails for some entities."""

    tool: str
    entity: str
    """Title of the kind: `shop.order`."""
    error: str


class Mend(msgspec.Struct, frozen=True, order=True):
    """A tool that fails for an entity succeeds after another one was called for it."""

    tool: str
    entity: str
    error: str
    by: str
    arguments: tuple[tuple[str, str], ...] = ()
    """The state that the other one must be asked for, where it leads to several."""


class StateFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Which tools fail in which states, and which other tools help."""

    refusals: tuple[Refusal, ...] = ()
    mends: tuple[Mend, ...] = ()
    dead_ends: frozenset[tuple[str, str]] = frozenset()
    """(tool, next tool): after the first the second always fails for the same entity."""
    findable: frozenset[tuple[str, Refusal]] = frozenset()
    """(search, refusal): the search finds some of the entities for which another tool fails in that way."""


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
            for told in _failures(state, kind.entity, field, expression, drawn):
                raise SpecError(told)


def _drawn(state: State, kind: EntityKind) -> list[EntityFields]:
    """Return some entities of a kind, with the keys of those that are there."""
    members, key = state.members(kind.title), kind.entity.key
    keys = [*members.by_key]
    told = {*kind.entity.fields} - {name for name, _, _ in kind.computed}
    found = [state.at(members, place, {}) for place in range(len(kind.pool))]
    found = [one if one[key] is not None else {**one, key: keys[at % len(keys)]} for at, one in enumerate(found)]
    return [state.computed(kind, one, told) for one in found]


def _failures(
    state: State, entity: Entity, field: str, expression: Expression, drawn: list[EntityFields]
) -> Iterator[str]:
    """Yield how a formula fails for all that are drawn, as they are and with what the file gives."""
    text = str(entity.fields[field]["x-compute"])
    read = [(name, part) for name, part in entity.fields.items() if name in text and "x-compute" not in part]
    values = [(name, value) for name, part in read for key in ("enum", "examples") for value in part.get(key, ())]
    given = [("", dict[str, Any]())]
    given += [(f" where {name} is {shown(value)}", {name: value}) for name, value in values if value is not None]
    given += [(f" for the example {shown(example)}", example) for example in entity.examples]
    for told, known in given:
        if all(why := fault_of(expression, state.names({**one, **known})) for one in drawn):
            yield f"{entity.where}: entities.{entity.name}: x-compute of {field!r}: {text!r} fails{told}: {why}"


_DRAWN = 12
"""Entities of a kind with which formulas are tried."""


def find_facts(effects: Effects, population: Population) -> StateFacts:
    """Try every tool with some entities of its kind in each of their states."""
    day = _TODAY.isoformat()
    refusals: set[Refusal] = set()
    mends: set[Mend] = set()
    findable: set[tuple[str, Refusal]] = set()
    works: dict[tuple[str, str], bool] = {}
    by_kind: dict[str, list[CompiledEffect]] = {}
    for effect in effects.values():
        if effect.title and effect.effect.kind not in ("find", "create"):
            by_kind.setdefault(effect.title, []).append(effect)
    for title, own in by_kind.items():
        if not any(effect.needs or effect.states or effect.effect.kind == "delete" for effect in own):
            continue
        made = [effect for effect in effects.values() if effect.title == title and effect.effect.kind == "create"]
        searches = [effect for effect in effects.values() if effect.title == title and effect.effect.kind == "find"]
        for fields in _tried(population, title):
            for effect in own:
                refused = _try(effect, own, fields, day, mends)
                refusals.update(refused)
                findable.update(_findable(refused, searches, fields, day))
                _follow(effect, own, fields, day, works)
            for effect in made:
                _follow(effect, own, effect.changed(fields, ANY, day), day, works, is_made=True)
    return StateFacts(
        refusals=tuple(sorted(refusals)),
        mends=tuple(sorted(mends)),
        dead_ends=frozenset(pair for pair, ever in works.items() if not ever),
        findable=frozenset(findable),
    )


def _tried(population: Population, title: str) -> list[EntityFields]:
    """Return entities of a kind in all states."""
    found = []
    for place, fields in enumerate(population.samples(title, _TRIED)):
        found.append(fields)
        found += [{**fields, **states} for states in population.kinds[title].all_states] if place < 2 else []
    return found


def _try(
    effect: CompiledEffect, own: list[CompiledEffect], fields: EntityFields, day: str, mends: set[Mend]
) -> tuple[Refusal, ...]:
    """Return how a tool fails for an entity, if it does; note which other tools help."""
    refused = effect.refuse_one(None, fields, ANY, day)
    if refused is None:
        return ()
    for other in own:
        if other.effect.reads or other.effect.kind == "delete" or other is effect:
            continue
        for arguments in _asking(other):
            if other.refuse_one(None, fields, arguments, day) is None:
                after = other.changed(fields, arguments, day)
                if effect.refuse_one(None, after, ANY, day) is None and not _leads_back(effect, fields, after, day):
                    mends.add(Mend(effect.tool, effect.title, refused.error, other.tool, tuple(arguments.items())))
    return (Refusal(effect.tool, effect.title, refused.error),)


def _leads_back(effect: CompiledEffect, before: EntityFields, after: EntityFields, day: str) -> bool:
    """Whether a call restores the state from which another one has led: to close what was opened only to be closed makes no sense."""
    done = effect.changed(after, ANY, day)
    return effect.effect.kind in ("update", "move") and all(done[field] == before[field] for field in effect.states)


def _findable(
    refused: tuple[Refusal, ...], searches: list[CompiledEffect], fields: EntityFields, day: str
) -> Iterator[tuple[str, Refusal]]:
    """Yield the searches that find an entity, with how another tool fails for it."""
    for search in searches if refused else ():
        if search.matches(fields, ANY, day):
            yield from [(search.tool, one) for one in refused]


def _asking(effect: CompiledEffect) -> list[Arguments]:
    """Return arguments that choose the state that a call leads to; none where there is one state only."""
    named: list[Arguments] = [
        {field: state} for field in effect.states if field in effect.taken for state in effect.choices.get(field, ())
    ]
    return named or [ANY]


def _follow(
    effect: CompiledEffect,
    own: list[CompiledEffect],
    fields: EntityFields,
    day: str,
    works: dict[tuple[str, str], bool],
    *,
    is_made: bool = False,
) -> None:
    """Note which tools succeed after this one for the same entity."""
    if not is_made and effect.refuse_one(None, fields, ANY, day) is not None:
        return
    after = fields if is_made or effect.effect.reads else effect.changed(fields, ANY, day)
    for other in own:
        if other is not effect:
            fine = effect.effect.kind != "delete" and other.refuse_one(None, after, ANY, day) is None
            works[effect.tool, other.tool] = works.get((effect.tool, other.tool), False) or fine
