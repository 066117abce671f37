"""Reason: why the user asks for it, in a sentence beside the request ("I'm about to go for a run.").

A tool file has the sentences, as texts with choices, in its table `reasons`: tool → lines. They hold no value that a call could take.
"""

import re
from collections.abc import Iterator

from generator.connectives import FURTHER, GREETINGS, SWITCHING, THANKS
from generator.conversation import TellClaim, UserMessage
from generator.planning import Say
from generator.toolbox import ToolSpec, once_per_tool
from generator.validation.proof.ledger import Act, Sentence
from generator.wording.pieces import Pieces
from generator.wording.transcript import Transcript

TABLE = "reasons"


# --- saying ---


def drawn(talk: Transcript, event: Say) -> str:
    """Return a reason for what is asked for first, if this user gives one; an empty text otherwise."""
    asked = [wish for wish in event.wishes if not wish.demanded]  # what a policy adds changes no word of the user
    place = (event.id, 0)
    if not 0 < len(asked) <= _MOST or not (talk.calls.get(place) or place in talk.unmade):
        return ""
    table = talk.books[event.wishes[0].tool].spec.declared.tables.get(TABLE)
    grammar = None if table is None else table.texts.get(event.wishes[0].tool)
    if grammar is None or not talk.explains or not talk.draw.chance(_GIVEN):
        return ""
    text: str = grammar.text(talk.draw.below(grammar.count))
    is_new = text not in talk.given_reasons
    talk.given_reasons.add(text)
    return text if is_new else ""


def note(talk: Transcript, event: Say, pieces: Pieces, text: str) -> str:
    """Return the text of a request with a reason before or behind it, and note where everything stands."""
    call = talk.call_for((event.id, 0))
    is_list = any(isinstance(piece, str) and piece[:1] == "\n" for piece in pieces)
    is_begun = isinstance(pieces[0], str) and pieces[0] in (*GREETINGS, *FURTHER, *SWITCHING)
    can_lead = not is_begun and not _PRONOUN.search(text)
    if is_list and not can_lead:  # nothing can stand behind a list
        return talk.note_spans(event, pieces)
    is_first = not any(type(message) is UserMessage for message in talk.messages)
    if can_lead and (is_list or (is_first and talk.draw.chance(_BEFORE))):
        talk.tells.append(TellClaim(len(talk.messages), 0, len(text), call, "reason"))
        return talk.note_spans(event, [f"{text} ", *pieces])
    if pieces[-1] in THANKS:
        del pieces[-2:]
    return talk.say_further(talk.note_spans(event, pieces), (text, [], []), call, "reason")


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
    pattern = _pattern(sentence.made.spec)
    if pattern is not None and pattern.fullmatch(sentence.text):
        yield sentence.text


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
    return f"(?:{''.join(found)})"


def _faults(sentence: Sentence) -> Iterator[str]:
    if sentence.made.asked_at != sentence.index:
        yield "it is no reason for what is asked for there"
    if len([one for one in sentence.ledger.spoken("reason") if one.index == sentence.index]) > 1:
        yield "two reasons are given"


ACTS = (Act("reason", "user", "PF138", _forms, _faults),)
