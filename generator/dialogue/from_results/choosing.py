"""How the elements of a list are told apart in words: "one on 8 April", "the second one", "the flight at 9:40".

Data and small functions that both the wording and the proof use: which fields tell the elements apart, and what stands
around their values.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.connectives import Frame
from generator.core.pointers import escape, schema_at, split
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import ToolSpec, name_as_words
from generator.core.yaml_values import own_data

_TABLES: dict[str, Any] = {
    key: tuple(value) if isinstance(value, list) else value for key, value in own_data(__file__).items()
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""Ordinal words for places in a list."""
MOST_CHOICES = 5
"""The most elements that are listed for the user to choose from."""
_AGAIN = tuple([(frozenset(entry["names"]), tuple(entry["say"])) for entry in _TABLES["again"]])
"""Words in names of arguments → what their values are called when they are valid again: "in the same city"."""


class Way(msgspec.Struct, frozen=True, gc=False):
    """A field that tells the elements of a list apart, and how its value is said."""

    field: str
    """The pointer (without its first slash) within an element."""
    before: str
    """The text before the value after "one"; empty for a name."""
    verbalizer: str | None = None
    """The verbalizer that the tool's phrases use for it."""


def noun_in_key(pointer: str) -> str:
    """Return the kind of thing that a key of this name belongs to: `order_id` gives "order"; an empty text when the name does not tell."""
    words = name_as_words((split(pointer) or ("",))[-1]).split()
    while words and words[-1] in _TABLES["keys"]:
        words.pop()
    return " ".join(words) if words and all(word.isalpha() and word.isascii() for word in words) else ""


class References:
    """The words that refer to a thing without naming it.

    Args:
        tables: The lists of `choosing.yaml`.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._pronouns: dict[str, str] = {kind: word for word, kinds in tables["pronouns"].items() for kind in kinds}
        self.pronouns = frozenset(tables["pronouns"])
        self.picks: dict[str, str] = tables["picks"]
        """Words for an element that fit any list, by the pick."""

    def pronoun_of(self, noun: str) -> str:
        """Return the word for one thing of a kind that has just been spoken of: "them" for a person or a company."""
        return self._pronouns.get(noun.rpartition(" ")[2]) or self._pronouns[""]


REFERENCES = References(_TABLES)


def that_thing(noun: str) -> tuple[str, ...]:
    """Return words for the only thing of a kind, some turns after it was mentioned."""
    return tuple([text.format(noun) for text in _TABLES["that"]]) if noun else ()


def same_again(slot: str) -> tuple[str, ...]:
    """Return words for an argument that has the same value as some turns ago: "the same day"; none for most arguments."""
    last = (name_as_words(slot).split() or [""])[-1]
    return tuple([f"the same {noun}" for names, nouns in _AGAIN if last in names for noun in nouns])


def may_mean(words: str, slot: str, schema: dict[str, Any]) -> bool:
    """Whether words such as "the same day" could refer to the value of an argument."""
    if words in same_again(slot):
        return True
    noun, last = words.removeprefix("the same "), (name_as_words(slot).split() or [""])[-1]
    if noun in ("day", "date"):
        return schema.get("format") == "date"
    return any(noun in nouns and last in names for nouns, names in _ALSO)


_ALSO = tuple([(frozenset(entry["names"]), frozenset(entry["also"])) for entry in _TABLES["also"]])
"""What words could also refer to: "the same city" after a request for what is near a castle."""


def by_place(place: int) -> str:
    """Return the pick for the element at this place of a list, counted from 0."""
    return f"nth {place + 1}"


def frames_of(way: Way, noun: str = "") -> tuple[Frame, ...]:
    """Return the texts around a value with which the user chooses: "the one at 9:40", "the 9:40 flight", or the name alone."""
    things = ("one", *([noun] if noun else ()))
    if not way.before:
        return (("", ""),) if not noun else (("the ", f" {noun}"),)
    ways = [(f"the {thing} {way.before}", "") for thing in things]
    if way.before in _SHORT:
        ways += [("the ", f" {thing}") for thing in things]
    return (
        tuple(ways)
        if not noun
        else tuple([(before, after) for before, after in ways if f"{before}{after}".find(noun) >= 0])
    )


_SHORT = {"at ", "in "}
"""What may be left out: "the 9:40 one"."""


def placed(place: int, number: int, noun: str = "") -> tuple[str, ...]:
    """Return words for the element at a place of a list of `number`: "the second one"; with a noun "the second flight".

    "The last one" alone could be the latest as well, which is often the first of a list.
    """
    thing = noun or "one"
    found = [f"the {ORDINALS[place]} {thing}"] if place < len(ORDINALS) else []
    if place == number - 1 > 1:
        found.append(f"the last {thing} on the list")
    return tuple(found)


def place_said(words: str, number: int, noun: str = "") -> int | None:
    """Return the place that such words name in a list of `number` elements, or None."""
    return next((place for place in range(number) if words in placed(place, number, noun)), None)


def ways(spec: ToolSpec, list_slot: str, key: str) -> tuple[Way, ...]:
    """Return the fields that tell the elements of a list in a tool's result apart, best first.

    Args:
        spec: The tool.
        list_slot: Pointer (without its first slash) to the list.
        key: Pointer within an element to the key by which tools name it, of which people speak only if there is nothing else.
    """
    element = schema_at(spec.returns, f"{list_slot}/*") or {}
    hints = dict(_hints(spec, list_slot))
    found: list[tuple[int, Way]] = []
    for name, schema in element.get("properties", {}).items():
        field = escape(name)
        if isinstance(schema, dict) and field != key:
            found += [
                (rank, Way(field, before, hints.get(field)))
                for rank, before in _said(name_as_words(name), schema, field in hints)
            ]
    found.sort(key=lambda pair: pair[0])
    best = tuple([way for rank, way in found if rank < _LAST])
    return (
        best
        or tuple([way for _, way in found])
        or ((Way(key, ""),) if "/" not in key and key in element.get("properties", {}) else ())
    )


def told_fields(spec: ToolSpec, list_slot: str) -> frozenset[str]:
    """Return the fields of a list's elements that every answer about the list reports."""
    told = [
        {
            segment.slot
            for segment in parse_template(text, "result").segments
            if isinstance(segment, Slot) and segment.of == "result"
        }
        for text in spec.phrases.each.get(list_slot, ())
    ]
    return frozenset(set.intersection(*told)) if told else frozenset()


def way_of(spec: ToolSpec, list_slot: str, field: str, key: str) -> Way | None:
    """Return how to tell elements apart by this field; None when the field is not one of `ways`."""
    return next((way for way in ways(spec, list_slot, key) if way.field == field), None)


def _hints(spec: ToolSpec, list_slot: str) -> Iterator[tuple[str, str | None]]:
    """Yield the fields of an element that the tool's phrases say, and their verbalizers."""
    for text in spec.phrases.each.get(list_slot, ()):
        for segment in parse_template(text, "result").segments:
            if isinstance(segment, Slot) and segment.of == "result" and not segment.count:
                yield segment.slot, segment.verbalizer


_PREPOSITIONS = tuple([(frozenset(names), f"{word} ") for word, names in _TABLES["prepositions"].items()])
_LAST = 8
"""From this rank on, a field is used only for lists that have no better one."""


def _said(name: str, schema: dict[str, Any], is_told: bool) -> Iterator[tuple[int, str]]:
    """Yield the rank of a field and the text before its value, if it can tell things apart."""
    words = name.split()
    last, first = (words[-1], words[0]) if words else ("", "")
    kind = schema.get("type")
    if kind == "string" and (schema.get("format") == "date" or last == "on"):
        yield from _of_a_day(name, words)
    elif kind == "string" and last == "time" and len(words) <= 2:
        yield from [(2, before) for start, before in _TIMES if first == start]
    elif kind == "string" and schema.keys().isdisjoint({"enum", "format", "pattern"}):
        yield from _of_text(name, words)
    elif kind == "string" and last == "at" and len(words) == 2:
        yield 4, f"{first} on "
    elif kind in ("number", "integer") and last in _TABLES["money"] and is_told:
        yield 6, "for "
    if kind in ("string", "number", "integer") and words and last not in _TABLES["keys"] and len(words) <= 2:
        yield _LAST, f"with {name} "


_TIMES = (("time", "at "), ("start", "at "), ("departure", "leaving at "), ("arrival", "arriving at "))


def _of_text(name: str, words: list[str]) -> Iterator[tuple[int, str]]:
    last = words[-1] if words else ""
    if last in _TABLES["names"] and len(words) == 1:
        yield 0, ""
    if last == "by" and len(words) == 2:
        yield 3, f"{name} "
    yield from [(3, before) for names, before in _PREPOSITIONS if last in names]


def _of_a_day(name: str, words: list[str]) -> Iterator[tuple[int, str]]:
    if name in ("date", "day"):
        yield 1, "on "
    elif words[-1] == "on" and len(words) == 2:
        yield 4, f"{name} "
    elif words[0] == "last" and len(words) == 2:
        yield 5, f"{name} on "
    elif words[0] in ("due", "start", "end") and len(words) == 2:
        yield 2, {"due": "due on ", "start": "starting on ", "end": "ending on "}[words[0]]
