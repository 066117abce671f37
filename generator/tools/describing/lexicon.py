"""The word lists of data/*.yaml, read once and compiled: verbs, words of descriptions, and names of arguments."""

from functools import cache
from typing import Any

import msgspec

from generator.core.yaml_values import own_data

Words = tuple[str, ...]
READING = frozenset({"find", "get", "read"})
"""Effects of tools that change nothing."""


class Verb(msgspec.Struct, frozen=True):
    """A verb of names and descriptions."""

    word: str
    """Its key in verbs.yaml."""
    effect: str
    said: str
    """The word that says what was done with it: "upload" for one that adds."""


class ParameterEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What parameters.yaml says of a group of arguments."""

    names: str = ""
    whole: str = ""
    types: str = ""
    fields: str = ""
    effects: str = ""
    objects: str = ""
    kind: str = ""
    pattern: str = ""
    examples: tuple[Any, ...] = ()
    say: str = ""


class ParameterRule(msgspec.Struct, frozen=True, kw_only=True):
    """A record with its lists split."""

    record: ParameterEntry
    types: frozenset[str]
    fields: frozenset[str]
    effects: frozenset[str]
    objects: frozenset[str]


def load(name: str) -> Any:
    """Return the content of `data/NAME.yaml`."""
    return own_data(__file__, f"data/{name}.yaml")


def split_list(text: str) -> tuple[str, ...]:
    """Return the entries of a text with commas between them; one in quotation marks may hold spaces at its ends."""
    return tuple(part[1:-1] if part[:1] == '"' else part for part in text.split(", ")) if text else ()


@cache
def verbs() -> dict[str, Verb]:
    """Return every verb, those that stand for another one included."""
    found: dict[str, Verb] = {}
    for word, entry in load("verbs").items():
        found[word] = Verb(word, entry["effect"], word)
        for other in entry["also"]:
            is_said = other not in word_lists()["unsaid_verbs"]
            found.setdefault(other, Verb(word, entry["effect"], other if is_said else word))
    return found


@cache
def word_lists() -> dict[str, Any]:
    """Return the lists of words.yaml."""
    return {key: split_list(value) if isinstance(value, str) else value for key, value in load("words").items()}


@cache
def fields() -> dict[str, tuple[str, ...]]:
    """Return the fields of work with their words."""
    return {name: split_list(value) for name, value in load("fields").items()}


@cache
def _rules() -> tuple[dict[Words, list[tuple[int, ParameterRule]]], dict[Words, list[tuple[int, ParameterRule]]]]:
    """Return the rules by the names that they are for: by the end of a name, and by a whole name."""
    by_end: dict[Words, list[tuple[int, ParameterRule]]] = {}
    by_whole: dict[Words, list[tuple[int, ParameterRule]]] = {}
    for place, record in enumerate(msgspec.convert(load("parameters"), list[ParameterEntry])):
        rule = ParameterRule(
            record=record,
            types=frozenset(split_list(record.types)),
            fields=frozenset(split_list(record.fields)),
            effects=frozenset(split_list(record.effects)),
            objects=frozenset(split_list(record.objects)),
        )
        for table, names in ((by_end, record.names), (by_whole, record.whole)):
            for name in split_list(names):
                table.setdefault(singular(tuple(name.split())), []).append((place, rule))
    return by_end, by_whole


def rules_for(name: Words) -> list[tuple[int, ParameterRule]]:
    """Return the rules for an argument of this name with how many words of it they name, in the order of the file."""
    by_end, by_whole = _rules()
    name = singular(name)
    found = [(place, len(name), rule) for place, rule in by_whole.get(name, ())]
    for start in range(len(name)):
        found += [(place, len(name) - start, rule) for place, rule in by_end.get(name[start:], ())]
    return [(length, rule) for _, length, rule in sorted(found, key=lambda entry: entry[0])]


def singular(name: Words) -> Words:
    """Return the words with the last one in the singular."""
    return (*name[:-1], singular_of(name[-1])) if name else name


@cache
def singular_of(word: str) -> str:
    """Return a noun in the singular."""
    table = _singulars()
    if word in table:
        return table[word]
    if len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@cache
def plural_of(word: str) -> str:
    """Return a noun in the plural."""
    known: str | None = word_lists()["plurals"].get(word)
    if known is not None:
        return known
    if word in word_lists()["uncountable"] or (word.endswith("s") and not word.endswith(("ss", "us"))):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh", "z")) else "s")


@cache
def _singulars() -> dict[str, str]:
    return {many: one for one, many in word_lists()["plurals"].items()}


def is_plural(word: str) -> bool:
    """Whether a noun stands in the plural."""
    return word not in word_lists()["uncountable"] and singular_of(word) != word
