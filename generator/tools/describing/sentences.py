"""The first sentence of a description: its verb, and what the verb is about."""

import re
from functools import cache

from generator.tools.describing.lexicon import Verb, is_plural, verbs, word_lists

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>")
_LINKS = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_STOP = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s|$)|\n|;|:(?=\s)| [–—-] ")
_LEADS = re.compile(r"^[A-Z][\w ]{1,30}\s\|\s+")
_LONGEST = 14
"""The most words of what the verb is about."""


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


def without_other_time(text: str) -> str:
    """Return what follows a verb without "to another day or time", for tools that are told which day that is."""
    return _OTHER_TIME.sub("", text)


_OTHER_TIME = re.compile(
    r" (?:to|for|on|at) (?:another|a different|a new|some other) (?:day|date|time|slot)(?:(?: or | and |/| and/or )(?:another |a different |a new )?(?:day|date|time|slot))*$",
    re.IGNORECASE,
)


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
        else Verb(word, "act", (word,))
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


def short_object(text: str, products: frozenset[str]) -> str:
    """Return what a verb is about in few words: without names of products, and without what comes after the point."""
    text = _before_another_verb(text.split(",")[0])
    text = f" {text} "
    for end in word_lists()["ends"]:
        place = text.lower().find(end if end.startswith(";") else f" {end} ")
        if place >= 0 and len(text[:place].split()) >= 1:
            text = text[:place] + " "
    for word in (*word_lists()["pointing"], *word_lists()["fillers"]):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text, flags=re.IGNORECASE)
    kept = [part for part in text.split() if _bare(part) not in products or part.islower()]
    kept = [part for part in kept if _bare(part) not in products or _bare(part) in _nouns_kept(kept)]
    found = _articles_mended(" ".join(kept).rstrip(" .,"))
    found = _SOME_OTHER.sub("", _EXTRAS.sub("", found))
    parts = found.split()
    while parts and parts[-1].lower() in (*word_lists()["prepositions"], *word_lists()["determiners"]):
        parts.pop()
    if parts[-1:] == ["list"] and len(parts) > 1 and is_plural(parts[-2]):
        parts.pop()
    return " ".join(parts) if len(parts) <= _LONGEST else ""


_EXTRAS = re.compile(
    r" with (?:[\w-]+ ){0,4}(?:options|support|capabilities|scope|settings|functionality|features|match|matching|handling|data|details|information|info)$",
    re.IGNORECASE,
)
"""What a tool has to offer, which nobody asks for: "with advanced filtering options"."""
_SOME_OTHER = re.compile(
    r" to (?:my|your) account(?: or [a-z]+)?$| to (?:an?|another|one) (?:new|different|other|another|specific) [a-z]+(?:(?: or |/)[a-z]+)*$",
    re.IGNORECASE,
)
"""A goal that an argument tells: "to a different parent or section"."""


def _before_another_verb(text: str) -> str:
    """Return the text before a further verb: "or overwrite it", "and completely replace …"."""
    parts = text.split()
    for place, word in enumerate(parts[1:-1], start=1):
        if word in ("or", "and"):
            following = parts[place + 1 : place + 3]
            adverb = following[0].endswith("ly") and len(following) > 1
            verb = verb_of(following[1] if adverb else following[0])
            if verb is not None and (adverb or following[0] == verb.word or verb.word in ("replace", "get", "ensure")):
                return " ".join(parts[:place])
    return text


def _nouns_kept(parts: list[str]) -> set[str]:
    """Return the words that no noun follows; a product's name among them is the noun itself, and is kept."""
    ends = {*word_lists()["prepositions"]}
    return {
        _bare(part)
        for part, following in zip(parts, [*parts[1:], ""], strict=True)
        if not following or following.lower() in ends
    }


def _bare(word: str) -> str:
    return word.lower().strip(",.'’").removesuffix("'s").removesuffix("’s")


def _articles_mended(text: str) -> str:
    text = re.sub(r"(?<!\w)an (?=[^aeiouAEIOU\W])", "a ", text)
    return re.sub(r"(?<!\w)a (?=[aeiou](?!ne|ni|se|su|ser))", "an ", text)


def sentence_case(text: str) -> str:
    """Return text without a capital at its beginning, unless its first word is a name of capitals."""
    first = text.split(" ")[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]


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
