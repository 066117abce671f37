"""What must agree in one conversation, whatever tool tells it: invariants as data, and a check that sees only messages.

The files of a folder `invariants` in the folder of a spec file hold for its tools. Two values without a change between them, or
a broken relation, are faults; what made the messages is not known here.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import orjson
from msgspec import Meta

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.declared import read
from generator.core.documents import Place, nearest, read_document
from generator.core.entities import Table
from generator.core.errors import SpecError
from generator.core.files import shipped
from generator.core.pointers import split
from generator.core.profiles import says_failure
from generator.core.text_grammars import texts_in
from generator.tools.specs.tables import read_tables
from generator.world.expressions import FAULTS, Expression, ReadableNames, compile_expression
from generator.world.functions import minutes_of

PLACE = r"^[^#\s]+#/.+$"
Pointer = Annotated[str, Meta(pattern=PLACE)]
"""`tool#/pointer/into/*/its/result`"""
Name = Annotated[str, Meta(min_length=1)]


class Free(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says is free lies over nothing that is busy: `{free: find_free_slots#/slots/*, busy: event_id, …}`."""

    free: Pointer
    busy: Name
    """The key of things that take time."""
    on: Name
    """The field with the day, of both; also `start`, a clock time, and `minutes`, a number."""
    start: Name
    minutes: Name


class Agree(msgspec.Struct, frozen=True, kw_only=True):
    """A number agrees with the list that it counts: `{agree: open_tasks, of: project_id, counts: find_tasks#/tasks/*, …}`."""

    agree: Name
    """The field with the number."""
    of: Name
    """The key of the thing that has it."""
    counts: Pointer
    """The elements of a list that are counted."""
    by: Name
    """The argument that says of which thing the list is: its key, or its name."""
    where: str = ""
    """Which of them count: an expression of their fields."""


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """No element of a thing's list is later than a field of it: `{last: list_file_versions#/versions/*/saved_on, of: file_id, until: modified_on}`."""

    last: Pointer
    of: Name
    until: Name


class Of(msgspec.Struct, frozen=True, kw_only=True):
    """A relation of the fields of one thing, whichever results tell them: `{of: event_id, that: EXPRESSION}`."""

    of: Name
    that: Name


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """A relation within every object that has a field, and the arguments of its call: `{each: city, that: EXPRESSION}`."""

    each: Name
    that: Name
    tool: str = ""
    """Only in results of this tool."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """Tools that change more than they name: `{changed: device_id, by: [set_room_lights]}` ends what is known of all devices."""

    changed: Name
    by: Annotated[tuple[str, ...], Meta(min_length=1)]
    fields: tuple[str, ...] = ()
    """Only these fields; else all."""


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """Tools after which no list holds the thing of their result: `{gone: [delete_file]}`."""

    gone: Annotated[tuple[str, ...], Meta(min_length=1)]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A field that depends on what was asked: `{asked: distance_m, by: [near]}` is compared only where these arguments are equal."""

    asked: Name
    by: Annotated[tuple[str, ...], Meta(min_length=1)]


FORMS: dict[str, type[msgspec.Struct]] = {
    "free": Free,
    "agree": Agree,
    "last": Last,
    "of": Of,
    "each": Each,
    "changed": Changed,
    "gone": Gone,
    "asked": Asked,
}
"""By the word that tells the form; the first that an entry has counts."""

FOLDER = "invariants"


class InvariantsFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of invariants: entries of `FORMS`, the tables that their expressions read, and which tools only look things up."""

    invariants: tuple[dict[str, Any], ...]
    tables: dict[str, str] = {}
    look_ups: tuple[str, ...] = ()
    """First words of the names of tools that change nothing."""


class Relation(msgspec.Struct, frozen=True):
    """An expression that must be true, ready to be tried."""

    text: str
    holds: Expression
    reads: frozenset[str]
    """The fields that it reads."""
    asks: frozenset[str]
    """The arguments that it reads."""
    tool: str = ""


class Invariants(msgspec.Struct, frozen=True, kw_only=True):
    """All invariants of some files, by what they are about."""

    free: tuple[Free, ...] = ()
    agree: tuple[tuple[Agree, Relation | None], ...] = ()
    last: tuple[Last, ...] = ()
    of: dict[str, tuple[Relation, ...]] = {}
    """By the key of the thing."""
    each: dict[str, tuple[Relation, ...]] = {}
    """By the field that the objects have."""
    changed: dict[str, tuple[Changed, ...]] = {}
    """By tool."""
    asked: dict[str, tuple[str, ...]] = {}
    """Field → arguments on which it depends."""
    gone: frozenset[str] = frozenset()
    """Tools after which the thing that they tell of is nowhere listed."""
    look_ups: frozenset[str] = frozenset()
    """First words of the names of tools that change nothing."""
    tools: dict[str, frozenset[str]] = {}
    """Form → the tools whose lists it is about."""

    def __bool__(self) -> bool:
        """Whether there are any: nothing is compared without."""
        return bool(self.free or self.agree or self.last or self.of or self.each)


def invariants_beside(specs: Iterable[Path | None]) -> list[Path]:
    """Return the files of invariants beside some spec files, each once."""
    folders = dict.fromkeys(spec.parent / FOLDER for spec in specs if spec is not None)
    return [file for folder in folders for file in sorted(folder.glob("*.yaml"))]


def read_invariants(files: Iterable[Path]) -> Invariants:
    """Return the invariants of some files.

    Raises:
        SpecError: with `file:line: path: what is wrong`.
    """
    entries = _Entries()
    for file in files:
        entries.add(file)
    return entries.compiled()


@cache
def shipped_invariants() -> Invariants:
    """Return the invariants of the tools that come with the program."""
    return read_invariants(sorted((shipped("tool_specs") / FOLDER).glob("*.yaml")))


class _Entries:
    """The entries of some files, by form."""

    def __init__(self) -> None:
        self.forms: dict[str, list[tuple[Any, Any]]] = {word: [] for word in FORMS}
        self.look_ups: set[str] = set()

    def add(self, file: Path) -> None:
        """Read a file."""
        document = read_document(file, SpecError)
        model = read(InvariantsFile, document, document.value, (), SpecError)
        tables = read_tables(dict(model.tables), document)
        self.look_ups.update(model.look_ups)
        for at, entry in enumerate(model.invariants):
            place: Place = ("invariants", at)
            word = next((word for word in FORMS if word in entry), None)
            if word is None:
                hint = "".join(nearest(str(key), FORMS) for key in list(entry)[:1])
                raise SpecError(f"{document.at(place)}: an invariant begins with one of {', '.join(FORMS)}{hint}")
            one = read(FORMS[word], document, entry, place, SpecError)
            text = getattr(one, "that", "") or getattr(one, "where", "")
            relation = _relation(text, tables, document.at(place), getattr(one, "tool", "")) if text else None
            self.forms[word].append((one, relation))

    def compiled(self) -> Invariants:
        """Return them by what they are about."""
        forms = self.forms
        changed = [(tool, one) for one, _ in forms["changed"] for tool in one.by]
        return Invariants(
            free=tuple([one for one, _ in forms["free"]]),
            agree=tuple(forms["agree"]),
            last=tuple([one for one, _ in forms["last"]]),
            of=_grouped((one.of, relation) for one, relation in forms["of"]),
            each=_grouped((one.each, relation) for one, relation in forms["each"]),
            changed=_grouped(changed),
            gone=frozenset(tool for one, _ in forms["gone"] for tool in one.gone),
            asked={one.asked: one.by for one, _ in forms["asked"]},
            look_ups=frozenset(self.look_ups),
            tools={
                "free": frozenset(one.free.partition("#")[0] for one, _ in forms["free"]),
                "agree": frozenset(one.counts.partition("#")[0] for one, _ in forms["agree"]),
                "last": frozenset(one.last.partition("#")[0] for one, _ in forms["last"]),
            },
        )


def _grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for name, one in pairs:
        found[name] = (*found.get(name, ()), one)
    return found


def _relation(text: str, tables: dict[str, Table], where: str, tool: str) -> Relation:
    try:
        expression, reads = compile_expression(text, tables)
    except ValueError as wrong:
        raise SpecError(f"{where}: {text!r}: {wrong}") from None
    return Relation(text, expression, reads.properties, reads.arguments, tool)


class SeenCall(msgspec.Struct, frozen=True):
    """One call that succeeded."""

    name: str
    arguments: dict[str, Any]
    result: Any
    """As JSON; a text that is no JSON as it is."""
    message: int
    """The message that makes it: calls of one message are made at once."""


def calls_of(conversation: Conversation) -> Iterator[SeenCall]:
    """Yield the calls that were answered with a result, in order."""
    made: dict[str, tuple[ToolCall, int]] = {}
    for at, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                made[call.id] = call, at
        elif isinstance(message, ToolMessage) and message.tool_call_id in made and not message.is_error:
            call, asked = made[message.tool_call_id]
            try:
                result: Any = orjson.loads(message.content)
            except orjson.JSONDecodeError:
                result = message.content
            if not says_failure(result):
                yield SeenCall(call.name, call.arguments, result, asked)


_SHORTEST = 4
"""Characters of a text that tells a thing from all others."""
_MOST_OBJECTS = 2000
Thing = tuple[str, str]
"""(name of the key, key), as in ("event_id", "EVT-000123")."""
NO_KEY: Thing = ("", "")


Fact = tuple[Any, SeenCall]
"""What a field of a thing is, and the call whose result says so."""


class Facts:
    """What is known of things at one time."""

    __slots__ = ("by_thing", "changed")

    def __init__(self) -> None:
        self.by_thing: dict[Thing, dict[str, Fact]] = {}
        self.changed: set[str] = set()
        """Keys of things that calls have made or changed."""

    def of_kind(self, key: str) -> Iterator[tuple[Thing, dict[str, Any]]]:
        """Yield the things with a key of that name, each with its fields."""
        for thing, facts in self.by_thing.items():
            if thing[0] == key:
                yield thing, {**{name: fact[0] for name, fact in facts.items()}, key: thing[1]}

    def end(self, call: SeenCall, objects: list[tuple[Thing, dict[str, Any]]]) -> None:
        """Forget the things that a call which changes something names, by key or by name."""
        keys = {thing[1] for thing, _ in objects if thing is not NO_KEY}
        self.changed |= keys
        if self.by_thing:
            named = keys.union(texts_in(call.arguments))
            for thing in [one for one in self.by_thing if one[1] in named or self._is_named(one, named)]:
                del self.by_thing[thing]

    def _is_named(self, thing: Thing, named: set[str]) -> bool:
        facts = self.by_thing[thing]
        return any(name in facts and facts[name][0] in named for name in _NAMES)

    def forget(self, key: str, fields: tuple[str, ...]) -> None:
        """Forget all things of a kind, or only some fields of them."""
        for thing, facts in list(self.by_thing.items()):
            if thing[0] == key:
                if not fields:
                    del self.by_thing[thing]
                for field in fields:
                    facts.pop(field, None)


_NAMES = ("name", "title", "subject")


def objects_of(result: Any) -> list[tuple[Thing, dict[str, Any]]]:
    """Return all objects of a result, each with the thing that it tells of: its first `…_id` is the key."""
    found = []
    rest = [result]
    for value in rest:
        if type(value) is dict:
            thing = NO_KEY
            for name, part in value.items():
                kind = type(part)
                if kind is dict or kind is list:
                    rest.append(part)
                elif (
                    thing is NO_KEY and kind is str and len(part) >= _SHORTEST and (name[-3:] == "_id" or name == "id")
                ):
                    thing = (name, part)
            found.append((thing, value))
        elif type(value) is list:
            rest += value
        if len(found) > _MOST_OBJECTS:
            break
    return found


Objects = list[tuple[Thing, dict[str, Any]]]


class Contradiction(NamedTuple):
    """Two things that cannot both be so."""

    message: int
    """The message that makes the call whose result says so."""
    tool: str
    text: str


def contradictions(invariants: Invariants, calls: Iterable[SeenCall]) -> list[Contradiction]:
    """Return what the results of a conversation's calls contradict, each once."""
    seen = list(calls)
    called = {call.name for call in seen}
    checks = [check for check, form in _CHECKS if not called.isdisjoint(invariants.tools.get(form, ()))]
    facts = Facts()
    found: list[Contradiction] = []
    lists: list[SeenCall] = []
    gone: dict[Thing, str] = {}
    for call, looks_up in _in_order(invariants, seen):
        objects = objects_of(call.result)
        if not looks_up:
            facts.end(call, objects)
            for more in invariants.changed.get(call.name, ()):
                facts.forget(more.changed, more.fields)
            lists.clear()
        lists.append(call)
        texts = _broken(invariants, facts, call, objects) + (_there_again(gone, call, objects) if gone else [])
        for check in checks:
            texts += check(invariants, facts, lists)
        if texts:
            found += [Contradiction(call.message, call.name, text) for text in texts]
        if call.name in invariants.gone:
            gone.update((thing, call.name) for thing, _ in objects if thing is not NO_KEY)
    return list(dict.fromkeys(found)) if found else found


def _in_order(invariants: Invariants, calls: list[SeenCall]) -> list[tuple[SeenCall, bool]]:
    """Return the calls, each with whether it only looks up, in the order in which they are answered.

    Of those that are made at once, look-ups see what was there before.
    """
    told = [(call, call.name.partition("_")[0] in invariants.look_ups) for call in calls]
    told.sort(key=lambda pair: (pair[0].message, not pair[1]))
    return told


def _there_again(gone: dict[Thing, str], call: SeenCall, objects: Objects) -> list[str]:
    """Return things that a list holds though they were taken away before."""
    if not isinstance(call.result, dict) or not any(map(_is_list, call.result.values())):
        return []
    taken = [thing for thing, _ in objects if thing in gone]
    return [f"{thing[1]} is listed, but {gone[thing]} took it away" for thing in taken]


def _broken(invariants: Invariants, facts: Facts, call: SeenCall, objects: Objects) -> list[str]:
    """Note what a result says; return what it contradicts."""
    found: list[str] = []
    for thing, fields in objects:
        if thing is not NO_KEY:
            found += _other_values(invariants, facts, call, thing, fields)
            if thing[0] in invariants.of:
                known = {name: fact[0] for name, fact in facts.by_thing[thing].items()}
                found += _against(invariants.of[thing[0]], {**known, thing[0]: thing[1]}, call, thing[1])
        for name in fields.keys() & invariants.each.keys() if thing[1] not in facts.changed else ():
            found += _against(invariants.each[name], fields, call, call.name)
    return found


def _other_values(
    invariants: Invariants, facts: Facts, call: SeenCall, thing: Thing, fields: dict[str, Any]
) -> list[str]:
    """Note the facts of a thing; return those that were otherwise before."""
    known = facts.by_thing.get(thing)
    new = dict(zip(fields, zip(fields.values(), repeat(call)), strict=False))
    del new[thing[0]]
    if known is None:
        facts.by_thing[thing] = new
        return []
    others = [
        f"{thing[1]}: {name} is {fact[0]!r}, but {known[name][1].name} said {known[name][0]!r}"
        for name, fact in new.items()
        if name in known and known[name][0] != fact[0] and _is_same(invariants, name, known[name], fact)
    ]
    known.update(new)
    return others


def _is_same(invariants: Invariants, field: str, before: Fact, now: Fact) -> bool:
    """Whether two calls tell the same of a thing: of a list each may show another part, and arguments may decide."""
    asked = (field, *invariants.asked.get(field, ()))
    first, second = before[1].arguments, now[1].arguments
    return not _is_list(now[0]) and all(first.get(one) == second.get(one) for one in asked)


def _is_list(value: Any) -> bool:
    """Whether a value is a list or an object, of which each result may show another part."""
    return isinstance(value, list | dict)


def _against(relations: Iterable[Relation], fields: dict[str, Any], call: SeenCall, what: str) -> list[str]:
    """Return the relations that do not hold, of those of which all is known that they read."""
    found = []
    for relation in relations:
        if (
            relation.tool in ("", call.name)
            and relation.reads <= fields.keys()
            and _holds(relation, fields, call) is False
        ):
            values = ", ".join(f"{name} {fields[name]!r}" for name in sorted(relation.reads))
            found.append(f"{what}: {values}; expected {relation.text}")
    return found


def _holds(relation: Relation, fields: dict[str, Any], call: SeenCall) -> bool | None:
    """Whether a relation holds; None where it cannot be told."""
    names = ReadableNames(fields, args=ReadableNames(call.arguments))
    try:
        return bool(relation.holds(names))
    except FAULTS:  # an argument that was not given, a value of another type, or a row that no table has
        return None


def _free_over_busy(invariants: Invariants, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield times that are told to be free while something takes place."""
    for one in invariants.free:
        busy = [(thing[1], time) for thing, fields in facts.of_kind(one.busy) if (time := _time(one, fields))]
        for fields in _elements(one.free, calls) if busy else ():
            time = _time(one, fields)
            for key, (day, start, end) in busy if time else ():
                if time is not None and time[0] == day and time[1] < end and start < time[2]:
                    clock = f"{time[1] // 60:02}:{time[1] % 60:02}"
                    yield f"{time[0]} is free at {clock}, but {key} takes place at that time"


_SHORT = 5
"""Minutes that something takes of which no length is known."""


def _time(one: Free, fields: dict[str, Any]) -> tuple[str, int, int] | None:
    """Return day, start and end in minutes; None where they are not told."""
    try:
        start = minutes_of(fields[one.start])
        return str(fields[one.on]), start, start + int(fields.get(one.minutes, _SHORT))
    except FAULTS:
        return None


def _wrong_counts(invariants: Invariants, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield numbers that are smaller than the list that they count, or other than a whole one."""
    for one, relation in invariants.agree:
        numbers = [(thing[1], fields) for thing, fields in facts.of_kind(one.of) if one.agree in fields]
        if not numbers:
            continue
        for call in calls:
            if call.name != one.counts.partition("#")[0] or call.arguments.get(one.by) is None:
                continue
            asked = call.arguments[one.by]
            for key, fields in numbers:
                if asked in (key, fields.get("name"), fields.get("title")):
                    yield from _wrong_count(one, relation, call, key, fields[one.agree])


def _wrong_count(one: Agree, relation: Relation | None, call: SeenCall, key: str, number: Any) -> Iterator[str]:
    elements = list(_elements(one.counts, [call]))
    counted = [fields for fields in elements if relation is None or _holds(relation, fields, call) is not False]
    whole = set(call.arguments) <= {one.by} and len(elements) < _LONG
    if len(counted) > number or (whole and len(counted) != number):
        yield f"{key}: {one.agree} is {number}, but {call.name} lists {len(counted)}"


_LONG = 5
"""Elements from which on a list may be cut."""


def _too_late(invariants: Invariants, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield things with an element of a list that is later than it can be."""
    for one in invariants.last:
        *_, field = split(one.last.partition("#/")[2])
        known = {thing[1]: fields for thing, fields in facts.of_kind(one.of)}
        for call in calls:
            if call.name != one.last.partition("#")[0]:
                continue
            values = [fields[field] for fields in _elements(one.last.rpartition("/")[0], [call]) if field in fields]
            named = {*map(str, call.arguments.values()), str(_top(call).get(one.of))}
            for key, fields in known.items():
                is_meant = key in named or fields.get("name") in named
                if values and is_meant and one.until in fields and max(values) > fields[one.until]:
                    yield f"{key}: {one.until} is {fields[one.until]!r}, but the last {field} is {max(values)!r}"


def _elements(place: str, calls: Iterable[SeenCall]) -> Iterator[dict[str, Any]]:
    """Yield the objects at a place of the results of its tool, with what the call and its result say around them."""
    tool, _, pointer = place.partition("#/")
    way = [step for step in split(pointer) if step != "*"]
    for call in calls:
        if call.name == tool:
            found: Any = _top(call)
            for step in way:
                found = found.get(step) if isinstance(found, dict) else None
            for one in found if isinstance(found, list) else ():
                if isinstance(one, dict):
                    yield {**call.arguments, **one}


def _top(call: SeenCall) -> dict[str, Any]:
    """Return the result where it is an object; what stands in an envelope is not looked for."""
    return call.result if isinstance(call.result, dict) else {}


Check = Callable[[Invariants, Facts, list[SeenCall]], Iterator[str]]
_CHECKS: tuple[tuple[Check, str], ...] = ((_free_over_busy, "free"), (_wrong_counts, "agree"), (_too_late, "last"))
"""What looks at more than one thing, and the form of the invariants that it holds."""
