"""Checks of what is said of a tool beside its function: can everything be said, is it said as people say it, and does it mean that?

Each check yields faults as plain data. The checks are the same for every level, whoever wrote a piece.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from generator.core.entities import references_of
from generator.core.pointers import schema_at, variants
from generator.core.templates import Slot, Template, parse_template
from generator.core.toolbox import Phrases, Toolbox, ToolSpec, fields_written, name_as_words
from generator.tools.describing.lexicon import load, split_list, verbs, word_lists
from generator.tools.describing.reading import ArgumentLeaf, entity_of, is_id, leaves_of

FaultTexts = Iterator[tuple[str, str] | tuple[str, str, str]]
"""(piece, what is wrong), and the text that is at fault where it is one."""


@cache
def known_words() -> dict[str, Any]:
    """Return what meanings.yaml holds."""
    found: dict[str, Any] = load("meanings")
    return found


@cache
def words_of(key: str, inside: str = "") -> tuple[str, ...]:
    """Return the words of one list."""
    value = known_words()[key][inside] if inside else known_words()[key]
    return split_list(value)


@cache
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds any of some words, whole."""
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, words)) + r")(?![\w-])", re.IGNORECASE)


def stem(word: str) -> str:
    """Return a word without its usual endings."""
    return re.sub(r"(?:ies|es|s|ed|ing|d|e)$", "", word) if len(word) > 4 else word


def stems(text: str) -> set[str]:
    """Return the words of a text without their usual endings."""
    return {stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())}


def units(spec: ToolSpec) -> FaultTexts:
    """Yield phrases that say a value with the unit of something else: a humidity in °C, minutes as hours."""
    phrases = spec.phrases
    texts = [(f"phrases.{key}", text, "arguments", "") for key in _SAID for text in getattr(phrases, key)]
    texts += [
        (f"phrases.slots.{slot}", text, "arguments", "") for slot, one in phrases.slots.items() for text in one.frames
    ]
    texts += [("phrases.answer", one.say, "result", "") for one in phrases.answer]
    texts += [
        (f"phrases.each.{at}", text, "result", f"{at}/*/") for at, lines in phrases.each.items() for text in lines
    ]
    for piece, text, of, prefix in texts:
        template = parse_template(text, "result" if of == "result" else "arguments")
        for index, part in enumerate(template.segments):
            if isinstance(part, Slot) and not part.count and (wrong := _wrong_unit(spec, template, index, prefix)):
                yield piece, wrong, text


_SAID = ("request", "question", "want", "again", "entry", "follow_up")


def _wrong_unit(spec: ToolSpec, template: Template, index: int, prefix: str) -> str:
    part = template.segments[index]
    assert isinstance(part, Slot)
    said = _unit_said(template, index)
    if not said or part.verbalizer in ("minutes", "seconds", "hours"):
        return ""
    root = spec.tool.parameters if part.of == "arguments" else spec.returns
    place = part.slot if part.of == "arguments" else prefix + part.slot
    leaf = schema_at(root, place)
    name = part.slot.split("/")[-1]
    described = str(leaf.get("description", "")) if isinstance(leaf, dict) else ""
    own = {unit for unit in known_words()["units"] if any_of(_words_of(unit, "names")).search(name_as_words(name))}
    if not own:
        own = {unit for unit in known_words()["units"] if any_of(_words_of(unit, "say")).search(described)}
    times = set(words_of("times"))
    if not own or said in own or (said in times and not own & times and not own & set(_DEFINITE)):
        return ""
    return f"{name} is not said in {said}" if said not in times else f"{name} is not counted in {said}"


_DEFINITE = ("temperature", "share", "money", "speed", "memory")


@cache
def _words_of(unit: str, key: str) -> tuple[str, ...]:
    return split_list(known_words()["units"][unit][key])


def _unit_said(template: Template, index: int) -> str:
    """Return the unit that stands behind or before a slot."""
    before = template.segments[index - 1] if index else ""
    behind = template.segments[index + 1] if index + 1 < len(template.segments) else ""
    if isinstance(before, str) and before[-1:] in tuple("$€£"):
        return "money"
    if not isinstance(behind, str):
        return ""
    text = behind.lstrip(" -")
    found = [
        (len(word), str(unit))
        for unit in known_words()["units"]
        for word in _words_of(unit, "say")
        if word[0] not in "$€£" and text.startswith(word) and not text[len(word) : len(word) + 1].isalpha()
    ]
    return max(found, default=(0, ""))[1]


def meanings(spec: ToolSpec) -> FaultTexts:
    """Yield what phrases of a tool cannot mean."""
    yield from _clauses_of_booleans(spec)
    yield from _clauses_of_choices(spec)
    yield from _picks(spec)
    yield from units(spec)
    yield from _states(spec)
    yield from _other_things(spec)
    yield from _ways(spec)
    yield from _verbs_of_questions(spec)
    yield from _unsaid(spec)
    yield from _nouns_before_references(spec)


def _clauses_of_booleans(spec: ToolSpec) -> FaultTexts:
    for slot, frames in spec.phrases.slots.items():
        own = name_as_words(slot.split("/")[-1])
        if set(words_of("negative_names")) & set(own.split()):
            continue  # "without drafts" may be either, by what the name means
        affirmed, denied = (
            {text: _denies(own, text) for said, texts in frames.clauses if said is value for text in texts}
            for value in (True, False)
        )
        if all(affirmed.values()) and not any(denied.values()) and affirmed and denied:
            yield f"phrases.slots.{slot}", "the clauses of true and false are mixed up"
        for text, is_denied in affirmed.items():
            if is_denied:
                yield f"phrases.slots.{slot}", "it says the opposite of true", text
        for text, is_denied in denied.items():
            if not is_denied and "only" not in own and _affirms(own, text):
                yield f"phrases.slots.{slot}", "it says the opposite of false", text


def _denies(name: str, text: str) -> bool:
    """Whether a clause denies what the name says: a negative word stands shortly before a word of it."""
    words = re.findall(r"[\w']+", text.lower())
    negative = any_of(words_of("negative"))
    return any(
        stem(word) in stems(name) and negative.search(" ".join(words[max(0, at - 3) : at]))
        for at, word in enumerate(words)
        if len(word) > 2
    )


def _affirms(name: str, text: str) -> bool:
    """Whether a clause says that what the name says is wanted."""
    return (
        bool(stems(name) & stems(text))
        and re.match(r"(?:with|including|include|also|and|show)\b", text) is not None
        and not any_of((*words_of("negative"), *words_of("undoing"), "both", "whether", "or", "even")).search(text)
    )


def _clauses_of_choices(spec: ToolSpec) -> FaultTexts:
    for slot, frames in spec.phrases.slots.items():
        yield from _exchanged(f"phrases.slots.{slot}", frames.clauses)
    for slot, forms in spec.phrases.synonyms.items():
        yield from _exchanged(f"phrases.synonyms.{slot}", forms)


def _exchanged(piece: str, clauses: tuple[tuple[Any, tuple[str, ...]], ...]) -> FaultTexts:
    """Yield clauses of one value that hold the words of another, and not their own."""
    said = {value: name_as_words(value) for value, _ in clauses if isinstance(value, str)}
    against = {
        value: {other for pair in known_words()["opposites"] if value in pair for other in pair if other != value}
        for value in said.values()
    }
    up, down = any_of(words_of("ascending")), any_of(words_of("descending"))
    for value, texts in clauses:
        own = said.get(value, "")
        others = ({*said.values(), *against.get(own, ())} - {own}) if own else set()
        for text in texts:
            plain = " ".join(name_as_words(text).split())
            hits = [other for other in sorted(others) if other and other not in own and _whole(other, plain)]
            hit = hits[0] if len(hits) == 1 else ""  # "both open and closed" means all of them
            if hit and not _whole(own, plain) and not any_of((*words_of("negative"), "rest", "but")).search(text):
                yield piece, f"it says {hit!r}, not {own!r}", text
            if (own.startswith("asc") and down.search(plain)) or (own.startswith("desc") and up.search(plain)):
                yield piece, f"it says the opposite of {own!r}", text


def _whole(words: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", text) is not None


def _picks(spec: ToolSpec) -> FaultTexts:
    for slot, picks in spec.phrases.pick.items():
        for pick in picks:
            yield from _pick(f"phrases.pick.{slot}", pick.say, pick.by, schema_at(spec.returns, f"{slot}/*"))
    for best in spec.phrases.best:
        yield from _pick("phrases.best", best.say, best.by, spec.returns)


def _pick(piece: str, say: str, by: str, around: Any) -> FaultTexts:
    """Yield a pick whose words mean the other end: "the oldest" is the least date, and the greatest age."""
    extreme, _, field = by.partition(" ")
    if extreme not in ("min", "max"):
        return
    leaf = (around or {}).get("properties", {}).get(field, {}) if isinstance(around, dict) else {}
    found = _end_of(say, field, leaf if isinstance(leaf, dict) else {})
    if found and found != extreme:
        yield piece, f"it says the opposite of {by!r}", say


def _end_of(say: str, field: str, leaf: dict[str, Any]) -> str:
    """Return which end the words mean of a field, `min` or `max`; nothing where they do not tell."""
    name = set(name_as_words(field).split())
    if name & {"priority", "rank", "position"}:
        return ""  # the first is the highest as often as not
    is_span = bool(name & set(words_of("spans"))) and leaf.get("type") in ("integer", "number", None)
    is_moment = not is_span and (
        leaf.get("format") in ("date", "date-time", "time") or bool(name & set(words_of("moments")))
    )
    lowest, highest = ("moment_min", "moment_max") if is_moment else ("amount_min", "amount_max")
    down, up = (any_of(words_of("ends", key)).search(say) for key in (lowest, highest))
    if is_span:  # the oldest has the greatest age, the newest the least
        before, after = (any_of(words_of("ends", key)).search(say) for key in ("moment_min", "moment_max"))
        if before or after:
            return "min" if after else "max"
    if up and down:  # "the least expensive", which "expensive" alone would turn
        return "min" if len(down[0]) > len(up[0]) else "max"
    if down and name & set(words_of("speeds")) and down[0].lower() in ("fastest", "quickest"):
        return "max"
    if down and name & set(words_of("speeds")) and down[0].lower() == "slowest":
        return "min"
    return "max" if is_span and down and down[0].lower() == "slowest" else "min" if down else "max" if up else ""


def _states(spec: ToolSpec) -> FaultTexts:
    """Yield answers that state what only some results hold: a state outside of braces and without `when`."""
    own = stems(name_as_words(spec.name)) | (stems(str(spec.effect.set)) if spec.effect is not None else set())
    own |= {
        stem
        for words in words_of("states")
        if _whole(words, (spec.tool.description or "").lower())
        for stem in stems(words)
    }
    listed = {
        name_as_words(value)
        for value in _choices(spec.returns)
        if isinstance(value, str) and _LEAST < len(value) < _MOST
    }
    states = any_of(tuple(sorted({*words_of("states"), *listed} - {""}, key=len, reverse=True)))
    for answer in spec.phrases.answer:
        slots = {part.slot for part in parse_template(answer.say, "result").segments if isinstance(part, Slot)}
        named = stems(name_as_words(" ".join(slots)))
        for match in () if answer.when else _PREDICATE.finditer(_outside(answer.say, "result")):
            hit = states.match(match[1])
            behind = match[1][len(hit[0]) :] if hit else ""
            is_doing = hit is not None and hit[0].endswith(("ed", "ing", "paid")) and _GOES_ON.match(behind)
            if hit and not stems(hit[0]) & (own | named) and not is_doing:
                yield "phrases.answer", f"{hit[0].lower()!r} does not hold for every result", answer.say
                break


_LEAST = 3


_MOST = 30


_PREDICATE = re.compile(
    r"(?:\b(?:is|are|was|were|looks?|seems?|remains?|stays?)|'s|'re)(?: (?:all|now|currently|still|just|fully|both|not|already))* (?=(.*))",
    re.IGNORECASE,
)
"""What is said of a thing, after the verb."""


_GOES_ON = re.compile(r"\s*(?: (?:to|in|on|from|with|within|between|by|as|out|into|for|at)\b| \x00)")


def _outside(text: str, of: Any = "arguments") -> str:
    """Return what a phrase says outside of its braces."""
    segments = parse_template(text, of).segments
    return "".join(part if isinstance(part, str) else "\x00" for part in segments)


def _choices(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        if isinstance(schema.get("enum"), list) and len(schema["enum"]) > 1:
            yield from schema["enum"]
        for part in schema.values():
            yield from _choices(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _choices(part)


def _other_things(spec: ToolSpec) -> FaultTexts:
    """Yield requests that call a value another thing of the server than the tool's function does: "pod {deployment}"."""
    others = {name_as_words(name) for name in spec.declared.entities}
    function = f"{name_as_words(spec.name)} {spec.tool.description or ''} {spec.tool.parameters or ''}".lower()
    function += " " + name_as_words(function)
    own = spec.effect.entity if spec.effect is not None else ""
    if own:
        function += " " + name_as_words(own)
        function += (
            " " + " ".join(map(name_as_words, spec.declared.entities[own].fields))
            if own in spec.declared.entities
            else ""
        )
    foreign = [noun for noun in sorted(others) if stem(noun.split()[-1]) not in function]
    if not foreign:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, foreign)) + r")s?(?= \x00)", re.IGNORECASE)
    for key in ("request", "question", "want", "follow_up", "found", "can"):
        for text in getattr(spec.phrases, key):
            hit = pattern.search(_outside(text))
            if hit:
                yield f"phrases.{key}", f"the function does not speak of any {hit[0].lower()}", text


def _ways(spec: ToolSpec) -> FaultTexts:
    """Yield requests that say which way a value goes, of a tool that takes it either way."""
    function = f"{name_as_words(spec.name)} {spec.tool.description or ''}".lower()
    words = tuple(word for word in words_of("ways") if stem(word.split()[0]) not in function)
    if not words or spec.looks_up:
        return
    pattern = any_of(words)
    heads = [
        (f"phrases.{key}", text) for key in ("request", "question", "follow_up") for text in getattr(spec.phrases, key)
    ]
    heads += [(f"phrases.slots.{slot}", text) for slot, one in spec.phrases.slots.items() for text in one.frames]
    for piece, text in heads:
        plain = re.sub(r"\{[^{}]*\}", "{}", text)
        hit = pattern.search(plain if not piece.startswith("phrases.slots") else plain.replace("up to", ""))
        number = re.search(r"(?:to|by) \{\}", plain)
        if hit and number and _takes_numbers(spec, text):
            yield piece, f"{hit[0].lower()!r} says which way it goes, which the call does not", text


def _takes_numbers(spec: ToolSpec, text: str) -> bool:
    slots = [part.slot for part in parse_template(text).segments if isinstance(part, Slot)]
    return any((schema_at(spec.tool.parameters, slot) or {}).get("type") in ("integer", "number") for slot in slots)


_CHANGING = frozenset({"create", "update", "delete"})


def _verbs_of_questions(spec: ToolSpec) -> FaultTexts:
    """Yield questions and requests of a look-up that ask to change something."""
    if not spec.looks_up:
        return
    function = stems(f"{name_as_words(spec.name)} {spec.tool.description or ''}")
    for key in ("request", "question", "want", "follow_up"):
        for text in getattr(spec.phrases, key):
            words = re.sub(r"\{[^{}]*\}", " ", text).lower().split()
            at = (
                0
                if key in ("request", "follow_up")
                else next((i + 2 for i, word in enumerate(words[:3]) if word in ("you", "we", "i") and i), -1)
            )
            word = words[at] if 0 <= at < len(words) else ""
            verb = verbs().get(word)
            behind = words[at + 1 : at + 2]
            harmless = word in words_of("harmless") or stem(word) in function or behind == ["up"] or " into " in text
            if verb is not None and verb.effect in _CHANGING and not harmless:
                yield f"phrases.{key}", f"the tool looks something up, it does not {word}", text


def _unsaid(spec: ToolSpec) -> FaultTexts:
    """Yield arguments that people are said never to say although they matter."""
    technical = set(words_of("technical"))
    needed = {
        slot for group in (*spec.groups.together, *[one for c in spec.groups.one_of for one in c]) for slot in group
    }
    for slot, often in spec.say.items():
        if often != "never" or "/" in slot or spec.origins.get(f"say.{slot}", "derived") == "derived":
            continue
        words = name_as_words(slot).split()
        leaf = schema_at(spec.tool.parameters, slot) or {}
        is_machine = bool(set(words) & technical) or leaf.get("type") in ("object", "array") or "default" in leaf
        effect = spec.effect
        is_idle = effect is not None and f"args.{slot}" not in f"{effect.where} {effect.set} {effect.needs}"
        is_idle = is_idle and f"args.{slot}" not in fields_written(spec).values()
        if slot in needed or (effect is not None and slot in effect.by) or not (is_machine or is_idle):
            yield f"say.{slot}", NEVER


NEVER = (
    "`never` is for lists, objects, arguments with a default, technical ones and those that the effect does nothing with, if "
    "nothing is looked up by them and no group holds them, so `seldom` at least"
)


def _nouns_before_references(spec: ToolSpec) -> FaultTexts:
    """Yield follow-ups that have a noun before a value that is said as "it": "in channel {channel_id}"."""
    if spec.origins.get("phrases.follow_up") == "derived":  # an author can do better, rules cannot
        return
    linked = {link.argument for link in spec.links}
    nouns = {name_as_words(name) for name in spec.declared.entities}
    for text in spec.phrases.follow_up:
        segments = parse_template(text).segments
        for before, part in pairwise(segments):
            if isinstance(before, str) and isinstance(part, Slot) and part.slot in linked:
                own = nouns | {name_as_words(part.slot.split("/")[-1]).split()[0]}
                words = before.split() if before.endswith(" ") else []
                if words and words[-1].lower() in own and not text.startswith(words[-1]):  # "file it" is a verb
                    yield "phrases.follow_up", "what is said as “it” has no noun before it", text


_THANKS = re.compile(r"\b(?:please|thanks|thank you|kindly)\b", re.IGNORECASE)
_COURTESY = re.compile(r"\b(?:please|thanks|thank you|kindly|could you|can you|would you)\b", re.IGNORECASE)
_FEWEST_REQUESTS = 2
_FEWEST_VALUES = 3
_KINDS = {
    "number": {
        "number",
        "words",
        "ordinal",
        "percent",
        "percentage",
        "amount",
        "usd",
        "eur",
        "gbp",
        "money",
        "minutes",
        "seconds",
        "hours",
    },
    "string": {"literal", "quoted", "block", "date", "time", "datetime", "enum", "json"},
    "boolean": {"yes_no", "json"},
}


class ToolFault(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong, or that an author should look at."""

    tool: str
    check: str
    """Which check found it: `coverage`, `wording`, `meaning`, `links`, `yield`, `worked`, `result`, `loading`."""
    piece: str
    """`phrases.request`."""
    message: str
    text: str = ""
    """The phrase that is at fault; empty where the piece as a whole is."""
    is_told: bool = False
    """Whether it is only reported and not counted as a fault."""


def check_words(spec: ToolSpec, toolbox: Toolbox) -> list[ToolFault]:
    """Return the faults of one tool that can be seen without making rows."""
    found = [
        *(_fault(spec, "coverage", *fault) for fault in _coverage(spec)),
        *(_fault(spec, "wording", *fault) for fault in _wording(spec)),
        *(_fault(spec, "meaning", *fault) for fault in meanings(spec)),
        *(_fault(spec, "links", *fault) for fault in _links(spec, toolbox)),
    ]
    unsaid = (
        {leaf.slot for leaf in leaves_of(spec) if leaf.type == "object" or "/" in leaf.slot}
        if "derived" in spec.origins.values()
        else set()
    )
    return [msgspec.structs.replace(fault, is_told=_needs_an_author(fault, spec, unsaid)) for fault in found]


def _needs_an_author(fault: ToolFault, spec: ToolSpec, unsaid: set[str]) -> bool:
    """Whether the fault is one of derived words, which cannot do better without an author; it is only reported."""
    origin = spec.origins.get(fault.piece)
    slot = fault.piece.rpartition(".")[2]
    return (fault.check == "coverage" and slot in unsaid) or (
        "derived" in spec.origins.values()
        and (origin == "derived" or fault.piece not in spec.origins)
        and fault.piece.startswith(("examples.", "phrases.answer"))
    )


def _fault(spec: ToolSpec, check: str, piece: str, message: str, text: str = "") -> ToolFault:
    told = f"{text!r}: {message}" if text else message
    return ToolFault(tool=spec.name, check=check, piece=piece, message=told, text=text)


def _coverage(spec: ToolSpec) -> FaultTexts:
    """Check that each argument can be said, that one request needs required arguments only, and that clauses cover every value."""
    phrases = spec.phrases
    heads = [parse_template(text) for text in (*phrases.request, *phrases.question, *phrases.want)]
    if not heads:
        yield "phrases.request", "there is no way to ask for the tool"
        return
    leaves = leaves_of(spec)
    required = {place for leaf in leaves if leaf.required for place in (leaf.slot, leaf.slot.split("/")[0])}
    if not any(parse_template(text).needs <= required for text in phrases.request):
        yield "phrases.request", "none of them can be said with the required arguments alone"
    said = {slot for template in heads for slot in template.says} | set(phrases.slots)
    for leaf in leaves:
        yield from _covered(leaf, spec, said)
    for slot in spec.say:
        if spec.say[slot] == "never" and slot in spec.required:
            yield f"say.{slot}", "it is required, so it cannot be left out"


def _covered(leaf: ArgumentLeaf, spec: ToolSpec, said: set[str]) -> FaultTexts:
    top = leaf.slot.split("/")[0]
    fixed = "const" in leaf.schema or len(leaf.schema.get("enum", (1, 2))) == 1
    left_out = "never" in (spec.say.get(leaf.slot), spec.say.get(top))
    if not {leaf.slot, top} & said and not fixed and not left_out:
        yield f"phrases.slots.{leaf.slot}", "no request holds it, and no frame says it: it is said by its name"
    frames = spec.phrases.slots.get(leaf.slot)
    if frames is not None and leaf.type == "boolean" and not frames.frames and len(frames.clauses) < 2:
        yield f"phrases.slots.{leaf.slot}", "one of true and false has no clause"


def _wording(spec: ToolSpec) -> FaultTexts:
    phrases = spec.phrases
    for key in ("request", "question", "want", "again", "entry", "follow_up", "found", "several"):
        for text in getattr(phrases, key):
            yield from ((f"phrases.{key}", what, text) for what in _of_phrase(key, text))
    yield from _requests(spec)
    yield from _frames(phrases)
    yield from _values(spec)
    yield from _answers(spec)
    yield from _verbalizers(spec)


def _of_phrase(key: str, text: str) -> Iterator[str]:
    if text.endswith((".", "!", "?")):
        yield "it ends like a sentence"
    first = text.split(" ")[0]
    if first[:1].isupper() and first[1:] == first[1:].lower() and len(first) > 1 and "{" not in first:
        yield "it begins with a capital"
    if (_THANKS if key == "question" else _COURTESY).search(text):
        yield "courtesy stands outside the phrase"
    if (
        key == "want"
        and first in verbs()
        and verbs()[first].word == first
        and len(text.split()) > 1
        and text.split()[1] in ("the", "a", "an", "all")
    ):
        yield "a noun phrase begins with a verb"
    if key in ("request", "follow_up", "several") and first.lower() in ("the", "a", "an", "my", "our"):
        yield "a request begins with its verb"


def _requests(spec: ToolSpec) -> FaultTexts:
    phrases = spec.phrases
    is_derived = spec.origins.get("phrases.request") == "derived"
    if 0 < len(phrases.request) < _FEWEST_REQUESTS and not is_derived and not phrases.question and not phrases.want:
        yield "phrases.request", "at least two ways to ask are needed"
    ends = {"delete", "cancel"}
    name = set(name_as_words(spec.name).split())
    description = (spec.tool.description or "").lower()
    for key, text in _texts(phrases, "request", "follow_up"):
        verb = verbs().get(text.split(" ")[0])
        if (
            verb is not None
            and verb.word in ends
            and not {"delete", "remove", "cancel", "clear", "purge", "drop", "discard", "erase", "destroy"} & name
        ):
            told = any(word in description for word in ("delete", "remove", "cancel", "discard", "clear"))
            if not told and (spec.effect is None or spec.effect.kind != "delete"):
                yield f"phrases.{key}", f"the tool does not {verb.word} anything", text
    for key, text in _texts(phrases, "request", "question", "want", "again"):
        yield from _swapped(f"phrases.{key}", text)
        yield from _written_out(spec, f"phrases.{key}", text)


def _texts(phrases: Phrases, *keys: str) -> list[tuple[str, str]]:
    return [(key, text) for key in keys for text in getattr(phrases, key)]


def _swapped(piece: str, text: str) -> FaultTexts:
    """Yield frames whose preposition contradicts the slot: "from {destination}", "to {origin}"."""
    if re.search(r"\bfrom \{(?:destination|to|target)\w*\}", text) or re.search(
        r"\bto \{(?:origin|from|source|departure)\w*\}", text
    ):
        yield piece, "it leads to the opposite argument", text


def _written_out(spec: ToolSpec, piece: str, text: str) -> FaultTexts:
    plain = re.sub(r"\{[^{}]*\}", " ", text)
    for slot, values in spec.examples.items():
        for value in values:
            if (
                isinstance(value, str)
                and len(value) > 4
                and value != text.split(" ")[0]
                and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", plain)
            ):
                yield piece, f"{value!r} is a value of {slot}, so it belongs into a slot", text


def _frames(phrases: Phrases) -> FaultTexts:
    seen: dict[str, str] = {}
    for slot, frames in phrases.slots.items():
        for text in frames.frames:
            template = parse_template(text)
            if template.says != {slot}:
                continue
            shape = "".join(part if isinstance(part, str) else "{}" for part in template.segments)
            if (
                shape.count("{}") == 1
                and shape.split("{}")[0].strip().count(" ") > 0
                and seen.setdefault(shape, slot) != slot
            ):
                yield f"phrases.slots.{slot}", f"{seen[shape]} is said in the same words", text


def _values(spec: ToolSpec) -> FaultTexts:
    for slot, values in spec.examples.items():
        leaf = schema_at(spec.tool.parameters, slot) or {}
        required = slot.split("/")[0] in spec.required
        if (
            required
            and leaf.get("type") == "string"
            and "enum" not in leaf
            and len(set(map(str, values))) < _FEWEST_VALUES
        ):
            yield f"examples.{slot}", f"at least {_FEWEST_VALUES} values are needed"


def _answers(spec: ToolSpec) -> FaultTexts:
    phrases = spec.phrases
    if not phrases.answer:
        if spec.returns is not None:
            yield "phrases.answer", "no sentence tells the result"
        return
    required = set(spec.required)
    templates = [parse_template(answer.say, "result") for answer in phrases.answer]
    echoes = {name for name in (spec.returns or {}).get("properties", {}) if name in required}
    tells = any(template.arguments or template.says & echoes or template.says for template in templates)
    if required and not tells and not _only_reports(spec):
        yield "phrases.answer", "none of them tells which call it is about"


def _only_reports(spec: ToolSpec) -> bool:
    properties = (spec.returns or {}).get("properties", {})
    return set(properties) <= {"status", "success"} | set(spec.properties)


def _verbalizers(spec: ToolSpec) -> FaultTexts:
    phrases = spec.phrases
    texts = [
        (f"phrases.{key}", text, "arguments")
        for key in ("request", "question", "want", "again", "entry", "follow_up", "found")
        for text in getattr(phrases, key)
    ]
    texts += [
        (f"phrases.slots.{slot}", text, "arguments") for slot, frames in phrases.slots.items() for text in frames.frames
    ]
    for piece, text, root in texts:
        for part in parse_template(text).segments:
            if isinstance(part, Slot) and part.verbalizer and part.of == root:
                types = _types(spec.tool.parameters, part.slot)
                known = [kind for kind, names in _KINDS.items() if part.verbalizer in names]
                if known and types and not types & {*known, *(["integer"] if "number" in known else [])}:
                    yield piece, f"{part.verbalizer} cannot say a value of type {' or '.join(sorted(types))}", text


def _types(root: Any, slot: str) -> set[str]:
    found: set[str] = set()
    for branch in variants(root, schema_at(root, slot)):
        named = branch.get("type", ())
        found |= {named} if isinstance(named, str) else set(named)
        if "array" in found:
            return set()
    return found - {"null"}


def _links(spec: ToolSpec, toolbox: Toolbox) -> FaultTexts:
    """Check that both ends of a link mean the same kind of thing."""
    leaves = {leaf.slot: leaf for leaf in leaves_of(spec)}
    for link in spec.links:
        source, leaf = toolbox.get(link.tool), leaves.get(link.argument)
        if source is None or leaf is None or not is_id(leaf):
            continue
        held, given = _held_by_argument(spec, link.argument), _held_by_field(source, link.result)
        if held and given:
            if held != given:
                yield f"links.{link.argument}", f"{link.tool}#/{link.result} names one {given}, the argument one {held}"
            continue
        field = tuple(name_as_words(link.result.split("/")[-1]).split())
        noun, other = entity_of(leaf), " ".join(word for word in field if word not in word_lists()["hard_ids"])
        if (
            field
            and field[-1] in word_lists()["hard_ids"]
            and other
            and noun
            and other.split()[-1] not in noun.split()
            and noun.split()[-1] not in other.split()
        ):
            if noun.split()[-1] in _PEOPLE and other.split()[-1] in _PEOPLE:
                continue  # one person is many things
            own = Counter(name_as_words(link.result).split()) + Counter(name_as_words(source.name).split())
            if not own.keys() & set(noun.split()):
                yield (
                    f"links.{link.argument}",
                    f"{link.tool}#/{link.result} names one {other}, the argument one {noun}",
                )


def _held_by_argument(spec: ToolSpec, argument: str) -> str:
    """Return the entity whose key an argument holds, as its effect says: "the children of the page with this block_id"."""
    effect = spec.effect
    if effect is None:
        return ""
    entities = spec.declared.entities
    field = effect.by.get(argument, "")
    entity = entities.get(effect.entity)
    if entity is None or argument in effect.refers or not field:
        return effect.refers.get(argument, "")
    return entity.name if field == entity.key else references_of(entity, entities).get(field, "")


def _held_by_field(source: ToolSpec, place: str) -> str:
    """Return the entity whose key a field of a result holds."""
    effect, field = source.effect, place.rpartition("/")[2]
    leaf = schema_at(source.returns, place) or {}
    field = str(leaf.get("x-field", field)) if isinstance(leaf, dict) else field
    entities = source.declared.entities
    entity = entities.get(effect.entity) if effect is not None else None
    own = references_of(entity, entities) | {entity.key: entity.name} if entity is not None else {}
    return own.get(field, "")


_PEOPLE = frozenset(
    {
        "assignee",
        "author",
        "contact",
        "creator",
        "member",
        "owner",
        "person",
        "recipient",
        "reporter",
        "reviewer",
        "sender",
        "user",
    }
)
