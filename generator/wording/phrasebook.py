"""Everything that can be said about one tool, compiled when the tools are loaded."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from generator.documents import nearest
from generator.errors import SpecError
from generator.pointers import escape, resolve, unescape
from generator.templates import Slot, Template, parse_template
from generator.toolbox import ToolSpec
from generator.wording.lines import Line, Values, compile_line
from generator.wording.slots import Wordings, argument_slots, fallback_frame, result_slots, spoken_name, words_of
from generator.wording.verbalizers import VERBALIZERS

_LOOKING = frozenset(
    {"check", "compare", "convert", "estimate", "find", "get", "list", "look", "lookup", "preview", "quote"}
    | {"read", "search", "show", "track"}
)
"""First words of the names of tools that only look something up."""
_ME = re.compile(r"\bme\b")
Kinds = tuple[str, ...]


class Head(msgspec.Struct, frozen=True):
    """A way to begin asking for a tool."""

    kind: str
    """`request`, `question` or `want`."""
    line: Line
    first_person: bool
    """Whether "I'd like to …" may stand before it."""


class Frames(msgspec.Struct, frozen=True):
    """The ways to add one argument to what has been said."""

    lines: tuple[Line, ...]
    fallback: Line
    clauses: tuple[tuple[Any, tuple[str, ...]], ...]
    alone: bool
    """No line says or needs another argument, so all of them fit whenever there is a value."""


class Answer(msgspec.Struct, frozen=True):
    """A sentence about a result."""

    line: Line
    when: tuple[tuple[Callable[[Any], Any], Any], ...]
    """(how to get a value of the result, what it must be)."""
    fields: tuple[tuple[str, str, str], ...]
    """(slot, pointer, key) of the properties of the result that the line needs."""
    places: tuple[tuple[str, str, Callable[[Any], Any]], ...]
    """(slot, pointer, how to get it) of what it needs from elsewhere in the result."""
    arguments: tuple[tuple[str, str, Callable[[Any], Any]], ...]
    """The same for what it needs of the arguments."""
    names: frozenset[str]
    """Arguments it says, or whose namesakes in the result it says."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's phrases."""

    spec: ToolSpec
    looks_up: bool
    """The tool only looks something up."""
    slots: Wordings
    places: dict[str, tuple[str, str]]
    """Key → (slot, pointer) of the arguments a user may say; those whose schema leaves no choice are not among them."""
    constants: frozenset[str]
    """Slots whose schema leaves no choice."""
    heads: tuple[Head, ...]
    bare: Head
    """A request without any slot, made of the tool's name."""
    frames: dict[str, Frames]
    again: tuple[Line, ...]
    entry: tuple[Line, ...]
    several: tuple[str, ...]
    follow_up: tuple[Head, ...]
    answers: tuple[Answer, ...]
    fitting: dict[Any, Any] = {}
    """What was found to fit some set of slots, so that it is found only once."""
    orders: dict[tuple[int, frozenset[str]], tuple[Answer, ...]] = {}
    """The answers in the orders in which they were tried before."""


def compile_book(spec: ToolSpec) -> Book:
    """Compile one tool's phrases; raises SpecError for a verbalizer that does not exist."""
    phrases = spec.phrases
    slots = argument_slots(spec)
    results = result_slots(spec)
    answers = [(parse_template(answer.say, "result"), answer.when) for answer in phrases.answer]
    _check_verbalizers(spec)
    heads = [_head(kind, text, slots) for kind in ("request", "question", "want") for text in getattr(phrases, kind)]
    bare = Head("request", compile_line(_bare(spec.name), slots), True)
    constants = frozenset(slot for slot, wording in slots.items() if wording.constant)
    return Book(
        spec=spec,
        looks_up=words_of(spec.name).split(" ")[0] in _LOOKING,
        slots=slots,
        places={unescape(slot): (slot, "/" + slot) for slot in slots if "/" not in slot and slot not in constants},
        constants=constants,
        heads=tuple(heads) if phrases.request else (*heads, bare),
        bare=bare,
        frames={slot: _frames(slot, slots) for slot in slots},
        again=_lines(phrases.again, slots),
        entry=_lines(phrases.entry, slots),
        several=phrases.several,
        follow_up=tuple(_head("request", text, slots) for text in phrases.follow_up),
        answers=tuple(_answer(template, when, results, slots) for template, when in answers),
        fitting={},
        orders={},
    )


def fitting_heads(book: Book, values: Values, kinds: Kinds) -> tuple[Head, ...]:
    """The heads of these kinds (a kind named twice counts twice) whose slots all have values that can be said."""
    sayable = sayable_slots(values)
    key = (kinds, sayable)
    found: tuple[Head, ...] | None = book.fitting.get(key)
    if found is None:
        here = frozenset(sayable)
        found = tuple(head for kind in kinds for head in book.heads if head.kind == kind and head.line.needs <= here)
        found = found or shortest(book, here)
        if len(book.fitting) < _MOST_KNOWN:
            book.fitting[key] = found
    return found


def shortest(book: Book, here: frozenset[str]) -> tuple[Head, ...]:
    """The shortest request whose slots all have values, or the tool's name."""
    fitting = [head for head in book.heads if head.kind == "request" and head.line.needs <= here]
    return (min(fitting, key=lambda head: len(head.line.template.text), default=book.bare),)


def sayable_slots(values: Values) -> tuple[str, ...]:
    """The slots whose values can stand in a phrase."""
    return tuple(
        [
            slot
            for slot, (_, value) in values.items()
            if value is not None and value is not True and value is not False and (value or type(value) is not list)
        ]
    )


def fits(line: Line, values: Values) -> bool:
    """Whether all its slots have values that can be said where the line wants them."""
    if not line.needs <= values.keys():
        return False
    for slot in line.says:
        value = values[slot][1]
        if value is None or value is True or value is False or (type(value) is list and not value):
            return False
    return True


def answer_values(answer: Answer, arguments: dict[str, Any], result: Any) -> Values | None:
    """What the answer needs, or None when something is missing or the result is another one."""
    for get, wanted in answer.when:
        if get(result) != wanted:
            return None
    values: Values = {}
    if answer.fields and type(result) is not dict:
        return None
    for slot, pointer, key in answer.fields:
        value = result.get(key)
        if value is None or value == _EMPTY:
            return None
        values[slot] = (pointer, value)
    if answer.places and not _gather(answer.places, result, values):
        return None
    if answer.arguments and not _gather(answer.arguments, arguments, values):
        return None
    return values


_EMPTY: list[Any] = []


def _gather(places: tuple[tuple[str, str, Callable[[Any], Any]], ...], source: Any, values: Values) -> bool:
    """Add the values of these places; False when one is missing."""
    for slot, pointer, get in places:
        value = get(source)
        if value is None or value == _EMPTY:
            return False
        values[slot] = (pointer, value)
    return True


def answers_in_order(book: Book, start: int, naming: frozenset[str]) -> tuple[Answer, ...]:
    """The answers from one of them on, round to it; those that say one of the arguments in `naming` come first."""
    key = (start, naming)
    found = book.orders.get(key)
    if found is None:
        found = book.answers[start:] + book.answers[:start]
        if naming:
            found = tuple(sorted(found, key=lambda answer: answer.names.isdisjoint(naming)))
        if len(book.orders) < _MOST_KNOWN:
            book.orders[key] = found
    return found


_MOST_KNOWN = 4096


def _head(kind: str, text: str, slots: Wordings) -> Head:
    return Head(kind, compile_line(parse_template(text), slots), not _ME.search(text))


def _lines(texts: Sequence[str], slots: Wordings) -> tuple[Line, ...]:
    return tuple(compile_line(parse_template(text), slots) for text in texts)


def _frames(slot: str, slots: Wordings) -> Frames:
    wording = slots[slot]
    lines = tuple(compile_line(frame, slots) for frame in wording.frames)
    alone = all(line.says == line.needs == {slot} for line in lines)
    return Frames(lines, compile_line(fallback_frame(slot, wording.schema), slots), wording.clauses, alone)


def unknown_frame(slot: str) -> Line:
    """The frame of a value that the schema does not describe."""
    return compile_line(fallback_frame(slot, {}), {})


def _answer(template: Template, when: tuple[tuple[str, Any], ...], results: Wordings, slots: Wordings) -> Answer:
    line = compile_line(template, results, slots)
    keys = sorted(template.needs) + [f"args.{slot}" for slot in sorted(template.arguments)]
    names = frozenset(key.removeprefix("args.") for key in keys)
    return Answer(
        line,
        tuple((_getter(slot), wanted) for slot, wanted in when),
        tuple((key, "/" + key, key) for key in keys if _is_property(key)),
        tuple(_access(key, key) for key in keys if not _is_property(key) and not key.startswith("args.")),
        tuple(_access(key, key.removeprefix("args.")) for key in keys if key.startswith("args.")),
        names,
    )


def _is_property(key: str) -> bool:
    return key != "." and "/" not in key and "~" not in key and not key.startswith("args.")


def _access(key: str, slot: str) -> tuple[str, str, Callable[[Any], Any]]:
    return (key, "", lambda source: source) if slot == "." else (key, "/" + slot, _getter(slot))


def _getter(slot: str) -> Callable[[Any], Any]:
    """How to get the value of a slot; None where there is none."""
    if not slot or "/" in slot or "~" in slot or slot.isdecimal():
        return lambda source: _get(source, slot)
    return lambda source: source.get(slot) if type(source) is dict else None


def _get(source: Any, slot: str) -> Any:
    try:
        return resolve(source, slot)
    except LookupError:
        return None


def _bare(name: str) -> Template:
    """What to say for a tool without phrases; digits are for values only."""
    text = spoken_name(escape(name)) or "call the tool"
    return Template(text, (text,), frozenset(), frozenset(), frozenset())


def _check_verbalizers(spec: ToolSpec) -> None:
    phrases = spec.phrases
    asked = (phrases.request, phrases.question, phrases.want, phrases.again, phrases.entry, phrases.follow_up)
    frames = tuple(frames.frames for frames in phrases.slots.values())
    templates = [parse_template(text) for texts in (*asked, *frames) for text in texts]
    told = (tuple(answer.say for answer in phrases.answer), *phrases.each.values())
    templates += [parse_template(text, "result") for texts in told for text in texts]
    for template in templates:
        for segment in template.segments:
            if isinstance(segment, Slot) and segment.verbalizer not in {None, *VERBALIZERS}:
                raise SpecError(
                    f"{spec.where}: phrases: {template.text!r}: there is no verbalizer "
                    f"{segment.verbalizer!r}{nearest(str(segment.verbalizer), VERBALIZERS)}"
                )
