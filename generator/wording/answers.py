"""The assistant's last message: what the results say, and nothing else."""

from collections.abc import Sequence
from itertools import compress
from operator import ne
from typing import Any

from generator.connectives import BOTH, DONE, FOUND, OFFERS
from generator.planning import FilledCall, FilledStep
from generator.pointers import escape, leaves, split
from generator.seeds import Draw
from generator.wording.phrasebook import Book, Books, answers_in_order
from generator.wording.pieces import Phrase, Pieces, Spans, capital, fit, opening, replaced
from generator.wording.slots import spoken_name
from generator.wording.verbalizers import VERBALIZERS
from generator.wording.voice import Voice


def word_answer(books: Books, steps: Sequence[FilledStep], draw: Draw, voice: Voice) -> Pieces:
    """The final message of a turn; `voice` is the assistant's."""
    rand = draw.rand
    told = steps[-1].calls if len(steps) == 1 else _worth_telling(books, steps, draw)
    differing = _what_differs(told) if len(told) > 1 else [_NOTHING]
    answers: list[Phrase] = []
    for call, naming in zip(told, differing, strict=True):
        answer = _tell(books[call.call.name], call, draw, voice, naming)
        answers.append(answer if not answers or answer[0][:4] != "Done" else _without_done(answer))
    if len(answers) > 2 and rand() < 0.55:
        answers[0] = _without_done(answers[0])
        pieces: Pieces = [draw.choice(_leads(books, told))] if rand() < 0.7 else []
        for answer in answers:
            pieces += ("\n- " if pieces else "- ", answer)
    else:
        pieces = [answers[0]]
        for answer in answers[1:]:
            pieces += (" ", answer)
    if rand() < 0.07:
        pieces += ("\n\n" if "\n- " in pieces else " ", draw.choice(OFFERS))
    return pieces


def _leads(books: Books, told: Sequence[FilledCall]) -> tuple[str, ...]:
    """What may introduce a list of answers: nothing was "found" when something was done."""
    looking = {books[call.call.name].looks_up for call in told}
    return BOTH if len(looking) == 2 else FOUND if True in looking else DONE


def _without_done(answer: Phrase) -> Phrase:
    """Nobody says "Done" twice: in a list, and after the first answer, it is left out."""
    text = answer[0]
    if text.startswith("Done") and text[4:5] in {",", ".", ":", " "}:
        first = opening(answer)
        rest = first[4:].lstrip(",.:—– ")
        if rest or len(first) < len(text):
            return capital(replaced(answer, len(first), rest))
    return answer


def _what_differs(told: Sequence[FilledCall]) -> list[frozenset[str]]:
    """For each call the arguments that tell it from the others of the same tool.

    A value that is not the same in all of these calls differs from that of another one, whichever call it is in.
    """
    by_tool: dict[str, list[dict[str, Any]]] = {}
    for call in told:
        made = call.call
        if made.name in by_tool:
            by_tool[made.name].append(made.arguments)
        else:
            by_tool[made.name] = [made.arguments]
    if len(by_tool) == len(told):
        return [_NOTHING] * len(told)
    differing = {name: _differing(several) if len(several) > 1 else _NOTHING for name, several in by_tool.items()}
    return [differing[call.call.name].intersection(call.call.arguments) for call in told]


_NOTHING: frozenset[str] = frozenset()


def _differing(several: list[dict[str, Any]]) -> frozenset[str]:
    """The keys whose values are not the same in all of these objects; one that is missing counts as null."""
    first = several[0]
    keys = tuple(first)
    found: set[str] = set()
    for other in several[1:]:
        if tuple(other) == keys:
            found.update(compress(keys, map(ne, first.values(), other.values())))
        else:
            found.update([key for key, value in other.items() if first.get(key) != value])
            found.update([key for key, value in first.items() if other.get(key) != value])
    return frozenset(found)


def _worth_telling(books: Books, steps: Sequence[FilledStep], draw: Draw) -> list[FilledCall]:
    """What has been done, and what was found for its own sake; of a list of calls for each element only these."""
    if steps[-1].for_each:
        return list(steps[-1].calls)
    calls = [call for step in steps for call in step.calls]
    acting = {call.call.id for call in calls if not books[call.call.name].looks_up}
    takers: dict[str, set[str]] = {}
    for call in calls:
        for bound in call.bound:
            takers.setdefault(bound.call_id, set()).add(call.call.id)
    told = []
    for call in calls:
        others = takers.get(call.call.id, _NOTHING)
        # what only served to find something need not be told; after an action it may be true no more
        if call.call.id in acting or not others or (acting.isdisjoint(others) and draw.chance(0.45)):
            told.append(call)
    return told


def _tell(book: Book, call: FilledCall, draw: Draw, voice: Voice, naming: frozenset[str]) -> Phrase:
    """A sentence about one result: any of the tool's that the result has the values for.

    Those that say one of the arguments in `naming` come first, so that several answers can be told apart.
    """
    count = len(book.answers)
    if count:
        made, result, arguments = call.call, call.result, call.call.arguments
        start = int(draw.rand() * count)
        for answer in book.orders.get((start, naming)) or answers_in_order(book, start, naming):
            told = answer.tell(result, arguments, made.id, draw, voice)
            if told is not None:
                return told
    return _tell_plainly(book, call, voice)


def _tell_plainly(book: Book, call: FilledCall, voice: Voice) -> Phrase:
    """For results nobody wrote phrases for: their fields by name."""
    result = call.result
    fields, text = [("", result)], "The result is "
    if isinstance(result, dict):
        fields = [(pointer, value) for pointer, value in leaves(result) if value not in ([], {})][:6]
        name = book.bare.line.template.text
        text = f"{name[:1].upper()}{name[1:]}: "
    if not fields:
        return "Done.", [], 1
    spans: Spans = []
    for index, (pointer, value) in enumerate(fields):
        said = VERBALIZERS["json"].say(value, voice) or "null"
        if isinstance(result, dict):
            name = " ".join(filter(None, [spoken_name(escape(step)) for step in split(pointer)])) or "value"
            before, said = fit(f"{name} ", said, "json")
            text += f"{', ' if index else ''}{before}"
        spans.append((len(text), len(text) + len(said), "json", pointer, (call.call.id, "result")))
        text += said
    return text + ".", spans, 2 * len(spans) + 1
