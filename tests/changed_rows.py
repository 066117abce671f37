"""Finished rows to be changed, and ways to change one thing in them."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
import orjson
from generator.validation.proof.check_proof import check_proof
from generator.validation.proof.proven import surely_proven

from generator.conversation import (
    AnswerClaim,
    AssistantMessage,
    Claim,
    Conversation,
    Message,
    Proof,
    ToolCall,
    UserMessage,
    Violation,
)
from generator.pointers import put
from generator.toolbox import Toolbox

replace = msgspec.structs.replace


class Made(NamedTuple):
    """A row to be changed."""

    talk: Conversation
    proof: Proof


class Case(NamedTuple):
    """A row after a change, and what the change was."""

    change: str
    made: Made


Change = Callable[[Made], Iterator[Case]]


class Bench(NamedTuple):
    """Rows of every scenario, and the tools they were made with."""

    rows: list[Made]
    toolbox: Toolbox


def faults(made: Made, toolbox: Toolbox) -> list[Violation]:
    found = check_proof(*made, toolbox)
    assert not found or not surely_proven(*made, toolbox)
    return found


def unnoticed(bench: Bench, change: Change, code: str) -> list[str]:
    """The changes that do not break the rule; there must be changes to try."""
    cases = [case for made in bench.rows for case in change(made)]
    assert cases, "no row has what this change is about"
    return [case.change for case in cases if code not in {fault.rule for fault in faults(case.made, bench.toolbox)}]


# -- taking rows apart and putting them together again ------------------------------------------------------------


def calls_of(talk: Conversation) -> dict[str, ToolCall]:
    return {call.id: call for m in talk.messages if isinstance(m, AssistantMessage) for call in m.tool_calls}


def text_of(talk: Conversation, index: int) -> str:
    return getattr(talk.messages[index], "content", None) or ""


def user_claims(made: Made) -> list[Claim]:
    return [claim for claim in made.proof.arguments if claim.source == "user"]


def result_claims(made: Made) -> list[Claim]:
    return [claim for claim in made.proof.arguments if claim.source == "result"]


def with_message(made: Made, index: int, message: Message) -> Made:
    messages = list(made.talk.messages)
    messages[index] = message
    return made._replace(talk=replace(made.talk, messages=tuple(messages)))


def with_arguments(made: Made, call_id: str, arguments: dict[str, Any]) -> Made:
    messages = []
    for message in made.talk.messages:
        if isinstance(message, AssistantMessage) and any(call.id == call_id for call in message.tool_calls):
            calls = [replace(c, arguments=arguments) if c.id == call_id else c for c in message.tool_calls]
            message = replace(message, tool_calls=tuple(calls))
        messages.append(message)
    return made._replace(talk=replace(made.talk, messages=tuple(messages)))


def with_claim(made: Made, old: Claim, *new: Claim) -> Made:
    """The same row with other claims (or none) in place of one."""
    claims: list[Claim] = []
    for claim in made.proof.arguments:
        claims += new if claim is old else [claim]
    return made._replace(proof=replace(made.proof, arguments=tuple(claims)))


def with_answer_claim(made: Made, old: AnswerClaim, *new: AnswerClaim) -> Made:
    claims: list[AnswerClaim] = []
    for claim in made.proof.answers:
        claims += new if claim is old else [claim]
    return made._replace(proof=replace(made.proof, answers=tuple(claims)))


def with_value(made: Made, call_id: str, pointer: str, value: Any) -> Made:
    arguments = copy_of(calls_of(made.talk)[call_id].arguments)
    put(arguments, pointer, value)
    return with_arguments(made, call_id, arguments)


def with_result(made: Made, index: int, result: Any) -> Made:
    content = result if isinstance(result, str) else orjson.dumps(result).decode()
    return with_message(made, index, replace(made.talk.messages[index], content=content))


def copy_of(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))


def other_value(value: Any) -> Any:
    """A value that is not this one but looks much like it."""
    if value is None or value == "":
        return "x"
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        last = value[-1]
        return value[:-1] + ("7" if last == "5" else "5" if last.isdigit() else "a" if last != "a" else "b")
    return [*value, "x"] if isinstance(value, list) else {**value, "x": 1}


def spliced(made: Made, index: int, at: int, cut: int, text: str) -> Made:
    """Other text in a message, with all spans that stand after it moved along: what the words say is what changes."""

    said_by_user = isinstance(made.talk.messages[index], UserMessage)

    def moved(claim: Any) -> Any:
        # the words for an element ("the cheapest one") are the user's, although the claim is about a result
        is_here = said_by_user if getattr(claim, "source", "") == "result" else claim.message == index
        if not is_here or claim.start is None:
            return claim
        shift = len(text) - cut
        start = claim.start + shift if claim.start >= at + cut else claim.start
        end = claim.end + shift if claim.end >= at + cut else claim.end
        return replace(claim, start=start, end=end)

    content = text_of(made.talk, index)
    changed = with_message(made, index, replace(made.talk.messages[index], content=content[:at] + text + content[at + cut :]))
    return changed._replace(
        proof=Proof(
            arguments=tuple(moved(claim) for claim in made.proof.arguments),
            answers=tuple(moved(claim) for claim in made.proof.answers),
        )
    )


def glued(made: Made, index: int, start: int, end: int) -> Iterator[tuple[str, int, str]]:
    """(what, where, text) that makes another word or number of a span without touching it."""
    content = text_of(made.talk, index)
    if content[start].isdigit():
        yield from (("before", start, text) for text in ("1", "-", "1.", "1,", "x"))
    elif content[start].isalpha():
        yield from (("before", start, text) for text in ("un", "1"))
    if content[end - 1].isdigit():
        yield from (("after", end, text) for text in ("0", ".5", ",000", "x"))
    elif content[end - 1].isalpha():
        yield from (("after", end, text) for text in ("burg", "1"))


def glue(made: Made, claim: Claim | AnswerClaim, at: int, text: str) -> Made:
    """`spliced`, but the span of this claim stays as it is when the text stands right after it."""
    changed = spliced(made, claim.message, at, 0, text)
    is_answer = isinstance(claim, AnswerClaim)
    before = made.proof.answers if is_answer else made.proof.arguments
    after = changed.proof.answers if is_answer else changed.proof.arguments
    kept = [
        replace(new, end=new.start + (old.end - old.start)) if old.message == claim.message and old.end == at else new
        for old, new in zip(before, after, strict=True)
    ]
    field = "answers" if is_answer else "arguments"
    return changed._replace(proof=replace(changed.proof, **{field: tuple(kept)}))
