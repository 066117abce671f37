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


def told_by(entity: Entity) -> str | None:
    """Return the first field by which people name one, or else the first one that differs in all whole examples; None without such."""
    if entity.called or not entity.examples or len(entity.examples) < entity.count[1]:
        return next(iter(entity.called), None)
    told = [[orjson.dumps(one.get(field)) for one in entity.examples] for field in entity.examples[0]]
    return next(
        (field for field, all_of in zip(entity.examples[0], told, strict=True) if len({*all_of}) == len(all_of)), None
    )


def formula_of_key(entity: Entity, declared: WorldDeclarations) -> Expression | None:
    """Return what computes the key from other fields; None where it is no formula."""
    text = entity.fields[entity.key].get("x-compute")
    others = entity.fields.keys() - {entity.key}
    return None if text is None else read_expression(text, entity.key, others, {}, "", declared)[0]


def keys_in_formulas(entity: Entity, declared: WorldDeclarations, references: dict[str, str]) -> dict[str, Any]:
    """Return the key and the keys of others that formulas of an entity read, with their schemas."""
    keys = {entity.key: entity.fields[entity.key]}
    for field, other in references.items():
        keys[field] = declared.entities[other].fields[declared.entities[other].key]
    formulas = [
        str(one["x-compute"]) for name, one in entity.fields.items() if "x-compute" in one and name != entity.key
    ]
    named = {word for text in formulas for word in _WORD.findall(text)}
    return {field: without_notes(schema) for field, schema in keys.items() if field in named}


_WORD = re.compile(r"[^\W\d]\w*")


def computed_fields(
    fields: dict[str, Any], declared: WorldDeclarations
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return (field, expression, fields that it reads) of all formulas but those that change a drawn value."""
    found = []
    for field, schema in fields.items():
        if "x-compute" in schema:
            expression, reads = read_expression(schema["x-compute"], field, fields, {}, "", declared)
            if "value" not in reads.properties:
                found.append((field, expression, reads.properties))
    return tuple(found)


def in_order(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields, those that are computed behind all that they read."""
    reads = {field: {*_WORD.findall(str(part.get("x-compute", "")))} - {field} for field, part in fields.items()}
    left, found = list(fields), dict[str, Any]()
    while left:
        able = next((field for field in left if reads[field].isdisjoint(left)), left[0])
        found[able] = fields[able]
        left.remove(able)
    return found


def crossed_fields(
    entity: Entity, declared: WorldDeclarations, computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return what is computed from other entities, or from something that is."""
    found: list[tuple[str, Expression, frozenset[str]]] = []
    for one in computed:
        named = _OF_OTHERS.findall(str(entity.fields[one[0]]["x-compute"]))
        if not declared.entities.keys().isdisjoint(named) or any(before[0] in one[2] for before in found):
            found.append(one)
    return tuple(found)


_OF_OTHERS = re.compile(r"\b(?:count|total|clashes|find|least|lookup)\(\s*(\w+)")
NO_FIELDS: frozenset[str] = frozenset()


def without_notes(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without our own keywords."""
    return {key: part for key, part in schema.items() if not key.startswith("x-")}


def parts_of(fields: dict[str, Any]) -> Iterator[tuple[str, str, Callable[[int], Any]]]:
    """Yield the properties of elements of lists that are drawn anew in each conversation: from their examples, or by their pattern."""
    for field, schema in fields.items():
        for name, part in parts_of_object(schema.get("items"))[0].items():
            if not isinstance(part, dict):
                continue
            form = numbered({key: value for key, value in part.items() if key != "x-fresh"})
            if part.get("x-fresh") and form is not None:
                yield field, name, partial(_written, *form)
            elif part.get("x-fresh") and part.get("examples"):
                yield field, name, partial(_taken, part["examples"])


def numbers_of(number: int, name: str) -> Iterator[int]:
    """Return numbers for a property of the elements of one list, no two alike; which follow each other differs from list to list."""
    start = crc32(f"{name} {number}".encode())
    return count(start, _STEPS[start % len(_STEPS)])


_STEPS = (7919, 6661, 5147, 4099, 3331, 2621, 1973, 9973)
"""Primes, so that no example comes twice in a list while there are others."""


def _written(form: str, size: int, number: int) -> str:
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


def _taken(examples: list[Any], number: int) -> Any:
    return examples[number % len(examples)]


def freshly(
    fresh: tuple[str, ...], computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression], ...]:
    """Return what is computed from numbers of a conversation, or from something that is."""
    known = set(fresh)
    found = []
    for field, expression, reads in computed:
        if not known.isdisjoint(reads):
            known.add(field)
            found.append((field, expression))
    return tuple(found)


_NUMBERED = re.compile(r"\^([\w-]*)\[0-9\]\{(\d{1,2})\}\$")


def numbered(schema: dict[str, Any]) -> tuple[str, int] | None:
    """Return how keys of a pattern like `^ORD-[0-9]{5}$` are written, and how many it allows, if these are enough."""
    told = _NUMBERED.fullmatch(str(schema.get("pattern")))
    return (
        (f"{told[1]}%0{told[2]}d", 10 ** int(told[2]))
        if told and 3 <= int(told[2]) <= 12 and schema.keys() <= _OF_KEYS
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
    mark: int
    """Begins the random streams of this kind."""
    make: MakeResult
    """Draws all fields but the key and those that hold keys of others."""
    make_key: Callable[[Draw], Any]
    key_formula: Expression | None
    """What computes the key from other fields, where it is no number of its own: `plain(title, '-')`."""
    numbered: tuple[str, int] | None
    """How a number is written as a key (`ORD-%05d`) and how many there are, where a key is nothing else."""
    references: tuple[tuple[str, str], ...]
    """(field, title of the kind whose key it holds)."""
    together: frozenset[str]
    """Fields of whole examples: one of them is known only with the others."""
    late: frozenset[str]
    """Its key and the keys of others, as far as formulas read them: these fields are computed when the keys are known."""
    dates: tuple[str, ...]
    """Fields that hold days or moments."""
    computed: tuple[tuple[str, Expression, frozenset[str]], ...]
    """(field, expression, fields that it reads): computed anew when one of those changes."""
    crossed: tuple[tuple[str, Expression, frozenset[str]], ...]
    """Those of them that other entities tell: counts, sums, what is looked up. They follow when the others change."""
    dated: frozenset[str]
    """The days and moments from which others are computed that are none: empty where there are no such."""
    fresh: tuple[str, ...]
    """Fields with a number of their own in each conversation."""
    parts: tuple[tuple[str, str, Callable[[int], Any]], ...]
    """(list, property of its elements, the value that a number gives): drawn anew in each conversation, too."""
    freshly: tuple[tuple[str, Expression], ...]
    """Fields that are computed from such numbers, in order."""
    tests: dict[str, Callable[[Any], bool]]
    """Whether a call may write a value into a field: null, or of its type and, where it has a choice of values, one of those."""
    apart: tuple[tuple[str, ...], ...] = ()
    """Fields in all of which no two may be the same, since calls name one by them."""
    are_named: bool
    """Whether the schema of the key names them all, so that none can be added."""
    told_by: str | None
    """The first field by which people name one, or else the first one that differs in all whole examples."""
    are_once: bool
    """Whether that is a field of whole examples, each of which is there once at the start."""
    only_name: frozenset[str]
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
        """Return what tells one from the others, as far as it has a name; None where nothing does."""
        told = None if self.told_by is None else fields[self.told_by]
        return orjson.dumps(told) if isinstance(told, dict | list) else told

    def copy(self, place: int, today: int) -> EntityFields:
        """Return a copy of one from the filled pool, with its dates moved to the day with this number, and without a key."""
        fields = self.pool[place].copy()
        for name, day, rest in self.moments[place]:
            fields[name] = _day(day + today) + rest
        return fields

    def number(self, fields: EntityFields, start: int, today: str) -> None:
        """Give one numbers of its own, from one on that depends on conversation and place, and what is computed from them."""
        at = start
        for name in self.fresh:
            fields[name] = at % _NUMBERS
            at *= _APART
        for name, part, value in self.parts:
            numbers = numbers_of(at, part)
            fields[name] = [{**one, part: value(next(numbers))} for one in fields[name] or ()]
        names = ReadableNames(fields, today=today)
        for name, expression in self.freshly:
            try:
                fields[name] = names[name] = expression(names)
            except FAULTS:
                continue

    def places(self, known: EntityFields) -> Sequence[int]:
        """Return the places of the filled pool with the known values, as far as many have them; all where nothing is known."""
        found: Sequence[int] = ()
        for name, value in known.items():
            at = self.index.get((name, str(value)), ())
            both = [place for place in found if place in at] if found else tuple(at)
            found = both if len(both) >= _MANY or (both and name in self.together) else found
        return found or range(len(self.pool))

    def key_of(self, fields: EntityFields, around: Mapping[str, Any] = NO_NAMES) -> Any:
        """Return the key that follows from the other fields and what else formulas read; None where it does not, or they are not known yet.

        Raises:
            CannotFillError: when the formula fails for the values of the fields.
        """
        if self.key_formula is None:
            return None
        unknown = [field for field, _ in self.references if fields.get(field) is None]
        try:
            return self.key_formula(
                ReadableNames({**around, **{name: fields[name] for name in fields if name not in unknown}})
            )
        except MissingError:
            return None
        except FAULTS as wrong:
            formula = self.entity.fields[self.entity.key]["x-compute"]
            told = f"x-compute of {self.entity.key!r}: {formula!r} fails: {wrong} ({type(wrong).__name__})"
            raise CannotFillError(f"{self.entity.where}: entities.{self.entity.name}: {told}") from None

    def named(self, key: Any) -> EntityFields:
        """Return what else is known of one whose key follows from other fields: those of the first with it in the filled pool."""
        place = next(iter(self.index.get((self.entity.key, str(key)), ())), None)
        fields = {} if place is None else self.pool[place]
        return {name: value for name, value in fields.items() if name not in self.dates and value is not None}

    def texts(self, field: str) -> list[str]:
        """Return the texts that a field has in the filled pool."""
        return list(dict.fromkeys([fields[field] for fields in self.pool if isinstance(fields[field], str)]))

    @property
    def are_sifted(self) -> bool:
        """Whether not all of a row of the pool may be there at the start."""
        return self.are_once or self.key_formula is not None or bool(self.apart)

    def keys(self, number: int, count: int, draw: CallDraw) -> list[Any]:
        """Return some different keys that depend on a number of 64 bits."""
        if self.are_named:
            return list(self.entity.fields[self.entity.key]["enum"])
        if self.numbered is None:
            draw.start(number, _FIRST_DAY)
            return list(dict.fromkeys([self.make_key(draw) for _ in range(count)]))
        form, size = self.numbered
        first, step = (
            number % size,
            (number >> 20) % size | 1,
        )  # an odd step comes back after a fifth of them at the earliest
        return [form % scattered(first + step * place, size) for place in range(count)]

    def new_key(self, number: int, taken: Container[Any], draw: CallDraw, today: date) -> Any:
        """Return a key that is free, which depends on a number of 64 bits.

        Raises:
            CannotFillError: when none comes up.
        """
        if self.numbered is None:
            draw.start(number, today)
        for place in range(_KEY_TRIES):
            key = (
                self.make_key(draw)
                if self.numbered is None
                else self.numbered[0] % scattered(number + place, self.numbered[1])
            )
            if key not in taken:
                return key
        raise CannotFillError(f"no new key for {self.title} came up")

    def _make_one(self, draw: CallDraw, examples: list[EntityFields]) -> EntityFields:
        """Draw all fields; those of whole examples from one of them, and from each before one comes again."""
        if self.entity.examples:
            if not examples:
                examples += draw.shuffled(self.entity.examples)
            draw.take({}, examples.pop())
        made: EntityFields = self.make(draw)
        return made

    def _make_other(self, draw: CallDraw, examples: list[EntityFields], seen: dict[str, None]) -> EntityFields:
        """Draw one with another name than those seen, and note it; names come round when there are no more, but neighbours have different ones."""
        if self.told_by is None:
            return self._make_one(draw, examples)
        tries = max(_TRIES, 2 * len(self.entity.examples))  # enough for the last one of all
        while True:
            for _ in range(tries):
                made = self._make_one(draw, examples)
                name = str(made.get(self.told_by))
                if name not in seen:
                    seen[name] = None
                    return made
            for other in [*seen][: len(seen) // 2 + 1]:
                del seen[other]

    def fill(self, draw: CallDraw, size: int) -> None:
        """Draw the pool of so many and index it, when the first conversation needs it; entities differ in the first field by which people name one, as long as there are such."""
        self.pool += cached_result(
            ("entities", self.mark, self.locale, size),
            lambda: self._drawn(draw, size),
            lambda _: bool(self.files) and self.locale is not None,
            self.files,
        )
        zero = _FIRST_DAY.toordinal()
        for fields in self.pool:
            told = [(field, fields[field]) for field in self.dates if fields.get(field)]
            days = [(field, date.fromisoformat(text[:10]).toordinal() - zero, text[10:]) for field, text in told]
            self.moments.append(tuple(days))
        changing = {*self.dates, *self.fresh, *[name for name, _, _ in self.parts]}
        for place, fields in enumerate(self.pool):
            for name, value in fields.items():
                if name not in changing:
                    self.index.setdefault((name, str(value)), {})[place] = None

    def _drawn(self, draw: CallDraw, size: int) -> list[EntityFields]:
        """Return so many, with the key and the fields that hold keys of others None."""
        draw.start(stream_seed(self.mark, "pool"), _FIRST_DAY)
        draw.take({}, {})
        seen: dict[str, None] = {}
        examples: list[EntityFields] = []
        found = []
        for _ in range(size):
            made = self._make_other(draw, examples, seen)
            key = {self.entity.key: None}
            found.append({**key, **made, **key, **{field: None for field, _ in self.references}})
            found[-1][self.entity.key] = self.key_of(found[-1])
        return found


class Population(msgspec.Struct, frozen=True, kw_only=True):
    """All kinds of entities of the loaded tools."""

    kinds: dict[str, EntityKind]
    """By title; those of tools that come with the program are compiled when they are first used."""
    draw: CallDraw
    """Shared, since every use begins a stream of its own."""
    size: int = POOL
    """Of a pool."""

    def ready(self, title: str) -> EntityKind:
        """Return a kind with a filled pool."""
        kind = self.kinds[title]
        if not kind.pool:
            kind.fill(self.draw, self.size)
        return kind

    def samples(self, title: str, number: int) -> list[EntityFields]:
        """Return some entities of a kind to try calls with; the entities they belong to are only keys."""
        kind, draw = self.kinds[title], self.draw
        found = []
        for place in range(number):
            draw.start(stream_seed(kind.mark, "sample", place), _FIRST_DAY)
            key = kind.make_key(draw)
            others = {field: self.kinds[other].make_key(draw) for field, other in kind.references}
            draw.take({}, {kind.entity.key: key, **others} if kind.late else {})
            made = {**kind.make(draw), **others}
            found.append({kind.entity.key: kind.key_of(made) or key, **made})
        return found


def compile_population(
    toolbox: Toolbox,
    compile_value: CompileValue,
    seed: int,
    apart: Mapping[str, tuple[tuple[str, ...], ...]],
    locale: object = None,
) -> Population:
    """Compile the entities of all files of a toolbox.

    `apart` has fields by title of a kind, in all of which no two of it may be the same. With a `locale`, that of `compile_value`, what is
    drawn for tools that come with the program is kept between starts.

    Raises:
        SpecError: for a field of which no values can be made, and two files that declare one entity differently.
    """
    declared: dict[str, tuple[Entity, ToolSpec]] = {}
    for spec in toolbox.values():
        for entity in spec.declared.entities.values():
            known, _ = declared.setdefault(entity.title, (entity, spec))
            if known is not entity and known != entity:
                raise SpecError(f"{entity.where}: the entity {entity.title} is also declared in {known.where}")

    def compiled(title: str) -> EntityKind:
        entity, spec = declared[title]
        kind = _compile_kind(entity, spec.declared, compile_value, seed)
        files = files_of([spec]) if spec.is_tested else ()
        return msgspec.structs.replace(kind, apart=apart.get(title, ()), locale=locale, files=files)

    untested = [title for title, (_, spec) in declared.items() if not spec.is_tested]
    draw = CallDraw(0, date.min)  # not that of a world: pools are filled while a result is made
    return Population(kinds=WhenUsed(compiled, untested), draw=draw)


def _compile_kind(entity: Entity, declared: WorldDeclarations, compile_value: CompileValue, seed: int) -> EntityKind:
    references = references_of(entity, declared.entities)
    drawn = {
        field: schema for field, schema in entity.fields.items() if field != entity.key and field not in references
    }
    late = keys_in_formulas(entity, declared, references)
    drawn = in_order(drawn)
    properties = {**late, **drawn}  # in place of the keys, of which each conversation has its own
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
    fresh = tuple([field for field, part in drawn.items() if part.get("x-fresh")])
    parts = tuple(parts_of(drawn))
    computed = computed_fields(properties, declared)
    dates = tuple(
        field
        for field, part in drawn.items()
        if part.get("format") in ("date", "date-time") or str(part.get("pattern")).startswith("^\\d{4}-\\d{2}-\\d{2}T")
    )
    return EntityKind(
        title=entity.title,
        entity=entity,
        mark=stream_seed(seed, "entity", entity.title),
        make=make,
        make_key=make_key,
        key_formula=formula_of_key(entity, declared),
        numbered=numbered(entity.fields[entity.key]),
        references=tuple((field, declared.entities[other].title) for field, other in references.items()),
        together=frozenset({field for one in entity.examples for field in one}),
        late=frozenset(late),
        dates=dates,
        computed=computed,
        crossed=crossed_fields(entity, declared, computed),
        dated=frozenset(dates)
        if any(field not in dates and reads & {*dates} for field, _, reads in computed)
        else NO_FIELDS,
        fresh=fresh,
        parts=parts,
        freshly=freshly((*fresh, *[field for field, _, _ in parts]), computed),
        tests=tests,
        pool=[],
        moments=[],
        index={},
        only_name=frozenset(entity.called if len(entity.called) == 1 else ()),
        told_by=told_by(entity),
        are_once=told_by(entity) is not None and any(told_by(entity) in one for one in entity.examples),
        are_named="enum" in entity.fields[entity.key],
        all_states=tuple(
            dict(zip(entity.states, values, strict=True))
            for values in product(*entity.states.values())
            if entity.states
        ),
    )


@lru_cache(maxsize=1 << 13)
def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()
