"""The entities of a conversation as scenarios use them: fit arguments to them, put some in before it begins, try calls.

A pool is indexed by known value (`EntityKind.places`), so that what is known holds by construction; what else must hold is
looked at in the entities from a random place on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from generator.core.conversation import ToolCall
from generator.core.errors import CannotFillError
from generator.core.planning import Outcome
from generator.core.seeds import Draw
from generator.world.functions import holds_words
from generator.world.state.effects import ANY, CompiledEffect, Fits, Refused
from generator.world.state.population import EntityFields
from generator.world.state.state import Members, State

_LOOKED_AT = 64
"""The most places of a pool that are looked at for the entities that are needed."""
_LOOKED_FOR_SPARE = 12
"""The most that are looked at for further ones, which nothing needs."""
_NAMESAKES = 8
"""How many that have the name of another one are passed over for one with a name of its own."""
_IN_EACH_STATE = 3
"""Places whose entities are looked at in each of their states, where none fits as it is."""
Effects = Mapping[str, CompiledEffect]
Said = dict[str, Any]


def put_in(
    state: State, title: str, draw: Draw, known: EntityFields, fits: Fits | None = None, wanted: int = 1, spare: int = 0
) -> list[EntityFields]:
    """Put in entities with the known fields that fit, and return them; none once the first call is made.

    So many as are `wanted` are needed, each with a name that no other one has, if such come up; `spare` more may be there, with names of
    their own.
    """
    members = state.members(title)
    kind = members.kind
    if not state.is_open or (kind.are_named and kind.entity.key not in known):
        return []
    places = kind.places(known)
    first = int(draw.rand() * len(places))
    places = (*places[first:], *places[:first])
    ahead = iter(places)
    found = _take(state, members, islice(ahead, _LOOKED_AT), known, fits, wanted)
    for states in kind.all_states if wanted and not found else ():
        found = found or _take(state, members, places[:_IN_EACH_STATE], {**states, **known}, fits, 1)
    if spare and len(found) == wanted:
        found += _take(state, members, islice(ahead, _LOOKED_FOR_SPARE), known, fits, spare, are_spare=True)
    return found


def _take(
    state: State,
    members: Members,
    places: Iterable[int],
    known: EntityFields,
    fits: Fits | None,
    wanted: int,
    *,
    are_spare: bool = False,
) -> list[EntityFields]:
    """Put in entities of these places of the pool: with the name of another one only if they are no spare ones and there are no others."""
    kind = members.kind
    is_named = kind.told_by is not None and kind.told_by not in known
    most = (
        _LOOKED_AT if kind.entity.examples else _NAMESAKES
    )  # of whole examples each stands once in a stretch of the pool
    found: list[EntityFields] = []
    namesakes: list[tuple[int, EntityFields]] = []
    for place in places if wanted else ():
        if place in members.used:
            continue
        fields = state.at(members, place, known)
        if not members.is_free(fields) or (fits is not None and not fits(fields)):
            continue
        if kind.crossed and not state.agrees(kind, fields, known):
            continue
        if is_named and kind.name_of(fields) in members.names:
            namesakes.append((place, fields))
        else:
            found.append(state.take(members, place, fields))
        if len(found) == wanted or len(namesakes) == most:
            break
    if not are_spare:
        able = [one for one in namesakes if members.is_free(one[1])]
        found += [state.take(members, *one) for one in able[: wanted - len(found)]]
    return found


class Fit:
    """A call for which entities and arguments are fitted, and what is known of the conversation around it.

    `then` are tools that will be called in turn for the entity of this call, and must succeed too; `meant` arguments whose values will
    come from results; `named` keys and names of entities that other calls are about; `fewest` the least number that a search finds, as
    long as entities can be added. `agreed`: the arguments were chosen to go with those of other calls, and are kept if the call then
    succeeds.
    """

    __slots__ = (
        "agreed",
        "day",
        "draw",
        "effect",
        "effects",
        "ends",
        "fewest",
        "meant",
        "named",
        "next",
        "state",
        "then",
    )

    def __init__(
        self,
        state: State,
        effects: Effects,
        effect: CompiledEffect,
        draw: Draw,
        day: str,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        named: Collection[Any] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> None:
        self.state, self.effects, self.effect, self.draw, self.day = state, effects, effect, draw, day
        self.then, self.meant, self.named, self.fewest, self.agreed = then, meant, named, fewest, agreed
        self.next = [other for tool in then if (other := effects.get(tool)) is not None and other.acts_on(effect.title)]
        self.ends = not then or (bool(self.next) and self.next[-1].tool == then[-1])

    @property
    def existing(self) -> list[EntityFields]:
        """Return the entities of the kind that the call is about."""
        return list(self.state.every(self.effect.title))

    def texts_with(self, field: str, words: Any, known: EntityFields | None = None) -> list[str]:
        """Return the texts that a field of the kind can have and that hold some words, those beside known fields if there are such."""
        kind = self.state.members(self.effect.title).kind
        able = [text for text in kind.texts(field) if holds_words(text, str(words))]
        places = kind.places({name: value for name, value in (known or {}).items() if name in kind.together})
        beside = {kind.pool[place][field] for place in places} if known else ()
        return [text for text in able if text in beside] or able

    def put_in(self, known: EntityFields, fits: Fits | None, wanted: int = 1) -> list[EntityFields]:
        """Put in entities for the call; see `put_in`."""
        return put_in(self.state, self.effect.title, self.draw, known, fits, wanted)

    def goes_through(self, fields: EntityFields, said: Said | None = None) -> bool:
        """Whether all tools of `then` succeed for an entity, one after the other; with arguments, the call itself before them."""
        calls = self.next if said is None or not self.effect.acts_on(self.effect.title) else [self.effect, *self.next]
        for number, effect in enumerate(calls):
            arguments = said if said is not None and effect is self.effect else ANY
            if effect.can_refuse and effect.refuse_one(None, fields, arguments, self.day) is not None:
                return False
            if effect.effect.kind == "delete":
                return number == len(calls) - 1 and self.ends
            if number < len(calls) - 1 and not effect.effect.reads:
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
    if not state.is_open:
        return len(found)
    for fields in found if fit.then else ():
        provide(fit, fields)
        if not fit.goes_through(fields):
            _change_states(fit, fields, is_found)
    if len(found) < wanted:
        is_known = not fit.next and list not in map(
            type, said.values()
        )  # what the arguments must equal, and nothing comes then
        found += _add_found(fit, said, effect.tester(said, day, state) if is_known else is_found, len(found), wanted)
    return len(found)


def _add_found(fit: Fit, said: Said, fits: Fits | None, there: int, wanted: int) -> list[EntityFields]:
    """Put in entities that a search finds beside those that are there, as many as it needs and, if they come up, as are wanted."""
    title, known = fit.effect.title, fit.effect.known(said, fit.day)
    for name, field in fit.effect.within:
        if name in said and (texts := fit.texts_with(field, said[name], known)):
            known[field] = fit.draw.choice(texts)
    needed = min(max(fit.fewest, 1), wanted) - there
    # people do not have several things of one name
    spare = 0 if known.keys() & fit.state.kind(title).only_name else wanted - there - max(needed, 0)
    added = put_in(fit.state, title, fit.draw, known, fits, max(needed, 0), spare)
    for fields in added if fit.then else ():
        provide(fit, fields)
    return added


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
    for number, tool in enumerate(fit.then if fit.state.is_open else ()):
        effect = fit.effects.get(tool)
        for name, title in effect.holds if effect is not None else ():
            if effect is not None and title == fit.effect.title:
                found = Fit(fit.state, fit.effects, effect, fit.draw, fit.day, fit.then[number + 1 :])
                supply(found, {name: fields[fit.effect.key]}, fit.draw.between(1, _MOST))


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


if TYPE_CHECKING:
    from generator.world.world import SimulatedWorld


class Entities:
    """What a scenario sees of a world with entities."""

    __slots__ = ("_day", "_effects", "_named", "_state", "_world")

    def __init__(self, world: "SimulatedWorld", day: str) -> None:
        self._world, self._state, self._effects, self._day = world, world.state, world.effects, day
        self._named: set[Any] = set()

    def begin(self) -> None:
        """Begin the conversation: from now on no entity can be added."""
        self._state.begin()

    def fit(
        self,
        tool: str,
        said: Said,
        draw: Draw,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> Said:
        """Return drawn arguments of a call, changed so that it succeeds; `Fit` says what the others mean.

        Raises:
            CannotFillError: when no such arguments are found.
        """
        effect = self._effects.get(tool)
        if effect is None:
            return said
        said = fitted_arguments(
            Fit(self._state, self._effects, effect, draw, self._day, then, meant, self._named, fewest, agreed=agreed),
            said,
        )
        for name, _ in effect.equal:
            value = said.get(name)
            self._named.update(value if type(value) is list else (value,))
        return said

    def settles(self, tool: str, argument: str) -> bool:
        """Whether fitting decides the value of an argument, since it must name an entity that exists."""
        effect = self._effects.get(tool)
        return effect is not None and argument in effect.settled

    def finds(self, tool: str, said: Said, draw: Draw) -> bool:
        """Make sure that a search finds something, if possible; return whether it does (true for other tools)."""
        effect = self._effects.get(tool)
        return effect is None or supply(Fit(self._state, self._effects, effect, draw, self._day), said) > 0

    def peek(self, call: ToolCall) -> Outcome:
        """Return the outcome that a call would have now, without making it."""
        return self._world.peek(call)

    def changes_nothing(self, call: ToolCall) -> bool:
        """Whether a call that should change something leaves all that it is about as it is now."""
        effect = self._effects.get(call.name)
        if effect is None or not effect.must_change:
            return False
        found = effect.found(self._state, call.arguments, self._day)
        return bool(found) and all(effect.is_idle(one, call.arguments, self._day, self._state) for one in found)


def entities_of(world: object) -> Entities | None:
    """Return the entities of a world, as scenarios see them; None for worlds that keep no such state."""
    return getattr(world, "entities", None)


def state_of(world: object) -> State | None:
    """Return the state of a world; none for worlds without one that is ours."""
    return getattr(world, "state", None)
