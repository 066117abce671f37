"""Fit the drawn arguments of a call so that it succeeds: they name entities that exist, or that are put in for it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from generator.errors import CannotFillError
from generator.execution.state.population import EntityFields
from generator.execution.state.supplying import Fit, Fits, Said, add, provide, provide_for_all, supply
from generator.execution.state.texts import Refused

_FEWEST, _MOST = 2, 4
"""How many a search finds as a rule."""
_NEW = 6
"""How often entities are put in for the arguments of a call that makes something, until it is not refused."""


def fitted_arguments(fit: Fit, said: Said) -> Said:
    """Return drawn arguments, changed so that the call succeeds.

    Raises:
        CannotFillError: when no such arguments are found.
    """
    effect = fit.effect
    kind = effect.effect.kind
    if effect.refers:
        said = _with_references(fit, said)
    if fit.meant and any(name in effect.effect.by for name in fit.meant):
        return provide_for_all(fit, _without_conflicts(fit, said)) if kind == "find" else said
    if kind == "find":
        return _fit_search(fit, said)
    if effect.title and kind != "create" and (effect.equal or effect.tests):
        said = _fit_name(fit, said) if effect.names and fit.state.is_open else _fit_one(fit, said)
    refused = effect.refuse(fit.state, said, fit.day) if not fit.meant else None
    for _ in range(_NEW if effect.refers and kind == "create" and fit.state.is_open else 0):
        if not isinstance(refused, Refused):
            break
        said = _with_references(fit, said, is_new=True)
        refused = effect.refuse(fit.state, said, fit.day)
    if isinstance(refused, Refused):
        raise CannotFillError(f"{effect.tool}: {refused.content}")
    return said


def _with_references(fit: Fit, said: Said, *, is_new: bool = False) -> Said:
    """Return the arguments with keys of entities that exist, or that are put in."""
    filters = [name for name, _ in fit.effect.equal]
    for argument, title, _ in fit.effect.refers:
        value = said.get(argument)
        if value is None or argument in filters or argument in fit.meant:
            continue
        keys, several = [] if is_new else list(fit.state.all(title)), type(value) is list
        while len(keys) < (len(value) if several else 1) and fit.state.is_open:
            keys.append(add(fit.state, None, title, fit.draw, fit.day)[fit.state.kind(title).entity.key])
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        said = {**said, argument: fit.draw.shuffled(keys)[: len(value)] if several else fit.draw.choice(keys)}
    return said


def _fit_one(fit: Fit, said: Said) -> Said:
    """Return the arguments that say which entity a call is about, taken from one for which it succeeds."""
    effect = fit.effect

    def is_able(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity that it can name, and what comes then."""
        return (
            effect.can_be_said(fields)
            and not (effect.can_refuse and effect.refuse_one(fit.state, fields, said, fit.day))
            and fit.goes_through(fields, said)
        )

    if fit.agreed and _is_for(fit, said, is_able):
        return said
    wanted = max([len(value) for name, _ in effect.equal if type(value := said.get(name)) is list], default=1)
    chosen: list[EntityFields] = []
    for fields in fit.draw.shuffled(fit.existing):
        if len(chosen) < wanted and fields[effect.key] not in fit.named and is_able(fields):
            chosen.append(fields)
    while len(chosen) < wanted and (added := fit.put_in({}, is_able)) is not None:
        chosen.append(added)
    if not chosen:
        raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} for which it succeeds")
    for fields in chosen if fit.then else ():
        provide(fit, fields)
    held = [pair for pair in effect.equal if pair[0] in said] or effect.equal[:1]
    return _with_values(said, chosen, held)


def _is_for(fit: Fit, said: Said, is_able: Fits) -> bool:
    """Whether the call succeeds for what its arguments name already, after that is put in if it is not there."""
    known = {field: said[name] for name, field in fit.effect.equal if said.get(name) is not None}
    if list in map(type, known.values()):
        return False
    for one in fit.existing:
        if all(one[field] == value for field, value in known.items()) and is_able(one):
            return True
    return fit.effect.key not in known and fit.put_in(known, is_able) is not None


def _with_values(said: Said, chosen: Sequence[EntityFields], held: Sequence[tuple[str, str]]) -> Said:
    """Return the arguments with those set that must equal a field of an entity."""
    for name, field in held:
        several = type(said.get(name)) is list
        said = {**said, name: [one[field] for one in chosen] if several else chosen[0][field]}
    return said


def _fit_name(fit: Fit, said: Said) -> Said:
    """Return the arguments, after entities with the names in them are put in if there are none."""
    effect = fit.effect

    def is_able(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity, and what comes then."""
        return effect.refuse_one(fit.state, fields, said, fit.day) is None and fit.goes_through(fields, said)

    for name, field in effect.equal:
        others = effect.names.get(name, ())
        for value in _listed(said.get(name)) if others else ():
            is_there = any(one[other] == value for one in fit.existing for other in (field, *others))
            if not is_there and fit.put_in({others[0]: value}, is_able) is None:
                raise CannotFillError(f"{effect.tool}: no {effect.noun} came up for which it succeeds")
    return said


def _listed(value: Any) -> list[Any]:
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search that finds something."""
    effect = fit.effect
    said = _with_what_exists(fit, _without_conflicts(fit, said))
    naming = [name for name, field in effect.equal if field in effect.naming]
    naming += [name for name, field, _ in effect.given if field in effect.naming]
    is_one = any(said.get(name) is not None for name in naming)
    wanted = fit.fewest if is_one else fit.draw.between(max(_FEWEST, fit.fewest), max(_MOST, fit.fewest))
    wanted = wanted if fit.state.is_open else 1
    for eased in _eased(fit, said):
        if supply(fit, eased, wanted):
            return eased
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


def _eased(fit: Fit, said: Said) -> Iterator[Said]:
    """Yield the arguments, and then easier ones: words that are there, and fewer filters."""
    yield said
    for name, _, fields in fit.effect.tests:
        if name is None or said.get(name) is None:
            continue
        if isinstance(said[name], str):
            said = _with_text(fit, said, name, fields)
        elif name not in fit.effect.required:
            said = _without(said, name)
        yield said


def _with_what_exists(fit: Fit, said: Said) -> Said:
    """Return the arguments with values of an entity where those that a filter takes from one name none."""
    effect = fit.effect
    held = [
        (name, field)
        for name, field in effect.equal
        if said.get(name) is not None and _must_exist(fit, said, name, field)
    ]
    if held:
        references = dict(fit.state.kind(effect.title).references)
        if not fit.agreed or any(
            said[name] not in fit.state.all(references.get(field, effect.title)) for name, field in held
        ):
            return _with_values(said, [_base(fit, held)], held)
    return said


def _without(said: Said, name: str) -> Said:
    return {key: value for key, value in said.items() if key != name}


def _must_exist(fit: Fit, said: Said, name: str, field: str) -> bool:
    """Whether a filter takes its value from an entity that is there: keys, and all once nothing can be put in any more."""
    tests = fit.state.kind(fit.effect.title).tests
    return not fit.state.is_open or name in fit.effect.settled or not tests[field](said[name])


def _with_text(fit: Fit, said: Said, name: str, fields: Collection[str]) -> Said:
    """Return the arguments with a text that one of the entities has, where a filter looks for words in one field."""
    for one in fit.draw.shuffled(fit.existing):
        for field in fields:
            other = {**said, name: one[field]}
            if isinstance(one[field], str) and fit.effect.matches(one, other, fit.day, fit.state):
                return other
    return said if name in fit.effect.required else _without(said, name)


def _base(fit: Fit, held: Sequence[tuple[str, str]]) -> EntityFields:
    """Return an entity that a search shall find: one that no other call is about, if it is called by its name."""
    effect = fit.effect
    naming = [field for _, field in held if field in effect.naming]

    def is_able(fields: EntityFields) -> bool:
        """Whether a search may find the entity, and later tools succeed for it."""
        can_be_said = all(fields[field] in effect.choices[name] for name, field in held if name in effect.choices)
        return can_be_said and effect.matches(fields, {}, fit.day, fit.state) and fit.goes_through(fields)

    for fields in fit.draw.shuffled(fit.existing):
        if not any(fields[field] in fit.named for field in naming) and is_able(fields):
            return fields
    added = fit.put_in({}, is_able)
    if added is None:
        raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} to be found")
    return added


def _without_conflicts(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search without those that keep out everything for which the tools that come then succeed."""
    effect = fit.effect
    if not fit.then or not effect.states:
        return said
    existing, all_states = fit.existing, fit.state.kind(effect.title).all_states
    samples = [*existing, *[{**one, **states} for one in existing[:1] for states in all_states]]
    for name, field in effect.equal:
        if name in effect.required or said.get(name) is None or field not in effect.states:
            continue
        if not any(one[field] == said[name] and fit.goes_through(one) for one in samples):
            said = _without(said, name)
    return said
