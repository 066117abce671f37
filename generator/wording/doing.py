"""What the assistant could not do, or would do: the verb phrases of requests, said to the user."""

import re
from collections.abc import Collection
from typing import Any

from generator.connectives import (
    COMPARED,
    CONDITIONS,
    FAILED,
    FAILED_AGAIN,
    FAILING,
    FAILING_AGAIN,
    FINDING_NOTHING,
    PROPOSING,
    REASONS,
    SO_NOT,
    THEREFORE,
    UNTRUE,
    Frame,
    field_in_words,
)
from generator.conversation import ToolCall
from generator.planning import Test
from generator.pointers import resolve
from generator.seeds import Draw
from generator.templates import in_second_person
from generator.wording.clauses import WordedWish, said_by_user
from generator.wording.phrases.lines import FixedWords, Line, Values
from generator.wording.phrases.phrasebook import Book
from generator.wording.phrases.shapes import Addition, call_shape
from generator.wording.pieces import Phrase, ResultOwner, Span, Spans
from generator.wording.verbalizers import VERBALIZERS
from generator.wording.voice import Voice

_ERROR_TEXTS = ("message", "error/message", "error", "detail", "")
"""Where the result of a failed call says what went wrong: the first of these that is a text."""


def word_failure(
    book: Book,
    call: ToolCall,
    result: Any,
    content: str,
    is_again: bool,
    draw: Draw,
    voice: Voice,
    *,
    brief: bool = False,
    alone: bool = True,
) -> Phrase:
    """Return a sentence that says why a call failed: "I couldn't book a table at Hearth: the request timed out.".

    A `brief` one says the reason alone: "That didn't work: the card is frozen."; so do others now and then where the call was made
    `alone`, so that it is clear which one is meant.
    """
    told: ResultOwner = (call.id, "result")
    pointer, text = _error_text(result, content)
    why = _as_clause(text)
    if brief or (alone and draw.chance(0.15)):
        before = draw.choice(FAILED_AGAIN if is_again else FAILED)
        return f"{before}{why}.", [(len(before), len(before) + len(why), "message", pointer, told)], 2
    doing, spans, size = do(book, call, (), draw, voice)
    if draw.chance(0.2):
        so = draw.choice(SO_NOT)
        at = len(why) + len(so)
        moved = [(start + at, end + at, way, place, whose) for start, end, way, place, whose in spans]
        first = why[:1].upper() + why[1:]
        stop = "" if doing[-1] in _QUOTES and doing[-2] in _STOPS else "."
        return f"{first}{so}{doing}{stop}", [(0, len(why), "message", pointer, told), *moved], size + 2
    before = draw.choice(FAILING_AGAIN if is_again and draw.chance(0.7) else FAILING)
    moved = [(start + len(before), end + len(before), way, place, whose) for start, end, way, place, whose in spans]
    because = draw.choice(REASONS)
    at = len(before) + len(doing) + len(because)
    return f"{before}{doing}{because}{why}.", [*moved, (at, at + len(why), "message", pointer, told)], size + 2


def word_proposal(book: Book, call: ToolCall, draw: Draw, voice: Voice) -> Phrase:
    """Return what the assistant would do, and the question for leave: "I'd book a table at Hearth now. Shall I go ahead?"."""
    return _framed(PROPOSING, book, call, tuple(said_by_user(WordedWish(book, 0, call.arguments, {}))), draw, voice)


def word_empty(book: Book, call: ToolCall, draw: Draw, voice: Voice) -> Phrase:
    """Return a sentence that says that a search found nothing: "I tried to find the open tickets about billing, but nothing came up."."""
    limit = None if book.spec.effect is None else book.spec.effect.limit
    naming = [slot for slot in said_by_user(WordedWish(book, 0, call.arguments, {})) if slot != limit]
    return _framed(FINDING_NOTHING, book, call, naming, draw, voice)


def _framed(
    frames: tuple[Frame, ...], book: Book, call: ToolCall, naming: Collection[str], draw: Draw, voice: Voice
) -> Phrase:
    """Return a verb phrase that says at least the arguments in `naming`, in one of the frames."""
    before, after = draw.choice(frames)
    doing, spans, size = do(book, call, naming, draw, voice)
    moved = [(start + len(before), end + len(before), way, place, whose) for start, end, way, place, whose in spans]
    if after[0] == "." and doing[-1] in _QUOTES and doing[-2] in _STOPS:
        after = after[1:]
    return f"{before}{doing}{after}", moved, size + 2


_STOPS, _QUOTES = ".!?", "\"'”’"


def word_condition(
    book: Book, number: int, said: dict[str, Any], test: Test, source: Book, draw: Draw, voice: Voice
) -> tuple[Phrase, Span]:
    """Return a conditional request ("If the sky is rainy, cancel the picnic.") and the span of the value in its condition.

    `source` is the tool whose result is tested.
    """
    name, unit = words_for_field(source, test.field)
    value, verbalizer = say_plainly(test.value, voice)
    before = draw.choice(CONDITIONS) + name + draw.choice(COMPARED[test.op])
    start = unit + draw.choice(THEREFORE)
    wanted = WordedWish(book, number, said, {})
    doing, spans, size = _do(
        book, said_by_user(wanted), (number,), tuple(said_by_user(wanted)), draw, voice, to_user=False
    )
    at = len(before) + len(value) + len(start)
    moved = [(one + at, end + at, way, place, whose) for one, end, way, place, whose in spans]
    stop = "" if doing[-1:] in _QUOTES and doing[-2:-1] in _STOPS else "."
    compared = (len(before), len(before) + len(value), verbalizer, "/" + test.field, (number,))
    return (f"{before}{value}{start}{doing}{stop}", moved, size + 3), compared


def word_untrue(call_id: str, source: Book, field: str, found: Any, draw: Draw, voice: Voice) -> Phrase:
    """Return a sentence that says that a condition is not fulfilled: "The sky is clear, so I left it at that."."""
    name, unit = words_for_field(source, field)
    value, verbalizer = say_plainly(found, voice)
    before = f"The {name} is "
    told: ResultOwner = (call_id, "result")
    text = f"{before}{value}{unit}{draw.choice(UNTRUE)}"
    return text, [(len(before), len(before) + len(value), verbalizer, "/" + field, told)], 3


def words_for_field(book: Book, field: str) -> tuple[str, str]:
    """Return what people call a field of a tool's result, and the unit of its value."""
    phrases = book.spec.phrases
    return field_in_words(phrases.fields, [answer.say for answer in phrases.answer], field)


def say_plainly(value: Any, voice: Voice) -> tuple[str, str]:
    """Return the words for a number, or for a choice by its name, and their verbalizer."""
    if isinstance(value, str):
        return value.replace("_", " "), "enum"
    return VERBALIZERS["number"].say(value, voice) or str(value), "number"


def do(book: Book, call: ToolCall, naming: Collection[str], draw: Draw, voice: Voice) -> Phrase:
    """Return a verb phrase for a call ("book a table at Hearth") that says at least the arguments in `naming`."""
    values = said_by_user(WordedWish(book, 0, call.arguments, {}))
    return _do(book, values, (call.id, "arguments"), naming, draw, voice, to_user=True)


def _do(
    book: Book, values: Values, whose: Any, naming: Collection[str], draw: Draw, voice: Voice, *, to_user: bool
) -> Phrase:
    """Return a verb phrase, as the user says it or (`to_user`) as the assistant says it to the user."""

    def address(line: Line) -> Line:
        return _to_the_user(line, book) if to_user else line

    shape = call_shape(book, values)
    fitting = [head.line for head in book.heads if head.kind == "request" and shape.fits(head.line)]
    plain = [line for line in fitting if not line.is_sentence]
    telling = [line for line in plain if line.says] or plain
    if to_user:  # "I tried to find where you can park", not "to show you where you can park"
        telling = [line for line in telling if " me " not in line.template.text] or telling
    line = address(draw.choice(telling)) if telling else book.bare.line
    spans: Spans = []
    text, size = line.say(values, whose, draw, voice, 0, spans)
    done = set(line.says)
    for slot in naming:
        more = _addition(shape.addition(slot), values, done, draw) if slot in values and slot not in done else None
        if more is not None:
            addition = address(more) if isinstance(more, Line) else more
            gap = "" if addition.joins else " "
            added, pieces = addition.say(values, whose, draw, voice, len(text) + len(gap), spans)
            text, size = f"{text}{gap}{added}", size + pieces + 1
            done |= more.says
    return text, spans, size


def _to_the_user(line: Line, book: Book) -> Line:
    """Return a line of the user as the assistant says it to them ("my" becomes "your")."""
    found = book.doing.get(line)
    if found is None:
        template = in_second_person(line.template)
        found = book.doing[line] = line if template is line.template else Line(template, book.slots)
    return found


def _addition(addition: Addition, values: dict[str, Any], done: set[str], draw: Draw) -> Line | FixedWords | None:
    """Return what adds a value within the sentence; None for a boolean that no clause says there."""
    value = values[addition.slot]
    for stated, ways in addition.clauses:
        within = [way for way in ways if not way.is_sentence]
        if stated == value and type(stated) is type(value) and within:
            return draw.choice(within)
    if addition.instead is not None:
        return addition.instead
    frames = [frame for frame in addition.frames if not frame.is_sentence and frame.says.isdisjoint(done)]
    if not frames and type(value) is bool and addition.clauses:
        return None
    return draw.choice(frames) if frames else addition.fallback


def _error_text(result: Any, content: str) -> tuple[str, str]:
    """Return the pointer and the text of what an error says."""
    for place in _ERROR_TEXTS if isinstance(result, dict) else ():
        try:
            text = resolve(result, place)
        except LookupError:
            continue
        if isinstance(text, str) and text:
            return "/" + place if place else "", text
    return "", content


_TITLE = re.compile(r"\AError: (?:[A-Z][a-z ]* - )?")


def _as_clause(text: str) -> str:
    """Return the text of an error as a clause: without its title, its capital and its full stop."""
    text = _TITLE.sub("", text, count=1).strip().removesuffix(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
