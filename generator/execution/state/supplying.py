"""Adds entities before a conversation begins: those that searches are to find and calls are to be about."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from generator.errors import CannotFillError
from generator.execution.functions import minutes_of
from generator.execution.state.effects import CompiledEffect
from generator.execution.state.population import EntityFields, all_states
from generator.execution.state.state import State
from generator.seeds import Draw

_LOOKED_AT = 128
"""The most entities of the pool that are examined for one that fits."""
_MOST = 4
"""The most entities that are added because they belong to another one."""
Effects = Mapping[str, CompiledEffect]
Said = dict[str, Any]


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
        return list(self.state.all(self.effect.title).values())

    def goes_through(self, fields: EntityFields, said: Said | None = None) -> bool:
        """Whether all tools of `then` succeed for an entity, one after the other; with arguments, the call itself before them."""
        tools = self.then if said is None else (self.effect.tool, *self.then)
        for number, tool in enumerate(tools):
            effect = self.effects.get(tool)
            if effect is None or effect.title != self.effect.title or effect.effect.kind in ("find", "create"):
                continue
            arguments = said if said is not None and number == 0 else {}
            if effect.refuse_one(None, fields, arguments, self.day) is not None:
                return False
            if effect.effect.kind == "delete":
                return number == len(tools) - 1
            if not effect.effect.reads:
                fields = effect.changed(fields, arguments, self.day)
        return True

    def take(self, place: int, fields: EntityFields) -> EntityFields:
        """Add a candidate to the state, and return its fields."""
        return self.state.take(self.effect.title, place, fields)


def supply(fit: Fit, said: Said, wanted: int = 1) -> int:
    """Make sure that a search finds entities with which later tools succeed; return how many it finds."""
    effect, state, used = fit.effect, fit.state, 0
    if effect.effect.kind != "find":
        return wanted
    for fields in [one for one in fit.existing if effect.matches(one, said, fit.day, fit.state)]:
        used += 1
        provide(fit, fields)
        _mend(fit, fields, said)
    known, called = effect.known(said, fit.day), state.kind(effect.title).entity.called
    if len(called) == 1 and called[0] in known:
        wanted = min(wanted, max(1, fit.fewest))  # people do not have several things of one name
    return _add(fit, said, known, used, wanted) if state.is_open else used


def _add(fit: Fit, said: Said, known: EntityFields, used: int, wanted: int) -> int:
    """Add entities that a search finds until there are as many as wanted, or no more names; return how many it finds."""
    effect, called = fit.effect, fit.state.kind(fit.effect.title).entity.called
    for place, fields in candidates(fit.state, effect.title, known, fit.draw):
        if used >= wanted:
            break
        if effect.matches(fields, said, fit.day, fit.state) and fit.goes_through(fields):
            if (
                len(called) == 1
                and used >= fit.fewest
                and any(one[called[0]] == fields[called[0]] for one in fit.existing)
            ):
                break  # there are no more names
            provide(fit, fit.take(place, fields))
            used += 1
    return used


def supply_refused(fit: Fit, said: Said, refusing: CompiledEffect, error: str) -> bool:
    """Make sure that a search finds something, all of which a tool refuses with an error; return whether it does."""
    effect, state, day = fit.effect, fit.state, fit.day

    def is_refused(fields: EntityFields) -> bool:
        """Whether the tool gives that error for an entity that the search finds."""
        refused = refusing.refuse_one(state, fields, {}, day)
        return refused is not None and refused.error == error and effect.matches(fields, said, day, state)

    found = [fields for fields in fit.existing if effect.matches(fields, said, day, state)]
    for fields in found:
        if not is_refused(fields) and not _change_states(fit, fields, is_refused):
            return False
    if found:
        return True
    used, wanted = 0, fit.draw.between(1, _MOST - 1)
    for place, fields in candidates(state, effect.title, effect.known(said, day), fit.draw):
        if used < wanted and is_refused(fields):
            fit.take(place, fields)
            used += 1
    return used > 0


def _change_states(fit: Fit, fields: EntityFields, fits: Callable[[EntityFields], bool]) -> bool:
    """Move an entity into states in which it fits, if there are any; return whether there are."""
    kind = fit.state.kind(fit.effect.title)
    for states in all_states(kind.entity):
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


def _mend(fit: Fit, fields: EntityFields, said: Said) -> None:
    """Move an entity, if possible, into states in which the tools called afterwards succeed for it."""
    if fit.state.is_open and not fit.goes_through(fields):
        _change_states(
            fit, fields, lambda other: fit.effect.matches(other, said, fit.day, fit.state) and fit.goes_through(other)
        )


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
    for place, fields in candidates(state, title, known or {}, draw):
        if effect is not None:
            refused = effect.refuse_one(state, fields, {}, day)
            if (refused.error if refused else "") != error:
                continue
        return state.take(title, place, fields)
    tool = effect.tool if effect is not None else ""
    raise CannotFillError(f"no {title} came up for which {tool} {'gives ' + error if error else 'succeeds'}")


def candidates(state: State, title: str, known: EntityFields, draw: Draw) -> Iterator[tuple[int, EntityFields]]:
    """Yield unused entities from the pool, first those whose names differ from all that exist; none at the same time as another where there is one at a time."""
    entity = state.kind(title).entity
    start, names = draw.below(state.size(title)), entity.called[:1]
    late: list[tuple[int, EntityFields]] = []
    for place, fields in _from_pool(state, title, known, start):
        if entity.one_at_a_time and any(
            _overlap(fields, one, *entity.one_at_a_time) for one in state.all(title).values()
        ):
            continue
        if (
            names
            and names[0] not in known
            and any(one[names[0]] == fields[names[0]] for one in state.all(title).values())
        ):
            late.append((place, fields))
        else:
            yield place, fields
    for place, fields in late:
        if state.place(title, place) == place:
            yield place, fields


def _overlap(one: EntityFields, other: EntityFields, on: str, start: str, minutes: str) -> bool:
    """Whether two things are at the same time of one day."""
    if one[on] != other[on]:
        return False
    first, second = sorted((one, other), key=lambda fields: str(fields[start]))
    return minutes_of(first[start]) + int(first[minutes]) > minutes_of(second[start])


def _from_pool(state: State, title: str, known: EntityFields, start: int) -> Iterator[tuple[int, EntityFields]]:
    """Yield unused entities from a place of the pool on, first as they are and then in all states."""
    seen = set()
    for number in range(_LOOKED_AT):
        place = state.place(title, start + number)
        if place in seen:
            continue
        seen.add(place)
        yield place, state.candidate(title, place, known)
        for states in all_states(state.kind(title).entity) if number % 4 == 0 else ():
            if state.place(title, place) != place:  # it is in use
                break
            if not known.keys() & states.keys():
                yield place, state.candidate(title, place, {**known, **states})
