"""The texts that may stand beside each value of one tool: its phrases, cut at their slots.

A phrase such as `find flights from {origin} to {destination}` gives `find flights from ` as a way to begin with the
origin, ` to ` as a text between the two, and an empty text as a way to end after the destination. Everything is kept
without capitals, because a sentence may begin anywhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from generator.connectives import (
    AMONG,
    LIST_MARKS,
    LIST_OPENERS,
    PREPOSITIONS,
)
from generator.pointers import escape, schema_at, split, variants
from generator.templates import Plural, Template, in_second_person, parse_template
from generator.toolbox import ToolSpec, found_by

TextSlot = tuple[str, str]
"""`arguments` or `result`, and a slot: the leaf that a value belongs to."""
Texts = dict[TextSlot, set[str]]
Between = dict[tuple[TextSlot, TextSlot], set[str]]


class Vocabulary(msgspec.Struct, eq=False):
    """What one tool's phrases put around its values, in requests or in answers."""

    spec: ToolSpec
    elements: dict[TextSlot, list["CutPhrase"]]
    """List → the phrases that say one element of it."""
    plain: Callable[["Vocabulary", TextSlot], "Plain"]
    heads: Texts = {}
    """The beginnings of phrases up to their first value."""
    added: Texts = {}
    """The same for phrases that are added to another phrase."""
    sentences: Texts = {}
    """The same for additions that are sentences of their own."""
    tails: Texts = {}
    """The ends of phrases after their last value."""
    inner: Between = {}
    """The texts between two values of one phrase."""
    within: Between = {}
    """The texts between two values of one list element."""
    following: Between = {}
    """The texts between a value of one element and a value of the next."""
    wholes: set[str] = set()
    """Phrases without values."""
    asked_for: dict[TextSlot, "Plain"] = {}


class CutPhrase(msgspec.Struct, frozen=True):
    """A phrase cut at its slots."""

    texts: tuple[tuple[str, ...], ...]
    """One more than there are slots: the texts that may stand there."""
    leaves: tuple[TextSlot, ...]


class Plain(msgspec.Struct, frozen=True):
    """The texts around a value for which nobody wrote a phrase, made of its name."""

    heads: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset({""})


def leaf_of(of: str, pointer: str, root: Any = None) -> TextSlot:
    """Return the slot of a pointer, with `*` for places in lists; the schema `root` tells these from keys that look like numbers."""
    slot = ""
    for number, step in enumerate(split(pointer)):
        is_key = not step.isdecimal() or any(step in one.get("properties", ()) for one in _variants_at(root, slot))
        slot += ("/" if number else "") + (escape(step) if is_key else "*")
    return of, slot


def _variants_at(root: Any, slot: str) -> list[dict[str, Any]]:
    return variants(root, schema_at(root, slot))


def requests_of(spec: ToolSpec) -> Vocabulary:
    """Return what may stand around the values that the user says."""
    phrases = spec.phrases
    elements: dict[TextSlot, list[CutPhrase]] = {}
    for slot, frames in phrases.slots.items():
        if slot.endswith("/*"):
            cuts = [_cut(parse_template(text), "", spec) for text in frames.frames]
            elements["arguments", slot.removesuffix("/*")] = cuts
    book = Vocabulary(spec, elements, _plain_argument)
    asked = (phrases.request, phrases.question, phrases.want, phrases.again, phrases.entry, phrases.follow_up)
    for template in [parse_template(text) for texts in asked for text in texts]:
        _add(book, _cut(template, "", spec), book.heads)
    for text in filter(None, (*phrases.found, found_by(spec.name))):
        for lead in AMONG:
            _add(book, _cut(parse_template(lead + text), "", spec), book.heads)
    for slot, frames in phrases.slots.items():
        for template in [parse_template(text) for text in frames.frames if not slot.endswith("/*")]:
            _add(book, _cut(template, "", spec), book.sentences if template.is_sentence else book.added)
    book.wholes.add(_bare(spec))
    _add_lists(book)
    _add_elements(book)
    return book


def doings_of(spec: ToolSpec) -> Vocabulary:
    """Return what may stand around values where the assistant says what it could not do, or would do."""
    phrases = spec.phrases
    said = {
        slot: [in_second_person(parse_template(text)) for text in frames.frames]
        for slot, frames in phrases.slots.items()
    }
    elements = {
        ("arguments", slot.removesuffix("/*")): [_cut(template, "", spec) for template in templates]
        for slot, templates in said.items()
        if slot.endswith("/*")
    }
    book = Vocabulary(spec, elements, _plain_argument)
    for text in phrases.request:
        _add(book, _cut(in_second_person(parse_template(text)), "", spec), book.heads)
    book.wholes.add(_bare(spec))
    for template in [template for slot, templates in said.items() if not slot.endswith("/*") for template in templates]:
        if not template.is_sentence:
            _add(book, _cut(template, "", spec), book.added)
    _add_elements(book)
    return book


def _add_lists(book: Vocabulary) -> None:
    """Add the texts that announce a list of calls, each with the beginning of the list's first line."""
    phrases = book.spec.phrases
    announced = {opener.format(text).casefold() for opener in LIST_OPENERS for text in phrases.several}
    for cut in [_cut(parse_template(text), "", book.spec) for text in phrases.entry]:
        for more, first in entries(book, cut.leaves[0]) if cut.leaves else ():
            lines = [mark + text + more for mark in LIST_MARKS[:2] for text in cut.texts[0]]
            book.heads.setdefault(first, set()).update([text + line for text in announced for line in lines])


def answers_of(spec: ToolSpec) -> Vocabulary:
    """Return what may stand around the values that an answer states."""
    phrases = spec.phrases
    elements = {
        ("result", slot if slot != "." else ""): [
            _cut(parse_template(text, "result"), f"{slot}/*", spec) for text in texts
        ]
        for slot, texts in phrases.each.items()
    }
    book = Vocabulary(spec, elements, _plain_result)
    for answer in phrases.answer:
        _add(book, _cut(parse_template(answer.say, "result"), "", spec), book.heads)
    book.wholes.add("done.")
    _add_elements(book)
    for texts in [*book.heads.values(), book.wholes]:
        texts.update([shorter for shorter in map(_without_done, texts) if shorter is not None])
    book.wholes.discard("")
    return book


def _without_done(text: str) -> str | None:
    """Return the beginning of an answer without its "Done", which only the first answer has; None where it has none."""
    return text[4:].lstrip(",.:—– ") if text.startswith("done") and text[4:5] in {",", ".", ":", " "} else None


def _cut(template: Template, element: str, spec: ToolSpec) -> CutPhrase:
    """Return a phrase cut at its slots; in a phrase about an element, slots of the result are relative to the element."""
    texts: list[list[str]] = [[""]]
    leaves: list[TextSlot] = []
    for segment in template.segments:
        if isinstance(segment, str):
            texts[-1] = [before + segment.casefold() for before in texts[-1]]
        elif isinstance(segment, Plural):
            texts[-1] = [before + word.casefold() for before in texts[-1] for word in (segment.one, segment.many)]
        else:
            texts.append([""])
            slot = "" if segment.slot == "." else segment.slot
            if element and segment.of == "result":
                slot = f"{element}/{slot}" if slot else element
            leaves.append(leaf_of(segment.of, slot, spec.returns if segment.of == "result" else spec.tool.parameters))
    last = len(texts) - 1
    return CutPhrase(
        tuple([tuple(fitted_texts(some) if at < last else some) for at, some in enumerate(texts)]), tuple(leaves)
    )


def fitted_texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts, each with the forms that it may take before a value: "an" for "a", and no "on" before "tomorrow"."""
    for text in texts:
        yield text
        if text[-2:] == "a " and text[-3:-2] in {" ", ""}:
            yield text[:-1] + "n "
        elif text[-3:] in {"on ", "at "} and text[-4:-3] in {" ", ""}:
            yield text[:-3] + _SHORTENED


_SHORTENED = "\0"
"""Ends a text that has lost its "on" or "at", which happens before dates only."""


def fitted(text: str, way: str) -> set[str]:
    """Return the forms of a text that may stand before a value said by this verbalizer."""
    return leading_to(way, fitted_texts([text]))


def leading_to(way: str, *groups: Iterable[str]) -> set[str]:
    """Return those of the texts that may stand before a value that is said by this verbalizer."""
    texts = {text for group in groups for text in group}
    short = {text for text in texts if _SHORTENED in text}
    is_short = way.startswith("date") or way == "reference"  # "remind me two days before the deadline"
    return (texts - short) | {text[:-1] for text in short if is_short and text.endswith(_SHORTENED)}


def entries(book: Vocabulary, leaf: TextSlot) -> Iterator[tuple[str, TextSlot]]:
    """Yield what may be said first where a slot stands, with the text before it: the value, or that of the first element."""
    of, slot = leaf
    yield "", leaf
    yield "", (of, f"{slot}/*" if slot else "*")
    for cut in book.elements.get(leaf, ()):
        for inside in cut.leaves[:1]:
            yield from [(text + more, first) for text in cut.texts[0] for more, first in entries(book, inside)]


def exits(book: Vocabulary, leaf: TextSlot) -> Iterator[tuple[TextSlot, str]]:
    """Yield what may be said last where a slot stands, with the text after it."""
    of, slot = leaf
    yield leaf, ""
    yield (of, f"{slot}/*" if slot else "*"), ""
    for cut in book.elements.get(leaf, ()):
        for inside in cut.leaves[-1:]:
            yield from [(last, more + text) for text in cut.texts[-1] for last, more in exits(book, inside)]


def _add(book: Vocabulary, cut: CutPhrase, heads: Texts) -> None:
    """Add a phrase that stands by itself."""
    if not cut.leaves:
        book.wholes.update(cut.texts[0])
        return
    for more, first in entries(book, cut.leaves[0]):
        heads.setdefault(first, set()).update([text + more for text in cut.texts[0]])
    for last, more in exits(book, cut.leaves[-1]):
        ends = [more + text for text in cut.texts[-1]]
        book.tails.setdefault(last, set()).update(ends, [end[:-1] for end in ends if end.endswith(".")])
    _add_between(book, cut, book.inner)


def _add_between(book: Vocabulary, cut: CutPhrase, between: Between) -> None:
    for before, texts, after in zip(cut.leaves[:-1], cut.texts[1:-1], cut.leaves[1:], strict=True):
        _join(book, before, texts, after, between)


def _join(book: Vocabulary, before: TextSlot, texts: Iterable[str], after: TextSlot, between: Between) -> None:
    texts = tuple(texts)
    for last, tail in exits(book, before):
        for head, first in entries(book, after):
            between.setdefault((last, first), set()).update([tail + text + head for text in texts])


SEPARATORS = (", ", " and ")


def _add_elements(book: Vocabulary) -> None:
    """Add what stands between the elements of lists, and inside them."""
    for cuts in book.elements.values():
        for cut in cuts:
            _add_between(book, cut, book.within)
        for before in cuts:
            for after in cuts:
                if before.leaves and after.leaves:
                    texts = [
                        end + mark + head for end in before.texts[-1] for mark in SEPARATORS for head in after.texts[0]
                    ]
                    _join(book, before.leaves[-1], texts, after.leaves[0], book.following)


def plain_of(book: Vocabulary, leaf: TextSlot) -> Plain:
    """Return the texts around a value of the tool that are made of its name."""
    found = book.asked_for.get(leaf)
    if found is None:
        found = book.asked_for[leaf] = book.plain(book, leaf)
    return found


def _plain_argument(book: Vocabulary, leaf: TextSlot) -> Plain:
    """Return frames such as "with gift message …" and "to …", for the argument itself and for a list that it is in."""
    of, slot = leaf
    added, tails = set(), {""}
    steps = slot.split("/")
    for length in range(1, len(steps) + 1):
        whole = "/".join(steps[:length])
        frames = [text for before in _frames(book.spec, whole) for text in fitted_texts([before])]
        added.update([text + head for head, first in entries(book, (of, whole)) if first == leaf for text in frames])
        tails.update([tail for last, tail in exits(book, (of, whole)) if last == leaf])
    return Plain(frozenset(), frozenset(added), frozenset(tails))


def _frames(spec: ToolSpec, slot: str) -> tuple[str, ...]:
    words = name_in_words(slot.removesuffix("/*").rpartition("/")[2]) or "that value"
    tokens = set(words.split())
    prepositions = [preposition for names, preposition in PREPOSITIONS if tokens & names and len(tokens) <= 2]
    if prepositions:
        return (f"{prepositions[-1]} ",)
    is_flag = (schema_at(spec.tool.parameters, slot) or {}).get("type") == "boolean"
    return (f"with {words} ", *([f"with {words} set to "] if is_flag else []))


def _plain_result(book: Vocabulary, leaf: TextSlot) -> Plain:
    """Return answers such as "Find orders: id 5, …": the tool's name, and the names of the fields."""
    of, slot = leaf
    if of != "result":
        return Plain(tails=frozenset())
    name = " ".join(filter(None, [name_in_words(step) for step in split(slot)])) or "value"
    heads = [f"{_bare(book.spec)}: {name} ", *([] if slot else ["the result is "])]  # a key may have no name
    return Plain(frozenset(fitted_texts(heads)), frozenset(fitted_texts([f"{name} "])), frozenset({"", "."}))


def _bare(spec: ToolSpec) -> str:
    """Return what is said for a tool that has no phrases."""
    return name_in_words(spec.name) or "call the tool"


def name_in_words(name: str) -> str:
    """Return a name as words: `max_price2` and `maxPrice` as "max price"."""
    return " ".join(re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))).casefold()
