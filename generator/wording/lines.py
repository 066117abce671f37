"""Templates compiled for speed: a line is a list of texts and of small functions that say one slot each."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.pointers import escape
from generator.templates import Plural, Segment, Slot, Template
from generator.wording.coordination import separators
from generator.wording.pieces import Pieces, Said
from generator.wording.sayers import Of, Sayer, Speech, chain, leaf_sayer
from generator.wording.slots import SlotWording, Wordings
from generator.wording.verbalizers import VERBALIZERS

Values = dict[str, tuple[str, Any]]
"""Slot → (JSON pointer, value) of what there is to say; slots of arguments in an answer begin with `args.`."""


class Reference(msgspec.Struct, frozen=True):
    """Words that stand for a value which an earlier result holds: "the cheapest one"."""

    text: str


class Several(msgspec.Struct, frozen=True):
    """One slot's values in several calls."""

    values: list[tuple[str, Any]]
    """(call id, value) pairs."""


class Line(msgspec.Struct, frozen=True):
    """A template ready to be filled."""

    template: Template
    places: tuple[tuple[str, str, Sayer, bool], ...]
    """(text before it, slot, what says its value, whether that is to say words that stand in for the value too)."""
    after: str
    """The text after the last place."""
    needs: frozenset[str]
    """Slots that must have values."""
    says: frozenset[str]
    """Slots whose values it says."""
    is_sentence: bool
    """Whether it stands alone."""


def fill(line: Line, values: Values, speech: Speech) -> Pieces:
    """The line with its slots said."""
    pieces: Pieces = []
    add(line, values, speech, pieces)
    return pieces


def add(line: Line, values: Values, speech: Speech, pieces: Pieces) -> None:
    """Add the line with its slots said to the pieces."""
    for before, slot, say, knows_stand_ins in line.places:
        if before:
            pieces.append(before)
        pointer, value = values[slot]
        if type(value) not in _STAND_INS or knows_stand_ins:
            say(pointer, value, speech, pieces)
        else:
            _stand_in(pointer, value, say, speech, pieces)
    if line.after:
        pieces.append(line.after)


_STAND_INS = frozenset({Reference, Several})


def _stand_in(pointer: str, value: Any, say: Sayer, speech: Speech, pieces: Pieces) -> None:
    """What is said instead of a value, or the values of several calls one after the other."""
    if type(value) is Reference:
        pieces.append(Said(value.text, "reference", speech.calls, pointer))
        return
    between = separators(len(value.values))
    for index, (call, one) in enumerate(value.values):
        say(pointer, one, Speech(speech.draw, speech.voice, (call,)), pieces)
        pieces += between[index : index + 1]


def compile_line(template: Template, wordings: Wordings, arguments: Wordings | None = None) -> Line:
    """Compile a template; `arguments` are the wordings of `{args.…}` slots, in answers."""
    segments = template.segments
    places: list[tuple[str, str, Sayer, bool]] = []
    before = ""
    for index, segment in enumerate(segments):
        if isinstance(segment, str):
            before += segment
        else:
            places.append((before, *_place(segments, index, wordings, arguments)))
            before = ""
    needs = template.needs
    if arguments is not None:
        needs = needs | {f"args.{slot}" for slot in template.arguments}
    return Line(template, tuple(places), before, needs, template.says, template.is_sentence)


def _place(
    segments: tuple[Segment, ...], index: int, wordings: Wordings, arguments: Wordings | None
) -> tuple[str, Sayer, bool]:
    segment = segments[index]
    assert not isinstance(segment, str)
    of_arguments = arguments is not None and segment.of == "arguments"
    key = f"args.{segment.slot}" if of_arguments else segment.slot
    if isinstance(segment, Plural):
        return key, _plural(segment), True
    of: Of = segment.of
    if segment.count:
        return key, _count(), True
    wording = (arguments or {}).get(segment.slot) if of_arguments else wordings.get(segment.slot)
    alone = _stands_alone(segments, index)
    return key, sayer(wording, arguments if of_arguments and arguments else wordings, of, segment, alone), False


def _stands_alone(segments: tuple[Segment, ...], index: int) -> bool:
    """Words stand on both sides, so a number may be a word too ("$two" may not)."""
    before = segments[index - 1] if index else " "
    after = segments[index + 1] if index + 1 < len(segments) else " "
    return isinstance(before, str) and before.endswith(" ") and isinstance(after, str) and after[:1] in " ,.;:?!"


def _plural(segment: Plural) -> Sayer:
    one, many, count = segment.one, segment.many, segment.count

    def say_words(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        pieces.append(one if (len(value) if count else value) in (1, 1.0) else many)

    return say_words


def _count() -> Sayer:
    say = VERBALIZERS["count"].say

    def say_length(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        text = say(len(value), speech.voice) or str(len(value))
        pieces.append(Said(text, "count", speech.calls, pointer, "result"))

    return say_length


def sayer(
    wording: SlotWording | None, wordings: Wordings, of: Of, segment: Slot | None = None, alone: bool = False
) -> Sayer:
    """The function that says the values of a slot."""
    if wording is None:
        return chain(("json",), of)
    leaf = leaf_sayer(wording, of, segment.verbalizer if segment else None, alone)
    if wording.shape not in {"list", "objects"}:
        return leaf
    say_element = _element(wording, wordings, of)
    whole = chain(("json",), of)

    def say(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        if type(value) is not list or not value:
            leaf(pointer, value, speech, pieces)
            return
        between = separators(len(value))
        which = speech.draw.rand()  # all elements are said in the same way
        before = len(pieces)
        for index, element in enumerate(value):
            if index:
                pieces.append(between[index - 1])
            if not say_element(f"{pointer}/{index}", element, speech, which, pieces):
                del pieces[before:]
                whole(pointer, value, speech, pieces)
                return

    return say


SayElement = Callable[[str, Any, Speech, float, Pieces], bool]
"""(pointer, element, speech, which way, pieces) → whether there was a way to say it."""


def _element(wording: SlotWording, wordings: Wordings, of: Of) -> SayElement:
    """Say one element of a list; False when no phrase covers what it holds."""
    if not wording.elements:
        leaf = leaf_sayer(wordings.get(wording.slot + "/*", wording), of, None, False)

        def say_leaf(pointer: str, element: Any, speech: Speech, which: float, pieces: Pieces) -> bool:
            leaf(pointer, element, speech, pieces)
            return True

        return say_leaf
    prefix = wording.slot + "/*/" if of == "arguments" else ""
    scope = wordings if of == "arguments" else _scoped(wordings, wording.slot)
    lines = [compile_line(template, scope) for template in wording.elements]

    return _flat_element(lines, prefix, _any_element(lines, prefix))


def _any_element(lines: list[Line], prefix: str) -> SayElement:
    def say(pointer: str, element: Any, speech: Speech, which: float, pieces: Pieces) -> bool:
        values = _values_of(element, pointer, prefix)
        fitting = _fitting_lines(lines, values, prefix)
        if fitting:
            add(fitting[int(which * len(fitting))], values, speech, pieces)
        return bool(fitting)

    return say


def _flat_element(lines: list[Line], prefix: str, say_any: SayElement) -> SayElement:
    """The same, quicker for objects without objects in them.

    Which lines fit then depends on the keys alone, and most elements of a tool have the same keys. Only those fields
    are looked at that the line needs.
    """
    known: dict[tuple[str, ...], list[tuple[Line, Fields]]] = {}

    def say(pointer: str, element: Any, speech: Speech, which: float, pieces: Pieces) -> bool:
        if type(element) is not dict or dict in map(type, element.values()):
            return say_any(pointer, element, speech, which, pieces)
        keys = tuple(element)
        fitting = known.get(keys)
        if fitting is None:
            found = _fitting_lines(lines, _values_of(element, pointer, prefix), prefix)
            fitting = [(line, _fields(line, keys, prefix)) for line in found]
            if len(known) < _MOST_KNOWN:
                known[keys] = fitting
        if fitting:
            line, fields = fitting[int(which * len(fitting))]
            values: Values = {".": (pointer, element)}
            for slot, place, key in fields:
                values[slot] = (pointer + place, element[key])
            add(line, values, speech, pieces)
        return bool(fitting)

    return say


Fields = tuple[tuple[str, str, str], ...]
"""(slot, what its pointer adds to that of the element, key) of the fields of an element that a line needs."""
_MOST_KNOWN = 1024


def _fields(line: Line, keys: tuple[str, ...], prefix: str) -> Fields:
    return tuple((prefix + key, "/" + escape(key), key) for key in keys if prefix + key in line.needs)


def _values_of(element: Any, pointer: str, prefix: str) -> Values:
    values: Values = {".": (pointer, element)}
    if type(element) is dict:
        _collect_fields(element, pointer, prefix, values)
    elif prefix:
        values[prefix.removesuffix("/")] = (pointer, element)
    return values


def _fitting_lines(lines: list[Line], values: Values, prefix: str) -> list[Line]:
    fitting = [line for line in lines if line.needs <= values.keys()]
    if prefix:  # the user must say everything there is, the assistant need not
        fitting = [line for line in fitting if values.keys() - line.says == {"."}]
    return fitting


def _collect_fields(element: dict[str, Any], pointer: str, prefix: str, values: Values) -> None:
    for key, part in element.items():
        place = f"{pointer}/{escape(key)}"
        if type(part) is dict and part:
            _collect_fields(part, place, f"{prefix}{key}/", values)
        else:
            values[prefix + key] = (place, part)


def _scoped(wordings: Wordings, slot: str) -> Wordings:
    """The wordings of a list's elements under the names that `each` templates use."""
    prefix = slot + "/*/"
    scope = {name.removeprefix(prefix): wording for name, wording in wordings.items() if name.startswith(prefix)}
    if slot + "/*" in wordings:
        scope["."] = wordings[slot + "/*"]
    return scope


def joined(parts: list[Pieces], last: str = "and") -> Pieces:
    """`a, b and c`."""
    between = separators(len(parts), last=last)
    pieces: Pieces = []
    for index, part in enumerate(parts):
        pieces += part
        if index < len(between):
            pieces.append(between[index])
    return pieces
