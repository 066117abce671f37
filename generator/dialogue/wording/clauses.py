"""One wish as a clause: a head ("find flights from Oslo to Rome") and what is added to it ("for two people")."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.pointers import escape, resolve
from generator.core.seeds import Draw
from generator.core.templates import Slot, Template
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.lines import FixedWords, Line, Values
from generator.dialogue.wording.phrases.phrasebook import Book, Head
from generator.dialogue.wording.phrases.shapes import Addition, CallShape, Kinds, Opening, call_shape
from generator.dialogue.wording.phrases.slots import Wordings
from generator.dialogue.wording.phrases.value_wording import ReferringWords, Several
from generator.dialogue.wording.pieces import Form, Phrase, Pieces, Spans, Uses, Whose, later, text_of
from generator.tools.productions import key_of


class WordedWish(msgspec.Struct):
    """A wish, looked up for wording."""

    book: Book
    """The phrases of its tool."""
    number: int
    """Its place among the wishes of the message."""
    said: dict[str, Any]
    """Arguments with the values that the user says."""
    references: dict[str, str]
    """Slots whose values are described, not said, and the words for them: "the cheapest one", "it"."""
    picked: frozenset[str] = frozenset()
    """Those of the described slots whose words single out an element of a list."""
    says_all: bool = False
    """Whether each description stands where its value would, because they are of different things or computed."""
    unnamed: bool = False
    """Whether the user does not ask for this search: they only name what it finds, with what they want of it ("the newest one of my tax files")."""
    same: dict[str, str] = {}
    """Slots whose values were said some turns ago, and the words that refer to them: "the same day"."""


class Clause(msgspec.Struct):
    """What a person says to ask for one call (or for several that share a sentence)."""

    kind: str
    """`request` (verb phrase), `question`, `want` (noun phrase), or `again` (a request without its verb)."""
    body: Pieces
    first_person: bool
    """Whether "I'd like to …" may stand before a verb phrase."""
    looks_up: bool = False
    """Whether it asks for information only."""
    sentences: list[Phrase] = []
    """Additions that are sentences of their own."""
    trails: bool = False
    """Whether it ends with an addition after a comma, so that the sentence cannot go on with another wish."""


def ask(wanted: WordedWish, draw: Draw, voice: Voice, kinds: Kinds) -> Clause:
    """Return the clause for a wish all of whose values the user says."""
    shape, values = shape_and_values(wanted)
    if wanted.same:
        values = {**values, **{slot: ReferringWords(text) for slot, text in wanted.same.items()}}
        shape = call_shape(wanted.book, values)
    openings = shape.openings(kinds)
    for _ in range(_TRIES if wanted.same else 1):
        opening = openings[int(draw.rand() * len(openings))]
        clause = _clause(opening, values, (wanted.number,), draw, voice, wanted.book.looks_up)
        if not wanted.same or not _TWO_ARTICLES.search(" ".join(map(text_of, (*clause.body, *clause.sentences)))):
            return clause
    raise CannotFillError("every way to ask has words before it that do not go with those for the same thing")


_TRIES = 8
_TWO_ARTICLES = re.compile(
    r"\b(?:the|my|a|an|our|called|named|message|email|event|mail) the same\b|\bthe same (\w+) \1\b|\b(\w+) the same \2\b",
    re.IGNORECASE,
)


def ask_for_list(wishes: Sequence[WordedWish], vary: str, draw: Draw, voice: Voice, kinds: Kinds) -> Clause:
    """Return one clause for wishes that differ only in `vary`: "the weather in Oslo, Rome and Lima"."""
    book = wishes[0].book
    values = said_by_user(wishes[0]).copy()
    values[vary] = Several([(wanted.number, resolve(wanted.said, vary)) for wanted in wishes])
    shape = call_shape(book, values)
    whose = tuple([wanted.number for wanted in wishes])
    return _clause(draw.choice(shape.openings(kinds)), values, whose, draw, voice, book.looks_up)


def ask_again(
    shape: CallShape, wanted: WordedWish, values: Values, draw: Draw, voice: Voice, heads: tuple[Head, ...]
) -> Clause | None:
    """Return a clause without its verb for a further wish for the same tool, or for a line of a list; None when no head fits.

    `values` are those that the user says.
    """
    fitting = shape.fitting(heads)
    if not fitting:
        return None
    opening = shape.opening(fitting[int(draw.rand() * len(fitting))])
    return _clause(opening, values, (wanted.number,), draw, voice, shape.book.looks_up)


def follow_up(wanted: WordedWish, draw: Draw, voice: Voice) -> Clause:
    """Return the clause for a wish some of whose values are described, not said.

    Raises:
        CannotFillError: when nobody has said how to ask for it with these values, of a tool that a model has described.
    """
    book, references = wanted.book, wanted.references
    values = said_by_user(wanted)
    scope: Values = {**values, **{slot: ReferringWords(text) for slot, text in references.items()}}
    whose = (wanted.number,)
    shape = call_shape(book, scope)
    fitting = [head for head in book.follow_up if shape.fits(head.line)]
    naming = [head for head in fitting if wanted.picked & head.line.says] if wanted.picked else fitting
    if wanted.says_all:
        openings = [shape.opening(head) for head in naming] or shape.openings(("request",))
        return _without_on(_clause(draw.choice(openings), scope, whose, draw, voice, book.looks_up))
    if naming:
        opening = shape.opening(draw.choice(naming), frozenset(references))
        return _clause(opening, scope, whose, draw, voice, book.looks_up)
    shape = call_shape(book, values)
    opening = shape.opening(shape.shortest(frozenset(values)))
    if opening.head is book.bare and book.spec.origins.get("phrases.follow_up") in ("model", "human"):
        raise CannotFillError(f"{book.spec.name}: no follow_up says it with {', '.join(values) or 'nothing else'}")
    clause = _clause(opening, values, whose, draw, voice, book.looks_up)
    for slot, text in list(references.items())[:1]:
        said: Spans = [(len("for "), len("for ") + len(text), "reference", "/" + slot, whose)]
        clause.body += [" ", (f"for {text}", said, [(0, Form(key_of("for", slot), 2, 1), whose)])]
    return clause


def _without_on(clause: Clause) -> Clause:
    """Return the clause without the "on" before a description that takes none: "two days before the deadline". Changes the clause."""
    phrase = clause.body[0]
    assert not isinstance(phrase, str)
    text, spans, uses = phrase
    start = next((span[0] for span in spans if span[2] == "reference"), 0)
    if text[:start].endswith(" on ") and not text.startswith("the ", start):
        moved = [(at - 3, end - 3, *rest) if at >= start else (at, end, *rest) for at, end, *rest in spans]
        clause.body[0] = (text[: start - 3] + text[start:], moved, later(uses, -3, start))
    return clause


def found_noun_phrase(wanted: WordedWish, draw: Draw, voice: Voice) -> Clause:
    """Return what a search finds as a noun phrase with the values of its call: "my tax files"."""
    book, values = wanted.book, said_by_user(wanted)
    shape = call_shape(book, values)
    opening = shape.opening(draw.choice(shape.fitting(book.found[:-1]) or book.found[-1:]))
    return _clause(opening, values, (wanted.number,), draw, voice, looks_up=True)


def add_one(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return one value in its frame ("in Rome"); None when no frame says it alone and within a sentence."""
    values = {slot: wanted.said[slot]} if slot in wanted.said else said_by_user(wanted)
    shape = call_shape(wanted.book, values)
    addition = shape.addition(slot)
    if addition.clauses or addition.instead is not None:
        return None
    frames = [
        line for line in addition.frames if line.says == line.needs == {slot} and not (line.is_sentence or line.joins)
    ]
    if addition.frames and not frames:
        return None
    spans: Spans = []
    line, whose = draw.choice(frames) if frames else addition.fallback, (wanted.number,)
    return line.say(values, whose, draw, voice, 0, spans), spans, [(0, line, whose)]


def in_a_clause(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return the words that say a text or number without naming it ("because my plans have changed"); None where there are none."""
    value, frames = wanted.said[slot], wanted.book.frames.get(slot)
    if isinstance(value, bool) or frames is None or not frames.clauses:
        return None
    clauses = call_shape(wanted.book, {slot: value}).addition(slot).clauses
    ways = [way for stated, some in clauses if stated == value for way in some if not way.joins]
    if not ways:
        return None
    way, whose, spans = draw.choice(ways), (wanted.number,), Spans()
    return way.say({slot: value}, whose, draw, voice, 0, spans), spans, [(0, way, whose)]


def value_alone(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase:
    """Return one value without any words around it."""
    here = frozenset({slot})
    template = Template("{" + slot + "}", (Slot(slot, "arguments"),), here, here, frozenset())
    spans: Spans = []
    line, whose = Line("alone", template, wanted.book.slots), (wanted.number,)
    form = Form(key_of("alone", slot), 1, 1)
    return line.say(said_by_user(wanted), whose, draw, voice, 0, spans), spans, [(0, form, whose)]


def shape_and_values(wanted: WordedWish) -> tuple[CallShape, Values]:
    """Return the shape of the values that the user has to say of a wish, and these values, which must not be changed."""
    book, arguments = wanted.book, wanted.said
    key = (*arguments, *map(type, arguments.values()))
    is_usual = list not in key or [] not in arguments.values()
    usual: CallShape | None = book.usual.get(key)
    if usual is not None and is_usual:
        return usual, arguments
    values = said_by_user(wanted)
    shape = call_shape(book, values)
    if values is arguments and is_usual and len(book.usual) < _MOST_KNOWN:
        book.usual[key] = shape
    return shape, values


_MOST_KNOWN = 4096


def said_by_user(wanted: WordedWish) -> Values:
    """Return the values that the user has to say of a wish by slot, without those that the schema fixes; must not be changed."""
    book, arguments = wanted.book, wanted.said
    if book.plain.issuperset(arguments) and dict not in map(type, arguments.values()):
        return arguments
    found: Values = {}
    places = book.places
    for key, part in arguments.items():
        slot = places.get(key)
        if slot is not None and (type(part) is not dict or not part):
            found[slot] = part
        else:
            _collect(book.slots, {key: part}, "", found)
            for slot in book.constants:
                found.pop(slot, None)
    return found


def _collect(wordings: Wordings, value: dict[str, Any], prefix: str, found: Values) -> None:
    """Add the slots of an argument object that have values to `found`, in the order of the object."""
    for key, part in value.items():
        slot = prefix + escape(key)
        if type(part) is dict and part:
            wording = wordings.get(slot)
            if (
                wording is not None
                and wording.shape == "object"
                and all(f"{slot}/{escape(inner)}" in wordings for inner in part)
            ):
                _collect(wordings, part, slot + "/", found)
                continue
        found[slot] = part


def _clause(opening: Opening, values: Values, whose: Whose, draw: Draw, voice: Voice, looks_up: bool) -> Clause:
    """Return a clause that begins with a head and adds all values that the head leaves to be said."""
    rand = draw.rand
    spans: Spans = []
    text = opening.head.line.say(values, whose, draw, voice, 0, spans)
    uses: Uses = [(0, opening.head.line, whose)]
    sentences: list[Phrase] = []
    trailing: list[Line | FixedWords] = []
    rest, is_linked, done, head = opening.rest, opening.is_linked, opening.done, opening.head
    was_with, strung, is_asked = False, 0, head.kind in _NO_ORDERS
    if len(rest) > 1 and rand() < 0.15 and not opening.is_grouped:
        needed = [addition for addition in rest if addition.slot.partition("/")[0] not in opening.optional]
        rest = [*needed, *draw.shuffled([addition for addition in rest if addition not in needed])]
    for addition in rest:
        if is_linked and addition.slot in done:
            continue
        ways = addition.frames if addition.is_free else _lines_for(addition, values, done)
        line = _usual(ways, draw, strung, is_asked)
        if is_linked:
            done |= line.says
        strung += 1
        if line.is_sentence:
            apart: Spans = []
            strung -= 1
            sentences.append((line.say(values, whose, draw, voice, 0, apart), apart, [(0, line, whose)]))
        elif line.joins:
            trailing.append(line)
        else:
            is_more = was_with and line.is_with
            uses.append((len(text) + 1, line, whose))
            added = line.say(values, whose, draw, voice, len(text) + (0 if is_more else 1), spans)
            text = f"{text} and{added[len('with') :]}" if is_more else f"{text} {added}"
            was_with = line.is_with
    for line in trailing:
        uses.append((len(text), line, whose))
        text += line.say(values, whose, draw, voice, len(text), spans)
    return Clause(head.kind, [(text, spans, uses)], head.first_person, looks_up, sentences, bool(trailing))


def _lines_for(addition: Addition, values: Values, done: frozenset[str]) -> Sequence[Line | FixedWords]:
    """Return what can add a value: the clauses for this very value if there are some, or else the frames that repeat no other value."""
    value = values[addition.slot]
    for stated, ways in addition.clauses:
        if stated == value and type(stated) is type(value):
            return ways
    if addition.instead is not None:
        return (addition.instead,)
    frames = addition.frames
    if not addition.alone:
        frames = [frame for frame in frames if frame.says.isdisjoint(done)]
    return frames or (addition.fallback,)


def _usual(lines: Sequence[Line | FixedWords], draw: Draw, strung: int, is_asked: bool) -> Line | FixedWords:
    """Return one of the lines: seldom one that is a sentence of its own, unless so many others are strung together already.

    A question or a noun does not go on with an order: "What does it say and send it to me?".
    """
    if is_asked:
        lines = [line for line in lines if not line.is_order] or lines
    if strung >= _STRUNG or (strung and draw.chance(_APART_AGAIN)):
        lines = [line for line in lines if line.is_sentence] or lines
    elif not draw.chance(_APART):
        lines = [line for line in lines if not line.is_sentence] or lines
    return lines[int(draw.rand() * len(lines))]


_NO_ORDERS = frozenset({"question", "want", "again"})
_STRUNG = 2
"""Additions that one sentence has at most, where the next can be a sentence of its own."""
_APART, _APART_AGAIN = 0.06, 0.5
