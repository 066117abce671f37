"""The word lists of data/*.yaml, read once and compiled: verbs, words of descriptions, and names of arguments."""

import re
from functools import cache
from typing import Any

import msgspec

from generator.core.yaml_values import own_data

Words = tuple[str, ...]
READING = frozenset({"find", "get", "read"})
"""Effects of tools that change nothing."""
FIELD_KEYWORDS = ("type", "enum", "format", "pattern", "minimum", "maximum", "multipleOf", "description")
"""What fields of things keep of a schema."""


class Verb(msgspec.Struct, frozen=True):
    """A verb of names and descriptions."""

    word: str
    """Its key in verbs.yaml."""
    effect: str
    said: str
    """The word that says what was done with it: "upload" for one that adds."""


class ParameterRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What parameters.yaml says of the arguments of some names."""

    types: frozenset[str]
    fields: frozenset[str]
    effects: frozenset[str]
    objects: frozenset[str]
    kind: str = ""
    pattern: str = ""
    examples: tuple[Any, ...] = ()
    say: str = ""


@cache
def load(name: str) -> Any:
    """Return the content of `data/NAME.yaml`, which nobody changes."""
    return own_data(__file__, f"data/{name}.yaml")


def split_list(text: str) -> tuple[str, ...]:
    """Return the entries of a text with commas between them; one in quotation marks may hold spaces at its ends."""
    return tuple(part[1:-1] if part[:1] == '"' else part for part in text.split(", ")) if text else ()


@cache
def verbs() -> dict[str, Verb]:
    """Return every verb, those that stand for another one included."""
    by_word: dict[str, Verb] = {}
    for word, entry in load("verbs").items():
        by_word[word] = Verb(word, entry["effect"], word)
        for other in entry["also"]:
            is_said = other not in words("unsaid_verbs")
            by_word.setdefault(other, Verb(word, entry["effect"], other if is_said else word))
    return by_word


@cache
def words(name: str) -> Any:
    """Return a list of words.yaml, as `words("ids")`, or the table that stands there."""
    listed = load("words")[name]
    return split_list(listed) if isinstance(listed, str) else listed


@cache
def fields_of_work() -> dict[str, re.Pattern[str]]:
    """Return the fields of work, each with a pattern of its words."""
    return {
        name: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, split_list(listed)))})s?(?!\w)")
        for name, listed in load("fields").items()
    }


@cache
def _rules() -> dict[str, dict[Words, list[tuple[int, ParameterRule]]]]:
    """Return the rules with their places in the file, by the names that they are for: ends of names, and whole ones."""
    rules: dict[str, dict[Words, list[tuple[int, ParameterRule]]]] = {"names": {}, "whole": {}}
    for index, entry in enumerate(load("parameters")):
        conditions = {key: split_list(entry.get(key, "")) for key in ("types", "fields", "effects", "objects")}
        values = {key: part for key, part in entry.items() if key not in (*rules, *conditions)}
        rule = msgspec.convert({**values, **conditions}, ParameterRule)
        for key, by_name in rules.items():
            for name in split_list(entry.get(key, "")):
                by_name.setdefault(singular(tuple(name.split())), []).append((index, rule))
    return rules


def rules_for(name: Words) -> list[tuple[int, ParameterRule]]:
    """Return the rules for an argument of this name with how many words of it they name, in the order of the file."""
    rules, name = _rules(), singular(name)
    matches = [(index, len(name), rule) for index, rule in rules["whole"].get(name, ())]
    for start in range(len(name)):
        matches += [(index, len(name) - start, rule) for index, rule in rules["names"].get(name[start:], ())]
    return [(length, rule) for _, length, rule in sorted(matches, key=lambda entry: entry[0])]


def singular(name: Words) -> Words:
    """Return the words with the last one in the singular."""
    return (*name[:-1], singular_of(name[-1])) if name else name


@cache
def singular_of(word: str) -> str:
    """Return a noun in the singular."""
    irregular: str | None = next(
        (singular_form for singular_form, plural_form in words("plurals").items() if plural_form == word), None
    )
    if irregular is not None or len(word) < 4:
        return irregular or word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@cache
def plural_of(word: str) -> str:
    """Return a noun in the plural."""
    irregular: str | None = words("plurals").get(word)
    if irregular is not None:
        return irregular
    if word in words("uncountable") or (word.endswith("s") and not word.endswith(("ss", "us"))):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh", "z")) else "s")


def is_plural(word: str) -> bool:
    """Whether a noun stands in the plural."""
    return word not in words("uncountable") and singular_of(word) != word
