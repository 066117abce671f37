"""One wish as a clause: a head ("find flights from Oslo to Rome") and what is added to it ("for two people")."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.pointers import escape, resolve, unescape
from generator.core.seeds import Draw
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.slots import Wordings
from generator.dialogue.wording.phrases.tool_phrases import Line, ToolPhrases, Values
from generator.dialogue.wording.phrases.value_wording import ReferringWords, Several
from generator.dialogue.wording.utterance import Phrase, Spans, Uses, Utterance, Whose, joined
from generator.tools.productions import key_of, production_of, spoken_name


class WordedWish(msgspec.Struct):
    """A wish, looked up for wording."""

    phrases: ToolPhrases
    """The phrases of its tool."""
    number: int
    """Its place among the wishes of the message."""
    said: dict[str, Any]
    """Arguments with the values that the user says."""
    references: dict[str, str]
    """Slots whose values are described, not said, and the words for them: "the cheapest one", "it"."""
    picked: frozenset[str] = frozenset()
    """Those of the described slots whose words single out an element of a list."""
    says_all: bool = False
    """Whether each description stands where its value would, because they are of different things."""
    unnamed: bool = False
    """Whether the user does not ask for this search: they only name what it finds, with what they want of it ("the newest one of my tax files")."""
    same: dict[str, str] = {}
    """Slots whose values were said some turns ago, and the words that refer to them: "the same day"."""


class Clause(msgspec.Struct):
    """What a person says to ask for one call (or for several that share a sentence)."""

    kind: str
    """`request` (verb phrase), `question`, `want` (noun phrase), or `again` (a request without its verb)."""
    body: Phrase
    first_person: bool
    """Whether "I'd like to …" may stand before a verb phrase."""
    looks_up: bool = False
    """Whether it asks for information only."""
    sentences: list[Phrase] = []
    """Additions that are sentences of their own."""
    trails: bool = False
    """Whether it ends with an addition after a comma, so that the sentence cannot go on with another wish."""


def ask(wanted: WordedWish, draw: Draw, voice: Voice, kinds: Sequence[str]) -> Clause:
    """Return the clause for a wish all of whose values the user says."""
    values = {**said_by_user(wanted), **{slot: ReferringWords(text) for slot, text in wanted.same.items()}}
    heads = _fitting_heads(wanted.phrases, values, kinds)
    for _ in range(_TRIES if wanted.same else 1):
        head = heads[int(draw.rand() * len(heads))]
        clause = _clause(wanted.phrases, head, values, (wanted.number,), draw, voice)
        if not wanted.same or not _TWO_ARTICLES.search(
            " ".join([text for text, *_ in (clause.body, *clause.sentences)])
        ):
            return clause
    raise CannotFillError("every way to ask has words before it that do not go with those for the same thing")


_TRIES = 8
_TWO_ARTICLES = re.compile(
    r"\b(?:the|my|a|an|our|called|named|message|email|event|mail) the same\b|\bthe same (\w+) \1\b|\b(\w+) the same \2\b",
    re.IGNORECASE,
)


# --- which heads fit ---


def fits(line: Line, phrases: ToolPhrases, values: Values) -> bool:
    """Whether all slots of a line have values that can be said where it wants them."""
    return line.needs <= values.keys() and line.says <= _sayable(phrases, values) and _says_pairs(line, values)


def _sayable(phrases: ToolPhrases, values: Values) -> frozenset[str]:
    """Return the slots whose values can stand in a phrase; a yes or no where the tool has words for both."""
    named = phrases.spec.phrases.synonyms
    return frozenset(
        [slot for slot, value in values.items() if not is_nothing(value) and (type(value) is not bool or slot in named)]
    )


def is_nothing(value: Any) -> bool:
    """Whether a value is null or an empty list."""
    return value is None or (type(value) is list and not value)


def _says_pairs(line: Line, values: Values) -> bool:
    """Whether both of each two values that a line says as one are there, and are numbers."""
    pairs = line.form.template.pairs
    return not pairs or all(type(values.get(slot)) in (int, float) for pair in pairs for slot in pair)


def _fitting_heads(phrases: ToolPhrases, values: Values, kinds: Sequence[str]) -> list[Line]:
    """Return the heads of these kinds whose slots all have sayable values; one of a kind that is named twice stands there twice."""
    here, several = _sayable(phrases, values), [slot for slot, value in values.items() if type(value) is Several]
    fitting = {
        kind: [line for line in phrases.lines(kind) if line.needs <= here and _says_pairs(line, values)]
        for kind in _HEADS
    }
    of_all = {
        kind: [line for line in lines if not any(_is_of_one(line.text, slot) for slot in several)]
        for kind, lines in fitting.items()
    }
    fitting = of_all if any(of_all.values()) else fitting
    return [line for kind in kinds for line in fitting[kind]] or [_shortest_request(phrases, values)]


_HEADS = ("request", "question", "want")


_ALIKE = {"bare": "request", "entry": "again"}
"""Kinds of lines with which a clause is of another kind: a name of a tool is a request."""


def _is_of_one(text: str, slot: str) -> bool:
    """Whether a verb or a noun in the singular stands before a slot that has several values: "what does job {job_id} say"."""
    name = re.escape(slot)
    return re.search(rf"{_BEFORE_ONE}\{{{name}\b|\{{{name}\b[^}}]*\}}{_BEHIND_ONE}", text) is not None


_BEFORE_ONE = (
    r"\b(?:(?:is|was|does|has)(?: (?!in|at|for|of|on|from|to|with|near|about|around)[a-z]+){0,2}"
    r"|(?:the|my|a) (?!in|at)[a-z]+) "
)
"""What stands before a slot of a phrase that fits one value only."""
_BEHIND_ONE = r" (?:is|was|has|does|comes|gets|leaves|looks|says|holds|belongs|costs|stands|lies|goes)\b"
"""What stands behind one."""


def _shortest_request(phrases: ToolPhrases, values: Values) -> Line:
    """Return the shortest request whose slots all have values, or the one made of the tool's name."""
    here = _sayable(phrases, values)
    requests = [line for line in phrases.lines("request") if line.needs <= here and _says_pairs(line, values)]
    return min(requests, key=lambda line: len(line.text), default=phrases.bare)


# --- clauses ---


def ask_for_list(wishes: Sequence[WordedWish], vary: str, draw: Draw, voice: Voice, kinds: Sequence[str]) -> Clause:
    """Return one clause for wishes that differ only in `vary`: "the weather in Oslo, Rome and Lima"."""
    phrases, values = wishes[0].phrases, said_by_user(wishes[0])
    values[vary] = Several([(wanted.number, resolve(wanted.said, vary)) for wanted in wishes])
    whose = tuple([wanted.number for wanted in wishes])
    return _clause(phrases, draw.choice(_fitting_heads(phrases, values, kinds)), values, whose, draw, voice)


def ask_without_verb(wanted: WordedWish, draw: Draw, voice: Voice, lines: Sequence[Line]) -> Clause | None:
    """Return a clause without its verb for a further wish for the same tool, or for a line of a list; None when no line fits."""
    values = said_by_user(wanted)
    fitting = [line for line in lines if fits(line, wanted.phrases, values)]
    if not fitting:
        return None
    line = fitting[int(draw.rand() * len(fitting))]
    return _clause(wanted.phrases, line, values, (wanted.number,), draw, voice)


def follow_up(wanted: WordedWish, draw: Draw, voice: Voice) -> Clause:
    """Return the clause for a wish some of whose values are described, not said.

    Raises:
        CannotFillError: when nobody has said how to ask for it with these values, of a tool that a model has described.
    """
    phrases, references = wanted.phrases, wanted.references
    values = said_by_user(wanted)
    described: Values = {**values, **{slot: ReferringWords(text) for slot, text in references.items()}}
    whose = (wanted.number,)
    fitting = [line for line in phrases.lines("follow_up") if fits(line, phrases, described)]
    naming = [line for line in fitting if wanted.picked & line.says] if wanted.picked else fitting
    if wanted.says_all:
        heads = naming or _fitting_heads(phrases, described, ("request",))
        return _clause(phrases, draw.choice(heads), described, whose, draw, voice)
    if naming:
        return _clause(phrases, draw.choice(naming), described, whose, draw, voice, frozenset(references))
    head = _shortest_request(phrases, values)
    if head is phrases.bare and phrases.spec.origins.get("phrases.follow_up") in ("model", "human"):
        raise CannotFillError(f"{phrases.spec.name}: no follow_up says it with {', '.join(values) or 'nothing else'}")
    clause = _clause(phrases, head, values, whose, draw, voice)
    for slot, text in list(references.items())[:1]:
        said: Spans = [(len("for "), len("for ") + len(text), "reference", "/" + slot, whose)]
        form = production_of(phrases.spec, key_of("for", slot))
        assert form is not None
        clause.body = joined(clause.body, " ", (f"for {text}", said, [(0, form, whose)]))
    return clause


def found_noun_phrase(wanted: WordedWish, draw: Draw, voice: Voice) -> Clause:
    """Return what a search finds as a noun phrase with the values of its call: "my tax files"."""
    phrases, values = wanted.phrases, said_by_user(wanted)
    *lines, last = phrases.lines("found")
    fitting = [line for line in lines if fits(line, phrases, values)] or [last]
    return _clause(phrases, draw.choice(fitting), values, (wanted.number,), draw, voice)


# --- single values ---


def add_one(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return one value in its frame ("in Rome"); None when no frame says it alone and within a sentence."""
    phrases, values = wanted.phrases, said_by_user(wanted)
    if slot in wanted.said:
        values = {slot: wanted.said[slot]}
    if phrases.clauses(slot) or is_nothing(values[slot]):
        return None
    frames = fitting_frames(phrases, slot, values, frozenset())
    within = [line for line in frames if line.says == line.needs == {slot} and not (line.is_sentence or line.joins)]
    if frames and not within:
        return None
    return said_alone(draw.choice(within) if within else phrases.fallback(slot), values, wanted, draw, voice)


def in_a_clause(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return the words that say a text or number without naming it ("because my plans have changed"); None where there are none."""
    value, phrases = wanted.said[slot], wanted.phrases
    stated = () if isinstance(value, bool) else phrases.clauses(slot)
    lines = [phrases.fixed("clause", slot, text) for known, texts in stated if known == value for text in texts]
    lines = [line for line in lines if not line.joins]
    return said_alone(draw.choice(lines), {slot: value}, wanted, draw, voice) if lines else None


def value_alone(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase:
    """Return one value without any words around it."""
    form = production_of(wanted.phrases.spec, key_of("alone", slot))
    assert form is not None
    return said_alone(Line(form, wanted.phrases.slots), said_by_user(wanted), wanted, draw, voice)


def said_alone(line: Line, values: Values, wanted: WordedWish, draw: Draw, voice: Voice) -> Phrase:
    """Return a line as a phrase of its own."""
    utterance, whose = Utterance(draw, voice), (wanted.number,)
    line.say(values, whose, utterance)
    return utterance.text, utterance.spans, [(0, line.form, whose)]


def said_by_user(wanted: WordedWish) -> Values:
    """Return the values that the user has to say of a wish by slot, without those that the schema fixes."""
    found: Values = {}
    _collect(wanted.phrases.slots, wanted.said, "", found)
    return {slot: value for slot, value in found.items() if slot not in wanted.phrases.constants}


def _collect(wordings: Wordings, value: dict[str, Any], prefix: str, found: Values) -> None:
    """Add the slots of an argument object that have values to `found`, in the order of the object."""
    for key, part in value.items():
        slot = prefix + escape(key)
        if type(part) is dict and part:
            wording = wordings.get(slot)
            if (
                wording is not None
                and wording.shape == "object"
                and all(f"{slot}/{escape(inner)}" in wordings for inner in part)
            ):
                _collect(wordings, part, slot + "/", found)
                continue
        found[slot] = part


def _clause(
    phrases: ToolPhrases,
    head: Line,
    values: Values,
    whose: Whose,
    draw: Draw,
    voice: Voice,
    unsaid: frozenset[str] = frozenset(),
) -> Clause:
    """Return a clause that begins with a head and adds all values that the head leaves to be said, but those in `unsaid`."""
    utterance = Utterance(draw, voice)
    head.say(values, whose, utterance)
    uses: Uses = [(0, head.form, whose)]
    sentences: list[Phrase] = []
    trailing: list[Line] = []
    done, kind = unsaid | head.says, _ALIKE.get(head.form.kind, head.form.kind)
    rest = [slot for slot in _slots_in_order(phrases, values) if slot not in done]
    was_with, added = False, 0
    if len(rest) > 1 and draw.rand() < 0.15 and not phrases.spec.groups:
        needed = [slot for slot in rest if slot.partition("/")[0] not in phrases.optional]
        rest = [*needed, *draw.shuffled([slot for slot in rest if slot not in needed])]
    for slot in rest:
        if slot in done:
            continue
        line = _choose_line(_ways_to_add(phrases, slot, values, done), draw, added, kind in _NO_ORDERS)
        done |= line.says
        added += not line.is_sentence
        if line.is_sentence:
            apart = Utterance(draw, voice)
            line.say(values, whose, apart)
            sentences.append((apart.text, apart.spans, [(0, line.form, whose)]))
        elif line.joins:
            trailing.append(line)
        else:
            at, is_more = len(utterance.text), was_with and line.form.is_with
            utterance.add("" if is_more else " ")
            line.say(values, whose, utterance)
            uses.append((at + 1, line.form, whose))
            was_with = line.form.is_with
            if is_more:  # " and" is as long as "with"
                utterance.text = f"{utterance.text[:at]} and{utterance.text[at + len('with') :]}"
    for line in trailing:
        uses.append((len(utterance.text), line.form, whose))
        line.say(values, whose, utterance)
    body = utterance.text, utterance.spans, uses
    return Clause(kind, body, head.is_first_person, phrases.looks_up, sentences, bool(trailing))


def _slots_in_order(phrases: ToolPhrases, values: Values) -> dict[str, None]:
    """Return the slots in the order in which they are said: those of a group one after the other."""
    groups, found = phrases.spec.groups, dict[str, None]()
    for slot in values:
        beside = map(escape, groups.beside(unescape(slot))) if groups and "/" not in slot else (slot,)
        found |= dict.fromkeys([own for own in beside if own in values])
    return found


def _ways_to_add(phrases: ToolPhrases, slot: str, values: Values, done: frozenset[str]) -> Sequence[Line]:
    """Return the lines that can add a value: the clauses for this very value if there are some, or else the frames that repeat no other."""
    nothing = words_for_nothing(phrases, slot, values[slot])
    return (
        clauses_for(phrases, slot, values[slot])
        or (nothing and [nothing])
        or fitting_frames(phrases, slot, values, done)
        or [phrases.fallback(slot)]
    )


def words_for_nothing(phrases: ToolPhrases, slot: str, value: Any) -> Line | None:
    """Return the words for a null or an empty list ("with no notes"); None for other values."""
    name = spoken_name(slot) if is_nothing(value) else ""
    return phrases.fixed("nothing" if value is None else "empty", slot, f"with no {name}") if name else None


def clauses_for(phrases: ToolPhrases, slot: str, value: Any) -> list[Line]:
    """Return the clauses that say just this value of a slot."""
    for stated, texts in phrases.clauses(slot):
        if stated == value and type(stated) is type(value):
            return [phrases.fixed("clause", slot, text) for text in texts]
    return []


def fitting_frames(phrases: ToolPhrases, slot: str, values: Values, done: frozenset[str]) -> list[Line]:
    """Return the frames of a slot that can say its value, and others that have one and are not said yet."""
    nulls = {other for other, value in values.items() if value is None}
    return [
        line
        for line in phrases.frames(slot)
        if line.needs <= values.keys() and line.says.isdisjoint(nulls | done) and _says_pairs(line, values)
    ]


def _choose_line(lines: Sequence[Line], draw: Draw, added: int, is_asked: bool) -> Line:
    """Return one of the lines: seldom one that is a sentence of its own, unless so many others are added together already.

    A question or a noun does not go on with an order: "What does it say and send it to me?".
    """
    if is_asked:
        lines = [line for line in lines if not line.is_order] or lines
    if added >= _STRUNG or (added and draw.chance(_APART_AGAIN)):
        lines = [line for line in lines if line.is_sentence] or lines
    elif not draw.chance(_APART):
        lines = [line for line in lines if not line.is_sentence] or lines
    return lines[int(draw.rand() * len(lines))]


_NO_ORDERS = frozenset({"question", "want", "again"})
_STRUNG = 2
"""Additions that one sentence has at most, where the next can be a sentence of its own."""
_APART, _APART_AGAIN = 0.06, 0.5
