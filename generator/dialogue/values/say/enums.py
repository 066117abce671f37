"""Enum values in words: `in_progress` as "in progress", or as the synonyms of the tool spec say."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from generator.dialogue.values.say.texts import is_plain
from generator.dialogue.values.voice import Voice

Synonyms = tuple[tuple[Any, tuple[str, ...]], ...]
Forms = dict[Any, tuple[str, ...]]

_BETWEEN_WORDS = re.compile(r"[_\-\s]+")
_CAMEL_CASE = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+)+")
_FORMAT = re.compile(r"(?:([A-Z])\1*(?:[-/.: ]|$)){2,}")
"""Letters that stand for digits in a format, such as `YYYY-MM-DD`."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CODE_LENGTH = 4
"""The longest code in capitals, such as `USD` or `HTML`, that stays as it is; longer ones such as `MEDIUM` are words."""


def enum_forms(values: Iterable[Any], synonyms: Synonyms = ()) -> Forms:
    """Return the ways to say each value, the usual one first; forms that could mean two values are left out.

    Args:
        values: The members of the enum; none for a slot that only has synonyms.
        synonyms: Spoken forms by value, from the tool spec.
    """
    members = [value for value in values if type(value) is str]
    codes = all(_is_code(member) for member in members)
    said = [(value, form) for value, forms in synonyms for form in forms]
    said += [(member, _spoken(member, codes)) for member in members]
    # a reader also understands the bare member, so it counts here although it may never be said
    bare = [(member, form) for member in members for form in (member, _HUMP.sub(" ", member))]
    meanings = _meanings([*said, *bare])
    found: dict[Any, list[str]] = {}
    for value, form in said:
        key = _key(form)
        if key and is_plain(form) and len(meanings[key]) == 1 and not isinstance(value, list | dict):
            found.setdefault(value, []).append(form)
    return {value: tuple(dict.fromkeys(forms)) for value, forms in found.items()}


def say_enum_value(value: Any, voice: Voice) -> str | None:
    """Return an enum member in words, without knowledge of its enum; `enum_forms` also drops ambiguous forms."""
    return _own_form(value) if type(value) is str else None


def say_nothing_known(value: Any, voice: Voice) -> str | None:
    """Say nothing: what a member of an enum means is known only together with the others, when a tool is loaded."""
    return None


@lru_cache(maxsize=4096)
def _own_form(member: str) -> str | None:
    form = _spoken(member, _is_code(member))
    return form if is_plain(form) and _key(form) else None


def _meanings(said: list[tuple[Any, str]]) -> dict[str, list[Any]]:
    meanings: dict[str, list[Any]] = {}
    for value, form in said:
        owners = meanings.setdefault(_key(form), [])
        if not any(owner == value and type(owner) is type(value) for owner in owners):
            owners.append(value)
    return meanings


def _spoken(member: str, is_code: bool) -> str:
    if is_code or not member.isascii():
        return member
    if _CAMEL_CASE.fullmatch(member):
        return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in member)
    if "_" in member:
        return " ".join(member.replace("_", " ").split()).lower()
    return member.lower() if member.isupper() and not _FORMAT.fullmatch(member) else member


def _is_code(member: str) -> bool:
    is_short = len(member) <= _CODE_LENGTH or any(letter.isdigit() for letter in member)
    return is_short and member.isupper() and "_" not in member


def _key(text: str) -> str:
    return _BETWEEN_WORDS.sub(" ", text).strip().casefold()
