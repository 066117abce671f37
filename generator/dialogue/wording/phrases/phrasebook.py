"""Everything that can be said about one tool: read when the tools are loaded, each line compiled when it is first said."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from generator.core.connectives import CONNECTIVES, measure_in_field
from generator.core.documents import nearest
from generator.core.errors import SpecError
from generator.core.pointers import escape, unescape
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import Toolbox, ToolSpec, found_by
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.wording.phrases.lines import Line
from generator.dialogue.wording.phrases.slots import Wordings, argument_slots, result_slots
from generator.dialogue.wording.phrases.telling import AnswerSentence, Capped, compile_answers
from generator.tools.productions import bare_words, fallback_frame

_WORD = re.compile(r"\w+")


class Head(msgspec.Struct, frozen=True, eq=False):
    """A way to begin asking for a tool."""

    kind: str
    """`request`, `question` or `want`; `again` for a request without its verb."""
    line: Line
    first_person: bool
    """Whether "I'd like to …" may stand before it."""


class Frames(msgspec.Struct, frozen=True):
    """The ways to add one argument to what has been said."""

    lines: tuple[Line, ...]
    fallback: Line
    clauses: tuple[tuple[Any, tuple[str, ...]], ...]
    alone: bool
    """Whether no frame says or needs another argument, so that all of them fit whenever there is a value."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's phrases."""

    spec: ToolSpec
    looks_up: bool
    """Whether the tool only looks something up."""
    slots: Wordings
    """How its arguments are said."""
    results: Wordings
    """How the values of its results are said."""
    places: dict[str, str]
    """Key → slot of the arguments a user may say, without those that the schema fixes."""
    optional: frozenset[str]
    """Keys of optional arguments: one that is given has been asked for."""
    confirmed: frozenset[str]
    """Keys of the required arguments of a tool that changes something, as far as its answers say them and they are no free text."""
    inner: tuple[tuple[str, str, str], ...]
    """(slot, key, key in it) of the optional arguments within objects."""
    plain: frozenset[str]
    """Those of these keys that are the same as their slots."""
    constants: frozenset[str]
    """Slots whose value the schema fixes."""
    heads: tuple[Head, ...]
    bare: Head
    """A request without any slot, made of the tool's name."""
    frames: dict[str, Frames]
    again: tuple[Head, ...]
    entry: tuple[Head, ...]
    several: tuple[str, ...]
    follow_up: tuple[Head, ...]
    found: tuple[Head, ...]
    """Noun phrases for what it finds; the last, made of the tool's name, is for when no other fits."""
    answers: tuple[AnswerSentence, ...]
    shapes: dict[Any, Any]
    """Cache: what fits some set of slots (see `shapes.py`)."""
    usual: dict[Any, Any]
    """Cache: the same for calls all of whose arguments the user says, by their names and kinds."""
    ranked: dict[tuple[frozenset[str], frozenset[str]], tuple[tuple[AnswerSentence, ...], ...]]
    """Cache: the answers, those together that tell equally well, the best first (see `answers_in_turn`)."""
    patterns: dict[tuple[frozenset[str], frozenset[str]], dict[str, list[tuple[int, int, int, AnswerSentence]]]]
    """Cache: the answers by how they begin, for calls that are told together (see `answers.py`)."""
    compared: dict[str, AnswerSentence]
    """Cache: the sentences about the best of several results, by their text (see `comparing.py`)."""
    keeping: dict[tuple[str, ...], "Book"]
    """Cache: the same phrases without those that say some fields of the result (see `keeping_back`)."""
    doing: dict[Line, Line]
    """Cache: lines of the user → the same lines as the assistant says them to the user (see `doing.py`)."""


class Books(dict[str, Book]):
    """The phrases of all tools, each compiled when the tool is first used, since few rows need all of them.

    Raises SpecError, at once, for a verbalizer that does not exist.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__()
        self._toolbox = toolbox
        for spec in toolbox.values():
            _check_verbalizers(spec)

    def __bool__(self) -> bool:
        """Whether there are tools, compiled or not."""
        return bool(self._toolbox)

    def __missing__(self, name: str) -> Book:
        self[name] = book = compile_book(self._toolbox[name])
        return book


def compile_book(spec: ToolSpec) -> Book:
    """Return one tool's compiled phrases; the verbalizers that they name must exist."""
    phrases = spec.phrases
    slots = argument_slots(spec)
    results = result_slots(spec)
    answers = [(parse_template(answer.say, "result"), answer.when) for answer in phrases.answer]
    heads = [_head(kind, text, slots) for kind in ("request", "question", "want") for text in getattr(phrases, kind)]
    bare = Head("request", Line("bare", bare_words(spec.name), slots), True)
    constants = frozenset(slot for slot, wording in slots.items() if wording.constant)
    parameters = spec.tool.parameters or {}
    properties = parameters.get("properties", {})
    optional = frozenset(properties) - {*parameters.get("required", ())}
    places = {unescape(slot): slot for slot in slots if "/" not in slot and slot not in constants}
    compiled = compile_answers(answers, results, slots, optional, _capped(spec))
    return Book(
        spec=spec,
        looks_up=spec.looks_up,
        slots=slots,
        results=results,
        places=places,
        optional=optional,
        confirmed=frozenset() if spec.looks_up else _confirmed(spec, optional, compiled),
        inner=tuple(_inner(properties)),
        plain=frozenset(key for key, slot in places.items() if key == slot),
        constants=constants,
        heads=tuple(heads) if phrases.request else (*heads, bare),
        bare=bare,
        frames={slot: _frames(slot, slots) for slot in slots},
        again=_again("again", phrases.again, slots),
        entry=_again("entry", phrases.entry, slots),
        several=phrases.several,
        follow_up=tuple(_head("follow_up", text, slots) for text in phrases.follow_up),
        found=_found(spec, slots),
        answers=compiled,
        shapes={},
        usual={},
        ranked={},
        patterns={},
        compared={},
        keeping={},
        doing={},
    )


def keeping_back(book: Book, fields: tuple[str, ...]) -> Book:
    """Return a tool's phrases without those that say some fields of its result, which a policy keeps back."""
    if fields not in book.keeping:
        said = re.compile(r"\{(?:" + "|".join(map(re.escape, fields)) + r")\b")
        phrases = book.spec.phrases
        answer = tuple([one for one in phrases.answer if not said.search(one.say)])
        each = {slot: tuple([one for one in texts if not said.search(one)]) for slot, texts in phrases.each.items()}
        phrases = msgspec.structs.replace(
            phrases, answer=answer, each={slot: one or phrases.each[slot] for slot, one in each.items()}
        )
        book.keeping[fields] = compile_book(msgspec.structs.replace(book.spec, phrases=phrases))
    return book.keeping[fields]


def measures_of(spec: ToolSpec, field: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for what a field of a tool's result measures, and those for its other fields alone."""
    words: dict[str, set[str]] = {}
    for name in (spec.returns or {}).get("properties", {}):
        said = [spec.phrases.fields.get(name, measure_in_field(name)[0])]
        said += [best.say for best in spec.phrases.best if best.by.endswith(f" {name}")]
        words[name] = {word for text in said for word in _WORD.findall(text.casefold())} - _OF_ANY
    others = frozenset().union(*[words[name] for name in words if name not in spec.properties and name != field])
    own = frozenset(words.get(field, ()))
    return own - others, others - own


_OF_ANY = frozenset(
    {
        *("the", "of", "in", "to", "and", "most", "least", "fewest", "highest", "lowest"),
        *("longest", "shortest", "biggest", "smallest", "weather", "day", "day's", "number"),
    }
)
"""Words that may stand in the name of any measure."""


def _names(head: Head, words: frozenset[str]) -> bool:
    """Whether a request names one of some words."""
    return names_one_of([part for part in head.line.template.segments if isinstance(part, str)], words)


def names_one_of(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether texts name one of some words, or one from the same stem: "warm" for "warmest"."""
    for one in {word for text in texts for word in _WORD.findall(text.casefold())}:
        for word in words:
            if one == word or (min(len(one), len(word)) >= _STEM and (one.startswith(word) or word.startswith(one))):
                return True
    return False


_STEM = 4
"""The least length of a word that may be the beginning of another one with its meaning."""


def _confirmed(spec: ToolSpec, optional: frozenset[str], answers: Sequence[AnswerSentence]) -> frozenset[str]:
    told = frozenset().union(*[answer.made_of[0].needs for answer in answers])
    said = frozenset().union(*[answer.made_of[0].arguments for answer in answers])
    naming = spec.effect.by if spec.effect is not None else ()  # answers may call the thing by another field
    required = {key: schema for key, schema in spec.properties.items() if key not in optional and key not in naming}
    return frozenset([key for key in required if key in told or (key in said and not _is_free_text(required[key]))])


def _is_free_text(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not {"enum", "format"} & schema.keys()


def _inner(properties: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key, schema in properties.items():
        inside = schema.get("properties", {}) if isinstance(schema, dict) else {}
        for inner in inside if isinstance(inside, dict) else ():
            if inner not in schema.get("required", ()):
                yield f"{escape(key)}/{escape(inner)}", key, inner


def asked_for(book: Book, arguments: dict[str, Any]) -> frozenset[str]:
    """Return the slots of the optional arguments that are given, and of what else is to be told of a change."""
    given = book.optional.intersection(arguments) | book.confirmed
    if not book.inner:
        return given
    return given.union([slot for slot, key, inner in book.inner if inner in (arguments.get(key) or ())])


def answers_in_turn(
    book: Book, rand: Callable[[], float], naming: frozenset[str], given: frozenset[str]
) -> Iterator[AnswerSentence]:
    """Yield all answers as they are to be tried: of those that tell equally well, `rand` (from 0 up to 1) says which one is next.

    Those that say most of the arguments in `naming` come first, and among them those that say most of what is `given`, and say it
    once rather than of each element of a list.
    """
    key = (naming, given)
    found = book.ranked.get(key)
    if found is None:
        found = tuple([tuple(same) for _, same in _ranked(book.answers, naming, given)])
        if len(book.ranked) < MOST_KNOWN:
            book.ranked[key] = found
    for alike in found:
        left = list(alike)
        while left:
            at = int(rand() * len(left))
            left[at], left[-1] = left[-1], left[at]
            yield left.pop()


def _ranked(
    answers: Sequence[AnswerSentence], naming: frozenset[str], given: frozenset[str]
) -> "Iterator[tuple[Any, Iterator[AnswerSentence]]]":
    if not naming and not given:
        return iter([((), iter(answers))])

    def by_rank(one: AnswerSentence) -> tuple[int, int, int]:
        return rank(one, naming, given)

    return groupby(sorted(answers, key=by_rank), key=by_rank)


def rank(answer: AnswerSentence, naming: frozenset[str], given: frozenset[str]) -> tuple[int, int, int]:
    """Return the sort key of an answer: the less it is, the better it tells what was asked for."""
    repeated = len((answer.repeated - answer.made_of[0].arguments) & given)
    return len(naming - answer.names), repeated - len(answer.names & given), repeated


MOST_KNOWN = 4096


def _head(kind: str, text: str, slots: Wordings) -> Head:
    return Head(
        kind, Line(kind, parse_template(text), slots), CONNECTIVES.dropped_speaker.isdisjoint(_WORD.findall(text))
    )


def _found(spec: ToolSpec, slots: Wordings) -> tuple[Head, ...]:
    texts = (*spec.phrases.found, *filter(None, [found_by(spec.name)]))
    return tuple(Head("found", Line("found", parse_template(text), slots), False) for text in texts)


def _again(kind: str, texts: Sequence[str], slots: Wordings) -> tuple[Head, ...]:
    return tuple(Head("again", Line(kind, parse_template(text), slots), False) for text in texts)


def _capped(spec: ToolSpec) -> Capped | None:
    """Return the list of the tool's results that may be cut short, and the greatest length or the argument that says it."""
    effect = spec.effect
    return (effect.at, effect.limit) if effect is not None and effect.at and effect.limit else None


def _frames(slot: str, slots: Wordings) -> Frames:
    wording = slots[slot]
    lines = tuple(Line("add", frame, slots) for frame in wording.frames)
    alone = all(line.says == line.needs == {slot} for line in lines)
    return Frames(lines, Line("add", fallback_frame(slot, wording.schema), slots), wording.clauses, alone)


def unknown_frame(slot: str) -> Line:
    """Return the frame of a value that the schema does not describe."""
    return Line("add", fallback_frame(slot, {}), {})


def _check_verbalizers(spec: ToolSpec) -> None:
    phrases, known = spec.phrases, VERBALIZERS
    asked = (
        phrases.request,
        phrases.question,
        phrases.want,
        phrases.again,
        phrases.entry,
        phrases.follow_up,
        phrases.found,
    )
    frames = tuple(frames.frames for frames in phrases.slots.values())
    templates = [parse_template(text) for texts in (*asked, *frames) for text in texts]
    told = (tuple(answer.say for answer in phrases.answer), *phrases.each.values())
    templates += [parse_template(text, "result") for texts in told for text in texts]
    for template in templates:
        for segment in template.segments:
            if isinstance(segment, Slot) and segment.verbalizer not in {None, *known}:
                raise SpecError(
                    f"{spec.where}: phrases: {template.text!r}: there is no verbalizer "
                    f"{segment.verbalizer!r}{nearest(str(segment.verbalizer), known)}"
                )
