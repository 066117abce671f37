"""One call as a clause: a head ("find flights from Oslo to Rome") and what is added to it ("for two people")."""

from collections.abc import Sequence
from typing import Any

import msgspec

from generator.planning import Bound, FilledCall
from generator.pointers import escape, resolve
from generator.seeds import Draw
from generator.wording.lines import Line, Reference, Several, Values, add, fill
from generator.wording.phrasebook import Book, Frames, Head, Kinds, fits, fitting_heads, shortest, unknown_frame
from generator.wording.pieces import Pieces, Said
from generator.wording.sayers import Speech
from generator.wording.slots import Wordings, spoken_name
from generator.wording.voice import Voice


class Clause(msgspec.Struct, gc=False):
    """What a person says to ask for one call (or for several that share a sentence)."""

    kind: str
    """`request` (verb phrase), `question`, `want` (noun phrase), `again` (what is left without the verb)."""
    body: Pieces
    first_person: bool
    """Whether "I'd like to …" may stand before a verb phrase."""
    looks_up: bool = False
    """Whether it only asks for information."""
    sentences: list[Pieces] = []
    """Additions that stand as sentences of their own."""


def ask(book: Book, call: FilledCall, draw: Draw, voice: Voice, kinds: Kinds) -> Clause:
    """The clause for a call whose values are all the user's to say."""
    return _ask(book, said_by_user(book, call), Speech(draw, voice, (call.call.id,)), kinds)


def ask_for_list(
    book: Book, calls: Sequence[FilledCall], vary: str, draw: Draw, voice: Voice, kinds: Kinds
) -> Clause:
    """One clause for calls that differ only in `vary`: "the weather in Oslo, Rome and Lima"."""
    values = said_by_user(book, calls[0])
    several = [(call.call.id, resolve(call.call.arguments, vary)) for call in calls]
    values[vary] = (values[vary][0], Several(several))
    return _ask(book, values, Speech(draw, voice, tuple([call.call.id for call in calls])), kinds)


def ask_again(
    book: Book, call: FilledCall, values: Values, draw: Draw, voice: Voice, lines: Sequence[Line]
) -> Clause | None:
    """A further call of the tool just asked for (or a line of a list), without its verb; `values` are the user's."""
    fitting = [line for line in lines if fits(line, values)]
    if not fitting:
        return None
    head = Head("again", draw.choice(fitting), False)
    return _with_additions(book, head, values, Speech(draw, voice, (call.call.id,)))


def follow_up(
    book: Book, calls: Sequence[FilledCall], draw: Draw, voice: Voice, known: frozenset[tuple[str, str]] = frozenset()
) -> Clause:
    """The clause for a call (or one for each element) that takes arguments from earlier results.

    `known` are the (call id, pointer) places of values that the sentence before is about: they are "it" now.
    """
    first = calls[0]
    values = said_by_user(book, first)
    speech = Speech(draw, voice, tuple([call.call.id for call in calls]))
    references = {
        bound.argument: "it" if bound.pick is None or _is_it(bound, known) else bound.pick.say for bound in first.bound
    }
    picked = {bound.argument for bound in first.bound if bound.pick}
    scope: Values = {**values, **{slot: ("/" + slot, Reference(text)) for slot, text in references.items()}}
    fitting = [head for head in book.follow_up if fits(head.line, scope)]
    naming = [head for head in fitting if picked & head.line.says] if picked else fitting
    if naming:
        return _with_additions(book, draw.choice(naming), scope, speech, frozenset(references))
    clause = _with_additions(book, shortest(book, frozenset(values))[0], values, speech)
    for slot, text in list(references.items())[:1]:
        clause.body = [*clause.body, " for ", Said(text, "reference", speech.calls, "/" + slot)]
    return clause


def _is_it(bound: Bound, known: frozenset[tuple[str, str]]) -> bool:
    """Whether the sentence before was about the same thing: "the cheapest one" is "it" now, "the top match" may be a person."""
    return (bound.call_id, bound.pointer) in known and bound.pick is not None and bound.pick.say.endswith(" one")


def said_by_user(book: Book, call: FilledCall) -> Values:
    """What the user has to say of a call: neither what a result gives nor what the schema fixes."""
    found: Values = {}
    places = book.places
    for key, part in call.call.arguments.items():
        place = places.get(key)
        if place is not None and (type(part) is not dict or not part):
            found[place[0]] = (place[1], part)
        else:
            _collect(book.slots, {key: part}, "", "", found)
            for slot in book.constants:
                found.pop(slot, None)
    for bound in call.bound:
        found.pop(bound.argument, None)
    return found


def _collect(wordings: Wordings, value: dict[str, Any], prefix: str, pointer: str, found: Values) -> None:
    """The slots of an argument object that have values, in the order of the object."""
    for key, part in value.items():
        slot, place = prefix + escape(key), f"{pointer}/{escape(key)}"
        if type(part) is dict and part:
            wording = wordings.get(slot)
            if wording is not None and wording.shape == "object" and all(f"{slot}/{escape(inner)}" in wordings for inner in part):
                _collect(wordings, part, slot + "/", place, found)
                continue
        found[slot] = (place, part)


def _ask(book: Book, values: Values, speech: Speech, kinds: Kinds) -> Clause:
    return _with_additions(book, speech.draw.choice(fitting_heads(book, values, kinds)), values, speech)


def _with_additions(
    book: Book, head: Head, values: Values, speech: Speech, said: frozenset[str] = frozenset()
) -> Clause:
    line = head.line
    clause = Clause(head.kind, fill(line, values, speech), head.first_person, book.looks_up, [])
    done = said | line.says if said else line.says
    rest = [slot for slot in values if slot not in done]
    if len(rest) > 1 and speech.draw.chance(0.15):
        rest = speech.draw.shuffled(rest)
    for slot in rest:
        if slot not in done:
            done |= _add(book.frames.get(slot), slot, values, speech, done, clause)
    return clause


def _add(
    frames: Frames | None, slot: str, values: Values, speech: Speech, done: frozenset[str], clause: Clause
) -> frozenset[str]:
    """Say one more value, in a clause of its own or in a frame, in the sentence or after it; what it says."""
    pointer, value = values[slot]
    text = _clause_for(value, frames.clauses, speech.draw) if frames is not None and frames.clauses else None
    if text is not None:
        _place(clause, [Said(text, "clause", speech.calls, pointer)], text[:1].isupper())
        return frozenset({slot})
    name = spoken_name(slot) if value is None or (type(value) is list and not value) else ""
    if name:
        verbalizer = "nothing" if value is None else "empty"
        _place(clause, ["with ", Said(f"no {name}", verbalizer, speech.calls, pointer)], False)
        return frozenset({slot})
    fitting = _fitting_frames(frames, value, values, done) if frames is not None else ()
    line = speech.draw.choice(fitting) if fitting else frames.fallback if frames else unknown_frame(slot)
    if line.is_sentence:
        clause.sentences.append(fill(line, values, speech))
    else:
        clause.body.append(" ")
        add(line, values, speech, clause.body)
    return line.says


def _fitting_frames(frames: Frames, value: Any, values: Values, done: frozenset[str]) -> tuple[Line, ...] | list[Line]:
    """The frames that can say the value beside what is said already."""
    if frames.alone:
        return frames.lines if value is not None else ()
    return [line for line in frames.lines if line.says.isdisjoint(done) and _fits_in_frame(line, values)]


def _fits_in_frame(line: Line, values: Values) -> bool:
    return line.needs <= values.keys() and not any(values[slot][1] is None for slot in line.says)


def _clause_for(value: Any, clauses: tuple[tuple[Any, tuple[str, ...]], ...], draw: Draw) -> str | None:
    for stated, texts in clauses:
        if stated == value and type(stated) is type(value):
            return draw.choice(texts)
    return None


def _place(clause: Clause, pieces: Pieces, is_sentence: bool) -> None:
    if is_sentence:
        clause.sentences.append(pieces)
    else:
        clause.body += [" ", *pieces]
