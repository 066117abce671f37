"""What an answer says was done: nothing that neither the old text nor the tools' own answers say."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from generator.toolbox import ToolSpec
from generator.validation.reworded.closed_classes import Mark, Token, closed_class_words, lexicon, text_tokens
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.own_words import ToolKey, asking_words
from generator.validation.reworded.tool_actions import actions_of
from generator.validation.reworded.unknown import forms_of, is_usual


def done_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a participle of the new text that nobody said of a thing: "your request is refused"; an empty text if there is none."""
    other = _another_doer(was, now) or _looked_fault(was, now, calls)
    if other:
        return other
    said = {token.text for token in was.tokens} | lexicon().done_with
    judged = {mark.start for mark in now.marks if mark.kind in {"action", "state"}}
    for place in _participles(now.tokens):
        word = now.tokens[place].text
        if place in judged or word in said:
            continue
        told = now.calls_of(Mark("done", word, place, place + 1))
        tools = [spec for call, spec in calls.items() if call in told or not told]
        if word not in frozenset().union(*[_telling(ToolKey(tool)) for tool in tools]) and not _may_be_done(
            word, tools
        ):
            return f"is not what was done: {word}"
    return ""


def _another_doer(was: MarkedText, now: MarkedText) -> str:
    """Return a fault if an answer says that somebody did to the user what was done: "Ana has added you"."""
    said = {one.text for one in was.tokens}
    for place, token in enumerate(now.tokens[:-3]):
        words = [one.text for one in now.tokens[place + 1 : place + 4]]
        if token.value >= 0 and words[0] in {"has", "have"} and words[2] in {"you", "me"} and words[2] not in said:
            return f"somebody else does it: {words[1]}"
    return ""


_LOOKED = frozenset(
    [
        "found",
        "looked",
        "checked",
        "searched",
        "listed",
        "pulled",
        "gone",
        "read",
        "gathered",
        "seen",
        "noticed",
        "retrieved",
        "collected",
        "fetched",
        "reviewed",
        "scanned",
    ]
)
"""What somebody did who only looked something up."""
_FREE = frozenset(
    [
        "got",
        "put",
        "come",
        "had",
        "been",
        "made",
        "given",
        "included",
        "sorted",
        "picked",
        "noted",
        "taken",
        "worked",
        "narrowed",
        "brought",
        "counted",
        "compared",
        "calculated",
        "converted",
    ]
)


def _looked_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if an answer says "I've added" of a look-up, or "was found" of what was done; an empty text if not."""
    before, lists = {token.text for token in was.tokens}, lexicon()
    for place in _participles(now.tokens):
        word = now.tokens[place].text
        if word in before:
            continue
        told = [calls[call] for call in now.calls_of(Mark("done", word, place, place + 1)) if call in calls]
        first = now.tokens[place - 1].text in {"i've", "we've"} or [
            token.text for token in now.tokens[max(0, place - 2) : place]
        ] == ["i", "have"]
        if told and first and all(tool.looks_up for tool in told) and word not in _LOOKED | _FREE:
            verbs = {lists.participles.get(word, word), *forms_of(word)}
            if any(verb in lists.verbs or verb in lists.words for verb in verbs):
                return f"is not what was done: {word}"
        if told and word in {"found", "listed"} and not any(tool.looks_up for tool in told):
            return f"is not what was done: {word}"
    return ""


def _may_be_done(word: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a participle is of a verb with which one of the tools is asked for, and of no other class than these."""
    lists = lexicon()
    verbs = {lists.participles.get(word, word), *forms_of(word)}
    classes = frozenset().union(*[lists.verbs.get(verb, frozenset()) for verb in verbs])
    for tool in tools:
        own = actions_of(tool, is_request=False)
        if (
            word in asking_words([tool]) or (classes & own)
            if classes
            else (verbs & asking_words([tool]) or is_usual(word))
        ):
            return True
    return False


_PAST_ONLY = frozenset({"come", "run", "fall", "rise", "be"})
"""Verbs of which the list holds the past, which needs no other word before it."""
_BETWEEN = frozenset(
    [
        "now",
        "already",
        "just",
        "successfully",
        "been",
        "being",
        "also",
        "all",
        "both",
        "not",
        "currently",
        "only",
        "then",
        "since",
    ]
)


def _participles(tokens: Sequence[Token]) -> Iterator[int]:
    lists = lexicon()
    for place, token in enumerate(tokens):
        if token.text in lists.participles or (token.text.endswith("ed") and len(token.text) > len("need")):
            before = place - 1
            while before > 0 and tokens[before].text in _BETWEEN:
                before -= 1
            attributive = token.text not in lists.participles or lists.participles[token.text] in _PAST_ONLY
            if attributive or (before >= 0 and tokens[before].text in lists.before_participles):
                yield place


_CLAUSE = re.compile(r"[.;:,]")


@lru_cache(maxsize=1024)
def _telling(held: ToolKey) -> frozenset[str]:
    """Return the words of the answers of a tool, without the clauses that say what was not done."""
    phrases = held.spec.phrases
    told = [clause for answer in phrases.answer for clause in _CLAUSE.split(answer.say)]
    told += [clause for frames in phrases.slots.values() for _, clauses in frames.clauses for clause in clauses]
    tokens = [text_tokens(clause, ()) for clause in told]
    return frozenset(
        token.text
        for clause in tokens
        if not any(mark.kind == "negation" for mark in closed_class_words(clause))
        for token in clause
    )
