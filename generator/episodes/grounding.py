"""Whether what a text says in figures is what the assistant was told, and of the same thing.

Three questions, each in whatever words the text has:

- Does a result, the user, a system message or a schema hold the figure at all?
- Where several things of one list are named, does each have its own figures? "The Elm for €178" is wrong where that is the price of
  another hotel.
- Where a figure stands before the name of a property ("3 open tasks"), is it the value of one of that name?

Besides, a sentence in the row's own words with other figures is wrong.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import orjson

from generator.conversation import Tool, ToolCall
from generator.episodes.derived import Derived
from generator.episodes.figures import Figure, figures, is_name
from generator.episodes.known import Known
from generator.episodes.texts import Texts
from generator.episodes.things import (
    SENTENCE_END,
    CallsOfTool,
    Group,
    Naming,
    Record,
    Sentences,
    records_of,
)
from generator.toolbox import name_as_words, once_per_tool

_DIGITS = re.compile(r"[0-9]+")
_MOST_FIGURES = 200
"""In a text with more of them nothing is worked out from them."""
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


class Told:
    """All that the assistant was told so far; `hear` and `find` add to it.

    Args:
        tools: The tools on offer.
        computed: Other texts that may be said.
        meant: What the user wants calls to be made with.
    """

    def __init__(self, tools: Iterable[Tool], computed: Iterable[str] = (), meant: Iterable[Any] = ()) -> None:
        tools, computed, meant = list(tools), list(computed), list(meant)
        self._said, self._all, self._schemas = Known(), Known(), Known()
        self._texts = Texts(tools, meant)
        for text in computed:
            self.hear(text)
        for arguments in meant:
            self._said.add_value(arguments)
        self._all.update(self._said)
        for tool in tools:
            self._schemas.update(_of_schema(tool))
        self._things: list[list[dict[str, Any]]] = []
        self._lists: list[tuple[list[Record], str]] = []
        """Each with the result that holds it."""
        self._calls: dict[str, CallsOfTool] = {}
        self._beside = Known()
        """What results hold outside of lists of things."""
        self._result = ""
        self._whole: list[str] = []
        self._labels: dict[tuple[str, ...], set[float]] = {}
        self._counted: set[float] = set()
        """Numbers that results hold as such: "53 tickets" may be one of them, where a list of tickets has others."""

    def hear(self, text: str) -> None:
        """Take what a system message or the user says."""
        self._said.add(text)
        self._texts.hear(text)
        self._all.add(text)

    def find(self, call: ToolCall, content: str, *, ok: bool) -> None:
        """Take the result of a call."""
        parsed = _parsed(content)
        self._all.add_value(parsed)
        self._texts.find(call.name, call.arguments, content, ok=ok)
        self._result = content
        calls = self._calls.setdefault(call.name, CallsOfTool())
        before = self._beside
        self._beside = Known()
        self._take(parsed, "")
        if ok:
            self._said.add_value(call.arguments)
            self._all.add_value(call.arguments)
            calls.made.append((call.arguments, parsed))
            calls.results.append(content)
            self._all.numbers.add(len(calls.made))  # "all three cities"
        calls.beside.update(self._beside)
        before.update(self._beside)
        self._beside = before

    def faults(self, text: str) -> list[str]:
        """Return what is wrong with the figures of a text, in words."""
        text = self._without_names(text)
        found, sentences = figures(text), Sentences(text)
        groups = list(self._groups())
        naming = Naming(text, sentences, groups, self._said)
        faults = self._faults_of_figures(text, found, sentences, naming) if found else []
        return faults or self._texts.faults(text, sentences, groups, naming.named)

    def _faults_of_figures(self, text: str, found: list[Figure], sentences: Sentences, naming: Naming) -> list[str]:
        unknown = [
            figure for figure in found if not self._all.holds(figure) and not self._is_limit(text, figure, sentences)
        ]
        if unknown:
            if len(found) > _MOST_FIGURES:
                return [f"nothing says {text[unknown[0].start : unknown[0].end]!r}"]
            found = [figure for figure in found if figure not in unknown]
            derived = Derived(text, found, self._all, self._labels, self._things)
            unknown = [figure for figure in unknown if not derived.follows(figure)]
        if unknown:
            return [f"nothing says {text[figure.start : figure.end]!r}" for figure in unknown]
        astray = list(naming.astray(found))
        astray += [figure for figure in found if self._has_other_label(text, figure)]
        return [f"{text[figure.start : figure.end]!r} is said of something else" for figure in astray]

    def _is_limit(self, text: str, figure: Figure, sentences: Sentences) -> bool:
        """Whether a figure of a schema is said as such: as a limit or a choice, in a question, or spelled ("two entries", "for a day")."""
        if not self._schemas.holds(figure) or not any(map(str.isdigit, text[figure.start : figure.end])):
            return self._schemas.holds(figure)
        start, stop = sentences.around(figure.start)
        return _LIMIT.search(text[start:stop]) is not None

    def _groups(self) -> Iterator[Group]:
        """Yield things that could be taken for each other: the elements of each list, the calls of each tool."""
        for records, result in self._lists:
            yield Group(records, [self._beside], [result])
        for name, calls in self._calls.items():
            if len(calls.made) > 1:
                others = [one.beside for other, one in self._calls.items() if other != name]
                yield Group(calls.records(), others, calls.results)

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
            if records and not inside:
                self._things.append(records)
                self._lists.append((records_of(records), self._result))
            for inner in value:
                self._take(inner, key, inside=inside or bool(records))
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
        if "pair" in words:
            self._all.numbers.add(2)
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


_LIMIT = re.compile(
    r"\?|\b(?:most|least|between|up to|only|limits?|maximum|minimum|can|cannot|can['’]t|could|options?|choices?|allowed|range|from|must|has to|have to|default|out of)\b",
    re.IGNORECASE,
)
"""What a sentence about what a tool accepts says."""


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
        for sentence in SENTENCE_END.split(text):
            own.setdefault(_DIGITS.sub("#", sentence), set()).add(sentence)
    return [
        f"{sentence[:80]!r} is what the row says, with other figures"
        for text in texts
        for sentence in SENTENCE_END.split(text)
        if "#" in (blank := _DIGITS.sub("#", sentence)) and sentence not in own.get(blank, {sentence})
    ]
