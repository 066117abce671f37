"""The smallest parts of what is said of a tool: one phrase, one value, one clause. Each is judged by itself."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from generator.core.overlays import Piece, Pieces, name_of_piece
from generator.llm.reading import answer_fault, texts_within

At = tuple[str | int, ...]
"""Where an element stands in its piece: `(2,)`, `("true", 0)`; `()` for a piece that is not cut."""

Identity = tuple[str, str]
"""Name and text of an element."""
_BY_VALUE = frozenset({"slots", "synonyms"})
_WHOLE = frozenset({"returns", "effect", "kinds", "patterns", "say", "context"})
_LONGEST = 240
_LONGEST_EXAMPLE = 4_000
_WORDS = frozenset({"phrases"})


class Element(msgspec.Struct, frozen=True, eq=False):
    """One element of a piece."""

    piece: Piece
    at: At
    value: Any

    @property
    def text(self) -> str:
        """What people read of it."""
        value = self.value
        if isinstance(value, dict) and isinstance(value.get("say"), str):
            return str(value["say"])
        return value if isinstance(value, str) else str(value)

    @property
    def key(self) -> str:
        """The value that a clause or a spoken form stands for, as text; empty for other elements."""
        return str(self.at[0]) if len(self.at) > 1 else ""

    @property
    def name(self) -> str:
        """`phrases.slots.direct_only.true`."""
        return name_of_piece((*self.piece, self.key) if self.key else self.piece)

    @property
    def identity(self) -> "Identity":
        """What decisions name it by."""
        return self.name, self.text


def elements_of(piece: Piece, value: Any) -> Iterator[Element]:
    """Yield the elements of a piece."""
    by_value = piece[0] == "phrases" and len(piece) > 1 and piece[1] in _BY_VALUE
    if isinstance(value, list) and piece[0] not in _WHOLE:
        for index, one in enumerate(value):
            yield Element(piece, (index,), one)
    elif by_value and isinstance(value, dict):
        for key, texts in value.items():
            for index, one in enumerate(texts if isinstance(texts, list) else [texts]):
                yield Element(piece, (str(key), index), one)
    else:
        yield Element(piece, (), value)


def all_elements(pieces: Pieces) -> list[Element]:
    """Return the elements of all pieces."""
    return [element for piece, value in pieces.items() for element in elements_of(piece, value)]


def pieces_of(elements: Collection[Element]) -> Pieces:
    """Return the pieces that some elements make."""
    found: Pieces = {}
    for element in elements:
        if not element.at:
            found[element.piece] = element.value
        elif len(element.at) == 1:
            found.setdefault(element.piece, []).append(element.value)
        else:
            found.setdefault(element.piece, {}).setdefault(str(element.at[0]), []).append(element.value)
    return found


def shape_faults(element: Element) -> Iterator[str]:
    """Yield why an element cannot be used whatever it says: too long, several lines, control characters, addresses in phrases."""
    is_phrase = element.piece[0] in _WORDS
    for _, text in texts_within(element.value):
        if fault := answer_fault(text):
            yield f"it {fault}"
        most = _LONGEST if is_phrase else _LONGEST_EXAMPLE
        if len(text) > most:
            yield f"it has more than {most} characters"
        if is_phrase and ("\n" in text or "://" in text or "`" in text):
            yield "a phrase has one line, and no address or code outside of braces"
    if is_phrase and element.at and not element.text.strip():
        yield "it is empty"
