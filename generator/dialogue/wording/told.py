"""What the user asks for in a story: a sentence of its file for each thing that is wanted."""

from itertools import groupby

from generator.core.planning import Say
from generator.core.pointers import escape, resolve
from generator.dialogue.wording.clauses import said_by_user
from generator.dialogue.wording.phrases.lines import Values
from generator.dialogue.wording.phrases.value_wording import ReferringWords, Several
from generator.dialogue.wording.pieces import Pieces, Spans, capitalise, closes
from generator.dialogue.wording.referring import wanted_of
from generator.dialogue.wording.transcript import Transcript


def word_told(talk: Transcript, event: Say) -> Pieces:
    """Return the sentences of a request; wishes in a row with the same one differ in a value, which it lists."""
    pieces: Pieces = []
    told = [number for number, wish in enumerate(event.wishes) if wish.form]
    for form, run in groupby(told, key=lambda number: event.wishes[number].form):
        numbers = tuple(run)
        wanted = [wanted_of(talk, event, number) for number in numbers]
        first = wanted[0]
        words = {**first.references, **first.same}
        values: Values = {**said_by_user(first), **{slot: ReferringWords(text) for slot, text in words.items()}}
        stated = event.wishes[first.number].stated
        values |= {slot: ReferringWords(text, "clause") for slot, text in stated.items() if slot not in words}
        for slot in [slot for slot, value in first.said.items() if any(one.said[slot] != value for one in wanted)]:
            values[escape(slot)] = Several([(one.number, resolve(one.said, escape(slot))) for one in wanted])
        line, spans = first.book.told[form], Spans()
        text = line.say(values, numbers, talk.draw, talk.voice, 0, spans)
        text = text[:-1] if text[-1:] == "." and closes(text[:-1]) else text
        said: Pieces = [(text, spans, [(0, line, numbers)])]
        capitalise(said)
        pieces += [*([" "] if pieces else []), *said]
    return pieces
