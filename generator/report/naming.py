"""What a result calls a value: under another name, in other letters, or as a word instead of a flag."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.report.schemas import written

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_STEM = 4
"""Letters in which two words agree when they are forms of one: `wrapped` and `wrapping`."""
_OF_NO_THING = frozenset({"incl", "with", "only", "show", "enab", "also", "want", "allo"})
"""Words of flags that do not tell what the flag is about."""


class FoundValue(msgspec.Struct, frozen=True):
    """A value in a result."""

    pointer: str
    value: Any
    written: str


def held_as(pointer: str, value: Any, found: Sequence[FoundValue]) -> list[FoundValue]:
    """Return the values of a result that are this argument: equal ones, or for a flag those whose name or text is like its name.

    Args:
        pointer: Where the argument stands in the call.
        value: The argument.
        found: The values of the result.
    """
    if isinstance(value, bool):
        return [
            leaf
            for leaf in found
            if (leaf.value is value and are_related(pointer, leaf.pointer))
            or (value and isinstance(leaf.value, str) and len(leaf.value) < 40 and are_related(pointer, leaf.value))
        ]
    plain = _plain(value)
    return [leaf for leaf in found if not isinstance(leaf.value, bool) and _plain(leaf.value) == plain]


def are_related(name: str, text: str) -> bool:
    """Whether a word of a name, such as `/gift_wrap`, stands in a text in some form."""
    return not _stems(name).isdisjoint(_stems(text))


def _stems(text: str) -> set[str]:
    return {word.lower()[:_STEM] for word in _WORD.findall(text) if len(word) >= _STEM} - _OF_NO_THING


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.casefold().replace("_", " ").replace("-", " ").split())
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return written(value)
