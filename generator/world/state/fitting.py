"""Fit the drawn arguments of a call so that it succeeds: they name entities that exist, or that are put in for it."""

from collections.abc import Sequence
from typing import Any

from generator.core.errors import CannotFillError
from generator.world.state.effects import ANY, Fits
from generator.world.state.population import EntityFields
from generator.world.state.supplying import Fit, Said, provide, put_in, supply
from generator.world.state.texts import Refused

_FEWEST, _MOST = 2, 4
"""How many a search finds as a rule."""


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
        return _fit_search_in_each(fit, said) if kind == "find" else said
    if kind == "find":
        return _fit_search(fit, said)
    if effect.title and kind != "create" and (effect.equal or effect.tests):
        said = _fit_name(fit, said) if effect.names and fit.state.is_open else _fit_one(fit, said)
    refused = effect.refuse(fit.state, said, fit.day) if not fit.meant else None
    if isinstance(refused, Refused):
        raise CannotFillError(f"{effect.tool}: {refused.content}")
    return said


def _with_references(fit: Fit, said: Said) -> Said:
    """Return the arguments with keys of entities that exist, or that are put in."""
    for argument, title, _ in fit.effect.refers:
        value = said.get(argument)
        if value is None or argument in fit.effect.filters or argument in fit.meant:
            continue
        kind, several = fit.state.kind(title), type(value) is list
        keys = _accepted(fit, said, argument, list(fit.state.all(title)))
        if fit.agreed and not several and value in keys:
            continue
        needed = len(value) if several else 1
        for states in ({}, *kind.all_states):  # one that was called off may be refused: then another state will do
            if len(keys) >= needed:
                break
            added = put_in(fit.state, title, fit.draw, states, None, needed - len(keys))
            keys += _accepted(fit, said, argument, [one[kind.entity.key] for one in added])
        keys = keys or list(fit.state.all(title))  # other arguments may be why
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        said = {**said, argument: fit.draw.shuffled(keys)[: len(value)] if several else fit.draw.choice(keys)}
    return said


def _accepted(fit: Fit, said: Said, argument: str, keys: list[Any]) -> list[Any]:
    """Return those of the keys with which the call's conditions hold; they are read with one key at a time."""
    effect = fit.effect
    if effect.effect.kind != "create" or not effect.can_refuse:
        return keys
    refused = [effect.refuse_new(fit.state, {**said, argument: key}, fit.day) for key in keys]
    return [key for key, why in zip(keys, refused, strict=True) if why is None]


def _fit_one(fit: Fit, said: Said) -> Said:
    """Return the arguments that say which entity a call is about, taken from one for which it succeeds."""
    effect = fit.effect
    tested = [name for name, _, _ in effect.tests if name is not None and name in said] if effect.equal else []
    kept = {name: said[name] for name in tested}

    def is_able(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity that it can name, and what comes then."""
        return (
            effect.can_be_said(fields)
            and (not kept or effect.matches(fields, kept, fit.day, fit.state))
            and not (effect.can_refuse and effect.refuse_one(fit.state, fields, said, fit.day))
            and not (effect.must_change and effect.is_idle(fields, said, fit.day, fit.state))
            and fit.goes_through(fields, said)
        )

    if fit.agreed and _is_for(fit, said, is_able):
        return said
    if not effect.equal:
        return _fit_by_tests(fit, said, is_able)
    wanted = max([len(value) for name, _ in effect.equal if type(value := said.get(name)) is list], default=1)
    chosen = _chosen(fit, is_able, (effect.key,), wanted)
    for fields in chosen if fit.then else ():
        provide(fit, fields)
    held = [pair for pair in effect.equal if pair[0] in said] or effect.equal[
        : 1 if effect.equal[0][1] == effect.key else None
    ]
    told = _with_values(said, chosen, held)
    is_one = wanted > 1 or len(effect.found(fit.state, told, fit.day)) <= 1
    return told if is_one else _with_values(said, chosen, effect.equal)


def _fit_by_tests(fit: Fit, said: Said, is_able: Fits) -> Said:
    """Return the arguments of a call whose conditions are true of just one entity, taken from the fields that these read."""
    effect = fit.effect
    for fields in fit.draw.shuffled(fit.existing) if fit.existing else ():
        told = said
        for name, _, read in effect.tests if is_able(fields) else ():
            taken = [{**told, name: fields[field]} for field in read] if name is not None else []
            told = next((one for one in taken if effect.matches(fields, one, fit.day, fit.state)), told)
        if effect.found(fit.state, told, fit.day) == [fields]:
            return told
    raise CannotFillError(f"{effect.tool}: no arguments are about just one {effect.noun}")


def _is_for(fit: Fit, said: Said, is_able: Fits) -> bool:
    """Whether the call succeeds for what its arguments name already, after that is put in if it is not there."""
    known = {field: said[name] for name, field in fit.effect.equal if said.get(name) is not None}
    if list in map(type, known.values()):
        return False
    if any(is_able(one) for one in fit.existing if all(one[field] == value for field, value in known.items())):
        return True
    return fit.effect.key not in known and bool(fit.put_in(known, is_able))


def _chosen(fit: Fit, is_able: Fits, naming: Sequence[str], wanted: int = 1) -> list[EntityFields]:
    """Return entities that are able, put in if there are too few: such that no other call is about, as the naming fields tell."""
    chosen: list[EntityFields] = []
    for fields in fit.draw.shuffled(fit.existing):
        if not any(fields[field] in fit.named for field in naming) and is_able(fields):
            chosen.append(fields)
            if len(chosen) == wanted:
                return chosen
    chosen += fit.put_in({}, is_able, wanted - len(chosen))
    if not chosen:
        raise CannotFillError(f"{fit.effect.tool}: there is no other {fit.effect.noun} for which it succeeds")
    return chosen


def _with_values(said: Said, chosen: Sequence[EntityFields], held: Sequence[tuple[str, str]]) -> Said:
    """Return the arguments with those set that must equal a field of an entity."""
    for name, field in held:
        several = type(said.get(name)) is list
        said = {**said, name: [one[field] for one in chosen] if several else chosen[0][field]}
    return said


def _fit_name(fit: Fit, said: Said) -> Said:
    """Return the arguments as they are; where no entity has a name that they give, one with that name is put into the state.

    Raises CannotFillError when the call would succeed for none that comes up.
    """
    effect = fit.effect

    def is_able(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity, and what comes then."""
        return effect.refuse_one(fit.state, fields, said, fit.day) is None and fit.goes_through(fields, said)

    for name, _ in effect.equal:
        others = effect.names.get(name, ())
        for value in _listed(said.get(name)) if others else ():
            is_there = effect.select(fit.state.every(effect.title), {name: value}, fit.day, fit.state)
            if not is_there and not fit.put_in({others[0]: value}, is_able):
                raise CannotFillError(f"{effect.tool}: no {effect.noun} came up for which it succeeds")
    return said


def _listed(value: Any) -> list[Any]:
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search that finds something."""
    effect = fit.effect
    said = _with_what_exists(fit, _with_words_of_texts(fit, _with_one_example(fit, said)))
    is_one = any(said.get(name) is not None for name in effect.naming_arguments)
    wanted = fit.fewest if is_one else fit.draw.between(max(_FEWEST, fit.fewest), max(_MOST, fit.fewest))
    wanted = wanted if fit.state.is_open else 1
    if supply(fit, said, wanted) >= min(wanted, fit.fewest):
        return said
    said = _eased(fit, said)
    if supply(fit, said, wanted):
        return said
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


def _with_one_example(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search with values that one thing has together, where its fields come from whole examples."""
    effect, kind = fit.effect, fit.state.members(fit.effect.title).kind
    held = {
        name: field
        for name, field in effect.equal
        if field in kind.together and type(said.get(name)) not in (list, type(None)) and name not in fit.meant
    }
    words = {name: field for name, field in effect.within if isinstance(said.get(name), str) and name not in fit.meant}
    if not fit.state.is_open or not held or len(held) + len(words) == 1:
        return said
    if any(effect.matches(one, said, fit.day) for one in kind.pool):
        return said
    able = [one for one in kind.pool if effect.can_be_said(one)] or kind.pool
    one = fit.draw.choice(able)
    told = {name: fit.draw.choice(_words(one[field]) or [said[name]]) for name, field in words.items()}
    return {**said, **{name: one[field] for name, field in held.items()}, **told}


def _words(text: Any) -> list[str]:
    """Return the words of a text by which people would look for it."""
    return [word for word in str(text).split() if len(word) > _SHORT and word.isalpha()]


_SHORT = 4


def _with_words_of_texts(fit: Fit, said: Said) -> Said:
    """Return the arguments with a word of some text in place of words that none of the texts has which are looked through."""
    for name, field in fit.effect.within:
        value = said.get(name)
        if isinstance(value, str) and name not in fit.meant and not fit.texts_with(field, value):
            words = [word for text in fit.texts_with(field, "") for word in _words(text)]
            said = {**said, name: fit.draw.choice(words)} if words else said
    return said


def _fit_search_in_each(fit: Fit, said: Said) -> Said:
    """Return the arguments of a search for what belongs to any entity of an earlier result; it finds something for each of them."""
    said = _with_what_exists(fit, _with_words_of_texts(fit, _with_one_example(fit, said)))
    for name, title in fit.effect.holds:
        for key in list(fit.state.all(title)) if name in fit.meant and fit.state.is_open else ():
            if not supply(fit, {**said, name: key}, fit.draw.between(1, _MOST)):
                said = _eased(fit, said)
                supply(fit, {**said, name: key}, fit.draw.between(1, _MOST))
    return said


def _eased(fit: Fit, said: Said) -> Said:
    """Return arguments with which a search finds more: words that something has, and no filters that it can do without."""
    effect = fit.effect
    kept = {*effect.required, *effect.settled, *fit.meant}
    said = {name: value for name, value in said.items() if name in kept or name not in effect.filters}
    for name, _, fields in effect.tests:
        if name is not None and isinstance(said.get(name), str):
            texts = [{**said, name: one[field]} for one in fit.draw.shuffled(fit.existing) for field in fields]
            said = next(
                (other for other in texts if effect.select(fit.existing, other, fit.day, fit.state)),
                said if name in effect.required else _without(said, name),
            )
        elif name is not None and name not in effect.required:
            said = _without(said, name)
    return said


def _without(said: Said, name: str) -> Said:
    return {key: value for key, value in said.items() if key != name}


def _with_what_exists(fit: Fit, said: Said) -> Said:
    """Return the arguments with values of an entity where those that a filter takes from one name none."""
    effect = fit.effect
    held = [
        (name, field)
        for name, field in effect.equal
        if said.get(name) is not None and name not in fit.meant and _must_exist(fit, said, name, field)
    ]
    if not held:
        return said
    titles = dict(fit.effect.holds)
    if fit.agreed and all(said[name] in fit.state.all(titles.get(name, effect.title)) for name, _ in held):
        return said

    def is_able(fields: EntityFields) -> bool:
        """Whether a search may find the entity, and later tools succeed for it."""
        can_be_said = all(fields[field] in effect.choices[name] for name, field in held if name in effect.choices)
        return can_be_said and effect.matches(fields, ANY, fit.day, fit.state) and fit.goes_through(fields)

    return _with_values(said, _chosen(fit, is_able, [field for _, field in held if field in effect.naming]), held)


def _must_exist(fit: Fit, said: Said, name: str, field: str) -> bool:
    """Whether a filter takes its value from an entity that is there: keys, what others tell, and all once nothing can be put in any more."""
    kind = fit.state.kind(fit.effect.title)
    is_settled = name in fit.effect.settled or any(field == told for told, _, _ in kind.crossed)
    return not fit.state.is_open or is_settled or not kind.tests[field](said[name])
