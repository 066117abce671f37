"""`entities:` of a spec file, the kinds of things its tools act on, and `tables:`, data beside it that expressions look things up in."""

import csv
import io
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments.checks import check_known, refuse_if
from generator.arguments.kinds.names import form_of_description, kind_of_name
from generator.arguments.kinds.records import RECORDS
from generator.core.declared import read
from generator.core.documents import Document, Place, nearest, parse_yaml, read_document, read_text
from generator.core.entities import NOTHING, Entity, Table, WorldDeclarations, references_of, referred_by
from generator.core.errors import SchemaError, SpecError
from generator.core.offline_schemas import validator
from generator.core.text_grammars import Grammar
from generator.tools.specs.legality import make_legal
from generator.tools.specs.models import WrittenEntity, WrittenSections, WrittenTable

_MAY_HAVE_TABLES = re.compile(r"""^\s*[{"']*tables["']?\s*:|[{,]\s*["']?tables["']?\s*:""", re.MULTILINE)
"""A key of that name, in YAML or JSON."""
_BLOCK = re.compile(r"^tables:(?=\s).*(?:\n(?:[ \t#].*)?)*", re.MULTILINE)
"""The key of that name with all that stands under it, as YAML files usually have it."""


def read_tables(models: dict[str, str | WrittenTable], document: Document) -> dict[str, Table]:
    """Return the tables that a spec file names, from CSV files with a header or YAML lists of mappings beside it.

    Raises:
        SpecError: with file, line and what is wrong.
    """
    return {name: _read_table(name, model, document) for name, model in models.items()}


def table_files(path: Path) -> list[Path]:
    """Return the files of data that a spec file names; none for a file that cannot be read as one."""
    try:
        text = read_text(path, SpecError)
        value = _value_with_tables(path, text) if _MAY_HAVE_TABLES.search(text) else None
    except SpecError:
        return []
    tables = value.get("tables") if isinstance(value, dict) else None
    file_names = [table.get("file") if isinstance(table, dict) else table for table in (tables or {}).values()]
    return [path.parent / name for name in file_names if isinstance(name, str)]


def _value_with_tables(path: Path, text: str) -> Any:
    """Return a file's value, or only the part of it that names tables, where that can be read by itself."""
    block = _BLOCK.search(text) if path.suffix.lower() != ".json" else None
    if block is not None:
        with suppress(SpecError):  # an alias of something that stands elsewhere
            return parse_yaml(block[0], str(path), SpecError)
    return read_document(path, SpecError).value


def _read_table(name: str, model: str | WrittenTable, document: Document) -> Table:
    """Return a table of a CSV or YAML file, its rows by the values of its keys; or one of texts."""
    place: Place = ("tables", name)
    fault = partial(fault_at, document)
    model = WrittenTable(file=model) if isinstance(model, str) else model
    refuse_if(not name.isidentifier(), fault, place, f"{name!r}: {_A_NAME}")
    path = Path(document.path).parent / model.file
    refuse_if(not path.is_file(), fault, place, f"there is no file {path}")
    texts = _read_text_grammars(path) if path.suffix.lower() in (".yaml", ".yml") else {}
    if texts:
        return Table(name=name, key=(), columns=(), rows={}, file=str(path), texts=texts)
    header, rows = _read_csv(path) if path.suffix.lower() == ".csv" else _read_yaml(path)
    keys = [model.key] if isinstance(model.key, str) else model.key or header[:1]
    for key in keys:
        check_known(key, header, fault, (*place, "key"), f"{path} has no column")
    columns = tuple(column for column in header if column not in keys)
    rows_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line, row in rows:
        key_values = tuple(str(row[key]) for key in keys)
        if key_values in rows_by_key:
            raise SpecError(f"{path}:{line}: a row with {', '.join(key_values)} stands above already")
        rows_by_key[key_values] = {column: row[column] for column in columns}
    return Table(name=name, key=tuple(keys), columns=columns, rows=rows_by_key, file=str(path))


_A_NAME = "a name of letters, digits and '_' is expected"


def _read_text_grammars(path: Path) -> dict[str, Grammar]:
    """Return the grammars of a file that has texts with choices in braces, or a list of such for each of several keys."""
    document = read_document(path, SpecError)
    value = document.value
    lists = value if isinstance(value, dict) else {"": value}
    if not all(isinstance(lines, list) and lines and {*map(type, lines)} == {str} for lines in lists.values()):
        return {}
    grammars = {}
    for key, lines in lists.items():
        try:
            grammars[str(key)] = Grammar(lines)
        except ValueError as wrong:
            raise SpecError(f"{document.where((key,) if key else ())}: {wrong}") from None
    return grammars


Rows = tuple[list[str], list[tuple[int, dict[str, Any]]]]
"""The names of the columns, and each row with its line."""


def _read_csv(path: Path) -> Rows:
    """Return the rows of a CSV file with a header."""
    reader = csv.reader(io.StringIO(read_text(path, SpecError)))
    header = next(reader, [])
    if not header or len(set(header)) < len(header):
        raise SpecError(f"{path}:1: a first line with the names of the columns is expected, each once")
    rows = []
    for cells in reader:
        if len(cells) != len(header):
            raise SpecError(f"{path}:{reader.line_num}: {len(header)} columns are expected, not {len(cells)}")
        rows.append((reader.line_num, dict(zip(header, map(_cell_value, cells), strict=True))))
    return header, rows


def _read_yaml(path: Path) -> Rows:
    """Return the rows of a YAML file that is a list of mappings with the same keys."""
    document = read_document(path, SpecError)
    value = document.value
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
        raise SpecError(f"{path}:1: a list of mappings is expected")
    header = [str(column) for column in value[0]]
    for index, row in enumerate(value):
        if list(row) != list(value[0]):
            raise SpecError(f"{document.where((index,))}: the columns {', '.join(header)} are expected, in this order")
    return header, [(index + 1, row) for index, row in enumerate(value)]


def _cell_value(cell: str) -> Any:
    """Return a cell of a CSV file: a number or true or false if it is written as one."""
    if cell in ("true", "false"):
        return cell == "true"
    for kind in (int, float):
        try:
            number = kind(cell)
        except ValueError:
            continue
        if str(number) == cell:  # neither 007 nor 1e3 nor nan
            return number
    return cell


def fault_at(document: Document, place: Place, message: str) -> SpecError:
    """Return the error that says what is wrong at a place of a document."""
    return SpecError(f"{document.at(place)}: {message}")


SECTIONS = ("entities", "tables")
"""What may stand beside `tools` in a file."""
_FEW = (3, 6)


def read_declared(document: Document, domain: str, earlier: WorldDeclarations = NOTHING) -> WorldDeclarations:
    """Return what a file declares beside its tools, on top of what is known already, which it replaces where it has the same names.

    Raises:
        SpecError: with `file:line: path: what` for the first thing that cannot be.
    """
    value = document.value
    sections = {key: value[key] for key in SECTIONS if key in value} if isinstance(value, dict) else {}
    if not sections:
        return earlier
    model = read(WrittenSections, document, sections, (), SpecError)
    earlier_keys = {name: entity.key for name, entity in earlier.entities.items()}
    keys = earlier_keys | {name: entity.key for name, entity in model.entities.items()}
    read_entities = {
        name: _read_entity(name, entity, keys, document, domain) for name, entity in model.entities.items()
    }
    entities = {**earlier.entities, **read_entities}
    _check_references(entities, document)
    return WorldDeclarations(entities=entities, tables={**earlier.tables, **read_tables(model.tables, document)})


def _read_entity(name: str, model: WrittenEntity, all_keys: dict[str, str], document: Document, domain: str) -> Entity:
    """Return an entity of a spec file, checked; `all_keys` are the names of the keys of all entities."""
    place: Place = ("entities", name)
    fault = partial(fault_at, document)
    _check_names(name, model, fault)
    low, high = model.count or _FEW
    expected = f"two numbers from 0 to {_MOST} in order are expected, not {low}, {high}"
    refuse_if(not 0 <= low <= high <= _MOST, fault, (*place, "count"), expected)
    _check_schemas(model.fields, fault, (*place, "fields"))
    states = {
        field: _read_states(schema["states"], fault, (*place, "fields", field, "states"))
        for field, schema in model.fields.items()
        if "states" in schema
    }
    keys = {key for other, key in all_keys.items() if other != name}
    for field, schema in model.fields.items():
        if not schema and field not in keys:
            message = f"a schema is expected, or the name of another entity's key{nearest(field, sorted(keys))}"
            raise fault((*place, "fields", field), message)
    times = model.one_at_a_time
    return Entity(
        name=name,
        domain=domain,
        where=document.where(place),
        key=model.key,
        count=(low, high),
        fields={field: _with_states(schema, states.get(field)) for field, schema in model.fields.items()},
        states=states,
        called=model.called,
        examples=_examples(name, model, keys, fault),
        one_at_a_time=None if times is None else (times.on, times.start, times.minutes),
    )


Raise = Callable[[Place, str], SpecError]
"""Makes the error of what is wrong at a place of a document."""


def _check_schemas(fields: dict[str, dict[str, Any]], fault: Raise, place: Place) -> None:
    """Refuse fields whose schemas are not legal. All are checked at once, and singly only where one is not."""
    try:
        make_legal({"properties": fields}, "reject")
    except SchemaError:
        for field, schema in fields.items():
            try:
                make_legal(schema, "reject")
            except SchemaError as wrong:
                raise fault((*place, field), str(wrong)) from None


def _examples(name: str, model: WrittenEntity, keys: set[str], fault: Raise) -> tuple[dict[str, Any], ...]:
    """Return the whole examples, whose values must fit the fields that are drawn."""
    for index, field, value in [(at, *pair) for at, example in enumerate(model.examples) for pair in example.items()]:
        at: Place = ("entities", name, "examples", index, field)
        check_known(field, model.fields, fault, at, "there is no field")
        schema = model.fields[field]
        is_made = field == model.key or field in keys or "of" in schema or "x-compute" in schema
        refuse_if(is_made, fault, at, f"{field!r} is no field whose values are drawn")
        plain = {key: part for key, part in schema.items() if key[:2] != "x-"}
        fits = value in schema["states"] if "states" in schema else validator(plain).is_valid(value)
        refuse_if(not fits, fault, at, f"{value!r} is no value of {field!r}")
    return model.examples


def _check_names(name: str, model: WrittenEntity, fault: Raise) -> None:
    """Refuse names that are no identifiers, and fields under `key`, `called` and `one_at_a_time` that do not exist."""
    place: Place = ("entities", name)
    for word, at in ((name, place), *((field, (*place, "fields", field)) for field in model.fields)):
        refuse_if(not word.isidentifier(), fault, at, f"{word!r}: {_A_NAME}")
    times = {} if model.one_at_a_time is None else msgspec.structs.asdict(model.one_at_a_time)
    named_fields: list[tuple[str, Place]] = [(model.key, ("key",)), *((field, ("called",)) for field in model.called)]
    named_fields += [(field, ("one_at_a_time", key)) for key, field in times.items()]
    for field, at in named_fields:
        check_known(field, model.fields, fault, (*place, *at), "there is no field")
    for key, field in times.items():
        fits, what = _OF_TIMES[key]
        if not fits(field, model.fields[field]):
            fitting_fields = [name for name, schema in model.fields.items() if fits(name, schema)]
            raise fault((*place, "one_at_a_time", key), f"{field!r} is no {what}{nearest(field, fitting_fields)}")


def _is_day(name: str, schema: dict[str, Any]) -> bool:
    """Whether the values of a field are days, or words for them from a closed list."""
    return schema.get("type") == "string" and (
        "enum" in schema or schema.get("format", _value_kind(name, schema)) == "date"
    )


def _is_clock_time(name: str, schema: dict[str, Any]) -> bool:
    """Whether the values of a field begin with `HH:MM`, as its choices, format or pattern say, or else its kind."""
    listed = schema.get("enum") or schema.get("examples")
    if schema.get("type") != "string":
        return False
    if listed:
        return isinstance(listed, list) and all(isinstance(value, str) and _CLOCK_TIME.match(value) for value in listed)
    if "format" in schema:
        return bool(schema["format"] == "time")
    if "pattern" in schema:
        try:
            allows = validator({"pattern": schema["pattern"]}).is_valid
        except ValueError:  # told where the field is compiled
            return True
        return any(map(allows, _TIMES)) and not any(map(allows, _NO_TIMES))
    record = RECORDS.get(_value_kind(name, schema))
    return record is not None and record.clock.startswith("{time}")


def _is_whole_number(name: str, schema: dict[str, Any]) -> bool:
    return schema.get("type") == "integer"


def _value_kind(name: str, schema: dict[str, Any]) -> str:
    """Return the kind of value of a text: as it is told, or as the field's description or name tells."""
    return str(
        schema.get("x-kind") or form_of_description(str(schema.get("description", ""))) or kind_of_name(name, (), False)
    )


_OF_TIMES = {
    "on": (_is_day, "day: {type: string, format: date} is expected"),
    "start": (
        _is_clock_time,
        "clock time (HH:MM): {type: string, format: time}, a pattern or choices of such are expected",
    ),
    "minutes": (_is_whole_number, "number of minutes: {type: integer} is expected"),
}
"""Key of `one_at_a_time` → whether a field can stand there, and what is said of one that cannot."""
_CLOCK_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_TIMES = ("09:30", "14:00", "09:30:00", "14:00:00", "09:30:00Z")
_NO_TIMES = (
    *("", "a", "title", "10", "930", "99:99", "9:30 am"),
    *("2026-05-02", "2026-05-02T09:30", "2026-05-02T09:30:00Z"),
)


def _with_states(schema: dict[str, Any], states: dict[str, tuple[str, ...]] | None) -> dict[str, Any]:
    """Return the schema of a field, its states as the values that it can have."""
    if states is None:
        return schema
    return {**{key: part for key, part in schema.items() if key != "states"}, "type": "string", "enum": list(states)}


_MOST = 50


def _read_states(value: Any, fault: Raise, at: Place) -> dict[str, tuple[str, ...]]:
    """Return state → the states that may follow."""
    if isinstance(value, list) and value and all(isinstance(state, str) for state in value):
        return {state: tuple(other for other in value if other != state) for state in value}
    following = list(value.values()) if isinstance(value, dict) else [None]
    is_listed = all(isinstance(after, list) and all(isinstance(state, str) for state in after) for after in following)
    expected = "a list of states is expected, or a mapping of states to those that follow"
    refuse_if(not value or not is_listed, fault, at, expected)
    for state, after in value.items():
        for other in [other for other in after if other not in value]:
            raise fault((*at, state), f"{other!r} is not a state{nearest(other, map(str, value))}")
    return {str(state): tuple(after) for state, after in value.items()}


def _check_references(entities: dict[str, Entity], document: Document) -> None:
    """An entity that another one belongs to must exist, and must be there first."""
    fault, keys = partial(fault_at, document), dict[str, str]()
    for name, entity in entities.items():
        if entity.key in keys:
            raise fault(("entities", name, "key"), f"{entity.key!r} is also the key of {keys[entity.key]!r}")
        keys[entity.key] = name
    for name, entity in entities.items():
        for field, schema in entity.fields.items():
            of = referred_by(field, schema, entities)
            if of is not None:
                check_known(of, entities, fault, ("entities", name, "fields", field), "there is no entity")
    for name in entities:
        back = "an entity cannot belong to itself through others"
        refuse_if(_leads_back(name, entities), fault, ("entities", name), back)


def _leads_back(start: str, entities: dict[str, Entity]) -> bool:
    """Whether an entity belongs to others that belong to it; that one belongs to another of its own kind is no circle."""
    visited: set[str] = set()
    waiting = [name for name in references_of(entities[start], entities).values() if name != start]
    while waiting:
        name = waiting.pop()
        if name == start:
            return True
        if name not in visited:
            visited.add(name)
            waiting += [other for other in references_of(entities[name], entities).values() if other != name]
    return False
