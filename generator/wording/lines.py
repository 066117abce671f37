"""Templates compiled for speed: a line is a list of texts and of small functions that say one slot each."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from generator.pointers import escape
from generator.seeds import Draw
from generator.templates import Plural, Segment, Slot, Template
from generator.wording.coordination import separators
from generator.wording.pieces import Pieces, Said
from generator.wording.slots import SlotWording, Wordings, spoken_name
from generator.wording.verbalizers import FAMILIES, VERBALIZERS
from generator.wording.voice import Voice

Of = Literal["arguments", "result"]
Values = dict[str, tuple[str, Any]]
"""Slot → (JSON pointer, value) of what there is to say; slots of arguments in an answer begin with `args.`."""


class Reference(msgspec.Struct, frozen=True):
    """Words that stand for a value which an earlier result holds: "the cheapest one"."""

    text: str


class Several(msgspec.Struct, frozen=True):
    """One slot's values in several calls."""

    values: list[tuple[str, Any]]
    """(call id, value) pairs."""


class Speech(msgspec.Struct):
    """Who speaks about which calls."""

    draw: Draw
    voice: Voice
    calls: tuple[str, ...]
    """Ids of the calls whose values are said."""
    varied: bool = True
    """People use all forms of an enum value; the assistant uses the first."""


Operation = Callable[[Values, Speech, Pieces], None]
Sayer = Callable[[str, Any, Speech, Pieces], None]
"""(pointer, value, speech, pieces): adds to the pieces what says the value."""


class Line(msgspec.Struct, frozen=True):
    """A template ready to be filled."""

    template: Template
    operations: tuple[str | Operation, ...]
    needs: frozenset[str]
    """Slots that must have values."""

    @property
    def says(self) -> frozenset[str]:
        """Slots whose values it says."""
        return self.template.says


def fill(line: Line, values: Values, speech: Speech) -> Pieces:
    """The line with its slots said."""
    pieces: Pieces = []
    add(line, values, speech, pieces)
    return pieces


def add(line: Line, values: Values, speech: Speech, pieces: Pieces) -> None:
    """Add the line with its slots said to the pieces."""
    for operation in line.operations:
        if isinstance(operation, str):
            pieces.append(operation)
        else:
            operation(values, speech, pieces)


def compile_line(template: Template, wordings: Wordings, arguments: Wordings | None = None) -> Line:
    """Compile a template; `arguments` are the wordings of `{args.…}` slots, in answers."""
    segments = template.segments
    operations = tuple(
        segment if isinstance(segment, str) else _operation(segments, index, wordings, arguments)
        for index, segment in enumerate(segments)
    )
    if arguments is None:
        return Line(template, operations, template.needs)
    return Line(template, operations, template.needs | {f"args.{slot}" for slot in template.arguments})


def _operation(
    segments: tuple[Segment, ...], index: int, wordings: Wordings, arguments: Wordings | None
) -> Operation:
    segment = segments[index]
    assert not isinstance(segment, str)
    of_arguments = arguments is not None and segment.of == "arguments"
    key = f"args.{segment.slot}" if of_arguments else segment.slot
    if isinstance(segment, Plural):
        return _plural(key, segment)
    of: Of = segment.of
    if segment.count:
        return _count(key)
    wording = (arguments or {}).get(segment.slot) if of_arguments else wordings.get(segment.slot)
    alone = _stands_alone(segments, index)
    return _slot(key, sayer(wording, arguments if of_arguments and arguments else wordings, of, segment, alone))


def _stands_alone(segments: tuple[Segment, ...], index: int) -> bool:
    """Words stand on both sides, so a number may be a word too ("$two" may not)."""
    before = segments[index - 1] if index else " "
    after = segments[index + 1] if index + 1 < len(segments) else " "
    return isinstance(before, str) and before.endswith(" ") and isinstance(after, str) and after[:1] in " ,.;:?!"


def _plural(key: str, segment: Plural) -> Operation:
    one, many, count = segment.one, segment.many, segment.count

    def operation(values: Values, speech: Speech, pieces: Pieces) -> None:
        value = values[key][1]
        pieces.append(one if (len(value) if count else value) in (1, 1.0) else many)

    return operation


def _count(key: str) -> Operation:
    say = VERBALIZERS["count"].say

    def operation(values: Values, speech: Speech, pieces: Pieces) -> None:
        pointer, value = values[key]
        text = say(len(value), speech.voice) or str(len(value))
        pieces.append(Said(text, "count", speech.calls, pointer, "result"))

    return operation


def _slot(key: str, say: Sayer) -> Operation:
    def operation(values: Values, speech: Speech, pieces: Pieces) -> None:
        pointer, value = values[key]
        kind = type(value)
        if kind is Reference:
            pieces.append(Said(value.text, "reference", speech.calls, pointer))
        elif kind is Several:
            between = separators(len(value.values))
            for index, (call, one) in enumerate(value.values):
                say(pointer, one, Speech(speech.draw, speech.voice, (call,)), pieces)
                pieces += between[index : index + 1]
        else:
            say(pointer, value, speech, pieces)

    return operation


def sayer(
    wording: SlotWording | None, wordings: Wordings, of: Of, segment: Slot | None = None, alone: bool = False
) -> Sayer:
    """The function that says the values of a slot."""
    if wording is None:
        return _chain(("json",), of)
    leaf = _leaf(wording, of, segment.verbalizer if segment else None, alone)
    if wording.shape not in {"list", "objects"}:
        return leaf
    say_element = _element(wording, wordings, of)
    whole = _chain(("json",), of)

    def say(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        if type(value) is not list or not value:
            leaf(pointer, value, speech, pieces)
            return
        between = separators(len(value))
        which = speech.draw.rand()  # all elements are said in the same way
        before = len(pieces)
        for index, element in enumerate(value):
            if not say_element(f"{pointer}/{index}", element, speech, which, pieces):
                del pieces[before:]
                whole(pointer, value, speech, pieces)
                return
            pieces += between[index : index + 1]

    return say


_SMALL = frozenset(range(2, 13))


def _leaf(wording: SlotWording, of: Of, asked: str | None, alone: bool) -> Sayer:
    names = wording.verbalizers
    if asked is not None:
        names = (*FAMILIES.get(asked, (asked,)), *names)
    forms = wording.forms if asked in {None, "enum"} else {}
    names = tuple(name for name in names if name != "enum" or not wording.forms)
    says = tuple((name, VERBALIZERS[name].say) for name in names)
    may_be_word = alone and asked is None and "words" in names
    in_words = _chain(("words", *names), of)
    name = spoken_name(wording.slot) if of == "arguments" else ""

    def say(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        if type(value) is str and value in forms:
            pieces.append(Said(_form(forms[value], speech), "enum", speech.calls, pointer, of))
            return
        if value is None and name:
            pieces.append(Said(f"no {name}", "nothing", speech.calls, pointer, of))
            return
        if may_be_word and speech.voice.small_numbers_as_words and type(value) is int and value in _SMALL:
            in_words(pointer, value, speech, pieces)
            return
        voice = speech.voice
        for verbalizer, verbalize in says:
            text = verbalize(value, voice)
            if text is not None:
                pieces.append(Said(text, verbalizer, speech.calls, pointer, of))
                return

    return say


def _form(forms: tuple[str, ...], speech: Speech) -> str:
    if speech.varied and len(forms) > 1 and speech.draw.rand() < 0.4:
        return speech.draw.choice(forms)
    return forms[0]


def _chain(names: tuple[str, ...], of: Of) -> Sayer:
    """Say a value with the first verbalizer that can; the last one, json, can say anything."""
    says = tuple((name, VERBALIZERS[name].say) for name in names)

    def say(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        voice = speech.voice
        for name, verbalize in says:
            text = verbalize(value, voice)
            if text is not None:
                pieces.append(Said(text, name, speech.calls, pointer, of))
                return

    return say


SayElement = Callable[[str, Any, Speech, float, Pieces], bool]
"""(pointer, element, speech, which way, pieces) → whether there was a way to say it."""


def _element(wording: SlotWording, wordings: Wordings, of: Of) -> SayElement:
    """Say one element of a list; False when no phrase covers what it holds."""
    if not wording.elements:
        leaf = _leaf(wordings.get(wording.slot + "/*", wording), of, None, False)

        def say_leaf(pointer: str, element: Any, speech: Speech, which: float, pieces: Pieces) -> bool:
            leaf(pointer, element, speech, pieces)
            return True

        return say_leaf
    prefix = wording.slot + "/*/" if of == "arguments" else ""
    scope = wordings if of == "arguments" else _scoped(wordings, wording.slot)
    lines = [compile_line(template, scope) for template in wording.elements]

    def say(pointer: str, element: Any, speech: Speech, which: float, pieces: Pieces) -> bool:
        values: Values = {".": (pointer, element)}
        if type(element) is dict:
            _collect_fields(element, pointer, prefix, values)
        elif prefix:
            values[prefix.removesuffix("/")] = (pointer, element)
        fitting = [line for line in lines if line.needs <= values.keys()]
        if prefix:  # the user must say everything there is, the assistant need not
            fitting = [line for line in fitting if values.keys() - line.template.says == {"."}]
        if fitting:
            add(fitting[int(which * len(fitting))], values, speech, pieces)
        return bool(fitting)

    return say


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
