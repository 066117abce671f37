"""Asking a writer once more about what cannot be used of an answer: what is told, and how the next answer changes the one before."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from generator.core.overlays import Piece, Pieces, join_pieces, name_of_piece, split_pieces
from generator.llm.asking import ModelAnswer
from generator.run.authoring.asking import Asked, object_of, part_of
from generator.run.authoring.writer.writing import Prompts, once_more

MENDS = 2
"""Times that the writer is asked again at most; the second time only about faults that were not told the first time."""
_MOST_OF_A_TOOL = 10
_MOST_TOLD = 60


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """One request to the writer, with what has come of it."""

    asked: Asked
    take: Callable[[Mapping[str, Any]], list[str]]
    """Takes what has been said so far as a whole, and returns what cannot be used of it."""
    said: dict[str, Any] = {}
    answer: str = ""
    """The text of the last answer."""
    faults: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    """Faults that the writer has been told."""

    @property
    def has_news(self) -> bool:
        """Whether there are faults that the writer has not been told."""
        return not self.told.issuperset(self.faults)

    def answered(self, answer: ModelAnswer) -> "Asking":
        """Return it with an answer taken; one that cannot be read changes nothing of what was said before."""
        value, fault = object_of(answer)
        said = self.said if fault else mended(self.said, value)
        faults = [fault] if fault else self.take(said)
        return msgspec.structs.replace(self, said=said, answer=answer.text, faults=tuple(faults))

    def once_more(self, prompts: Prompts) -> "Asking":
        """Return it with the request that tells the faults."""
        shown = told_apart(self.faults)
        asked = once_more(
            self.asked, shown_of(self.said, shown) or self.answer[:_SHOWN_OF_A_BROKEN_ONE], shown, prompts
        )
        return msgspec.structs.replace(self, asked=asked, told=self.told | {*shown})


_SHOWN_OF_A_BROKEN_ONE = 400


def shown_of(said: Mapping[str, Any], faults: Iterable[str]) -> str:
    """Return, as JSON, those parts of what was said that faults name; empty if they name none."""
    faults = [*faults]
    entities = {
        name: value
        for name, value in part_of(said, "entities").items()
        if any(re.match(rf"entities\.{re.escape(name)}(?!\w)", fault) for fault in faults)
    }
    tools = {}
    for name, value in part_of(said, "tools").items():
        own = [fault for fault in faults if fault.startswith(f"{name}: ")]
        pieces = split_pieces(value) if own and isinstance(value, dict) else {}
        named = {piece: part for piece, part in pieces.items() if any(_names(fault, piece) for fault in own)}
        if named:
            tools[name] = join_pieces(named)
    found = {key: part for key, part in (("entities", entities), ("tools", tools)) if part}
    return json.dumps(found, ensure_ascii=False) if found else ""


def _names(fault: str, piece: Piece) -> bool:
    """Whether a fault is about a piece: `phrases.slots.city.true` is about `phrases.slots.city`."""
    return re.search(rf"(?<![\w.]){re.escape(name_of_piece(piece))}(?!\w)", fault) is not None


def told_apart(faults: Iterable[str]) -> list[str]:
    """Return faults to be told: of each tool only so many, so that one tool does not hide those of the others."""
    counted: dict[str, int] = {}
    found = []
    for fault in dict.fromkeys(faults):
        tool = fault.partition(": ")[0]
        counted[tool] = counted.get(tool, 0) + 1
        if counted[tool] <= _MOST_OF_A_TOOL:
            found.append(fault)
    return found[:_MOST_TOLD]


def mended(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with a later one on top: a piece that is given again takes the place of the old one, null takes it away."""
    entities = {**part_of(before, "entities"), **part_of(after, "entities")}
    tools = {**part_of(before, "tools")}
    for name, value in part_of(after, "tools").items():
        there = tools.get(name)
        if isinstance(there, dict) and isinstance(value, dict):
            tools[name] = _joined(_on_top(split_pieces(there), split_pieces(value)))
        else:
            tools[name] = value
    return {
        "entities": {name: value for name, value in entities.items() if value is not None},
        "tools": {name: value for name, value in tools.items() if value is not None},
    }


def _on_top(before: Pieces, after: Pieces) -> Pieces:
    """Return pieces with later ones on top; what stands under `links` or `phrases` goes when that as a whole is given."""
    kept = {piece: value for piece, value in before.items() if not any(_is_within(piece, one) for one in after)}
    return {**kept, **after}


def _is_within(one: Piece, other: Piece) -> bool:
    """Whether one of two pieces stands within the other."""
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def _joined(pieces: Pieces) -> dict[str, Any]:
    """Return what the pieces say; null stays, as it takes away what was said about the server."""
    found: dict[str, Any] = {}
    for piece, value in pieces.items():
        inside = found
        for step in piece[:-1]:
            inside = inside.setdefault(step, {})
        inside[piece[-1]] = value
    return found
