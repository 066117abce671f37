"""What the members of an enum are called by their meaning: `asc` is "lowest first"."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from generator.arguments.kinds.records import split_values
from generator.core.yaml_values import own_data

_MEANINGS: dict[str, tuple[str, ...]] = {member: split_values(forms) for member, forms in own_data(__file__).items()}
_BETWEEN_WORDS = re.compile(r"[_\-\s]+")


def meanings_of(members: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the forms of each member that has some; a form that could mean two members is dropped."""
    return _meanings_of(tuple(member for member in members if type(member) is str))


@cache
def _meanings_of(members: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found = {member: _MEANINGS.get(_plain(member), ()) for member in members}
    owners = Counter(form.casefold() for forms in found.values() for form in forms)
    taken = {_plain(member) for member in members}
    kept = {
        member: tuple(form for form in forms if owners[form.casefold()] == 1 and form.casefold() not in taken)
        for member, forms in found.items()
    }
    return {member: forms for member, forms in kept.items() if forms}


def _plain(member: str) -> str:
    return _BETWEEN_WORDS.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member)).strip().lower()
