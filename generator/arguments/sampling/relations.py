"""Arguments that belong together: check-in before check-out, origin other than destination.

Values that a recipe chose (`kept`) stay as they are: the other side moves.
"""

from collections.abc import Callable, Collection, Iterable
from copy import deepcopy
from datetime import date, timedelta
from typing import Any

from generator.arguments.sampling.leaves import Test
from generator.core.errors import RowError
from generator.core.pointers import escape, resolve, set_at
from generator.core.seeds import Draw, Maker
from generator.core.templates import parse_template
from generator.core.toolbox import Groups, Relation, ToolSpec, fields_written, is_chosen

Relate = Callable[[Draw, dict[str, Any]], None]

_ABSENT = object()
_GAP_DAYS = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 7, 7, 10, 14)
_GAP_MINUTES = (30, 30, 30, 45, 60, 60, 60, 60, 90, 90, 120, 120, 180)
_DAY = 24 * 60
_TRIES = 12
_MORE_TRIES = 60


def compile_relation(relation: Relation, makers: dict[str, Maker], kept: frozenset[str] = frozenset()) -> Relate:
    """Return a function that changes arguments in place so that the relation holds, when both sides are there.

    Args:
        relation: The relation.
        makers: Makers of the arguments, by slot.
        kept: Arguments whose values may be drawn again but not changed. If both sides are, and no draw fits, the
        relation is not kept: the recipe takes precedence.
    """
    left, right = relation.left, relation.right
    if relation.operator != "!=":
        if left in kept or right in kept:
            return _ordered_by_drawing(left, right, makers, kept)
        return _ordered(left, right)
    moved, stays = (left, right) if right in kept and left not in kept else (right, left)
    again = makers.get(moved)

    def differ(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, stays), _get(arguments, moved)
        if first is _ABSENT or second is _ABSENT:
            return
        if again is not None:
            second = _other(draw, again, first, second)
        set_at(arguments, moved, second)

    return differ


def broken(relations: Iterable[Relation], arguments: dict[str, Any]) -> str:
    """Return the first relation that does not hold between arguments that are there, or nothing."""
    for relation in relations:
        first, second = _get(arguments, relation.left), _get(arguments, relation.right)
        if first is _ABSENT or second is _ABSENT:
            continue
        if first == second or (relation.operator == "<" and not _is_less(first, second)):
            return f"{relation.left} {relation.operator} {relation.right} does not hold"
    return ""


def _ordered(left: str, right: str) -> Relate:
    def order(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, left), _get(arguments, right)
        if first is _ABSENT or second is _ABSENT:
            return
        first, second = _order(draw, first, second)
        set_at(arguments, left, first)
        set_at(arguments, right, second)

    return order


def _ordered_by_drawing(left: str, right: str, makers: dict[str, Maker], kept: frozenset[str]) -> Relate:
    """Order two values of which a recipe chose one or both: a chosen one may be drawn again, not changed."""
    movable = left if right in kept else right

    def order(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, left), _get(arguments, right)
        if first is _ABSENT or second is _ABSENT or _is_less(first, second):
            return
        moved = None if movable in kept else _moved(draw, first, second, movable == right)
        if moved is not None:
            set_at(arguments, movable, moved)
            return
        for _ in range(_MORE_TRIES):
            for slot in (left, right):
                if slot in makers and (slot in kept) == (movable in kept):
                    set_at(arguments, slot, makers[slot](draw))
            if _is_less(_get(arguments, left), _get(arguments, right)):
                return

    return order


def _is_less(first: Any, second: Any) -> bool:
    if (isinstance(first, str) and isinstance(second, str)) or _are_numbers(first, second):
        return bool(first < second)
    return True


def _moved(draw: Draw, first: Any, second: Any, is_later: bool) -> Any:
    """Return a moment a usual time after the first or before the second; None if they are not moments."""
    if not isinstance(first, str) or not isinstance(second, str):
        return None
    try:
        if is_later:
            kept, moved = _follow(draw, first, second)
            return moved if kept == first else None
        return _before(draw, second)
    except (ValueError, OverflowError):
        return None


def _before(draw: Draw, second: str) -> str | None:
    if second[2:3] == ":":
        minutes = _minutes(second) - draw.choice(_GAP_MINUTES)
        return None if minutes < 0 else _clock(minutes) + second[5:]
    day = date.fromisoformat(second[:10])
    if len(second) == 10:
        return _later_day(day, -draw.choice(_GAP_DAYS))
    begin = _minutes(second[11:]) - draw.choice(_GAP_MINUTES)
    return f"{_later_day(day, begin // _DAY)}{second[10]}{_clock(begin % _DAY)}{second[16:]}"


def _other(draw: Draw, again: Maker, first: Any, second: Any) -> Any:
    for _ in range(_TRIES):
        if second != first:
            break
        second = again(draw)
    return second


def _order(draw: Draw, first: Any, second: Any) -> tuple[Any, Any]:
    """Return the two values, swapped or made anew so that the first is less."""
    if isinstance(first, str) and isinstance(second, str):
        return _follow(draw, first, second)
    if not _are_numbers(first, second):
        return first, second
    if second == first:
        return first, first + max(1, int(abs(first) * 0.25))
    return (first, second) if first < second else (second, first)


def _follow(draw: Draw, first: str, second: str) -> tuple[str, str]:
    """Return the moments with the second a usual time after the first; other texts are only sorted."""
    try:
        if first[2:3] == ":":
            return _clock_pair(first, _minutes(first), draw.choice(_GAP_MINUTES))
        day = date.fromisoformat(first[:10])
        if len(first) == 10:
            return first, _later_day(day, draw.choice(_GAP_DAYS))
        end = _minutes(first[11:]) + draw.choice(_GAP_MINUTES)
        return first, f"{_later_day(day, end // _DAY)}{first[10]}{_clock(end % _DAY)}{first[16:]}"
    except (ValueError, OverflowError):
        return (first, second) if first < second else (second, first)


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


def _clock_pair(first: str, minutes: int, gap: int) -> tuple[str, str]:
    """Return both clock times on the same day."""
    minutes = min(minutes, _DAY - 1 - gap)
    return _clock(minutes) + first[5:], _clock(minutes + gap) + first[5:]


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _later_day(day: date, days: int) -> str:
    return (day + timedelta(days)).isoformat()


def _get(arguments: dict[str, Any], slot: str) -> Any:
    if type(arguments) is dict and slot and "/" not in slot and "~" not in slot:  # a key as it stands
        return arguments.get(slot, _ABSENT)
    try:
        return resolve(arguments, slot)
    except (LookupError, ValueError):
        return _ABSENT


def value_or_none(arguments: dict[str, Any], slot: str) -> Any:
    """Return the value at a slot; None when nothing is there."""
    found = _get(arguments, slot)
    return None if found is _ABSENT else found


def _are_numbers(*values: Any) -> bool:
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
    """Return a maker of the same arguments that has all or none of a group, and one of the sets of a choice.

    Args:
        make: The maker of arguments that fit the schema.
        groups: What goes together.
        makers: Of each argument, by slot.
        required: Arguments that are always there.
        relations: Hold between values, also those that are added.
        is_valid: Whether arguments fit the schema.
        name: Of the tool, for the error.
    """
    names = [slot.replace("~1", "/").replace("~0", "~") for slot in makers if slot and "/" not in slot]

    def made(draw: Draw) -> Any:
        for _ in range(_TRIES_OF_GROUPS):
            arguments = make(draw)
            if not any(groups.broken(arguments)):
                return arguments
            wanted = _wanted(groups, set(arguments), required, draw)
            for argument in sorted(wanted - arguments.keys()):
                arguments[argument] = makers[escape(argument)](draw)
            arguments = {argument: arguments[argument] for argument in names if argument in wanted} | {
                argument: value for argument, value in arguments.items() if argument in wanted
            }
            for relate in relations:
                relate(draw, arguments)
            if is_valid(arguments) and not any(groups.broken(arguments)):
                return arguments
        raise RowError(f"{name}: {_TRIES_OF_GROUPS} times the arguments that go together could not be made valid")

    return made


def _wanted(groups: Groups, given: set[str], required: frozenset[str], draw: Draw) -> set[str]:
    """Return the arguments that the call shall have."""
    for choice in groups.one_of:
        if any(is_chosen(alternative, choice, given) for alternative in choice):
            continue
        possible = [one for one in choice if required.isdisjoint({name for other in choice for name in other} - {*one})]
        there = [one for one in possible if given.issuperset(one) and one]
        chosen = draw.choice(there or possible or list(choice))
        given = (given - {name for one in choice for name in one}) | {*chosen}
    for group in groups.together:
        present = given.intersection(group)
        if present and len(present) < len(group):
            is_whole = bool(required & present) or draw.chance(0.5)
            given = given | {*group} if is_whole else given - {*group}
    return given


_MOST_SAID = 2
"""Optional arguments that a call has at most beside those that one phrase says together."""


def example_calls_of(spec: ToolSpec) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """Return (arguments, result) pairs: those of the tool, or else what it writes of the whole examples of its entity.

    Arguments for which somebody has said values of their own keep these.
    """
    if spec.example_calls or spec.effect is None or spec.effect.entity not in spec.declared.entities:
        return spec.example_calls
    written = [
        (field, value.removeprefix("args."))
        for field, value in fields_written(spec).items()
        if isinstance(value, str)
        and value.removeprefix("args.") in spec.properties
        and not _has_own_values(spec, value.removeprefix("args."))
    ]
    found = [
        {name: one[field] for field, name in written if field in one}
        for one in spec.declared.entities[spec.effect.entity].examples
    ]
    return tuple([(one, {}) for one in found if one])


def _has_own_values(spec: ToolSpec, name: str) -> bool:
    keys = [key for key in ("examples", "kinds", "patterns") if name in getattr(spec, key)]
    return any(spec.origins.get(f"{key}.{name}") != "derived" for key in keys)


def with_example_calls(make: Maker, spec: ToolSpec, kept: Collection[str], is_valid: Test) -> Maker:
    """Return a maker of the same arguments, with values that were written together.

    A call whose result was written too is taken as a whole.

    Args:
        make: The maker of arguments that fit the schema.
        spec: The tool.
        kept: Arguments whose values a recipe chose.
        is_valid: Whether arguments fit the schema.
    """
    calls = example_calls_of(spec)
    if not calls:
        return make
    wholes = [own for own, result in calls if result and not set(kept) & own.keys() and is_valid(own)]
    pairs = [own for own, result in calls if not result]

    def made(draw: Draw) -> Any:
        at = int(draw.rand() * (len(wholes) + len(pairs)))
        if at < len(wholes):
            return deepcopy(wholes[at])
        arguments = make(draw)
        own = pairs[at - len(wholes)] if pairs else {}
        told = {name: deepcopy(own[name]) for name in arguments if name in own and name not in kept}
        changed = {**arguments, **told}
        return changed if is_valid(changed) else arguments

    return made


def as_people_say(make: Maker, spec: ToolSpec, is_valid: Test) -> Maker:
    """Return a maker of the same arguments without most optional ones, and of changes with something that is changed.

    Nobody strings five things together; a phrase that holds several says them in one go.
    """
    required = {*spec.required}
    optional = [name for name in spec.properties if name not in required]
    phrases = spec.phrases
    heads = [parse_template(text).says - required for text in (*phrases.request, *phrases.question, *phrases.want)]
    together = max((len(head) for head in heads), default=0)
    changes = _changes(spec)
    if len(optional) <= _MOST_SAID and not changes:
        return make

    def made(draw: Draw) -> Any:
        arguments = make(draw)
        for _ in range(_TRIES_OF_EXAMPLE_CALLS if changes else 0):
            if not changes.isdisjoint(arguments):
                break
            arguments = make(draw)
        there = [name for name in optional if name in arguments]
        if len(there) <= _MOST_SAID:
            return arguments
        carried = max((head for head in heads if head <= {*there}), key=len, default=frozenset()) if together else ()
        rest = draw.shuffled([name for name in there if name not in carried])
        first = [name for name in rest if name in changes or spec.say.get(name) == "usually"]
        most = _MOST_SAID if not carried else 1
        kept = {*carried, *[*first, *[name for name in rest if name not in first]][:most]}
        fewer = {name: value for name, value in arguments.items() if name in required or name in kept}
        return fewer if is_valid(fewer) else arguments

    return made


_TRIES_OF_EXAMPLE_CALLS = 20


def _changes(spec: ToolSpec) -> frozenset[str]:
    """Return the arguments of a change of which it needs one, since none of them is required."""
    effect = spec.effect
    if effect is None or effect.kind != "update" or effect.set:
        return frozenset()
    written = [value.removeprefix("args.") for value in fields_written(spec).values() if isinstance(value, str)]
    found = frozenset(name for name in written if name in spec.properties)
    return frozenset() if found & {*spec.required} else found
