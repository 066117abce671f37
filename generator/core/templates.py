"""The little language of phrases: `find flights to {city} for {nights} {nights?night|nights}`.

A template is parsed once, when a tool spec is loaded, into text and slots.
"""

import re
from functools import cache, cached_property
from typing import Literal

import msgspec

from generator.core.yaml_values import own_data

Root = Literal["arguments", "result"]


class Slot(msgspec.Struct, frozen=True):
    """A place for a value."""

    slot: str
    """Where the value is: `city`, `items/*/price`; `.` is the whole value."""
    of: Root
    verbalizer: str | None = None
    count: bool = False
    """Say the length of the list, not the list."""
    also: str = ""
    """Where the second value is, of two that are said as one, `{latitude, longitude:place}`; of `{price:money}` the currency."""


class Plural(msgspec.Struct, frozen=True):
    """Words that depend on a number said elsewhere."""

    slot: str
    of: Root
    one: str
    many: str
    count: bool = False


Segment = str | Slot | Plural
OF_TWO = frozenset({"place", "where"})
"""Verbalizers that say two values as one: a latitude and a longitude as "Lisbon", or as "in Lisbon"."""
MONEY, CURRENCY = "money", "currency"
"""The verbalizer of an amount in the currency that its result has, and the field beside it that holds the currency's code."""


class Template(msgspec.Struct, frozen=True, dict=True):
    """A parsed phrase."""

    text: str
    segments: tuple[Segment, ...]
    says: frozenset[str]
    """Slots of the default root whose values the phrase says."""
    needs: frozenset[str]
    """Slots of the default root that must have a value: those it says, and those its plurals look at."""
    arguments: frozenset[str]
    """Slots of the arguments (`{args.city}`) that must have a value."""

    @property
    def slots(self) -> int:
        """The number of its slots."""
        return len([segment for segment in self.segments if isinstance(segment, Slot)])

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The slots of each two values that it says as one."""
        slots = [slot for slot in self.segments if isinstance(slot, Slot)]
        return tuple([(slot.slot, slot.also) for slot in slots if slot.verbalizer in OF_TWO])

    @property
    def is_sentence(self) -> bool:
        """Whether the phrase stands alone: it begins with a capital letter or ends with a full stop."""
        return self.text[:1].isupper() or self.text.endswith(".")


_BRACES = re.compile(r"\{([^{}]*)\}")
_INSIDE = re.compile(
    r"(?P<args>args\.)?(?P<slot>[^#:?]+)(?P<count>#)?(?:\?(?P<one>[^|]*)\|(?P<many>.*)|:(?P<verbalizer>\w+))?"
)


@cache
def parse_template(text: str, of: Root = "arguments") -> Template:
    """Parse a phrase; raises ValueError that says what is wrong with it."""
    segments: list[Segment] = []
    position = 0
    for braces in _BRACES.finditer(text):
        _add_text(segments, text[position : braces.start()])
        segments.append(_parse_slot(braces.group(1), of))
        position = braces.end()
    _add_text(segments, text[position:])
    if not text.strip() or text != text.strip():
        raise ValueError("a phrase must not be empty or begin or end with a space")
    slots = [segment for segment in segments if not isinstance(segment, str)]
    return Template(
        text,
        tuple(segments),
        frozenset(slot for place in slots if place.of == of and isinstance(place, Slot) for slot in slots_of(place)),
        frozenset(slot for place in slots if place.of == of for slot in slots_of(place)),
        frozenset(slot for place in slots if place.of == "arguments" for slot in slots_of(place)),
    )


def slots_of(segment: Slot | Plural) -> tuple[str, ...]:
    """Return where the values of a segment are: two of some slots, else one."""
    return (segment.slot, segment.also) if isinstance(segment, Slot) and segment.also else (segment.slot,)


def _add_text(segments: list[Segment], text: str) -> None:
    """Append text between slots to the segments; raises ValueError for a brace or a digit in it."""
    if "{" in text or "}" in text:
        raise ValueError("a brace stands alone")
    if any(map(str.isdigit, text)):
        raise ValueError("a digit stands outside a slot: what a row says must come from its values")
    if text:
        segments.append(text)


def _parse_slot(inside: str, of: Root) -> Slot | Plural:
    """Return the slot, or the words that depend on a number, of what stands in braces: `city`, `nights?night|nights`."""
    match = _INSIDE.fullmatch(inside.strip())
    if match is None:
        raise ValueError(f"{{{inside}}} is not a slot, {{slot:verbalizer}} or {{slot?one|many}}")
    root: Root = "arguments" if match["args"] else of
    slot, count = match["slot"].strip(), bool(match["count"])
    if match["one"] is not None:
        return Plural(slot, root, match["one"], match["many"], count)
    verbalizer = match["verbalizer"]
    if verbalizer == MONEY:
        if root != "result" or count:
            raise ValueError(
                f"{{{inside}}} takes its currency from a result: write {{price:usd}}, {{price:eur}} or {{price:gbp}}"
            )
        return Slot(slot, root, verbalizer, also=beside(slot))
    if verbalizer not in OF_TWO:
        return Slot(slot, root, verbalizer, count)
    first, _, second = map(str.strip, slot.partition(","))
    if not first or not second or count or root != "arguments":
        raise ValueError(
            f"{{{inside}}} does not name the arguments for latitude and longitude, with a comma between them"
        )
    return Slot(first, root, verbalizer, also=second)


def beside(slot: str) -> str:
    """Return the slot, or the pointer, of the currency of an amount."""
    return "".join((*slot.rpartition("/")[:2], CURRENCY))


_LISTENER: dict[str, str] = own_data(__file__)
"""What the user says of themselves, and what the assistant says instead. Longer ones first."""


def in_second_person(template: Template) -> Template:
    """Return what the user says of themselves as the assistant says it to them: "find me a flight" as "find you a flight"."""
    segments = tuple([addressed(segment) if isinstance(segment, str) else segment for segment in template.segments])
    if segments == template.segments:
        return template
    return msgspec.structs.replace(template, text=addressed(template.text), segments=segments)


def addressed(text: str) -> str:
    """Return words that a user says of themselves as the assistant says them to the user: "my order" → "your order"."""
    return _FIRST_PERSON.sub(lambda match: _IN_SECOND_PERSON[match[0].casefold()], text)


_IN_SECOND_PERSON = {one.casefold(): other for one, other in _LISTENER.items()}
_FIRST_PERSON = re.compile(r"\b(?:" + "|".join(_LISTENER) + r")\b", re.IGNORECASE)
