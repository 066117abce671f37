"""What a tool can do, as far as its name, its hints and its texts tell: enough to say that it cannot do what another does.

The judgement is careful: where the texts leave it open whether one tool could do the work of another, it could.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.toolbox import ToolSpec, name_as_words, once_per_tool
from generator.core.yaml_values import own_data


class Ability(msgspec.Struct, frozen=True):
    """What a tool is about."""

    changes: bool | None
    """Whether it changes or does something; False: it only looks something up; None: its name does not tell."""
    things: frozenset[str]
    """The words of its name after the verb, synonyms unified."""
    names: frozenset[str]
    """The same words as in the name, in the singular."""
    words: frozenset[str]
    """The words of all its texts: name, description, names and values of arguments."""


_LISTS: dict[str, list[Any]] = own_data(__file__)
_CHANGING, _LOOKING, _EMPTY = [frozenset(" ".join(_LISTS[name]).split()) for name in ("changing", "looking", "empty")]


@once_per_tool
def ability_of(spec: ToolSpec) -> Ability:
    """Return what a tool is about."""
    verb, *rest = re.sub(r"\d", "", name_as_words(spec.name)).split() or [""]
    hint = spec.origin.annotations.get("readOnlyHint")
    changes: bool | None = None
    if isinstance(hint, bool):
        changes = not hint
    elif spec.looks_up or verb in _CHANGING:
        changes = not spec.looks_up
    texts = [spec.name, spec.tool.description or "", *_texts_of(spec.tool.parameters)]
    names = frozenset([_singular(word) for word in rest if _singular(word) not in _EMPTY])
    return Ability(changes, _content_words(" ".join(rest)), names, frozenset().union(*map(_content_words, texts)))


def _texts_of(schema: Any) -> Iterator[str]:
    """Yield the names, descriptions and listed values anywhere in a schema."""
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key == "properties" and isinstance(part, dict):
                yield from part
            if key in ("description", "title", "const") and isinstance(part, str):
                yield part
            elif key in ("enum", "examples") and isinstance(part, list):
                yield from [value for value in part if isinstance(value, str)]
            else:
                yield from _texts_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _texts_of(part)


def _content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, with synonyms replaced by one word."""
    found = [word for word in re.findall(r"[^\W\d_]{2,}", name_as_words(text)) if word not in _EMPTY]
    single = [_singular(word) for word in found]
    return frozenset([_SAME.get(word, word) for word in single if word not in _EMPTY])


def _singular(word: str) -> str:
    """Return the singular of a word: `match` for "matches"."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


_SAME = {_singular(word): group[0] for group in _LISTS["same"] for word in group}
"""Word → the first word of its group."""


def could_do(offered: ToolSpec, wished: ToolSpec) -> bool:
    """Whether the offered tool might do what the wished one does. False only where that is out of the question.

    Out of the question: it only looks things up and the other one changes something (or the reverse), or neither
    speaks of anything that the other one's name says it is about.
    """
    if offered is wished or offered.name == wished.name:
        return True
    one, other = ability_of(offered), ability_of(wished)
    if one.changes is not None and other.changes is not None and one.changes is not other.changes:
        return False
    if not one.things or not other.things:
        return True
    return not other.things.isdisjoint(one.words) or not one.things.isdisjoint(other.words)


def is_alien(offered: ToolSpec, wished: ToolSpec) -> bool:
    """Whether two tools are unrelated: no word of one's name occurs in the other's texts."""
    if offered.name == wished.name:
        return False
    one, other = ability_of(offered), ability_of(wished)
    if not one.things or not other.things:
        return False
    return one.things.isdisjoint(other.words) and other.things.isdisjoint(one.words)


def is_sister(offered: ToolSpec, wished: ToolSpec) -> bool:
    """Whether the offered tool looks as if it could do what the wished one does, and cannot.

    It is from the same file, and about the same thing, but only looks it up where something is to be changed (or the
    reverse); or it does the same with another thing, and asks for much the same arguments.
    """
    if offered.domain != wished.domain or could_do(offered, wished):
        return False
    one, other = ability_of(offered), ability_of(wished)
    if not one.names.isdisjoint(other.names):
        return True
    mine, theirs = _argument_names(offered), _argument_names(wished)
    return one.changes is other.changes and len(mine & theirs) > 1 and 2 * len(mine & theirs) >= len(mine | theirs)


def _argument_names(spec: ToolSpec) -> frozenset[str]:
    """Return the names of a tool's arguments."""
    return frozenset((spec.tool.parameters or {}).get("properties", ()))


MOST_WORDS = 16
"""Words of a description's first clause with which a tool can be named."""
_YOURS = (
    ("the user's ", "your "),
    ("the customer's ", "your "),
    ("a customer's ", "your "),
    ("one's own ", "your own "),
)


def can_of(spec: ToolSpec) -> tuple[str, ...]:
    """Return what a tool does, as verb phrases after "I can".

    Its own, or the first clause of its description, or what people ask it for without the values; its name alone only where
    nothing else tells, and then as people would say it, never as it is written.
    """
    if spec.phrases.can:
        return spec.phrases.can
    clause = _clause_of(spec)
    return (clause or _request_of(spec) or _said_name(spec),)


def _clause_of(spec: ToolSpec) -> str:
    """Return the first clause of a description as a verb phrase; empty where it is none, or a long one."""
    clause = re.split(r"[.,;:(\n]", spec.tool.description or "", maxsplit=1)[0].strip()
    verb, _, rest = clause.partition(" ")
    verb = _bare_verb(verb.lower())
    clause = f"{verb} {rest}" if rest else verb
    for theirs, yours in _YOURS:
        clause = clause.replace(theirs, yours)
    is_said = verb and rest and len(clause.split()) <= MOST_WORDS and not re.search(r"[\d{}`]", clause)
    return clause if is_said and _is_verb(verb, spec) and clause != _plain_name(spec) else ""


def _plain_name(spec: ToolSpec) -> str:
    """Return the words of a tool's name: "get part stock"."""
    return " ".join(re.sub(r"[^\w\s]|\d", "", name_as_words(spec.name)).split())


def _request_of(spec: ToolSpec) -> str:
    """Return a request without its values: "get the stock of part {part_number}" as "get the stock of a part"; empty where there is none."""
    for text in spec.phrases.request:
        named = _NAMED_VALUE.sub(r"a \1", text)
        plain = re.sub(r"\ba (?=[aeiou])", "an ", _VALUE.sub("", named)).strip()
        is_said = len(plain.split()) > 1 and not re.search(r"[\d{}?|`]|\b(?:the|a|an|my) an? ", plain)
        if is_said and plain != _plain_name(spec):
            return plain
    return ""


_PREPOSITIONS = "about|as|at|called|for|from|in|into|named|of|on|to|until|with"
_NAMED_VALUE = re.compile(rf"(?<![\w-])(?!(?:{_PREPOSITIONS})\b)([a-z]+) \{{[\w/*]+(?::\w+)?\}}")
_VALUE = re.compile(rf"(?: (?:{_PREPOSITIONS}))? ?\{{[\w/*]+(?::\w+)?\}}")


def _said_name(spec: ToolSpec) -> str:
    """Return a name as people would speak of it: "get the part stock" for `fieldworks_get_part_stock`."""
    words = _plain_name(spec).split()
    for place, word in enumerate(words[:-1]):
        if word in _CHANGING or word in _LOOKING:
            return f"{word} the {' '.join(words[place + 1 :])}"
    return f"help with {' '.join(words)}" if words else "help with that"


def _bare_verb(word: str) -> str:
    """Return the plain form of a verb: `return` for "returns"."""
    for ending, instead in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word


def _is_verb(word: str, spec: ToolSpec) -> bool:
    """Whether a word is a verb that tools or their requests begin with."""
    known = word in _CHANGING or word in _LOOKING or word == _plain_name(spec).partition(" ")[0]
    return known or word in [text.partition(" ")[0] for text in spec.phrases.request]
