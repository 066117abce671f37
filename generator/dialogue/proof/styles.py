"""Whether answers look as the system message says: `ST101`. It sees nothing but the messages."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, Violation
from generator.dialogue.styles import ANY, Style, style_in

CODE = "ST101"
STATEMENT = (
    "Answers look as the lines of the system message say: length, lists, offers of more help, dates, times, amounts."
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")
_ENTRY = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s", re.MULTILINE)
_TABLE = re.compile(r"^\s*\|", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"”')]*(?=\s+\S|\s*$)")
_OFFER = re.compile(
    r"\b(?:any|some)thing else\b|\blet me know\b|\bjust say\b|\bfeel free\b|\bhappy to help\b|\bif you (?:need|want) (?:any|more)",
    re.IGNORECASE,
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|November|December)"
_DATES = {
    "day month": re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"),
    "month day": re.compile(rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?![\d:])"),
    "iso": re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])"),
}
_CLOCKS = {
    12: re.compile(r"\d ?[ap]\.?m\b", re.IGNORECASE),
    24: re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?![\d:])(?! ?[ap]\.?m\b)", re.IGNORECASE),
}
_CURRENCY = re.compile(
    r"\d ?(?:USD|EUR|GBP|CHF|JPY|dollars?|euros?|pounds?|francs?|yen)\b|\b(?:USD|EUR|GBP|CHF|JPY) ?\d"
)


def style_faults(conversation: Conversation, asked: Style | None = None) -> Iterator[Violation]:
    """Yield what in the assistant's messages does not look as it should.

    Args:
        conversation: The finished messages.
        asked: The style; what the lines of the system messages ask for, if not given.
    """
    style = asked or ANY
    for at, message in enumerate(conversation.messages):
        if isinstance(message, SystemMessage) and asked is None:
            style = style_in(message.content)
        elif isinstance(message, AssistantMessage) and message.content and style != ANY:
            for fault in faults_of_text(message.content, style, beside=bool(message.tool_calls)):
                yield Violation(CODE, f"$.messages[{at}].content", fault)


def faults_of_text(text: str, style: Style, *, beside: bool = False) -> Iterator[str]:
    """Yield what of an answer, or of a text beside calls, does not look as it should."""
    if beside and style.beside == "no":
        yield "it stands beside calls"
    for constraint, reader, wanted in _constraints(style):
        if not (beside and constraint in _OF_ANSWERS):
            fault = reader(text, wanted)
            if fault:
                yield fault


@cache
def _constraints(style: Style) -> tuple[tuple[str, Callable[..., str], object], ...]:
    """Return the constraints that a style puts, each with its reader and its value."""
    return tuple([(name, reader, wanted) for name, reader in _READERS.items() if (wanted := getattr(style, name))])


def _too_many_words(text: str, most: int) -> str:
    """Return the fault of a text with more words than `most`; an empty text otherwise."""
    words = sum(1 for word in text.split() if any(map(str.isalnum, word)))
    return f"{words} words instead of {most} at most" if words > most else ""


def _too_many_sentences(text: str, most: int) -> str:
    """Return the fault of a text with more sentences than `most`, or with more than a paragraph."""
    if "\n" in text.strip():
        return "more than a paragraph"
    count = len(_SENTENCE_END.findall(_unquoted(text)))
    return f"{count} sentences instead of {most} at most" if count > most else ""


def _holds(pattern: re.Pattern[str], what: str) -> Callable[[str, object], str]:
    """Return a reader that finds what a pattern forbids, outside quotations."""
    return lambda text, _: f"{what}: {found[0]!r}" if (found := pattern.search(_unquoted(text))) else ""


def _other_date(text: str, wanted: str) -> str:
    """Return the fault of a text with a date in another form than `wanted` ("4 May" for "May 4")."""
    found = [pattern.search(_unquoted(text)) for form, pattern in _DATES.items() if form != wanted]
    return next((f"another form of date: {one[0]!r}" for one in found if one), "")


def _other_clock(text: str, wanted: int) -> str:
    """Return the fault of a text with a time on the other clock: "3 pm" where 24 hours are wanted."""
    found = _CLOCKS[36 - wanted].search(_unquoted(text))
    return f"another clock: {found[0]!r}" if found else ""


def _unquoted(text: str) -> str:
    """Return a text without what it quotes: titles and messages stay as they are."""
    return _QUOTED.sub('""', text)


_READERS: dict[str, Callable[..., str]] = {
    "words": _too_many_words,
    "sentences": _too_many_sentences,
    "lists": _holds(_ENTRY, "an entry of a list"),
    "tables": _holds(_TABLE, "a table"),
    "bold": _holds(re.compile(r"\*\*[^*\n]+\*\*"), "bold type"),
    "closers": _holds(_OFFER, "an offer of more help"),
    "exclamations": _holds(re.compile("!"), "an exclamation mark"),
    "date": _other_date,
    "clock": _other_clock,
    "money": _holds(_CURRENCY, "a currency by name"),
}
"""What each constraint of a style but `beside` forbids."""
_OF_ANSWERS = frozenset({"words", "sentences"})
