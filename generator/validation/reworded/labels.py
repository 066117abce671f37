"""Whether the words beside each value still name that value: "10 g of protein and 2 g of fat", not the other way round."""

from collections.abc import Sequence

from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.survival import Spoken

_AFTER = 3
"""How many words after a value may name it."""


def label_fault(was: MarkedText, now: MarkedText) -> str:
    """Return that a value has another value's name in the new text; an empty text if none has."""
    for value, one in enumerate(now.spoken):
        named = now.words_after(value, _AFTER) - was.words_after(value, _AFTER)
        named = named and named - one.beside.names
        if named and any(named & other.beside.names for other in _rivals(one, now.spoken)):
            return f"a value with another one's name: {', '.join(sorted(named))}"
        word = now.word_before(value) - was.word_before(value)
        word = word and word - one.beside.introduced
        if word and any(word & other.beside.introduced for other in _rivals(one, now.spoken)):
            return f"a value with another one's name: {', '.join(word)}"
    return ""


def _rivals(one: Spoken, spoken: Sequence[Spoken]) -> list[Spoken]:
    """Return the values that a value could be taken for: of the same kind and call, in another place."""
    if not one.group:
        return []
    return [
        other for other in spoken if other.group == one.group and other.leaf != one.leaf and other.calls & one.calls
    ]
