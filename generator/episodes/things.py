"""The things that results tell of, and whether a figure of a text is said of the one that has it.

Elements of a list could be taken for each other, and so could what several calls of one tool have found. "The Elm for €178" is
wrong where that is the price of another hotel.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from generator.episodes.figures import Figure
from generator.episodes.known import Known

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“'(-])|\n+|;\s+")
_IS_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|['’. &_-](?=[^\W\d_])){3,}\.?").fullmatch
CHECKED = frozenset({"number", "time", "day"})
"""Kinds of figures that are held against the thing that is named beside them; codes name things themselves."""
_SHORTEST_NAME = 4
_NAMES = ("name", "title", "subject")
"""Properties by which things are called."""
_BETWEEN = frozenset({" and ", " & ", ", and "})
_NEAR_BY = 40
"""Characters between the name of a thing and a figure that must be its own, where no other one is named."""
OF_OTHERS = re.compile(
    r"\b(?:others?|another|rest|next|than|instead|besides|second|third|last(?! \w+ed\b)|previous|before|after|both|all|each)\b",
    re.IGNORECASE,
)
Place = tuple[int, int, int]
"""Where a thing is named in a text, and its number in its group."""


class Record:
    """One thing: an element of a list, or what one of several calls of a tool has found.

    Args:
        values: What is known of it, as JSON.
    """

    def __init__(self, *values: Any) -> None:
        self.names: list[str] = []
        """What it is called, in small letters; no other one of its group is called so."""
        self._values, self._known = values, Known()
        self._unread = values
        self._texts: dict[str, str] | None = None

    def holds(self, figure: Figure) -> bool:
        """Whether it has a figure."""
        for value in self._unread:  # read when somebody asks, which is seldom
            self._known.add_value(value)
        self._unread = ()
        return self._known.holds(figure)

    def texts(self) -> dict[str, str]:
        """Return its values that are words, by their properties, in small letters."""
        if self._texts is None:
            own = [(key, one) for value in self._values if isinstance(value, dict) for key, one in value.items()]
            self._texts = {
                key: one.lower().replace("_", " ") for key, one in own if isinstance(one, str) and _IS_WORDS(one)
            }
        return self._texts

    def mentions(self, words: str) -> bool:
        """Whether words stand anywhere in what is known of it."""
        return words in str(self._values).lower().replace("_", " ")


class Group(msgspec.Struct):
    """Things that could be taken for each other."""

    records: list[Record]
    beside: list[Known]
    """What results hold outside of such things."""
    results: list[str] = []
    """The results that hold them."""


class CallsOfTool(msgspec.Struct):
    """The calls of one tool that succeeded."""

    made: list[tuple[dict[str, Any], Any]] = msgspec.field(default_factory=list)
    """The arguments and the result of each."""
    results: list[str] = msgspec.field(default_factory=list)
    """The results as they were."""
    beside: Known = msgspec.field(default_factory=Known)
    """What their results hold outside of lists of things."""

    def records(self) -> list[Record]:
        """Return the calls, each called by texts of its arguments, the name of what was found, and codes."""
        called = []
        shared = set.intersection(*[set(arguments) for arguments, _ in self.made])
        for arguments, parsed in self.made:
            named = [value for key, value in arguments.items() if key in shared and isinstance(value, str)]
            named += (
                [parsed[key] for key in _NAMES if isinstance(parsed.get(key), str)] if isinstance(parsed, dict) else []
            )
            called.append({name.lower() for name in named if len(name) >= _SHORTEST_NAME} | _codes(parsed))
        return _named_apart([Record(*one) for one in self.made], called)


def records_of(listed: list[dict[str, Any]]) -> list[Record]:
    """Return the elements of a list, each called by its name and its codes."""
    called = []
    for one in listed:
        name = str(next((one[key] for key in _NAMES if isinstance(one.get(key), str)), "")).lower()
        called.append(({name} if len(name) >= _SHORTEST_NAME else set()) | _codes(one))
    return _named_apart([Record(one) for one in listed], called)


def _named_apart(records: list[Record], called: list[set[str]]) -> list[Record]:
    """Give things the names that only one of them has."""
    times = Counter(name for names in called for name in names)
    for record, names in zip(records, called, strict=True):
        record.names = sorted(name for name in names if times[name] == 1)
    return records


_is_code = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?![0-9]{4}-[0-9]{2}-)[\w./:@+-]{4,}").fullmatch


def _codes(value: Any) -> set[str]:
    """Return the codes in JSON: TCK-59424."""
    found: set[str] = set()
    left: list[Any] = [[value]]
    while left:
        some = left.pop()
        for inner in some.values() if isinstance(some, dict) else some:
            if isinstance(inner, str):
                if _is_code(inner):
                    found.add(inner.lower())
            elif isinstance(inner, dict | list):
                left.append(inner)
    return found


class Sentences:
    """Where the sentences of a text begin and end."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *[match.start() for match in SENTENCE_END.finditer(text)]]
        self._end = len(text)

    def around(self, place: int) -> tuple[int, int]:
        """Return where the sentence around a place begins and ends."""
        at = bisect_right(self._starts, place)
        return self._starts[at - 1], self._starts[at] if at < len(self._starts) else self._end


def _text_before(text: str, figure: Figure) -> str:
    """Return a few letters before a figure."""
    return text[max(0, figure.start - 8) : figure.start]


class Naming:
    """A text, and where it names things.

    Args:
        text: The text.
        sentences: Its sentences.
        groups: The things.
        said: Figures that may be said of anything.
    """

    def __init__(self, text: str, sentences: Sentences, groups: Sequence[Group], said: Known) -> None:
        self._text, self._groups, self._said, self._sentences = text, groups, said, sentences
        lower = text.lower()
        self.named = [
            _longest(
                [
                    (at, at + len(name), which)
                    for which, one in enumerate(group.records)
                    for name in one.names
                    for at in _places(lower, name)
                ]
            )
            for group in groups
        ]

    def astray(self, found: Sequence[Figure]) -> Iterator[Figure]:
        """Yield the figures that are said of another thing than the one that has them."""
        for of, places in enumerate(self.named):
            if not places:
                continue
            checked = [
                figure
                for figure in found
                if figure.kind in CHECKED
                and not any(at <= figure.start < end for at, end, _ in places)
                and not _text_before(self._text, figure).endswith("out of ")
            ]
            if len({which for _, _, which in places}) < 2:
                yield from self._beside_the_only_one(checked, of)
            else:
                yield from min(self._by_what_stands(checked, of), key=len)

    def _beside_the_only_one(self, found: Sequence[Figure], of: int) -> Iterator[Figure]:
        """Yield figures close behind the only thing of its group that is named; farther on others may be meant."""
        for figure in found:
            behind, _ = self._around(figure, of)
            if behind:
                between = self._text[behind[-1][1] : figure.start]
                is_close = len(between) <= _NEAR_BY and OF_OTHERS.search(between) is None
                if is_close and not self._may_be_said_of(figure, behind[-1][2], of):
                    yield figure

    def _by_what_stands(self, found: Sequence[Figure], of: int) -> tuple[list[Figure], list[Figure]]:
        """Return what is astray where things are named before their figures, and where behind them."""
        after, before = list[Figure](), list[Figure]()
        for figure in found:
            behind, ahead = self._around(figure, of)
            last, first = self._joined(behind[::-1]), self._joined(ahead) or self._joined(behind[::-1])
            if last and not any(self._may_be_said_of(figure, which, of) for which in last):
                after.append(figure)
            if first and not any(self._may_be_said_of(figure, which, of) for which in first):
                before.append(figure)
        return after, before

    def _joined(self, places: list[Place]) -> list[int]:
        """Return the first of some places and those that are told with it: "TCK-1 and TCK-2 (8 and 11 replies)"."""
        joined = [place[2] for place in places[:1]]
        for one, other in pairwise(places):
            between = self._text[min(one[1], other[1]) : max(one[0], other[0])]
            if between not in _BETWEEN:
                break
            joined.append(other[2])
        return joined

    def _around(self, figure: Figure, of: int) -> tuple[list[Place], list[Place]]:
        """Return where things are named in the figure's sentence, before it and behind it."""
        start, stop = self._sentences.around(figure.start)
        places = self.named[of]
        behind = [place for place in places if start <= place[0] < figure.start]
        return behind, [place for place in places if figure.end <= place[1] <= stop + 1 and place[0] > figure.start]

    def _may_be_said_of(self, figure: Figure, which: int, of: int) -> bool:
        """Whether a figure may be told of a thing.

        It may when the thing's record holds it, when it was said before, or when what else the sentence is about holds
        it: something that is no thing of a group, or a thing of another group that the sentence names (or cannot name).

        Args:
            figure: The figure, in its sentence.
            which: The number of the thing in its group.
            of: The number of the group.
        """
        group = self._groups[of]
        if group.records[which].holds(figure) or self._said.holds(figure):
            return True
        if any(known.holds(figure) for known in group.beside):
            return True
        start, stop = self._sentences.around(figure.start)
        for at, other in enumerate(self._groups):
            spoken = {one for begin, _, one in self.named[at] if start <= begin < stop} if at != of else set()
            for number, record in enumerate(other.records) if at != of else ():
                if (number in spoken or not any(map(_is_word, record.names))) and record.holds(figure):
                    return True
        return False


def _longest(places: list[Place]) -> list[Place]:
    """Return places in order, without those within longer ones: "Station House" in "The Station House"."""
    found: list[Place] = []
    for place in sorted(places, key=lambda one: (one[0], -one[1])):
        if not found or place[1] > found[-1][1]:
            found.append(place)
    return found


def word_places(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Yield where words stand in a text, and not within others."""
    for at in _places(text, words):
        end = at + len(words)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            yield at, end


def _is_word(name: str) -> bool:
    return not any(map(str.isdigit, name))


def _places(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + len(name))
