"""`tables:` of a spec file: data beside it that expressions look things up in."""

import csv
import io
import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from generator.core.documents import (
    Document,
    Place,
    check_known,
    parse_yaml,
    read_document,
    read_text,
    refuse_if,
)
from generator.core.entities import Table
from generator.core.errors import SpecError
from generator.core.text_grammars import Grammar
from generator.tools.specs.models import WrittenTable

_MAY_HAVE_TABLES = re.compile(r"""^\s*[{"']*tables["']?\s*:|[{,]\s*["']?tables["']?\s*:""", re.MULTILINE)
"""A key of that name, in YAML or JSON."""
_BLOCK = re.compile(r"^tables:(?=\s).*(?:\n(?:[ \t#].*)?)*", re.MULTILINE)
"""The key of that name with all that stands under it, as YAML files usually have it."""


def read_tables(models: dict[str, str | WrittenTable], document: Document) -> dict[str, Table]:
    """Return the tables that a spec file names, from CSV files with a header or YAML lists of mappings beside it.

    Raises:
        SpecError: with file, line and what is wrong.
    """
    return {name: _table(name, model, document) for name, model in models.items()}


def table_files(path: Path) -> list[Path]:
    """Return the files of data that a spec file names; none for a file that cannot be read as one."""
    try:
        text = read_text(path, SpecError)
        value = _value_with_tables(path, text) if _MAY_HAVE_TABLES.search(text) else None
    except SpecError:
        return []
    tables = value.get("tables") if isinstance(value, dict) else None
    named = [table.get("file") if isinstance(table, dict) else table for table in (tables or {}).values()]
    return [path.parent / name for name in named if isinstance(name, str)]


def _value_with_tables(path: Path, text: str) -> Any:
    """Return a file's value, or only the part of it that names tables, where that can be read by itself."""
    block = _BLOCK.search(text) if path.suffix.lower() != ".json" else None
    if block is not None:
        with suppress(SpecError):  # an alias of something that stands elsewhere
            return parse_yaml(block[0], str(path), SpecError)
    return read_document(path, SpecError).value


def _table(name: str, model: str | WrittenTable, document: Document) -> Table:
    place: Place = ("tables", name)
    model = WrittenTable(file=model) if isinstance(model, str) else model
    refuse_if(
        not name.isidentifier(),
        partial(fault_at, document),
        place,
        f"{name!r}: a name of letters, digits and '_' is expected",
    )
    path = Path(document.path).parent / model.file
    texts = _texts(path) if path.suffix.lower() in (".yaml", ".yml") and path.is_file() else {}
    if texts:
        return Table(name=name, key=(), columns=(), rows={}, file=str(path), texts=texts)
    header, rows = _read(path, document, place)
    keys = [model.key] if isinstance(model.key, str) else model.key or header[:1]
    for key in keys:
        check_known(key, header, partial(fault_at, document), (*place, "key"), f"{path} has no column")
    columns = tuple(column for column in header if column not in keys)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line, row in rows:
        at = tuple(str(row[key]) for key in keys)
        if at in found:
            raise SpecError(f"{path}:{line}: a row with {', '.join(at)} stands above already")
        found[at] = {column: row[column] for column in columns}
    return Table(name=name, key=tuple(keys), columns=columns, rows=found, file=str(path))


def _texts(path: Path) -> dict[str, Grammar]:
    """Return the grammars of a file that has texts with choices in braces, or a list of such for each of several keys."""
    document = read_document(path, SpecError)
    value = document.value
    lists = value if isinstance(value, dict) else {"": value}
    if not all(
        isinstance(lines, list) and lines and all(isinstance(one, str) for one in lines) for lines in lists.values()
    ):
        return {}
    found = {}
    for key, lines in lists.items():
        try:
            found[str(key)] = Grammar(lines)
        except ValueError as wrong:
            raise SpecError(f"{document.where((key,) if key else ())}: {wrong}") from None
    return found


def _read(path: Path, document: Document, place: Place) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    """Return the names of the columns, and each row with its line."""
    refuse_if(not path.is_file(), partial(fault_at, document), place, f"there is no file {path}")
    return _read_csv(path) if path.suffix.lower() == ".csv" else _read_yaml(path)


def _read_csv(path: Path) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    reader = csv.reader(io.StringIO(read_text(path, SpecError)))
    header = next(reader, [])
    if not header or len(set(header)) < len(header):
        raise SpecError(f"{path}:1: a first line with the names of the columns is expected, each once")
    rows = []
    for cells in reader:
        if len(cells) != len(header):
            raise SpecError(f"{path}:{reader.line_num}: {len(header)} columns are expected, not {len(cells)}")
        rows.append((reader.line_num, dict(zip(header, map(_value, cells), strict=True))))
    return header, rows


def _read_yaml(path: Path) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    document = read_document(path, SpecError)
    value = document.value
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
        raise SpecError(f"{path}:1: a list of mappings is expected")
    header = [str(column) for column in value[0]]
    for index, row in enumerate(value):
        if list(row) != list(value[0]):
            raise SpecError(f"{document.where((index,))}: the columns {', '.join(header)} are expected, in this order")
    return header, [(index + 1, row) for index, row in enumerate(value)]


def _value(cell: str) -> Any:
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
