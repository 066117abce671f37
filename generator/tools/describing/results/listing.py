"""Lists of things: how one is told, by its name and its identifier, with its state, and how people single one out."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import is_plural, word_lists
from generator.tools.describing.things import Key

_SLOT = re.compile(r"\{(\w+)[^{}]*\}")
_MOST_TOLD = 4
"""Slots in the words for one thing: what it is called, and three more."""


def one_by_one(texts: Sequence[str], key: Key, states: str, shown: Collection[str]) -> list[str]:
    """Return the ways to tell one entity of a list, with what people need to go on with it.

    An entity without a name ("one on {date}") is called by its identifier; one with a name that others may have, too, is
    told with it: "{title} ({job_id}, {status}, due {due_date})".

    Args:
        texts: The ways without identifier and state.
        key: How the server names such entities.
        states: The field that holds the state; empty if there is none.
        shown: The fields that the list shows.
    """
    named = f"{{{key.shown}}}" if key.shown in shown and is_speakable(key) else ""
    found = []
    for text in texts:
        if named and named not in text:
            text = named + text.removeprefix("one") if text.startswith("one ") else _within(text, named)
        if states in shown and f"{{{states}}}" not in text and len(_SLOT.findall(text)) < _MOST_TOLD:
            text = _within(text, f"{{{states}}}", named)
        found.append(text)
    return list(dict.fromkeys(found))


def is_speakable(key: Key) -> bool:
    """Whether people say an identifier: a short code or a number, not a hash."""
    schema: dict[str, Any] = key.schema
    return (
        schema.get("type") == "string"
        and "pattern" in schema
        and not re.search(r"a-f|\{(?:1[2-9]|[2-9]\d)\}", schema["pattern"])
    )


def _within(text: str, more: str, after: str = "") -> str:
    """Return a text with one more thing in parentheses: the first in those that follow the name or `after`, or in new ones."""
    if after and f"({after}" in text:
        return text.replace(f"({after}", f"({after}, {more}", 1)
    named = _SLOT.search(text)
    end = named.end() if named is not None else len(text)
    if after:
        return f"{text[:-1]}, {more})" if text.endswith(")") else f"{text} ({more})"
    return (
        f"{text[:end]} ({more}, {text[end + 2 :]}"
        if text[end:].startswith(" (")
        else f"{text[:end]} ({more}){text[end:]}"
    )


def picks_of(noun: str, fields: Mapping[str, dict[str, Any]], order: str, is_sought: bool) -> list[dict[str, Any]]:
    """Return the ways to single out one thing of a list.

    Only those that name an order, or the only one that is found, fit things that are to be changed before the list was seen.

    Args:
        noun: What the things are.
        fields: What the list shows of each, without its identifier.
        order: The field that it is sorted by.
        is_sought: Whether it is asked for by words, so that one can be all that is found.
    """
    found: list[dict[str, Any]] = [{"say": f"the first {noun}", "by": "first", "looks_up": True}]
    found += [{"say": f"that {noun}", "by": "only"}] if is_sought else []
    for name, schema in fields.items():
        words = name_as_words(name).split()
        if schema.get("format") in ("date", "date-time"):
            found += _by_time(noun, name, words)
        elif name == order and "time" in (schema.get("x-kind"), schema.get("format"), words[-1]):
            found += [
                {"say": f"the earliest {noun}", "by": f"min {name}"},
                {"say": f"the latest {noun}", "by": f"max {name}"},
            ]
        elif schema.get("type") in ("integer", "number"):
            found += _by_size(noun, name, words)
    return found


def _by_time(noun: str, name: str, words: Sequence[str]) -> list[dict[str, Any]]:
    if words[0] in word_lists()["made"]:
        return [{"say": f"the oldest {noun}", "by": f"min {name}"}, {"say": f"the newest {noun}", "by": f"max {name}"}]
    if words in (["date"], ["day"], ["start"], ["starts", "at"], ["start", "time"]):
        return [
            {"say": f"the earliest {noun}", "by": f"min {name}"},
            {"say": f"the latest {noun}", "by": f"max {name}"},
        ]
    return (
        [
            {"say": f"the {noun} with the {how} {' '.join(words)}", "by": f"{by} {name}"}
            for how, by in (("earliest", "min"), ("latest", "max"))
        ]
        if words[-1] in ("date", "day", "deadline")
        else []
    )


def _by_size(noun: str, name: str, words: Sequence[str]) -> list[dict[str, Any]]:
    if words[-1] in ("price", "cost"):
        return [
            {"say": f"the cheapest {noun}", "by": f"min {name}"},
            {"say": f"the most expensive {noun}", "by": f"max {name}"},
        ]
    if words[-1] in ("amount", "total"):
        return [
            {"say": f"the smallest {noun}", "by": f"min {name}"},
            {"say": f"the largest {noun}", "by": f"max {name}"},
        ]
    return [{"say": f"the {noun} with the most {' '.join(words)}", "by": f"max {name}"}] if is_plural(words[-1]) else []
