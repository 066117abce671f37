"""One call as a clause: a head ("find flights from Oslo to Rome") and what is added to it ("for two people")."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.planning import FilledCall
from generator.seeds import Draw
from generator.templates import Template
from generator.wording.phrasebook import Book, fallback_frame
from generator.wording.pieces import Pieces, Said
from generator.wording.saying import Reference, Several, Speech, Values, fill, present
from generator.wording.voice import Voice

_ME = re.compile(r"\bme\b")


class Clause(msgspec.Struct):
    """What a person says to ask for one call (or for several that share a sentence)."""

    kind: str
    """`request` (verb phrase), `question`, `want` (noun phrase), `again` (what is left without the verb)."""
    body: Pieces
    first_person: bool
    """Whether "I'd like to …" may stand before a verb phrase."""
    sentences: list[Pieces] = []
    """Additions that stand as sentences of their own."""


def ask(book: Book, call: FilledCall, draw: Draw, voice: Voice, kinds: Sequence[str]) -> Clause:
    """The clause for a call whose values are all the user's to say."""
    return _ask(book, said_by_user(book, call), Speech(draw, voice, (call.call.id,)), kinds)


def ask_for_list(
    book: Book, calls: Sequence[FilledCall], vary: str, draw: Draw, voice: Voice, kinds: Sequence[str]
) -> Clause:
    """One clause for calls that differ only in `vary`: "the weather in Oslo, Rome and Lima"."""
    values = said_by_user(book, calls[0])
    several = [(call.call.id, said_by_user(book, call)[vary][1]) for call in calls]
    values[vary] = (values[vary][0], Several(several))
    return _ask(book, values, Speech(draw, voice, tuple([call.call.id for call in calls])), kinds)


def ask_again(book: Book, call: FilledCall, draw: Draw, voice: Voice, templates: Sequence[Template]) -> Clause | None:
    """A further call of the tool just asked for (or a line of a list), without its verb."""
    values = said_by_user(book, call)
    fitting = [template for template in templates if _fits(template, values)]
    if not fitting:
        return None
    return _with_additions(book, "again", draw.choice(fitting), values, Speech(draw, voice, (call.call.id,)))


def follow_up(book: Book, calls: Sequence[FilledCall], draw: Draw, voice: Voice) -> Clause:
    """The clause for a call (or one for each element) that takes arguments from earlier results."""
    first = calls[0]
    values = said_by_user(book, first)
    speech = Speech(draw, voice, tuple([call.call.id for call in calls]))
    references = {bound.argument: bound.pick.say if bound.pick else "it" for bound in first.bound}
    picked = {bound.argument for bound in first.bound if bound.pick}
    scope: Values = {**values, **{slot: ("", Reference(text)) for slot, text in references.items()}}
    fitting = [template for template in book.follow_up if _fits(template, scope)]
    naming = [template for template in fitting if picked & template.says] if picked else fitting
    if naming:
        return _with_additions(book, "request", draw.choice(naming), scope, speech, frozenset(references))
    clause = _with_additions(book, "request", _shortest(book, values), values, speech)
    clause.body = [*clause.body, f" for {next(iter(references.values()), 'it')}"]
    return clause


def said_by_user(book: Book, call: FilledCall) -> Values:
    """What the user has to say of a call: neither what a result gives nor what the schema fixes."""
    bound = {bound.argument for bound in call.bound}
    slots = book.slots
    return {
        slot: at
        for slot, at in present(slots, call.call.arguments).items()
        if slot not in bound and not (slot in slots and slots[slot].constant)
    }


def _ask(book: Book, values: Values, speech: Speech, kinds: Sequence[str]) -> Clause:
    options = [
        (kind, template) for kind in kinds for template in book.heads.get(kind, ()) if _fits(template, values)
    ]
    kind, template = speech.draw.choice(options) if options else ("request", _shortest(book, values))
    return _with_additions(book, kind, template, values, speech)


def _fits(template: Template, values: Values) -> bool:
    """Whether all its slots have values that can be said where the template wants them."""
    return template.needs <= values.keys() and not any(
        values[slot][1] is None or isinstance(values[slot][1], bool) for slot in template.says
    )


def _shortest(book: Book, values: Values) -> Template:
    fitting = [template for template in book.heads["request"] if _fits(template, values)]
    return min(fitting, key=lambda template: len(template.text), default=book.bare)


def _with_additions(
    book: Book, kind: str, template: Template, values: Values, speech: Speech, said: frozenset[str] = frozenset()
) -> Clause:
    clause = Clause(kind, fill(template, book.slots, values, speech), not _ME.search(template.text))
    done = set(template.says) | said
    rest = [slot for slot in values if slot not in done]
    if len(rest) > 1 and speech.draw.chance(0.15):
        rest = speech.draw.shuffled(rest)
    for slot in rest:
        if slot not in done:
            _add(book, slot, values, speech, done, clause)
    return clause


def _add(book: Book, slot: str, values: Values, speech: Speech, done: set[str], clause: Clause) -> None:
    """Say one more value: in a clause of its own meaning, or in a frame; in the sentence or after it."""
    wording = book.slots.get(slot)
    text = _clause_for(values[slot][1], wording.clauses if wording else (), speech.draw)
    if text is not None:
        _place(clause, [Said(text, "clause", speech.calls, values[slot][0])], text[:1].isupper())
        done.add(slot)
        return
    frames = []
    if wording is not None and values[slot][1] is not None:
        frames = [f for f in wording.frames if f.says.isdisjoint(done) and _fits_in_frame(f, values)]
    frame = speech.draw.choice(frames) if frames else fallback_frame(slot, wording.schema if wording else {})
    _place(clause, fill(frame, book.slots, values, speech), frame.is_sentence)
    done |= frame.says


def _fits_in_frame(frame: Template, values: Values) -> bool:
    return frame.needs <= values.keys() and not any(values[slot][1] is None for slot in frame.says)


def _clause_for(value: Any, clauses: tuple[tuple[Any, tuple[str, ...]], ...], draw: Draw) -> str | None:
    for stated, texts in clauses:
        if stated == value and type(stated) is type(value):
            return draw.choice(texts)
    return None


def _place(clause: Clause, pieces: Pieces, is_sentence: bool) -> None:
    if is_sentence:
        clause.sentences = [*clause.sentences, pieces]
    else:
        clause.body = [*clause.body, " ", *pieces]
