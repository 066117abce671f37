"""Fit the drawn arguments of a call so that it succeeds: they name entities that exist, or that are added for it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from generator.errors import CannotFillError
from generator.execution.state.effects import CompiledEffect
from generator.execution.state.population import Fields, all_states
from generator.execution.state.state import State
from generator.execution.state.texts import Refused
from generator.seeds import Draw

_LOOKED_AT = 128
"""Entities of the pool that are looked at for one that fits."""
_FEWEST, _MOST = 2, 4
"""How many a search finds as a rule."""
Effects = Mapping[str, CompiledEffect]
Said = dict[str, Any]


def fit(
    state: State,
    effects: Effects,
    tool: str,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str] = (),
    meant: Collection[str] = (),
    named: Collection[Any] = (),
    fewest: int = 1,
) -> Said:
    """Drawn arguments, changed so that the call succeeds.

    Args:
        state: What exists. As long as nothing has happened, what is missing is put in.
        effects: The effects of all tools.
        tool: The tool that is called.
        said: Its arguments as they were drawn.
        draw: The row's random numbers.
        day: Today.
        then: Tools that will be called in turn for what this call is about, and must succeed too.
        meant: Arguments whose values will come from results.
        named: Keys and names that other calls are about.
        fewest: How many a search finds at least, as long as something can be put in.

    Raises:
        CannotFillError: when no such arguments are found.
    """
    effect = effects.get(tool)
    if effect is None:
        return said
    said = _with_references(state, effect, said, draw, meant)
    if any(name in effect.effect.by for name in meant):
        return _provide_for_all(state, effects, effect, said, draw, day, then, meant)
    if effect.effect.kind == "find":
        return _fit_search(state, effects, effect, said, draw, day, then, named, fewest)
    if effect.title and effect.effect.kind != "create" and (effect.equal or effect.tests):
        said = _fit_one(state, effects, effect, said, draw, day, then, named)
    refused = effect.refuse(state, said, day) if not meant else None
    if isinstance(refused, Refused):
        raise CannotFillError(f"{tool}: {refused.content}")
    return said


def supply(
    state: State, effects: Effects, tool: str, said: Said, draw: Draw, day: str, then: Sequence[str] = (), wanted: int = 1
) -> int:
    """Make sure that a search finds entities with which later tools succeed; return how many it finds."""
    effect = effects.get(tool)
    if effect is None or effect.effect.kind != "find":
        return wanted
    own, used = state.all(effect.title), 0
    for fields in [one for one in own.values() if effect.matches(one, said, day)]:
        used += 1
        _provide(state, effects, effect.title, fields, then, draw, day)
        _mend(state, effects, effect, fields, said, then, day)
    if used >= wanted or not state.is_open:
        return used
    known = {field: said[name] for name, field in effect.equal if said.get(name) is not None and type(said[name]) is not list}
    for place, fields in _candidates(state, effect.title, known, draw):
        if effect.matches(fields, said, day) and _goes_through(effects, effect.title, fields, then, day):
            fields = state.take(effect.title, place, fields)
            _provide(state, effects, effect.title, fields, then, draw, day)
            used += 1
            if used >= wanted:
                break
    return used


def add(
    state: State, effects: Effects, title: str, draw: Draw, day: str, tool: str = "", error: str = "", known: Fields | None = None
) -> Fields:
    """Put in an entity for which a tool succeeds or gives an error.

    Raises:
        CannotFillError: when no such entity is found, or the conversation has begun.
    """
    effect = effects[tool] if tool else None
    for place, fields in _candidates(state, title, known or {}, draw):
        if effect is not None:
            refused = effect.refuse_one(state, fields, {}, day)
            if (refused.error if refused else "") != error:
                continue
        return state.take(title, place, fields)
    raise CannotFillError(f"no {title} came up for which {tool} {'gives ' + error if error else 'succeeds'}")


def _with_references(
    state: State, effect: CompiledEffect, said: Said, draw: Draw, meant: Collection[str]
) -> Said:
    """The arguments with keys of entities that exist."""
    filters = {name for name, _ in effect.equal}
    for argument, title, _ in effect.refers:
        if argument not in said or said[argument] is None or argument in filters or argument in meant:
            continue
        keys, value = list(state.all(title)), said[argument]
        while len(keys) < (len(value) if type(value) is list else 1) and state.is_open:
            keys.append(add(state, {}, title, draw, "")[state.kind(title).entity.key])
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        said = {**said, argument: draw.shuffled(keys)[: len(value)] if type(value) is list else draw.choice(keys)}
    return said


def _fit_one(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str],
    named: Collection[Any],
) -> Said:
    """The arguments that say which entity a call is about, taken from one for which it succeeds."""
    own = state.all(effect.title)
    able = [
        fields
        for fields in own.values()
        if effect.refuse_one(state, fields, said, day) is None and _goes_through(effects, effect.title, fields, (effect.tool, *then), day, said)
    ]
    if effect.names and state.is_open:
        return _fit_name(state, effects, effect, said, draw, day, then, named)
    fresh = [fields for fields in able if fields[effect.key] not in named]
    wanted = max([len(value) for name, _ in effect.equal if type(value := said.get(name)) is list], default=0)
    while len(fresh) < max(wanted, 1) and state.is_open:
        fresh.append(_add_known(state, effects, effect, {}, said, draw, day, then))
    if not fresh:
        raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} for which it succeeds")
    chosen = draw.shuffled(fresh)[: max(wanted, 1)]
    for fields in chosen:
        _provide(state, effects, effect.title, fields, then, draw, day)
    given = [name for name, _ in effect.equal if name in said] or [name for name, _ in effect.equal][:1]
    return _with_values(said, chosen, [(name, field) for name, field in effect.equal if name in given])


def _with_values(said: Said, chosen: Sequence[Fields], held: Sequence[tuple[str, str]]) -> Said:
    """Return the arguments with those set that must equal a field of an entity."""
    for name, field in held:
        several = type(said.get(name)) is list
        said = {**said, name: [one[field] for one in chosen] if several else chosen[0][field]}
    return said


def _fit_name(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str],
    named: Collection[Any],
) -> Said:
    """Return the arguments, after adding entities with the names in them if there are none."""
    own = state.all(effect.title)
    for name, field in effect.equal:
        others = effect.names.get(name, ())
        for value in _listed(said.get(name)) if others else ():
            if not any(one[other] == value for one in own.values() for other in (field, *others)):
                _add_known(state, effects, effect, {others[0]: value}, said, draw, day, then)
    return said


def _add_known(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    known: Fields,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str],
) -> Fields:
    """Put in an entity with some fields for which the call succeeds, and the tools that come then."""
    for place, fields in _candidates(state, effect.title, known, draw):
        fine = effect.refuse_one(state, fields, said, day) is None
        if fine and _goes_through(effects, effect.title, fields, (effect.tool, *then), day, said):
            return state.take(effect.title, place, fields)
    raise CannotFillError(f"{effect.tool}: no {effect.noun} came up for which it succeeds")


def _listed(value: Any) -> list[Any]:
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str],
    named: Collection[Any],
    fewest: int,
) -> Said:
    """The arguments of a search that finds something."""
    said = _without_conflicts(state, effects, effect, said, then, day)
    held = [(name, field) for name, field in effect.equal if said.get(name) is not None and _must_exist(state, effect, said, name, field)]
    if held:
        said = _with_values(said, [_base(state, effects, effect, said, held, draw, day, then, named)], held)
    is_one = any(said.get(name) is not None and field in effect.naming for name, field in effect.equal)
    wanted = fewest if is_one else draw.between(max(_FEWEST, fewest), max(_MOST, fewest))
    wanted = wanted if state.is_open else 1
    if supply(state, effects, effect.tool, said, draw, day, then, wanted):
        return said
    for name, _, fields in effect.tests:
        if name is None or said.get(name) is None:
            continue
        if isinstance(said[name], str):
            said = _with_text(state, effect, said, name, fields, draw, day)
        elif name not in effect.required:
            said = {key: value for key, value in said.items() if key != name}
        if supply(state, effects, effect.tool, said, draw, day, then, wanted):
            return said
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


def _must_exist(state: State, effect: CompiledEffect, said: Said, name: str, field: str) -> bool:
    """Whether a filter takes its value from an entity that is there: keys, and all once nothing can be put in any more."""
    own = state.kind(effect.title)
    held = {effect.key, *(reference for reference, _ in own.references)}
    return not state.is_open or field in held or not own.tests[field](said[name])


def _with_text(
    state: State, effect: CompiledEffect, said: Said, name: str, fields: Collection[str], draw: Draw, day: str
) -> Said:
    """The arguments with a text that one of the entities has, where a filter looks for words in one field."""
    for one in draw.shuffled(list(state.all(effect.title).values())):
        for field in fields:
            other = {**said, name: one[field]}
            if isinstance(one[field], str) and effect.matches(one, other, day):
                return other
    return said if name in effect.required else {key: value for key, value in said.items() if key != name}


def _base(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    said: Said,
    held: Sequence[tuple[str, str]],
    draw: Draw,
    day: str,
    then: Sequence[str],
    named: Collection[Any],
) -> Fields:
    """An entity that a search shall find: one that no other call is about, if it is called by its name."""
    naming = [field for _, field in held if field in effect.naming]

    def is_able(fields: Fields) -> bool:
        """Whether a search may find the entity, and later tools succeed for it."""
        can_be_said = all(
            fields[field] in effect.choices[name] for name, field in held if name in effect.choices
        )
        return can_be_said and effect.matches(fields, {}, day) and _goes_through(effects, effect.title, fields, then, day)

    able = [fields for fields in state.all(effect.title).values() if is_able(fields)]
    able = [fields for fields in able if not any(fields[field] in named for field in naming)]
    if able:
        return draw.choice(able)
    for place, fields in _candidates(state, effect.title, {}, draw) if state.is_open else ():
        if is_able(fields):
            return state.take(effect.title, place, fields)
    raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} to be found")


def _without_conflicts(
    state: State, effects: Effects, effect: CompiledEffect, said: Said, then: Sequence[str], day: str
) -> Said:
    """The arguments of a search without those that keep out everything for which the tools that come then succeed."""
    if not then or not effect.states:
        return said
    samples = [*state.all(effect.title).values(), *_in_all_states(state, effect.title)]
    for name, field in effect.equal:
        if name in effect.required or said.get(name) is None or field not in effect.states:
            continue
        fine = [one for one in samples if one[field] == said[name] and _goes_through(effects, effect.title, one, then, day)]
        if not fine:
            said = {key: value for key, value in said.items() if key != name}
    return said


def _goes_through(
    effects: Effects, title: str, fields: Fields, tools: Sequence[str], day: str, said: Said | None = None
) -> bool:
    """Whether the tools, as far as they are about this kind of entity, all succeed when they are called in turn for one."""
    for number, tool in enumerate(tools):
        effect = effects.get(tool)
        if effect is None or effect.title != title or effect.effect.kind in ("find", "create"):
            continue
        arguments = said if said is not None and number == 0 else {}
        if effect.refuse_one(None, fields, arguments, day) is not None:
            return False
        if effect.effect.kind == "delete":
            return number == len(tools) - 1
        if not effect.effect.reads:
            fields = effect.changed(fields, arguments, day)
    return True


def _provide(
    state: State, effects: Effects, title: str, fields: Fields, then: Sequence[str], draw: Draw, day: str
) -> None:
    """Make sure that searches for what belongs to an entity find something."""
    for number, tool in enumerate(then if state.is_open else ()):
        effect = effects.get(tool)
        if effect is None or effect.effect.kind != "find":
            continue
        holds = dict(state.kind(effect.title).references)
        for name, field in effect.equal:
            if holds.get(field) == title:
                key = fields[state.kind(title).entity.key]
                supply(state, effects, tool, {name: key}, draw, day, then[number + 1 :], draw.between(1, _MOST))


def _provide_for_all(
    state: State,
    effects: Effects,
    effect: CompiledEffect,
    said: Said,
    draw: Draw,
    day: str,
    then: Sequence[str],
    meant: Collection[str],
) -> Said:
    """The arguments of a call about what an earlier result gives; a search finds something whatever that is."""
    if effect.effect.kind != "find":
        return said
    said = _without_conflicts(state, effects, effect, said, then, day)
    holds = dict(state.kind(effect.title).references)
    for name, field in effect.equal:
        if name in meant and field in holds:
            for key in list(state.all(holds[field])) if state.is_open else ():
                if not supply(state, effects, effect.tool, {**said, name: key}, draw, day, then, draw.between(1, _MOST)):
                    said = _required_only(effect, said)
                    supply(state, effects, effect.tool, {**said, name: key}, draw, day, then, draw.between(1, _MOST))
    return said


def _required_only(effect: CompiledEffect, said: Said) -> Said:
    """The arguments without the filters that can be left out."""
    filters = {name for name, _ in effect.equal} | {name for name, _, _ in effect.tests if name is not None}
    return {name: value for name, value in said.items() if name in effect.required or name not in filters}


def _in_all_states(state: State, title: str) -> list[Fields]:
    first = next(iter(state.all(title).values()), None)
    return [] if first is None else [{**first, **states} for states in all_states(state.kind(title).entity)]


def _mend(
    state: State, effects: Effects, effect: CompiledEffect, fields: Fields, said: Said, then: Sequence[str], day: str
) -> None:
    """Put an entity for which the tools that come then do not succeed into states in which they do, if there are such."""
    if not state.is_open or _goes_through(effects, effect.title, fields, then, day):
        return
    for states in all_states(state.kind(effect.title).entity):
        other = state.computed(state.kind(effect.title), {**fields, **states}, set(states))
        if effect.matches(other, said, day) and _goes_through(effects, effect.title, other, then, day):
            state.put(effect.title, other)
            return


def _candidates(state: State, title: str, known: Fields, draw: Draw) -> Iterator[tuple[int, Fields]]:
    """Yield entities from the pool that are not used yet, first as they are and then in all states."""
    start, seen = draw.below(state.size(title)), set()
    for number in range(_LOOKED_AT):
        place = state.place(title, start + number)
        if place in seen:
            continue
        seen.add(place)
        yield place, state.candidate(title, place, known)
        for states in all_states(state.kind(title).entity) if number % 4 == 0 else ():
            if state.place(title, place) != place:  # it was taken
                break
            if not known.keys() & states.keys():
                yield place, state.candidate(title, place, {**known, **states})
