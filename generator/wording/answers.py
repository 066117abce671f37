"""The assistant's last message: what the results say, and nothing else."""

from collections.abc import Sequence
from typing import Any

from generator.planning import FilledCall, FilledStep
from generator.pointers import leaves, resolve, split
from generator.seeds import Draw
from generator.templates import Slot, Template
from generator.wording.phrasebook import Book, words_of
from generator.wording.pieces import Pieces, Said, capitalised
from generator.wording.requests import Books
from generator.wording.saying import Speech, fill
from generator.wording.verbalizers import VERBALIZERS
from generator.wording.voice import Voice

_OFFERS = (
    "Let me know if you need anything else.",
    "Anything else I can help with?",
    "Is there anything else you'd like me to do?",
    "Just say the word if you want to change anything.",
)


def word_answer(books: Books, steps: Sequence[FilledStep], draw: Draw, voice: Voice) -> Pieces:
    """The final message of a turn; `voice` is the assistant's."""
    told = _worth_telling(steps, draw)
    answers = [_tell(books[call.spec.name], call, draw, voice) for call in told]
    if len(answers) > 2 and draw.chance(0.55):
        pieces: Pieces = [draw.choice(_leads(told))] if draw.chance(0.7) else []
        for answer in answers:
            pieces += ["\n- " if pieces else "- ", *answer]
    else:
        pieces = list(answers[0])
        for answer in answers[1:]:
            pieces += [" ", *answer]
    if draw.chance(0.07):
        pieces = [*pieces, "\n\n" if "\n- " in pieces else " ", draw.choice(_OFFERS)]
    return pieces


_LOOKING = frozenset(
    {"check", "compare", "convert", "estimate", "find", "get", "list", "look", "lookup", "preview", "quote"}
    | {"read", "search", "show", "track"}
)
"""First words of the names of tools that only look something up."""
_FOUND = ("Here's what I found:", "Here you go:", "Here's what came back:", "Here are the results:")
_DONE = ("All done:", "Done. Here's where things stand:", "That's all taken care of:", "All sorted:")
_BOTH = ("Here's the rundown:", "Here you go:", "Here's where things stand:", "Here's a quick summary:")


def _leads(told: Sequence[FilledCall]) -> tuple[str, ...]:
    """What may introduce a list of answers: nothing was "found" when something was done."""
    looking = {words_of(call.spec.name).split(" ")[0] in _LOOKING for call in told}
    return _BOTH if len(looking) == 2 else _FOUND if True in looking else _DONE


def _worth_telling(steps: Sequence[FilledStep], draw: Draw) -> list[FilledCall]:
    """All calls of the last step, and those before it when they are not too many."""
    last = list(steps[-1].calls)
    if len(steps) == 1:
        return last
    if steps[-1].for_each:
        return last
    earlier = [call for step in steps[:-1] for call in step.calls]
    needed = {bound.call_id for call in last for bound in call.bound}
    # a result that only served to find something for the next call need not be told
    told = [call for call in earlier if call.call.id not in needed or draw.chance(0.45)]
    return [*told, *last]


def _tell(book: Book, call: FilledCall, draw: Draw, voice: Voice) -> Pieces:
    """A sentence about one result."""
    speech = Speech(draw, voice, (call.call.id,), "result", varied=False)
    told = []
    for template, when in book.answers:
        if all(_value(call.result, slot) == value for slot, value in when):
            values = _values(template, call)
            if values is not None:
                told.append((template, values))
    if not told:
        return _tell_plainly(book, call, speech)
    template, values = draw.choice(told)
    return capitalised(_fill_answer(template, book, values, speech))


def _values(template: Template, call: FilledCall) -> dict[tuple[str, str], tuple[str, Any]] | None:
    """(root, slot) → (pointer, value) of all that the template names; None when something is missing."""
    found: dict[tuple[str, str], tuple[str, Any]] = {}
    for segment in template.segments:
        if isinstance(segment, str):
            continue
        source = call.call.arguments if segment.of == "arguments" else call.result
        value = _value(source, segment.slot)
        if value is None or value == []:
            return None
        found[segment.of, segment.slot] = ("" if segment.slot == "." else "/" + segment.slot, value)
    return found


def _value(source: Any, slot: str) -> Any:
    if slot == ".":
        return source
    try:
        return resolve(source, slot)
    except LookupError:
        return None


def _fill_answer(
    template: Template, book: Book, values: dict[tuple[str, str], tuple[str, Any]], speech: Speech
) -> Pieces:
    pieces: Pieces = []
    for segment in template.segments:
        if isinstance(segment, str):
            pieces.append(segment)
            continue
        pointer, value = values[segment.of, segment.slot]
        if segment.count:
            value = len(value)
        if not isinstance(segment, Slot):
            pieces.append(segment.one if value in (1, 1.0) else segment.many)
        elif segment.count:
            text = VERBALIZERS["count"].say(value, speech.voice) or str(value)
            pieces.append(Said(text, "count", speech.calls, pointer, "result"))
        elif segment.of == "arguments":
            own = Speech(speech.draw, speech.voice, speech.calls, "arguments", varied=False)
            pieces += fill(_only(segment), book.slots, {segment.slot: (pointer, value)}, own)
        else:
            pieces += fill(_only(segment), book.results, {segment.slot: (pointer, value)}, speech)
    return pieces


def _only(segment: Slot) -> Template:
    here = frozenset({segment.slot})
    return Template("", (segment,), here, here, frozenset())


def _tell_plainly(book: Book, call: FilledCall, speech: Speech) -> Pieces:
    """For results nobody wrote phrases for: their fields by name."""
    result = call.result
    if not isinstance(result, dict):
        return ["The result is ", Said(_json(result, speech), "json", speech.calls, "", "result"), "."]
    fields = [(pointer, value) for pointer, value in leaves(result) if value not in ([], {})][:6]
    if not fields:
        return ["Done."]
    pieces: Pieces = [f"{capitalised([words_of(book.spec.name)])[0]}: "]
    for index, (pointer, value) in enumerate(fields):
        name = " ".join(words_of(step) for step in split(pointer) if not step.isdecimal())
        pieces += [", " if index else "", name + " ", Said(_json(value, speech), "json", speech.calls, pointer, "result")]
    return [*pieces, "."]


def _json(value: Any, speech: Speech) -> str:
    return VERBALIZERS["json"].say(value, speech.voice) or "null"
