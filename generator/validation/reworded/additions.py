"""What a rewording says beyond the values that it should say: numbers, names, dates, wishes, or anything that is not part of the text.

The words around the values are compared with those of the old text. Lists of words can catch only what is on them;
they are chosen so that what slips through changes no value.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from generator.validation.readers.numbers import NUMBER_WORDS
from generator.validation.reworded.survival import occurrences
from generator.validation.text import quoted

_LIST_NUMBER = re.compile(r"^[0-9]{1,2}[.)] ", re.MULTILINE)
_DIGITS = re.compile(r"\d[\d.,:]*\d|\d")
_NUMBERS = frozenset(word for word in NUMBER_WORDS if word not in {"one", "zero"} and " " not in word) | frozenset(
    ["hundred", "thousand", "million", "billion", "dozen", "half", "twice", "double", "triple", "third", "quarter"]
)
_DAYS = frozenset(
    [
        "today",
        "tonight",
        "tomorrow",
        "yesterday",
        "noon",
        "midnight",
        "morning",
        "afternoon",
        "evening",
        "weekend",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_GREETING = re.compile(
    r"\bgood (?:morning|afternoon|evening|day|night)\b|\A(?:morning|afternoon|evening)\b(?=[!,.])", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_STRANGE = re.compile(r"[{}\[\]<>|\\`*#@~^=¤]|https?:|www\.|[$€£¥%←→]")
_QUOTE = re.compile(r"[\"“”„«»]")
_QUOTED_MARK = re.compile(r"[\"“”„«»]¤\.?[.,!?]?[\"“”«»]")
"""A value with quotation marks outside its span."""
_ARROW = re.compile(r"¤\s*→\s*(?=¤)")
"""From one value to the next one; the order of values is compared elsewhere."""
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instruction|previous|above|prompt|rule)"
    r"|\bsystem prompt\b|\bas an? (?:ai|assistant|language model)\b|\blanguage model\b|\bopenai\b|\bchatgpt\b"
    r"|\bi(?:'m| am) sorry,? but\b|\bi can(?:'t|not) (?:help|assist|do that)\b"
    r"|\bmessage asks\b|\basks for\b|\bin the same order\b|\bthe (?:new|original|above) (?:text|message)\b"
    r"|\b(?:rewritten|rephrased|paraphrase|reworded|new (?:message|text|version))\b|\bletter by letter\b|\bjson\b"
    r"|\bhere(?:'s| is) (?:the|a|your|my) (?:message|text|rewrite|version|request)\b",
    re.DOTALL,
)
"""Of texts in small letters, where it is five times as fast as without regard to case."""
_ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "from",
        "with",
        "by",
        "is",
        "are",
        "was",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "i",
        "i'd",
        "i'm",
        "i've",
        "my",
        "me",
        "we",
        "our",
        "you",
        "your",
        "can",
        "could",
        "would",
        "will",
        "please",
        "need",
        "want",
        "like",
        "get",
        "got",
        "have",
        "has",
        "do",
        "does",
        "what",
        "what's",
        "how",
        "when",
        "there",
        "here's",
        "here",
        "all",
        "just",
        "also",
        "then",
        "so",
        "up",
        "out",
        "as",
        "if",
        "any",
        "let",
        "them",
        "thanks",
        "hi",
        "hey",
        "hello",
        "know",
        "find",
        "check",
        "show",
        "tell",
        "set",
        "make",
    ]
)
_OTHER_LANGUAGES = frozenset(
    [
        "le",
        "la",
        "les",
        "des",
        "une",
        "est",
        "pour",
        "dans",
        "avec",
        "vous",
        "je",
        "mon",
        "sur",
        "und",
        "der",
        "die",
        "das",
        "ist",
        "nicht",
        "mit",
        "für",
        "ich",
        "mein",
        "auf",
        "ein",
        "eine",
        "von",
        "zu",
        "el",
        "los",
        "las",
        "una",
        "por",
        "para",
        "con",
        "mi",
        "quiero",
        "que",
        "en",
        "il",
        "di",
        "che",
        "per",
        "sono",
        "della",
        "voor",
        "het",
        "een",
        "van",
        "ik",
        "niet",
        "op",
    ]
)
_LONGER, _MORE = 2.0, 80
_SHORTER = 0.2


def addition(
    old: str,
    new: str,
    english: bool,
    own_words: Collection[str],
    other_values: Iterable[str],
    counts: Collection[int] = (),
) -> str:
    """Return what the new text adds that it may not; an empty text if there is nothing.

    Args:
        old: The old text around its values (`survival.around`).
        new: The new text around its values.
        english: Whether the new text should be English; of other languages less is known.
        own_words: Words that the tools themselves use; they may be said.
        other_values: Spoken forms of values that the calls could take but do not, in small letters.
        counts: How many calls there are, and elements of each list: "four" may be said of four.
    """
    if len(new) > _LONGER * len(old) + _MORE:
        return "much longer"
    if len(new) < _SHORTER * len(old):
        return "much shorter"
    return (
        _strange(old, new)
        or ("breaks off in the middle of a word" if _breaks_off(old, new) else "")
        or _other_value(old, _GREETING.sub("Hello", new), other_values)
        or (_english_fault(old, _without_count(new, counts), own_words) if english else "")
    )


def _strange(old: str, new: str) -> str:
    """Return what stands in the new text but has no place in any rewording; an empty text if there is nothing."""
    if _INJECTION.search(new.lower()) and not _INJECTION.search(old.lower()):
        return "speaks of something else"
    new = _ARROW.sub("¤ ", new)
    strange = set(_STRANGE.findall(new)) - set(_STRANGE.findall(old)) - {"¤"}
    if strange or new.count("¤") != old.count("¤"):
        return f"strange characters: {' '.join(sorted(strange))}"
    if Counter(_DIGITS.findall(_LIST_NUMBER.sub("", new))) - Counter(_DIGITS.findall(old)):
        return "a number of its own"
    new = _QUOTED_MARK.sub("¤", new)
    if len(_QUOTE.findall(new)) > len(_QUOTE.findall(old)):
        return "a quotation of its own"
    return ""


def _breaks_off(old: str, new: str) -> bool:
    """Whether the new text breaks off in its last word: that is only the beginning of a word of the old text."""
    last = _LAST_WORD.search(new) if _WORD.match(new.rstrip()[-1:]) else None  # most texts end in a mark
    if last is None:
        return False
    word, before = last[1].lower(), {word.lower() for word in _WORD.findall(old)}
    return word not in before and word not in _ENGLISH and any(other.startswith(word) for other in before)


_LAST_WORD = re.compile(r"([^\W\d_]+)\s*\Z")


def _other_value(old: str, new: str, others: Iterable[str]) -> str:
    before, now = old.casefold(), new.casefold()
    for form in others:
        if form in now and form not in before and occurrences(form, now):
            return f"a value that no call takes: {quoted(form)}"
    return ""


def _english_fault(old: str, new: str, own_words: Collection[str]) -> str:
    new = _GREETING.sub("Hello", new)
    before, now = _words(old), _words(new)
    for kind, words in (("a number", _NUMBERS), ("a day or time", _DAYS)):
        added = (set(now) & words) - set(before)
        if added:
            return f"{kind} of its own: {', '.join(sorted(added))}"
    names = {name for name in _names(new) - set(_WORD.findall(old)) if name not in own_words}
    if names:
        return f"a name of its own: {', '.join(sorted(names))}"
    return _language_fault(new, now)


def _without_count(text: str, counts: Collection[int]) -> str:
    """Return the text without what only counts the things told: "two things" before the first value, "there are four", "First,"."""
    head, mark, rest = _ORDER.sub("", text).partition("¤")
    most = max(counts, default=1)
    head = _COUNT.sub(lambda match: "" if NUMBER_WORDS[match[1].lower()] <= most else match[0], head)
    return head + mark + _COUNT.sub(lambda match: "" if NUMBER_WORDS[match[1].lower()] in counts else match[0], rest)


_COUNT = re.compile(
    rf"\b({'|'.join(word for word, number in NUMBER_WORDS.items() if number > 1 and ' ' not in word and '-' not in word)})\b"
    r"(?!-|\s+(?:second|minute|hour|day|week|month|year|night|people|person|guest|adult|time|percent|mile|kilomet|met|%))",
    re.IGNORECASE,
)
"""A spelled number that counts nothing which has a unit."""


_ORDER = re.compile(
    r"(?:(?<=[.!?:;]\s)|(?<=\n)|^)(?:And |Then )?(?:first|second|third|fourth|last)(?:ly| of all| off| up)?, ",
    re.IGNORECASE,
)


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.lower().replace("’", "'"))
    return [*words, *["n't" for word in words if word.endswith("n't")]]


_NAME = re.compile(r"(?<=[^\s.!?:;\-–—*•\"“(])[ ,]+([A-Z][^\W\d_]*)")
_NO_NAMES = frozenset({"I", "OK", "Ok", "ID", "IDs", "EUR", "USD", "GBP", "PM", "AM"})


def _names(text: str) -> set[str]:
    """Return the capitalised words in the middle of sentences."""
    return {name for name in _NAME.findall(text) if name not in _NO_NAMES}


def _language_fault(text: str, words: list[str]) -> str:
    letters = [] if text.isascii() else [letter for letter in text if letter.isalpha()]
    foreign = sum(not letter.isascii() for letter in letters)
    if foreign > 3 and foreign * 20 > len(letters):
        return "another language"
    english = sum(word in _ENGLISH for word in words)
    other = sum(word in _OTHER_LANGUAGES and word not in _ENGLISH for word in words)
    return "another language" if other > max(1, english) or (len(words) > 12 and not english) else ""
