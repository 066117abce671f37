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

from generator.core.files import read_regular

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
    below: "dict[str, Lines | int] | list[Lines | int] | None" = None
    """Of a value that holds nothing the line alone."""

    def at(self, place: tuple[str | int, ...]) -> int:
        """Return the line of the value at a place, or of its nearest ancestor."""
        line, below = self
        for step in place:
            if isinstance(below, dict) and str(step) in below:
                lines_below = below[str(step)]
            elif isinstance(below, list) and isinstance(step, int) and step < len(below):
                lines_below = below[step]
            else:
                break
            line, below = lines_below if isinstance(lines_below, Lines) else (lines_below, None)
        return line


class _Anchored(NamedTuple):
    """A value that may be repeated, with its lines, how many values it stands for and how deep it is."""

    value: Any
    lines: Lines | int
    size: int
    height: int


_NO_KEY: Any = object()


class _Open:
    """A list or mapping whose end is still to come."""

    __slots__ = ("anchor", "before", "below", "height", "key", "key_line", "line", "value")

    def __init__(self, value: Any, event: Any, before: int) -> None:
        self.value = value
        self.below: Any = {} if isinstance(value, dict) else []
        self.anchor: str | None = event.anchor
        self.line: int = event.start_mark.line + 1
        self.before = before
        """How many values stand before it."""
        self.height = 0
        self.key = _NO_KEY
        self.key_line = 0

    def add(self, child: Any, lines: Lines | int) -> None:
        """Put a value into the list, or into the mapping as the next key or as the value of that key."""
        if type(self.value) is list:
            self.value.append(child)
            self.below.append(lines)
        elif self.key is _NO_KEY:
            self._begin(child, lines)
        else:
            self.value[self.key] = child
            self.below[str(self.key)] = self.key_line if isinstance(lines, int) else lines._replace(line=self.key_line)
            self.key = _NO_KEY

    def _begin(self, key: Any, lines: Lines | int) -> None:
        """Take the key of a mapping's next value; raises YamlError for a repeated one."""
        self.key_line = lines if isinstance(lines, int) else lines.line
        if isinstance(key, dict | list):
            raise YamlError(self.key_line, "a key must be plain text")
        if key in self.value:
            raise YamlError(self.key_line, f"the key {key!r} stands here a second time")
        self.key = key


def own_data(module: str, name: str = "") -> Any:
    """Return the value of a YAML file of this package beside a module (its `__file__`), which is called like that, or `name`."""
    path = Path(module).parent / name if name else Path(module).with_suffix(".yaml")
    return read_yaml(read_regular(path).decode())[0]


def read_yaml(text: str) -> tuple[Any, Lines]:
    """Return the value of a text and its lines.

    Raises:
        YamlError: with the line of the fault.
    """
    try:
        return _Builder().build(text)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise YamlError(mark.line + 1 if mark else 1, str(fault.problem or fault.context)) from None
    except yaml.YAMLError as fault:
        raise YamlError(1, str(fault).splitlines()[0]) from None


class _Builder:
    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        """None while the value is being read."""
        self._root: tuple[Any, Lines] = (None, Lines(1))
        self._size = 0
        """How many values have been read, those that aliases stand for included."""
        self._documents = 0

    def build(self, text: str) -> tuple[Any, Lines]:
        """Return the value and the lines of a text, built from the parser's events."""
        handlers = {
            yaml.ScalarEvent: self._read,
            yaml.AliasEvent: self._repeat,
            yaml.MappingStartEvent: lambda event: self._begin({}, event),
            yaml.SequenceStartEvent: lambda event: self._begin([], event),
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.DocumentStartEvent: self._start_document,
        }
        for event in yaml.parse(text, _LOADER):
            if type(event) in handlers:
                handlers[type(event)](event)
        return self._root

    def _read(self, event: Any) -> None:
        """Add the value of a scalar event."""
        line = event.start_mark.line + 1
        self._size += 1
        self._add(_value_of_scalar(event, line), line, event.anchor, 1, 0)

    def _start_document(self, event: Any) -> None:
        """Count documents; raises YamlError for a second one."""
        self._documents += 1
        if self._documents > 1:
            raise YamlError(event.start_mark.line + 1, "a second document begins; one is expected")

    def _begin(self, value: Any, event: Any) -> None:
        """Open a list or mapping, which takes the values that follow until its end."""
        line = event.start_mark.line + 1
        if event.tag is not None and event.tag not in ("!", f"{_TAG}{'map' if isinstance(value, dict) else 'seq'}"):
            raise YamlError(line, f"the tag {_shortened(event.tag)} is not handled")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(value, event, self._size))
        self._size += 1
        self._check_depth(0, line)

    def _end(self, _: Any) -> None:
        """Close the innermost list or mapping and add it to what is around it."""
        closed = self._open.pop()
        self._add(
            closed.value, Lines(closed.line, closed.below), closed.anchor, self._size - closed.before, closed.height + 1
        )

    def _repeat(self, event: Any) -> None:
        """Add the value that an alias stands for."""
        line = event.start_mark.line + 1
        if event.anchor not in self._anchors:
            raise YamlError(line, f"there is no anchor &{event.anchor}")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise YamlError(
                line, f"*{event.anchor} stands within &{event.anchor}: a value that holds itself has no end"
            )
        self._check_depth(anchored.height, line)
        self._size += anchored.size
        if anchored.size > 1 and self._size > MOST_VALUES:
            raise YamlError(line, f"its aliases stand for more than {MOST_VALUES:,} values")
        lines = anchored.lines._replace(line=line) if isinstance(anchored.lines, Lines) else line
        self._add(anchored.value, lines, None, anchored.size, anchored.height)

    def _add(self, value: Any, lines: Lines | int, anchor: str | None, size: int, height: int) -> None:
        """Add a value, with its lines, size and height, to the innermost list or mapping, and keep it under its anchor."""
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, lines, size, height)
        if self._open:
            outer = self._open[-1]
            outer.height = max(outer.height, height)
            outer.add(value, lines)
        else:
            self._root = (value, lines if isinstance(lines, Lines) else Lines(lines))

    def _check_depth(self, height: int, line: int) -> None:
        """Raise YamlError for a value of this height that would be nested too deep here."""
        if len(self._open) + height > DEEPEST:
            raise YamlError(line, f"nested more than {DEEPEST} levels deep")


def _value_of_scalar(event: Any, line: int) -> Any:
    """Return the value of a scalar: text if it is quoted, else what it means; with a tag, a value of that kind."""
    tag: str | None = event.tag
    if tag is None:
        return event.value if event.style else _meaning(event.value, line)
    name = tag.removeprefix(_TAG)
    if tag == "!" or name == "str":
        return event.value
    value = _meaning(event.value, line)
    if name not in _KINDS:
        raise YamlError(line, f"the tag {_shortened(tag)} is not handled")
    if not isinstance(value, _KINDS[name]) or (isinstance(value, bool) and name != "bool"):
        raise YamlError(line, f"{_shortened(event.value)} is not of the kind that its tag !!{name} names")
    return value


def _meaning(text: str, line: int) -> Any:
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
            raise YamlError(line, f"the number {_shortened(text)} is too large")
        return number
    return text


def _shortened(text: str) -> str:
    shown = text.replace(_TAG, "!!")
    return repr(shown if len(shown) <= 60 else f"{shown[:59]}…")
