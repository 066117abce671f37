"""How one phrase is said: its template as a list of parts, each some words and a value; and lists in it, element by element.

What can be known of a slot when its tool is first spoken of (such as its verbalizers) is worked out once; what says a phrase only
says its values and notes where they stand.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from generator.arguments.kinds.units import says_unit
from generator.core.connectives import GOES_ON
from generator.core.pointers import escape, resolve
from generator.core.seeds import Draw
from generator.core.templates import MONEY, OF_TWO, Plural, Root, Segment, Slot, Template
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.names import say_point
from generator.dialogue.values.numbers import Money
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.slots import SlotWording, Wordings
from generator.dialogue.wording.phrases.value_wording import (
    SayParts,
    SayValue,
    Speaker,
    chain,
    compile_leaf,
    compile_one,
    or_several,
    what_follows,
)
from generator.dialogue.wording.utterance import Utterance

GetValue = Callable[[Any], Any]
SayPhrase = Callable[[Any, str, Any, Any, Utterance], None]
"""(values, pointer of these values, their owner, owner of values that are given to the call whose result is told, utterance)."""


class SlotValue(NamedTuple):
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
    value_of_slot: Callable[[str, Root], SlotValue],
    speaker: Speaker,
    capital: bool = False,
) -> SayPhrase:
    """Return the function that adds a phrase to an utterance; with a capital at its beginning, if it begins with words."""
    parts: list[tuple[str, GetValue, str, bool, SayParts]] = []
    words = ""
    for index, segment in enumerate(segments):
        begins = capital and not index
        if isinstance(segment, str):
            words = _capitalised(segment) if begins else segment
            continue
        place = value_of_slot(segment.slot, segment.of)
        get, is_given = place.get, place.given and not segment.count
        if isinstance(segment, Plural):
            say = _choice(segment, begins)
        elif segment.verbalizer in OF_TWO:
            second = value_of_slot(segment.also, segment.of)
            say, get = _of_two(segment.verbalizer or "", place.pointer, second.pointer), _both(get, second.get)
        else:
            if segment.verbalizer == MONEY:
                get = _with_currency(get, value_of_slot(segment.also, segment.of).get)
            say = _compile_slot(segments, index, segment, place, speaker)
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
    place: SlotValue,
    speaker: Speaker,
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
    one, many = (_capitalised(words) if begins else words for words in (plural.one, plural.many))
    size = len if plural.count else None

    def choose(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        utterance.add(one if (size(value) if size else value) in (1, 1.0) else many)

    return choose


def _capitalised(words: str) -> str:
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


# --- lists ---

_MOST_KNOWN = 1024
WaysToSay = Callable[[Any], tuple[SayParts, ...]]
"""Returns the ways to say an element; none when no phrase covers what it holds."""


def compile_list(
    wording: SlotWording, wordings: Wordings, say: SayValue, of: Root, speaker: Speaker, free: bool
) -> SayParts:
    """Return the function that says a slot whose values are lists or are shared by several calls; `say` says all other values.

    `free`: nothing stands beside the list that belongs to its elements, so that they may be said in any words.
    """
    say_value = compile_one(say)
    if wording.elements:
        say_value = _by_phrases(compile_elements(wording, wordings, of, speaker), say_value)
    else:
        leaf = compile_leaf(wordings.get(wording.slot + "/*", wording), of, speaker, free=free)
        say_value = _by_phrases(lambda element: (compile_one(leaf),), say_value)
    return say_value if speaker == "assistant" else or_several(say_value)


def _by_phrases(ways_to_say: WaysToSay, say_other: SayParts) -> SayParts:
    """Return the function that says a list element by element, all in the same way, or whole where an element cannot be said."""
    say_whole = compile_one(chain(("json",), ""))

    def say_list(value: Any, pointer: str, owner: Any, utterance: Utterance) -> None:
        """Add a list (`["Oslo", "Rome"]` → "Oslo and Rome"), or what is no list as `say_other` does."""
        if type(value) is not list or not value:
            say_other(value, pointer, owner, utterance)
            return
        which = utterance.draw.rand()
        ways = [ways_to_say(element) for element in value]
        if not all(ways):
            say_whole(value, pointer, owner, utterance)
            return
        for index, (element, fitting, after) in enumerate(zip(value, ways, what_follows(len(value)), strict=True)):
            fitting[int(which * len(fitting))](element, f"{pointer}/{index}", owner, utterance)
            utterance.add(after)

    return say_list


def compile_elements(wording: SlotWording, wordings: Wordings, of: Root, speaker: Speaker) -> WaysToSay:
    """Return what finds the ways to say an element of a list by the phrases for it.

    A phrase fits an element that has its fields; of an argument, it must say all fields.
    """
    prefix = f"{wording.slot}/*/" if of == "arguments" else ""  # slots of a result's elements are written without one
    scope = wordings if prefix else _scoped(wordings, wording.slot)
    known: dict[tuple[str, ...] | None, tuple[SayParts, ...]] = {}

    def ways_to_say(element: Any) -> tuple[SayParts, ...]:
        fields = tuple(_fields_of(element)) if type(element) is dict else None
        ways = known.get(fields)
        if ways is None:
            slots_here = {prefix + field for field in fields or ()}
            if prefix and fields is None:
                slots_here = {prefix.removesuffix("/")}
            fitting = [
                element_phrase
                for element_phrase in wording.elements
                if element_phrase.needs - {"."} <= slots_here and (not prefix or slots_here <= element_phrase.says)
            ]
            if not prefix:
                fitting = [
                    element_phrase for element_phrase in fitting if element_phrase in wording.preferred
                ] or fitting
            ways = tuple(
                [_compile_element(element_phrase, wording, prefix, scope, of, speaker) for element_phrase in fitting]
            )
            if len(known) < _MOST_KNOWN:
                known[fields] = ways
        return ways

    return ways_to_say


def _compile_element(
    template: Template, wording: SlotWording, prefix: str, scope: Wordings, of: Root, speaker: Speaker
) -> SayParts:
    """Return the function of one phrase for an element."""

    def value_of_slot(slot: str, root: Root) -> SlotValue:
        """Return where the value of a slot (`flights/*/price`) is in an element, and how it is said; `.` is the element itself."""
        if slot in {".", prefix.removesuffix("/")}:
            own = scope.get(slot) or replace(wording, shape="leaf", elements=())
            return SlotValue(lambda element: element, "", own, scope, of)
        inner = slot.removeprefix(prefix)
        return SlotValue(lambda element: resolve(element, inner), "/" + inner, scope.get(slot), scope, of)

    say = compile_parts(template.segments, value_of_slot, speaker)
    return lambda element, pointer, owner, utterance: say(element, pointer, owner, owner, utterance)


def _fields_of(element: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the slots of everything in an element but its objects that are not empty, whose content has slots of its own."""
    for key, part in element.items():
        slot = prefix + escape(key)
        if type(part) is dict and part:
            yield from _fields_of(part, slot + "/")
        else:
            yield slot


def _scoped(wordings: Wordings, slot: str) -> Wordings:
    """Return the wordings of a list's elements under the names that `each` templates use."""
    prefix = slot + "/*/"
    scope = {name.removeprefix(prefix): wording for name, wording in wordings.items() if name.startswith(prefix)}
    if slot + "/*" in wordings:
        scope["."] = wordings[slot + "/*"]
    return scope
