"""Whether what should be done is asked to be done, and what was done is told as done.

"What would it cost to send it?" does not ask to send it; "I can book it" does not say that it is booked.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from generator.toolbox import ToolSpec
from generator.validation.reworded.closed_classes import Mark
from generator.validation.reworded.marked import MarkedText

_MAY = frozenset(["can", "could", "would", "might", "may", "can't", "couldn't", "wouldn't"])
_ASKING = frozenset(
    [
        "what",
        "what's",
        "which",
        "who",
        "who's",
        "whose",
        "when",
        "when's",
        "where",
        "where's",
        "why",
        "how",
        "how's",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "am",
    ]
)
"""Words with which a question begins that asks to be told something."""
_POLITELY = (
    ("how", "about"),
    ("what", "about"),
    ("why", "not"),
    ("why", "don't"),
    ("is", "it", "possible"),
    ("is", "there", "any"),
    ("is", "there", "a"),
    ("are", "you", "able"),
    ("do", "you", "think"),
    ("do", "me"),
    ("do", "the"),
    ("do", "this"),
    ("do", "these"),
    ("do", "you", "mind"),
    ("when", "you"),
    ("what", "i"),
    ("how", "would", "you"),
    ("is", "it", "okay"),
    ("is", "it", "ok"),
)
"""Beginnings of questions that ask to do something."""
_BEFORE = frozenset(["and", "also", "then", "hi", "hey", "hello", ",", "please", "so", "but", "plus", "oh", "(", ":"])
_ENDS = frozenset(".!?;\n")


def only_asked_about(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if the new text asks a question where the old one asks to do something; an empty text if not."""
    before = {call for asked, _ in _questions(was) for call in asked}
    for asked, word in _questions(now):
        acting = [call for call in asked if call in calls and not calls[call].looks_up]
        if (
            asked
            and len(acting) == len(asked)
            and not before & asked
            and not any(calls[call].phrases.question for call in acting)
        ):
            return f"only asks about it: {word}"
    return ""


def _questions(text: MarkedText) -> Iterator[tuple[frozenset[str], str]]:
    """Yield, for each sentence that asks to be told something, the calls whose values it has and its first word."""
    words: list[str] = []
    calls: set[str] = set()
    for token in [*text.tokens, None]:
        if token is None or token.text in _ENDS:
            while words and words[0] in _BEFORE:
                words.pop(0)
            told = any(word == "whether" or (word, after) == ("tell", "me") for word, after in pairwise([*words, ""]))
            if words and told and words[0] not in _ASKING:
                yield frozenset(calls), "whether"
            if words and words[0] in _ASKING and not any(tuple(words[: len(way)]) == way for way in _POLITELY):
                yield frozenset(calls), words[0]
            words, calls = [], set()
        elif token.value >= 0:
            calls |= text.spoken[token.value].calls
            words.append("")
        else:
            words.append(token.text)


def only_may_be(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if the new answer says of something done that it can or may be done; an empty text if not."""
    before = {call for _, told in _possible(was, calls) for call in told}
    for word, told in _possible(now, calls):
        if not before & told and any(not calls[call].looks_up for call in told):
            return f"is not said to be done: {word}"
    return ""


def _possible(text: MarkedText, calls: Mapping[str, ToolSpec]) -> Iterator[tuple[str, frozenset[str]]]:
    for place, token in enumerate(text.tokens):
        if token.text in _MAY:
            told = text.calls_of(Mark("may", token.text, place, place + 1))
            if told:
                yield token.text, frozenset(told & calls.keys())
