"""The kind of value that a parameter's name or description suggests; only whole words are compared."""

import re
from collections.abc import Mapping
from functools import cache

from generator.arguments.kinds.records import NEUTRAL_WORDS, RECORDS, kinds_by, split_values

_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FORMS = kinds_by("forms")
_DESCRIPTIONS = kinds_by("descriptions")
_NUMBERS = frozenset([name for name, record in RECORDS.items() if record.number is not None or record.is_number])
_MOST_WORDS = 4


def words_in_name(name: str) -> tuple[str, ...]:
    """Return the words of a name, small: `checkInDate`, `check_in_date` and `check-in date` have the same three."""
    return tuple(word.lower() for word in _SPLIT.findall(name))


def kind_of_name(name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
    """Return the kind that a name suggests; if it is too general, together with the names of its parents."""
    table = _kinds_by_words(is_number)
    words = words_in_name(name)
    for parent in parents:
        kind = _kind_of_last_words((*_singular(words_in_name(parent))[-1:], *words), table, len(words) + 1)
        if kind is not None:
            return kind
    kind = _kind_of_last_words(words, table, 1)
    return "proper_name" if kind is None and words[-1:] == ("name",) and not is_number else kind


def form_of_description(description: str) -> str | None:
    """Return the kind whose notation a description prescribes ("ISO 4217", "YYYY-MM-DD")."""
    return _kind_of_longest_hint(description, _FORMS)


def kind_of_description(description: str, is_number: bool) -> str | None:
    """Return the kind that a description mentions, for names that suggest none."""
    return _kind_of_longest_hint(
        description, {hint: kind for hint, kind in _DESCRIPTIONS.items() if (kind in _NUMBERS) == is_number}
    )


def _kind_of_longest_hint(description: str, hints: Mapping[str, str]) -> str | None:
    """Return the kind of the longest hint that stands in the description as whole words."""
    lowered = description.lower()
    hints_found = [hint for hint in hints if hint in lowered and re.search(rf"(?<!\w){re.escape(hint)}(?!\w)", lowered)]
    return hints[max(hints_found, key=len)] if hints_found else None


def _kind_of_last_words(words: tuple[str, ...], table: dict[tuple[str, ...], str], shortest: int) -> str | None:
    """Return the kind of the longest known sequence of words at the end of a name; neutral words are skipped: `("home", "address", "text")` → `address`."""
    end = len(words)
    while end:
        for start in range(max(0, end - _MOST_WORDS), end - shortest + 1):
            for form in (words[start:end], _singular(words[start:end])):
                if form in table:
                    return table[form]
        if words[end - 1] not in NEUTRAL_WORDS:
            return None
        end -= 1
    return None


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name with the last one in the singular: `("street", "addresses")` → `("street", "address")`."""
    if not words:
        return words
    last = words[-1]
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("sses", "ches", "shes", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return (*words[:-1], last)


@cache
def _kinds_by_words(is_number: bool) -> dict[tuple[str, ...], str]:
    """Return words of a name → kind, for numbers or for texts: `("check", "in")` → `date`."""
    kinds: dict[tuple[str, ...], str] = {}
    for kind, record in RECORDS.items():
        for name in split_values(record.names) if (kind in _NUMBERS) == is_number else ():
            kinds.setdefault(tuple(name.split()), kind)
    return kinds
