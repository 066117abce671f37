"""The value of a YAML text, and the line of everything in it, built from the parser's own events.

YAML is read as YAML 1.2's core schema reads it: only `true` and `false` are booleans, dates stay text, a key may stand once
only. Dangerous texts are refused while they are read: too deep a nesting, aliases of aliases, a value that contains
itself. (PyYAML's composer, which `yaml.load` uses, recurses in C and ends the process.)
"""

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from generator.regular_files import read_regular

DEEPEST = 200
"""Levels of lists and mappings in each other, aliases followed."""
MOST_VALUES = 2_000_000
"""Values a text may stand for, aliases followed."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMERIC = frozenset("-+.0123456789")
_TAG = "tag:yaml.org,2002:"
_KINDS: dict[str, type[Any] | tuple[type[Any], ...]] = {
    "null": type(None),
    "bool": bool,
    "int": int,
    "float": (int, float),
    "seq": list,
    "map": dict,
}
"""Tags beside `!!str` → what a value with it must be."""


class YamlError(Exception):
    """A fault of a text, with its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Lines(NamedTuple):
    """The line on which a value begins (in a mapping: its key), and those of what it holds."""

    line: int
    below: "dict[str, Lines] | list[Lines] | None" = None

    def at(self, place: tuple[str | int, ...]) -> int:
        """Return the line of the value at a place, or of its nearest ancestor."""
        lines = self
        for step in place:
            if isinstance(lines.below, dict) and str(step) in lines.below:
                lines = lines.below[str(step)]
            elif isinstance(lines.below, list) and isinstance(step, int) and step < len(lines.below):
                lines = lines.below[step]
            else:
                break
        return lines.line


class _Read(NamedTuple):
    """A value, with its lines, how many values it stands for and how deep it is."""

    value: Any
    lines: Lines
    size: int = 1
    height: int = 0


class _Open:
    """A list or mapping whose end is still to come."""

    def __init__(self, value: Any, event: Any) -> None:
        self.value = value
        self.anchor: str | None = event.anchor
        self.line: int = event.start_mark.line + 1
        self.below: Any = {} if isinstance(value, dict) else []
        self.size = 1
        self.height = 0
        self.key: _Read | None = None

    def add(self, child: _Read) -> None:
        self.size += child.size
        self.height = max(self.height, child.height)
        if isinstance(self.value, list):
            self.value.append(child.value)
            self.below.append(child.lines)
        elif self.key is None:
            self._begin(child)
        else:
            self.value[self.key.value] = child.value
            self.below[str(self.key.value)] = Lines(self.key.lines.line, child.lines.below)
            self.key = None

    def _begin(self, key: _Read) -> None:
        if isinstance(key.value, dict | list):
            raise YamlError(key.lines.line, "a key must be plain text")
        if key.value in self.value:
            raise YamlError(key.lines.line, f"the key {key.value!r} stands here a second time")
        self.key = key

    def close(self) -> _Read:
        return _Read(self.value, Lines(self.line, self.below), self.size, self.height + 1)


def own_data(module: str, name: str = "") -> Any:
    """Return the value of a YAML file of this package.

    Args:
        module: `__file__` of the module beside which it stands.
        name: Its name; empty when it is called like the module.
    """
    path = Path(module).parent / name if name else Path(module).with_suffix(".yaml")
    return read_yaml(read_regular(path).decode())[0]


def read_yaml(text: str) -> tuple[Any, Lines]:
    """Return the value of a text and its lines.

    Raises:
        YamlError: with the line of the fault.
    """
    try:
        read = _Builder().build(text)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise YamlError(mark.line + 1 if mark else 1, str(fault.problem or fault.context)) from None
    except yaml.YAMLError as fault:
        raise YamlError(1, str(fault).splitlines()[0]) from None
    return read.value, read.lines


class _Builder:
    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, _Read | None] = {}
        """None while the value is being read."""
        self._root = _Read(None, Lines(1))
        self._documents = 0

    def build(self, text: str) -> _Read:
        do = {
            yaml.ScalarEvent: lambda event: self._add(_scalar(event), event.anchor),
            yaml.AliasEvent: lambda event: self._add(self._anchored(event), None),
            yaml.MappingStartEvent: lambda event: self._begin({}, event),
            yaml.SequenceStartEvent: lambda event: self._begin([], event),
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.DocumentStartEvent: self._begin_document,
        }
        for event in yaml.parse(text, _LOADER):
            if type(event) in do:
                do[type(event)](event)
        return self._root

    def _begin_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise YamlError(event.start_mark.line + 1, "a second document begins; one is expected")

    def _end(self, _: Any) -> None:
        done = self._open.pop()
        self._add(done.close(), done.anchor)

    def _begin(self, value: Any, event: Any) -> None:
        line = event.start_mark.line + 1
        if event.tag is not None and event.tag not in ("!", f"{_TAG}{'map' if isinstance(value, dict) else 'seq'}"):
            raise YamlError(line, f"the tag {_short(event.tag)} is not handled")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(value, event))
        self._check(1, 0, line)

    def _add(self, read: _Read, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = read
        if self._open:
            self._open[-1].add(read)
        else:
            self._root = read

    def _anchored(self, event: Any) -> _Read:
        line = event.start_mark.line + 1
        if event.anchor not in self._anchors:
            raise YamlError(line, f"there is no anchor &{event.anchor}")
        read = self._anchors[event.anchor]
        if read is None:
            raise YamlError(
                line, f"*{event.anchor} stands within &{event.anchor}: a value that holds itself has no end"
            )
        self._check(read.size, read.height, line)
        return read._replace(lines=read.lines._replace(line=line))

    def _check(self, size: int, height: int, line: int) -> None:
        if len(self._open) + height > DEEPEST:
            raise YamlError(line, f"nested more than {DEEPEST} levels deep")
        if size > 1 and sum(part.size for part in self._open) + size > MOST_VALUES:
            raise YamlError(line, f"its aliases stand for more than {MOST_VALUES:,} values")


def _scalar(event: Any) -> _Read:
    lines = Lines(event.start_mark.line + 1)
    tag: str | None = event.tag
    plain = event.style is None or event.style == ""
    if tag is None:
        return _Read(_resolved(event.value, lines.line) if plain else event.value, lines)
    name = tag.removeprefix(_TAG)
    if tag == "!" or name == "str":
        return _Read(event.value, lines)
    value = _resolved(event.value, lines.line)
    if name not in _KINDS:
        raise YamlError(lines.line, f"the tag {_short(tag)} is not handled")
    if not isinstance(value, _KINDS[name]) or (isinstance(value, bool) and name != "bool"):
        raise YamlError(lines.line, f"{_short(event.value)} is not of the kind that its tag !!{name} names")
    return _Read(value, lines)


def _resolved(text: str, line: int) -> Any:
    """Return what a text without quotes means."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC:
        return text
    if _INT.fullmatch(text):
        try:
            return int(text)
        except ValueError:
            raise YamlError(line, f"a number of {len(text):,} digits is not handled") from None
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise YamlError(line, f"the number {_short(text)} is too large")
        return number
    return text


def _short(text: str) -> str:
    told = text.replace(_TAG, "!!")
    return repr(told if len(told) <= 60 else f"{told[:59]}…")
