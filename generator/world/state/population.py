"""Entities that exist when a conversation begins: drawn once into pools, from which every conversation takes its own; their formulas.

An entity is a dict that is never changed: a change makes another one. Keys and what an entity belongs to are drawn for
each conversation; everything else comes from the pool, with dates moved to the conversation's day.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from itertools import count, product
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import orjson

from generator.core.conversation import Tool
from generator.core.entities import Entity, WorldDeclarations, references_of
from generator.core.errors import CannotFillError, SpecError
from generator.core.files import cached_result
from generator.core.pointers import parts_of_object
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox, ToolSpec, WhenUsed, files_of
from generator.world.expressions import FAULTS, Expression, ReadableNames
from generator.world.functions import MissingError
from generator.world.making import CallDraw, CompileValue, MakeResult
from generator.world.result_fields import ShownEntity, read_expression
from generator.world.returns import compile_returns, compile_test


def first_name_field(entity: Entity) -> str | None:
    """Return the first field by which people name an entity (`name`), or else the first one that differs in all whole examples; None without such."""
    if entity.called or not entity.examples or len(entity.examples) < entity.count[1]:
        return next(iter(entity.called), None)
    columns = [[orjson.dumps(one.get(field)) for one in entity.examples] for field in entity.examples[0]]
    return next(
        (field for field, column in zip(entity.examples[0], columns, strict=True) if len({*column}) == len(column)),
        None,
    )


def formula_of_key(entity: Entity, declared: WorldDeclarations) -> Expression | None:
    """Return the formula (`plain(title, '-')`) that computes the key from other fields; None for a drawn key."""
    text = entity.fields[entity.key].get("x-compute")
    others = entity.fields.keys() - {entity.key}
    return None if text is None else read_expression(text, entity.key, others, {}, "", declared)[0]


def keys_in_formulas(entity: Entity, declared: WorldDeclarations, references: dict[str, str]) -> dict[str, Any]:
    """Return the schemas of the key and of the fields that hold keys of others, by field, as far as the entity's formulas read them."""
    keys = {entity.key: entity.fields[entity.key]}
    for field, referred in references.items():
        keys[field] = declared.entities[referred].fields[declared.entities[referred].key]
    formulas = [
        str(one["x-compute"]) for name, one in entity.fields.items() if "x-compute" in one and name != entity.key
    ]
    words_of_formulas = {word for text in formulas for word in _WORD.findall(text)}
    return {field: without_notes(schema) for field, schema in keys.items() if field in words_of_formulas}


_WORD = re.compile(r"[^\W\d]\w*")


def computed_fields(
    fields: dict[str, Any], declared: WorldDeclarations
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return (field, expression, fields that it reads) of all formulas but those that change a drawn value."""
    formulas = []
    for field, schema in fields.items():
        if "x-compute" in schema:
            expression, reads = read_expression(schema["x-compute"], field, fields, {}, "", declared)
            if "value" not in reads.properties:
                formulas.append((field, expression, reads.properties))
    return tuple(formulas)


def in_order_of_reading(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields by name, reordered so that those that are computed stand behind all that they read."""
    reads = {field: {*_WORD.findall(str(schema.get("x-compute", "")))} - {field} for field, schema in fields.items()}
    remaining, ordered = list(fields), dict[str, Any]()
    while remaining:
        next_field = next((field for field in remaining if reads[field].isdisjoint(remaining)), remaining[0])
        ordered[next_field] = fields[next_field]
        remaining.remove(next_field)
    return ordered


def fields_from_others(
    entity: Entity, declared: WorldDeclarations, computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return those of the computed fields that are computed from other entities (`count(orders, …)`), or from something that is."""
    selected: list[tuple[str, Expression, frozenset[str]]] = []
    for formula in computed:
        kinds_read = _OF_OTHERS.findall(str(entity.fields[formula[0]]["x-compute"]))
        if not declared.entities.keys().isdisjoint(kinds_read) or any(earlier[0] in formula[2] for earlier in selected):
            selected.append(formula)
    return tuple(selected)


_OF_OTHERS = re.compile(r"\b(?:count|total|clashes|find|least|lookup)\(\s*(\w+)")
NO_FIELDS: frozenset[str] = frozenset()


def without_notes(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without our own keywords."""
    return {key: part for key, part in schema.items() if not key.startswith("x-")}


def numbered_parts(fields: dict[str, Any]) -> Iterator[tuple[str, str, Callable[[int], Any]]]:
    """Yield (list field, property of its elements, function from a number to its value) for properties that each conversation draws anew."""
    for field, schema in fields.items():
        for name, part in parts_of_object(schema.get("items"))[0].items():
            if not isinstance(part, dict):
                continue
            form = key_format({key: value for key, value in part.items() if key != "x-fresh"})
            if part.get("x-fresh") and form is not None:
                yield field, name, partial(_formatted_key, *form)
            elif part.get("x-fresh") and part.get("examples"):
                yield field, name, partial(_example_at, part["examples"])


def numbers_for_list(number: int, name: str) -> Iterator[int]:
    """Return endless numbers for a property of the elements of one list, no two alike, at steps that depend on list and property."""
    start = crc32(f"{name} {number}".encode())
    return count(start, _STEPS[start % len(_STEPS)])


_STEPS = (7919, 6661, 5147, 4099, 3331, 2621, 1973, 9973)
"""Primes, so that no example comes twice in a list while there are others."""


def _formatted_key(form: str, size: int, number: int) -> str:
    """Return the key of a number, one of `size`: `("ORD-%05d", 100000, 7)` → `ORD-67741`."""
    return form % scattered(number, size)


def scattered(number: int, size: int) -> int:
    """Return a number below `size`, a power of ten from 100 on; another one for each: those of numbers at equal steps are at none.

    A square times a multiple of ten, plus an odd multiple that five does not divide, has each remainder once.
    """
    for _ in range(2):
        number = number * (_BEND * number + _TURN) % size
        number = number // 100 + number % 100 * (size // 100)  # the last digits follow each other evenly
    return number


_BEND, _TURN = 7_368_790, 1_618_033


def _example_at(examples: list[Any], number: int) -> Any:
    """Return the example of a number, which may be greater than there are examples."""
    return examples[number % len(examples)]


def fields_from_numbers(
    start_fields: tuple[str, ...], computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression], ...]:
    """Return (field, expression) of those that are computed from the start fields, which have numbers of the conversation, or from something that is."""
    numbered_names = set(start_fields)
    selected = []
    for field, expression, reads in computed:
        if not numbered_names.isdisjoint(reads):
            numbered_names.add(field)
            selected.append((field, expression))
    return tuple(selected)


_NUMBERED = re.compile(r"\^([\w-]*)\[0-9\]\{(\d{1,2})\}\$")


def key_format(schema: dict[str, Any]) -> tuple[str, int] | None:
    """Return the format of keys and their number, `^ORD-[0-9]{5}$` → `("ORD-%05d", 100000)`; None for other patterns and too few keys."""
    match = _NUMBERED.fullmatch(str(schema.get("pattern")))
    return (
        (f"{match[1]}%0{match[2]}d", 10 ** int(match[2]))
        if match and 3 <= int(match[2]) <= 12 and schema.keys() <= _OF_KEYS
        else None
    )


_OF_KEYS = {"type", "pattern", "description", "examples"}


POOL = 320
"""Entities of a kind that are drawn; a conversation has a few of them, with keys of its own."""
EntityFields = dict[str, Any]
"""One entity."""
NO_NAMES: Mapping[str, Any] = {}
_FIRST_DAY = date(2026, 3, 2)
_TRIES = 50
_KEY_TRIES = 100
_NUMBERS = 2**31
_APART = 104_395_301
"""An odd factor that gives several fields of one entity numbers that have nothing to do with each other."""
_MANY = 12
"""Places of a pool that are enough to take entities with a value from: the same few would be found in all rows."""


class EntityKind(msgspec.Struct, kw_only=True):
    """A kind of entity, ready to be drawn."""

    title: str
    entity: Entity
    stream: int
    """Begins the random streams of this kind."""
    make: MakeResult
    """Draws all fields but the key and those that hold keys of others."""
    make_key: Callable[[Draw], Any]
    key_formula: Expression | None
    """What computes the key from other fields, where it is no number of its own: `plain(title, '-')`."""
    key_format: tuple[str, int] | None
    """How a number is written as a key (`ORD-%05d`) and how many there are, where a key is nothing else."""
    references: tuple[tuple[str, str], ...]
    """(field, title of the kind whose key it holds)."""
    example_fields: frozenset[str]
    """Fields of whole examples: one of them is known only with the others."""
    keys_read: frozenset[str]
    """Its key and the keys of others, as far as formulas read them: these fields are computed when the keys are known."""
    dates: tuple[str, ...]
    """Fields that hold days or moments."""
    computed: tuple[tuple[str, Expression, frozenset[str]], ...]
    """(field, expression, fields that it reads): computed anew when one of those changes."""
    from_others: tuple[tuple[str, Expression, frozenset[str]], ...]
    """Those of them that other entities tell: counts, sums, what is looked up. They follow when the others change."""
    start_dates: frozenset[str]
    """The days and moments from which others are computed that are none: empty where there are no such."""
    numbered_fields: tuple[str, ...]
    """Fields with a number of their own in each conversation."""
    numbered_parts: tuple[tuple[str, str, Callable[[int], Any]], ...]
    """(list, property of its elements, the value that a number gives): drawn anew in each conversation, too."""
    from_numbers: tuple[tuple[str, Expression], ...]
    """Fields that are computed from such numbers, in order."""
    tests: dict[str, Callable[[Any], bool]]
    """Whether a call may write a value into a field: null, or of its type and, where it has a choice of values, one of those."""
    distinct_fields: tuple[tuple[str, ...], ...] = ()
    """Fields in all of which no two may be the same, since calls name one by them."""
    has_listed_keys: bool
    """Whether the schema of the key names them all, so that none can be added."""
    name_field: str | None
    """The first field by which people name one, or else the first one that differs in all whole examples."""
    are_named_once: bool
    """Whether that is a field of whole examples, each of which is there once at the start."""
    only_name_field: frozenset[str]
    """The field by which people name one, if they name it by nothing else."""
    all_states: tuple[EntityFields, ...]
    """All combinations of its states; none when it has no states."""
    locale: object = None
    """That of people's names and addresses; None: what is drawn is not kept between starts."""
    files: tuple[Path, ...] = ()
    """What it is declared in, where that comes with the program."""
    pool: list[EntityFields] = []
    """What conversations take copies of: the key and the fields that hold keys of others are None."""
    moments: list[tuple[tuple[str, int, str], ...]] = []
    """Of each in the pool: (field, day as a number, what stands after the day) of its dates."""
    index: dict[tuple[str, str], dict[int, None]] = {}
    """(field, value as text) → the places of the pool with it; not for dates, which move."""

    def name_of(self, fields: EntityFields) -> Any:
        """Return the value of the field by which people name an entity (`"Anna Berg"`); None without such a field."""
        name = None if self.name_field is None else fields[self.name_field]
        return orjson.dumps(name) if isinstance(name, dict | list) else name

    def copy(self, place: int, today: int) -> EntityFields:
        """Return a copy of one from the filled pool, with its dates moved to the day with this number, and without a key."""
        fields = self.pool[place].copy()
        for name, day, rest in self.moments[place]:
            fields[name] = _day(day + today) + rest
        return fields

    def number(self, fields: EntityFields, start: int, today: str) -> None:
        """Set the numbered fields and parts of an entity to values that follow from a start number, and what is computed from them."""
        number = start
        for name in self.numbered_fields:
            fields[name] = number % _NUMBERS
            number *= _APART
        for name, part, value in self.numbered_parts:
            numbers = numbers_for_list(number, part)
            fields[name] = [{**one, part: value(next(numbers))} for one in fields[name] or ()]
        names = ReadableNames(fields, today=today)
        for name, expression in self.from_numbers:
            try:
                fields[name] = names[name] = expression(names)
            except FAULTS:
                continue

    def places(self, given_fields: EntityFields) -> Sequence[int]:
        """Return the places of the filled pool whose entities have the given values; values that too few have do not count."""
        places: Sequence[int] = ()
        for name, value in given_fields.items():
            places_with_value = self.index.get((name, str(value)), ())
            both = [place for place in places if place in places_with_value] if places else tuple(places_with_value)
            places = both if len(both) >= _MANY or (both and name in self.example_fields) else places
        return places or range(len(self.pool))

    def key_of(self, fields: EntityFields, other_names: Mapping[str, Any] = NO_NAMES) -> Any:
        """Return the key that follows from the other fields and what else formulas read; None where it does not, or they are not known yet.

        Raises:
            CannotFillError: when the formula fails for the values of the fields.
        """
        if self.key_formula is None:
            return None
        unknown = [field for field, _ in self.references if fields.get(field) is None]
        try:
            return self.key_formula(
                ReadableNames({**other_names, **{name: fields[name] for name in fields if name not in unknown}})
            )
        except MissingError:
            return None
        except FAULTS as wrong:
            formula = self.entity.fields[self.entity.key]["x-compute"]
            message = f"x-compute of {self.entity.key!r}: {formula!r} fails: {wrong} ({type(wrong).__name__})"
            raise CannotFillError(f"{self.entity.where}: entities.{self.entity.name}: {message}") from None

    def fields_with_key(self, key: Any) -> EntityFields:
        """Return the fields, but dates, of the first entity in the filled pool with a key that follows from other fields."""
        place = next(iter(self.index.get((self.entity.key, str(key)), ())), None)
        fields = {} if place is None else self.pool[place]
        return {name: value for name, value in fields.items() if name not in self.dates and value is not None}

    def texts(self, field: str) -> list[str]:
        """Return the texts that a field has in the filled pool."""
        return list(dict.fromkeys([fields[field] for fields in self.pool if isinstance(fields[field], str)]))

    @property
    def may_drop_some(self) -> bool:
        """Whether some of the entities drawn for the start may be left out, since no two may share a name, key or some fields."""
        return self.are_named_once or self.key_formula is not None or bool(self.distinct_fields)

    def keys(self, number: int, count: int, draw: CallDraw) -> list[Any]:
        """Return `count` different keys that depend on a number of 64 bits; all of a schema that lists them."""
        if self.has_listed_keys:
            return list(self.entity.fields[self.entity.key]["enum"])
        if self.key_format is None:
            draw.start(number, _FIRST_DAY)
            return list(dict.fromkeys([self.make_key(draw) for _ in range(count)]))
        form, size = self.key_format
        first_number, step = (
            number % size,
            (number >> 20) % size | 1,
        )  # an odd step comes back after a fifth of them at the earliest
        return [form % scattered(first_number + step * place, size) for place in range(count)]

    def new_key(self, number: int, keys_in_use: Container[Any], draw: CallDraw, today: date) -> Any:
        """Return a key that is not in use, which depends on a number of 64 bits.

        Raises:
            CannotFillError: when none comes up.
        """
        if self.key_format is None:
            draw.start(number, today)
        for place in range(_KEY_TRIES):
            key = (
                self.make_key(draw)
                if self.key_format is None
                else self.key_format[0] % scattered(number + place, self.key_format[1])
            )
            if key not in keys_in_use:
                return key
        raise CannotFillError(f"no new key for {self.title} came up")

    def _make_one(self, draw: CallDraw, examples: list[EntityFields]) -> EntityFields:
        """Return an entity with all fields drawn; those of whole examples from the next of `examples`, which are shuffled anew when they are used up."""
        if self.entity.examples:
            if not examples:
                examples += draw.shuffled(self.entity.examples)
            draw.take({}, examples.pop())
        entity: EntityFields = self.make(draw)
        return entity

    def _make_other(self, draw: CallDraw, examples: list[EntityFields], names_seen: dict[str, None]) -> EntityFields:
        """Return a drawn entity with another name than those seen, and note its name; when no new ones come up, the older half is forgotten."""
        if self.name_field is None:
            return self._make_one(draw, examples)
        tries = max(_TRIES, 2 * len(self.entity.examples))  # enough for the last one of all
        while True:
            for _ in range(tries):
                entity = self._make_one(draw, examples)
                name = str(entity.get(self.name_field))
                if name not in names_seen:
                    names_seen[name] = None
                    return entity
            for name in [*names_seen][: len(names_seen) // 2 + 1]:
                del names_seen[name]

    def fill(self, draw: CallDraw, size: int) -> None:
        """Draw the pool of so many and index it, when the first conversation needs it; entities differ in the first field by which people name one, as long as there are such."""
        self.pool += cached_result(
            ("entities", self.stream, self.locale, size),
            lambda: self._drawn(draw, size),
            lambda _: bool(self.files) and self.locale is not None,
            self.files,
        )
        zero = _FIRST_DAY.toordinal()
        for fields in self.pool:
            date_texts = [(field, fields[field]) for field in self.dates if fields.get(field)]
            dates = [(field, date.fromisoformat(text[:10]).toordinal() - zero, text[10:]) for field, text in date_texts]
            self.moments.append(tuple(dates))
        changing = {*self.dates, *self.numbered_fields, *[name for name, _, _ in self.numbered_parts]}
        for place, fields in enumerate(self.pool):
            for name, value in fields.items():
                if name not in changing:
                    self.index.setdefault((name, str(value)), {})[place] = None

    def _drawn(self, draw: CallDraw, size: int) -> list[EntityFields]:
        """Return `size` drawn entities, with None for the key and for the fields that hold keys of others."""
        draw.start(stream_seed(self.stream, "pool"), _FIRST_DAY)
        draw.take({}, {})
        names_seen: dict[str, None] = {}
        examples: list[EntityFields] = []
        entities = []
        for _ in range(size):
            drawn = self._make_other(draw, examples, names_seen)
            key = {self.entity.key: None}
            entities.append({**key, **drawn, **key, **{field: None for field, _ in self.references}})
            entities[-1][self.entity.key] = self.key_of(entities[-1])
        return entities


class Population(msgspec.Struct, frozen=True, kw_only=True):
    """All kinds of entities of the loaded tools."""

    kinds: dict[str, EntityKind]
    """By title; those of tools that come with the program are compiled when they are first used."""
    draw: CallDraw
    """Shared, since every use begins a stream of its own."""
    size: int = POOL
    """Of a pool."""

    def ready(self, title: str) -> EntityKind:
        """Return the kind with a title, its pool filled."""
        kind = self.kinds[title]
        if not kind.pool:
            kind.fill(self.draw, self.size)
        return kind

    def samples(self, title: str, number: int) -> list[EntityFields]:
        """Return some entities of a kind to try calls with; the entities they belong to are only keys."""
        kind, draw = self.kinds[title], self.draw
        entities = []
        for place in range(number):
            draw.start(stream_seed(kind.stream, "sample", place), _FIRST_DAY)
            key = kind.make_key(draw)
            reference_keys = {field: self.kinds[other].make_key(draw) for field, other in kind.references}
            draw.take({}, {kind.entity.key: key, **reference_keys} if kind.keys_read else {})
            drawn = {**kind.make(draw), **reference_keys}
            entities.append({kind.entity.key: kind.key_of(drawn) or key, **drawn})
        return entities


def compile_population(
    toolbox: Toolbox,
    compile_value: CompileValue,
    seed: int,
    distinct_fields: Mapping[str, tuple[tuple[str, ...], ...]],
    locale: object = None,
) -> Population:
    """Compile the entities of all files of a toolbox.

    `distinct_fields` has fields by title of a kind, in all of which no two of it may be the same. With a `locale`, that of `compile_value`, what is
    drawn for tools that come with the program is kept between starts.

    Raises:
        SpecError: for a field of which no values can be made, and two files that declare one entity differently.
    """
    declared: dict[str, tuple[Entity, ToolSpec]] = {}
    for spec in toolbox.values():
        for entity in spec.declared.entities.values():
            earlier, _ = declared.setdefault(entity.title, (entity, spec))
            if earlier is not entity and earlier != entity:
                raise SpecError(f"{entity.where}: the entity {entity.title} is also declared in {earlier.where}")

    def compiled(title: str) -> EntityKind:
        """Return the kind with a title."""
        entity, spec = declared[title]
        kind = _compile_kind(entity, spec.declared, compile_value, seed)
        files = files_of([spec]) if spec.is_tested else ()
        return msgspec.structs.replace(kind, distinct_fields=distinct_fields.get(title, ()), locale=locale, files=files)

    untested = [title for title, (_, spec) in declared.items() if not spec.is_tested]
    draw = CallDraw(0, date.min)  # not that of a world: pools are filled while a result is made
    return Population(kinds=WhenUsed(compiled, untested), draw=draw)


def _compile_kind(entity: Entity, declared: WorldDeclarations, compile_value: CompileValue, seed: int) -> EntityKind:
    """Compile a declared entity; raises SpecError for a field of which no values can be made."""
    references = references_of(entity, declared.entities)
    drawn = {
        field: schema for field, schema in entity.fields.items() if field != entity.key and field not in references
    }
    keys_read = keys_in_formulas(entity, declared, references)
    drawn = in_order_of_reading(drawn)
    properties = {**keys_read, **drawn}  # in place of the keys, of which each conversation has its own
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    try:
        body = ToolSpec(
            tool=Tool(name=entity.name), domain=entity.domain, where=entity.where, returns=schema, declared=declared
        )
        make = compile_returns(
            body, compile_value, seed, ShownEntity("", False, frozenset(properties), entity.examples)
        )
        of_key = entity.fields[entity.key]
        make_key = compile_value(without_notes(of_key), entity.key, seed, kind=of_key.get("x-kind"))
        tests = {
            field: compile_test(
                {"anyOf": [{"type": "null"}, {key: part[key] for key in ("type", "enum") if key in part}]}
            )
            for field, part in {**drawn, entity.key: entity.fields[entity.key]}.items()
        }
    except SpecError as fault:
        text = str(fault).replace("returns: /properties/", "fields: ").removeprefix("returns: ")
        raise SpecError(f"{entity.where}: entities.{entity.name}: {text}") from None
    numbered_fields = tuple([field for field, part in drawn.items() if part.get("x-fresh")])
    list_parts = tuple(numbered_parts(drawn))
    computed = computed_fields(properties, declared)
    dates = tuple(
        field
        for field, part in drawn.items()
        if part.get("format") in ("date", "date-time") or str(part.get("pattern")).startswith("^\\d{4}-\\d{2}-\\d{2}T")
    )
    return EntityKind(
        title=entity.title,
        entity=entity,
        stream=stream_seed(seed, "entity", entity.title),
        make=make,
        make_key=make_key,
        key_formula=formula_of_key(entity, declared),
        key_format=key_format(entity.fields[entity.key]),
        references=tuple((field, declared.entities[other].title) for field, other in references.items()),
        example_fields=frozenset({field for one in entity.examples for field in one}),
        keys_read=frozenset(keys_read),
        dates=dates,
        computed=computed,
        from_others=fields_from_others(entity, declared, computed),
        start_dates=frozenset(dates)
        if any(field not in dates and reads & {*dates} for field, _, reads in computed)
        else NO_FIELDS,
        numbered_fields=numbered_fields,
        numbered_parts=list_parts,
        from_numbers=fields_from_numbers((*numbered_fields, *[field for field, _, _ in list_parts]), computed),
        tests=tests,
        pool=[],
        moments=[],
        index={},
        only_name_field=frozenset(entity.called if len(entity.called) == 1 else ()),
        name_field=first_name_field(entity),
        are_named_once=first_name_field(entity) is not None
        and any(first_name_field(entity) in one for one in entity.examples),
        has_listed_keys="enum" in entity.fields[entity.key],
        all_states=tuple(
            dict(zip(entity.states, values, strict=True))
            for values in product(*entity.states.values())
            if entity.states
        ),
    )


@lru_cache(maxsize=1 << 13)
def _day(ordinal: int) -> str:
    """Return the day with a proleptic number: 739677 → `2026-03-02`."""
    return date.fromordinal(ordinal).isoformat()
