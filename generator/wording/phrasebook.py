"""Everything that can be said about one tool, compiled when the tools are loaded."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from generator.documents import nearest
from generator.errors import SpecError
from generator.pointers import escape, resolve
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


class Answer(msgspec.Struct, frozen=True):
    """A sentence about a result."""

    line: Line
    when: tuple[tuple[str, Any], ...]
    slots: tuple[tuple[str, str, Callable[[Any], Any], bool], ...]
    """(key, pointer, how to get it, whether it is an argument) of all the line needs."""
    names: frozenset[str]
    """Arguments it says, or whose namesakes in the result it says."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's phrases."""

    spec: ToolSpec
    looks_up: bool
    """The tool only looks something up."""
    slots: Wordings
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


def compile_book(spec: ToolSpec) -> Book:
    """Compile one tool's phrases; raises SpecError for a verbalizer that does not exist."""
    phrases = spec.phrases
    slots = argument_slots(spec)
    results = result_slots(spec)
    answers = [(parse_template(answer.say, "result"), answer.when) for answer in phrases.answer]
    _check_verbalizers(spec)
    heads = [_head(kind, text, slots) for kind in ("request", "question", "want") for text in getattr(phrases, kind)]
    bare = Head("request", compile_line(_bare(spec.name), slots), True)
    return Book(
        spec=spec,
        looks_up=words_of(spec.name).split(" ")[0] in _LOOKING,
        slots=slots,
        constants=frozenset(slot for slot, wording in slots.items() if wording.constant),
        heads=tuple(heads) if phrases.request else (*heads, bare),
        bare=bare,
        frames={slot: _frames(slot, slots) for slot in slots},
        again=_lines(phrases.again, slots),
        entry=_lines(phrases.entry, slots),
        several=phrases.several,
        follow_up=tuple(_head("request", text, slots) for text in phrases.follow_up),
        answers=tuple(_answer(template, when, results, slots) for template, when in answers),
        fitting={},
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
    return tuple([slot for slot, at in values.items() if at[1] not in _UNSAYABLE])


def fits(line: Line, values: Values) -> bool:
    """Whether all its slots have values that can be said where the line wants them."""
    return line.needs <= values.keys() and not any(values[slot][1] in _UNSAYABLE for slot in line.says)


class _Unsayable:
    """null, true, false and the empty list have clauses of their own."""

    def __contains__(self, value: Any) -> bool:
        return value is None or value is True or value is False or value == []


_UNSAYABLE = _Unsayable()


def answer_values(answer: Answer, arguments: dict[str, Any], result: Any) -> Values | None:
    """What the answer needs, or None when something is missing or the result is another one."""
    for slot, wanted in answer.when:
        if _get(result, slot) != wanted:
            return None
    values: Values = {}
    for key, pointer, get, of_arguments in answer.slots:
        value = get(arguments if of_arguments else result)
        if value is None or value == []:
            return None
        values[key] = (pointer, value)
    return values


_MOST_KNOWN = 4096


def _head(kind: str, text: str, slots: Wordings) -> Head:
    return Head(kind, compile_line(parse_template(text), slots), not _ME.search(text))


def _lines(texts: Sequence[str], slots: Wordings) -> tuple[Line, ...]:
    return tuple(compile_line(parse_template(text), slots) for text in texts)


def _frames(slot: str, slots: Wordings) -> Frames:
    wording = slots[slot]
    lines = tuple(compile_line(frame, slots) for frame in wording.frames)
    return Frames(lines, compile_line(fallback_frame(slot, wording.schema), slots), wording.clauses)


def unknown_frame(slot: str) -> Line:
    """The frame of a value that the schema does not describe."""
    return compile_line(fallback_frame(slot, {}), {})


def _answer(template: Template, when: tuple[tuple[str, Any], ...], results: Wordings, slots: Wordings) -> Answer:
    line = compile_line(template, results, slots)
    keys = sorted(template.needs) + [f"args.{slot}" for slot in sorted(template.arguments)]
    names = frozenset(key.removeprefix("args.") for key in keys)
    return Answer(line, when, tuple(_access(key) for key in keys), names)


def _access(key: str) -> tuple[str, str, Callable[[Any], Any], bool]:
    of_arguments = key.startswith("args.")
    slot = key.removeprefix("args.") if of_arguments else key
    if slot == ".":
        return key, "", lambda source: source, of_arguments
    if "/" in slot or "~" in slot:
        return key, "/" + slot, lambda source: _get(source, slot), of_arguments
    return key, "/" + escape(slot), lambda source: source.get(slot) if type(source) is dict else None, of_arguments


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
