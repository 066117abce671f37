"""Whether a text mentions a value: as it is, or in other words.

A search, not a proof: it knows numbers in words and with thousands separators, dates and clock times as people say
them, and texts whose words all occur. It is used where a file has no proofs beside it.
"""

import re
from functools import cache
from typing import Any

import msgspec

from generator.core.yaml_values import own_data

_WORD = re.compile(r"\w+")
_WORD_OF_SPEECH = re.compile(r"\w+(?:['’]\w+)*")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d).*)?")
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::\d\d)?")


class WordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of `words.yaml`."""

    look_up_verbs: frozenset[str]
    numbers: dict[int, str]
    months: tuple[str, ...]
    relative_days: frozenset[str]
    function_words: dict[str, frozenset[str]]
    """Language → words of it that hardly any text does without."""


@cache
def known_words() -> WordLists:
    """Return the word lists, read once."""
    return msgspec.convert(own_data(__file__, "words.yaml"), WordLists, strict=False)


def is_look_up(name: str) -> bool:
    """Whether the name of a tool says that it looks something up and changes nothing."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name.replace("-", "_"))
    verbs = words[: 2 if len(words) > 2 else 1]  # the name of a server may precede the verb
    return not known_words().look_up_verbs.isdisjoint(word.lower() for word in verbs)


def words_of_text(text: str) -> list[str]:
    """Return the words of a text, in lower case: `I'd` is one."""
    return _WORD_OF_SPEECH.findall(text.lower())


class SearchedText:
    """A text that several values are looked for in."""

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.words = frozenset(_WORD.findall(self.lower))

    def find(self, value: Any) -> tuple[int, int] | None:
        """Return where the value stands as it is, as a character span [start, end); None when it does not.

        True, false, null and empty values have no form of their own and are never found.
        """
        for form in _forms(value):
            start = self._find_apart(form)
            if start >= 0:
                return start, start + len(form)
        return None

    def rewords(self, value: Any) -> bool:
        """Whether the value is said in other words."""
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, int | float):
            return abs(value) < 1e6 and value == int(value) and known_words().numbers.get(int(value)) in self.words
        if not isinstance(value, str):
            return False
        dated, clock = _DATE.fullmatch(value), _CLOCK.fullmatch(value)
        if dated:
            return self._says_day(int(dated[2]), int(dated[3]))
        if clock:
            return self._says_time(int(clock[1]), int(clock[2]))
        parts = _WORD.findall(value.lower().replace("_", " "))
        return bool(parts) and all(part in self.words or f"{part}s" in self.words for part in parts)

    def _find_apart(self, form: str) -> int:
        """Return where the form occurs as a whole word; -1 when it does not."""
        text, start = self.lower, -1
        while (start := text.find(form, start + 1)) >= 0:
            end = start + len(form)
            before = start > 0 and text[start - 1].isalnum() and form[0].isalnum()
            after = end < len(text) and text[end].isalnum() and form[-1].isalnum()
            if not before and not after:
                return start
        return -1

    def _says_day(self, month: int, day: int) -> bool:
        known = known_words()
        name = known.months[month - 1] if 1 <= month <= 12 else ""
        numbered = not self.words.isdisjoint((str(day), f"{day}st", f"{day}nd", f"{day}rd", f"{day}th"))
        return (numbered and (name in self.words or name[:3] in self.words)) or not self.words.isdisjoint(
            known.relative_days
        )

    def _says_time(self, hour: int, minute: int) -> bool:
        known, twelve = known_words(), hour % 12 or 12
        hours = {str(hour), str(twelve), f"{twelve}am", f"{twelve}pm", known.numbers.get(twelve, "")}
        if hour in (0, 12):
            hours |= {"noon", "midday", "midnight"}
        minutes = {f"{minute:02}", f"{minute:02}am", f"{minute:02}pm", "half", "quarter"}
        return not self.words.isdisjoint(hours) and (minute == 0 or not self.words.isdisjoint(minutes))


def _forms(value: Any) -> tuple[str, ...]:
    """Yield the literal forms of a value, which differ in case and thousands separators only."""
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, str):
        return (value.strip().lower(),) if value.strip() else ()
    if isinstance(value, int):
        return _whole_number(value)
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e15:
            return _whole_number(int(value))
        return (repr(value), f"{value:.2f}", f"{value:,}")
    return ()


def _whole_number(value: int) -> tuple[str, ...]:
    if abs(value) >= 10**18:  # nobody says such a number, and Python limits how long ones are written
        return ()
    return (str(value), f"{value:,}") if abs(value) >= 1000 else (str(value),)
