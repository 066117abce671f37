"""Sentences of descriptions and names of tools: their verb, and what it is about."""

import re
from functools import cache

from generator.tools.describing.lexicon import Verb, singular_of, verbs, word_lists
from generator.tools.describing.reading import NameReading

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>")
_LINKS = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_STOP = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s|$)|\n|;|:(?=\s)| [–—-] ")
_LEADS = re.compile(r"^[A-Z][\w ]{1,30}\s\|\s+")


def first_sentence(description: str) -> str:
    """Return a description's first sentence without what stands in brackets, without its stop."""
    text = _LINKS.sub(r"\1", description.strip())
    text = _LEADS.sub("", text)
    text = _BRACKETS.sub(" ", text).replace("`", "").replace("*", "").replace('"', "")
    text = re.sub(r"(?<!\w)'[^']{1,30}' (?=list\b)", "", text)  # "the 'My Tasks' list"
    text = re.sub(r"^(?:\W|\d)+", "", text)
    for part in _STOP.split(text):
        if len(part.split()) > 1:
            return " ".join(part.split())
    return " ".join(text.split())


def split_sentence(sentence: str) -> tuple[Verb | None, str]:
    """Return the verb with which a sentence begins and what follows it; None and nothing when it begins otherwise."""
    small = sentence.lower()
    for opener in word_lists()["openers"]:
        if small.startswith(opener + " "):
            sentence = sentence[len(opener) + 1 :]
            break
    parts = sentence.split()
    if not parts:
        return None, ""
    verb = verb_of(parts[0]) or _other_verb(parts)
    rest = parts[1:]
    return verb, " ".join(rest if verb is None else _after_more_verbs(parts[0], rest))


def _other_verb(parts: list[str]) -> Verb | None:
    """Return an unknown word where a verb stands ("Interrupts a kernel") as a verb with an action as its effect."""
    word = parts[0].lower()
    if (
        len(parts) < 2
        or not word.isalpha()
        or len(word) < 4
        or parts[1].lower() not in ("a", "an", "the", "all", "multiple", "your", "this")
    ):
        return None
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-2] if word.endswith(("shes", "ches", "xes", "sses")) else word[:-1]
    return (
        None
        if word.endswith("ing") or word in word_lists()["prepositions"] or word in word_lists()["no_verbs"]
        else Verb(word, "act", word)
    )


def _after_more_verbs(first: str, rest: list[str]) -> list[str]:
    """Return what follows further verbs: "create or update", "list, filter and sort"."""
    if first.endswith(","):
        while rest and (verb_of(rest[0]) is not None or rest[0] in ("or", "and")):
            rest = rest[1:]
    while len(rest) > 1 and rest[0].lower() in ("or", "and"):
        adverb = rest[1].endswith("ly") and len(rest) > 2
        if verb_of(rest[2] if adverb else rest[1]) is None:
            break
        rest = rest[3 if adverb else 2 :]
    return rest


@cache
def verb_of(word: str) -> Verb | None:
    """Return the verb that a word is a form of (`Retrieves`), if it is known."""
    word = word.lower().strip(",")
    known = verbs()
    forms = (word, word[:-1], word[:-2], word[:-3] + "y") if word.endswith("s") else (word,)
    return next((known[form] for form in forms if form in known), None)


def participle(verb: str) -> str:
    """Return a verb's past participle: `created`, `sent`, `set up`."""
    known: str | None = word_lists()["participles"].get(verb)
    if known is not None:
        return known
    first, _, rest = verb.partition(" ")
    if first in word_lists()["participles"]:
        done: str = word_lists()["participles"][first]
    elif first.endswith("e"):
        done = first + "d"
    elif first.endswith("y") and first[-2:-1] not in "aeiou":
        done = first[:-1] + "ied"
    else:
        done = first + "ed"
    return f"{done} {rest}".strip()


TEXTS = ("title", "name", "subject", "summary", "description", "note", "comment", "text", "body", "details", "caption")


QUERIES = frozenset(
    {
        "query",
        "q",
        "search",
        "keyword",
        "keywords",
        "term",
        "text query",
        "search query",
        "search term",
        "jql",
        "pattern",
    }
)


def noun_in_name(reading: NameReading) -> str:
    """Return the noun that names what the tool is about, in the singular, from its name."""
    kept = list(reading.name)
    for place, word in enumerate(kept):
        if word in word_lists()["prepositions"] and place:
            kept = kept[:place]
            break
    return " ".join([*kept[:-1], singular_of(kept[-1])]) if kept else ""
