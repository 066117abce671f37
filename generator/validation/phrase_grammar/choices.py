"""What may stand around values where the assistant lists things to choose from: "There are two: one at 8:05 and …"."""

from collections.abc import Iterator
from typing import Any

from generator.choosing import MOST_CHOICES, listings, ways
from generator.pointers import escape, variants
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import (
    SEPARATORS,
    Plain,
    TextSlot,
    Vocabulary,
    fitted_texts,
    new_vocabulary,
)

_DEEPEST = 4


def choices_of(spec: ToolSpec) -> Vocabulary:
    """Return what may stand around the fields that tell the elements of a tool's lists apart."""
    book = new_vocabulary(spec, {}, _none)
    leads = [lead.casefold() for number in range(2, MOST_CHOICES + 1) for lead in listings(number)]
    for list_slot, fields in _lists(spec.returns, spec.returns, "", 0):
        for field in fields:
            befores = {way.listed for key in ("", field) for way in ways(spec, list_slot, key) if way.field == field}
            fitting = set(fitted_texts([before.casefold() for before in befores]))
            leaf: TextSlot = ("result", f"{list_slot}/*/{field}")
            book.heads[leaf] = {lead + before for lead in leads for before in fitting}
            book.following[leaf, leaf] = {mark + before for mark in SEPARATORS for before in fitting}
            book.tails[leaf] = {""}
    return book


def _none(book: Vocabulary, leaf: TextSlot) -> Plain:
    return Plain(tails=frozenset())


def _lists(root: Any, schema: Any, slot: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of objects in a result, and the fields of these objects."""
    for variant in variants(root, schema) if depth < _DEEPEST else ():
        for name, part in variant.get("properties", {}).items():
            inner = f"{slot}/{escape(name)}" if slot else escape(name)
            for own in variants(root, part):
                fields = [
                    escape(field) for item in variants(root, own.get("items")) for field in item.get("properties", {})
                ]
                if fields:
                    yield inner, fields
            yield from _lists(root, part, inner, depth + 1)
