"""How one thing of a list is told: by its name and its identifier, with its state."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from generator.describing.things import Key

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
    return schema.get("type") == "string" and "pattern" in schema and not re.search(r"a-f|\{(?:1[2-9]|[2-9]\d)\}", schema["pattern"])


def _within(text: str, more: str, after: str = "") -> str:
    """Return a text with one more thing in parentheses: the first in those that follow the name or `after`, or in new ones."""
    if after and f"({after}" in text:
        return text.replace(f"({after}", f"({after}, {more}", 1)
    named = _SLOT.search(text)
    end = named.end() if named is not None else len(text)
    if after:
        return f"{text[:-1]}, {more})" if text.endswith(")") else f"{text} ({more})"
    return f"{text[:end]} ({more}, {text[end + 2 :]}" if text[end:].startswith(" (") else f"{text[:end]} ({more}){text[end:]}"
