"""Puts in entities before a conversation begins: those that searches are to find and calls are to be about.

A pool is indexed by known value (`EntityKind.places`), so that what is known holds by construction; what else must hold is
looked at in the entities from a random place on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from generator.core.seeds import Draw
from generator.world.functions import holds_words
from generator.world.state.effects import ANY, CompiledEffect, Fits
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
_MOST = 4
"""The most entities that are added because they belong to another one."""
Effects = Mapping[str, CompiledEffect]
Said = dict[str, Any]


def put_in(
    state: State, title: str, draw: Draw, known: EntityFields, fits: Fits | None = None, wanted: int = 1, spare: int = 0
) -> list[EntityFields]:
    """Put in entities with the known fields that fit, and return them; none once the first call is made.

    Args:
        state: The entities of the conversation.
        title: Their kind.
        draw: The row's random numbers.
        known: What they all have.
        fits: What else must hold of each.
        wanted: How many are needed; each has a name that no other one has, if such come up.
        spare: How many more there may be; these have names of their own.
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

    Args:
        state: The entities that exist; more can be added until the first call is made.
        effects: The effects of all tools.
        effect: The effect of the called tool.
        draw: The row's random numbers.
        day: Today's date.
        then: Tools that will be called in turn for the entity of this call, and must succeed too.
        meant: Arguments whose values will come from results.
        named: Keys and names of entities that other calls are about.
        fewest: The least number that a search finds, as long as entities can be added.
        agreed: Whether the arguments were chosen to go with those of other calls, and are kept if the call then succeeds.
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


def supply_refused(fit: Fit, said: Said, refusing: CompiledEffect, error: str) -> bool:
    """Make sure that a search finds something, all of which a tool refuses with an error; return whether it does."""
    effect, state, day = fit.effect, fit.state, fit.day

    def is_refused(fields: EntityFields) -> bool:
        """Whether the tool gives that error for an entity that the search finds."""
        refused = refusing.refuse_one(state, fields, ANY, day)
        return refused is not None and refused.error == error and effect.matches(fields, said, day, state)

    found = effect.select(state.every(effect.title), said, day, state)
    if found:
        return all(is_refused(fields) or _change_states(fit, fields, is_refused) for fields in found)
    return bool(fit.put_in(effect.known(said, day), is_refused, fit.draw.between(1, _MOST - 1)))


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
