"""Other words for what singles out an element ("the next one" for "the next appointment") and for errors, as `other_words.yaml` lists them."""

import re
from functools import lru_cache
from typing import Any

from generator.core.yaml_values import own_data

_LISTS: dict[str, Any] = own_data(__file__)
_THINGS = tuple([f"{thing}{end}" for thing in _LISTS["things"] for end in _LISTS["ends"]])
_ALSO: dict[str, tuple[str, ...]] = {
    words: (*alike, *[f"{every} {thing}" for every in _LISTS["every"] for thing in _THINGS if words == "each of them"])
    for words, alike in _LISTS["also"].items()
}
_SAME_ADJECTIVES = tuple(map(frozenset, _LISTS["adjectives"]))
_FOUND_BY = re.compile(r"the ((?:most |least )?[a-z]+) (?!of\b)([a-z]+)( .*)?")


@lru_cache(maxsize=1024)
def reference_forms(words: str) -> tuple[str, ...]:
    """Return other words for what singles out an element, in small letters, the longest first."""
    words = words.casefold()
    found = list(_ALSO.get(words, ()))
    match = _FOUND_BY.fullmatch(words)
    if match is not None and words not in _ALSO:
        adjective, noun, rest = match[1], match[2], match[3] or ""
        alike = next((group for group in _SAME_ADJECTIVES if adjective in group), frozenset({adjective}))
        ends = [rest, *([" in that order", " there"] if rest == " in it" else [])]
        nouns = [noun, "one", "of them", "of those", "of these"]
        found += [f"the {one} {thing}{end}" for one in sorted(alike) for thing in nouns for end in ends]
        found += [f"{its} {one} {noun}" for one in sorted(alike) for its in ("its", "my") if rest in {"", " in it"}]
        found += [f"the {one}" for one in sorted(alike)]
    return tuple(sorted([form for form in dict.fromkeys(found) if form != words], key=lambda form: -len(form)))


IN_WORDS: dict[str, list[str]] = _LISTS["in_words"]
"""What the assistant says of an error, by its text as a clause."""
_TEXTS = {words: clause for clause, ways in IN_WORDS.items() for words in ways}
_PREFIX = re.compile(r"Error: (?:[A-Z][a-z ]* - )?")
"""What precedes the reason: "Error: " and, where there is one, the title of the error."""


def clause_of(value: Any) -> Any:
    """Return the text of an error as a clause: without its first capital, its full stop, "Error: " and a title after that."""
    if type(value) is not str:
        return value
    prefix = _PREFIX.match(value)
    text = value[prefix.end() if prefix else 0 :].strip().removesuffix(".")
    return _told_as(text[:1].lower() + text[1:])


def error_in(words: str) -> str:
    """Return the text of an error, as a clause, that words tell: as it is, or in words of the assistant's own."""
    return _told_as(words[:1].lower() + words[1:])


def _told_as(text: str) -> str:
    """Return the text that all ways to say it have in common: a real error may read as the assistant would say another one."""
    return _TEXTS.get(text, text)
