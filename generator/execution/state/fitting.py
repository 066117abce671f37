"""Fit the drawn arguments of a call so that it succeeds: they name entities that exist, or that are added for it."""

from collections.abc import Collection, Sequence
from typing import Any

from generator.errors import CannotFillError
from generator.execution.state.population import EntityFields, all_states
from generator.execution.state.supplying import Fit, Said, add, candidates, provide, provide_for_all, supply
from generator.execution.state.texts import Refused

_FEWEST, _MOST = 2, 4
"""How many a search finds as a rule."""


def fitted_arguments(fit: Fit, said: Said) -> Said:
    """Return drawn arguments, changed so that the call succeeds.

    Raises:
        CannotFillError: when no such arguments are found.
    """
    effect = fit.effect
    said = _with_references(fit, said)
    if any(name in effect.effect.by for name in fit.meant):
        return provide_for_all(fit, _without_conflicts(fit, said)) if effect.effect.kind == "find" else said
    if effect.effect.kind == "find":
        return _fit_search(fit, said)
    if effect.title and effect.effect.kind != "create" and (effect.equal or effect.tests):
        said = _fit_name(fit, said) if effect.names and fit.state.is_open else _fit_one(fit, said)
    refused = effect.refuse(fit.state, said, fit.day) if not fit.meant else None
    if isinstance(refused, Refused) and effect.effect.kind == "create":
        found = _with_new_references(fit, said)
        if found is not None:
            return found
    if isinstance(refused, Refused):
        raise CannotFillError(f"{effect.tool}: {refused.content}")
    return said


def _with_new_references(fit: Fit, said: Said) -> Said | None:
    """Return the arguments of a call that makes something with keys of entities for which it succeeds; None when none comes up."""
    effect = fit.effect
    kinds = {
        argument: title
        for argument, title, _ in effect.refers
        if type(said.get(argument)) in (str, int) and argument not in fit.meant
    }
    for _ in range(_NEW if kinds and fit.state.is_open else 0):
        keys = {
            argument: add(fit.state, None, title, fit.draw, fit.day)[fit.state.kind(title).entity.key]
            for argument, title in kinds.items()
        }
        if not isinstance(effect.refuse(fit.state, {**said, **keys}, fit.day), Refused):
            return {**said, **keys}
    return None


_NEW = 6


def _with_references(fit: Fit, said: Said) -> Said:
    """Return the arguments with keys of entities that exist."""
    filters = {name for name, _ in fit.effect.equal}
    for argument, title, _ in fit.effect.refers:
        if argument not in said or said[argument] is None or argument in filters or argument in fit.meant:
            continue
        keys, value = list(fit.state.all(title)), said[argument]
        while len(keys) < (len(value) if type(value) is list else 1) and fit.state.is_open:
            keys.append(add(fit.state, None, title, fit.draw, fit.day)[fit.state.kind(title).entity.key])
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        said = {
            **said,
            argument: fit.draw.shuffled(keys)[: len(value)] if type(value) is list else fit.draw.choice(keys),
        }
    return said


def _fit_one(fit: Fit, said: Said) -> Said:
    """Return the arguments that say which entity a call is about, taken from one for which it succeeds."""
    effect = fit.effect
    able = [
        fields
        for fields in fit.existing
        if effect.can_be_said(fields)
        and effect.refuse_one(fit.state, fields, said, fit.day) is None
        and fit.goes_through(fields, said)
    ]
    if fit.agreed and _is_for(fit, said, able):
        return said
    fresh = [fields for fields in able if fields[effect.key] not in fit.named]
    wanted = max([len(value) for name, _ in effect.equal if type(value := said.get(name)) is list], default=1)
    while len(fresh) < wanted and fit.state.is_open:
        fresh.append(_add_known(fit, {}, said))
    if not fresh:
        raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} for which it succeeds")
    chosen = fit.draw.shuffled(fresh)[:wanted]
    for fields in chosen:
        provide(fit, fields)
    given = [name for name, _ in effect.equal if name in said] or [name for name, _ in effect.equal][:1]
    return _with_values(said, chosen, [(name, field) for name, field in effect.equal if name in given])


def _is_for(fit: Fit, said: Said, able: Sequence[EntityFields]) -> bool:
    """Whether the call succeeds for what its arguments name already, after adding that if it is not there."""
    known = {field: said[name] for name, field in fit.effect.equal if said.get(name) is not None}
    if list in map(type, known.values()):
        return False
    if any(all(one[field] == value for field, value in known.items()) for one in able):
        return True
    if not fit.state.is_open or fit.effect.key in known:
        return False
    try:
        return _add_known(fit, known, said) is not None
    except CannotFillError:
        return False


def _with_values(said: Said, chosen: Sequence[EntityFields], held: Sequence[tuple[str, str]]) -> Said:
    """Return the arguments with those set that must equal a field of an entity."""
    for name, field in held:
        several = type(said.get(name)) is list
        said = {**said, name: [one[field] for one in chosen] if several else chosen[0][field]}
    return said


def _fit_name(fit: Fit, said: Said) -> Said:
    """Return the arguments, after adding entities with the names in them if there are none."""
    for name, field in fit.effect.equal:
        others = fit.effect.names.get(name, ())
        for value in _listed(said.get(name)) if others else ():
            if not any(one[other] == value for one in fit.existing for other in (field, *others)):
                _add_known(fit, {others[0]: value}, said)
    return said


def _add_known(fit: Fit, known: EntityFields, said: Said) -> EntityFields:
    """Put in an entity with some fields for which the call succeeds, and the tools that come then."""
    for place, fields in candidates(fit.state, fit.effect.title, known, fit.draw):
        if fit.effect.refuse_one(fit.state, fields, said, fit.day) is None and fit.goes_through(fields, said):
            return fit.take(place, fields)
    raise CannotFillError(f"{fit.effect.tool}: no {fit.effect.noun} came up for which it succeeds")


def _listed(value: Any) -> list[Any]:
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search that finds something."""
    effect = fit.effect
    said = _with_what_exists(fit, _without_conflicts(fit, said))
    naming = (*effect.equal, *((name, field) for name, field, _ in effect.given))
    is_one = any(said.get(name) is not None and field in effect.naming for name, field in naming)
    wanted = fit.fewest if is_one else fit.draw.between(max(_FEWEST, fit.fewest), max(_MOST, fit.fewest))
    wanted = wanted if fit.state.is_open else 1
    if supply(fit, said, wanted):
        return said
    for name, _, fields in effect.tests:
        if name is None or said.get(name) is None:
            continue
        if isinstance(said[name], str):
            said = _with_text(fit, said, name, fields)
        elif name not in effect.required:
            said = _without(said, name)
        if supply(fit, said, wanted):
            return said
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


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
    own = fit.state.kind(fit.effect.title)
    held = {fit.effect.key, *(reference for reference, _ in own.references)}
    return not fit.state.is_open or field in held or not own.tests[field](said[name])


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

    able = [fields for fields in fit.existing if is_able(fields)]
    able = [fields for fields in able if not any(fields[field] in fit.named for field in naming)]
    if able:
        return fit.draw.choice(able)
    for place, fields in candidates(fit.state, effect.title, {}, fit.draw) if fit.state.is_open else ():
        if is_able(fields):
            return fit.take(place, fields)
    raise CannotFillError(f"{effect.tool}: there is no other {effect.noun} to be found")


def _without_conflicts(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search without those that keep out everything for which the tools that come then succeed."""
    effect = fit.effect
    if not fit.then or not effect.states:
        return said
    samples = [*fit.existing, *_in_all_states(fit)]
    for name, field in effect.equal:
        if name in effect.required or said.get(name) is None or field not in effect.states:
            continue
        if not any(one[field] == said[name] and fit.goes_through(one) for one in samples):
            said = _without(said, name)
    return said


def _in_all_states(fit: Fit) -> list[EntityFields]:
    first = next(iter(fit.existing), None)
    return (
        [] if first is None else [{**first, **states} for states in all_states(fit.state.kind(fit.effect.title).entity)]
    )
