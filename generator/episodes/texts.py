"""Names, titles and choices that a text states and that are wrong for sure: nobody told them, or they belong to another thing.

What is not sure is not told: a text may use words of its own for nearly everything.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from generator.conversation import Tool
from generator.episodes.things import OF_OTHERS, Group, Place, Record, Sentences, word_places
from generator.toolbox import name_as_words
from generator.yaml_values import own_data

_CAPITALISED: frozenset[str] = frozenset(own_data(__file__, "figures.yaml")["capitalised"].split())
_NAME = re.compile(r"(?<=[a-z] )([A-Z][^\W\d_]{3,})[ ]([A-Z][^\W\d_]{3,})(?!\w)")
"""A first and a last name, or the like, within a sentence."""
_QUOTED = re.compile(r"[\"“]([^\"“”\n…\[\]]{12,160})[\"”]")
_FEWEST_WORDS = 4
_SHORTEST = 4
_NEAR_BY = 60
_LONGEST = 10_000
"""Texts with more characters are not searched: it takes too long."""
_LINE = re.compile(r"\s*(?:[-*•|]|[0-9]+[.)] )")
"""What the lines of lists and tables begin with."""
_DIRECT = re.compile(
    r"[\"”*_’']*(?:(?:,? of [^()]{1,20}| [–-] [^()]{1,20})? \((?:[^()]*, )?|,? (?:is|was) (?:now |still |currently )?| ?[:–|] ?)"
)
"""What stands between a thing and a value that is its own."""
_BEGINS = re.compile(r"(?:[,|(:–—-] ?|\*\*)$")
_ENDS = re.compile(r"[\"”*]* ?(?:[,|);.]|[–—] |$|\n| and )")
"""What stands around a value that is a part of its own of a line."""
_OPEN = re.compile(r"\?|\b(?:not|no|or|instead|could|can|other|another|either|rather|if)\b|n['’]t\b")
"""What texts have in which choices are told that were not made."""
_WORDS = re.compile(r"\w+(?:['’.-]\w+)*")


class Texts:
    """The texts that the assistant was told.

    Args:
        tools: The tools on offer.
        said: Other texts that may be said, and JSON that the user wants calls to be made with.
    """

    def __init__(self, tools: Iterable[Tool], said: Iterable[Any]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._said = [str(one) for one in said]
        self._found: list[str] = []
        self._made: list[tuple[str, dict[str, Any]]] = []
        self._groups: Sequence[Group] = ()
        self._read: dict[str, str] = {}

    def hear(self, text: str) -> None:
        """Take what a system message or the user says."""
        self._said.append(text)

    def find(self, name: str, arguments: dict[str, Any], content: str, *, ok: bool) -> None:
        """Take a call and its result."""
        self._found.append(content)
        if ok:
            self._said.append(str(arguments))
            self._made.append((name, arguments))

    def faults(
        self, text: str, sentences: Sentences, groups: Sequence[Group], named: Sequence[list[Place]]
    ) -> list[str]:
        """Return what is wrong with the names of a text, in words.

        Args:
            text: The text.
            sentences: Its sentences.
            groups: The things that were found.
            named: Where the text names things of each group.
        """
        if len(text) > _LONGEST:
            return []
        faults = [f"nothing says {name!r}" for name in self._invented(text)]
        lower, self._groups = text.lower(), groups
        faults += [f"{choice!r} was not chosen" for choice in self._not_chosen(lower)]
        for group, places in zip(groups, named, strict=True):
            if places:
                faults += [
                    f"{value!r} is said of something else" for value in self._of_others(lower, sentences, group, places)
                ]
        return faults

    # -- what nobody told ------------------------------------------------------------------------------------------------

    def _invented(self, text: str) -> Iterator[str]:
        """Yield names of which no word was told, and quotes that are told ones but for a word."""
        for match in _NAME.finditer(text):
            words = [one.lower() for one in match.groups()]
            if _CAPITALISED.isdisjoint(words) and not any(self._is_told(word) for word in words):
                yield match[0]
        for match in _QUOTED.finditer(text):
            words = [one.lower() for one in _WORDS.findall(match[1])]
            if len(words) >= _FEWEST_WORDS and self._is_nearly_told(words):
                yield match[0]

    def _is_nearly_told(self, words: list[str]) -> bool:
        """Whether a told text has all of these words in this order but one, which is another one there."""
        text = " ".join(words)
        told = [self._as_words(one) for one in (*self._said, *self._found)]
        if any(text in one for one in told):
            return False
        first, last = " ".join(words[:-1]), " ".join(words[1:])
        if any(first in one or last in one for one in told):
            return True
        inner = [
            re.compile(rf"{re.escape(' '.join(words[:at]))} \w\S* {re.escape(' '.join(words[at + 1 :]))}")
            for at in range(1, len(words) - 1)
        ]
        return any(pattern.search(one) for one in told for pattern in inner)

    def _as_words(self, told: str) -> str:
        if told not in self._read:
            self._read[told] = " ".join(_WORDS.findall(told.lower()))
        return self._read[told]

    def _is_told(self, word: str, besides: Sequence[str] = (), *, schemas: bool = True) -> bool:
        """Whether anything told, besides some results, holds a word."""
        told = [*self._said, *[one for one in self._found if one not in besides]]
        if any(word in one.lower().replace("_", " ") for one in told):
            return True
        return schemas and any(word in str(tool).lower().replace("_", " ") for tool in self._tools.values())

    # -- what is another thing's -----------------------------------------------------------------------------------------

    def _of_others(self, lower: str, sentences: Sentences, group: Group, places: list[Place]) -> Iterator[str]:
        """Yield values that stand beside things of which others have them."""
        for value in {value for record in group.records for value in record.texts().values()}:
            if value not in lower or any(value in name for record in group.records for name in record.names):
                continue
            for spot in word_places(lower, value):
                span = sentences.around(spot[0])
                inside = [place for place in places if span[0] <= place[0] < span[1]]
                if any(at <= spot[0] < end for at, end, _ in inside):
                    continue
                owner = _owner(lower, spot, inside, span)
                if owner is not None:
                    records, sure = [group.records[owner]], True
                else:
                    near = [one for one in inside if _is_near(one, spot) or _LINE.match(lower, span[0])]
                    records, sure = [group.records[which] for _, _, which in near], False
                    if OF_OTHERS.search(lower, *span):
                        continue
                if records and self._is_none_of(value, records, group, sure=sure):
                    yield value

    def _is_none_of(self, value: str, records: list[Record], group: Group, *, sure: bool) -> bool:
        """Whether things have other values where another one of their group has this one, and nothing else has it.

        Args:
            value: The value, in small letters.
            records: The things.
            group: Their group.
            sure: Whether the value is said of nothing but them.
        """
        keys = {key for record in group.records for key, one in record.texts().items() if one == value}
        if any(record.mentions(value) or keys.isdisjoint(record.texts()) for record in records):
            return False
        if not sure:
            return not self._is_told(value, besides=group.results)
        names = [name for record in records for name in record.names]
        told = {one: one.lower().replace("_", " ") for one in (*self._said, *self._found) if one not in group.results}
        together = [one for one, read in told.items() if value in read and any(name in read for name in names)]
        return all(self._are_apart(value, names, one) for one in together)

    def _are_apart(self, value: str, names: list[str], result: str) -> bool:
        """Whether a result that has a value and a thing has them in different elements of a list."""
        listed = [record for group in self._groups if group.results == [result] for record in group.records]
        own = [record for record in listed if any(record.mentions(name) for name in names)]
        return bool(own) and not any(record.mentions(value) for record in own)

    # -- what was chosen -------------------------------------------------------------------------------------------------

    def _not_chosen(self, lower: str) -> Iterator[str]:
        """Yield choices that a text tells in place of those that calls were made with."""
        for name, arguments in self._made:
            properties = (self._tools[name].parameters or {}).get("properties", {}) if name in self._tools else {}
            for key, value in arguments.items():
                choices = properties.get(key, {}).get("enum", ()) if isinstance(value, str) else ()
                if not choices or value.lower().replace("_", " ") in lower:
                    continue
                for other in choices:
                    words = str(other).lower().replace("_", " ")
                    if words in lower and _is_chosen(lower, key, words) and not self._is_told(words, schemas=False):
                        yield words


def _is_chosen(lower: str, key: str, words: str) -> bool:
    """Whether a text tells a choice as such: "high priority", "set to done", "as editor"."""
    name = "|".join(map(re.escape, name_as_words(key).split()))
    choice = rf"(?<!\w){re.escape(words)}(?!\w)"
    said = rf"\b(?:as(?: an?)?|set to|marked(?: as)?|by|(?:{name})(?: is| to|:)?) {choice}|{choice} (?:{name})\b"
    return len(words) >= _SHORTEST and _OPEN.search(lower) is None and re.search(said, lower) is not None


def _owner(lower: str, spot: tuple[int, int], places: list[Place], span: tuple[int, int]) -> int | None:
    """Return the thing that a value is said of for sure: in brackets behind it, as what it is, or in its line."""
    at, end = spot
    if _ENDS.match(lower, end) is None:
        return None
    behind = [place for place in places if place[1] <= at]
    if behind and _DIRECT.fullmatch(lower, behind[-1][1], at):
        return behind[-1][2]
    things = {which for _, _, which in places}
    begins = _BEGINS.search(lower, max(0, at - 4), at)
    return things.pop() if len(things) == 1 and begins and _LINE.match(lower, span[0]) else None


def _is_near(place: Place, spot: tuple[int, int]) -> bool:
    return 0 <= place[0] - spot[1] < _NEAR_BY or 0 <= spot[0] - place[1] < _NEAR_BY
