"""Whether a text still names what it is about, the weather and not the time, and wants nothing more."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from generator.toolbox import ToolSpec, name_as_words
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.own_words import ToolKey
from generator.validation.reworded.unknown import forms_of, names_a_topic, with_alike


def not_asked_for(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if a request does not speak of what a look-up is about any more; an empty text if it does."""
    return _lost_topic(was, now, [spec for spec in calls.values() if spec.looks_up])


def not_told(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if an answer leaves out what was done beside what it tells values of; an empty text if it does not."""
    told = frozenset().union(*[one.calls for one in was.spoken])
    done = [spec for call, spec in calls.items() if call not in told and not spec.looks_up]
    return _lost_topic(was, now, done) if told else ""


def _lost_topic(was: MarkedText, now: MarkedText, tools: Iterable[ToolSpec]) -> str:
    before, after = (
        {part for token in text.tokens for part in (token.text, *token.text.split("-"))} for text in (was, now)
    )
    for tool in tools:
        topics = _topics_of(ToolKey(tool))
        told = topics.names & before
        if told and not topics.alike & after:
            return f"does not speak of it: {', '.join(sorted(told))}"
    return ""


class _Topics(msgspec.Struct, frozen=True):
    """Words for what a tool is about, in all their forms."""

    names: frozenset[str]
    """Those of its name."""
    alike: frozenset[str]
    """And all that speak of the same things."""


@lru_cache(maxsize=1024)
def _topics_of(held: ToolKey) -> _Topics:
    words = name_as_words(held.spec.name).lower().split()
    names = {word for word in words if names_a_topic(word)}
    own, alike = ({form for word in group for form in forms_of(word)} for group in (names, with_alike(names)))
    return _Topics(frozenset(own), frozenset(alike))


_ALSO = frozenset({"also", "plus", "additionally", "besides"})
_PARTS = frozenset([".", "!", "?", ";", ",", "\n", "and"])


def added_wish(was: MarkedText, now: MarkedText) -> str:
    """Return a fault if the new text wants something more without any value: "and give me the forecast as well"."""
    return "wants something more" if _wishes_for_more(now) > _wishes_for_more(was) else ""


def _wishes_for_more(text: MarkedText) -> int:
    """Return how many parts have no value, but a word for more and others that name something."""
    count, words, values = 0, list[str](), 0
    for token in [*text.tokens, None]:
        if token is None or token.text in _PARTS:
            more = not _ALSO.isdisjoint(words) or words[-1:] == ["too"] or words[-2:] == ["as", "well"]
            count += more and not values and len(words) > _FEW
            words, values = [], 0
        elif token.value >= 0:
            values += 1
        else:
            words.append(token.text)
    return count


_FEW = 4


_POLITE_IF = frozenset(
    [
        "you",
        "possible",
        "it's",
        "that's",
        "it",
        "that",
        "needed",
        "necessary",
        "convenient",
        "i",
        "we",
        "okay",
        "ok",
        "at",
        "so",
        "not",
        "any",
    ]
)
_WHETHER = frozenset(
    [
        "see",
        "check",
        "know",
        "tell",
        "out",
        "wonder",
        "wondering",
        "me",
        "sure",
        "great",
        "nice",
        "good",
        "lovely",
        "grand",
        "ask",
        "and",
        "even",
        "it",
    ]
)


def added_condition(was: MarkedText, now: MarkedText) -> str:
    """Return a fault if the new request makes something hang on a condition: "if the price is right"."""
    if any(token.text in _CONDITIONAL or token.text == "when" for token in was.tokens):
        return ""
    for place, token in enumerate(now.tokens):
        before = now.tokens[place - 1].text if place else ""
        after = now.tokens[place + 1].text if place + 1 < len(now.tokens) else ""
        if token.text == "when" and after in {"it", "they", "the", "there"}:
            return "hangs on a condition: when"
        if token.text in _CONDITIONAL and not (token.text == "if" and (after in _POLITE_IF or before in _WHETHER)):
            return f"hangs on a condition: {token.text}"
    return ""


_CONDITIONAL = frozenset({"if", "unless", "provided", "assuming", "whenever"})
