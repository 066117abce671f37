"""Reason: why the user asks for it, in a sentence beside the request ("I'm about to go for a run.").

A tool file has the sentences, as texts with choices, in its table `reasons`: tool → lines. `[date]` stands for an argument of the
request, which the sentence says, too: "It's our anniversary on 4 May." They hold no other value that a call could take. Reasons are
given whether or not a call follows: of requests that are declined or refused, too.
"""

import re
from collections.abc import Iterator

from generator.acts.listing import with_slots
from generator.acts.rule import value_in_words
from generator.claims import AnswerClaim, TellClaim
from generator.conversation import UserMessage
from generator.planning import Decline, Say, Step
from generator.toolbox import ToolSpec, once_per_tool
from generator.validation.proof.ledger import Act, Sentence
from generator.wording.pieces import Phrase, Pieces, Spans
from generator.wording.transcript import Transcript

TABLE = "reasons"


# --- saying ---


def drawn(talk: Transcript, event: Say) -> str:
    """Return a reason for what is asked for first, if this user gives one, with arguments in brackets; an empty text otherwise."""
    asked = [wish for wish in event.wishes if not wish.demanded]  # what a policy adds changes no word of the user
    if not 0 < len(asked) <= _MOST or not _name(talk, event):
        return ""
    if any(not _TELLS_WHY.isdisjoint(talk.books[wish.tool].spec.properties) for wish in asked):
        return ""
    table = talk.books[event.wishes[0].tool].spec.declared.tables.get(TABLE)
    grammar = None if table is None else table.texts.get(event.wishes[0].tool)
    if grammar is None or not talk.explains or not talk.draw.chance(_GIVEN):
        return ""
    domain = talk.books[event.wishes[0].tool].spec.domain
    if domain in talk.explained:  # two reasons for one journey could contradict each other
        return ""
    talk.explained.add(domain)
    texts = [grammar.text(talk.draw.below(grammar.count)) for _ in range(_TRIES)]
    known = _sayable(talk, event)
    fitting = [text for text in texts if all(slot in known for slot in _SLOT.findall(text))]
    return next((text for text in fitting if "[" in text), fitting[0] if fitting else "")


def _name(talk: Transcript, event: Say) -> str:
    """Return the name of the call that the first wish is for, or would be for; an empty text where claims have none."""
    place = (event.id, 0)
    if talk.calls.get(place) or place in talk.unmade:
        return talk.call_for(place)
    is_declined = any(isinstance(one, Decline) and one.wish == place for one in talk.log.events)
    return f"{talk.said_at[event.id]}:{event.wishes[0].tool}" if is_declined else ""


def _sayable(talk: Transcript, event: Say) -> set[str]:
    """Return the arguments that a reason may say: those that the request says, and the only call that serves it takes, or would take."""
    said = event.wishes[0].said
    served = talk.calls.get((event.id, 0), [])
    if len(served) > 1:
        return set()
    taken = said
    for step in talk.log.events if served else ():
        if isinstance(step, Step):
            taken = next((made.arguments for made in step.made if made.id == served[0][0]), taken)
    return {slot for slot, value in said.items() if type(value) is str and taken.get(slot) == value}


def note(talk: Transcript, event: Say, pieces: Pieces, text: str) -> str:
    """Return the text of a request with a reason before or behind it, and note where everything stands."""
    call, phrase, words = _name(talk, event), _worded(talk, event, text), talk.voice.words
    is_list = any(isinstance(piece, str) and piece[:1] == "\n" for piece in pieces)
    is_begun = isinstance(pieces[0], str) and pieces[0] in (*words.greetings, *words.further, *words.switching)
    can_lead = not is_begun and not _PRONOUN.search(text)
    if phrase is None or (is_list and not can_lead):  # nothing can stand behind a list
        return talk.note_spans(event, pieces)
    is_first = not any(type(message) is UserMessage for message in talk.messages)
    if can_lead and (is_list or (is_first and talk.draw.chance(_BEFORE))):
        talk.tells.append(TellClaim(len(talk.messages), 0, len(phrase[0]), call, "reason"))
        _claim(talk, phrase, 0)
        return talk.note_spans(event, [f"{phrase[0]} ", *pieces])
    if pieces[-1] in words.thanks:
        del pieces[-2:]
    request = talk.note_spans(event, pieces)
    _claim(talk, phrase, len(request) + 1)
    return talk.say_further(request, phrase, call, "reason")


def _worded(talk: Transcript, event: Say, text: str) -> Phrase | None:
    """Return the words of a reason with the arguments that it says; None where there is no way to say one."""
    spec, call = talk.books[event.wishes[0].tool].spec, _name(talk, event)
    words, spans, at = "", Spans(), 0
    for slot in _SLOT.finditer(text):
        words += text[at : slot.start()]
        said = value_in_words(spec, f"/{slot[1]}", "arguments", event.wishes[0].said[slot[1]], talk.voice)
        if said is None:
            return None
        spans.append((len(words), len(words) + len(said[0]), said[1], f"/{slot[1]}", (call, "arguments")))
        words += said[0]
        at = slot.end()
    return words + text[at:], spans, []


def _claim(talk: Transcript, phrase: Phrase, at: int) -> None:
    for start, end, verbalizer, pointer, (call, of) in phrase[1]:
        talk.answers.append(AnswerClaim(len(talk.messages), at + start, at + end, verbalizer, call, of, pointer))


_TELLS_WHY = frozenset({"reason", "message", "explanation"})
"""Arguments that are reasons themselves: who is asked for one, or gives one there, gives no second one."""
_SLOT = re.compile(r"\[(\w+)\]")
_TRIES = 6
"""Reasons of which the first one is given that says only what the request says."""
_PRONOUN = re.compile(
    r"\b(?:it|its|them|they|their|this|that|these|those|one|ones|mine|there|she|he|her|him)\b", re.IGNORECASE
)
"""Words that stand for what the request names: a sentence with one stands behind it."""
_MOST = 2
"""Things that are asked for at once for one reason."""
_GIVEN, _BEFORE = 0.75, 0.35
"""How often a user who gives reasons gives one, and how often before the request."""


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence if the table of the tool's file has it."""
    pattern, text = _pattern(sentence.made.spec), with_slots(sentence)
    if pattern is not None and pattern.fullmatch(text):
        yield text


def _pattern(spec: ToolSpec) -> re.Pattern[str] | None:
    known = _patterns(spec)
    if not known:
        table = spec.declared.tables.get(TABLE)
        lines = [] if table is None or spec.name not in table.texts else table.texts[spec.name].lines
        known.append(re.compile("|".join(map(_as_pattern, lines))) if lines else None)
    return known[0]


@once_per_tool
def _patterns(spec: ToolSpec) -> list[re.Pattern[str] | None]:
    return []


def _as_pattern(line: str) -> str:
    """Return an expression for all texts of a line."""
    parts = re.split(r"\{([^{}]*)\}", line)
    found = [
        f"(?:{'|'.join(map(re.escape, part.split('|')))})" if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    ]
    return re.sub(r"\\\[(\w+)\\\]", r"\\{args\.\1\\}", f"(?:{''.join(found)})")


def _faults(sentence: Sentence) -> Iterator[str]:
    if sentence.made.asked_at != sentence.index:
        yield "it is no reason for what is asked for there"
    if len([one for one in sentence.ledger.spoken("reason") if one.index == sentence.index]) > 1:
        yield "two reasons are given"


ACTS = (Act("reason", "user", "PF138", _forms, _faults, claims=True),)
