"""Verb phrases for calls, as requests have them: said to the user of what could not be done, or would be; or by the user."""

import re
from collections.abc import Collection
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.seeds import Draw
from generator.core.templates import addressed, in_second_person
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import WordedWish, said_by_user
from generator.dialogue.wording.phrases.lines import FixedWords, Line, Values
from generator.dialogue.wording.phrases.phrasebook import Book
from generator.dialogue.wording.phrases.shapes import Addition, CallShape, call_shape
from generator.dialogue.wording.phrases.value_wording import ReferringWords
from generator.dialogue.wording.pieces import Phrase, Spans, Uses, closes, later, moved
from generator.tools.productions import YOUR


def framed(
    forms: list[str],
    book: Book,
    arguments: dict[str, Any],
    call_id: str,
    naming: Collection[str],
    draw: Draw,
    voice: Voice,
    named: Collection[str] = (),
) -> Phrase:
    """Return a verb phrase for a call that says at least the arguments in `naming`, in place of the `…` of one of the forms.

    Those in `named` are keys of things that have just been named: "it" stands for them where a phrase allows that.
    """
    before, _, after = draw.choice(forms).partition("…")
    doing, spans, uses = do_call(book, arguments, call_id, naming, draw, voice, named)
    after = after.removeprefix(".") if closes(doing) else after
    return f"{before}{doing}{after}", moved(spans, len(before)), later(uses, len(before), 0)


def do_call(
    book: Book,
    arguments: dict[str, Any],
    call_id: str,
    naming: Collection[str],
    draw: Draw,
    voice: Voice,
    named: Collection[str] = (),
) -> Phrase:
    """Return a verb phrase for a call ("book a table at Hearth") that says at least the arguments in `naming`."""
    values = said_by_user(WordedWish(book, 0, arguments, {}))
    if named:
        values = {**values, **{slot: ReferringWords("it", "pronoun") for slot in named}}
    return do(book, values, (call_id, "arguments"), naming, draw, voice, to_user=True)


def do(
    book: Book, values: Values, whose: Any, naming: Collection[str], draw: Draw, voice: Voice, *, to_user: bool
) -> Phrase:
    """Return a verb phrase, as the user says it or (`to_user`) as the assistant says it to the user."""

    def address(line: Line) -> Line:
        return _to_the_user(line, book) if to_user else line

    shape = call_shape(book, values)
    fitting = _fitting(book, shape, values)
    plain = [line for line in fitting if not line.is_sentence]
    telling = [line for line in plain if line.says] or plain
    if to_user:  # "I tried to find where you can park", not "to show you where you can park"; "I'd cancel it", not "I'd have it cancelled"
        telling = [line for line in telling if not _HAS_IT_DONE.search(line.template.text)] or telling
        named = f"{book.spec.name.partition('_')[0]} "  # the plain verb: "cancel it", not "call it off"
        telling = [line for line in telling if line.template.text.startswith(named)] or telling
    line = address(draw.choice(telling)) if telling else book.bare.line
    spans: Spans = []
    text = line.say(values, whose, draw, voice, 0, spans)
    owners = whose[:1]
    uses: Uses = [(0, line, owners)]
    done = set(line.says)
    for slot in naming:
        more = _addition(shape.addition(slot), values, done, draw) if slot in values and slot not in done else None
        if more is not None:
            addition = address(more) if isinstance(more, Line) else _told_to_the_user(more, slot) if to_user else more
            gap = "" if addition.joins else " "
            text += gap
            uses.append((len(text), addition, owners))
            text += addition.say(values, whose, draw, voice, len(text), spans)
            done |= more.says
    return text, spans, uses


_HAS_IT_DONE = re.compile(r" me |^(?:get|have|let|make sure|see to it|arrange for|tell|ask|go ahead) ")
"""What somebody says who has something done."""


def _fitting(book: Book, shape: CallShape, values: Values) -> list[Line]:
    """Return the lines that can begin a phrase; where a pronoun stands for a thing, those in which it reads well."""
    pronouns = [slot for slot, value in values.items() if type(value) is ReferringWords]
    if not pronouns:
        return [head.line for head in book.heads if head.kind == "request" and shape.fits(head.line)]
    found = [head.line for head in book.follow_up if shape.fits(head.line) and head.line.says.issuperset(pronouns)]
    if not found:
        raise CannotFillError(f"{book.spec.name}: no follow_up says {', '.join(pronouns)}")
    stiff = [f" {word} {{{slot}" for slot in pronouns for word in ("at", "of")]  # "a refill of it"
    return [line for line in found if not any(text in line.template.text for text in stiff)] or found


def _to_the_user(line: Line, book: Book) -> Line:
    """Return a line of the user as the assistant says it to them ("my" becomes "your")."""
    found = book.doing.get(line)
    if found is None:
        template = in_second_person(line.template)
        found = book.doing[line] = (
            line if template is line.template else Line(YOUR + line.kind, line.template, book.slots, said=template)
        )
    return found


def _told_to_the_user(words: FixedWords, slot: str) -> FixedWords:
    """Return words for a value as the assistant says them to the user: "because you've changed your mind"."""
    text = addressed(words.text)
    return words if text == words.text else FixedWords(text, 0, "clause", slot)


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
