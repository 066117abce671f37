"""Whether phrases can mean what they stand for: clauses, picks, units, states, things, and the way a value goes.

Only what words alone tell is looked for here. Readers look for the rest (generator/run/authoring/readers/reading.py).
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from generator.core.pointers import schema_at
from generator.core.templates import Slot, Template, parse_template
from generator.core.toolbox import ToolSpec, fields_written, name_as_words
from generator.tools.describing.lexicon import split_list, verbs
from generator.tools.describing.meaning_words import FaultTexts, any_of, known_words, stem, stems, words_of


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
    if is_span and down and down[0].lower() == "slowest":
        return "max"
    return "min" if down else "max" if up else ""


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
