"""Refuse: the user gives a value that breaks the tool's schema, and the assistant says what is accepted."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from generator.core.claims import RetractedClaim
from generator.core.planning import Ask
from generator.core.pointers import schema_at
from generator.core.yaml_values import own_data
from generator.dialogue.no_call.talk import as_list_in_words
from generator.dialogue.proof.ledger import Act, Ledger, Sentence
from generator.dialogue.proof.spans import Read, verbalization
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.texts import enum_forms
from generator.dialogue.values.voice import SpanContext
from generator.dialogue.wording.transcript import Transcript
from generator.formats.rules import UnusableSchema, accepts, compiled

_FORMS: dict[str, Any] = own_data(__file__)


def _forms_for(value: Any, schema: dict[str, Any]) -> list[str]:
    """Return what may be said in answer to a value that a schema does not accept, with `{options}`, `{low}` and `{high}`."""
    if "enum" in schema:
        return list(_FORMS["choice"])
    beyond = "more" if value > schema["maximum"] else "less"
    return [*_FORMS["number"], *_FORMS[beyond]]


# --- saying ---


def tell(talk: Transcript, event: Ask) -> None:
    """Add what the tool accepts ("The most I can do is 4 hours."), and note where the user has said a value that it does not accept.

    Limits are said with the verbalizer with which the user has said the value.
    """
    wish, call, pointer = talk.wish_at(event.wish), talk.call_for(event.wish), "/" + event.slot
    user_spans = [spot for spot in talk.spots[event.wish] if spot[0] == pointer]
    verbalizer, refused_value = user_spans[0][3] if user_spans else "number", wish.said[event.slot]
    spec = talk.phrases[wish.tool].spec
    schema = schema_at(spec.tool.parameters, event.slot) or {}
    if "enum" in schema:
        option_words = enum_forms(schema["enum"], spec.phrases.synonyms.get(event.slot, ()))
        facts = {"options": as_list_in_words([option_words[value][0] for value in schema["enum"]], "or")}
    else:
        limits = {"low": schema["minimum"], "high": schema["maximum"]}
        facts = {
            name: VERBALIZERS[verbalizer].say(limit, talk.answering)
            or str(VERBALIZERS["number"].say(limit, talk.answering))
            for name, limit in limits.items()
        }
    talk.tell_apart((talk.draw.choice(_forms_for(refused_value, schema)).format(**facts), [], []), call, "refused")
    for _, start, end, verbalizer in user_spans:
        talk.retracted.append(RetractedClaim(talk.said_at[event.wish[0]], start, end, verbalizer, call, pointer))


# --- checking ---


def note(ledger: Ledger) -> None:
    """Note where the user says a value that is refused."""
    for sentence in ledger.spoken("refused"):
        claim = _refused_value(sentence)
        if claim is not None and ledger.note_former(claim, sentence.made) is None:
            ledger.report("PF125", sentence.at, "the words that it refuses say something else")


def _refused_value(sentence: Sentence) -> RetractedClaim | None:
    """Return what is claimed of the value that the user gives in the message before."""
    made, ledger = sentence.made, sentence.ledger
    claims = [claim for claim in ledger.proof.retracted if claim.call_id == made.id]
    is_before = len(claims) == 1 and claims[0].message == made.asked_at == sentence.index - 1
    return claims[0] if is_before and made.asked_at in ledger.parts else None


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why a value is wrongly refused."""
    claim, made, ledger = _refused_value(sentence), sentence.made, sentence.ledger
    if claim is None:
        yield "the user does not give just one value in the message before, in this text"
        return
    asked = [(ask.message, ask.call_id, ask.pointer) for ask in ledger.proof.asks]
    if (sentence.index, made.id, claim.pointer) not in asked:
        yield "nobody is asked for another value"
    read = verbalization(made.spec, "arguments", claim.pointer, claim.verbalizer).read
    schema = schema_at(made.spec.tool.parameters, claim.pointer)
    if schema is None or isinstance(compiled(schema), UnusableSchema):
        yield "the tool accepts anything there"
        return
    yield from _faults_of_value(sentence, claim, schema, read)


def _faults_of_value(sentence: Sentence, claim: RetractedClaim, schema: dict[str, Any], read: Read) -> Iterator[str]:
    """Yield why a schema does not refuse the value, or accepts something else than what is said."""
    content = sentence.ledger.contents[claim.message]
    value = _value_of(content[max(claim.start, 0) : claim.end], read, sentence.ledger)
    if not ("enum" in schema or {"minimum", "maximum"} <= schema.keys()):
        yield "the tool sets no such limits"
    elif accepts(schema, value):
        yield "the tool accepts what the user says"
    elif not sentence.made.is_unmade:
        yield "the call is made all the same"
    elif "enum" in schema:
        yield from _choice_faults(sentence, schema, claim.pointer)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        yield "the user says no number"
    else:
        yield from _limit_faults(sentence, value, schema, read)


def _value_of(words: str, read: Read, ledger: Ledger) -> Any:
    """Return the value that words say; the words themselves if they say none."""
    try:
        return read(words, ledger.today)
    except ValueError:
        return words


def _choice_faults(sentence: Sentence, schema: dict[str, Any], pointer: str) -> Iterator[str]:
    """Yield that a sentence names other choices ("Only small, medium or large.") than the enum of a schema."""
    reading = SpanContext(None, schema, sentence.made.spec.phrases.synonyms.get(pointer.removeprefix("/"), ()))
    options = next((said["options"] for said in _placeholders_in(sentence.text, _FORMS["choice"])), "")
    try:
        values = [VERBALIZERS["enum"].read(part, reading) for part in re.split(r", | or ", options)]
    except ValueError:
        values = []
    if values != schema["enum"]:
        yield "these are not the choices that there are"


def _limit_faults(sentence: Sentence, value: float, schema: dict[str, Any], read: Read) -> Iterator[str]:
    """Yield why a sentence ("The most I can do is 4 hours.") does not name the limits of a schema that a value breaks."""
    found = _placeholders_in(sentence.text, _forms_for(value, schema))
    if not found:
        yield "it does not say what is accepted"
    limits = {"low": schema["minimum"], "high": schema["maximum"]}
    for name, words in found[0].items() if found else ():
        # as a number, or as the words for the refused value are read
        meanings = {_value_of(words, read, sentence.ledger)}
        with suppress(ValueError):
            meanings.add(VERBALIZERS["number"].read(words, SpanContext(None, {"type": "number"}, ())))
        if limits[name] not in meanings:
            yield f"the {name} bound is another one"


def _placeholders_in(text: str, forms: list[str]) -> list[dict[str, str]]:
    """Return what a text says for the placeholders of each form that it is made of."""
    patterns = [re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(form)) for form in forms]
    return [match.groupdict() for match in [re.fullmatch(pattern, text) for pattern in patterns] if match is not None]


ACTS = (
    # its words are read where its facts are checked, whoever has written them
    Act("refused", "assistant", "PF125", lambda sentence: (sentence.text,), _faults),
)
