"""Check whether a text stands for something: no instruction to a model, no placeholder, no filler, no markup.

What shows that it does not is in made_up.yaml. A text that people could write is let pass where in doubt: what is refused
costs a model's value, and never a row.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import orjson

from generator.llm.reading import texts_within
from generator.yaml_values import own_data

_WORD = re.compile(r"[^\W_]+")
_MACRO = re.compile(r"\{([a-z_]+)\}")
_LONGEST_UNIT = 4
"""Words in the part that a text repeats."""
_LONG = 6
_REPEATED_WORD = re.compile(r"\b(\w+)(?:\W+\1\b){4,}", re.IGNORECASE)
_ONE_LETTER = re.compile(r"(.)\1{4,}")
_REPEATED_LETTERS = re.compile(r"([a-z]{2,4})\1{2,}")
_NO_VOWEL = re.compile(r"[b-df-hj-np-tv-xz]{5,}")
_SOUND = re.compile(r"(.)\1\1")
"""In hmmm, brrr."""
_LEFT_HAND = frozenset("asdfg")
_WALK = 4
"""Keys beside one another in a word that says nothing."""


def made_up_fault(text: str, *, may_hold_markup: bool = False) -> str:
    """Return why a text is no value that stands for something, or nothing.

    Args:
        text: What a model gave as a value, or a text in it.
        may_hold_markup: Whether it may be JSON, HTML, code or a template.
    """
    for fault, patterns in _patterns().items():
        if not (may_hold_markup and fault in _OF_MARKUP) and patterns.search(text):
            return f"{fault}: {text[:60]}"
    if not may_hold_markup and _is_json(text):
        return f"markup: {text[:60]}"
    return f"no real text: {text[:60]}" if _says_nothing(text) else ""


class Allowed(NamedTuple):
    """What a schema allows that would be refused elsewhere."""

    texts: frozenset[str]
    """Those it names: choices, examples."""
    markup: frozenset[str]
    """Names of properties that may hold JSON, HTML, code or a template, as their names and descriptions tell."""


def allowed_by(schema: Any, also: Iterable[Any] = ()) -> Allowed:
    """Return what a JSON Schema allows; `also` are values that hold nothing but texts that may be there."""
    texts = {text for value in (*_named(schema), *also) for _, text in texts_within(value)}
    markup = {name for name, words in _described(schema) if not _lexicon("holds_markup").isdisjoint(_words(words))}
    return Allowed(frozenset(texts), frozenset(markup))


def made_up_within(value: Any, allowed: Allowed) -> str:
    """Return why a text of a JSON value stands for nothing, or nothing."""
    for name, text in texts_within(value):
        fault = "" if text in allowed.texts else made_up_fault(text, may_hold_markup=name in allowed.markup)
        if fault:
            return fault
    return ""


def _named(schema: Any) -> Iterator[Any]:
    """Yield the values that a schema names."""
    if isinstance(schema, list):
        for part in schema:
            yield from _named(part)
    elif isinstance(schema, dict):
        for key, part in schema.items():
            if key in ("enum", "const", "examples", "default"):
                yield part
            else:
                yield from _named(part)


def _described(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield the properties of a schema, each with the words of its name and description."""
    if isinstance(schema, list):
        for part in schema:
            yield from _described(part)
    elif isinstance(schema, dict):
        properties = schema.get("properties")
        for name, part in properties.items() if isinstance(properties, dict) else ():
            yield name, f"{name} {part.get('description', '') if isinstance(part, dict) else ''}"
        for part in schema.values():
            yield from _described(part)


_OF_MARKUP = ("a placeholder", "markup")


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = own_data(__file__)
    return data


@cache
def _lexicon(name: str) -> frozenset[str]:
    return frozenset(_data()[name].split())


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns by what they find."""
    data = _data()
    groups = {
        "an instruction": [*data["instructions"], *data["model_talk"], *data["other_languages"]],
        "a placeholder": data["placeholders"],
        "markup": data["markup"],
        "no real text": data["pangrams"],
    }
    return {fault: re.compile("|".join(map(_with_words, found)), re.IGNORECASE) for fault, found in groups.items()}


def _with_words(pattern: str) -> str:
    """Return a pattern with the words for the names in braces."""
    words = _data()["words"]
    return _MACRO.sub(
        lambda found: f"(?:{'|'.join(words[found[1]].split())})" if found[1] in words else found[0], pattern
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("_", " "))


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(orjson.loads(text), dict | list)
    except orjson.JSONDecodeError:
        return False


def _says_nothing(text: str) -> bool:
    """Whether a text is Latin filler, words of tests, mashed keys, or one thing over and over."""
    words = _words(text)
    lorem = _lexicon("lorem")
    if len(lorem.intersection(words)) >= 3 or words[:2] == ["lorem", "ipsum"] == words:
        return True
    if words and all(map(_is_filler, words)) and not all(word.isdecimal() for word in words):
        return not (len(words) == 1 and words[0] in _lexicon("real_alone"))
    return bool(words) and (
        all(map(_is_mash, text.split())) or _is_repeated(words) or bool(_REPEATED_WORD.search(text))
    )


def _is_filler(word: str) -> bool:
    return word.isdecimal() or word.rstrip("0123456789") in _lexicon("filler")


def _is_mash(word: str) -> bool:
    """Whether a word is made by hitting keys: a walk over the keyboard, no vowels, the same letters again and again."""
    if _ONE_LETTER.fullmatch(word) and word[0].isalpha():
        return True
    small = word.lower()
    if not word.isalpha() or not word.isascii() or len(word) < _WALK:
        return False
    walks = any(small[at : at + _WALK] in row for row in _lexicon("keyboard") for at in range(len(small) - _WALK + 1))
    again = _REPEATED_LETTERS.fullmatch(small)
    is_laughter = again is not None and again[1] in _lexicon("laughter")
    has_no_vowel = word.islower() and _NO_VOWEL.fullmatch(word) is not None and not _SOUND.search(word)
    on_one_hand = len(word) > _WALK and _LEFT_HAND.issuperset(small)
    return walks or (again is not None and not is_laughter) or has_no_vowel or on_one_hand


def _is_repeated(words: list[str]) -> bool:
    """Whether a text is a word, or a few words, three times or more and nothing else, or has hardly two different words."""
    if len(words) < 3 or words[0].isdecimal():
        return False
    if len(words) >= _LONG and len(set(words)) * 3 <= len(words):
        return True
    return any(
        len(words) % size == 0 and len(words) // size >= 3 and words == words[:size] * (len(words) // size)
        for size in range(1, min(_LONGEST_UNIT, len(words) // 3) + 1)
    )
