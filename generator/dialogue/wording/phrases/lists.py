"""How lists are said: element by element, each by its verbalizer or by a phrase that covers all that it holds."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from generator.core.pointers import escape, resolve
from generator.core.templates import Root, Template
from generator.dialogue.wording.phrases.parts import ValuePlace, compile_parts
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
            here = {prefix + field for field in fields or ()}
            if prefix and fields is None:
                here = {prefix.removesuffix("/")}
            fitting = [
                one for one in wording.elements if one.needs - {"."} <= here and (not prefix or here <= one.says)
            ]
            if not prefix:
                fitting = [one for one in fitting if one in wording.preferred] or fitting
            ways = tuple([_compile_element(one, wording, prefix, scope, of, speaker) for one in fitting])
            if len(known) < _MOST_KNOWN:
                known[fields] = ways
        return ways

    return ways_to_say


def _compile_element(
    template: Template, wording: SlotWording, prefix: str, scope: Wordings, of: Root, speaker: Speaker
) -> SayParts:
    """Return the function of one phrase for an element."""

    def place_of(slot: str, root: Root) -> ValuePlace:
        if slot in {".", prefix.removesuffix("/")}:
            own = scope.get(slot) or replace(wording, shape="leaf", elements=())
            return ValuePlace(lambda element: element, "", own, scope, of)
        inner = slot.removeprefix(prefix)
        return ValuePlace(lambda element: resolve(element, inner), "/" + inner, scope.get(slot), scope, of)

    say = compile_parts(template.segments, place_of, speaker, compile_list)
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
