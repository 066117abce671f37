"""How one phrase is said: its template as a list of parts, each some words and a value, and the loop that goes through them.

What can be known of a slot when its tool is first spoken of (such as its verbalizers) is worked out once; the loop only says values
and notes where they stand.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from generator.arguments.kinds.units import says_unit
from generator.core.connectives import GOES_ON
from generator.core.seeds import Draw
from generator.core.templates import MONEY, OF_TWO, Plural, Root, Segment, Slot
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.names import say_point
from generator.dialogue.values.numbers import Money
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.slots import SlotWording, Wordings
from generator.dialogue.wording.phrases.value_wording import (
    SayParts,
    SayValue,
    Speaker,
    compile_leaf,
    compile_one,
    or_several,
)
from generator.dialogue.wording.utterance import Utterance

CompileList = Callable[[SlotWording, Wordings, SayValue, Root, Speaker, bool], SayParts]
GetValue = Callable[[Any], Any]
SayPhrase = Callable[[Any, str, Any, Any, Utterance], None]
"""(values, pointer of these values, their owner, owner of values that are given to the call whose result is told, utterance)."""


class ValuePlace(NamedTuple):
    """Where the value of a slot is and how it is said."""

    get: GetValue
    """Gets it from all values of the phrase."""
    pointer: str
    """Where it is, from where these values are."""
    wording: SlotWording | None
    scope: Wordings
    """The wordings of the other slots of the same root."""
    of: Root
    given: bool = False
    """Whether it is one of the call's arguments in a sentence about its result."""


def compile_parts(
    segments: tuple[Segment, ...],
    place_of: Callable[[str, Root], ValuePlace],
    speaker: Speaker,
    compile_list: CompileList,
    capital: bool = False,
) -> SayPhrase:
    """Return the function that adds a phrase to an utterance; with a capital at its beginning, if it begins with words."""
    parts: list[tuple[str, GetValue, str, bool, SayParts]] = []
    words = ""
    for index, segment in enumerate(segments):
        begins = capital and not index
        if isinstance(segment, str):
            words = _begun(segment) if begins else segment
            continue
        place = place_of(segment.slot, segment.of)
        get, is_given = place.get, place.given and not segment.count
        if isinstance(segment, Plural):
            say = _choice(segment, begins)
        elif segment.verbalizer in OF_TWO:
            second = place_of(segment.also, segment.of)
            say, get = _of_two(segment.verbalizer or "", place.pointer, second.pointer), _both(get, second.get)
        else:
            if segment.verbalizer == MONEY:
                get = _with_currency(get, place_of(segment.also, segment.of).get)
            say = _compile_slot(segments, index, segment, place, speaker, compile_list)
        parts.append((words, get, place.pointer, is_given, say))
        words = ""

    def say_phrase(values: Any, prefix: str, owner: Any, given_to: Any, utterance: Utterance) -> None:
        for before, get, pointer, is_given, say in parts:
            utterance.add(before)
            say(get(values), prefix + pointer, given_to if is_given else owner, utterance)
        utterance.add(words)

    return say_phrase


def _both(get_first: GetValue, get_second: GetValue) -> GetValue:
    return lambda values: (get_first(values), get_second(values))


def _with_currency(get_amount: GetValue, get_currency: GetValue) -> GetValue:
    """Return what gets an amount with its currency; where it has none, the amount alone."""

    def get(values: Any) -> Any:
        amount, currency = get_amount(values), get_currency(values)
        return Money(amount, currency) if type(amount) in (int, float) and type(currency) is str else amount

    return get


def _of_two(verbalizer: str, first: str, second: str) -> SayParts:
    """Return what says two values as one, at the end of these pointers: its text says each of them."""
    sayer, before = VERBALIZERS[verbalizer], "at " if verbalizer == "where" else ""

    def say(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        voice, start = utterance.voice, len(utterance.text)
        text = sayer.say(value, voice) if utterance.draw.rand() < voice.otherwise else None
        utterance.add(text or f"{before}{say_point(value, voice)}")
        for at in (pointer, pointer.removesuffix(first) + second):
            utterance.spans.append((start, len(utterance.text), verbalizer, at, owner))

    return say


def _compile_slot(
    segments: tuple[Segment, ...],
    index: int,
    segment: Slot,
    place: ValuePlace,
    speaker: Speaker,
    compile_list: CompileList,
) -> SayParts:
    """Return what says the value of the slot at `index`."""
    wording = place.wording
    if segment.count:
        return compile_one(_say_count)
    alone = _stands_alone(segments, index)
    free = alone and _is_free(segments, index)
    leaf = compile_leaf(wording, place.of, speaker, segment.verbalizer, alone, free)
    if wording is not None and wording.shape in {"list", "objects"}:
        return compile_list(wording, place.scope, leaf, place.of, speaker, free)
    say = compile_one(leaf)
    return or_several(say) if wording is not None and wording.varies and speaker == "user" else say


def _say_count(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
    return VERBALIZERS["count"].say(len(value), voice) or str(len(value)), "count"


def _choice(plural: Plural, begins: bool) -> SayParts:
    """Return what says the words for one, or those for many; they say no value."""
    one, many = (_begun(words) if begins else words for words in (plural.one, plural.many))
    size = len if plural.count else None

    def choose(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        utterance.add(one if (size(value) if size else value) in (1, 1.0) else many)

    return choose


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _stands_alone(segments: tuple[Segment, ...], index: int) -> bool:
    """Whether words stand on both sides of a value, so that a number may be a word too ("$two" may not)."""
    before = segments[index - 1] if index else " "
    after = segments[index + 1] if index + 1 < len(segments) else " "
    return (
        isinstance(before, str)
        and before.endswith(" ")
        and isinstance(after, str)
        and after[:1] in " ,.;:?!"
        and after[:3] != " x "
    )


def _is_free(segments: tuple[Segment, ...], index: int) -> bool:
    """Whether nothing that stands beside a value belongs to it, such as a unit before or behind it, or an article."""
    before = segments[index - 1] if index else ""
    after = segments[index + 1] if index + 1 < len(segments) else ""
    if not (isinstance(before, str) and isinstance(after, str)):
        return False
    last = before.lower().split()[-1:]
    if says_unit(before) or last in (["a"], ["an"], ["the"], ["no."]):
        return False
    return after[:1] in (".", ",", ";", ":", "?", "!", "") or not GOES_ON.isdisjoint(after.split()[:1])
