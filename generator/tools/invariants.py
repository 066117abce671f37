"""What must agree in one conversation, whatever tool tells it: invariants as data, and a check that sees only messages.

The files of a folder `invariants` in the folder of a spec file hold for its tools. Two values without a change between them, or
a broken relation, are faults; what made the messages is not known here.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import product, repeat
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import orjson
from msgspec import Meta

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.declared import read
from generator.core.documents import nearest, read_document
from generator.core.entities import Table
from generator.core.errors import SpecError
from generator.core.files import shipped
from generator.core.pointers import split
from generator.core.profiles import says_failure
from generator.core.text_grammars import texts_in
from generator.tools.specs.entities import read_tables
from generator.world.expressions import FAULTS, Expression, ReadableNames, compile_expression
from generator.world.functions import minutes_of

Pointer = Annotated[str, Meta(pattern=r"^[^#\s]+#/.+$")]
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
    form.__name__.lower(): form for form in (Free, Agree, Last, Of, Each, Changed, Gone, Asked)
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
    tool: str = ""
    """Of whose results alone it must hold; empty for all tools."""


class Invariants(msgspec.Struct, frozen=True, kw_only=True):
    """All invariants of some files, by what they are about."""

    lists: tuple[tuple[str, "ListCheck"], ...] = ()
    """A tool whose lists have to agree with what is known, and what compares them."""
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

    def __bool__(self) -> bool:
        """Whether there are any: nothing is compared without."""
        return bool(self.lists or self.of or self.each)


def invariants_beside(specs: Iterable[Path | None]) -> list[Path]:
    """Return the files of invariants beside some spec files, each once."""
    folders = dict.fromkeys(spec.parent / FOLDER for spec in specs if spec is not None)
    return [file for folder in folders for file in sorted(folder.glob("*.yaml"))]


def read_invariants(files: Iterable[Path]) -> Invariants:
    """Return the invariants of some files.

    Raises:
        SpecError: with `file:line: path: what is wrong`.
    """
    entries: dict[str, list[tuple[Any, Any]]] = {word: [] for word in FORMS}
    look_ups: set[str] = set()
    for file in files:
        document = read_document(file, SpecError)
        model = read(InvariantsFile, document, document.value, (), SpecError)
        tables = read_tables(dict(model.tables), document)
        look_ups.update(model.look_ups)
        for at, entry in enumerate(model.invariants):
            word = next((word for word in FORMS if word in entry), None)
            if word is None:
                hint = "".join(nearest(str(key), FORMS) for key in list(entry)[:1])
                words = f"an invariant begins with one of {', '.join(FORMS)}{hint}"
                raise SpecError(f"{document.at(('invariants', at))}: {words}")
            invariant: Any = read(FORMS[word], document, entry, ("invariants", at), SpecError)
            entries[word].append((invariant, _relation(invariant, tables, document.at(("invariants", at)))))
    return Invariants(
        lists=tuple(
            (getattr(invariant, field).partition("#")[0], partial(check, invariant, relation))
            for word, field, check in _LIST_CHECKS
            for invariant, relation in entries[word]
        ),
        of=_grouped_by_name((invariant.of, relation) for invariant, relation in entries["of"]),
        each=_grouped_by_name((invariant.each, relation) for invariant, relation in entries["each"]),
        changed=_grouped_by_name((tool, invariant) for invariant, _ in entries["changed"] for tool in invariant.by),
        gone=frozenset(tool for invariant, _ in entries["gone"] for tool in invariant.gone),
        asked={invariant.asked: invariant.by for invariant, _ in entries["asked"]},
        look_ups=frozenset(look_ups),
    )


@cache
def shipped_invariants() -> Invariants:
    """Return the invariants of the tools that come with the program."""
    return read_invariants(sorted((shipped("tool_specs") / FOLDER).glob("*.yaml")))


def _grouped_by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the values of (name, value) pairs by name, each in order."""
    by_name: dict[str, tuple[Any, ...]] = {}
    for name, value in pairs:
        by_name[name] = (*by_name.get(name, ()), value)
    return by_name


def _relation(entry: Any, tables: dict[str, Table], where: str) -> Relation | None:
    """Return the expression of an entry, compiled; None for an entry without one."""
    text = getattr(entry, "that", "") or getattr(entry, "where", "")
    if not text:
        return None
    try:
        expression, reads = compile_expression(text, tables)
    except ValueError as wrong:
        raise SpecError(f"{where}: {text!r}: {wrong}") from None
    return Relation(text, expression, reads.properties, getattr(entry, "tool", ""))


class SeenCall(msgspec.Struct, frozen=True):
    """One call that succeeded."""

    name: str
    arguments: dict[str, Any]
    result: Any
    """As JSON; a text that is no JSON as it is."""
    message: int
    """The message that makes it: calls of one message are made at once."""


def answered_calls(conversation: Conversation) -> Iterator[SeenCall]:
    """Yield the calls that were answered with a result, in order."""
    call_and_index_by_id: dict[str, tuple[ToolCall, int]] = {}
    for at, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                call_and_index_by_id[call.id] = call, at
        elif isinstance(message, ToolMessage) and message.tool_call_id in call_and_index_by_id and not message.is_error:
            call, asked_at = call_and_index_by_id[message.tool_call_id]
            try:
                result: Any = orjson.loads(message.content)
            except orjson.JSONDecodeError:
                result = message.content
            if not says_failure(result):
                yield SeenCall(call.name, call.arguments, result, asked_at)


_SHORTEST = 4
"""Characters of a text that tells a thing from all others."""
_MOST_OBJECTS = 2000
EntityId = tuple[str, str]
"""(name of the key, key), as in ("event_id", "EVT-000123")."""
NO_KEY: EntityId = ("", "")


Fact = tuple[Any, SeenCall]
"""What a field of a thing is, and the call whose result says so."""


class Facts:
    """What is known of things at one time."""

    __slots__ = ("by_thing", "changed")

    def __init__(self) -> None:
        self.by_thing: dict[EntityId, dict[str, Fact]] = {}
        self.changed: set[str] = set()
        """Keys of things that calls have made or changed."""

    def with_key_named(self, key: str) -> Iterator[tuple[EntityId, dict[str, Any]]]:
        """Yield the things with a key of that name, each with its fields."""
        yield from (
            (thing, {**{name: fact[0] for name, fact in facts.items()}, key: thing[1]})
            for thing, facts in self.by_thing.items()
            if thing[0] == key
        )

    def forget_named(self, call: SeenCall, objects: list[tuple[EntityId, dict[str, Any]]]) -> None:
        """Forget the things that a call which changes something names, by key or by name."""
        keys = {thing[1] for thing, _ in objects if thing is not NO_KEY}
        self.changed |= keys
        if self.by_thing:
            names = keys.union(texts_in(call.arguments))
            for thing in [other for other in self.by_thing if other[1] in names or self._is_named(other, names)]:
                del self.by_thing[thing]

    def _is_named(self, thing: EntityId, named: set[str]) -> bool:
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


def objects_with_keys(result: Any) -> list[tuple[EntityId, dict[str, Any]]]:
    """Return all objects of a result, each with the thing that it tells of: its first `…_id` is the key."""
    objects = []
    to_visit = [result]
    for value in to_visit:
        if type(value) is dict:
            thing = NO_KEY
            for name, part in value.items():
                kind = type(part)
                if kind is dict or kind is list:
                    to_visit.append(part)
                elif (
                    thing is NO_KEY and kind is str and len(part) >= _SHORTEST and (name[-3:] == "_id" or name == "id")
                ):
                    thing = (name, part)
            objects.append((thing, value))
        elif type(value) is list:
            to_visit += value
        if len(objects) > _MOST_OBJECTS:
            break
    return objects


Objects = list[tuple[EntityId, dict[str, Any]]]


class Contradiction(NamedTuple):
    """Two things that cannot both be so."""

    message: int
    """The message that makes the call whose result says so."""
    tool: str
    text: str


def contradictions(invariants: Invariants, calls: Iterable[SeenCall]) -> list[Contradiction]:
    """Return what the results of a conversation's calls contradict, each once."""
    all_calls = list(calls)
    called = {call.name for call in all_calls}
    checks = [(tool, check) for tool, check in invariants.lists if tool in called]
    facts = Facts()
    contradicted: list[Contradiction] = []
    lists: list[SeenCall] = []
    gone: dict[EntityId, str] = {}
    for call, looks_up in _in_order(invariants, all_calls):
        objects = objects_with_keys(call.result)
        if not looks_up:
            facts.forget_named(call, objects)
            for change in invariants.changed.get(call.name, ()):
                facts.forget(change.changed, change.fields)
            lists.clear()
        lists.append(call)
        texts = _note_result(invariants, facts, call, objects) + (
            _listed_though_gone(gone, call, objects) if gone else []
        )
        for tool, check in checks:
            texts += check(facts, [earlier for earlier in lists if earlier.name == tool])
        contradicted += [Contradiction(call.message, call.name, text) for text in texts]
        if call.name in invariants.gone:
            gone.update((thing, call.name) for thing, _ in objects if thing is not NO_KEY)
    return list(dict.fromkeys(contradicted))


def _in_order(invariants: Invariants, calls: list[SeenCall]) -> list[tuple[SeenCall, bool]]:
    """Return the calls, each with whether it only looks up, in the order in which they are answered.

    Of those that are made at once, look-ups see what was there before.
    """
    calls_and_look_ups = [(call, call.name.partition("_")[0] in invariants.look_ups) for call in calls]
    calls_and_look_ups.sort(key=lambda pair: (pair[0].message, not pair[1]))
    return calls_and_look_ups


def _listed_though_gone(gone: dict[EntityId, str], call: SeenCall, objects: Objects) -> list[str]:
    """Return things that a list holds though they were taken away before."""
    if not isinstance(call.result, dict) or not any(map(_is_list, call.result.values())):
        return []
    listed = [thing for thing, _ in objects if thing in gone]
    return [f"{thing[1]} is listed, but {gone[thing]} took it away" for thing in listed]


def _note_result(invariants: Invariants, facts: Facts, call: SeenCall, objects: Objects) -> list[str]:
    """Note what a result says; return what it contradicts."""
    texts: list[str] = []
    for thing, fields in objects:
        if thing is not NO_KEY:
            texts += _note_facts(invariants, facts, call, thing, fields)
            if thing[0] in invariants.of:
                known_fields = {name: fact[0] for name, fact in facts.by_thing[thing].items()}
                texts += _broken_relations(
                    invariants.of[thing[0]], {**known_fields, thing[0]: thing[1]}, call, thing[1]
                )
        for name in fields.keys() & invariants.each.keys() if thing[1] not in facts.changed else ():
            texts += _broken_relations(invariants.each[name], fields, call, call.name)
    return texts


def _note_facts(
    invariants: Invariants, facts: Facts, call: SeenCall, thing: EntityId, fields: dict[str, Any]
) -> list[str]:
    """Note the facts of a thing; return those that were otherwise before."""
    earlier_facts = facts.by_thing.get(thing)
    new = dict(zip(fields, zip(fields.values(), repeat(call)), strict=False))
    del new[thing[0]]
    if earlier_facts is None:
        facts.by_thing[thing] = new
        return []
    others = [
        f"{thing[1]}: {name} is {fact[0]!r}, but {earlier_facts[name][1].name} said {earlier_facts[name][0]!r}"
        for name, fact in new.items()
        if name in earlier_facts
        and earlier_facts[name][0] != fact[0]
        and _is_comparable(invariants, name, earlier_facts[name], fact)
    ]
    earlier_facts.update(new)
    return others


def _is_comparable(invariants: Invariants, field: str, before: Fact, now: Fact) -> bool:
    """Whether two calls tell the same of a thing: of a list each may show another part, and arguments may decide."""
    deciding_arguments = (field, *invariants.asked.get(field, ()))
    first, second = before[1].arguments, now[1].arguments
    return not _is_list(now[0]) and all(first.get(argument) == second.get(argument) for argument in deciding_arguments)


def _is_list(value: Any) -> bool:
    """Whether a value is a list or an object, of which each result may show another part."""
    return isinstance(value, list | dict)


def _broken_relations(relations: Iterable[Relation], fields: dict[str, Any], call: SeenCall, what: str) -> list[str]:
    """Return the relations that do not hold, of those of which all is known that they read."""
    broken = []
    for relation in [
        candidate for candidate in relations if candidate.tool in ("", call.name) and candidate.reads <= fields.keys()
    ]:
        if _holds(relation, fields, call) is False:
            values = ", ".join(f"{name} {fields[name]!r}" for name in sorted(relation.reads))
            broken.append(f"{what}: {values}; expected {relation.text}")
    return broken


def _holds(relation: Relation, fields: dict[str, Any], call: SeenCall) -> bool | None:
    """Whether a relation holds; None where it cannot be told."""
    names = ReadableNames(fields, args=ReadableNames(call.arguments))
    try:
        return bool(relation.holds(names))
    except FAULTS:  # an argument that was not given, a value of another type, or a row that no table has
        return None


ListCheck = Callable[["Facts", list[SeenCall]], Iterator[str]]
"""Yields what the lists in the results of some calls of one tool contradict."""


def _free_over_busy(rule: Free, _: None, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield times that are told to be free while something takes place."""
    busy = [(thing[1], time) for thing, fields in facts.with_key_named(rule.busy) if (time := _time(rule, fields))]
    free = [time for call in calls if busy for fields in _elements(rule.free, call) if (time := _time(rule, fields))]
    for (day, start, end), (key, other) in product(free, busy):
        if day == other[0] and start < other[2] and other[1] < end:
            yield f"{day} is free at {start // 60:02}:{start % 60:02}, but {key} takes place at that time"


_SHORT = 5
"""Minutes that something takes of which no length is known."""


def _time(rule: Free, fields: dict[str, Any]) -> tuple[str, int, int] | None:
    """Return day, start and end in minutes; None where they are not told."""
    try:
        start = minutes_of(fields[rule.start])
        return str(fields[rule.on]), start, start + int(fields.get(rule.minutes, _SHORT))
    except FAULTS:
        return None


def _wrong_counts(rule: Agree, relation: Relation | None, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield numbers that are smaller than the list that they count, or other than a whole one."""
    numbers = [(thing[1], fields) for thing, fields in facts.with_key_named(rule.of) if rule.agree in fields]
    for call, (key, fields) in product(calls, numbers):
        argument, number = call.arguments.get(rule.by), fields[rule.agree]
        if argument is None or argument not in (key, fields.get("name"), fields.get("title")):
            continue
        elements = list(_elements(rule.counts, call))
        counted = [part for part in elements if relation is None or _holds(relation, part, call) is not False]
        is_whole = call.arguments.keys() <= {rule.by} and len(elements) < _LONG
        if len(counted) > number or (is_whole and len(counted) != number):
            yield f"{key}: {rule.agree} is {number}, but {call.name} lists {len(counted)}"


_LONG = 5
"""Elements from which on a list may be cut."""


def _too_late(rule: Last, _: None, facts: Facts, calls: list[SeenCall]) -> Iterator[str]:
    """Yield things with an element of a list that is later than it can be."""
    list_pointer, _slash, field = rule.last.rpartition("/")
    for call, (thing, fields) in product(calls, facts.with_key_named(rule.of)):
        values = [part[field] for part in _elements(list_pointer, call) if field in part]
        names_in_call = {*map(str, call.arguments.values()), str(_top(call).get(rule.of))}
        is_meant = thing[1] in names_in_call or fields.get("name") in names_in_call
        if values and is_meant and rule.until in fields and max(values) > fields[rule.until]:
            yield f"{thing[1]}: {rule.until} is {fields[rule.until]!r}, but the last {field} is {max(values)!r}"


def _elements(pointer: str, call: SeenCall) -> Iterator[dict[str, Any]]:
    """Yield the objects at a place (`find_tasks#/tasks/*`) of a result, with what the call and its result say around them."""
    value: Any = _top(call)
    for step in split(pointer.partition("#/")[2]):
        if step != "*":
            value = value.get(step) if isinstance(value, dict) else None
    listed = value if isinstance(value, list) else ()
    yield from ({**call.arguments, **part} for part in listed if isinstance(part, dict))


def _top(call: SeenCall) -> dict[str, Any]:
    """Return the result where it is an object; what stands in an envelope is not looked for."""
    return call.result if isinstance(call.result, dict) else {}


_LIST_CHECKS: tuple[tuple[str, str, Callable[..., Iterator[str]]], ...] = (
    ("free", "free", _free_over_busy),
    ("agree", "counts", _wrong_counts),
    ("last", "last", _too_late),
)
"""Form, its field that names the list, and what holds it."""
