"""Makers whose values can all be tested beforehand, so that none has to be tested when it is made."""

from collections.abc import Callable, Collection
from typing import Any
from weakref import WeakKeyDictionary

Test = Callable[[Any], bool]
AnyMaker = Callable[..., Any]

_MOST_TESTS = 4096
_trials: "WeakKeyDictionary[AnyMaker, Callable[[Test], bool]]" = WeakKeyDictionary()


def one_of(maker: AnyMaker, values: Collection[Any]) -> AnyMaker:
    """The maker, of which it is known that it takes one of the values."""
    _trials[maker] = lambda is_valid: len(values) <= _MOST_TESTS and all(map(is_valid, values))
    return maker


def letter_by_letter(maker: AnyMaker, letters: list[str] | None) -> AnyMaker:
    """The maker, of which it is known that it takes one letter of each set; None when that is not so."""
    if letters is not None and sum(map(len, letters)) <= _MOST_TESTS:
        _trials[maker] = lambda is_valid: all(map(is_valid, _each_once(letters)))
    return maker


def is_proven(maker: AnyMaker, is_valid: Test) -> bool:
    """Whether all that the maker can make is valid.

    For texts made letter by letter that is tested with every letter in its place, not with all texts: the test must be
    one that looks at every place by itself, as a pattern without alternatives does.
    """
    trial = _trials.get(maker)
    return trial is not None and trial(is_valid)


def _each_once(letters: list[str]) -> list[str]:
    """Texts in which every letter stands in every place it may stand in."""
    first = "".join([choice[0] for choice in letters])
    return [first[:at] + letter + first[at + 1 :] for at, choice in enumerate(letters) for letter in choice] or [first]
