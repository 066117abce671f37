"""Words that nobody said: not in the old text, not in the tools' own texts, on no list.

A word that names nothing of its own (`usual_words.yaml`) may always be used, and so may one of a closed class, of which `meaning`
decides. Everything else is a thing, a property or an action that the plan knows nothing of.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from generator.toolbox import ToolSpec
from generator.validation.readers.numbers import NUMBER_WORDS
from generator.validation.reworded.closed_classes import Token, is_verb_place, lexicon
from generator.validation.reworded.own_words import ToolKey, asking_words, own_words
from generator.yaml_values import own_data


class _Words(msgspec.Struct, frozen=True):
    """The content of `usual_words.yaml`."""

    usual: frozenset[str]
    """Words that name nothing of their own."""
    alike: dict[str, frozenset[str]]
    """Word → all that speak of the same thing."""


@cache
def _words() -> _Words:
    lists = own_data(__file__, "usual_words.yaml")
    alike: dict[str, set[str]] = {}
    for group in lists.pop("alike"):
        for word in group.split():
            alike.setdefault(word, set()).update(group.split())
    usual = frozenset(word for words in lists.values() for word in words.split())
    return _Words(usual, {word: frozenset(words) for word, words in alike.items()})


_MANY_MEANINGS = frozenset(
    ["spot", "space", "range", "book", "place", "show", "play", "point", "stay", "check", "line", "trip", "stop"]
)
"""Words of which a group speaks in one of several senses only."""


def is_usual(word: str) -> bool:
    """Whether a word names nothing of its own."""
    return any(form in _words().usual for form in forms_of(word)) or word in lexicon().words or word in lexicon().verbs


def names_a_topic(word: str) -> bool:
    """Whether a word of a tool's name says what it is about."""
    return word not in lexicon().asking and not any(form in _words().usual for form in forms_of(word))


def with_alike(words: Collection[str]) -> frozenset[str]:
    """Return words with all that speak of the same things."""
    lists = _words()
    return frozenset().union(
        words, *[lists.alike[word] for word in words if word in lists.alike and word not in _MANY_MEANINGS]
    )


class ToolWords(msgspec.Struct, frozen=True):
    """Words of a tool's own texts, with all that speak of the same things."""

    own: frozenset[str]
    asking: frozenset[str]
    """Those with which the tool is asked for."""


def words_of_tool(spec: ToolSpec) -> ToolWords:
    """Return the words that texts about a tool may use."""
    return _words_of_tool(ToolKey(spec))


@lru_cache(maxsize=1024)
def _words_of_tool(held: ToolKey) -> ToolWords:
    return ToolWords(with_alike(own_words([held.spec])), with_alike(asking_words([held.spec])))


def unknown_word(was: list[Token], now: list[Token], tools: Sequence[ToolWords]) -> str:
    """Return the first word of the new text that nobody said; an empty text if there is none.

    Args:
        was: The old text.
        now: The new text.
        tools: Words of the tools' own texts. Only those with which a tool is asked for may stand where a request has its verb.
    """
    before = {part for token in was for part in (token.text, *token.text.split("-"))}
    lists, said = lexicon(), (with_alike(before), _words().usual)
    own, asking = (*said, *[tool.own for tool in tools]), (*said, *[tool.asking for tool in tools])
    for place, token in enumerate(now):
        word = token.text
        if word in before or not word[:1].isalpha() or word in lists.words or word in NUMBER_WORDS:
            continue
        known = asking if is_verb_place(now, place) else own
        parts = word.split("-")
        if not all(_is_known(part, known) for part in parts):
            return word
        if (
            len(parts) > 1
            and parts[-1].endswith("ed")
            and not any(_is_known(parts[-1], (words,)) for words in (said[0], *[tool.own for tool in tools]))
            and word not in said[1]
        ):
            return word  # "gift-wrapped" is a quality of its own
    return ""


def _is_known(word: str, lists: tuple[Collection[str], ...]) -> bool:
    return any(form in words for form in forms_of(word) for words in lists)


_DOUBLED = re.compile(r"([bdfglmnprst])\1\Z")


def forms_of(word: str) -> Iterator[str]:
    """Yield a word and the other forms of it: plural and singular, past, "-ing", "-ly"."""
    yield word
    stems = [word]
    for end, instead in _ENDINGS:
        if word.endswith(end) and len(word) > len(end) + 2:
            stem = word.removesuffix(end) + instead
            stems += [stem, _DOUBLED.sub(r"\1", stem)]
    for stem in stems:
        yield stem
        yield from (f"{stem}{end}" for end in ("e", "s", "es", "d", "ed", "ing", "ly", "er"))
        if stem.endswith("e"):
            yield f"{stem[:-1]}ing"
        if stem.endswith("y"):
            yield f"{stem[:-1]}ies"
            yield f"{stem[:-1]}ied"


_ENDINGS = (
    ("ation", ""),
    ("ment", ""),
    ("'s", ""),
    ("s'", ""),
    ("'", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("es", ""),
    ("s", ""),
    ("ed", ""),
    ("d", ""),
    ("ing", ""),
    ("ly", ""),
    ("ily", "y"),
)
