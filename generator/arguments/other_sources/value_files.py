"""Values from a file beside the recipe, with the line on which each stands."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

from generator.core.documents import nearest, read_lines, read_text
from generator.core.errors import RecipeError
from generator.recipe import ValueFile

Refuse = Callable[[str], RecipeError]
Values = Iterator[tuple[int, Any]]


def read_values(source: ValueFile, refuse: Refuse) -> list[tuple[int, Any]]:
    """Return (line, value) pairs of a JSONL, CSV or text file, in order; a value that stands there twice counts twice.

    Raises:
        RecipeError: for a file that is empty, of another kind, or without the column.
    """
    ending = source.file.suffix.lower()
    if ending not in _READERS:
        raise refuse(f"file: {source.file.name} does not end in {', '.join(_READERS)}")
    values = list(_READERS[ending](source, refuse))
    if not values:
        raise refuse(f"file: {source.file} holds no values")
    return values


def _of_jsonl(source: ValueFile, refuse: Refuse) -> Values:
    for document in read_lines(source.file, RecipeError):
        value = document.value
        if source.column is not None:
            if not isinstance(value, dict) or source.column not in value:
                near = nearest(source.column, value) if isinstance(value, dict) else ""
                raise RecipeError(f"{document.where()}: no key {source.column!r} here{near}")
            value = value[source.column]
        yield document.first_line, value


def _of_csv(source: ValueFile, refuse: Refuse) -> Values:
    reader = csv.reader(io.StringIO(read_text(source.file, RecipeError), newline=""), strict=True)
    try:
        header = next(reader, [])
        column = source.column if source.column is not None else header[0] if len(header) == 1 else None
        if column is None:
            raise refuse(
                f"file: {source.file.name} has several columns; say which: {{file: …, column: {header[0] if header else 'NAME'}}}"
            )
        if column not in header:
            raise refuse(f"column: {source.file.name} has no column {column!r}{nearest(column, header)}")
        place = header.index(column)
        for cells in reader:
            if any(cells):
                if len(cells) != len(header):
                    raise RecipeError(f"{source.file}:{reader.line_num}: {len(cells)} cells, but {len(header)} columns")
                yield reader.line_num, cells[place]
    except csv.Error as fault:
        raise RecipeError(f"{source.file}:{reader.line_num}: not valid CSV: {fault}") from None


def _of_text(source: ValueFile, refuse: Refuse) -> Values:
    if source.column is not None:
        raise refuse(f"column: {source.file.name} is plain text, one value a line, and has no columns")
    for number, line in enumerate(read_text(source.file, RecipeError).splitlines(), start=1):
        if line.strip():
            yield number, line.strip()


_READERS: dict[str, Callable[[ValueFile, Refuse], Values]] = {".jsonl": _of_jsonl, ".csv": _of_csv, ".txt": _of_text}
