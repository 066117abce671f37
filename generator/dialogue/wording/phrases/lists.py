"""How lists are said: element by element, each by its verbalizer or by a phrase that covers all that it holds."""

import itertools
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem, itemgetter
from typing import Any

import msgspec

from generator.core.pointers import escape, unescape
from generator.core.seeds import Draw
from generator.core.templates import Root, Template
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.parts import Place, compile_parts
from generator.dialogue.wording.phrases.slots import SlotWording, Wordings
from generator.dialogue.wording.phrases.value_wording import (
    SayList,
    SayValue,
    Speaker,
    chain,
    compile_leaf,
    compile_one,
    or_several,
    separators,
    what_follows,
)
from generator.dialogue.wording.pieces import Spans, Whose

_MOST_KNOWN = 1024
_whole = chain(("json",), "")


def compile_list(
    wording: SlotWording, wordings: Wordings, say: SayValue, of: Root, speaker: Speaker, free: bool
) -> SayList:
    """Return the function that says a slot whose values are lists or are shared by several calls; `say` says all other values.

    `free`: nothing stands beside the list that belongs to its elements, so that they may be said in any words.
    """
    say_value = compile_one(say)
    if wording.shape in {"list", "objects"}:
        if wording.elements:
            say_value = _by_phrases(ElementPhrases(wording, wordings, of, speaker, {}, {}), say_value)
        else:
            leaf = compile_leaf(wordings.get(wording.slot + "/*", wording), of, speaker, free=free)
            say_value = _by_verbalizers(leaf.say, say_value)
    return say_value if speaker == "assistant" else or_several(say_value)


def _by_verbalizers(say: SayValue, say_other: SayList) -> SayList:
    """Return the function for elements that are single values."""

    def say_list(value: Any, pointer: str, whose: Whose, draw: Draw, voice: Voice, start: int, spans: Spans) -> str:
        if type(value) is not list or not value:
            return say_other(value, pointer, whose, draw, voice, start, spans)
        draw.rand()  # as many draws as for lists whose elements can be said in several ways
        between = separators(len(value))
        texts: list[str] = []
        for index, element in enumerate(value):
            if index:
                texts.append(between[index - 1])
                start += len(between[index - 1])
            text, verbalizer = say(element, draw, voice)
            texts.append(text)
            end = start + len(text)
            spans.append((start, end, verbalizer, f"{pointer}/{index}", whose))
            start = end
        return "".join(texts)

    return say_list


def _by_phrases(elements: "ElementPhrases", say_other: SayList) -> SayList:
    """Return the function for elements that each need a phrase."""
    say_whole = compile_one(_whole)
    known, ways_to_say = elements.known, elements.ways_to_say

    def say_list(value: Any, pointer: str, whose: Whose, draw: Draw, voice: Voice, start: int, spans: Spans) -> str:
        if type(value) is not list or not value:
            return say_other(value, pointer, whose, draw, voice, start, spans)
        which = draw.rand()  # all elements are said in the same way
        after = what_follows(len(value))
        fields = _fields_of_all(value)
        ways = known.get(fields) if fields is not None else None
        if ways:
            way = ways[int(which * len(ways))]
            return way(value, 0, pointer, whose, draw, voice, start, spans, after)
        before = len(spans)
        text = ""
        for index, element in enumerate(value):
            ways = ways_to_say(element)
            if not ways:
                del spans[before:]
                return say_whole(value, pointer, whose, draw, voice, start, spans)
            way = ways[int(which * len(ways))]
            text += way([element], index, pointer, whose, draw, voice, start + len(text), spans, after)
        return text

    return say_list


def _fields_of_all(elements: list[Any]) -> tuple[str, ...] | None:
    """Return the keys of all elements, if these are the same and hold no objects, as in most lists; None otherwise."""
    try:
        keys = set(map(tuple, elements))
        if len(keys) == 1 and dict not in map(type, itertools.chain.from_iterable(map(dict.values, elements))):
            return keys.pop()
    except TypeError:  # an element is no object
        pass
    return None


SayElements = Callable[[list[Any], int, str, Whose, Draw, Voice, int, Spans, tuple[str, ...]], str]
"""(elements, number of the first, pointer of the list, whose, draw, voice, start, spans, what follows each element of the
list) → text; adds the spans of the values.
"""


class ElementPhrases(msgspec.Struct, eq=False):
    """The phrases for the elements of one list."""

    wording: SlotWording
    wordings: Wordings
    of: Root
    speaker: Speaker
    functions: dict[str, SayElements]
    """Compiled functions by the text of their phrase."""
    known: dict[tuple[str | None, ...] | None, tuple[SayElements, ...]]
    """The ways to say elements, by the keys of an element; with a None at the end, by the slots of an element that holds objects."""

    @property
    def prefix(self) -> str:
        """The beginning of the slots of an argument's elements; the slots of a result's elements are written without one."""
        return f"{self.wording.slot}/*/" if self.of == "arguments" else ""

    def ways_to_say(self, element: Any) -> tuple[SayElements, ...]:
        """Return the functions that can say an element; none when no phrase covers what it holds."""
        fields: tuple[str | None, ...] | None = None
        if type(element) is dict:  # most elements of a tool have the same keys, and no objects in them
            fields = tuple(element)
            if dict in map(type, element.values()):
                fields = (*_fields_of(element), None)
        ways = self.known.get(fields)
        if ways is None:
            ways = self.fitting(element)
            if len(self.known) < _MOST_KNOWN:
                self.known[fields] = ways
        return ways

    def fitting(self, element: Any) -> tuple[SayElements, ...]:
        """Return the functions of the phrases that fit an element: it has their fields, and of an argument all fields must be said."""
        fields = {self.prefix + field for field in _fields_of(element)} if type(element) is dict else set()
        if self.of == "arguments":
            fields = fields if type(element) is dict else {self.prefix.removesuffix("/")}
            fitting = [line for line in self.wording.elements if line.needs - {"."} <= fields <= line.says]
        else:
            fitting = [line for line in self.wording.elements if line.needs - {"."} <= fields]
            fitting = [line for line in fitting if line in self.wording.preferred] or fitting
        return tuple([self._function(template) for template in fitting])

    def _function(self, template: Template) -> SayElements:
        found = self.functions.get(template.text)
        if found is None:
            self.functions[template.text] = found = self._compiled(template)
        return found

    def _compiled(self, template: Template) -> SayElements:
        prefix = self.prefix
        scope = self.wordings if prefix else _scoped(self.wordings, self.wording.slot)

        def place_of(slot: str, root: Root) -> Place:
            if slot in {".", prefix.removesuffix("/")}:
                one = scope.get(slot) or msgspec.structs.replace(self.wording, shape="leaf", elements=())
                return Place(lambda element: element, "", one, scope, self.of)
            inner = slot.removeprefix(prefix)
            return Place(_inside(inner), "/" + inner, scope.get(slot), scope, self.of)

        say_parts = compile_parts(template.segments, place_of, self.speaker, compile_list).say

        def say(
            elements: list[Any],
            first: int,
            whole: str,
            whose: Whose,
            draw: Draw,
            voice: Voice,
            start: int,
            spans: Spans,
            after: tuple[str, ...],
        ) -> str:
            text = ""
            for number, element in enumerate(elements, first):
                text += say_parts(element, f"{whole}/{number}", whose, whose, draw, voice, start + len(text), spans)
                text += after[number]
            return text

        return say


def _inside(slot: str) -> Callable[[Any], Any]:
    """Return what gets the value of a slot of an element, which has it."""
    first, *rest = [unescape(key) for key in slot.split("/")]
    if not rest:
        return itemgetter(first)
    return lambda element: reduce(getitem, rest, element[first])


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
