"""Some results of each tool, and what in them contradicts: counts, sums, days, order, and what never says anything.

A check yields (place in the result, what is wrong). It looks at results as parsed JSON and at words in the names of fields,
not at what made them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import partial
from itertools import combinations, product
from typing import Any

import msgspec

from generator.arguments import compile_value
from generator.arguments.sources import compile_source
from generator.core.conversation import ToolCall
from generator.core.documents import shown
from generator.core.errors import CannotFillError, GeneratorError
from generator.core.planning import Outcome
from generator.core.pointers import joined
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox, ToolSpec, name_as_words
from generator.recipe import ArgumentSettings
from generator.tools.describing.checks import ToolFault
from generator.tools.describing.lexicon import singular_of
from generator.world import Backend, compile_backend
from generator.world.world import SimulatedWorld

Found = Iterator[tuple[str, str]]
"""(place in a result, what is wrong there)."""
Fields = Mapping[str, Any]


class SampledTool(msgspec.Struct, frozen=True):
    """A tool with results, and what in them contradicts."""

    tool: str
    calls: tuple[tuple[dict[str, Any], Outcome], ...] = ()
    """Two calls, each in a world of its own, with their outcomes: those that contradict themselves, if there are such."""
    faults: tuple[ToolFault, ...] = ()
    """Those that are only told are hints: they may be meant."""


_DAYS = tuple(date(2026, month, 3 * month) for month in range(2, 8))
"""Of the worlds in which each tool is called."""
_SHOWN = 2
"""Results of a tool, and elements of a long list."""
_SEED = 20260302


def sampled_tools(toolbox: Toolbox) -> Iterator[SampledTool]:
    """Yield some results of each tool, and what in them contradicts."""
    try:
        backend = compile_backend(toolbox, compile_value, _SEED)
        argument_makers = [(spec, compile_source(spec, ArgumentSettings(), _SEED)) for spec in toolbox.values()]
    except GeneratorError as fault:
        yield SampledTool("", (), (ToolFault(tool="", check="loading", piece="", message=str(fault)),))
        return
    for spec, make in argument_makers:
        calls, idle = _called(backend, spec, make)
        results = [outcome.value for _, outcome in calls if outcome.ok]
        reasons_by_call = [
            dict(contradictions_in(outcome.value, is_whole=_is_whole(spec, outcome.value))) if outcome.ok else {}
            for _, outcome in calls
        ]
        reason_by_pointer = {pointer: reason for reasons in reasons_by_call for pointer, reason in reasons.items()}
        hints = [
            (pointer, reason)
            for pointer, reason in (*_always_empty_or_alike(results), *idle)
            if pointer not in reason_by_pointer
        ]
        finding = partial(ToolFault, tool=spec.name, check="result")
        faults = [finding(piece=pointer, message=reason) for pointer, reason in reason_by_pointer.items()]
        faults += [finding(piece=pointer, message=reason, is_told=True) for pointer, reason in hints]
        best = sorted(range(len(calls)), key=lambda at: (not reasons_by_call[at], not calls[at][1].ok, at))
        yield SampledTool(spec.name, tuple(calls[at] for at in sorted(best[:_SHOWN])), tuple(faults))


def _called(
    backend: Backend, spec: ToolSpec, make: Callable[[Draw], dict[str, Any]]
) -> tuple[list[tuple[dict[str, Any], Outcome]], list[tuple[str, str]]]:
    """Return calls of a tool, each in a world of its own, and the flags that change no result, and that no answer tells."""
    answers = str(spec.phrases.answer)
    flags = [name for name, part in spec.properties.items() if isinstance(part, dict) and part.get("type") == "boolean"]
    idle = [name for name in flags if f"args.{name}" not in answers]
    calls = []
    for salt, day in enumerate(_DAYS):
        draw, world = Draw(stream_seed(_SEED, spec.name, salt), day), backend.open(day, salt)
        arguments = make(draw)
        if world.entities is not None:
            with suppress(CannotFillError):  # then the call may fail, which is shown
                arguments = world.entities.fit(spec.name, arguments, draw)
        calls.append((arguments, world.peek(ToolCall("sampled", spec.name, arguments))))
        idle = [name for name in idle if not _changes_result(world, spec.name, arguments, name)]
    return calls, [(name, f"the result is the same with {name} true and false") for name in idle]


def _changes_result(world: SimulatedWorld, tool: str, arguments: dict[str, Any], flag: str) -> bool:
    """Whether the results of a call differ with a flag, in places where what is drawn does not differ from call to call."""
    variants = [{**arguments, flag: is_on, **more} for is_on in (True, False) for more in ({}, {"": "another draw"})]
    with_flag, with_flag_redrawn, without_flag, without_flag_redrawn = (
        _leaves(world.peek(ToolCall("sampled", tool, arguments_of_call)).value) for arguments_of_call in variants
    )
    steady = [
        pointer
        for pointer in {**with_flag, **without_flag}
        if with_flag.get(pointer) == with_flag_redrawn.get(pointer)
        or without_flag.get(pointer) == without_flag_redrawn.get(pointer)
    ]
    return any(with_flag.get(pointer) != without_flag.get(pointer) for pointer in steady)


def _leaves(value: Any, pointer: str = "") -> dict[str, str]:
    """Return pointer → text of each leaf of a result: `{"/jobs/0/id": "'J-1'"}`."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        return {pointer: repr(value)}
    return {
        leaf_pointer: leaf for name, part in parts for leaf_pointer, leaf in _leaves(part, f"{pointer}/{name}").items()
    }


def _is_whole(spec: ToolSpec, result: Any) -> bool:
    """Whether neither an argument nor a field nor a bound tells that lists of a result may be cut short."""
    names = [*spec.properties, *[name for _, fields in objects_with_places(result) for name in fields]]
    return (spec.effect is None or spec.effect.limit is None) and _CUT.isdisjoint(
        word for name in names for word in _words(name)
    )


_CUT = {"limit", "page", "pages", "cursor", "offset", "more", "max", "top", "size"}
"""Words of the names of arguments and fields that tell of parts."""


def _words(name: str) -> list[str]:
    return name_as_words(name).split()


def objects_with_places(value: Any, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all objects of a result with their places, `*` for any element of a list."""
    if isinstance(value, dict):
        yield pointer, value
    parts = (
        value.items() if isinstance(value, dict) else [("*", part) for part in value] if isinstance(value, list) else ()
    )
    for name, part in parts:
        yield from objects_with_places(part, joined(pointer, name))


def contradictions_in(result: Any, *, is_whole: bool = True) -> Found:
    """Yield what cannot be so in a result; of lists that may be cut short, only what cannot be whatever is missing."""
    for pointer, fields in objects_with_places(result):
        for check in CHECKS:
            yield from ((joined(pointer, name), why) for name, why in check(fields, is_whole))


def _check_counts(fields: Fields, is_whole: bool) -> Found:
    """Check numbers of elements: `count`, `order_count`, `total_orders` beside a list."""
    lists = {singular_of(_words(name)[-1]): part for name, part in fields.items() if isinstance(part, list)}
    for name, number in _numbers(fields).items():
        words = _words(name)
        of = [noun for word in words if word not in _COUNTING and (noun := singular_of(word)) not in _FOUND]
        if len(lists) == 1 and not of and ("count" in words or not any(map(_numbers, *lists.values()))):
            of = [*lists]
        counted = lists.get(of[-1], ()) if of and _COUNTING & {*words} else ()
        if counted and (number < len(counted) or (is_whole and number != len(counted))):
            yield name, f"is {number}, but there are {len(counted)} in the list beside it"


_COUNTING = {"count", "total", "num", "n"}
_FOUND = {"result", "match", "item", "element", "entry", "record", "hit", "found", "returned", "of"}


def _numbers(fields: Any) -> dict[str, float]:
    """Return the numbers of an object."""
    parts = fields.items() if isinstance(fields, dict) else ()
    return {name: part for name, part in parts if type(part) in (int, float)}


def _check_sums(fields: Fields, is_whole: bool) -> Found:
    """Check totals of what the elements of a list beside them have: `total`, `total_minutes`, with what is added or taken off."""
    lists = [part for part in fields.values() if isinstance(part, list) and any(map(_numbers, part)) and is_whole]
    for name, total in _numbers(fields).items() if lists else ():
        words = {*_words(name)} - _TOTAL
        sums_by_list = [sums for part in lists if (sums := _column_sums(part, words or _AMOUNTS))]
        if not sums_by_list or words >= {*_words(name)}:
            continue
        others = [(0, number, -number) for other, number in _numbers(fields).items() if other != name][:_MANY]
        surcharges = {sum(signs) for signs in product(*others)}
        tolerance = max(map(len, lists)) * _CENT
        if not any(
            abs(sum_of_column + surcharge - total) < tolerance
            for sums in sums_by_list
            for sum_of_column in sums.values()
            for surcharge in surcharges
        ):
            of, best = min(sums_by_list[0].items(), key=lambda pair: abs(pair[1] - total))
            yield name, f"is {total}, but {of} of the elements beside it come to {round(best, 2)}"


_MANY = 5
"""Numbers beside a total that may be added to it or taken off."""
_TOTAL = {"total", "sum", "subtotal", "grand", "overall"}
_AMOUNTS = {"amount", "charge", "cost", "fee", "price", "subtotal", "sum", "total", "value"}
"""Words of the names of what a total alone may be of."""
_CENT = 0.011


def _column_sums(elements: list[Any], words: set[str]) -> dict[str, float]:
    """Return name → sum over all elements of the fields with one of the words, also times another field: `price times count`."""
    numbers = [_numbers(element) for element in elements]
    shared = [name for name in numbers[0] if all(name in numbers_of_element for numbers_of_element in numbers)]
    pairs = [(name, other) for name in shared if words & {*_words(name)} for other in shared if other != name]
    sums = {
        name: sum(numbers_of_element[name] for numbers_of_element in numbers)
        for name in shared
        if words & {*_words(name)}
    }
    return sums | {f"{name} times {other}": sum(each[name] * each[other] for each in numbers) for name, other in pairs}


def _check_calendar(fields: Fields, is_whole: bool) -> Found:
    """Check years, months and days of the week against the dates beside them: those with the same word, or else all."""
    days = _moments(fields)
    for name, value in fields.items() if days else ():
        unit = next((unit for unit in _UNITS if unit in _words(name) and type(value) in _UNITS[unit][0]), "")
        other_words = {*_words(name)} - {unit, *_OF_UNITS}
        related_days = [other for other in days if unit and (not other_words or other_words & {*_words(other)})]
        possible = {f"{days[other]:{form}}".casefold() for other in related_days for form in _UNITS[unit][1]}
        if possible and str(value).casefold().zfill(2) not in possible:  # March is 3 and 03
            yield name, f"is {value}, but {related_days[0]} is {days[related_days[0]]:%Y-%m-%d, a %A}"


_OF_UNITS = {"day", "of", "week", "name"}
_UNITS: dict[str, tuple[tuple[type, ...], Sequence[str]]] = {
    "year": ((int, str), ("%Y",)),
    "month": ((int, str), ("%m", "%B", "%b", "%Y-%m")),
    "weekday": ((str,), ("%A", "%a")),
    "week": ((str,), ("%A", "%a")),
}
"""Word of a name → the types that its values have, and how they are written."""


def _moments(fields: Fields) -> dict[str, datetime]:
    """Return the moments and beginnings of days of an object; no clock times, which go round at midnight."""
    moments = {}
    for name, part in fields.items():
        with suppress(ValueError):
            if isinstance(part, str) and _DATE.match(part):
                moments[name] = datetime.fromisoformat(part)
    return moments


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:$|[T ])")


def _check_order(fields: Fields, is_whole: bool) -> Found:
    """Check that nothing ends before it starts, and no least is above a most."""
    both: tuple[tuple[Fields, Any], ...] = ((_moments(fields), _ORDER), (_numbers(fields), _BOUNDS))
    for comparable, words in both:
        for name, other in _pairs(comparable, words):
            with suppress(TypeError):  # one of two moments has a time zone
                if comparable[name] > comparable[other]:
                    yield name, f"is {fields[name]}, but {other} is {fields[other]}"


def _check_ends(fields: Fields, is_whole: bool) -> Found:
    """Check that what leads from one to another has two ends."""
    for name, other in _pairs(fields, _ENDS):
        if isinstance(fields[name], str) and fields[name] and fields[name] == fields[other]:
            yield name, f"is {shown(fields[name])}, and so is {other}"


def _pairs(fields: Fields, words: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield fields whose names differ in one of some pairs of words."""
    spelt = {" ".join(_words(name)): name for name in fields}
    for (words_of_name, name), (first, last) in product(spelt.items(), words):
        other = spelt.get(re.sub(rf"\b{first}\b", last, words_of_name), name)
        if other != name:
            yield name, other


_ENDS = (
    *(("from", "to"), ("origin", "destination"), ("source", "target"), ("source", "destination")),
    ("sender", "recipient"),
)
_ORDER = (
    *(("start", "end"), ("starts", "ends"), ("begin", "end"), ("from", "to"), ("since", "until")),
    *(("check in", "check out"), ("first", "last"), ("created", "updated"), ("opened", "closed"), ("issued", "due")),
)
_BOUNDS = (("min", "max"), ("minimum", "maximum"), ("low", "high"), ("lowest", "highest"))
"""Words of names, and what takes their place in the name of what is later, or more."""
CHECKS: tuple[Callable[[Fields, bool], Found], ...] = (
    _check_counts,
    _check_sums,
    _check_calendar,
    _check_order,
    _check_ends,
)
"""Each looks at an object of a result, and is told whether its lists are whole."""


def _always_empty_or_alike(results: Sequence[Any]) -> Found:
    """Yield the fields that are empty in all results, and those whose text another one of the object says, too."""
    by_pointer: dict[str, list[dict[str, Any]]] = {}
    for pointer, fields in (entry for result in results for entry in objects_with_places(result)):
        by_pointer.setdefault(pointer, []).append(fields)
    for pointer, objects in [(pointer, objects) for pointer, objects in by_pointer.items() if len(objects) >= _FEW]:
        for name in objects[0]:
            if all(fields.get(name) in ("", [], {}) for fields in objects):
                yield joined(pointer, name), "is empty in all results"
        texts = [name for name, value in objects[0].items() if isinstance(value, str) and " " in value]
        for name, other in combinations(texts, 2):
            if all(fields.get(name) == fields.get(other) for fields in objects):
                yield joined(pointer, other), f"says the same as {name} in all results"


_FEW = 3
"""Results that are enough to say so."""


def sampled_lines(sampled: SampledTool) -> Iterator[str]:
    """Yield lines for people: each call with its result, and what in them contradicts."""
    for arguments, outcome in sampled.calls:
        yield f"{sampled.tool}({', '.join(f'{name}={_brief(value)}' for name, value in arguments.items())})"
        yield f"    {_brief(outcome.value) if outcome.ok else outcome.content}"
    for fault in sampled.faults if sampled.calls else ():
        yield f"    {'hint' if fault.is_told else 'contradiction'}: {fault.piece}: {fault.message}"


def _brief(value: Any) -> str:
    """Return a value as JSON, with the first elements of long lists and the beginnings of texts only."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_brief(part)}' for name, part in value.items())}}}"
    if isinstance(value, list):
        more = [f"… {len(value) - _SHOWN} more"] if len(value) > _SHOWN + 1 else []
        return f"[{', '.join([*map(_brief, value[:_SHOWN] if more else value), *more])}]"
    return shown(value)
