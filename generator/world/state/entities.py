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
CallArguments = dict[str, Any]


def add_entities(
    state: State,
    title: str,
    draw: Draw,
    given_fields: EntityFields,
    fits: Fits | None = None,
    count: int = 1,
    spares: int = 0,
) -> list[EntityFields]:
    """Add entities of the kind with the title (`orders`) that have the given fields and fit, and return them; none once the first call is made.

    `count` are needed, each with a name that no other one has, if such come up; `spares` more may be added, with names of their own.
    """
    members = state.members(title)
    kind = members.kind
    if not state.is_open or (kind.has_listed_keys and kind.entity.key not in given_fields):
        return []
    places = kind.places(given_fields)
    first = int(draw.rand() * len(places))
    places = (*places[first:], *places[:first])
    remaining = iter(places)
    added = _add_from_places(state, members, islice(remaining, _LOOKED_AT), given_fields, fits, count)
    for states in kind.all_states if count and not added else ():
        added = added or _add_from_places(state, members, places[:_IN_EACH_STATE], {**states, **given_fields}, fits, 1)
    if spares and len(added) == count:
        added += _add_from_places(
            state, members, islice(remaining, _LOOKED_FOR_SPARE), given_fields, fits, spares, are_spare=True
        )
    return added


def _add_from_places(
    state: State,
    members: Members,
    places: Iterable[int],
    given_fields: EntityFields,
    fits: Fits | None,
    count: int,
    *,
    are_spare: bool = False,
) -> list[EntityFields]:
    """Add up to `count` entities from these places of the pool, and return them.

    One with the name of another is added only where too few have a name of their own, and never as a spare one.
    """
    kind = members.kind
    must_differ_in_name = kind.name_field is not None and kind.name_field not in given_fields
    most_namesakes = (
        _LOOKED_AT if kind.entity.examples else _NAMESAKES
    )  # of whole examples each stands once in a stretch of the pool
    added: list[EntityFields] = []
    namesakes: list[tuple[int, EntityFields]] = []
    for place in places if count else ():
        if place in members.used:
            continue
        fields = state.at(members, place, given_fields)
        if not members.is_free(fields) or (fits is not None and not fits(fields)):
            continue
        if kind.from_others and not state.agrees(kind, fields, given_fields):
            continue
        if must_differ_in_name and kind.name_of(fields) in members.names:
            namesakes.append((place, fields))
        else:
            added.append(state.take(members, place, fields))
        if len(added) == count or len(namesakes) == most_namesakes:
            break
    if not are_spare:
        free_namesakes = [namesake for namesake in namesakes if members.is_free(namesake[1])]
        added += [state.take(members, *namesake) for namesake in free_namesakes[: count - len(added)]]
    return added


class TargetCall:
    """A call for which entities and arguments are fitted, and what is known of the conversation around it.

    `later_tools` are tools that will be called in turn for the entity of this call, and must succeed too (`later_effects`: the effects of
    those that act on it; `ends_with_entity`: whether the last one does). `from_results` are arguments whose values will come from results;
    `used_names` keys and names of entities that other calls are about; `least` is the least number that a search finds, as long as entities
    can be added. `keeps_arguments`: the arguments were chosen to go with those of other calls, and are kept if the call then succeeds.
    """

    __slots__ = (
        "day",
        "draw",
        "effect",
        "effects",
        "ends_with_entity",
        "from_results",
        "keeps_arguments",
        "later_effects",
        "later_tools",
        "least",
        "state",
        "used_names",
    )

    def __init__(
        self,
        state: State,
        effects: Effects,
        effect: CompiledEffect,
        draw: Draw,
        day: str,
        later_tools: Sequence[str] = (),
        from_results: Collection[str] = (),
        used_names: Collection[Any] = (),
        least: int = 1,
        *,
        keeps_arguments: bool = False,
    ) -> None:
        self.state, self.effects, self.effect, self.draw, self.day = state, effects, effect, draw, day
        self.later_tools, self.from_results, self.used_names, self.least, self.keeps_arguments = (
            later_tools,
            from_results,
            used_names,
            least,
            keeps_arguments,
        )
        self.later_effects = [
            other for tool in later_tools if (other := effects.get(tool)) is not None and other.acts_on(effect.title)
        ]
        self.ends_with_entity = not later_tools or (
            bool(self.later_effects) and self.later_effects[-1].tool == later_tools[-1]
        )

    @property
    def existing(self) -> list[EntityFields]:
        """Return the entities of the kind that the call is about."""
        return list(self.state.every(self.effect.title))

    def texts_with(self, field: str, phrase: Any, given_fields: EntityFields | None = None) -> list[str]:
        """Return the texts that a field of the kind can have and that hold a phrase; those of entities with the given fields if there are such."""
        kind = self.state.members(self.effect.title).kind
        matching = [text for text in kind.texts(field) if holds_words(text, str(phrase))]
        places = kind.places(
            {name: value for name, value in (given_fields or {}).items() if name in kind.example_fields}
        )
        texts_of_such = {kind.pool[place][field] for place in places} if given_fields else ()
        return [text for text in matching if text in texts_of_such] or matching

    def add_entities(self, given_fields: EntityFields, fits: Fits | None, count: int = 1) -> list[EntityFields]:
        """Add entities for the call; see the function `add_entities`."""
        return add_entities(self.state, self.effect.title, self.draw, given_fields, fits, count)

    def goes_through(self, fields: EntityFields, arguments: CallArguments | None = None) -> bool:
        """Whether all later tools succeed for an entity, one after the other; with arguments, the call itself before them."""
        calls = (
            self.later_effects
            if arguments is None or not self.effect.acts_on(self.effect.title)
            else [self.effect, *self.later_effects]
        )
        for number, effect in enumerate(calls):
            given = arguments if arguments is not None and effect is self.effect else ANY
            if effect.can_refuse and effect.refuse_one(None, fields, given, self.day) is not None:
                return False
            if effect.effect.kind == "delete":
                return number == len(calls) - 1 and self.ends_with_entity
            if number < len(calls) - 1 and not effect.effect.reads:
                fields = effect.changed(fields, given, self.day)
        return True


def ensure_found(call: TargetCall, arguments: CallArguments, count: int = 1) -> int:
    """Add entities so that a search finds `count` with which later tools succeed, if possible; return how many it finds."""
    effect, state, day = call.effect, call.state, call.day
    if effect.effect.kind != "find":
        return count

    def is_found(fields: EntityFields) -> bool:
        """Whether the search finds an entity, and later tools succeed for it."""
        return effect.matches(fields, arguments, day, state) and call.goes_through(fields)

    matching = effect.select(state.every(effect.title), arguments, day, state)
    if not state.is_open:
        return len(matching)
    for fields in matching if call.later_tools else ():
        ensure_found_later(call, fields)
        if not call.goes_through(fields):
            _change_states(call, fields, is_found)
    if len(matching) < count:
        is_known = not call.later_effects and list not in map(
            type, arguments.values()
        )  # what the arguments must equal, and nothing comes then
        matching += _add_matching(
            call, arguments, effect.tester(arguments, day, state) if is_known else is_found, len(matching), count
        )
    return len(matching)


def _add_matching(
    call: TargetCall, arguments: CallArguments, fits: Fits | None, present: int, count: int
) -> list[EntityFields]:
    """Add entities that a search finds beside the `present` ones: as many as it needs and, if they come up, up to `count` in all."""
    title, given_fields = call.effect.title, call.effect.known(arguments, call.day)
    for argument, field in call.effect.word_filters:
        if argument in arguments and (texts := call.texts_with(field, arguments[argument], given_fields)):
            given_fields[field] = call.draw.choice(texts)
    needed = min(max(call.least, 1), count) - present
    # people do not have several things of one name
    spares = 0 if given_fields.keys() & call.state.kind(title).only_name_field else count - present - max(needed, 0)
    added = add_entities(call.state, title, call.draw, given_fields, fits, max(needed, 0), spares)
    for fields in added if call.later_tools else ():
        ensure_found_later(call, fields)
    return added


def _change_states(call: TargetCall, fields: EntityFields, fits: Fits) -> bool:
    """Put an entity into a combination of states in which it fits, if there is one; return whether there is."""
    kind = call.state.kind(call.effect.title)
    for states in kind.all_states:
        moved = call.state.computed(kind, {**fields, **states}, set(states))
        if fits(moved):
            call.state.put(call.effect.title, moved)
            return True
    return False


def ensure_found_later(call: TargetCall, fields: EntityFields) -> None:
    """Add what searches among the later tools look for in relation to an entity: a customer's orders."""
    for number, tool in enumerate(call.later_tools if call.state.is_open else ()):
        effect = call.effects.get(tool)
        for name, title in effect.reference_filters if effect is not None else ():
            if effect is not None and title == call.effect.title:
                search = TargetCall(
                    call.state, call.effects, effect, call.draw, call.day, call.later_tools[number + 1 :]
                )
                ensure_found(search, {name: fields[call.effect.key]}, call.draw.between(1, _MOST))


_FEWEST, _MOST = 2, 4
"""How many a search finds as a rule."""


def fitted_arguments(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return drawn arguments, changed so that the call succeeds.

    Raises:
        CannotFillError: when no such arguments are found.
    """
    effect = call.effect
    kind = effect.effect.kind
    if effect.references:
        arguments = _with_references(call, arguments)
    if call.from_results and any(name in effect.effect.by for name in call.from_results):
        return _fit_search_in_each(call, arguments) if kind == "find" else arguments
    if kind == "find":
        return _fit_search(call, arguments)
    if effect.title and kind != "create" and (effect.equal_fields or effect.tests):
        arguments = (
            _add_named_entity(call, arguments)
            if effect.alternative_fields and call.state.is_open
            else _name_one_entity(call, arguments)
        )
    refused = effect.refuse(call.state, arguments, call.day) if not call.from_results else None
    if isinstance(refused, Refused):
        raise CannotFillError(f"{effect.tool}: {refused.content}")
    return arguments


def _with_references(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments with keys of entities that exist, or that are added, where a call refers to others: `{"customer_id": "C-7"}`."""
    for argument, title, _ in call.effect.references:
        value = arguments.get(argument)
        if value is None or argument in call.effect.filters or argument in call.from_results:
            continue
        kind, is_list = call.state.kind(title), type(value) is list
        keys = _accepted_keys(call, arguments, argument, list(call.state.all(title)))
        if call.keeps_arguments and not is_list and value in keys:
            continue
        needed = len(value) if is_list else 1
        for states in ({}, *kind.all_states):  # one that was called off may be refused: then another state will do
            if len(keys) >= needed:
                break
            added = add_entities(call.state, title, call.draw, states, None, needed - len(keys))
            keys += _accepted_keys(call, arguments, argument, [one[kind.entity.key] for one in added])
        keys = keys or list(call.state.all(title))  # other arguments may be why
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        arguments = {
            **arguments,
            argument: call.draw.shuffled(keys)[: len(value)] if is_list else call.draw.choice(keys),
        }
    return arguments


def _accepted_keys(call: TargetCall, arguments: CallArguments, argument: str, keys: list[Any]) -> list[Any]:
    """Return those of the keys that, as the value of `argument`, meet the conditions of a call that creates something; other calls take all."""
    effect = call.effect
    if effect.effect.kind != "create" or not effect.can_refuse:
        return keys
    refused = [effect.refuse_new(call.state, {**arguments, argument: key}, call.day) for key in keys]
    return [key for key, why in zip(keys, refused, strict=True) if why is None]


def _name_one_entity(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments with those that say which entity a call is about set for one for which it succeeds: `{"order_id": "A7"}`."""
    effect = call.effect
    tested = (
        [name for name, _, _ in effect.tests if name is not None and name in arguments] if effect.equal_fields else []
    )
    tested_arguments = {name: arguments[name] for name in tested}

    def succeeds(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity that it can name, and what comes then."""
        return (
            effect.can_be_said(fields)
            and (not tested_arguments or effect.matches(fields, tested_arguments, call.day, call.state))
            and not (effect.can_refuse and effect.refuse_one(call.state, fields, arguments, call.day))
            and not (effect.must_change and effect.is_idle(fields, arguments, call.day, call.state))
            and call.goes_through(fields, arguments)
        )

    if call.keeps_arguments and _already_fits(call, arguments, succeeds):
        return arguments
    if not effect.equal_fields:
        return _pass_tests(call, arguments, succeeds)
    count = max(
        [len(value) for name, _ in effect.equal_fields if type(value := arguments.get(name)) is list], default=1
    )
    entities = _choose_entities(call, succeeds, (effect.key,), count)
    for fields in entities if call.later_tools else ():
        ensure_found_later(call, fields)
    naming_pairs = [pair for pair in effect.equal_fields if pair[0] in arguments] or effect.equal_fields[
        : 1 if effect.equal_fields[0][1] == effect.key else None
    ]
    named = _with_field_values(arguments, entities, naming_pairs)
    is_unambiguous = count > 1 or len(effect.entities_for(call.state, named, call.day)) <= 1
    return named if is_unambiguous else _with_field_values(arguments, entities, effect.equal_fields)


def _pass_tests(call: TargetCall, arguments: CallArguments, succeeds: Fits) -> CallArguments:
    """Return the arguments of a call that tells its entity by tests only (`name == args.first`), set so that these are true of just one."""
    effect = call.effect
    for fields in call.draw.shuffled(call.existing) if call.existing else ():
        tried = arguments
        for name, _, read in effect.tests if succeeds(fields) else ():
            candidates = [{**tried, name: fields[field]} for field in read] if name is not None else []
            tried = next(
                (candidate for candidate in candidates if effect.matches(fields, candidate, call.day, call.state)),
                tried,
            )
        if effect.entities_for(call.state, tried, call.day) == [fields]:
            return tried
    raise CannotFillError(f"{effect.tool}: no arguments are about just one {effect.noun}")


def _already_fits(call: TargetCall, arguments: CallArguments, succeeds: Fits) -> bool:
    """Whether the call succeeds for the entity that its arguments name already; one with these values is added if there is none."""
    given_fields = {
        field: arguments[name] for name, field in call.effect.equal_fields if arguments.get(name) is not None
    }
    if list in map(type, given_fields.values()):
        return False
    if any(
        succeeds(entity)
        for entity in call.existing
        if all(entity[field] == value for field, value in given_fields.items())
    ):
        return True
    return call.effect.key not in given_fields and bool(call.add_entities(given_fields, succeeds))


def _choose_entities(
    call: TargetCall, succeeds: Fits, naming_fields: Sequence[str], count: int = 1
) -> list[EntityFields]:
    """Return `count` entities for which the call succeeds, added if there are too few; none of which another call's value of a naming field tells."""
    chosen: list[EntityFields] = []
    for fields in call.draw.shuffled(call.existing):
        if not any(fields[field] in call.used_names for field in naming_fields) and succeeds(fields):
            chosen.append(fields)
            if len(chosen) == count:
                return chosen
    chosen += call.add_entities({}, succeeds, count - len(chosen))
    if not chosen:
        raise CannotFillError(f"{call.effect.tool}: there is no other {call.effect.noun} for which it succeeds")
    return chosen


def _with_field_values(
    arguments: CallArguments, entities: Sequence[EntityFields], pairs: Sequence[tuple[str, str]]
) -> CallArguments:
    """Return the arguments with those of the pairs (argument, field) set to the entities' values: of all for a list, else of the first."""
    for name, field in pairs:
        is_list = type(arguments.get(name)) is list
        arguments = {**arguments, name: [entity[field] for entity in entities] if is_list else entities[0][field]}
    return arguments


def _add_named_entity(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments as they are; where no entity has a name that they give, one with that name is put into the state.

    Raises CannotFillError when the call would succeed for none that comes up.
    """
    effect = call.effect

    def succeeds(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity, and what comes then."""
        return effect.refuse_one(call.state, fields, arguments, call.day) is None and call.goes_through(
            fields, arguments
        )

    for argument, _ in effect.equal_fields:
        alternatives = effect.alternative_fields.get(argument, ())
        for value in _as_list(arguments.get(argument)) if alternatives else ():
            is_there = effect.select(call.state.every(effect.title), {argument: value}, call.day, call.state)
            if not is_there and not call.add_entities({alternatives[0]: value}, succeeds):
                raise CannotFillError(f"{effect.tool}: no {effect.noun} came up for which it succeeds")
    return arguments


def _as_list(value: Any) -> list[Any]:
    """Return the values that an argument gives: of a list its elements, of null none, else the value alone."""
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments of a search that finds something."""
    effect = call.effect
    arguments = _with_existing_values(call, _with_words_of_texts(call, _with_one_example(call, arguments)))
    names_one = any(arguments.get(name) is not None for name in effect.naming_arguments)
    count = call.least if names_one else call.draw.between(max(_FEWEST, call.least), max(_MOST, call.least))
    count = count if call.state.is_open else 1
    if ensure_found(call, arguments, count) >= min(count, call.least):
        return arguments
    arguments = _relaxed(call, arguments)
    if ensure_found(call, arguments, count):
        return arguments
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


def _with_one_example(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments of a search with values of one entity of the pool (`{"brand": "Fiat", "model": "Panda"}`), where its fields come from whole examples."""
    effect, kind = call.effect, call.state.members(call.effect.title).kind
    example_arguments = {
        name: field
        for name, field in effect.equal_fields
        if field in kind.example_fields
        and type(arguments.get(name)) not in (list, type(None))
        and name not in call.from_results
    }
    word_arguments = {
        name: field
        for name, field in effect.word_filters
        if isinstance(arguments.get(name), str) and name not in call.from_results
    }
    if not call.state.is_open or not example_arguments or len(example_arguments) + len(word_arguments) == 1:
        return arguments
    if any(effect.matches(entity, arguments, call.day) for entity in kind.pool):
        return arguments
    nameable = [entity for entity in kind.pool if effect.can_be_said(entity)] or kind.pool
    entity = call.draw.choice(nameable)
    found_words = {
        name: call.draw.choice(_search_words(entity[field]) or [arguments[name]])
        for name, field in word_arguments.items()
    }
    return {**arguments, **{name: entity[field] for name, field in example_arguments.items()}, **found_words}


def _search_words(text: Any) -> list[str]:
    """Return the long words of a text by which people would look for it: `"Garden chair, oak"` → `["Garden"]`."""
    return [word for word in str(text).split() if len(word) > _SHORT and word.isalpha()]


_SHORT = 4


def _with_words_of_texts(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments of a search with a word of some text for those whose words no text of the searched field holds."""
    for name, field in call.effect.word_filters:
        value = arguments.get(name)
        if isinstance(value, str) and name not in call.from_results and not call.texts_with(field, value):
            words = [word for text in call.texts_with(field, "") for word in _search_words(text)]
            arguments = {**arguments, name: call.draw.choice(words)} if words else arguments
    return arguments


def _fit_search_in_each(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments of a search that is made with the key of any entity of an earlier result; it finds something for each of them."""
    arguments = _with_existing_values(call, _with_words_of_texts(call, _with_one_example(call, arguments)))
    for name, title in call.effect.reference_filters:
        for key in list(call.state.all(title)) if name in call.from_results and call.state.is_open else ():
            if not ensure_found(call, {**arguments, name: key}, call.draw.between(1, _MOST)):
                arguments = _relaxed(call, arguments)
                ensure_found(call, {**arguments, name: key}, call.draw.between(1, _MOST))
    return arguments


def _relaxed(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return arguments with which a search finds more: without filters that are optional, with texts that some entity has."""
    effect = call.effect
    needed_arguments = {*effect.required, *effect.existing_arguments, *call.from_results}
    arguments = {
        name: value for name, value in arguments.items() if name in needed_arguments or name not in effect.filters
    }
    for name, _, fields in effect.tests:
        if name is not None and isinstance(arguments.get(name), str):
            candidates = [
                {**arguments, name: entity[field]} for entity in call.draw.shuffled(call.existing) for field in fields
            ]
            arguments = next(
                (relaxed for relaxed in candidates if effect.select(call.existing, relaxed, call.day, call.state)),
                arguments if name in effect.required else _without(arguments, name),
            )
        elif name is not None and name not in effect.required:
            arguments = _without(arguments, name)
    return arguments


def _without(arguments: CallArguments, name: str) -> CallArguments:
    """Return the arguments but the one with a name."""
    return {key: value for key, value in arguments.items() if key != name}


def _with_existing_values(call: TargetCall, arguments: CallArguments) -> CallArguments:
    """Return the arguments with one entity's values for the filters that must name something that exists: `{"customer_id": "C-7"}`."""
    effect = call.effect
    pairs = [
        (name, field)
        for name, field in effect.equal_fields
        if arguments.get(name) is not None
        and name not in call.from_results
        and _must_exist(call, arguments, name, field)
    ]
    if not pairs:
        return arguments
    titles = dict(call.effect.reference_filters)
    if call.keeps_arguments and all(
        arguments[name] in call.state.all(titles.get(name, effect.title)) for name, _ in pairs
    ):
        return arguments

    def succeeds(fields: EntityFields) -> bool:
        """Whether a search may find the entity, and later tools succeed for it."""
        can_be_said = all(fields[field] in effect.choices[name] for name, field in pairs if name in effect.choices)
        return can_be_said and effect.matches(fields, ANY, call.day, call.state) and call.goes_through(fields)

    return _with_field_values(
        arguments,
        _choose_entities(call, succeeds, [field for _, field in pairs if field in effect.naming_fields]),
        pairs,
    )


def _must_exist(call: TargetCall, arguments: CallArguments, name: str, field: str) -> bool:
    """Whether the filter `name` must take its value from an existing entity: keys, fields computed from others, all once none can be added."""
    kind = call.state.kind(call.effect.title)
    is_settled = name in call.effect.existing_arguments or any(field == computed for computed, _, _ in kind.from_others)
    return not call.state.is_open or is_settled or not kind.value_tests[field](arguments[name])


if TYPE_CHECKING:
    from generator.world.world import SimulatedWorld


class Entities:
    """What a scenario sees of a world with entities."""

    __slots__ = ("_day", "_effects", "_state", "_used_names", "_world")

    def __init__(self, world: "SimulatedWorld", day: str) -> None:
        self._world, self._state, self._effects, self._day = world, world.state, world.effects, day
        self._used_names: set[Any] = set()

    def begin(self) -> None:
        """Begin the conversation: from now on no entity can be added."""
        self._state.begin()

    def fit(
        self,
        tool: str,
        arguments: CallArguments,
        draw: Draw,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> CallArguments:
        """Return drawn arguments of a call, changed so that it succeeds.

        `then` are the `later_tools` of TargetCall, `meant` its `from_results`, `fewest` its `least`, `agreed` its `keeps_arguments`.

        Raises:
            CannotFillError: when no such arguments are found.
        """
        effect = self._effects.get(tool)
        if effect is None:
            return arguments
        arguments = fitted_arguments(
            TargetCall(
                self._state,
                self._effects,
                effect,
                draw,
                self._day,
                then,
                meant,
                self._used_names,
                fewest,
                keeps_arguments=agreed,
            ),
            arguments,
        )
        for name, _ in effect.equal_fields:
            value = arguments.get(name)
            self._used_names.update(value if type(value) is list else (value,))
        return arguments

    def settles(self, tool: str, argument: str) -> bool:
        """Whether fitting decides the value of an argument, since it must name an entity that exists."""
        effect = self._effects.get(tool)
        return effect is not None and argument in effect.existing_arguments

    def finds(self, tool: str, arguments: CallArguments, draw: Draw) -> bool:
        """Make sure that a search finds something, if possible; return whether it does (true for other tools)."""
        effect = self._effects.get(tool)
        return (
            effect is None
            or ensure_found(TargetCall(self._state, self._effects, effect, draw, self._day), arguments) > 0
        )

    def peek(self, call: ToolCall) -> Outcome:
        """Return the outcome that a call would have now, without making it."""
        return self._world.peek(call)

    def changes_nothing(self, call: ToolCall) -> bool:
        """Whether a call that should change something leaves all that it is about as it is now."""
        effect = self._effects.get(call.name)
        if effect is None or not effect.must_change:
            return False
        entities = effect.entities_for(self._state, call.arguments, self._day)
        return bool(entities) and all(effect.is_idle(one, call.arguments, self._day, self._state) for one in entities)


def entities_of(world: object) -> Entities | None:
    """Return the entities of a world, as scenarios see them; None for worlds that keep no such state."""
    return getattr(world, "entities", None)


def state_of(world: object) -> State | None:
    """Return the state of a world; none for worlds without one that is ours."""
    return getattr(world, "state", None)
