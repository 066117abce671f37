"""How one phrase is said: its template as a list of parts, each some words and a value, and the loop that goes through them.

What can be known of a slot when its tool is first spoken of (which verbalizers, whether the words before it may have to change)
is worked out once; the loop only says values and notes where they stand.
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
    SayList,
    SayValue,
    Speaker,
    compile_leaf,
    compile_one,
    or_several,
)
from generator.dialogue.wording.pieces import Spans, changing_letters, fit_list, fit_words

CompileList = Callable[[SlotWording, Wordings, SayValue, Root, Speaker, bool], SayList]
Get = Callable[[Any], Any]


class Place(NamedTuple):
    """Where the value of a slot is and how it is said."""

    get: Get
    """Gets it from all values of the phrase."""
    pointer: str
    """Where it is, from where these values are."""
    wording: SlotWording | None
    scope: Wordings
    """The wordings of the other slots of the same root."""
    of: Root
    given: bool = False
    """Whether it is one of the call's arguments in a sentence about its result."""


class Part(NamedTuple):
    """Some words and the value behind them."""

    words: str
    get: Get
    pointer: str
    given: bool
    say: SayValue
    say_list: SayList | None
    """In place of `say`: says a value in several pieces, or words that depend on it, and adds the spans itself."""
    letters: str | None
    """First letters of values that change the words before them; see `changing_letters`."""


class Parts(NamedTuple):
    """A phrase."""

    parts: tuple[Part, ...]
    ending: str
    """The words behind the last value."""

    def say(
        self, values: Any, prefix: str, whose: Any, given: Any, draw: Draw, voice: Voice, start: int, spans: Spans
    ) -> str:
        """Return the phrase with its values said, and add their spans.

        Args:
            values: From which each part gets its value.
            prefix: The pointer of these values.
            whose: Who owns a value.
            given: Who owns one that is given to the call of which the phrase tells the result.
            draw: Random choices.
            voice: How the speaker says things.
            start: Where the phrase begins in its text.
            spans: Where spans are added.
        """
        text = ""
        for words, get, pointer, is_given, say, say_list, letters in self.parts:
            value, owner = get(values), given if is_given else whose
            at = start + len(text) + len(words)
            if say_list is not None:
                first = len(spans)
                said = say_list(value, prefix + pointer, owner, draw, voice, at, spans)
                if letters is not None:
                    words, said = fit_list(words, said, spans, first)
                text += words + said
                continue
            said, verbalizer = say(value, draw, voice)
            if letters is not None and (not letters or said[:1] in letters):
                words, said = fit_words(words, said, verbalizer)
                at = start + len(text) + len(words)
            text += words + said
            spans.append((at, at + len(said), verbalizer, prefix + pointer, owner))
        return text + self.ending


def compile_parts(
    segments: tuple[Segment, ...],
    place_of: Callable[[str, Root], Place],
    speaker: Speaker,
    compile_list: CompileList,
    capital: bool = False,
) -> Parts:
    """Return the parts of a phrase."""
    parts: list[Part] = []
    words = ""
    for index, segment in enumerate(segments):
        begins = capital and not index
        if isinstance(segment, str):
            words = _begun(segment) if begins else segment
            continue
        place = place_of(segment.slot, segment.of)
        if isinstance(segment, Slot) and segment.verbalizer in OF_TWO:
            parts.append(_of_two(words, segment, place, place_of(segment.also, segment.of)))
            words = ""
            continue
        if isinstance(segment, Slot) and segment.verbalizer == MONEY:
            place = place._replace(get=_with_currency(place.get, place_of(segment.also, segment.of).get))
        say, say_list, names = _ways(segments, index, place, speaker, compile_list, begins)
        letters = changing_letters(words, names) if names else None
        given = place.given and not segment.count
        parts.append(Part(words, place.get, place.pointer, given, say, say_list, letters))
        words = ""
    return Parts(tuple(parts), words)


def _with_currency(get_amount: Get, get_currency: Get) -> Get:
    """Return what gets an amount with its currency; where it has none, the amount alone."""

    def get(values: Any) -> Any:
        amount, currency = get_amount(values), get_currency(values)
        return Money(amount, currency) if type(amount) in (int, float) and type(currency) is str else amount

    return get


def _of_two(words: str, segment: Slot, first: Place, second: Place) -> Part:
    """Return the part that says two values as one: its text says each of them."""
    verbalizer = segment.verbalizer or ""
    sayer, before = VERBALIZERS[verbalizer], "at " if verbalizer == "where" else ""

    def say(value: Any, pointer: str, whose: Any, draw: Draw, voice: Voice, start: int, spans: Spans) -> str:
        text = sayer.say(value, voice) if draw.rand() < voice.otherwise else None
        text = text or f"{before}{say_point(value, voice)}"
        for at in (pointer, pointer.removesuffix(first.pointer) + second.pointer):
            spans.append((start, start + len(text), verbalizer, at, whose))
        return text

    def get(values: Any) -> Any:
        return first.get(values), second.get(values)

    return Part(words, get, first.pointer, first.given, _unsaid, say, None)


Ways = tuple[SayValue, SayList | None, tuple[str, ...]]
"""How a value is said, how it is said if it may have several pieces, and by which verbalizers."""


def _ways(
    segments: tuple[Segment, ...],
    index: int,
    place: Place,
    speaker: Speaker,
    compile_list: CompileList,
    begins: bool,
) -> Ways:
    """Return the ways for the segment at `index`."""
    segment, wording = segments[index], place.wording
    if isinstance(segment, Plural):
        return _unsaid, _choice(segment, begins), ()
    assert isinstance(segment, Slot)
    if segment.count:
        return _say_count, None, ("count",)
    alone = _stands_alone(segments, index)
    free = alone and _is_free(segments, index)
    leaf = compile_leaf(wording, place.of, speaker, segment.verbalizer, alone, free)
    if wording is not None and wording.shape in {"list", "objects"}:
        return leaf.say, compile_list(wording, place.scope, leaf.say, place.of, speaker, free), ("datetime",)
    if wording is not None and wording.varies and speaker == "user":
        return leaf.say, or_several(compile_one(leaf.say)), leaf.names
    return leaf.say, None, leaf.names


def _unsaid(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
    return "", "json"


def _say_count(value: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
    return VERBALIZERS["count"].say(len(value), voice) or str(len(value)), "count"


def _choice(plural: Plural, begins: bool) -> SayList:
    """Return what says the words for one, or those for many; they say no value."""
    one, many = (_begun(words) if begins else words for words in (plural.one, plural.many))
    size = len if plural.count else None

    def choose(value: Any, *_: Any) -> str:
        return one if (size(value) if size else value) in (1, 1.0) else many

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
