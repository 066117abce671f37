"""Texts and source files that rows which are documents are made from, and such a row."""

import msgspec

from generator.core.conversation import FileSequence


class SourceText(msgspec.Struct, frozen=True):
    """A text or source file that documents are made from."""

    name: str
    """Its path as the recipe writes it."""
    text: str


class DocumentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What documents are made from, and how."""

    texts: tuple[SourceText, ...] = ()
    cuts: tuple[tuple[str, float], ...] = (("line", 1.0),)
    """How the ends of a gap are chosen, with weights: `character`, `line`, `syntax`."""
    together: tuple[int, int] = (2, 3)
    """How many files stand in one sequence."""
    gaps: float = 0.0
    """How often the last of several files has a gap."""
    longest: int = 4000
    """Most characters of one file; of a longer file a part is taken."""


class PlannedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row that is a document."""

    scenario: str
    document: FileSequence
    tags: tuple[str, ...]
    """Where it is from: `file:NAME` for every file, and `cut:KIND` where there is a gap."""
