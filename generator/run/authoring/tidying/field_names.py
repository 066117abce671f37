"""What people call the fields of a result whose names are no words: `fullName` is the full name, `task_gid` the task's ID."""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.pointers import escape, variants
from generator.core.toolbox import ToolSpec, name_as_words

_SHORT = {
    "gid": "id",
    "uid": "id",
    "uuid": "id",
    "desc": "description",
    "num": "number",
    "qty": "quantity",
    "url": "link",
}

_PEOPLE = frozenset(
    {"assignee", "author", "contact", "creator", "customer", "organizer", "owner", "reporter", "requester", "sender"}
)
"""Who is called by a name, which the heading of a column need not say."""


def words_for_fields(spec: ToolSpec) -> dict[str, str]:
    """Return field → its words, for those fields of a result, or of the elements of its lists, that people call otherwise."""
    found: dict[str, str] = {}
    for place in dict.fromkeys(_places(spec.returns)):
        name = place.rpartition("/")[2]
        words = " ".join(_SHORT.get(word, word) for word in name_as_words(name).split())
        words = words.removesuffix(" name") if words.removesuffix(" name") in _PEOPLE else words
        if words != name.replace("_", " ") and re.fullmatch(r"[a-z]+(?: [a-z]+)*", words):
            found[place] = words
    return found


def _places(schema: Any, around: str = "") -> Iterator[str]:
    """Yield the places of plain fields: `title`, `tasks/*/title`."""
    for branch in variants(schema, schema) if isinstance(schema, dict) else ():
        for name, part in branch.get("properties", {}).items():
            if isinstance(part, dict) and isinstance(part.get("items"), dict):
                yield from _places(part["items"], f"{around}{escape(name)}/*/")
            else:
                yield f"{around}{escape(name)}"
