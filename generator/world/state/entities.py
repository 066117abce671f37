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
Args = dict[str, Any]


def add_entities(
    state: State, title: str, draw: Draw, given: EntityFields, fits: Fits | None = None, count: int = 1, spares: int = 0
) -> list[EntityFields]:
    """Add entities of the kind with the title (`orders`) that have the given fields and fit, and return them; none once the first call is made.

    `count` are needed, each with a name that no other one has, if such come up; `spares` more may be added, with names of their own.
    """
    members = state.members(title)
    kind = members.kind
    if not state.is_open or (kind.has_listed_keys and kind.entity.key not in given):
        return []
    places = kind.places(given)
    first = int(draw.rand() * len(places))
    places = (*places[first:], *places[:first])
    remaining = iter(places)
    added = _add_from_places(state, members, islice(remaining, _LOOKED_AT), given, fits, count)
    for states in kind.all_states if count and not added else ():
        added = added or _add_from_places(state, members, places[:_IN_EACH_STATE], {**states, **given}, fits, 1)
    if spares and len(added) == count:
        added += _add_from_places(
            state, members, islice(remaining, _LOOKED_FOR_SPARE), given, fits, spares, are_spare=True
        )
    return added


def _add_from_places(
    state: State,
    members: Members,
    places: Iterable[int],
    given: EntityFields,
    fits: Fits | None,
    count: int,
    *,
    are_spare: bool = False,
) -> list[EntityFields]:
    """Add up to `count` entities from these places of the pool, and return them.

    One with the name of another is added only where too few have a name of their own, and never as a spare one.
    """
    kind = members.kind
    must_differ_in_name = kind.name_field is not None and kind.name_field not in given
    most_namesakes = (
        _LOOKED_AT if kind.entity.examples else _NAMESAKES
    )  # of whole examples each stands once in a stretch of the pool
    added: list[EntityFields] = []
    namesakes: list[tuple[int, EntityFields]] = []
    for place in places if count else ():
        if place in members.used:
            continue
        fields = state.at(members, place, given)
        if not members.is_free(fields) or (fits is not None and not fits(fields)):
            continue
        if kind.from_others and not state.agrees(kind, fields, given):
            continue
        if must_differ_in_name and kind.name_of(fields) in members.names:
            namesakes.append((place, fields))
        else:
            added.append(state.take(members, place, fields))
        if len(added) == count or len(namesakes) == most_namesakes:
            break
    if not are_spare:
        free_namesakes = [one for one in namesakes if members.is_free(one[1])]
        added += [state.take(members, *one) for one in free_namesakes[: count - len(added)]]
    return added


class TargetCall:
    """A call for which entities and arguments are fitted, and what is known of the conversation around it.

    `later_tools` are tools that will be called in turn for the entity of this call, and must succeed too (`later_effects`: the effects of
    those that act on it; `ends_here`: whether the last one does). `from_results` are arguments whose values will come from results;
    `used_names` keys and names of entities that other calls are about; `least` is the least number that a search finds, as long as entities
    can be added. `keeps_args`: the arguments were chosen to go with those of other calls, and are kept if the call then succeeds.
    """

    __slots__ = (
        "day",
        "draw",
        "effect",
        "effects",
        "ends_here",
        "from_results",
        "keeps_args",
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
        keeps_args: bool = False,
    ) -> None:
        self.state, self.effects, self.effect, self.draw, self.day = state, effects, effect, draw, day
        self.later_tools, self.from_results, self.used_names = later_tools, from_results, used_names
        self.least, self.keeps_args = least, keeps_args
        self.later_effects = [
            other for tool in later_tools if (other := effects.get(tool)) is not None and other.acts_on(effect.title)
        ]
        self.ends_here = not later_tools or (
            bool(self.later_effects) and self.later_effects[-1].tool == later_tools[-1]
        )

    @property
    def existing(self) -> list[EntityFields]:
        """Return the entities of the kind that the call is about."""
        return list(self.state.every(self.effect.title))

    def texts_with(self, field: str, phrase: Any, given: EntityFields | None = None) -> list[str]:
        """Return the texts that a field of the kind can have and that hold a phrase; those of entities with the given fields if there are such."""
        kind = self.state.members(self.effect.title).kind
        matching = [text for text in kind.texts(field) if holds_words(text, str(phrase))]
        places = kind.places({name: value for name, value in (given or {}).items() if name in kind.example_fields})
        of_given = {kind.pool[place][field] for place in places} if given else ()
        return [text for text in matching if text in of_given] or matching

    def add_entities(self, given_fields: EntityFields, fits: Fits | None, count: int = 1) -> list[EntityFields]:
        """Add entities for the call; see the function `add_entities`."""
        return add_entities(self.state, self.effect.title, self.draw, given_fields, fits, count)

    def goes_through(self, fields: EntityFields, args: Args | None = None) -> bool:
        """Whether all later tools succeed for an entity, one after the other; with arguments, the call itself before them."""
        calls = (
            self.later_effects
            if args is None or not self.effect.acts_on(self.effect.title)
            else [self.effect, *self.later_effects]
        )
        for number, effect in enumerate(calls):
            known_args = args if args is not None and effect is self.effect else ANY
            if effect.can_refuse and effect.refuse_one(None, fields, known_args, self.day) is not None:
                return False
            if effect.effect.kind == "delete":
                return number == len(calls) - 1 and self.ends_here
            if number < len(calls) - 1 and not effect.effect.reads:
                fields = effect.changed(fields, known_args, self.day)
        return True


def ensure_found(call: TargetCall, args: Args, count: int = 1) -> int:
    """Add entities so that a search finds `count` with which later tools succeed, if possible; return how many it finds."""
    effect, state, day = call.effect, call.state, call.day
    if effect.effect.kind != "find":
        return count

    def is_found(fields: EntityFields) -> bool:
        """Whether the search finds an entity, and later tools succeed for it."""
        return effect.matches(fields, args, day, state) and call.goes_through(fields)

    matching = effect.select(state.every(effect.title), args, day, state)
    if not state.is_open:
        return len(matching)
    for fields in matching if call.later_tools else ():
        ensure_found_later(call, fields)
        if not call.goes_through(fields):
            _change_states(call, fields, is_found)
    if len(matching) < count:
        is_known = not call.later_effects and list not in map(
            type, args.values()
        )  # what the arguments must equal, and nothing comes then
        matching += _add_matching(
            call, args, effect.tester(args, day, state) if is_known else is_found, len(matching), count
        )
    return len(matching)


def _add_matching(call: TargetCall, args: Args, fits: Fits | None, present: int, count: int) -> list[EntityFields]:
    """Add entities that a search finds beside the `present` ones: as many as it needs and, if they come up, up to `count` in all."""
    title, given = call.effect.title, call.effect.known(args, call.day)
    for argument, field in call.effect.word_filters:
        if argument in args and (texts := call.texts_with(field, args[argument], given)):
            given[field] = call.draw.choice(texts)
    needed = min(max(call.least, 1), count) - present
    # people do not have several things of one name
    spares = 0 if given.keys() & call.state.kind(title).only_name_field else count - present - max(needed, 0)
    added = add_entities(call.state, title, call.draw, given, fits, max(needed, 0), spares)
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


def fitted_arguments(call: TargetCall, args: Args) -> Args:
    """Return drawn arguments, changed so that the call succeeds.

    Raises:
        CannotFillError: when no such arguments are found.
    """
    effect = call.effect
    kind = effect.effect.kind
    if effect.references:
        args = _with_references(call, args)
    if call.from_results and any(name in effect.effect.by for name in call.from_results):
        return _fit_search_in_each(call, args) if kind == "find" else args
    if kind == "find":
        return _fit_search(call, args)
    if effect.title and kind != "create" and (effect.equal_fields or effect.tests):
        args = (
            _add_named_entity(call, args)
            if effect.other_fields and call.state.is_open
            else _name_one_entity(call, args)
        )
    refused = effect.refuse(call.state, args, call.day) if not call.from_results else None
    if isinstance(refused, Refused):
        raise CannotFillError(f"{effect.tool}: {refused.content}")
    return args


def _with_references(call: TargetCall, args: Args) -> Args:
    """Return the arguments with keys of entities that exist, or that are added, where a call refers to others: `{"customer_id": "C-7"}`."""
    for argument, title, _ in call.effect.references:
        value = args.get(argument)
        if value is None or argument in call.effect.filters or argument in call.from_results:
            continue
        kind, is_list = call.state.kind(title), type(value) is list
        keys = _accepted_keys(call, args, argument, list(call.state.all(title)))
        if call.keeps_args and not is_list and value in keys:
            continue
        needed = len(value) if is_list else 1
        for states in ({}, *kind.all_states):  # one that was called off may be refused: then another state will do
            if len(keys) >= needed:
                break
            added = add_entities(call.state, title, call.draw, states, None, needed - len(keys))
            keys += _accepted_keys(call, args, argument, [one[kind.entity.key] for one in added])
        keys = keys or list(call.state.all(title))  # other arguments may be why
        if not keys:
            raise CannotFillError(f"there is no {title} for {argument}")
        args = {**args, argument: call.draw.shuffled(keys)[: len(value)] if is_list else call.draw.choice(keys)}
    return args


def _accepted_keys(call: TargetCall, args: Args, argument: str, keys: list[Any]) -> list[Any]:
    """Return those of the keys that, as the value of `argument`, meet the conditions of a call that creates something; other calls take all."""
    effect = call.effect
    if effect.effect.kind != "create" or not effect.can_refuse:
        return keys
    refused = [effect.refuse_new(call.state, {**args, argument: key}, call.day) for key in keys]
    return [key for key, why in zip(keys, refused, strict=True) if why is None]


def _name_one_entity(call: TargetCall, args: Args) -> Args:
    """Return the arguments with those that say which entity a call is about set for one for which it succeeds: `{"order_id": "A7"}`."""
    effect = call.effect
    tested = [name for name, _, _ in effect.tests if name is not None and name in args] if effect.equal_fields else []
    tested_arguments = {name: args[name] for name in tested}

    def succeeds(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity that it can name, and what comes then."""
        return (
            effect.can_be_said(fields)
            and (not tested_arguments or effect.matches(fields, tested_arguments, call.day, call.state))
            and not (effect.can_refuse and effect.refuse_one(call.state, fields, args, call.day))
            and not (effect.must_change and effect.is_idle(fields, args, call.day, call.state))
            and call.goes_through(fields, args)
        )

    if call.keeps_args and _already_fits(call, args, succeeds):
        return args
    if not effect.equal_fields:
        return _pass_tests(call, args, succeeds)
    count = max([len(value) for name, _ in effect.equal_fields if type(value := args.get(name)) is list], default=1)
    entities = _choose_entities(call, succeeds, (effect.key,), count)
    for fields in entities if call.later_tools else ():
        ensure_found_later(call, fields)
    naming_pairs = [pair for pair in effect.equal_fields if pair[0] in args] or effect.equal_fields[
        : 1 if effect.equal_fields[0][1] == effect.key else None
    ]
    named = _with_field_values(args, entities, naming_pairs)
    is_unambiguous = count > 1 or len(effect.entities_for(call.state, named, call.day)) <= 1
    return named if is_unambiguous else _with_field_values(args, entities, effect.equal_fields)


def _pass_tests(call: TargetCall, args: Args, succeeds: Fits) -> Args:
    """Return the arguments of a call that tells its entity by tests only (`name == args.first`), set so that these are true of just one."""
    effect = call.effect
    for fields in call.draw.shuffled(call.existing) if call.existing else ():
        tried = args
        for name, _, read in effect.tests if succeeds(fields) else ():
            candidates = [{**tried, name: fields[field]} for field in read] if name is not None else []
            tried = next((one for one in candidates if effect.matches(fields, one, call.day, call.state)), tried)
        if effect.entities_for(call.state, tried, call.day) == [fields]:
            return tried
    raise CannotFillError(f"{effect.tool}: no arguments are about just one {effect.noun}")


def _already_fits(call: TargetCall, args: Args, succeeds: Fits) -> bool:
    """Whether the call succeeds for the entity that its arguments name already; one with these values is added if there is none."""
    given = {field: args[name] for name, field in call.effect.equal_fields if args.get(name) is not None}
    if list in map(type, given.values()):
        return False
    if any(succeeds(one) for one in call.existing if all(one[field] == value for field, value in given.items())):
        return True
    return call.effect.key not in given and bool(call.add_entities(given, succeeds))


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


def _with_field_values(args: Args, entities: Sequence[EntityFields], pairs: Sequence[tuple[str, str]]) -> Args:
    """Return the arguments with those of the pairs (argument, field) set to the entities' values: of all for a list, else of the first."""
    for name, field in pairs:
        is_list = type(args.get(name)) is list
        args = {**args, name: [one[field] for one in entities] if is_list else entities[0][field]}
    return args


def _add_named_entity(call: TargetCall, args: Args) -> Args:
    """Return the arguments as they are; where no entity has a name that they give, one with that name is put into the state.

    Raises CannotFillError when the call would succeed for none that comes up.
    """
    effect = call.effect

    def succeeds(fields: EntityFields) -> bool:
        """Whether the call succeeds for an entity, and what comes then."""
        return effect.refuse_one(call.state, fields, args, call.day) is None and call.goes_through(fields, args)

    for argument, _ in effect.equal_fields:
        alternatives = effect.other_fields.get(argument, ())
        for value in _as_list(args.get(argument)) if alternatives else ():
            is_there = effect.select(call.state.every(effect.title), {argument: value}, call.day, call.state)
            if not is_there and not call.add_entities({alternatives[0]: value}, succeeds):
                raise CannotFillError(f"{effect.tool}: no {effect.noun} came up for which it succeeds")
    return args


def _as_list(value: Any) -> list[Any]:
    """Return the values that an argument gives: of a list its elements, of null none, else the value alone."""
    return value if type(value) is list else [] if value is None else [value]


def _fit_search(call: TargetCall, args: Args) -> Args:
    """Return the arguments of a search that finds something."""
    effect = call.effect
    args = _with_existing_values(call, _with_words_of_texts(call, _with_one_example(call, args)))
    names_one = any(args.get(name) is not None for name in effect.naming_arguments)
    count = call.least if names_one else call.draw.between(max(_FEWEST, call.least), max(_MOST, call.least))
    count = count if call.state.is_open else 1
    if ensure_found(call, args, count) >= min(count, call.least):
        return args
    args = _relaxed(call, args)
    if ensure_found(call, args, count):
        return args
    raise CannotFillError(f"{effect.tool}: nothing that exists fits the arguments")


def _with_one_example(call: TargetCall, args: Args) -> Args:
    """Return the arguments of a search with values of one entity of the pool (`{"brand": "Fiat", "model": "Panda"}`), where its fields come from whole examples."""
    effect, kind = call.effect, call.state.members(call.effect.title).kind
    equal = {
        name: field
        for name, field in effect.equal_fields
        if field in kind.example_fields
        and type(args.get(name)) not in (list, type(None))
        and name not in call.from_results
    }
    words = {
        name: field
        for name, field in effect.word_filters
        if isinstance(args.get(name), str) and name not in call.from_results
    }
    if not call.state.is_open or not equal or len(equal) + len(words) == 1:
        return args
    if any(effect.matches(one, args, call.day) for one in kind.pool):
        return args
    nameable = [one for one in kind.pool if effect.can_be_said(one)] or kind.pool
    one = call.draw.choice(nameable)
    chosen = {name: call.draw.choice(_search_words(one[field]) or [args[name]]) for name, field in words.items()}
    return {**args, **{name: one[field] for name, field in equal.items()}, **chosen}


def _search_words(text: Any) -> list[str]:
    """Return the long words of a text by which people would look for it: `"Garden chair, oak"` → `["Garden"]`."""
    return [word for word in str(text).split() if len(word) > _SHORT and word.isalpha()]


_SHORT = 4


def _with_words_of_texts(call: TargetCall, args: Args) -> Args:
    """Return the arguments of a search with a word of some text for those whose words no text of the searched field holds."""
    for name, field in call.effect.word_filters:
        value = args.get(name)
        if isinstance(value, str) and name not in call.from_results and not call.texts_with(field, value):
            words = [word for text in call.texts_with(field, "") for word in _search_words(text)]
            args = {**args, name: call.draw.choice(words)} if words else args
    return args


def _fit_search_in_each(call: TargetCall, args: Args) -> Args:
    """Return the arguments of a search that is made with the key of any entity of an earlier result; it finds something for each of them."""
    args = _with_existing_values(call, _with_words_of_texts(call, _with_one_example(call, args)))
    for name, title in call.effect.reference_filters:
        for key in list(call.state.all(title)) if name in call.from_results and call.state.is_open else ():
            if not ensure_found(call, {**args, name: key}, call.draw.between(1, _MOST)):
                args = _relaxed(call, args)
                ensure_found(call, {**args, name: key}, call.draw.between(1, _MOST))
    return args


def _relaxed(call: TargetCall, args: Args) -> Args:
    """Return arguments with which a search finds more: without filters that are optional, with texts that some entity has."""
    effect = call.effect
    needed = {*effect.required, *effect.existing, *call.from_results}
    args = {name: value for name, value in args.items() if name in needed or name not in effect.filters}
    for name, _, fields in effect.tests:
        if name is not None and isinstance(args.get(name), str):
            tried = [{**args, name: entity[field]} for entity in call.draw.shuffled(call.existing) for field in fields]
            args = next(
                (one for one in tried if effect.select(call.existing, one, call.day, call.state)),
                args if name in effect.required else _without(args, name),
            )
        elif name is not None and name not in effect.required:
            args = _without(args, name)
    return args


def _without(args: Args, name: str) -> Args:
    """Return the arguments but the one with a name."""
    return {key: value for key, value in args.items() if key != name}


def _with_existing_values(call: TargetCall, args: Args) -> Args:
    """Return the arguments with one entity's values for the filters that must name something that exists: `{"customer_id": "C-7"}`."""
    effect = call.effect
    pairs = [
        (name, field)
        for name, field in effect.equal_fields
        if args.get(name) is not None and name not in call.from_results and _must_exist(call, args, name, field)
    ]
    if not pairs:
        return args
    titles = dict(call.effect.reference_filters)
    if call.keeps_args and all(args[name] in call.state.all(titles.get(name, effect.title)) for name, _ in pairs):
        return args

    def succeeds(fields: EntityFields) -> bool:
        """Whether a search may find the entity, and later tools succeed for it."""
        can_be_said = all(fields[field] in effect.choices[name] for name, field in pairs if name in effect.choices)
        return can_be_said and effect.matches(fields, ANY, call.day, call.state) and call.goes_through(fields)

    return _with_field_values(
        args, _choose_entities(call, succeeds, [field for _, field in pairs if field in effect.naming_fields]), pairs
    )


def _must_exist(call: TargetCall, args: Args, name: str, field: str) -> bool:
    """Whether the filter `name` must take its value from an existing entity: keys, fields computed from others, all once none can be added."""
    kind = call.state.kind(call.effect.title)
    is_settled = name in call.effect.existing or any(field == computed for computed, _, _ in kind.from_others)
    return not call.state.is_open or is_settled or not kind.tests[field](args[name])


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
        args: Args,
        draw: Draw,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> Args:
        """Return drawn arguments of a call, changed so that it succeeds.

        `then` are the `later_tools` of TargetCall, `meant` its `from_results`, `fewest` its `least`, `agreed` its `keeps_args`.

        Raises:
            CannotFillError: when no such arguments are found.
        """
        effect = self._effects.get(tool)
        if effect is None:
            return args
        call = TargetCall(
            self._state,
            self._effects,
            effect,
            draw,
            self._day,
            then,
            meant,
            self._used_names,
            fewest,
            keeps_args=agreed,
        )
        args = fitted_arguments(call, args)
        for name, _ in effect.equal_fields:
            value = args.get(name)
            self._used_names.update(value if type(value) is list else (value,))
        return args

    def settles(self, tool: str, argument: str) -> bool:
        """Whether fitting decides the value of an argument, since it must name an entity that exists."""
        effect = self._effects.get(tool)
        return effect is not None and argument in effect.existing

    def finds(self, tool: str, args: Args, draw: Draw) -> bool:
        """Make sure that a search finds something, if possible; return whether it does (true for other tools)."""
        effect = self._effects.get(tool)
        return effect is None or ensure_found(TargetCall(self._state, self._effects, effect, draw, self._day), args) > 0

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
