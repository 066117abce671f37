"""Read YAML, JSON and JSONL files into values, with the line number of every place in them.

YAML is read by `yaml_values`. JSON and JSONL keep their own parser; their lines are looked up only for messages, and
then the text is read as YAML, which JSON is near enough to.
"""

import difflib
import io
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from generator.core.errors import GeneratorError
from generator.core.exact_json import finite, no_constant, unique_keys
from generator.core.files import read_regular
from generator.core.yaml_values import DEEPEST, Lines, YamlError, read_yaml

Place = tuple[str | int, ...]
"""Keys and indexes that lead to a value."""

_LONGEST_WORD = 100
"""Characters of a word whose nearest name is looked for."""


class Document(msgspec.Struct, frozen=True):
    """A file's value, with what is needed to say where something stands in it."""

    path: str
    text: str
    """As the file has it; of YAML, with line breaks as Python has them."""
    value: Any
    first_line: int = 1
    lines: Lines | None = None
    """Where everything stands, when that is known already."""

    def where(self, place: Place = ()) -> str:
        """Return `file:line` of the value there (or of its nearest ancestor)."""
        lines = self.lines or _lines_of(self.text)
        return f"{self.path}:{lines.at(place) + self.first_line - 1}"

    def at(self, place: Place) -> str:
        """Return `file:line: path` of the value there, with which messages about it begin."""
        return f"{self.where(place)}: {dotted(place)}"


BYTE_ORDER_MARK = "\ufeff"


def read_text(path: Path, error: type[GeneratorError], *, exact: bool = False) -> str:
    """Return the file's text; a missing, unreadable, endless or non-UTF-8 file raises `error`.

    `exact`: with a byte order mark and with the line breaks that the file has.
    """
    try:
        encoding, newline = ("utf-8", "") if exact else ("utf-8-sig", None)  # None: line ends as one character
        return io.TextIOWrapper(io.BytesIO(read_regular(path)), encoding, newline=newline).read()
    except FileNotFoundError:
        raise error(f"{path}: there is no such file{_nearest_file(path)}") from None
    except IsADirectoryError:
        raise error(f"{path}: this is a folder; a file is expected") from None
    except UnicodeDecodeError as fault:
        raise error(f"{path}: not UTF-8 text (byte {fault.start})") from None
    except OSError as fault:
        raise error(f"{path}: cannot be read ({fault.strerror})") from None


def read_document(path: Path, error: type[GeneratorError]) -> Document:
    """Parse one YAML (.yaml, .yml) or JSON (.json) file; raises `error` with the line of the fault."""
    if path.suffix.lower() == ".json":
        text = read_text(path, error, exact=True)
        return Document(str(path), text, parse_json(text, str(path), error))
    text = read_text(path, error)
    value, lines = _parse_yaml(text, str(path), error)
    return Document(str(path), text, value, lines=lines)


def read_lines(path: Path, error: type[GeneratorError]) -> Iterator[Document]:
    """Parse a JSONL file: one document for each line that is not blank."""
    for number, line in enumerate(read_text(path, error).split("\n"), start=1):
        if line.strip():
            yield Document(str(path), line, parse_json(line, str(path), error, number), number)


def parse_yaml(text: str, path: str, error: type[GeneratorError]) -> Any:
    """Return the value of YAML text; raises `error` with `path:line`."""
    return _parse_yaml(text, path, error)[0]


def _parse_yaml(text: str, path: str, error: type[GeneratorError]) -> tuple[Any, Lines]:
    """Return the value of a YAML text and the lines of everything in it."""
    try:
        return read_yaml(text)
    except YamlError as fault:
        raise error(f"{path}:{fault.line}: not valid YAML: {fault}") from None


def parse_json(text: str, path: str, error: type[GeneratorError], first_line: int = 1) -> Any:
    """Return the value of JSON text; raises `error` with `path:line`. Repeated keys and NaN are refused."""
    try:
        value = json.loads(
            text.removeprefix(BYTE_ORDER_MARK),
            object_pairs_hook=unique_keys,
            parse_constant=no_constant,
            parse_float=finite,
        )
        if text.count("[") + text.count("{") > DEEPEST:
            _check_depth(value)
        if "\\ud" in text.lower():
            _check_letters(value)
        return value
    except json.JSONDecodeError as fault:
        raise error(f"{path}:{fault.lineno + first_line - 1}: not valid JSON: {fault.msg}") from None
    except RecursionError:
        raise error(f"{path}:{first_line}: nested too deep") from None
    except ValueError as fault:
        raise error(f"{path}:{first_line}: not valid JSON: {fault}") from None


def nearest(name: str, known_names: Iterable[str]) -> str:
    """Return a hint for a wrong name: ` (did you mean "x"?)`, or the known names when none is near."""
    names = list(known_names)
    similar = [] if len(name) > _LONGEST_WORD else difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if similar:
        return f' (did you mean "{similar[0]}"?)'
    return f" (known: {', '.join(names)})" if names else ""


def dotted(place: Place) -> str:
    """Return a place in a document as people write it: `scenarios.parallel`, `tools[0]`, `<top>`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".") or "<top>"


def shown(value: Any) -> str:
    """Return a value as JSON writes it, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


@lru_cache(maxsize=4)
def _lines_of(text: str) -> Lines:
    """Return the lines of all places in a text; cached, because many places of one file are asked for."""
    try:
        return read_yaml(text.removeprefix(BYTE_ORDER_MARK).replace("\t", " "))[1]
    except YamlError:
        return Lines(1)


def _check_depth(value: Any) -> None:
    """Raise RecursionError for a value that is nested deeper than DEEPEST."""
    parts = [value]
    for _ in range(DEEPEST + 1):
        parts = [
            child
            for part in parts
            if isinstance(part, dict | list)
            for child in (part.values() if isinstance(part, dict) else part)
        ]
    if parts:
        raise RecursionError


def _check_letters(value: Any) -> None:
    """Raise for lone surrogates, which cannot be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as fault:
        raise ValueError(f"it holds half a surrogate pair (U+{ord(fault.object[fault.start]):04X})") from None


def _nearest_file(path: Path) -> str:
    """Return ` (did you mean "…"?)` with the most similar file name of the folder, or an empty text."""
    if not path.parent.is_dir():
        return ""
    similar = difflib.get_close_matches(path.name, [p.name for p in path.parent.iterdir()], n=1, cutoff=0.6)
    return f' (did you mean "{path.parent / similar[0]}"?)' if similar else ""
