"""What a text of the assistant asks: nothing, leave to do something, the value of an argument, or something that cannot be told."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from generator.core.pointers import parts_of_object
from generator.core.toolbox import ToolSpec, name_as_words, once_per_tool
from generator.core.yaml_values import own_data
from generator.dialogue.acts.ask import questions_about
from generator.episodes.telling import any_of

Slot = tuple[str, str]
"""A tool and one of its arguments, as a pointer."""


class Question(msgspec.Struct, frozen=True):
    """What a text asks."""

    leave: bool
    """Whether it asks for a yes or no."""
    slots: tuple[Slot, ...] = ()
    """The arguments that it may ask for; of several, all fit as well."""


_DATA: dict[str, Any] = own_data(__file__)


_CLOSING, _REQUEST, _LATER, _LEAVE = (any_of(_DATA[key]) for key in ("closing", "request", "later", "leave"))
_WORD = re.compile(r"[a-z]+")
_NOTHING: frozenset[str] = frozenset(_DATA["nothing"].split())
_ASKING: frozenset[str] = frozenset(_DATA["asking"].split())
_KINDS: Mapping[str, str] = _DATA["kinds"]


def asks_something(text: str) -> list[str]:
    """Return the sentences of a text that ask the user for something."""
    found = []
    for sentence in re.findall(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]+)*[.!?\n]*", text):
        if "?" in sentence:
            if not _CLOSING.search(sentence):
                found.append(sentence)
        elif _REQUEST.search(sentence) and not _LATER.search(sentence) and not _CLOSING.search(sentence):
            found.append(sentence)
    return found


def read_question(text: str, specs: Iterable[ToolSpec], names: Mapping[Slot, str] | None = None) -> Question | None:
    """Return what a text asks; None where it asks nothing.

    Args:
        text: What the assistant says.
        specs: The tools whose arguments it may ask for.
        names: Other names of arguments, where they are scrambled.
    """
    sentences = asks_something(text)
    if not sentences:
        return None
    asked = " ".join(sentences)
    return Question(
        leave=_LEAVE.search(asked) is not None,
        slots=_slots_asked(asked, list(specs), names or {}),
    )


def _slots_asked(asked: str, specs: list[ToolSpec], names: Mapping[Slot, str]) -> tuple[Slot, ...]:
    """Return the arguments whose words are in a question, the best ones."""
    bare = _bare_names(specs)
    said = stems_of(asked) | {_stem(word) for word in _WORD.findall(asked.lower()) if word in bare}
    slots = {(spec.name, slot): words for spec in specs for slot, words in _slot_words(spec).items()}
    for slot, name in names.items():
        if slot in slots:
            slots[slot] = slots[slot] | dict.fromkeys(words_of(name), 3.0)
    shared: dict[str, int] = {}
    by_slot = {slot: words for (_, slot), words in slots.items()}
    for words in by_slot.values():
        for word in words.keys() & said:
            shared[word] = shared.get(word, 0) + 1
    scores = {
        slot: sum(words[word] / shared.get(word, 1) for word in words.keys() & said) for slot, words in slots.items()
    }
    best = max(scores.values(), default=0.0)
    return tuple([slot for slot, score in scores.items() if score >= max(_LEAST, best * _ALIKE)])


def _bare_names(specs: list[ToolSpec]) -> set[str]:
    """Return the arguments whose name is a word that says nothing elsewhere: `name`."""
    return {name for spec in specs for name in parts_of_object(spec.tool.parameters)[0] if name in _NOTHING}


_LEAST, _ALIKE = 0.5, 0.8
"""The least score of an argument, and how near the best one others must come to be asked for as well."""


@once_per_tool
def _slot_words(spec: ToolSpec) -> dict[str, dict[str, float]]:
    """Return the words with which each argument of a tool may be asked for, with their weights."""
    properties, _ = parts_of_object(spec.tool.parameters)
    return {f"/{name}": _words_of_slot(spec, name, schema) for name, schema in properties.items()}


def _words_of_slot(spec: ToolSpec, name: str, schema: Any) -> dict[str, float]:
    schema = schema if isinstance(schema, dict) else {}
    words: dict[str, float] = {}
    kinds = [str(schema.get("format", "")), spec.kinds.get(name, ""), spec.kinds.get(f"/{name}", "")]
    kinds += [kind for kind in (schema.get("type"),) if isinstance(kind, str)]
    members = [str(member) for member in schema.get("enum", ())]
    described = str(schema.get("description", ""))
    inner = parts_of_object(schema)[0]
    own = spec.phrases.ask.get(name, ()) or questions_about(name_as_words(name), is_number=False)
    for weight, texts in (
        (0.4, [described, *[name_as_words(member) for member in members], *map(name_as_words, inner)]),
        (1.0, [text for kind in kinds for text in (_KINDS.get(kind, ""), name_as_words(kind))]),
        (2.0, own),
        (3.0, [name_as_words(name)]),
    ):
        for text in texts:
            words |= dict.fromkeys(words_of(text, also=_ASKING), weight)
    return words | ({_stem(name): 3.0} if name in _NOTHING else {})


def stems_of(text: str, also: frozenset[str] = _ASKING) -> frozenset[str]:
    """Return the words of a text that say something, without endings."""
    return frozenset(
        [
            _stem(word)
            for word in _WORD.findall(text.lower())
            if word in also or (word not in _NOTHING and len(word) > 1)
        ]
    )


words_of = lru_cache(maxsize=4096)(stems_of)
"""The same for texts of tools and rows, which are asked for again; those of agents are kept nowhere."""


def _stem(word: str) -> str:
    for end in ("ies", "es", "s"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word[: -len(end)] + ("y" if end == "ies" else "e" if end == "es" else "")
    return word
