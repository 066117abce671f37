"""Words of closed classes: what they mean, and which value of a text each of them belongs to.

`lexicon.yaml` lists them: comparison, direction, unit, order, negation, quantifier, action, verb, state.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import product

import msgspec

from generator.validation.reworded.survival import Span, ends_sentence
from generator.yaml_values import own_data


class Token(msgspec.Struct, frozen=True):
    """A word, a mark, or a value of a text."""

    text: str
    """In small letters; empty for a value."""
    value: int = -1
    """The number of the value; -1 for words and marks."""


class Mark(msgspec.Struct, frozen=True):
    """An occurrence of words of a closed class."""

    kind: str
    """The class: `comparison`, `action`, …"""
    meaning: str
    start: int
    """Index of its first token."""
    end: int
    """Index after its last token."""


class Lexicon(msgspec.Struct, frozen=True):
    """The content of `lexicon.yaml`, arranged for look-ups."""

    phrases: dict[str, tuple[tuple[tuple[str, ...], str, str], ...]]
    """First word → (words, class, meaning), the longest first."""
    before_the_value: frozenset[str]
    related: dict[str, frozenset[str]]
    """Class of actions → classes whose words may stand for it."""
    asking: frozenset[str]
    """Verbs that begin a request for another call."""
    prepositions: dict[str, frozenset[str]]
    """Preposition → what it may mean."""
    opposites: dict[str, frozenset[str]]
    """Word → those that say the opposite."""
    verbs: dict[str, frozenset[str]]
    """Word → the actions that it names where a verb stands."""
    more_of_a_call: frozenset[str]
    """Verbs that say one more value of a call."""
    done_with: frozenset[str]
    """Participles that say of anything that it was done."""
    before_participles: frozenset[str]
    """Words after which a participle tells what has become of a thing."""
    nouns_too: frozenset[str]
    """Verbs that are nouns as often."""
    labels: frozenset[str]
    """Words that name a value right after them, and are verbs elsewhere."""
    participles: dict[str, str]
    """Participle that does not end in "-ed" → its verb."""
    words: frozenset[str]
    """All words of all classes."""


_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[%€$£°.!?;:,()\n→←]")
_ENDS = frozenset(".!?;\n")


_PLAIN_LISTS = (
    "before_the_value",
    "asking",
    "more_of_a_call",
    "done_with",
    "before_participles",
    "nouns_too",
    "labels",
)


@cache
def lexicon() -> Lexicon:
    """Return the words that the file lists."""
    lists = own_data(__file__, "lexicon.yaml")
    prepositions, verbs = _by_word(lists.pop("prepositions")), _by_word(lists.pop("verb"))
    opposites = _opposites(lists.pop("opposites"))
    plain = {name: frozenset(lists.pop(name).split()) for name in _PLAIN_LISTS}
    participles = {participle: verb for verb, participle in lists.pop("participles").items()}
    related = {action: frozenset(others.split()) for action, others in lists.pop("related").items()}
    lists["idle"] = {"idle": lists["idle"]}
    found: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
    for kind, meanings in lists.items():
        for meaning, words in meanings.items():
            for phrase in words.split():
                parts = tuple(phrase.split("_"))
                found.setdefault(parts[0], []).append((parts, kind, meaning))
    phrases = {first: tuple(sorted(ways, key=lambda way: -len(way[0]))) for first, ways in found.items()}
    words = frozenset(word for ways in found.values() for parts, kind, _ in ways if kind != "idle" for word in parts)
    return Lexicon(
        phrases=phrases,
        related=related,
        prepositions=prepositions,
        opposites=opposites,
        verbs=verbs,
        participles=participles,
        words=words,
        **plain,
    )


def _by_word(meanings: dict[str, str]) -> dict[str, frozenset[str]]:
    """Return all meanings of each word of a class."""
    found: dict[str, set[str]] = {}
    for meaning, words in meanings.items():
        for word in words.split():
            found.setdefault(word, set()).add(meaning)
    return {word: frozenset(those) for word, those in found.items()}


def _opposites(pairs: Sequence[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs:
        ones, others = (side.split() for side in pair.split("|"))
        for one, other in product(ones, others):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def text_tokens(text: str, spans: Sequence[Span]) -> list[Token]:
    """Return the text as words, marks and values; a value that ends a sentence is followed by a full stop."""
    found: list[Token] = []
    at = 0
    for index, (start, end) in sorted(enumerate(spans), key=lambda one: one[1]):
        found += _words(text[at : max(start, at)])
        found.append(Token("", index))
        if ends_sentence(text, start, end):
            found.append(Token("."))
        at = max(end, at)
    return [*found, *_words(text[at:])]


def _words(text: str) -> list[Token]:
    return [Token(word) for word in _TOKEN.findall(text.lower().replace("’", "'"))]


def closed_class_words(tokens: Sequence[Token]) -> list[Mark]:
    """Return all occurrences of words of closed classes; the longest phrase wins, and it may be of several classes."""
    lists, words = lexicon(), [token.text for token in tokens]
    found: list[Mark] = []
    end = 0
    for at, word in enumerate(words):
        if at < end:
            continue
        for parts, kind, meaning in lists.phrases.get(word, ()):
            if at + len(parts) < end:
                break
            if len(parts) == 1 or tuple(words[at : at + len(parts)]) == parts:
                end = at + len(parts)
                if word in lists.nouns_too and len(parts) == 1 and kind == "action" and not is_verb_place(tokens, at):
                    continue
                found.append(Mark(kind, meaning, at, end))
        if at >= end and (word in lists.verbs or word.endswith("n't")):
            found += _marks_of_word(tokens, at)
    return found


def _marks_of_word(tokens: Sequence[Token], at: int) -> list[Mark]:
    """Return what a word that begins no phrase is: a verb where one stands, or a negation."""
    word, verbs = tokens[at].text, lexicon().verbs
    found = (
        [Mark("verb", meaning, at, at + 1) for meaning in sorted(verbs[word])]
        if word in verbs and is_verb_place(tokens, at)
        else []
    )
    return [*found, Mark("negation", "not", at, at + 1)] if word.endswith("n't") else found


def is_verb_place(tokens: Sequence[Token], at: int) -> bool:
    """Whether a request has a verb in this place: at its beginning, after "please", "you", "to" or "and"."""
    if tokens[at + 1 : at + 2] and tokens[at + 1].text == ":":
        return False  # "Text: …" names what follows
    before = tokens[at - 1] if at else None
    names = before is not None and before.text in {",", ":"} and tokens[at].text in lexicon().labels
    if names and tokens[at + 1 : at + 2] and tokens[at + 1].value >= 0:
        return False
    if before is None or before.text in _BEFORE_VERBS or before.text in _ENDS:
        return True
    if before.text in _MODALS:
        return at > 1 and tokens[at - 2].text in _WHO
    if before.text not in {"to", *_WHO}:
        return False
    asking = [token.text for token in tokens[max(0, at - 4) : at - 1]]
    return any(word in _BEFORE_TO for word in asking[-1:] if before.text == "to") or any(
        word in _MODALS for word in asking if before.text != "to"
    )


_BEFORE_VERBS = frozenset(
    [
        ",",
        ":",
        "and",
        "then",
        "also",
        "please",
        "plus",
        "just",
        "kindly",
        "now",
        "next",
        "finally",
        "afterwards",
        "or",
        "not",
        "don't",
        "let's",
        "quickly",
        "me",
    ]
)
_BEFORE_TO = frozenset(
    [
        "like",
        "want",
        "need",
        "you",
        "me",
        "us",
        "able",
        "love",
        "going",
        "time",
        "wish",
        "prefer",
        "hoping",
        "trying",
        "looking",
        "have",
        "possible",
        "ask",
        "is",
    ]
)
_WHO = frozenset({"you", "i", "we"})
_MODALS = frozenset(["can", "could", "would", "will", "may", "might", "should"])


def value_beside(tokens: Sequence[Token], mark: Mark, *, reach: int, forward_first: bool) -> int:
    """Return the number of the value that the words belong to, which is the nearest in their sentence, or -1."""
    ahead = _next(tokens, range(mark.end, min(len(tokens), mark.end + reach)))
    behind = _next(tokens, range(mark.start - 1, max(-1, mark.start - 1 - reach), -1))
    if ahead is None or behind is None:
        best = behind if ahead is None else ahead
        return -1 if best is None else best[1]
    return ahead[1] if forward_first or ahead[0] <= behind[0] else behind[1]


def _next(tokens: Sequence[Token], places: range) -> tuple[int, int] | None:
    distance = 0
    for place in places:
        token = tokens[place]
        if token.value >= 0:
            return distance, token.value
        if token.text in _ENDS:
            return None
        distance += 3 if token.text == "," else 1
    return None
