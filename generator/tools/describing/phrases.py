"""The phrases of a tool: requests in several forms, questions, noun phrases, changes, repeated requests, and answers."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import msgspec

from generator.tools.describing.frames import (
    ArgumentFrames,
    NamingArgument,
    Placed,
    argument_in_words,
    determined,
    from_name,
    put_in,
)
from generator.tools.describing.lexicon import READING, Verb, is_plural, plural_of, singular_of, verbs, word_lists
from generator.tools.describing.reading import ArgumentLeaf, NameReading, Server, is_id, is_open

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


_MOST = 6
"""The most parts for which there are requests of their own."""
_TOLD = 4
"""So many parts are told in answers."""
TEXTS = ("title", "name", "subject", "summary", "description", "note", "comment", "text", "body", "details", "caption")


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """How people ask for changes of one thing."""

    requests: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    slots: dict[str, list[str]] = {}
    """Argument → what adds it to another change."""
    answers: tuple[str, ...] = ()


def changes_parts(leaves: Sequence[ArgumentLeaf]) -> bool:
    """Whether a tool changes what its optional arguments say: one does not "change a job with high priority"."""
    return not any(leaf.required and not is_id(leaf) for leaf in leaves)


def changes_of(
    reading: NameReading, objects: Sequence[Placed], leaves: Sequence[ArgumentLeaf], said: Mapping[str, ArgumentFrames]
) -> Changes | None:
    """Return how people ask for changes; None for a tool that changes no parts of one thing that an argument names."""
    main = next((placed for placed in objects if placed.standing), Placed(""))
    named = next(iter(main.standing), None)
    if reading.effect != "update" or reading.verb.word != "update" or named is None:
        return None
    parts = {leaf.slot: _part(leaf) for leaf in leaves if _is_part(leaf, said[leaf.slot])}
    if not parts or len(set(parts.values())) < len(parts):
        return None
    noun, phrase, value = named
    phrase = main.text if main.text.startswith(phrase) else phrase
    where = " ".join(
        frame
        for leaf in leaves
        if leaf.required and is_id(leaf) and "{" + leaf.slot + "}" not in phrase
        for frame in said[leaf.slot].frames[:1]
    )
    phrase = f"{phrase} {where}".rstrip()
    whose = "their" if noun in word_lists()["people"] else "its"
    texts = {
        leaf.slot
        for leaf in leaves
        if leaf.slot in parts and leaf.type == "text" and leaf.name[-1] in TEXTS and "enum" not in leaf.schema
    }
    requests, follow_ups, slots = [], [], {}
    for slot, part in list(parts.items())[:_MOST]:
        new = _new_value(slot, slot in texts)
        requests += [
            f"{verb} the {part} of {phrase} to {new}" for verb in (("change",) if slot in texts else ("set", "change"))
        ]
        follow_ups.append(
            f"give {value} the new {part} {new}" if slot in texts else f"set the {part} for {value} to {new}"
        )
    for slot, part in parts.items():
        verb = "change" if slot in texts else "set"
        slots[slot] = [f"and {verb} {whose} {part} to {_new_value(slot, slot in texts)}"]
    return Changes(
        requests=tuple(requests),
        follow_ups=tuple(follow_ups),
        slots=slots,
        answers=_answers(parts, texts, re.sub(r"\{(?=\w)", "{args.", phrase)),
    )


def _answers(parts: Mapping[str, str], texts: set[str], phrase: str) -> tuple[str, ...]:
    """Return what tells which parts were changed: one, two or three of them."""
    found = []
    for size in (1, 2, 3):
        for some in combinations(list(parts.items())[:_TOLD], size):
            told = [f"the {part} of {phrase} to" if not at else f"the {part} to" for at, (_, part) in enumerate(some)]
            values = [
                f"{text} {_new_value('args.' + slot, slot in texts)}"
                for text, (slot, _) in zip(told, some, strict=True)
            ]
            text = " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
            found.append(f"I've changed {text}.")
    return tuple(found)


def _new_value(slot: str, is_text: bool) -> str:
    return "{" + slot + (":quoted}" if is_text else "}")


def _is_part(leaf: ArgumentLeaf, how: ArgumentFrames) -> bool:
    is_plain = (
        leaf.type in ("text", "number")
        and "/" not in leaf.slot
        and (not leaf.required or (leaf.name[-1] in TEXTS and not is_id(leaf)))
    )
    return is_plain and how.say != "never" and bool(how.frames)


def _part(leaf: ArgumentLeaf) -> str:
    """Return what an argument changes: `new_due_date` the due date, `assignee_id` the assignee."""
    words = leaf.name[1:] if len(leaf.name) > 1 and leaf.name[0] == "new" else leaf.name
    words = words[:-1] if len(words) > 1 and words[-1] in ("id", "gid", "key") else words
    words = (*words[:-1], "date") if len(words) > 1 and words[-1] in ("on", "at") else words
    spoken = argument_in_words(words)
    return str(word_lists()["part_names"].get(spoken, spoken))


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
_MOST_HEADS = 6
_YOUR = re.compile(r"\byour\b")
_SPLIT = re.compile(
    r"^(?:the |all |any |all the )?(?P<noun>[^{}]*?)(?P<rest>(?: (?:in|of|on|for|from|with|to|at|under)\b.*)?)$"
)


def phrases_of(
    reading: NameReading,
    leaves: Sequence[ArgumentLeaf],
    objects: Sequence[Placed],
    said: dict[str, ArgumentFrames],
    changes: Changes | None,
) -> dict[str, Any]:
    """Return the phrases of a tool as a spec file writes them; `changes` are those for what it changes of a thing."""
    objects = [msgspec.structs.replace(placed, text=_YOUR.sub("my", placed.text)) for placed in objects]
    main = objects[0] if objects else Placed("")
    heads = _heads(reading, objects, leaves)
    seeks = any(leaf.required and " ".join(leaf.name) in QUERIES for leaf in leaves)
    found = [
        placed.text
        for placed in objects
        if reading.effect in ("find", "get") and re.match(r"(?:all )?(?:the )?[a-z -]*s\b", placed.text)
    ]
    changed = changes or Changes()
    written: dict[str, Any] = {
        "request": [*(heads[:1] if changes is not None else heads), *changed.requests],
        "question": [] if seeks else _questions(reading, main),
        "want": _wants(reading, objects),
        **({} if changes is not None else _repeated(reading, main, leaves)),
        "follow_up": [*_follow_up(reading, objects, leaves), *changed.follow_ups],
        "found": [determined(text) for text in found],
        "slots": _slots(leaves, said) | changed.slots,
        "synonyms": {
            leaf.slot: {value: list(forms) for value, forms in said[leaf.slot].synonyms.items()}
            for leaf in leaves
            if said[leaf.slot].synonyms
        },
        "ask": {leaf.slot: list(said[leaf.slot].ask) for leaf in leaves if leaf.required and said[leaf.slot].ask},
    }
    return {key: part for key, part in written.items() if part or key == "request"}


def objects_of_verb(reading: NameReading, targets: Sequence[NamingArgument], server: Server) -> list[Placed]:
    """Return what the verb is about, in one or two ways: as the description says it and as the name does."""
    creates = reading.effect == "create" and reading.verb.word not in word_lists()["takes"]
    made = noun_in_name(reading).split(" ")[-1] if creates and reading.verb.word != "add" else ""
    found: list[Placed] = []
    text = _said_object(reading, server)
    if text and not re.search(r"\d|[{}_]", text):
        placed = put_in(text, targets, server, made)
        held = next(
            (target for target in targets if target.value == placed.text and target.noun in ("directory", "folder")),
            None,
        )
        if held is not None and reading.effect in READING:
            placed = msgspec.structs.replace(placed, text=f"the contents of {held.value}")
        found.append(msgspec.structs.replace(placed, text=_article(reading, placed.text, creates=creates)))
    if (
        reading.name
        and (not found or (reading.is_named and _agrees(reading)))
        and not re.search(r"\d", " ".join(reading.name))
    ):
        placed = from_name(reading.name, targets, creates=creates)
        if not placed.slots:
            placed = put_in(placed.text, targets, server, made)
        placed = msgspec.structs.replace(placed, text=_article(reading, placed.text, creates=creates))
        if placed.text and placed.text not in [one.text for one in found] and _says_enough(placed, found):
            found.append(placed)
    most = max((len(placed.slots) for placed in found), default=0)
    return [placed for placed in found if len(placed.slots) == most]


def _said_object(reading: NameReading, server: Server) -> str:
    """Return what the description says that the verb is about, in few words."""
    text = sentence_case(short_object(reading.sentence, server.products)) if reading.sentence else ""
    if reading.effect == "update":
        text = re.sub(r"^(?:the )?(?:fields|details|properties|attributes|information) of (?:the |an? )?", "the ", text)
    if reading.effect in ("find", "get", "read"):
        text = re.sub(r"^(?:for|through|over) ", "", text)
        text = re.sub(r"^(?:an? |the )?(?:[a-z]+ )?list(?:ing)? of ", "", text)
    is_cut = re.match(r"(?:whether|if|that)\b", text) is not None and len(text.split()) < _WHOLE_CLAUSE
    return "" if is_cut else text


_WHOLE_CLAUSE = 6
"""Words of the shortest clause that says what is asked: "whether a user can see a page"."""


def _agrees(reading: NameReading) -> bool:
    """Whether the name says in its words what the description says in its own."""
    if reading.says is None or reading.says.word != reading.verb.word:
        return False
    told = {singular_of(word) for word in re.findall(r"[a-z]+", reading.description.lower())}
    return all(singular_of(word) in told or word in word_lists()["prepositions"] for word in reading.name)


def _says_enough(placed: Placed, found: list[Placed]) -> bool:
    """Whether the name's phrase says no less than that of the description."""
    return not found or len(placed.slots) >= len(found[0].slots)


def _article(reading: NameReading, text: str, *, creates: bool = False) -> str:
    if creates:
        head = re.split(r" (?:to|from|in|on|of|for|with|as|by|at|into)\b", text)[0]
        alone = bool(text) and not re.match(r"(?:an?|the|new|multiple|one|another|\{|to|back|up)\b|\{", text)
        singular = (
            "{" not in head
            and head.split(" ")[-1] not in word_lists()["uncountable"]
            and not is_plural(head.split(" ")[-1])
        )
        return f"{'an' if text[0] in 'aeio' else 'a'} {text}" if alone and singular else text
    if reading.effect == "find" and not re.match(r"(?:the|all|a|an)\b", text):
        return text
    return text if re.match(r"(?:for|through|to|on|in|over|from|into|as|back|with|as)\b", text) else determined(text)


def _heads(reading: NameReading, objects: list[Placed], leaves: Sequence[ArgumentLeaf]) -> list[str]:
    query = next((leaf for leaf in leaves if leaf.required and " ".join(leaf.name) in QUERIES), None)
    verb = _main_verb(reading)
    if verb.word in ("search", "find", "query") and query is not None and query.name != ("pattern",):
        found = _searches(objects, query)
        if found:
            return found
    found = []
    for placed in objects or [Placed(argument_in_words(reading.name))]:
        text = re.sub(r"^(?:for|through) ", "", placed.text) if verb.effect == "find" else placed.text
        says = (verb.word,) if re.match(r"(?:that|whether|if|how|what)\b", text) else verb.say
        says = says if says[0] != "update" or not changes_parts(leaves) else says[:1]
        for say in says[: 3 if len(objects) < 2 else 2]:
            phrase = _joined(say, text)
            if phrase not in found:
                found.append(phrase)
        elsewhere = _joined(says[0], _PLACE.sub("", text))  # where that is was said before
        if elsewhere not in found and "{" not in elsewhere:
            found.append(elsewhere)
    return [text for text in found if text.strip()][:_MOST_HEADS]


def _joined(say: str, text: str, value: str = "") -> str:
    """Return a verb with what it is about: "show me the issue", "make a copy of the file".

    `value` may turn out to be a pronoun, which stands before a particle: "call it off".
    """
    verb, _, particle = say.rpartition(" ")
    if value and particle in _PARTICLES and text.startswith(value):
        return f"{verb} {value} {particle}{text.removeprefix(value)}"
    if say.endswith(" a copy of"):
        text = re.sub(r"^(?:the |a )?copy of ", "", text)
    return say.removesuffix(" in") if say.endswith(" in") and not text else f"{say} {text}".strip()


_PARTICLES = frozenset({"up", "off", "down", "on", "in", "out"})


def _searches(objects: list[Placed], query: ArgumentLeaf) -> list[str]:
    quoted, plain = "{" + query.slot + ":quoted}", "{" + query.slot + "}"
    found = []
    for placed in objects[:2]:
        text = re.sub(r"^(?:for|through|over) ", "", placed.text)
        text = re.split(r" (?:across|in the|on|within|matching|by) ", text)[0] if not placed.slots else text
        text = re.sub(r"^(?:the|all|a|an) ", "", text)
        text = re.sub(r"(?<=s) (?:catalog|catalogue|database|index|directory|list)$", "", text)
        if text.endswith(" search"):
            found += [f"do a {text} for {quoted}", f"run a {text} for {plain}"]
        elif text and plain not in text and "{" not in text:
            found += [
                f"search the {text} for {quoted}",
                f"find {text} matching {quoted}",
                f"look for {text} matching {plain}",
            ]
    if not found:
        found = [f"search for {plain}", f"look up {plain}", f"search for {quoted}"]
    if query.name[-1] in ("jql",):
        found = [text for text in found if " matching " in text] or found
    return list(dict.fromkeys(found))[:_MOST_HEADS]


def _questions(reading: NameReading, main: Placed) -> list[str]:
    if reading.effect not in ("find", "get", "read") or not main.text:
        return []
    match = _SPLIT.match(main.text)
    if match is None:
        return []
    noun, rest = match["noun"].strip(), match["rest"]
    last = noun.split(" ")[-1] if noun else ""
    if last and is_plural(last) and reading.effect == "find" and not noun.startswith(("a ", "an ")):
        return [f"which {noun} are there{rest}"]
    if last in word_lists()["asked"] and not is_plural(last) and main.text.startswith("the "):
        return [f"what's {main.text}"]
    return []


def _wants(reading: NameReading, objects: list[Placed]) -> list[str]:
    found = []
    for placed in objects:
        text = placed.text
        if (
            reading.effect in ("find", "get")
            and text.startswith(("the ", "a ", "an ", "all "))
            and reading.verb.word not in ("search",)
        ):
            found.append(text)
    return found[:2]


def _repeated(reading: NameReading, main: Placed, leaves: Sequence[ArgumentLeaf]) -> dict[str, Any]:
    """Return the phrases for repeated requests: without the verb, announcing several, and the arguments that may vary."""
    required = [leaf for leaf in leaves if leaf.required and leaf.type != "object"]
    if not main.standing:
        return _repeated_by_content(reading, main, required)
    noun, phrase, value = main.standing[0]
    rest = main.text[main.text.index(phrase) + len(phrase) :]
    found: dict[str, Any] = {"again": [phrase + rest], "entry": [value + rest]}
    many = plural_of(noun) if " " not in noun else " ".join([*noun.split(" ")[:-1], plural_of(noun.split(" ")[-1])])
    text = main.text.replace(phrase, f"these {many}", 1)
    if "{" not in text and noun:
        found["several"] = [_joined(_main_verb(reading).say[0], text)]
    if (
        len(required) == 1
        and phrase == value
        and required[0].type in ("text", "number")
        and main.slots == (required[0].slot,)
    ):
        found["vary"] = [required[0].slot]
    return found


def _repeated_by_content(reading: NameReading, main: Placed, required: Sequence[ArgumentLeaf]) -> dict[str, Any]:
    if not required or reading.effect != "create" or not main.text.startswith(("a ", "an ")):
        return {}
    noun = re.split(r" (?:in|of|on|for|from|with|to|at)\b", re.sub(r"^an? (?:new )?", "", main.text))[0]
    last = noun.split(" ")[-1]
    if not last or "{" in noun:
        return {}
    rest = main.text.removeprefix("a new ").removeprefix("an ").removeprefix("a ")[len(noun) :]
    if "{" in rest:
        return {"again": [main.text.replace("a new ", "another ", 1) if main.text.startswith("a new ") else main.text]}
    return {"again": [f"another {noun}{rest}"]}


def _follow_up(reading: NameReading, objects: list[Placed], leaves: Sequence[ArgumentLeaf]) -> list[str]:
    found, says = [], _main_verb(reading).say[:2]
    says = says[:1] if says[0] == "update" and changes_parts(leaves) else says
    for placed in objects:
        if not placed.standing:
            continue
        _, phrase, value = placed.standing[0]
        text = _PLACE.sub("", placed.text).replace(phrase, value, 1)
        text = re.sub(r"^the \{", "{", text).replace(f" of {value}", f" for {value}")  # "the notes for it", not "of it"
        if text == value and reading.effect in READING:
            found += [f"{say} {value}" for say in _SHOWN]
        else:
            found += [_joined(say, text, value) for say in says]
    return list(dict.fromkeys(found))[:4]


_PLACE = re.compile(r" (?:in|of|from|for|to) \{\w+\}/\{\w+\}")
"""Where a thing is, which has been said when the thing is spoken of again: "in {owner}/{repo}"."""
_SHOWN = ("show me the details of", "get the details of", "tell me more about")
"""What is asked for where only "it" stands after the verb."""


def _slots(leaves: Sequence[ArgumentLeaf], said: dict[str, ArgumentFrames]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for leaf in leaves:
        how = said[leaf.slot]
        if leaf.type == "object" and leaf.required and is_open(leaf.schema):
            found[leaf.slot] = [f"with {{{leaf.slot}:pairs}}"]
        if how.say == "never" or leaf.type == "object":
            continue
        if how.clauses:
            found[leaf.slot] = {str(value).lower(): list(texts) for value, texts in how.clauses.items()}
        elif how.frames:
            found[leaf.slot] = list(how.frames)
    return found


def done_sentences(
    reading: NameReading, objects: Sequence[Placed], said: dict[str, ArgumentFrames], leaves: Sequence[ArgumentLeaf]
) -> list[str]:
    """Return answers of tools that report no more than that they are done, with the arguments that were said."""
    goals = [
        leaf.slot
        for leaf in leaves
        if leaf.required
        and leaf.type == "text"
        and said[leaf.slot].frames == (f"to {{{leaf.slot}}}",)
        and leaf.slot.isidentifier()
    ]
    things = {leaf.slot for leaf in leaves if leaf.type == "things"}
    found = []
    named = _named_by(leaves, said)
    lettered = {
        leaf.slot
        for leaf in leaves
        if _LETTERED.search(f"{leaf.schema.get('pattern', '')} {leaf.schema.get('description', '')}")
    }
    for placed in objects:
        text = placed.text if placed.slots else f"{placed.text} {named}".rstrip()
        for slot in things & set(placed.slots):
            text = re.sub(r"^(?=(?:[a-z]+|\{\w+#\?[^{}]*\}) \{" + slot + r"\})", "the ", text).replace(
                " {" + slot + "}", ""
            )
        for slot in placed.slots or re.findall(r"\{(\w+)", named):
            text = re.sub(r"\{" + slot + r"(?=[:#])", "{args." + slot, text).replace(
                "{" + slot + "}", "{args." + slot + "}"
            )
        told = " to ".join(
            [
                _joined(participle(_main_verb(reading).say[0]), text),
                *(f"{{args.{slot}}}" for slot in goals if slot not in placed.slots),
            ]
        )
        found += [f"I've {told}.", f"Done, I've {told}."]
        alone = re.fullmatch(r"[a-z]+ (\{args\.(\w+)\})", text)
        if (
            alone is not None and alone[2] in lettered and reading.effect == "delete"
        ):  # can be told of several: "I've deleted VIS-1 and VIS-2."
            found.append(f"I've {_joined(participle(_main_verb(reading).say[0]), alone[1])}.")
    return found[:4]


_LETTERED = re.compile(r"\b[A-Z]{2,}-(?=[\d[(\\])")
"""The beginning of identifiers that show what they are of, in patterns and examples: JOB-12345."""


def _named_by(leaves: Sequence[ArgumentLeaf], said: dict[str, ArgumentFrames]) -> str:
    """Return the words for the first required argument that tells which thing it was: "at {path}", "called {name:quoted}"."""
    for leaf in leaves:
        frame = next((frame for frame in said[leaf.slot].frames if frame[:1].islower() and frame.count("{") == 1), "")
        is_name = leaf.name[-1] in _NAMES or (is_id(leaf) and ":quoted" not in frame)
        if leaf.required and leaf.type == "text" and frame and is_name and leaf.slot.isidentifier():
            return frame
    return ""


_NAMES = ("name", "title", "subject", "path", "filename", "email")


def noun_in_name(reading: NameReading) -> str:
    """Return the noun that names what the tool is about, in the singular, from its name."""
    kept = list(reading.name)
    for place, word in enumerate(kept):
        if word in word_lists()["prepositions"] and place:
            kept = kept[:place]
            break
    return " ".join([*kept[:-1], singular_of(kept[-1])]) if kept else ""


def _main_verb(reading: NameReading) -> Verb:
    """Return the verb that goes with what the description says, or else that of the name; nobody "makes" a customer."""
    verb = reading.says if reading.says is not None and reading.sentence else reading.verb
    if "make" in verb.say and noun_in_name(reading).split(" ")[-1] in word_lists()["people"]:
        say = tuple(["add" if word == "make" else word for word in verb.say])
        return msgspec.structs.replace(verb, say=say)
    return verb
