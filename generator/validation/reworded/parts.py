"""Whether each call's words stay together: a sentence, a list item or a clause belongs to one call, as it did before."""

from collections.abc import Sequence
from itertools import pairwise

from generator.validation.reworded.closed_classes import Token, lexicon
from generator.validation.reworded.survival import Spoken

_ENDS = frozenset(".!?;\n")
_JOINS = frozenset({",", "and", "then", "also", "plus", "please", "finally", "(", ")"})


def moved_value_fault(was: Sequence[Token], now: Sequence[Token], spoken: Sequence[Spoken]) -> str:
    """Return that a value moved into another call's sentence, item or clause; an empty text if none did.

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
    return _leader_fault(was, now, spoken) or _run_on_fault(was, now, spoken)


def _run_on_fault(was: Sequence[Token], now: Sequence[Token], spoken: Sequence[Spoken]) -> str:
    """Return a fault if nothing separates the values of two calls, and something did: "hip-hop only by Matteo"."""
    if _runs_on(now, spoken) and not _runs_on(was, spoken):
        return "a value runs on into another call's"
    return ""


def _runs_on(tokens: Sequence[Token], spoken: Sequence[Spoken]) -> bool:
    """Whether values of two calls follow one another without a mark or a word that joins."""
    last, is_apart = -1, True
    for token in tokens:
        if token.value >= 0 and spoken[token.value].group == "reference":
            continue
        if token.value >= 0:
            if last >= 0 and not is_apart and not spoken[last].calls & spoken[token.value].calls:
                return True
            last, is_apart = token.value, False
        elif token.text in _APART:
            is_apart = True
    return False


_APART = frozenset(
    [
        ",",
        ";",
        ":",
        ".",
        "!",
        "?",
        "\n",
        "(",
        ")",
        "and",
        "or",
        "then",
        "plus",
        "also",
        "while",
        "but",
        "as",
        "with",
        "after",
        "before",
        "followed",
        "besides",
    ]
)


def _parts_of_calls(tokens: Sequence[Token], spoken: Sequence[Spoken]) -> dict[frozenset[str], set[int]]:
    """Return, by call or calls that share values, the parts of the text in which their values stand."""
    found: dict[frozenset[str], set[int]] = {}
    for value, part in _parts(tokens).items():
        found.setdefault(spoken[value].calls, set()).add(part)
    return found


def _parts(tokens: Sequence[Token]) -> dict[int, int]:
    """Return, by value, the part of the text in which it stands: a part begins with a sentence, a line, or a verb after "and"."""
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
    """Return a fault if a value with which a call begins, other than before, could be of the call that it follows in one part."""
    before, after = _leaders(was, spoken), _leaders(now, spoken)
    told = [(value, part) for value, part in _parts(now).items() if len(spoken[value].calls) == 1]
    for (last, its_part), (value, part) in pairwise(told):
        calls, other = spoken[value].calls, spoken[last].calls
        if part != its_part or calls == other or after.get(calls) != value or before.get(calls) == value:
            continue
        leaves = {one.leaf for one in spoken if one.calls == other}
        alike = any(
            spoken[lead].group == spoken[before[calls]].group for owner, lead in before.items() if owner != calls
        )
        if alike and spoken[value].leaf not in leaves:
            return "a value stands before the one that names its call"
    return ""


def _leaders(tokens: Sequence[Token], spoken: Sequence[Spoken]) -> dict[frozenset[str], int]:
    """Return, for each call, the first value that belongs to it alone."""
    found: dict[frozenset[str], int] = {}
    for token in tokens:
        if token.value >= 0 and len(spoken[token.value].calls) == 1:
            found.setdefault(spoken[token.value].calls, token.value)
    return found
