"""Reason: why the user asks for it, in a sentence beside the request ("I'm about to go for a run.").

A tool file has the sentences, as texts with choices, in its table `reasons`: tool → lines. A line that does not go with all values of
the tool begins with a condition in parentheses, an expression over the arguments of the call (one that is not given is null):
`(level <= 30) The baby is asleep.`. The sentences hold no value that a call could take. Reasons are given whether or not a call
follows: of requests that are declined or refused, too.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from generator.core.claims import TellClaim
from generator.core.connectives import CONNECTIVES
from generator.core.conversation import UserMessage
from generator.core.documents import nearest, read_document
from generator.core.errors import SpecError
from generator.core.planning import Decline, Say, Step
from generator.core.toolbox import Toolbox, ToolSpec, once_per_tool
from generator.dialogue.proof.ledger import Act, Sentence
from generator.dialogue.wording.requests import has_lines, without_thanks
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import Phrase, joined
from generator.world.expressions import FAULTS, Expression, ReadableNames, compile_expression

TABLE = "reasons"


# --- the table ---


class _Line(msgspec.Struct, frozen=True):
    """A line of the table: its texts, and for which calls it holds."""

    texts: re.Pattern[str]
    holds: Expression | None


class _GivenArguments(ReadableNames):
    """The arguments of a call, with null for those that are not given."""

    def __missing__(self, name: str) -> None:
        return None


def _holds(line: _Line, arguments: Mapping[str, Any]) -> bool:
    """Whether the condition of a line, if it has one, holds for the arguments of a call."""
    try:
        return line.holds is None or bool(line.holds(_GivenArguments(arguments)))
    except FAULTS:
        return False


@once_per_tool
def _lines(spec: ToolSpec) -> list[_Line]:
    """Return the lines that the table of a tool's file has for it."""
    return [_Line(_pattern(_CONDITION.sub("", line)), _condition(line)) for line in _lines_in_file(spec)]


def _lines_in_file(spec: ToolSpec) -> tuple[str, ...]:
    """Return these lines as they are written."""
    table = spec.declared.tables.get(TABLE)
    return () if table is None or spec.name not in table.texts else table.texts[spec.name].lines


def _condition(line: str) -> Expression | None:
    """Return the condition with which a line begins; None where it has none."""
    stated = _CONDITION.match(line)
    return compile_expression(stated[1])[0] if stated else None


def check_reasons(toolbox: Toolbox) -> None:
    """Raise SpecError for a condition that is no expression over the arguments of its tool."""
    for spec in toolbox.values():
        for at, line in enumerate(_lines_in_file(spec)):
            fault = _fault_of_condition(line, spec) if line.startswith("(") else ""
            if fault:
                document = read_document(Path(spec.declared.tables[TABLE].file), SpecError)
                raise SpecError(f"{document.at((spec.name, at))}: {line!r}: {fault}")


def _fault_of_condition(line: str, spec: ToolSpec) -> str:
    """Return why a line does not begin with a condition over the arguments of the tool; an empty text where it does."""
    stated = _CONDITION.match(line)
    if stated is None:
        return "behind the condition stand a space and a sentence that begins with a capital"
    try:
        reads = compile_expression(stated[1])[1]
    except ValueError as wrong:
        return str(wrong)
    unknown = reads.properties - spec.properties.keys()
    if unknown:
        return f"{spec.name} has no argument {min(unknown)!r}{nearest(min(unknown), spec.properties)}"
    dotted = min(reads.arguments, default="")
    return f"arguments stand here by their names alone: {dotted}, not args.{dotted}" if dotted else ""


def _pattern(line: str) -> re.Pattern[str]:
    """Return an expression for all texts of a line."""
    parts = re.split(r"\{([^{}]*)\}", line)
    found = [
        f"(?:{'|'.join(map(re.escape, part.split('|')))})" if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    ]
    return re.compile("".join(found))


_CONDITION = re.compile(r"\((.*?)\) (?=[A-Z{])")


# --- saying ---


def draw_reason(talk: Transcript, event: Say) -> str:
    """Return a reason for what is asked for first, if this user gives one; an empty text otherwise."""
    asked = [wish for wish in event.wishes if not wish.demanded]  # what a policy adds changes no word of the user
    if not 0 < len(asked) <= _MOST or event.wishes[0].unnamed or not _call_asked_for(talk, event):
        return ""
    spec = talk.phrases[event.wishes[0].tool].spec
    if any(not _TELLS_WHY.isdisjoint(talk.phrases[wish.tool].spec.properties) for wish in asked):
        return ""
    table = spec.declared.tables.get(TABLE)
    grammar = None if table is None else table.texts.get(spec.name)
    if grammar is None or not talk.explains or not talk.draw.chance(_GIVEN):
        return ""
    if spec.domain in talk.explained:  # two reasons for one journey could contradict each other
        return ""
    talk.explained.add(spec.domain)
    for _ in range(_TRIES):
        stated = grammar.text(talk.draw.below(grammar.count))
        text = _CONDITION.sub("", stated)
        if (len(asked) == 1 or not _OF_ONE.search(stated)) and (
            stated == text or _holds_for_request(talk, event, text)
        ):
            return text
    return ""


def _holds_for_request(talk: Transcript, event: Say, text: str) -> bool:
    """Whether a line that has the text holds for what the request says, and for the only call that serves it."""
    said, served = event.wishes[0].said, talk.calls.get((event.id, 0), [])
    taken = [
        made.arguments
        for step in (talk.log.events if served else ())
        if isinstance(step, Step)
        for made in step.made
        if made.id == served[0][0]
    ]
    lines = [line for line in _lines(talk.phrases[event.wishes[0].tool].spec) if line.texts.fullmatch(text)]
    return len(served) < 2 and any(all(_holds(line, given) for given in (said, *taken)) for line in lines)


def _call_asked_for(talk: Transcript, event: Say) -> str:
    """Return the name of the call that the first wish is for, or would be for; an empty text where claims have none."""
    place = (event.id, 0)
    if talk.calls.get(place) or place in talk.unmade:
        return talk.call_for(place)
    is_declined = any(isinstance(one, Decline) and one.wish == place for one in talk.log.events)
    return f"{talk.said_at[event.id]}:{event.wishes[0].tool}" if is_declined else ""


def say_with_request(talk: Transcript, event: Say, phrase: Phrase, text: str) -> str:
    """Return the text of a request with a reason before or behind it, and note where everything stands."""
    call = _call_asked_for(talk, event)
    is_begun = phrase[0].startswith((*CONNECTIVES.greetings, *CONNECTIVES.further))
    can_lead = not is_begun and not _PRONOUN.search(text)
    must_lead = has_lines(phrase) or len({wish.tool for wish in event.wishes}) > 1  # behind, it is of the last thing
    if must_lead and not can_lead:
        return talk.note_spans(event, phrase)
    is_first = not any(type(message) is UserMessage for message in talk.messages)
    if must_lead or (can_lead and is_first and talk.draw.chance(_BEFORE)):
        talk.tells.append(TellClaim(len(talk.messages), 0, len(text), call, "reason"))
        return talk.note_spans(event, joined(f"{text} ", phrase))
    return talk.say_further(talk.note_spans(event, without_thanks(phrase)), (text, [], []), call, "reason")


_TELLS_WHY = frozenset({"reason", "message", "explanation"})
"""Arguments that are reasons themselves: who is asked for one, or gives one there, gives no second one."""
_TRIES = 6
"""Reasons that are drawn until one holds."""
_PRONOUN = re.compile(
    r"\b(?:it|its|them|they|their|this|that|these|those|one|ones|mine|there|she|he|her|him)\b", re.IGNORECASE
)
"""Words that stand for what the request names: a sentence with one stands behind it."""
_OF_ONE = re.compile(rf"{_CONDITION.pattern}|\b(?:it|there|the place|that day)\b", re.IGNORECASE)
"""What only a reason for one thing has: a condition on its values, or a word that stands for one of them."""
_MOST = 2
"""Things that are asked for at once for one reason."""
_GIVEN, _BEFORE = 0.75, 0.35
"""How often a user who gives reasons gives one, and how often before the request."""


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence if the table of the tool's file has it."""
    if any(line.texts.fullmatch(sentence.text) for line in _lines(sentence.made.spec)):
        yield sentence.text


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why a reason does not go with the call, or is not given with its request."""
    made = sentence.made
    lines = [line for line in _lines(made.spec) if line.texts.fullmatch(sentence.text)]
    if made.arguments is not None and not any(_holds(line, made.arguments) for line in lines):
        yield "it does not go with the values of the call"
    if made.asked_at != sentence.index:
        yield "it is no reason for what is asked for there"
    if len([one for one in sentence.ledger.spoken("reason") if one.index == sentence.index]) > 1:
        yield "two reasons are given"


ACTS = (Act("reason", "user", "PF138", _forms, _faults),)
