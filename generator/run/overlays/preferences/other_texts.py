"""Texts in place of what the assistant did: a question too many, values that no result holds, answers too early."""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.claims import AnswerClaim, AskClaim
from generator.core.conversation import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    results_before,
)
from generator.core.pointers import parts_of_object, resolve, schema_at
from generator.core.seeds import stream_seed
from generator.core.toolbox import ToolSpec
from generator.dialogue.acts.ask import question
from generator.dialogue.acts.rejected import Continuation
from generator.dialogue.values.say import VERBALIZERS
from generator.dialogue.wording.answers import ReportedCall, word_answer
from generator.formats.defects import others
from generator.run.overlays.preferences.finished_row import FinishedRow, answer, results, say
from generator.scenarios.affordances.links import is_single


def question_instead_of_call(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield questions for a value that the user has said."""
    tools = {call.id: row.prepared.toolbox[call.name] for call in row.message(at).tool_calls}
    said = [claim for claim in row.proof.arguments if claim.source == "user" and claim.call_id in tools]
    for claim in row.draw.shuffled([claim for claim in said if _can_be_asked_for(tools[claim.call_id], claim.pointer)]):
        text, start = question(tools[claim.call_id], claim.pointer.removeprefix("/"), row.draw)
        ask = AskClaim(at, start, len(text), claim.call_id, claim.pointer)
        yield Continuation(message=AssistantMessage(text), asks=(ask,))


def _can_be_asked_for(spec: ToolSpec, pointer: str) -> bool:
    """Whether there are words to ask for an argument: the tool's own, or those made of its name, as for any value that is needed."""
    slot = pointer.removeprefix("/")
    properties, required = parts_of_object(spec.tool.parameters)
    is_named = slot in properties and is_single(properties[slot]) and properties[slot].get("type") != "boolean"
    return slot in spec.phrases.ask or (is_named and slot in required)


def unfounded_claim(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the answer with another value in place of one that a result holds."""
    content = row.message(at).content or ""
    own = [claim for claim in row.proof.answers if claim.message == at]
    if row.message(at).tool_calls or not own:
        return
    known, voices = results(row, at), row.voices()
    for claim in row.draw.shuffled(
        [claim for claim in own if claim.of == "result" and claim.verbalizer in VERBALIZERS]
    ):
        call, result = known.get(claim.call_id, (None, None))
        if call is None:
            continue
        words = content[claim.start : claim.end]
        for right, value in _other_values(row, call, result, claim):
            voice = next((voice for voice in voices if say(claim.verbalizer, right, voice) == words), voices[0])
            said = say(claim.verbalizer, value, voice)
            if said and said.casefold() != words.casefold():
                yield _reworded(at, content, own, claim, said)


def _other_values(row: FinishedRow, call: ToolCall, result: Any, claim: AnswerClaim) -> Iterator[tuple[Any, Any]]:
    """Yield the value that a call returned with each value that it returns in other worlds, and with values near it."""
    try:
        value = resolve(result, claim.pointer)
    except LookupError:
        return
    for salt in range(3):
        other = answer(row, call, at=None, salt=stream_seed(row.salt, "other", salt))
        try:
            found = resolve(other, claim.pointer)
        except LookupError:
            continue
        if (
            type(found) is type(value)
            and found != value
            and not isinstance(found, list | dict)
            and _is_as_many(value, found)
        ):
            yield value, found
    if isinstance(value, float):
        digits = len(str(value).partition(".")[2])
        yield value, round(value * row.draw.choice((0.8, 0.9, 1.1, 1.2)), digits)
    schema = schema_at(row.prepared.toolbox[call.name].returns, claim.pointer) or {}
    if not isinstance(value, str) or schema.keys() & {
        "enum",
        "format",
    }:  # a title without its last word is no other title
        step = next((step for step in (15, 10, 5) if isinstance(value, int) and value > step and value % step == 0), 1)
        yield from [
            (value, other) for other in others(value, {"multipleOf": step, **schema}) if _is_as_many(value, other)
        ]


def _is_as_many(value: Any, other: Any) -> bool:
    """Whether words in the singular or plural beside one value are right beside another, too."""
    return not isinstance(value, int | float) or (value == 1) == (other == 1)


def _reworded(at: int, content: str, own: list[AnswerClaim], claim: AnswerClaim, said: str) -> Continuation:
    """Return a text with other words in place of a claimed span; the claims after it move."""
    more = len(said) - (claim.end - claim.start)
    moved = [
        msgspec.structs.replace(one, end=one.end + more) if one is claim
        else msgspec.structs.replace(one, start=one.start + more, end=one.end + more) if one.start >= claim.end
        else one
        for one in own
    ]  # fmt: skip
    text = content[: claim.start] + said + content[claim.end :]
    return Continuation(message=AssistantMessage(text), answers=tuple(moved))


def early_stop(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer about what has been found so far, in place of calls."""
    told = _told_in_turn(row, at)
    if row.message(at).tool_calls and told:
        yield _answered(row, at, told)


def ignored_error(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer that reports a result for a call that has just failed."""
    failed = [m for m in results_before(row.conversation.messages, at) if m.is_error]
    calls = {
        call.id: call
        for m in row.conversation.messages[:at]
        if isinstance(m, AssistantMessage)
        for call in m.tool_calls
    }
    told = _told_in_turn(row, at)
    for message in failed:
        call = calls[message.tool_call_id]
        for made, result in _would_be(row, call, at):
            told.append(ReportedCall(row.prepared.books[call.name], msgspec.structs.replace(made, id=call.id), result))
            break
    if failed and len(told) >= len(failed):
        yield _answered(row, at, told)


def _would_be(row: FinishedRow, call: ToolCall, at: int) -> Iterator[tuple[ToolCall, Any]]:
    """Yield what a failed call might have returned in a world where it does not fail."""
    result = answer(row, call, at=at, salt=row.salt)
    if result is not None:
        yield call, result


def _answered(row: FinishedRow, at: int, told: list[ReportedCall]) -> Continuation:
    """Return an answer that reports the results of calls."""
    answers: list[AnswerClaim] = []
    text = ""
    for piece in word_answer(told, row.draw, row.voices()[0]):
        if isinstance(piece, str):
            text += piece
            continue
        for start, end, verbalizer, pointer, (told_id, of) in piece[1]:
            answers.append(AnswerClaim(at, len(text) + start, len(text) + end, verbalizer, told_id, of, pointer))
        text += piece[0]
    return Continuation(message=AssistantMessage(text), answers=tuple(answers))


def _told_in_turn(row: FinishedRow, at: int) -> list[ReportedCall]:
    """Return the calls since the user's last message that succeeded."""
    messages = row.conversation.messages
    begin = max([place for place in range(at) if isinstance(messages[place], UserMessage)], default=0)
    failed = {m.tool_call_id for m in messages[:at] if isinstance(m, ToolMessage) and m.is_error}
    own = {call.id for m in messages[begin:at] if isinstance(m, AssistantMessage) for call in m.tool_calls}
    known = results(row, at)
    return [ReportedCall(row.prepared.books[known[one][0].name], *known[one]) for one in known if one in own - failed]
