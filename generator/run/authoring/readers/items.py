"""Phrases as readers see them: by themselves, with letters and types in place of values, and what they should be read as."""

import json
import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

import msgspec

from generator.core.pointers import schema_at
from generator.core.templates import Plural, Slot, parse_template
from generator.core.toolbox import ToolSpec, name_as_words
from generator.run.authoring.elements import Element

_SHOWN = 4
_LONGEST_VALUE = 80
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "array": "list",
    "object": "object",
}
_FORMATS = {
    "date": "date",
    "date-time": "date and time",
    "time": "clock time",
    "email": "e-mail address",
    "uri": "address",
}


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One text to be read, and what it was written for."""

    element: Element
    text: str
    kind: str
    """What readers are told that it is: `request`, `answer`, `pick`, `ask`, `values`."""
    slots: tuple[tuple[str, str], ...] = ()
    """(letter, argument or field) pairs; `args.NAME` for an argument in an answer."""
    values: tuple[tuple[str, Any], ...] = ()
    """(argument or field, value) pairs that the words say without a letter."""
    pick: str = ""
    asks: str = ""
    is_part: bool = False
    """Whether it stands behind a request that is read by itself, so that only what it adds is judged."""


def items_of(spec: ToolSpec, elements: Sequence[Element]) -> list[Item]:
    """Return what readers are shown of the elements that somebody wrote: phrases, and a few values of each argument."""
    found = [item for element in elements for item in _items(spec, element)]
    return found + list(_of_values(spec, elements))


def _items(spec: ToolSpec, element: Element) -> Iterator[Item]:
    if element.piece[0] != "phrases" or len(element.piece) < 2:
        return
    key, slot = element.piece[1], element.piece[2] if len(element.piece) > 2 else ""
    text, value = element.text, element.value
    if key in ("request", "question", "want", "follow_up", "found", "can"):
        yield _request(spec, element, _around(spec, key, text), text)
    elif key in ("again", "entry", "several"):
        head = re.sub(r"\{[^{}]*\}", "…", _head(spec, text))  # whose values are those of another call
        yield _request(spec, element, _AROUND[key].format(head, "\x00").split("\x00"), text, is_part=True)
    elif key in ("slots", "synonyms"):
        yield from _of_slot(spec, element, key, slot)
    elif key in ("answer", "each"):
        yield _told(spec, element, slot)
    elif key in ("pick", "best") and isinstance(value, dict):
        yield Item(element=element, text=_PICK.format(text), kind="pick", pick=_pick(str(value.get("by", ""))))
    elif key == "ask":
        yield Item(element=element, text=text, kind="ask", asks=slot)


def _of_slot(spec: ToolSpec, element: Element, key: str, slot: str) -> Iterator[Item]:
    """Yield a frame or clause in a request, or a spoken form of a value."""
    if key == "slots":
        yield _frame(spec, element, slot, element.text)
    elif schema_at(spec.tool.parameters, slot) is not None:
        told = ((slot, _value_of(spec.tool.parameters, slot, element.key)),)
        text = f"“{element.text}”, said of {slot}"
        yield Item(element=element, text=text, kind="request", values=told, is_part=True)


def _told(spec: ToolSpec, element: Element, at: str) -> Item:
    """Return a sentence about a result, or how one element of its list is said."""
    value = element.value
    when = value.get("when", {}) if isinstance(value, dict) else {}
    shown, slots = masked(spec, element.text, "result", f"{at}/*/" if at else "")
    return Item(element=element, text=shown, kind="answer", slots=slots, values=tuple(when.items()), is_part=bool(at))


_FRAMES = {
    "request": "Please {}.",
    "question": "{}?",
    "want": "I need {}.",
    "follow_up": "… and then {}.",
    "found": "Show me {}.",
    "can": "(what the assistant can do) I can {}.",
}
_AROUND = {
    "again": "Please {0}, and also {1}.",
    "entry": "(one line of a list, each for another “{0}”) {1}",
    "several": "(before a list of such requests) Please {1}:",
}
_PICK = "(of the list that the tool gives) {}"


def _request(spec: ToolSpec, element: Element, around: Sequence[str], text: str, *, is_part: bool = False) -> Item:
    shown, slots = masked(spec, text, "arguments")
    before, behind = around
    return Item(element=element, text=f"{before}{shown}{behind}", kind="request", slots=slots, is_part=is_part)


def _around(spec: ToolSpec, key: str, text: str) -> list[str]:
    """Return what stands before and behind a phrase; before what follows a call, what that call has given, which is said as "it"."""
    says = parse_template(text).says
    link = next((link for link in spec.links if key == "follow_up" and link.argument in says), None)
    before, behind = _FRAMES[key].format("\x00").split("\x00")
    if link is None:
        return [before, behind]
    _, slots = masked(spec, text, "arguments")
    letter = next(letter for letter, slot in slots if slot == link.argument)
    return [f"(when {link.tool} has given {link.result.rpartition('/')[2]} [{letter}]) {before}", behind]


def _frame(spec: ToolSpec, element: Element, slot: str, text: str) -> Item:
    """Return a frame or clause behind the shortest request that leaves it to be said."""
    head = _head(spec, "{" + slot)
    joined = f"{head}. {text}" if parse_template(text).is_sentence else f"{head}{'' if text[:1] == ',' else ' '}{text}"
    is_clause = bool(element.key) and element.key != "*"
    shown, slots = masked(spec, joined, "arguments")
    own = parse_template(text).says
    slots = tuple((letter, name) for letter, name in slots if name in own)  # the request before it is not what is read
    told = ((slot, _value_of(spec.tool.parameters, slot, element.key)),) if is_clause else ()
    return Item(element=element, text=f"Please {shown}", kind="request", slots=slots, values=told, is_part=True)


def _head(spec: ToolSpec, without: str) -> str:
    """Return the shortest request that does not hold a slot."""
    heads = [text for text in spec.phrases.request if without not in text]
    return min(heads or spec.phrases.request, key=len, default=spec.name.replace("_", " "))


def _value_of(root: Any, slot: str, key: str) -> Any:
    """Return the value that a key of clauses stands for; keys of JSON are text."""
    choices = [*(schema_at(root, slot) or {}).get("enum", (True, False)), None]
    return next((value for value in choices if key in (str(value), json.dumps(value))), key)


def _pick(by: str) -> str:
    extreme, _, field = by.partition(" ")
    return f"{ {'min': 'least', 'max': 'greatest'}.get(extreme, extreme) } {field}".strip()


def masked(spec: ToolSpec, text: str, of: Any, prefix: str = "") -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a phrase with letters and types for its values, and what each letter stands for."""
    slots: list[str] = []
    shown = ""
    for part in parse_template(text, of).segments:
        if isinstance(part, str):
            shown += part
            continue
        if isinstance(part, Plural):
            shown += part.many
            continue
        assert isinstance(part, Slot)
        is_argument = part.of == "arguments"
        place = part.slot if is_argument else prefix + part.slot
        name = f"args.{part.slot}" if is_argument and of == "result" else part.slot
        name += "#" if part.count else ""
        if name not in slots:
            slots.append(name)
        leaf = schema_at(spec.tool.parameters if is_argument else spec.returns, place)
        what = "number of them" if part.count else _type(leaf, part.verbalizer, part.slot)
        shown += f"[{_letter(slots.index(name))}: {what}]"
    return shown, tuple((_letter(at), name) for at, name in enumerate(slots))


def _letter(at: int) -> str:
    return ascii_uppercase[at % len(ascii_uppercase)]


def _type(leaf: Any, verbalizer: str | None, slot: str) -> str:
    if verbalizer in ("date", "time", "minutes", "seconds", "hours", "percent", "percentage", "ordinal"):
        return {"minutes": "duration", "seconds": "duration", "hours": "duration", "percentage": "percent"}.get(
            verbalizer, verbalizer
        )
    if verbalizer in ("usd", "eur", "gbp", "money", "amount"):
        return "amount of money"
    if not isinstance(leaf, dict):
        return "text"
    if "enum" in leaf:
        return "choice"
    if is_identifier(slot):
        return "ID"
    named = leaf.get("type", "string")
    named = named if isinstance(named, str) else next((one for one in named if one != "null"), "string")
    return _FORMATS.get(str(leaf.get("format")), _TYPES.get(named, "text"))


def is_identifier(slot: str) -> bool:
    """Whether the name of an argument or field is that of an ID."""
    return bool(set(name_as_words(slot.rpartition("/")[2]).split()[-1:]) & _IDS)


_IDS = frozenset({"id", "ids", "identifier", "key", "uuid", "gid", "sha", "slug"})
_VALUES = frozenset({"examples", "kinds", "patterns", "texts"})


def _of_values(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[Item]:
    """Yield one item for each argument whose values somebody gave: some of them as they will come up."""
    from generator.run.trials import values_of

    told: dict[str, Element] = {}
    for element in elements:
        if element.piece[0] in _VALUES and len(element.piece) == 2:
            told.setdefault(element.piece[1], element)
    values = values_of(spec, [*told], _SHOWN) if told else {}
    for slot, element in told.items():
        if values.get(slot):
            shown = "; ".join(str(value)[:_LONGEST_VALUE] for value in values[slot])
            yield Item(element=element, text=f"values for {slot} of {spec.name}: {shown}", kind="values")
