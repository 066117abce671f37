"""StateFacts about tools, found when they are loaded by trying each in every state of its entity."""

from collections.abc import Iterator
from datetime import date

import msgspec

from generator.world.state.effects import CompiledEffect
from generator.world.state.population import EntityFields, Population
from generator.world.state.supplying import Effects

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
                _follow(effect, own, effect.changed(fields, {}, day), day, works, is_made=True)
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
    refused = effect.refuse_one(None, fields, {}, day)
    if refused is None:
        return ()
    for other in own:
        if other.effect.reads or other.effect.kind == "delete" or other is effect:
            continue
        for arguments in _asking(other):
            if other.refuse_one(None, fields, arguments, day) is None:
                after = other.changed(fields, arguments, day)
                if effect.refuse_one(None, after, {}, day) is None and not _leads_back(effect, fields, after, day):
                    mends.add(Mend(effect.tool, effect.title, refused.error, other.tool, tuple(arguments.items())))
    return (Refusal(effect.tool, effect.title, refused.error),)


def _leads_back(effect: CompiledEffect, before: EntityFields, after: EntityFields, day: str) -> bool:
    """Whether a call restores the state from which another one has led: to close what was opened only to be closed makes no sense."""
    done = effect.changed(after, {}, day)
    return effect.effect.kind in ("update", "move") and all(done[field] == before[field] for field in effect.states)


def _findable(
    refused: tuple[Refusal, ...], searches: list[CompiledEffect], fields: EntityFields, day: str
) -> Iterator[tuple[str, Refusal]]:
    """Yield the searches that find an entity, with how another tool fails for it."""
    for search in searches if refused else ():
        if search.matches(fields, {}, day):
            yield from [(search.tool, one) for one in refused]


def _asking(effect: CompiledEffect) -> list[dict[str, str]]:
    """Return arguments that choose the state that a call leads to; none where there is one state only."""
    named = [
        {field: state} for field in effect.states if field in effect.taken for state in effect.choices.get(field, ())
    ]
    return named or [{}]


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
    if not is_made and effect.refuse_one(None, fields, {}, day) is not None:
        return
    after = fields if is_made or effect.effect.reads else effect.changed(fields, {}, day)
    for other in own:
        if other is not effect:
            fine = effect.effect.kind != "delete" and other.refuse_one(None, after, {}, day) is None
            works[effect.tool, other.tool] = works.get((effect.tool, other.tool), False) or fine
