"""Verb phrases for calls, as requests have them: said to the user of what could not be done, or would be; or by the user."""

import re
from collections.abc import Collection
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.seeds import Draw
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import (
    WordedWish,
    clauses_for,
    fits,
    fitting_frames,
    said_by_user,
    words_for_nothing,
)
from generator.dialogue.wording.phrases.tool_phrases import Line, ToolPhrases, Values
from generator.dialogue.wording.phrases.value_wording import ReferringWords
from generator.dialogue.wording.utterance import Phrase, Uses, Utterance, closes, joined


def framed(
    forms: list[str],
    phrases: ToolPhrases,
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
    doing = do_call(phrases, arguments, call_id, naming, draw, voice, named)
    return joined(before, doing, after.removeprefix(".") if closes(doing[0]) else after)


def do_call(
    phrases: ToolPhrases,
    arguments: dict[str, Any],
    call_id: str,
    naming: Collection[str],
    draw: Draw,
    voice: Voice,
    named: Collection[str] = (),
) -> Phrase:
    """Return a verb phrase for a call ("book a table at Hearth") that says at least the arguments in `naming`."""
    values = said_by_user(WordedWish(phrases, 0, arguments, {}))
    if named:
        values = {**values, **{slot: ReferringWords("it", "pronoun") for slot in named}}
    return do(phrases, values, (call_id, "arguments"), naming, draw, voice, to_user=True)


def do(
    phrases: ToolPhrases,
    values: Values,
    whose: Any,
    naming: Collection[str],
    draw: Draw,
    voice: Voice,
    *,
    to_user: bool,
) -> Phrase:
    """Return a verb phrase, as the user says it or (`to_user`) as the assistant says it to the user."""
    plain = [line for line in _fitting(phrases, values) if not line.is_sentence]
    telling = [line for line in plain if line.says] or plain
    if to_user:  # "I tried to find where you can park", not "to show you where you can park"; "I'd cancel it", not "I'd have it cancelled"
        telling = [line for line in telling if not _HAS_IT_DONE.search(line.text)] or telling
        named = f"{phrases.spec.name.partition('_')[0]} "  # the plain verb: "cancel it", not "call it off"
        telling = [line for line in telling if line.text.startswith(named)] or telling
    utterance, done = Utterance(draw, voice), frozenset[str]()
    uses: Uses = []

    def say(line: Line) -> frozenset[str]:
        own = phrases.to_the_user(line) if to_user else line
        uses.append((len(utterance.text), own.form, whose[:1]))
        own.say(values, whose, utterance)
        return done | line.says

    done = say(draw.choice(telling) if telling else phrases.bare)
    for slot in naming:
        more = _addition(phrases, slot, values, done, draw) if slot in values and slot not in done else None
        if more is not None:
            utterance.add("" if more.joins else " ")
            done = say(more)
    return utterance.text, utterance.spans, uses


_HAS_IT_DONE = re.compile(r" me |^(?:get|have|let|make sure|see to it|arrange for|tell|ask|go ahead) ")
"""What somebody says who has something done."""


def _fitting(phrases: ToolPhrases, values: Values) -> list[Line]:
    """Return the lines that can begin a phrase; where a pronoun stands for a thing, those in which it reads well."""
    pronouns = [slot for slot, value in values.items() if type(value) is ReferringWords]
    if not pronouns:
        return [line for line in phrases.lines("request") if fits(line, phrases, values)]
    found = [
        line for line in phrases.lines("follow_up") if fits(line, phrases, values) and line.says.issuperset(pronouns)
    ]
    if not found:
        raise CannotFillError(f"{phrases.spec.name}: no follow_up says {', '.join(pronouns)}")
    stiff = [f" {word} {{{slot}" for slot in pronouns for word in ("at", "of")]  # "a refill of it"
    return [line for line in found if not any(text in line.text for text in stiff)] or found


def _addition(phrases: ToolPhrases, slot: str, values: Values, done: frozenset[str], draw: Draw) -> Line | None:
    """Return what adds a value within the sentence; None for a boolean that no clause says there."""
    value = values[slot]
    within = [line for line in clauses_for(phrases, slot, value) if not line.is_sentence]
    nothing = None if within else words_for_nothing(phrases, slot, value)
    if nothing is not None:
        return nothing
    within = within or [line for line in fitting_frames(phrases, slot, values, done) if not line.is_sentence]
    if not within and type(value) is bool and phrases.clauses(slot):
        return None
    return draw.choice(within) if within else phrases.fallback(slot)
