"""What comes of authoring."""

from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.overlays import Pieces
from generator.core.toolbox import ToolSpec
from generator.run.authoring.elements import Element, pieces_of
from generator.run.authoring.judge.judging import Verdict


class Unusable(msgspec.Struct, frozen=True, kw_only=True):
    """One element that is not kept."""

    element: Element
    why: str
    is_disputed: bool = False
    """Whether one reader reads it as it was written: a person may decide."""


def told_once(name: str, dropped: Sequence[tuple[Element, str]]) -> list[str]:
    """Return what cannot be used of a tool as its writer is told it: each fault once, with the pieces and texts that have it."""
    texts: dict[tuple[str, str], list[str]] = {}
    for one, why in dropped:
        own = texts.setdefault((why, one.name), [])
        if one.at and repr(one.text) not in why:
            own.append(repr(one.text[:_SHOWN]))
    pieces: dict[str, list[str]] = {}
    for (why, piece), own in texts.items():
        pieces.setdefault(why, []).append(f"{piece}: {', '.join(own)}" if own else piece)
    return [f"{name}: {', '.join(own)}: {why}" for why, own in pieces.items()]


_SHOWN = 80


class AuthoredTool(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one tool."""

    spec: ToolSpec
    """The tool under what is kept."""
    kept: tuple[Element, ...]
    dropped: tuple[Unusable, ...] = ()
    gaps: tuple[str, ...] = ()
    """What is still missing."""
    verdicts: tuple[Verdict, ...] = ()
    """The judge's, of trial rows."""
    refused: str = ""
    """Why nothing of the tool is used."""

    @property
    def texts(self) -> tuple[Element, ...]:
        """What is kept of what was said, without what only takes derived pieces away."""
        return tuple(one for one in self.kept if one.value != [])

    @property
    def pieces(self) -> Pieces:
        """What the overlay holds of it."""
        return {} if self.refused else pieces_of(self.kept)


class Authoring(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a server."""

    tools: tuple[AuthoredTool, ...]
    entities: dict[str, Any] = {}
    entities_dropped: dict[str, str] = {}
    """By name, with the reason."""
    conversations: tuple[Verdict, ...] = ()
    """The judge's, of whole conversations with several of the tools."""
    waiting: tuple[str, ...] = ()
    """Files of answers that are not there yet."""
    stopped: str = ""
    """Why asking stopped before all tools were described."""
    waits_for: str = ""
    """The step that waits."""
