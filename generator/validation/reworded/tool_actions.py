"""What tools do, as their names and phrases tell in words of the closed classes."""

import re
from collections.abc import Iterable
from functools import lru_cache

from generator.toolbox import ToolSpec, name_as_words
from generator.validation.reworded.closed_classes import closed_class_words, lexicon, text_tokens
from generator.validation.reworded.own_words import ToolKey, asking_texts


def actions_of(spec: ToolSpec, *, is_request: bool) -> frozenset[str]:
    """Return what a tool does, by its name and the phrases with which it is asked for, or its results are told."""
    return _actions(ToolKey(spec), is_request)


def asked_of(spec: ToolSpec, kind: str) -> frozenset[str]:
    """Return the meanings of a class that stand in a tool's name and in the phrases with which it is asked for."""
    return _asked(ToolKey(spec), kind)


@lru_cache(maxsize=2048)
def _actions(held: ToolKey, is_request: bool) -> frozenset[str]:
    """Return what a tool does, by its name and the phrases with which it is asked for, or its results are told."""
    spec = held.spec
    found = {"look_up"} if spec.looks_up else {"act"}
    found |= _asked(held, "action") | _asked(held, "verb")
    if not is_request:
        told = [answer.say for answer in spec.phrases.answer]
        told += [
            clause for frames in spec.phrases.slots.values() for _, clauses in frames.clauses for clause in clauses
        ]
        found |= _meanings(told, "action")
        return frozenset(found)
    return frozenset(found).union(*[lexicon().related.get(action, frozenset()) for action in found])


@lru_cache(maxsize=4096)
def _asked(held: ToolKey, kind: str) -> frozenset[str]:
    """Return the meanings of a class that stand in a tool's name and in the phrases with which it is asked for."""
    return frozenset(_meanings((name_as_words(held.spec.name), *asking_texts(held.spec)), kind))


def _meanings(texts: Iterable[str], kind: str) -> set[str]:
    """Return the meanings of a class that texts with slots have; "phone" of ", phone {phone}" is no verb."""
    found: set[str] = set()
    for text in texts:
        tokens = text_tokens(_SLOT.sub("x", text), ())
        marks = [mark for mark in closed_class_words(tokens) if mark.kind == kind]
        found |= {
            mark.meaning
            for mark in marks
            if not (mark.kind == "verb" and mark.start and tokens[mark.start - 1].text == ",")
        }
    return found


_SLOT = re.compile(r"\{[^{}]*\}")
