"""How the elements of a list are told apart in words: "the one on 8 April", "the second one".

Data and small functions that both the wording and the proof use: which fields tell the elements apart, and what stands
around their values.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import orjson

from generator.core.connectives import Frame
from generator.core.errors import CannotFillError
from generator.core.pointers import escape, expand, resolve, schema_at, split
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import Pick, ToolSpec, name_as_words, once_per_tool
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
    """The words that refer to a thing without naming it."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self._pronouns: dict[str, str] = {kind: word for word, kinds in tables["pronouns"].items() for kind in kinds}
        self.pronouns = frozenset(tables["pronouns"])
        self.picks: dict[str, str] = tables["picks"]
        """Words for an element that fit any list, by the pick."""

    def pronoun_of(self, noun: str) -> str:
        """Return the word for one thing of a kind that has just been spoken of: "them" for a person or a company."""
        return self._pronouns.get(noun.rpartition(" ")[2]) or self._pronouns[""]


REFERENCES = References(_TABLES)


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


def frames_of(way: Way) -> tuple[Frame, ...]:
    """Return the texts around a value with which the user chooses: "the one at 9:40", "the 9:40 one", or the name alone."""
    if not way.before:
        return (("", ""),)
    return ((f"the one {way.before}", ""), *((("the ", " one"),) if way.before in _SHORT else ()))


_SHORT = {"at ", "in "}
"""What may be left out: "the 9:40 one"."""


def placed(place: int, number: int) -> tuple[str, ...]:
    """Return words for the element at a place of a list of `number`: "the second one".

    "The last one" alone could be the latest as well, which is often the first of a list.
    """
    found = [f"the {ORDINALS[place]} one"] if place < len(ORDINALS) else []
    if place == number - 1 > 1:
        found.append("the last one on the list")
    return tuple(found)


def place_said(words: str, number: int) -> int | None:
    """Return the place that such words name in a list of `number` elements, or None."""
    return next((place for place in range(number) if words in placed(place, number)), None)


def ways(spec: ToolSpec, list_slot: str, key: str) -> tuple[Way, ...]:
    """Return the fields that tell the elements of a list in a tool's result apart, best first.

    Args:
        spec: The tool.
        list_slot: Pointer (without its first slash) to the list.
        key: Pointer within an element to the key by which tools name it, of which people speak only if there is nothing else.
    """
    element = schema_at(spec.returns, f"{list_slot}/*") or {}
    hints = dict(_hints(spec, list_slot))
    ranked: list[tuple[int, Way]] = []
    for name, schema in element.get("properties", {}).items():
        field = escape(name)
        if isinstance(schema, dict) and field != key:
            ranked += [
                (rank, Way(field, before, hints.get(field)))
                for rank, before in _ranked_ways(name_as_words(name), schema, field in hints)
            ]
    ranked.sort(key=lambda pair: pair[0])
    best = tuple([way for rank, way in ranked if rank < _LAST])
    return (
        best
        or tuple([way for _, way in ranked])
        or ((Way(key, ""),) if "/" not in key and key in element.get("properties", {}) else ())
    )


def told_fields(spec: ToolSpec, list_slot: str) -> frozenset[str]:
    """Return the fields of a list's elements that every answer about the list reports."""
    fields_by_answer = [
        {
            segment.slot
            for segment in parse_template(text, "result").segments
            if isinstance(segment, Slot) and segment.of == "result"
        }
        for text in spec.phrases.each.get(list_slot, ())
    ]
    return frozenset(set.intersection(*fields_by_answer)) if fields_by_answer else frozenset()


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


def _ranked_ways(name: str, schema: dict[str, Any], is_told: bool) -> Iterator[tuple[int, str]]:
    """Yield the rank of a field and the text before its value, if it can tell things apart."""
    words = name.split()
    last_word, first_word = (words[-1], words[0]) if words else ("", "")
    schema_type = schema.get("type")
    if schema_type == "string" and (schema.get("format") == "date" or last_word == "on"):
        yield from _ways_by_day(name, words)
    elif schema_type == "string" and last_word == "time" and len(words) <= 2:
        yield from [(2, before) for start, before in _TIMES if first_word == start]
    elif schema_type == "string" and schema.keys().isdisjoint({"enum", "format", "pattern"}):
        yield from _ways_by_text(name, words)
    elif schema_type == "string" and last_word == "at" and len(words) == 2:
        yield 4, f"{first_word} on "
    elif schema_type in ("number", "integer") and last_word in _TABLES["money"] and is_told:
        yield 6, "for "
    if (
        schema_type in ("string", "number", "integer")
        and words
        and last_word not in _TABLES["keys"]
        and len(words) <= 2
    ):
        yield _LAST, f"with {name} "


_TIMES = (("time", "at "), ("start", "at "), ("departure", "leaving at "), ("arrival", "arriving at "))


def _ways_by_text(name: str, words: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the rank of a text field, and what stands before its value ("by "), if it can tell things apart."""
    last = words[-1] if words else ""
    if last in _TABLES["names"] and len(words) == 1:
        yield 0, ""
    if last == "by" and len(words) == 2:
        yield 3, f"{name} "
    yield from [(3, before) for names, before in _PREPOSITIONS if last in names]


def _ways_by_day(name: str, words: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the same for a field that holds a day."""
    if name in ("date", "day"):
        yield 1, "on "
    elif words[-1] == "on" and len(words) == 2:
        yield 4, f"{name} "
    elif words[0] == "last" and len(words) == 2:
        yield 5, f"{name} on "
    elif words[0] in ("due", "start", "end") and len(words) == 2:
        yield 2, {"due": "due on ", "start": "starting on ", "end": "ending on "}[words[0]]


# --- elements that are singled out ---


def single_out(result: Any, pattern: str, picks: Sequence[Pick]) -> tuple[str, Pick | None]:
    """Return the pointer to the element of a list that the first workable pick singles out, and that pick.

    Raises:
        CannotFillError: when no pick names exactly one element.
    """
    pointers = expand(result, pattern)
    if not pointers:
        raise CannotFillError(f"the result has no {pattern}")
    if not picks:
        return pointers[0], None
    for pick in picks:
        pointer = "/" + pattern.replace("*", str(_place_picked(pick, result, pattern)), 1)
        if pointer in pointers:  # the element may lack the field
            return pointer, pick
    raise CannotFillError("no element of the list stands out")


def by_value(element: Any, field: str) -> str:
    """Return the pick for the element that has this value in a field."""
    return f"is {field} {orjson.dumps(resolve(element, field)).decode()}"


def _place_picked(pick: Pick, result: Any, pattern: str) -> int | None:
    """Return the place of the only element that a pick names; None where it names none, or several."""
    elements = resolve(result, pattern.partition("/*")[0])
    if pick.by in {"first", "last"}:
        return 0 if pick.by == "first" else len(elements) - 1
    if pick.by == "only":
        return 0 if len(elements) == 1 else None
    extreme, _, field = pick.by.partition(" ")
    if extreme == "nth":
        return int(field) - 1
    try:
        if extreme == "is":
            return _place_of_value(elements, *field.split(" ", 1))
        values = [resolve(element, field) for element in elements]
        best = min(values) if extreme == "min" else max(values)
    except (LookupError, TypeError):  # an element lacks the field, or holds null there
        return None
    return values.index(best) if values.count(best) == 1 and len(values) > 1 else None


def _place_of_value(elements: list[Any], field: str, value: str) -> int | None:
    """Return the only element that has a value (as JSON) in a field."""
    found = [place for place, element in enumerate(elements) if by_value(element, field) == f"is {field} {value}"]
    return found[0] if len(found) == 1 else None


# --- what a look-up's result is taken for ---


def on_another_day(asked: Sequence[tuple[ToolSpec, dict[str, Any]]], today: str) -> bool:
    """Whether what is done at once is asked for together with something of another day than today, which could be heard of both."""
    if not any(map(acts_at_once, [spec for spec, _ in asked])):
        return False
    return any(said[name] not in ("today", today) for spec, said in asked for name in days_of(spec) if name in said)


@once_per_tool
def days_of(spec: ToolSpec) -> frozenset[str]:
    """Return the names of a tool's arguments that are days."""
    return frozenset(
        [name for name, schema in spec.properties.items() if may_mean("the same day", escape(name), schema)]
    )


@once_per_tool
def acts_at_once(spec: ToolSpec) -> bool:
    """Whether a tool changes things that have no day of their own, and cannot be told one: blinds, but no event of a calendar."""
    effect = spec.effect
    if effect is None or effect.kind not in ("update", "act") or effect.entity not in spec.declared.entities:
        return False
    fields = spec.declared.entities[effect.entity].fields
    return not days_of(spec) and not any(may_mean("the same day", field, schema) for field, schema in fields.items())


def without_lost(arguments: dict[str, Any], then: ToolSpec, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a look-up without what is lost in a call that takes its result.

    These are elements of lists that the later tool has to be told anew (hotels with breakfast, and a room that is booked without), and
    the number of those of whom it takes one (flights for five passengers, and a ticket for one).
    """
    kept_arguments: dict[str, Any] = {}
    for name, value in arguments.items():
        if type(value) is list:
            kept_elements = [
                element for element in value if given.get(str(element)) is True or not _is_told_again(element, then)
            ]
            kept_arguments |= {name: kept_elements} if kept_elements or not value else {}
        elif type(value) is not int or value < 2 or not _is_for_one(name, then):
            kept_arguments[name] = value
    return kept_arguments


def _is_told_again(value: Any, then: ToolSpec) -> bool:
    """Whether a tool has an argument for what an element of an earlier list names."""
    schema = then.properties.get(value) if type(value) is str else None
    return isinstance(schema, dict) and schema.get("type") == "boolean"


def _is_for_one(name: str, then: ToolSpec) -> bool:
    """Whether a tool takes one of those whom an earlier argument counts."""
    singular = name.removesuffix("s")
    return (
        singular != name
        and name not in then.properties
        and not {singular, f"{singular}_name"}.isdisjoint(then.properties)
    )
