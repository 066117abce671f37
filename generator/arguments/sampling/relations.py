"""Arguments that belong together: check-in before check-out, origin other than destination.

What the spec file declares (relations, groups, example calls) holds; other values fit because the names of arguments suggest it, which
are compared word by word: `customer_name` and `customer_email` belong together, `min_price` and `max_price`, `unit_price`, `quantity`
and `total`. A change that would be invalid is not made.

Values that a recipe chose (`kept`) stay as they are: the other side moves.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from copy import deepcopy
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from generator.arguments.kinds.names import kind_of_name, words_in_name
from generator.arguments.kinds.places import PLACES, axis_of, coordinates_among
from generator.arguments.kinds.records import split_values
from generator.arguments.reading.nodes import EnumNode, Node, NumberNode, Schema, StringNode, object_nodes
from generator.arguments.sampling.leaves import Test, tester
from generator.arguments.sampling.numbers import Maker
from generator.arguments.vocabulary.words import CITIES_IN, CODE_OF, COUNTRY_OF, SPELLINGS, plain_letters
from generator.core.errors import RowError
from generator.core.pointers import escape, joined, resolve, set_at
from generator.core.seeds import Draw
from generator.core.templates import parse_template
from generator.core.toolbox import Groups, Relation, ToolSpec, fields_written, is_chosen
from generator.core.yaml_values import own_data

Relate = Callable[[Draw, dict[str, Any]], None]

_ABSENT = object()
_GAP_DAYS = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 7, 7, 10, 14)
_GAP_MINUTES = (30, 30, 30, 45, 60, 60, 60, 60, 90, 90, 120, 120, 180)
_DAY = 24 * 60
_TRIES = 12
_MORE_TRIES = 60


def compile_relation(relation: Relation, makers: dict[str, Maker], kept_slots: frozenset[str] = frozenset()) -> Relate:
    """Return a function that changes arguments in place so that the relation holds, when both sides are there.

    Those that are `kept` may be drawn again but not changed. If both sides are, and no draw fits, the relation is not kept: the recipe
    takes precedence.
    """
    left, right = relation.left, relation.right
    if relation.operator != "!=":
        if left in kept_slots or right in kept_slots:
            return _ordered_by_drawing(left, right, makers, kept_slots)
        return _swap_into_order(left, right)
    changed_slot, unchanged_slot = (left, right) if right in kept_slots and left not in kept_slots else (right, left)
    redraw = makers.get(changed_slot)

    def make_different(draw: Draw, arguments: dict[str, Any]) -> None:
        """Draw one of two values again while they are equal."""
        unchanged_value, changed_value = _value_at(arguments, unchanged_slot), _value_at(arguments, changed_slot)
        if unchanged_value is _ABSENT or changed_value is _ABSENT:
            return
        if redraw is not None:
            changed_value = _draw_until_different(draw, redraw, unchanged_value, changed_value)
        set_at(arguments, changed_slot, changed_value)

    return make_different


def broken(relations: Iterable[Relation], arguments: dict[str, Any]) -> str:
    """Return the first relation that does not hold between arguments that are there, or nothing."""
    for relation in relations:
        left_value, right_value = _value_at(arguments, relation.left), _value_at(arguments, relation.right)
        if left_value is _ABSENT or right_value is _ABSENT:
            continue
        if left_value == right_value or (relation.operator == "<" and not _is_less(left_value, right_value)):
            return f"{relation.left} {relation.operator} {relation.right} does not hold"
    return ""


def _swap_into_order(left: str, right: str) -> Relate:
    """Return a function that makes the value at `left` less than the one at `right`, by exchanging or moving them."""

    def put_in_order(draw: Draw, arguments: dict[str, Any]) -> None:
        """Put the two values in order, in place, where both are there."""
        left_value, right_value = _value_at(arguments, left), _value_at(arguments, right)
        if left_value is _ABSENT or right_value is _ABSENT:
            return
        left_value, right_value = _in_order(draw, left_value, right_value)
        set_at(arguments, left, left_value)
        set_at(arguments, right, right_value)

    return put_in_order


def _ordered_by_drawing(left: str, right: str, makers: dict[str, Maker], kept_slots: frozenset[str]) -> Relate:
    """Return a function that puts two values in order of which a recipe chose one or both: a chosen one may be drawn again, not changed."""
    movable = left if right in kept_slots else right

    def put_in_order(draw: Draw, arguments: dict[str, Any]) -> None:
        """Move the value that may be changed, or else draw values again until they are in order, in place."""
        left_value, right_value = _value_at(arguments, left), _value_at(arguments, right)
        if left_value is _ABSENT or right_value is _ABSENT or _is_less(left_value, right_value):
            return
        moved_value = None if movable in kept_slots else _moved_moment(draw, left_value, right_value, movable == right)
        if moved_value is not None:
            set_at(arguments, movable, moved_value)
            return
        for _ in range(_MORE_TRIES):
            for slot in (left, right):
                if slot in makers and (slot in kept_slots) == (movable in kept_slots):
                    set_at(arguments, slot, makers[slot](draw))
            if _is_less(_value_at(arguments, left), _value_at(arguments, right)):
                return

    return put_in_order


def _is_less(left: Any, right: Any) -> bool:
    """Whether a text is before another, or a number less than another; True for other values."""
    if (isinstance(left, str) and isinstance(right, str)) or _are_numbers(left, right):
        return bool(left < right)
    return True


def _moved_moment(draw: Draw, first: Any, second: Any, is_later: bool) -> Any:
    """Return a moment a usual time after the first or before the second; None if they are not moments."""
    if not isinstance(first, str) or not isinstance(second, str):
        return None
    try:
        if is_later:
            first_after, second_after = _in_order_of_time(draw, first, second)
            return second_after if first_after == first else None
        return _value_before(draw, second)
    except (ValueError, OverflowError):
        return None


def _value_before(draw: Draw, second: str) -> str | None:
    """Return a time, day or moment before `second`: `14:30` → `12:00`; None where the day has no such time."""
    if second[2:3] == ":":
        minutes = _minutes_of_clock(second) - draw.choice(_GAP_MINUTES)
        return None if minutes < 0 else _clock_of_minutes(minutes) + second[5:]
    day = date.fromisoformat(second[:10])
    if len(second) == 10:
        return _later_day(day, -draw.choice(_GAP_DAYS))
    begin = _minutes_of_clock(second[11:]) - draw.choice(_GAP_MINUTES)
    return f"{_later_day(day, begin // _DAY)}{second[10]}{_clock_of_minutes(begin % _DAY)}{second[16:]}"


def _draw_until_different(draw: Draw, again: Maker, first: Any, second: Any) -> Any:
    """Return `second`, drawn again a few times while it equals `first`."""
    for _ in range(_TRIES):
        if second != first:
            break
        second = again(draw)
    return second


def _in_order(draw: Draw, first: Any, second: Any) -> tuple[Any, Any]:
    """Return the two values, swapped or made anew so that the first is less."""
    if isinstance(first, str) and isinstance(second, str):
        return _in_order_of_time(draw, first, second)
    if not _are_numbers(first, second):
        return first, second
    if second == first:
        return first, first + max(1, int(abs(first) * 0.25))
    return (first, second) if first < second else (second, first)


def _in_order_of_time(draw: Draw, first: str, second: str) -> tuple[str, str]:
    """Return the moments with the second a usual time after the first; other texts are only sorted."""
    try:
        if first[2:3] == ":":
            return _clock_pair(first, _minutes_of_clock(first), draw.choice(_GAP_MINUTES))
        day = date.fromisoformat(first[:10])
        if len(first) == 10:
            return first, _later_day(day, draw.choice(_GAP_DAYS))
        end = _minutes_of_clock(first[11:]) + draw.choice(_GAP_MINUTES)
        return first, f"{_later_day(day, end // _DAY)}{first[10]}{_clock_of_minutes(end % _DAY)}{first[16:]}"
    except (ValueError, OverflowError):
        return (first, second) if first < second else (second, first)


def _minutes_of_clock(clock: str) -> int:
    """Return the minutes of a clock time since midnight: `01:30` → 90."""
    return int(clock[:2]) * 60 + int(clock[3:5])


def _clock_pair(first: str, minutes: int, gap: int) -> tuple[str, str]:
    """Return both clock times on the same day."""
    minutes = min(minutes, _DAY - 1 - gap)
    return _clock_of_minutes(minutes) + first[5:], _clock_of_minutes(minutes + gap) + first[5:]


def _clock_of_minutes(minutes: int) -> str:
    """Return a clock time from its minutes since midnight: 90 → `01:30`."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _later_day(day: date, days: int) -> str:
    """Return the day so many days later: `2026-03-03`."""
    return (day + timedelta(days)).isoformat()


def _value_at(arguments: dict[str, Any], slot: str) -> Any:
    """Return the value at a slot such as `guest/name`, or _ABSENT."""
    if type(arguments) is dict and slot and "/" not in slot and "~" not in slot:  # a key as it stands
        return arguments.get(slot, _ABSENT)
    try:
        return resolve(arguments, slot)
    except (LookupError, ValueError):
        return _ABSENT


def value_or_none(arguments: dict[str, Any], slot: str) -> Any:
    """Return the value at a slot; None when nothing is there."""
    value = _value_at(arguments, slot)
    return None if value is _ABSENT else value


def _are_numbers(*values: Any) -> bool:
    """Whether all values are numbers, and no booleans."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


_TRIES_OF_GROUPS = 60


def keeping_groups(
    make: Maker,
    groups: Groups,
    makers: dict[str, Maker],
    required: frozenset[str],
    relations: tuple[Relate, ...],
    is_valid: Test,
    name: str,
) -> Maker:
    """Return a maker of the same arguments that has all or none of a group, and one of the sets of a choice; `relations` hold between values that are added, too."""
    names = [slot.replace("~1", "/").replace("~0", "~") for slot in makers if slot and "/" not in slot]

    def make_whole_groups(draw: Draw) -> Any:
        """Draw arguments; where a group is broken, add or remove arguments until it is whole."""
        for _ in range(_TRIES_OF_GROUPS):
            arguments = make(draw)
            if not any(groups.broken(arguments)):
                return arguments
            wanted_names = _names_of_whole_groups(groups, set(arguments), required, draw)
            for argument in sorted(wanted_names - arguments.keys()):
                arguments[argument] = makers[escape(argument)](draw)
            arguments = {argument: arguments[argument] for argument in names if argument in wanted_names} | {
                argument: value for argument, value in arguments.items() if argument in wanted_names
            }
            for relate in relations:
                relate(draw, arguments)
            if is_valid(arguments) and not any(groups.broken(arguments)):
                return arguments
        raise RowError(f"{name}: {_TRIES_OF_GROUPS} times the arguments that go together could not be made valid")

    return make_whole_groups


def _names_of_whole_groups(groups: Groups, names: set[str], required: frozenset[str], draw: Draw) -> set[str]:
    """Return the names of the arguments that the call shall have, so that every group is whole and one alternative of each choice is chosen."""
    for choice in groups.one_of:
        if any(is_chosen(option, choice, names) for option in choice):
            continue
        possible = [
            option for option in choice if required.isdisjoint({name for other in choice for name in other} - {*option})
        ]
        present = [option for option in possible if names.issuperset(option) and option]
        chosen = draw.choice(present or possible or list(choice))
        names = (names - {name for option in choice for name in option}) | {*chosen}
    for group in groups.together:
        given = names.intersection(group)
        if given and len(given) < len(group):
            is_whole = bool(required & given) or draw.chance(0.5)
            names = names | {*group} if is_whole else names - {*group}
    return names


_MOST_SAID = 2
"""Optional arguments that a call has at most beside those that one phrase says together."""


def example_calls_of(spec: ToolSpec) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """Return (arguments, result) pairs: those of the tool, or else what it writes of the whole examples of its entity.

    Arguments for which somebody has said values of their own keep these.
    """
    if spec.example_calls or spec.effect is None or spec.effect.entity not in spec.declared.entities:
        return spec.example_calls
    written_fields = [
        (field, value.removeprefix("args."))
        for field, value in fields_written(spec).items()
        if isinstance(value, str)
        and value.removeprefix("args.") in spec.properties
        and not _has_own_values(spec, value.removeprefix("args."))
    ]
    calls = [
        {name: example[field] for field, name in written_fields if field in example}
        for example in spec.declared.entities[spec.effect.entity].examples
    ]
    return tuple([(example, {}) for example in calls if example])


def _has_own_values(spec: ToolSpec, name: str) -> bool:
    """Whether a person or a model has said which values an argument has, in `examples`, `kinds` or `patterns`."""
    keys = [key for key in ("examples", "kinds", "patterns") if name in getattr(spec, key)]
    return any(spec.origins.get(f"{key}.{name}") != "derived" for key in keys)


def with_example_calls(make: Maker, spec: ToolSpec, kept: Collection[str], is_valid: Test) -> Maker:
    """Return a maker of the same arguments, with values that were written together, but for those that a recipe chose (`kept`).

    A call whose result was written too is taken as a whole.
    """
    calls = example_calls_of(spec)
    if not calls:
        return make
    wholes = [example for example, result in calls if result and not set(kept) & example.keys() and is_valid(example)]
    pairs = [example for example, result in calls if not result]

    def make_fitting(draw: Draw) -> Any:
        """Take a whole example call, or draw arguments and give them the values of an example call."""
        index = int(draw.rand() * (len(wholes) + len(pairs)))
        if index < len(wholes):
            return deepcopy(wholes[index])
        arguments = make(draw)
        example = pairs[index - len(wholes)] if pairs else {}
        example_values = {name: deepcopy(example[name]) for name in arguments if name in example and name not in kept}
        changed = {**arguments, **example_values}
        return changed if is_valid(changed) else arguments

    return make_fitting


def as_people_say(make: Maker, spec: ToolSpec, is_valid: Test) -> Maker:
    """Return a maker of the same arguments without most optional ones, and of changes with something that is changed.

    Nobody strings five things together; a phrase that holds several says them in one go.
    """
    required = {*spec.required}
    optional = [name for name in spec.properties if name not in required]
    phrases = spec.phrases
    spoken = [parse_template(text).says - required for text in (*phrases.request, *phrases.question, *phrases.want)]
    most = max((len(slots) for slots in spoken), default=0)
    changed = _changed_arguments(spec)
    if len(optional) <= _MOST_SAID and not changed:
        return make

    def make_few(draw: Draw) -> Any:
        """Draw arguments and leave out most optional ones, but for those of one phrase."""
        arguments = make(draw)
        for _ in range(_TRIES_OF_EXAMPLE_CALLS if changed else 0):
            if not changed.isdisjoint(arguments):
                break
            arguments = make(draw)
        given = [name for name in optional if name in arguments]
        if len(given) <= _MOST_SAID:
            return arguments
        phrase_slots = (
            max((slots for slots in spoken if slots <= {*given}), key=len, default=frozenset()) if most else ()
        )
        rest = draw.shuffled([name for name in given if name not in phrase_slots])
        first = [name for name in rest if name in changed or spec.say.get(name) == "usually"]
        most_others = _MOST_SAID if not phrase_slots else 1
        kept = {*phrase_slots, *[*first, *[name for name in rest if name not in first]][:most_others]}
        fewer = {name: value for name, value in arguments.items() if name in required or name in kept}
        return fewer if is_valid(fewer) else arguments

    return make_few


_TRIES_OF_EXAMPLE_CALLS = 20


def _changed_arguments(spec: ToolSpec) -> frozenset[str]:
    """Return the arguments of a change of which it needs one, since none of them is required."""
    effect = spec.effect
    if effect is None or effect.kind != "update" or effect.set:
        return frozenset()
    argument_names = [value.removeprefix("args.") for value in fields_written(spec).values() if isinstance(value, str)]
    changed_names = frozenset(name for name in argument_names if name in spec.properties)
    return frozenset() if changed_names & {*spec.required} else changed_names


Fields = dict[str, Node]
"""The properties of one object: slot → node."""

_WORDS = own_data(__file__)
_ORDERED = [pair.split() for pair in split_values(_WORDS["ordered"])]
_PRODUCT = [split_values(names) for names in _WORDS["product"]]
_NOT_OWNERS, _MOMENTS = (frozenset(split_values(_WORDS[key])) for key in ("not_owners", "moments"))


def compile_fitting(
    schema: Schema,
    makers: dict[str, Maker],
    kept_slots: frozenset[str],
    declared: tuple[Relation, ...],
    person_slots: frozenset[str] = frozenset(),
) -> tuple[Relate, ...]:
    """Return functions that make arguments fit, each changing them in place.

    Those in `kept_slots` were chosen by a recipe and are not changed; pairs in `declared` relations are left to the spec file that declares
    them; `person_slots` are arguments that it declares to be names of people.
    """
    relates: list[Relate] = []
    for fields in _objects_within(schema.root, "", makers):
        for pair in _undeclared_relations(fields, declared):
            relate = compile_relation(pair, makers, kept_slots)
            relates.append(_if_valid(relate, {slot: _test_of(fields[slot]) for slot in (pair.left, pair.right)}))
        relates += _email_relations(fields, kept_slots, person_slots)
        for relations_of in (_city_relations, _coordinates_relations, _total_relations):
            relates += relations_of(fields, kept_slots)
    return tuple(relates)


def relations_by_name(schema: Schema, makers: dict[str, Maker], declared: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """Return the relations that the names of arguments suggest, beside those that the spec file declares."""
    objects = _objects_within(schema.root, "", makers)
    return tuple([pair for fields in objects for pair in _undeclared_relations(fields, declared)])


def _undeclared_relations(fields: Fields, declared: tuple[Relation, ...]) -> list[Relation]:
    """Return the relations `left < right` that names suggest, but for pairs that the spec file relates."""
    pairs = {frozenset((relation.left, relation.right)) for relation in declared}
    return [
        Relation(left, "<", right) for left, right in _ordered_pairs(fields) if frozenset((left, right)) not in pairs
    ]


def _objects_within(node: Node, slot: str, makers: dict[str, Maker]) -> Iterator[Fields]:
    """Yield the fields of the object and of the objects in it, each by its slot; only those that are made.

    A schema whose references lead to references may have billions of slots, of which the makers are the first ones.
    """
    for object_node in object_nodes(node):
        fields = {joined(slot, part.name): part.node for part in object_node.properties}
        fields = {inner: below for inner, below in fields.items() if inner in makers}
        yield fields
        for inner, below in fields.items():
            yield from _objects_within(below, inner, makers)


def _last_step(slot: str) -> str:
    """Return the last step of a slot: `guest/name` → `name`."""
    return slot.rpartition("/")[2]


def _kind_by_name(slot: str) -> str | None:
    """Return the kind of value that the name of a slot suggests: `guest/email` → `email`."""
    return kind_of_name(_last_step(slot), (), False)


def _test_of(node: Node) -> Test:
    """Return a test of whether a single value satisfies a node."""
    if isinstance(node, EnumNode):
        return lambda value: value in node.values
    return tester(node.schema) if isinstance(node, StringNode | NumberNode) else lambda value: True


def _if_valid(relate: Relate, tests: dict[str, Test]) -> Relate:
    """Return the relation, undone where its result is not valid."""

    def relate_or_undo(draw: Draw, arguments: dict[str, Any]) -> None:
        """Relate the values; take it back where one of them is not valid then."""
        values_before = {slot: value_or_none(arguments, slot) for slot in tests}
        if None in values_before.values():
            return
        relate(draw, arguments)
        if not all(is_valid(value_or_none(arguments, slot)) for slot, is_valid in tests.items()):
            for slot, value in values_before.items():
                set_at(arguments, slot, value)

    return relate_or_undo


def _ordered_pairs(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield slots whose names differ in one word, such as min and max, and whose values are of one sort."""
    by_name = {words_in_name(_last_step(slot)): slot for slot in fields}
    for words, slot in by_name.items():
        for lower_word, upper_word in _ORDERED:
            if axis_of(_last_step(slot)) is not None:
                continue
            counterpart = by_name.get(tuple(upper_word if word == lower_word else word for word in words))
            if words.count(lower_word) == 1 and counterpart is not None and _are_comparable(fields, slot, counterpart):
                yield slot, counterpart


def _are_comparable(fields: Fields, left: str, right: str) -> bool:
    """Whether both arguments are numbers, or both dates or times of one schema."""
    one, other = fields[left], fields[right]
    if isinstance(one, NumberNode) and isinstance(other, NumberNode):
        return True
    is_moment = isinstance(one, StringNode) and (one.format in {"date", "date-time"} or _kind_by_name(left) in _MOMENTS)
    return isinstance(one, StringNode) and isinstance(other, StringNode) and one.schema == other.schema and is_moment


def _slots_of(fields: Fields, *kinds: str) -> list[str]:
    """Return the slots of texts whose names suggest one of the kinds."""
    return [
        slot
        for slot, node in fields.items()
        if isinstance(node, StringNode | EnumNode) and _kind_by_name(slot) in kinds
    ]


def _owner(slot: str) -> set[str]:
    """Return the words of a slot's name that say whose value it is: `customer_email` → `{"customer"}`."""
    return set(words_in_name(_last_step(slot))) - _NOT_OWNERS


def _email_relations(fields: Fields, kept: frozenset[str], people: frozenset[str]) -> Iterator[Relate]:
    """Yield functions that make an email address from the name that it belongs to."""
    firsts, lasts = _slots_of(fields, "first_name"), _slots_of(fields, "last_name")
    declared = [slot for slot in fields if slot in people and not _owner(slot)]
    names = list(dict.fromkeys([*_slots_of(fields, "person_name"), *declared]))
    mails = [slot for slot in _slots_of(fields, "email") if slot not in kept]
    for mail in mails:
        own = [slot for slot in names if _owner(slot) == _owner(mail)]
        if not own and len(names) == len(mails) == 1 and not _owner(mail):
            own = names  # the only person there is
        if len(own) == 1:
            yield _email_relation(own, mail, _test_of(fields[mail]))
        elif not names and len(firsts) == len(lasts) == len(mails) == 1:
            yield _email_relation([*firsts, *lasts], mail, _test_of(fields[mail]))


def _email_relation(names: list[str], mail: str, is_valid: Test) -> Relate:
    """Return a function that writes the email address after the person's name: Ada King → `ada.king@example.com`."""

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Replace the part of the address before the @ by a form of the person's name, in place."""
        address, parts = value_or_none(arguments, mail), [value_or_none(arguments, name) for name in names]
        if not isinstance(address, str) or "@" not in address or not all(isinstance(part, str) for part in parts):
            return
        full = " ".join(map(str, parts))
        words = [word for word in map(plain_letters, full.split()) if word]
        if not words or len("".join(words)) < 0.7 * len(full):
            return  # no name, or one in other letters, does not say how its address is written
        forms = (".".join(words), f"{words[0][0]}.{words[-1]}", "".join(words), f"{words[0]}_{words[-1]}")
        new_address = f"{draw.choice(forms)}@{address.rpartition('@')[2]}"
        if is_valid(new_address):
            set_at(arguments, mail, new_address)

    return fit


def _city_relations(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Yield a function that sets the country to the one that the city lies in, or the city to one of the country."""
    cities = _slots_of(fields, "city")
    countries = _slots_of(fields, "country", "country_code", "country_code_3")
    if len(cities) == 1 and len(countries) == 1:
        city, country = cities[0], countries[0]
        if country not in kept:
            yield _country_relation(city, country, _test_of(fields[country]))
        elif city not in kept:
            yield _city_relation(city, country, _test_of(fields[city]))


def _country_relation(city: str, country: str, is_valid: Test) -> Relate:
    """Return a function that sets the country to that of the city, spelled as the argument has it (name, two or three letters)."""

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Set the country to that of the city, in place, spelled as it was."""
        city_name, now = value_or_none(arguments, city), value_or_none(arguments, country)
        code = COUNTRY_OF.get(city_name) if isinstance(city_name, str) else None
        if code is None or not isinstance(now, str):
            return
        index = next((at for at, spelling in enumerate(SPELLINGS[CODE_OF.get(now, code)]) if spelling == now), 2)
        spellings = (SPELLINGS[code][index], *SPELLINGS[code])
        country_name = next((spelling for spelling in spellings if is_valid(spelling)), None)
        if country_name is not None:
            set_at(arguments, country, country_name)

    return fit


def _city_relation(city: str, country: str, is_valid: Test) -> Relate:
    """Return a function that moves the city into the country, which a recipe has chosen."""

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Set the city to one in the country, in place, unless it lies there."""
        city_name, country_now = value_or_none(arguments, city), value_or_none(arguments, country)
        code = CODE_OF.get(country_now) if isinstance(country_now, str) else None
        if code is None or not isinstance(city_name, str) or COUNTRY_OF.get(city_name) == code:
            return
        fitting = [candidate for candidate in CITIES_IN.get(code, ()) if is_valid(candidate)]
        if fitting:
            set_at(arguments, city, draw.choice(fitting))

    return fit


def _coordinates_relations(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Yield functions that move most latitudes and longitudes to places that people know by name."""
    names = {_last_step(slot): slot for slot, node in fields.items() if isinstance(node, NumberNode)}
    for pair in coordinates_among(names).values():
        latitude, longitude = (names[name] for name in pair)
        if kept.isdisjoint((latitude, longitude)):
            yield _coordinates_relation(latitude, longitude, _test_of(fields[latitude]), _test_of(fields[longitude]))


def _coordinates_relation(latitude: str, longitude: str, is_latitude: Test, is_longitude: Test) -> Relate:
    """Return a function that moves most pairs of coordinates to places of places.yaml that the schema allows."""
    points = [point for _, point in PLACES.values() if is_latitude(point[0]) and is_longitude(point[1])]

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Set both coordinates, in place, to those of a place that people know by name; in most cases."""
        coordinates_now = [value_or_none(arguments, slot) for slot in (latitude, longitude)]
        if None not in coordinates_now and draw.chance(_NAMED):
            point = draw.choice(points)
            set_at(arguments, latitude, point[0])
            set_at(arguments, longitude, point[1])

    return fit if points else lambda draw, arguments: None


_NAMED = 0.85
"""How often coordinates are those of a place in places.yaml."""


def _total_relations(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Yield a function that sets the total to price times quantity."""
    numbers = {
        " ".join(words_in_name(_last_step(slot))): slot for slot, node in fields.items() if isinstance(node, NumberNode)
    }
    slots = [next((numbers[name] for name in names if name in numbers), None) for names in _PRODUCT]
    price, count, total = slots
    if price is not None and count is not None and total is not None and total not in kept:
        yield _product_relation(price, count, total, _test_of(fields[total]))


def _product_relation(price: str, count: str, total: str, is_valid: Test) -> Relate:
    """Return a function that sets the total to price times quantity, exactly, where readers of JSON keep it."""

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Set the total to price times quantity, in place."""
        unit_price, quantity, total_now = (value_or_none(arguments, slot) for slot in (price, count, total))
        if total_now is None or not isinstance(unit_price, int | float) or not isinstance(quantity, int | float):
            return
        product = Fraction(repr(unit_price)) * Fraction(repr(quantity))
        if abs(product) >= 2**63:
            return  # no reader keeps it exactly
        new_total = int(product) if product.denominator == 1 else round(float(product), 6)
        if is_valid(new_total):
            set_at(arguments, total, new_total)

    return fit
