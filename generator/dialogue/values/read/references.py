"""Other words for what singles out an element: "the next one" for "the next appointment", "all of them" for "each of them".

`references.yaml` lists them.
"""

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
