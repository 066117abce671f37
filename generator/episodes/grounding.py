"""Whether what a text says in figures is what the assistant was told, and of the same thing.

Three questions, each in whatever words the text has:

- Does a result, the user, a system message or a schema hold the figure at all?
- Where several things of one list are named, does each have its own figures? "The Elm for €178" is wrong where that is the price of
  another hotel.
- Where a figure stands before the name of a property ("3 open tasks"), is it the value of one of that name?

Besides, a sentence in the row's own words with other figures is wrong.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import orjson

from generator.conversation import Tool, ToolCall
from generator.episodes.figures import Figure, Known, figures, is_name
from generator.toolbox import name_as_words, once_per_tool

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“'(-])|\n+|;\s+")
_DIGITS = re.compile(r"[0-9]+")
_SHORTEST_NAME = 4
_CHECKED = frozenset({"number", "time", "day"})
"""Kinds of figures that are held against the thing that is named beside them; codes name things themselves."""
_AHEAD = 3
"""Words after a number among which the name of its property is looked for."""


_JOINS = frozenset(
    [
        "and",
        "or",
        "of",
        "with",
        "to",
        "for",
        "from",
        "at",
        "in",
        "on",
        "by",
        "than",
        "until",
        "till",
        "as",
        "is",
        "are",
        "was",
        "were",
        "per",
        "a",
        "an",
        "the",
    ]
)
"""Words at which the name of what is counted is over."""


class _Record(msgspec.Struct):
    """One element of a list in a result."""

    names: list[str]
    """What it is called, in small letters; no other element of the list is called so."""
    known: Known


class Told:
    """All that the assistant was told.

    Args:
        texts: What the user and system messages say.
        tools: The tools on offer.
        made: The calls with the content of their results, and whether they succeeded.
        computed: Other texts that may be said.
    """

    def __init__(
        self,
        texts: Iterable[str],
        tools: Iterable[Tool],
        made: Sequence[tuple[ToolCall, str, bool]],
        computed: Iterable[str] = (),
    ) -> None:
        self._said, self._all = Known(), Known()
        for text in (*texts, *computed):
            self._said.add(text)
        for call, _, ok in made:
            if ok:
                self._said.add_value(call.arguments)
        self._all.update(self._said)
        for tool in tools:
            self._all.update(_of_schema(tool))
        self._lists: list[list[_Record]] = []
        self._beside = Known()
        """What results hold outside of lists of things."""
        self._whole: list[str] = []
        self._labels: dict[tuple[str, ...], set[float]] = {}
        self._counted: set[float] = set()
        """Numbers that results hold as such: "53 tickets" may be one of them, where a list of tickets has others."""
        for _, content, _ in made:
            parsed = _parsed(content)
            self._all.add_value(parsed)
            self._take(parsed, "")

    def faults(self, text: str) -> list[str]:
        """Return what is wrong with the figures of a text, in words."""
        text = self._without_names(text)
        found = figures(text)
        unknown = [figure for figure in found if not self._all.holds(figure)]
        if unknown:
            return [f"nothing says {text[figure.start : figure.end]!r}" for figure in unknown]
        astray = [figure for records in self._lists for figure in self._astray(text, found, records)]
        astray += [figure for figure in found if self._has_other_label(text, figure)]
        return [f"{text[figure.start : figure.end]!r} is said of something else" for figure in astray]

    # -- what is told ----------------------------------------------------------------------------------------------------

    def _take(self, value: Any, key: str, *, inside: bool = False) -> None:
        """Take the lists of things, the labels and the names with digits of a result."""
        if isinstance(value, dict):
            for name, inner in value.items():
                self._take(inner, name, inside=inside)
        elif isinstance(value, list):
            self._label(key, len(value))
            self._beside.numbers.add(len(value))
            records = [inner for inner in value if isinstance(inner, dict)]
            if len(records) > 1 and not inside:
                self._lists.append(_records(records))
            for inner in value:
                self._take(inner, key, inside=inside or len(records) > 1)
        else:
            self._take_leaf(value, key, inside=inside)

    def _take_leaf(self, value: Any, key: str, *, inside: bool) -> None:
        if isinstance(value, str) and is_name(value):
            self._whole.append(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._label(key, abs(value))
            if not inside:
                self._counted.add(abs(value))
        if not inside:
            self._beside.add_value(value, key)

    def _label(self, key: str, value: float) -> None:
        words = tuple([_singular(word) for word in name_as_words(key).split()])
        if words:
            self._labels.setdefault(words, set()).add(value)

    def _without_names(self, text: str) -> str:
        """Return a text with spaces in place of names that hold digits."""
        for name in self._whole:
            at = text.find(name)
            while at >= 0:
                text = f"{text[:at]}{' ' * len(name)}{text[at + len(name) :]}"
                at = text.find(name)
        return text

    # -- what is said ----------------------------------------------------------------------------------------------------

    def _astray(self, text: str, found: list[Figure], records: list[_Record]) -> list[Figure]:
        """Return the figures that are said of another element of a list than the one that has them."""
        lower = text.lower()
        places = sorted(
            [
                (at, at + len(name), which)
                for which, one in enumerate(records)
                for name in one.names
                for at in _places(lower, name)
            ]
        )
        if len({which for _, _, which in places}) < 2:
            return []
        ends = [0, *[match.start() for match in _SENTENCE_END.finditer(text)], len(text)]
        after, before = list[Figure](), list[Figure]()
        for figure in found:
            start = max(end for end in ends if end <= figure.start)
            stop = min((end for end in ends if end > figure.start), default=len(text))
            behind = [which for at, _, which in places if start <= at < figure.start]
            ahead = [which for at, end, which in places if figure.end <= end <= stop + 1 and at > figure.start]
            if figure.kind not in _CHECKED or any(at <= figure.start < end for at, end, _ in places):
                continue
            if behind or ahead:
                if behind and not self._is_of(figure, records[behind[-1]], records):
                    after.append(figure)
                if not self._is_of(figure, records[ahead[0] if ahead else behind[-1]], records):
                    before.append(figure)
        return after if len(after) <= len(before) else before

    def _is_of(self, figure: Figure, record: _Record, records: list[_Record]) -> bool:
        """Whether a figure may be said of an element of a list: unless only others of the same list have it."""
        if record.known.holds(figure) or self._said.holds(figure) or self._beside.holds(figure):
            return True
        elsewhere = (one for others in self._lists if others is not records for one in others)
        return any(one.known.holds(figure) for one in elsewhere)

    def _has_other_label(self, text: str, figure: Figure) -> bool:
        """Whether a number stands before the name of a property that has other values."""
        if figure.kind != "number":
            return False
        following = re.match(r"(?: ?%)?((?:[ -][^\W\d_]+){1,3})", text[figure.end :])
        if following is None:
            return False
        words = [_singular(word) for word in re.findall(r"[^\W\d_]+", following[1].lower())][:_AHEAD]
        words = words[: next((at for at, word in enumerate(words) if word in _JOINS), len(words))]
        said = {tuple(words[at:end]) for at in range(len(words)) for end in range(at + 1, len(words) + 1)}
        labels = [label for label in self._labels if label in said]
        longest = max(map(len, labels), default=0)  # "3 rainy days" is no number of days
        values = [self._labels[label] for label in labels if len(label) == longest]
        known = {number for one in values for number in one} | (self._counted if longest == 1 else set())
        return bool(values) and not self._said.holds(figure) and figure.value not in known


def _records(records: list[dict[str, Any]]) -> list[_Record]:
    """Return the elements of a list with what each is called."""
    called = [
        str(next((record[key] for key in _NAMES if isinstance(record.get(key), str)), "")).lower() for record in records
    ]
    found = []
    for record, name in zip(records, called, strict=True):
        known = Known()
        known.add_value(record)
        is_own = len(name) >= _SHORTEST_NAME and called.count(name) == 1
        found.append(_Record([name] if is_own else [], known))
    return found


_NAMES = ("name", "title", "subject")
"""Properties by which things are called."""


def _places(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + len(name))


@lru_cache(maxsize=4096)
def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=2048)
def _parsed(content: str) -> Any:
    try:
        return orjson.loads(content)
    except ValueError:
        return content


@once_per_tool
def _of_schema(tool: Tool) -> Known:
    """Return the figures of a tool's description and schema."""
    known = Known()
    known.add(tool.description or "")
    _add_schema(known, tool.parameters)
    return known


def _add_schema(known: Known, value: Any) -> None:
    for key, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, str | list) or (isinstance(inner, int | float) and not isinstance(inner, bool)):
            known.add_value(inner if key != "required" else "")
        _add_schema(known, inner)
    for inner in value if isinstance(value, list) else ():
        _add_schema(known, inner)


def said_otherwise(texts: Iterable[str], row: Iterable[str]) -> list[str]:
    """Return the sentences that are the row's own but for their figures."""
    own: dict[str, set[str]] = {}
    for text in row:
        for sentence in _SENTENCE_END.split(text):
            own.setdefault(_DIGITS.sub("#", sentence), set()).add(sentence)
    return [
        f"{sentence[:80]!r} is what the row says, with other figures"
        for text in texts
        for sentence in _SENTENCE_END.split(text)
        if "#" in (blank := _DIGITS.sub("#", sentence)) and sentence not in own.get(blank, {sentence})
    ]
