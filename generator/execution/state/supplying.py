"""Puts in entities before a conversation begins: those that searches are to find and calls are to be about."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from generator.errors import CannotFillError
from generator.execution.state.effects import CompiledEffect
from generator.execution.state.population import EntityFields
from generator.execution.state.state import Members, State
from generator.seeds import Draw

_LOOKED_AT = 64
"""The most places of a pool that are looked at for an entity that fits."""
_LOOKED_FOR_NAME = 16
"""The most that are looked at for one with a name of its own."""
_LOOKED_FOR_EXTRA = 12
"""The most that are looked at for an entity that nothing needs."""
_IN_EACH_STATE = 3
"""Places whose entities are looked at in each of their states, where none fits as it is."""
_MOST = 4
"""The most entities that are added because they belong to another one."""
Effects = Mapping[str, CompiledEffect]
Said = dict[str, Any]
Fits = Callable[[EntityFields], bool]


def put_in(
    state: State, title: str, draw: Draw, known: EntityFields, fits: Fits | None = None, *, is_extra: bool = False
) -> EntityFields | None:
    """Put in an entity with the known fields that fits, and return it; None where the pool has none, or after the first call.

    It has a name that no other has if one comes up. For an extra one, which nothing needs, few places are looked at, and
    none has the name of another where people know the kind by its names alone.
    """
    members = state.members(title)
    kind = members.kind
    if not state.is_open or (kind.are_named and kind.entity.key not in known):
        return None
    places = _in_turn(kind.places(known), draw.rand())
    found = _look(state, members, places[: _LOOKED_FOR_EXTRA if is_extra else _LOOKED_AT], known, fits)
    for states in kind.all_states if found is None and not is_extra else ():
        found = found or _look(state, members, places[:_IN_EACH_STATE], {**states, **known}, fits)
    if found is None or (is_extra and found.is_namesake and len(kind.entity.called) == 1):
        return None
    return state.take(members, found.place, found.fields)


class _Found(NamedTuple):
    """An entity in the pool that could be put in."""

    place: int
    fields: EntityFields
    is_namesake: bool
    """Whether another one has its name."""


def _look(
    state: State, members: Members, places: Sequence[int], known: EntityFields, fits: Fits | None
) -> _Found | None:
    """Return the first entity at these places of the pool that fits, one with a name of its own if there is one near."""
    name = next((field for field in members.kind.entity.called[:1] if field not in known), None)
    namesake, left = None, len(places)
    for place in places:
        if place in members.used:
            continue
        fields = state.at(members, place, known)
        if members.is_free(fields) and (fits is None or fits(fields)):
            if name is None or fields[name] not in members.names:
                return _Found(place, fields, False)
            namesake, left = namesake or _Found(place, fields, True), min(left, _LOOKED_FOR_NAME)
        left -= 1
        if not left:
            break
    return namesake


def _in_turn(places: Sequence[int], start: float) -> Sequence[int]:
    """Return the places from a random one on."""
    first = int(start * len(places))
    return (*places[first:], *places[:first])


def add(
    state: State,
    effect: CompiledEffect | None,
    title: str,
    draw: Draw,
    day: str,
    error: str = "",
    known: EntityFields | None = None,
) -> EntityFields:
    """Add an entity for which a tool with this effect succeeds or gives an error (see `Scene.add`), and return its fields.

    Raises:
        CannotFillError: when no such entity is found, or the conversation has begun.
    """

    def answers(fields: EntityFields) -> bool:
        """Whether the tool answers so."""
        refused = effect.refuse_one(state, fields, {}, day) if effect is not None else None
        return (refused.error if refused is not None else "") == error

    found = put_in(state, title, draw, known or {}, answers if effect is not None else None)
    if found is None:
        tool = effect.tool if effect is not None else ""
        raise CannotFillError(f"no {title} came up for which {tool} {'gives ' + error if error else 'succeeds'}")
    return found


class Fit(msgspec.Struct, frozen=True):
    """A call for which entities and arguments are fitted, and what is known of the conversation around it."""

    state: State
    """The entities that exist; more can be added until the first call is made."""
    effects: Effects
    """The effects of all tools."""
    effect: CompiledEffect
    """The effect of the called tool."""
    draw: Draw
    """The row's random numbers."""
    day: str
    """Today's date."""
    then: Sequence[str] = ()
    """Tools that will be called in turn for the entity of this call, and must succeed too."""
    meant: Collection[str] = ()
    """Arguments whose values will come from results."""
    named: Collection[Any] = ()
    """Keys and names of entities that other calls are about."""
    fewest: int = 1
    """The least number that a search finds, as long as entities can be added."""
    agreed: bool = False
    """Whether the arguments were chosen to go with those of other calls, and are kept if the call then succeeds."""

    @property
    def existing(self) -> list[EntityFields]:
        """Return the entities of the kind that the call is about."""
        return list(self.state.every(self.effect.title))

    def put_in(self, known: EntityFields, fits: Fits | None, *, is_extra: bool = False) -> EntityFields | None:
        """Put in an entity for the call; see `put_in`."""
        return put_in(self.state, self.effect.title, self.draw, known, fits, is_extra=is_extra)

    def goes_through(self, fields: EntityFields, said: Said | None = None) -> bool:
        """Whether all tools of `then` succeed for an entity, one after the other; with arguments, the call itself before them."""
        tools = self.then if said is None else (self.effect.tool, *self.then)
        for number, tool in enumerate(tools):
            effect = self.effects.get(tool)
            if effect is None or effect.title != self.effect.title or effect.effect.kind in ("find", "create"):
                continue
            arguments = said if said is not None and number == 0 else {}
            if effect.can_refuse and effect.refuse_one(None, fields, arguments, self.day) is not None:
                return False
            if effect.effect.kind == "delete":
                return number == len(tools) - 1
            if number < len(tools) - 1 and not effect.effect.reads:
                fields = effect.changed(fields, arguments, self.day)
        return True


def supply(fit: Fit, said: Said, wanted: int = 1) -> int:
    """Make sure that a search finds entities with which later tools succeed; return how many it finds."""
    effect, state, day = fit.effect, fit.state, fit.day
    if effect.effect.kind != "find":
        return wanted

    def is_found(fields: EntityFields) -> bool:
        """Whether the search finds an entity, and later tools succeed for it."""
        return effect.matches(fields, said, day, state) and fit.goes_through(fields)

    found = effect.select(state.every(effect.title), said, day, state)
    for fields in found if fit.then and state.is_open else ():
        provide(fit, fields)
        if not fit.goes_through(fields):
            _change_states(fit, fields, is_found)
    if len(found) >= wanted or not state.is_open:
        return len(found)
    is_sure = not effect.tests and not fit.then and list not in map(type, said.values())
    return _add_found(fit, said, None if is_sure else is_found, len(found), wanted)


def _add_found(fit: Fit, said: Said, is_found: Fits | None, used: int, wanted: int) -> int:
    """Put in entities that a search finds until there are as many as wanted, or no more come up; return how many it finds."""
    known, called = fit.effect.known(said, fit.day), fit.state.kind(fit.effect.title).entity.called
    if len(called) == 1 and called[0] in known:
        wanted = min(wanted, max(1, fit.fewest))  # people do not have several things of one name
    while used < wanted:
        added = fit.put_in(known, is_found, is_extra=used >= fit.fewest)
        if added is None:
            break
        provide(fit, added)
        used += 1
    return used


def supply_refused(fit: Fit, said: Said, refusing: CompiledEffect, error: str) -> bool:
    """Make sure that a search finds something, all of which a tool refuses with an error; return whether it does."""
    effect, state, day = fit.effect, fit.state, fit.day

    def is_refused(fields: EntityFields) -> bool:
        """Whether the tool gives that error for an entity that the search finds."""
        refused = refusing.refuse_one(state, fields, {}, day)
        return refused is not None and refused.error == error and effect.matches(fields, said, day, state)

    found = effect.select(state.every(effect.title), said, day, state)
    if found:
        return all(is_refused(fields) or _change_states(fit, fields, is_refused) for fields in found)
    known = effect.known(said, day)
    added = [fit.put_in(known, is_refused) for _ in range(fit.draw.between(1, _MOST - 1))]
    return added[0] is not None


def _change_states(fit: Fit, fields: EntityFields, fits: Fits) -> bool:
    """Move an entity into states in which it fits, if there are any; return whether there are."""
    kind = fit.state.kind(fit.effect.title)
    for states in kind.all_states:
        other = fit.state.computed(kind, {**fields, **states}, set(states))
        if fits(other):
            fit.state.put(fit.effect.title, other)
            return True
    return False


def provide(fit: Fit, fields: EntityFields) -> None:
    """Make sure that searches for what belongs to an entity find something."""
    state, title = fit.state, fit.effect.title
    for number, tool in enumerate(fit.then if state.is_open else ()):
        effect = fit.effects.get(tool)
        if effect is None or effect.effect.kind != "find":
            continue
        holds = dict(state.kind(effect.title).references)
        for name, field in effect.equal:
            if holds.get(field) == title:
                key = fields[state.kind(title).entity.key]
                found = msgspec.structs.replace(fit, effect=effect, then=fit.then[number + 1 :])
                supply(found, {name: key}, fit.draw.between(1, _MOST))


def provide_for_all(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search for what belongs to any entity of an earlier result; it finds something for each of them."""
    holds = dict(fit.state.kind(fit.effect.title).references)
    for name, field in fit.effect.equal:
        if name in fit.meant and field in holds:
            for key in list(fit.state.all(holds[field])) if fit.state.is_open else ():
                if not supply(fit, {**said, name: key}, fit.draw.between(1, _MOST)):
                    said = _required_only(fit.effect, said)
                    supply(fit, {**said, name: key}, fit.draw.between(1, _MOST))
    return said


def _required_only(effect: CompiledEffect, said: Said) -> Said:
    """Return the arguments without optional filters."""
    filters = {name for name, _ in effect.equal} | {name for name, _, _ in effect.tests if name is not None}
    return {name: value for name, value in said.items() if name in effect.required or name not in filters}
