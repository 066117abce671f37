"""Reader of clauses of a tool's phrases in other words: "in-stock items only" for "that are in stock".

A text says a clause if it has just the words that count in it, is as negative as it is, and includes or limits as it does.
`clause_words.yaml` lists the words that say nothing by themselves and those that stand for one another.
"""

import re
from collections.abc import Collection, Sequence, Set
from functools import cache, lru_cache
from typing import Any

import msgspec

from generator.yaml_values import own_data

Clauses = Sequence[tuple[Any, Sequence[str]]]
"""(value, texts) pairs of a slot."""


class ClauseWords(msgspec.Struct, frozen=True):
    """What counts in a clause."""

    words: frozenset[str]
    """Stems, those of one group as the same."""
    negative: bool
    including: bool
    only: bool


class _Lists(msgspec.Struct, frozen=True):
    """The content of `clause_words.yaml`."""

    light: frozenset[str]
    negative: frozenset[str]
    including: frozenset[str]
    only: frozenset[str]
    groups: dict[str, str]
    """Stem → the first of its group."""


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENDS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
_SHORTEST = 3
_LEAVE = frozenset({"leave", "leaves", "leaving", "left"})


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    for end, instead in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= _SHORTEST:
            word = word.removesuffix(end) + instead
            break
    word = word.removesuffix("e")
    return word[:-1] if word[-1:] == word[-2:-1] and len(word) > _SHORTEST else word


@cache
def _lists() -> _Lists:
    told = own_data(__file__, "clause_words.yaml")
    groups = {_stem(word): _stem(group.split()[0]) for group in told.pop("alike") for word in group.split()}
    return _Lists(groups=groups, **{name: frozenset(words.split()) for name, words in told.items()})


@lru_cache(maxsize=8192)
def clause_words(text: str) -> ClauseWords:
    """Return what counts in a text."""
    lists = _lists()
    found = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    marks = [{word for word in found if word in marks} for marks in (lists.negative, lists.including, lists.only)]
    leaves_out = "out" in found and not _LEAVE.isdisjoint(found)  # "leave that out"
    if leaves_out:
        found = [word for word in found if word != "out" and word not in _LEAVE]
    counted = [word for word in found if word not in lists.light and not any(word in said for said in marks)]
    stems = frozenset(lists.groups.get(stem, stem) for stem in map(_stem, counted) if stem)
    return ClauseWords(
        stems,
        bool(marks[0]) or leaves_out or any(word.endswith("n't") for word in found),
        bool(marks[1]),
        bool(marks[2]),
    )


def read_clause(text: str, clauses: Clauses, free: Collection[str] = ()) -> Any:
    """Return the one value of which a text says a clause; raises ValueError when it says none, or more than one.

    Args:
        text: The words.
        clauses: The clauses that the tool's phrases have for each value.
        free: Words of the tool's name, which may be said or left out.
    """
    said, own = clause_words(text), frozenset([_stem(word) for word in free])
    values = [value for value, texts in clauses if any(_is_said(said, clause_words(clause), own) for clause in texts)]
    if not values or any(value != values[0] or type(value) is not type(values[0]) for value in values[1:]):
        raise ValueError(f"{text!r} says no clause of the tool, or several")
    return values[0]


def _is_said(said: ClauseWords, clause: ClauseWords, own: Set[str]) -> bool:
    needed = clause.words - own or clause.words
    if not needed or not needed <= said.words or not said.words <= clause.words | own:
        return False
    return (
        said.negative == clause.negative
        and said.including <= clause.including
        and (said.only <= (not clause.including))
    )


def is_mark(word: str) -> bool:
    """Whether a word turns a clause round, includes or limits."""
    lists, lower = _lists(), word.lower().replace("’", "'")
    return (
        lower in {"leaving", "leave", "out"}
        or lower in lists.negative
        or lower in lists.including
        or lower in lists.only
        or lower.endswith("n't")
    )


def is_light(word: str) -> bool:
    """Whether a word says nothing by itself."""
    return word.lower().replace("’", "'") in _lists().light
