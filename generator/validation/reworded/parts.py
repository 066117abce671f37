"""Whether each call's words stay together: a sentence, a list item or a clause belongs to one call, as it did before."""

from collections.abc import Sequence

from generator.validation.reworded.closed_classes import Token, lexicon
from generator.validation.reworded.survival import Spoken

_ENDS = frozenset(".!?;\n")
_JOINS = frozenset({",", "and", "then", "also", "plus", "please", "finally", "(", ")"})


def part_fault(was: Sequence[Token], now: Sequence[Token], spoken: Sequence[Spoken]) -> str:
    """Whether a value went into another call's sentence, item or clause; or nothing.

    Args:
        was: The old text.
        now: The new text.
        spoken: The values of both.
    """
    before, after = _parts_of_calls(was, spoken), _parts_of_calls(now, spoken)
    for calls, parts in after.items():
        shared = any(parts & others for other, others in after.items() if not calls & other)
        if len(parts) > 1 and shared and len(before[calls]) == 1:
            return "a value went to where another call's values stand"
    return _leader_fault(was, now, spoken)


def _parts_of_calls(tokens: Sequence[Token], spoken: Sequence[Spoken]) -> dict[frozenset[str], set[int]]:
    """In which parts of the text the values of each call, or of the calls that share them, stand."""
    found: dict[frozenset[str], set[int]] = {}
    for value, part in _parts(tokens).items():
        found.setdefault(spoken[value].calls, set()).add(part)
    return found


def _parts(tokens: Sequence[Token]) -> dict[int, int]:
    """In which part of the text each value stands: a new one begins with a sentence, a line, or a verb after "and"."""
    found: dict[int, int] = {}
    part = 0
    for place, token in enumerate(tokens):
        joined = place > 0 and tokens[place - 1].text in _JOINS
        if token.text in _ENDS or (joined and token.text in lexicon().asking):
            part += 1
        if token.value >= 0:
            found[token.value] = part
    return found


def _leader_fault(was: Sequence[Token], now: Sequence[Token], spoken: Sequence[Spoken]) -> str:
    """Of several calls in one part, each begins with the value that it began with: what follows it belongs to it."""
    parts = _parts_of_calls(now, spoken)
    before, after = _leaders(was, spoken), _leaders(now, spoken)
    for calls in before:
        alike = [other for other in before if other != calls and parts[other] & parts[calls]]
        kind = spoken[before[calls]].group
        if before[calls] != after[calls] and any(spoken[before[other]].group == kind for other in alike):
            return "a value stands before the one that names its call"
    return ""


def _leaders(tokens: Sequence[Token], spoken: Sequence[Spoken]) -> dict[frozenset[str], int]:
    """The first value that is one call's alone, of each call."""
    found: dict[frozenset[str], int] = {}
    for token in tokens:
        if token.value >= 0 and len(spoken[token.value].calls) == 1:
            found.setdefault(spoken[token.value].calls, token.value)
    return found
