"""Functions that say single values, composed for each slot when a tool is loaded."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import msgspec

from generator.core.connectives import CONNECTIVES
from generator.core.seeds import Draw
from generator.core.templates import Root
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.texts import is_like_a_number
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.slots import Forms, SlotWording
from generator.dialogue.wording.utterance import Utterance
from generator.tools.productions import spoken_name


def what_follows(number: int) -> tuple[str, ...]:
    """Return the text that follows each of so many things that are listed; that of the last is empty."""
    return *CONNECTIVES.separators[:1] * (number - 2), *CONNECTIVES.separators[1:] * (number > 1), ""


Speaker = Literal["user", "assistant"]
"""Users say all forms of an enum value; the assistant says the one that the user has said last, or the first."""
SayValue = Callable[[Any, Draw, Voice], tuple[str, str]]
"""(value, draw, voice) → (words, verbalizer)."""
SayParts = Callable[[Any, str, Any, Utterance], None]
"""(value, pointer, owner, utterance): adds a value that may be said in several pieces, and their spans."""

_SMALL = frozenset(range(2, 13))
"""Numbers that some people write as words."""
_SPELT = frozenset((*range(1, 22), *range(25, 100, 5), 28, *range(100, 1001, 50)))
"""Numbers that may be words wherever values are said in other words."""


class ReferringWords(msgspec.Struct, frozen=True):
    """Words that stand for a value which an earlier result holds: "the cheapest one"; or (`way`) a pronoun for what has been named."""

    text: str
    way: str = "reference"


class Several(msgspec.Struct, frozen=True):
    """One slot's values in several wishes."""

    values: list[tuple[int, Any]]
    """(number of the wish, value) pairs."""


def compile_leaf(
    wording: SlotWording | None,
    of: Root,
    speaker: Speaker,
    asked: str | None = None,
    alone: bool = False,
    free: bool = False,
) -> SayValue:
    """Return the function that says the values of a slot.

    Args:
        wording: What is known of the slot.
        of: Where its values are.
        speaker: Who says it.
        asked: The verbalizer that a template names.
        alone: Words stand on both sides, so that small numbers may be words too.
        free: Nothing stands beside it that belongs to the value, such as its unit, so that it may be said in any words.
    """
    if wording is None:
        return chain(("json",), "")
    usual = _compile_usual(wording, of, speaker, asked, alone)
    if speaker == "assistant" or of != "arguments" or asked is not None:
        return usual
    ways = _other_ways(wording, alone=alone, free=free)
    return _or_otherwise(usual, ways) if ways else usual


def _compile_usual(wording: SlotWording, of: Root, speaker: Speaker, asked: str | None, alone: bool) -> SayValue:
    """Return the function that says the values of a slot as they are usually said."""
    names = wording.verbalizers
    if asked is not None:
        named = [name for name in FAMILIES.get(asked, (asked,)) if name in VERBALIZERS]
        names = tuple(dict.fromkeys((*named, *names)))
    forms = wording.forms if asked in {None, "enum"} else {}
    names = tuple(name for name in names if name != "enum" or not wording.forms)
    nothing = spoken_name(wording.slot) if of == "arguments" else ""
    say = chain(names, nothing)
    if alone and asked is None and "words" in names and speaker == "user":
        say = _or_number_word(say, chain(("words", *names), nothing))
    if of == "arguments" and "literal" in names:
        is_number = is_like_a_number if wording.quote_numbers and asked is None else None
        in_quotes = chain(("quoted", "json"), nothing)
        say = _or_quoted(say, in_quotes, is_number, wording.find_other_words)
    return _or_form(say, forms, wording.other_forms, speaker) if forms else say


Way = tuple[str, Callable[[Any, Voice], str | None]]
"""A verbalizer, and what says a value."""


def _other_ways(wording: SlotWording, *, alone: bool, free: bool) -> tuple[Way, ...]:
    """Return the ways to say a slot's values in other words, where its text leaves room for them."""
    found: list[Way] = []
    for name in wording.otherwise:
        if name == "meaning":
            found.append((name, _by_meaning(wording.meanings, free)))
        elif name == "words":
            found += [(name, _number_word)] if alone else []
        elif name == "code":
            found += [(name, _without_prefix(wording.prefix or ""))] if free else []
        elif free:
            found.append((name, VERBALIZERS[name].say))
    return tuple(found)


def _or_otherwise(say: SayValue, ways: tuple[Way, ...]) -> SayValue:
    """Return a function that says a share of the values in other words, as large as the speaker's habit is."""

    def say_otherwise(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
        if draw.rand() < voice.otherwise:
            for name, verbalize in ways:
                text = verbalize(value, voice)
                if text is not None:
                    return text, name
        return say(value, draw, voice)

    return say_otherwise


def _by_meaning(meanings: Forms, free: bool) -> Callable[[Any, Voice], str | None]:
    """Return what says an enum member by its meaning; forms of several words only where nothing follows.

    An abbreviation (`Tue` for `Tuesday`) is said by those who are brief in general.
    """
    known = {
        value: fitting
        for value, forms in meanings.items()
        if (fitting := tuple(form for form in forms if free or " " not in form))
    }

    def say_meaning(value: Any, voice: Voice) -> str | None:
        """Return a member by its meaning; None where it has none, or where that is the beginning of its own name."""
        forms = known.get(value) if type(value) is str else None
        if forms is None:
            return None
        is_brief = voice.short_months or voice.tight_meridiem
        form = forms[-1] if is_brief else forms[0]
        return form if is_brief or not value.casefold().startswith(form.casefold()) else None

    return say_meaning


def _number_word(value: Any, voice: Voice) -> str | None:
    """Return a small number in words ("twenty"); None for other values."""
    is_small = type(value) in (int, float) and value in _SPELT
    return VERBALIZERS["words"].say(int(value), voice) if is_small else None


def _without_prefix(prefix: str) -> Callable[[Any, Voice], str | None]:
    """Return what says an identifier without its first letters: `RES-027995` as "27995" where the prefix is `RES-`."""
    say_code = VERBALIZERS["code"].say
    return lambda value, voice: say_code(value, voice) if str(value).startswith(prefix) else None


@lru_cache(maxsize=1024)
def _or_number_word(say: SayValue, in_words: SayValue) -> SayValue:
    """Return a function that says small numbers in words where the speaker likes that, and all other values with `say`."""

    def say_number(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
        if voice.small_numbers_as_words and type(value) is int and value in _SMALL:
            return in_words(value, draw, voice)
        return say(value, draw, voice)

    return say_number


@lru_cache(maxsize=1024)
def _or_quoted(say: SayValue, in_quotes: SayValue, *finds: Callable[[str], object] | None) -> SayValue:
    """Return a function that puts text in quotation marks that would be taken for something else, as one of `finds` tells."""
    asked = [find for find in finds if find is not None]

    def say_text(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
        text, verbalizer = say(value, draw, voice)
        is_other = verbalizer == "literal" and any(find(text) for find in asked)
        return in_quotes(value, draw, voice) if is_other else (text, verbalizer)

    return say_text


def _or_form(say: SayValue, forms: Forms, several: Forms, speaker: Speaker) -> SayValue:
    """Return a function that says the values of an enum by their usual form; a user by those in `several`, too.

    The assistant says them as the user has called them. A form with words for the user themselves ("in my car") stays theirs, and
    one with an article takes another place in a sentence.
    """
    usual = {(type(value), value): (found[0], "enum") for value, found in forms.items()}
    sayable = {(value, form) for value, found in forms.items() for form in found if not _OF_USERS.search(form)}

    def say_form(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
        """Return a member in spoken form (`in_progress` → "in progress") and the verbalizer that says it."""
        kind = type(value)
        found = usual.get((kind, value)) if kind in _WITH_FORMS else None
        if found is None:
            return say(value, draw, voice)
        if speaker == "user":
            is_other = value in several and draw.rand() < voice.otherwise
            return (draw.choice(several[value]), "enum") if is_other else found
        heard = voice.heard.get((kind, value))
        return (heard, "enum") if heard is not None and (value, heard) in sayable else found

    return say_form


_OF_USERS = re.compile(r"\b(?:I|me|my|mine|we|us|our|you|your)\b|^(?:the|an?) ")
_WITH_FORMS = (str, bool, int)


@lru_cache(maxsize=1024)
def chain(names: tuple[str, ...], nothing: str) -> SayValue:
    """Return a function that says a value with the first verbalizer that can; the last, json, can say anything.

    A null is said as "no `nothing`" where that is given, and words that stand in for a value as they are. The values of
    many slots are said in the same way, by the same function.
    """
    (first_name, first), *others = [(name, VERBALIZERS[name].say) for name in names]

    def say_other(value: Any, voice: Voice) -> tuple[str, str]:
        if type(value) is ReferringWords:
            return value.text, value.way
        for name, verbalize in others:
            if name == "json" and value is None and nothing:
                return f"no {nothing}", "nothing"
            text = verbalize(value, voice)
            if text is not None:
                return text, name
        return "", "json"  # NaN and the like: no reader accepts an empty text, so the row is rejected

    if first_name == "json":
        others = [(first_name, first)]
        return lambda value, draw, voice: say_other(value, voice)

    def say(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
        text = first(value, voice)
        return (text, first_name) if text is not None else say_other(value, voice)

    return say


def compile_one(say: SayValue) -> SayParts:
    """Return the function that adds one value."""

    def add_one(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        utterance.add_value(*say(value, utterance.draw, utterance.voice), pointer, owner)

    return add_one


def or_several(say: SayParts) -> SayParts:
    """Return a function that also adds `Several` values one after the other, each for its wish."""

    def add_any(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        if type(value) is not Several:
            say(value, pointer, owner, utterance)
            return
        for (wish, own), after in zip(value.values, what_follows(len(value.values)), strict=True):
            say(own, pointer, (wish,), utterance)
            utterance.add(after)

    return add_any
