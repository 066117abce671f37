"""What is wrong with a continuation that preference data rejects, found by the checker of rows.

Nothing here knows how the continuation was made. The beginning of the conversation is checked with the right message, which must
leave nothing to find, and with the rejected one in its place; the defect is told from what is found then, from the schemas,
and from which calls of the conversation are made.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from generator.conversation import (
    AnswerClaim,
    AskClaim,
    AssistantMessage,
    Claim,
    Conversation,
    Proof,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.toolbox import Toolbox
from generator.validation.proof.check import check_row
from generator.validation.proof.ledger import Finding
from generator.validation.schemas import UnusableSchema, compiled
from generator.values import differing, same


class Continuation(msgspec.Struct, frozen=True, kw_only=True):
    """A message that might stand in the place of another, and what is claimed of its text."""

    message: AssistantMessage
    answers: tuple[AnswerClaim, ...] = ()
    asks: tuple[AskClaim, ...] = ()


def is_right(conversation: Conversation, proof: Proof, at: int, toolbox: Toolbox) -> bool:
    """Whether a conversation that ends with message `at` has no faults."""
    beginning = msgspec.structs.replace(conversation, messages=conversation.messages[: at + 1])
    return not check_row(beginning, _until(proof, at + 1), toolbox, phrases=False, prefix=True)


def defect_of(
    conversation: Conversation, proof: Proof, at: int, wrong: Continuation, toolbox: Toolbox
) -> str | None:
    """Return the name of the one defect of a continuation; None if it has none, more than one, or one without a name.

    Args:
        conversation: The whole right conversation.
        proof: What is claimed of it.
        at: The message in whose place the continuation stands; `is_right` holds for it.
        wrong: The continuation. A call that has the id of one of the conversation's stands for that one.
        toolbox: The tools by name.
    """
    right = conversation.messages[at]
    assert isinstance(right, AssistantMessage)
    if wrong.message == right:
        return None
    beginning = msgspec.structs.replace(conversation, messages=(*conversation.messages[:at], wrong.message))
    claimed, made = _until(proof, at), {call.id for call in wrong.message.tool_calls}
    claimed = msgspec.structs.replace(
        claimed,
        arguments=(*claimed.arguments, *[one for one in proof.arguments if one.call_id in made and _is_taken_from(one, at)]),
        answers=(*claimed.answers, *wrong.answers),
        asks=(*claimed.asks, *wrong.asks),
        tells=(*claimed.tells, *[one for one in proof.tells if made and one.message == at and one.how == "proposed"]),
    )
    found = check_row(beginning, claimed, toolbox, phrases=False, prefix=True)
    if right.tool_calls and wrong.message.tool_calls:
        return _of_calls(conversation, proof, at, wrong.message.tool_calls, found, toolbox)
    if wrong.message.tool_calls:
        return _of_calls_for_text(conversation, proof, at, wrong.message.tool_calls, found, toolbox)
    return _of_text(conversation, proof, at, wrong, found)


def _is_taken_from(claim: Claim, at: int) -> bool:
    """Whether a value is claimed to be from the result of a call that message `at` or a later one makes."""
    return claim.source == "result" and claim.message is not None and claim.message >= at


def _until(proof: Proof, at: int) -> Proof:
    """Return the claims of every kind about the messages before `at`."""
    return Proof(**{name: tuple([one for one in getattr(proof, name) if _last_of(one) < at]) for name in proof.__struct_fields__})


def _last_of(claim: Any) -> int:
    """Return the last message that a claim is about; -1 where it is about none."""
    last = getattr(claim, "reply", claim.message)
    return -1 if last is None else int(last)


# ------------------------------------------------------------------------------------------------------- calls


def _of_calls(
    conversation: Conversation, proof: Proof, at: int, made: Sequence[ToolCall], found: list[Finding], toolbox: Toolbox
) -> str | None:
    """Return the defect of calls in place of other calls."""
    message = conversation.messages[at]
    assert isinstance(message, AssistantMessage)
    right, wrong = {call.id: call for call in message.tool_calls}, {call.id: call for call in made}
    if len(wrong) < len(made):
        return None
    if len(right) == len(wrong) and all(any(_alike(one, other) for other in made) for one in message.tool_calls):
        return None  # the same calls in another order are no defect
    missing = [call_id for call_id in right if call_id not in wrong]
    extra = [call for call_id, call in wrong.items() if call_id not in right]
    changed = [(right[key], wrong[key]) for key in right if key in wrong and not _alike(right[key], wrong[key])]
    if sum(map(bool, (missing, extra, changed))) != 1:
        return None
    if missing:
        return None if found else _of_missing(message.tool_calls, made)
    if extra:
        return _of_extra(conversation, at, extra, found, toolbox)
    return _of_changed(changed, [_at_argument(finding, proof, {call.id for _, call in changed}) for finding in found], toolbox)


def _at_argument(finding: Finding, proof: Proof, ids: set[str]) -> Finding:
    """Return a finding about the words that say an argument of one of the calls as a finding about that argument."""
    if finding.at[0] == "message" and len(finding.at) == 4:
        said = [(one.call_id, one.pointer, (one.message, one.start, one.end)) for one in proof.arguments]
        said += [(one.call_id, one.pointer, (one.message, one.start, one.end)) for one in proof.answers if one.of == "arguments"]
        for call_id, pointer, place in said:
            if place == finding.at[1:] and call_id in ids:
                return msgspec.structs.replace(finding, at=("argument", call_id, pointer))
    return finding


def _alike(one: ToolCall, other: ToolCall) -> bool:
    return one.name == other.name and same(one.arguments, other.arguments)


def _of_missing(right: Sequence[ToolCall], made: Sequence[ToolCall]) -> str | None:
    if len(made) == 1:
        return "serial_calls" if _alike(made[0], right[0]) else None
    return "missing_call" if len(made) == len(right) - 1 else None


def _of_extra(
    conversation: Conversation, at: int, extra: list[ToolCall], found: list[Finding], toolbox: Toolbox
) -> str | None:
    """Return the defect of an additional call: it needs a result that is not there yet, or nobody asked for it."""
    if len(extra) > 1 or not found or not _is_valid(extra[0], toolbox) or not _all_about(found, extra[0].id):
        return None
    later = [call for call in _calls_after(conversation, at) if call.id == extra[0].id]
    if later:
        return "dependent_calls" if _alike(later[0], extra[0]) and _codes(found) == {"PF103"} else None
    return "extra_call" if _codes(found) <= {"PF101", "PF114"} else None


def _of_changed(changed: list[tuple[ToolCall, ToolCall]], found: list[Finding], toolbox: Toolbox) -> str | None:
    """Return the defect of calls that differ from the right ones."""
    (right, wrong), *others = changed
    ids = {call.id for _, call in changed}
    if not found or not all(finding.at[0] == "argument" and finding.at[1] in ids for finding in found):
        return None
    if right.name != wrong.name:
        is_only_that = not others and _is_valid(wrong, toolbox) and _are_among(wrong.arguments, right.arguments)
        return "wrong_tool" if is_only_that else None
    if any(one.name != other.name for one, other in others):
        return None
    places = [(one, other, key) for one, other in changed for key in differing(one.arguments, other.arguments)]
    if len(places) == 2:
        return "swapped_values" if _are_exchanged(*places) and all(_is_valid(call, toolbox) for _, call in changed) else None
    return _of_argument(right, wrong, places[0][2], found, toolbox) if len(places) == 1 else None


def _are_exchanged(one: tuple[ToolCall, ToolCall, str], other: tuple[ToolCall, ToolCall, str]) -> bool:
    """Whether two arguments, each of a right and a wrong call, have each other's values."""
    (right, wrong, key), (right_too, wrong_too, key_too) = one, other
    first = same(right.arguments.get(key), wrong_too.arguments.get(key_too))
    return first and same(right_too.arguments.get(key_too), wrong.arguments.get(key))


def _of_argument(right: ToolCall, wrong: ToolCall, key: str, found: list[Finding], toolbox: Toolbox) -> str | None:
    """Return the defect of a call that differs in one argument."""
    if key not in wrong.arguments or not _all_at(found, wrong.id, key):
        return None
    if key not in right.arguments:
        return "unsaid_optional" if _is_valid(wrong, toolbox) and _codes(found) == {"PF101"} else None
    if _is_valid(wrong, toolbox):
        return "wrong_value"
    return "wrong_type" if type(wrong.arguments[key]) is not type(right.arguments[key]) else None


def _of_calls_for_text(
    conversation: Conversation, proof: Proof, at: int, made: Sequence[ToolCall], found: list[Finding], toolbox: Toolbox
) -> str | None:
    """Return the defect of calls in place of a text: nobody asked for them, or a question should have come first."""
    if not {call.id for call in made} & {call.id for call in _calls_after(conversation, at)}:
        return _of_extra(conversation, at, list(made), found, toolbox)
    asked = {(ask.call_id, ask.pointer) for ask in proof.asks if ask.message == at}
    proposed = {tell.call_id for tell in proof.tells if tell.message == at and tell.how == "proposed"}
    if not found or not all(_is_valid(call, toolbox) for call in made):
        return None
    for finding in found:
        is_unsaid = finding.code == "PF101" and finding.at[0] == "argument" and finding.at[1:] in asked
        is_unallowed = finding.code == "PF120" and proposed & {call.id for call in made}
        if not is_unsaid and not is_unallowed:
            return None
    return "call_instead_of_question"


def _codes(found: list[Finding]) -> set[str]:
    return {finding.code for finding in found}


def _all_about(found: list[Finding], call_id: str) -> bool:
    return all(finding.at[0] == "argument" and finding.at[1] == call_id for finding in found)


def _all_at(found: list[Finding], call_id: str, key: str) -> bool:
    """Whether all findings are about one argument."""
    pointer = f"/{key}"
    return all(
        finding.at[:2] == ("argument", call_id) and (finding.at[2] == pointer or finding.at[2].startswith(pointer + "/"))
        for finding in found
    )


def _is_valid(call: ToolCall, toolbox: Toolbox) -> bool:
    """Whether the tool is known and its schema allows the arguments."""
    spec = toolbox.get(call.name)
    if spec is None:
        return False
    check = None if spec.tool.parameters is None else compiled(spec.tool.parameters)
    return check is None or isinstance(check, UnusableSchema) or check.is_valid(call.arguments)


def _are_among(few: dict[str, Any], many: dict[str, Any]) -> bool:
    """Whether every value of one object is also in the other one."""
    return all(any(same(value, other) for other in many.values()) for value in few.values())


def _calls_after(conversation: Conversation, at: int) -> list[ToolCall]:
    return [call for m in conversation.messages[at + 1 :] if isinstance(m, AssistantMessage) for call in m.tool_calls]


# ------------------------------------------------------------------------------------------------------- texts


def _of_text(
    conversation: Conversation, proof: Proof, at: int, wrong: Continuation, found: list[Finding]
) -> str | None:
    """Return the defect of a text."""
    right = conversation.messages[at]
    assert isinstance(right, AssistantMessage)
    if right.tool_calls and wrong.asks:
        return "question_instead_of_call" if _codes(found) == {"PF115"} and len(found) == 1 else None
    if wrong.asks or not wrong.message.content:
        return None
    failed = {one.tool_call_id for one in _results_before(conversation, at) if one.is_error}
    told = {claim.call_id for claim in wrong.answers}
    if failed & told:
        untold = [finding.at for finding in found if finding.code == "PF120"]  # without a report, the values in it cannot be read either
        follows = all(finding.at in untold or finding.code == "PF107" for finding in found)
        return "ignored_error" if untold and follows else None
    if failed:
        return None
    if right.tool_calls:
        return "early_stop" if told and not found and told <= _answered_in_turn(conversation, at) else None
    spans = {finding.at for finding in found}
    is_told = len(wrong.answers) == len([claim for claim in proof.answers if claim.message == at])
    holds = _codes(found) == {"PF106"} and len(spans) == 1 and is_told
    return "unfounded_claim" if holds and not _is_somewhere(conversation, at, wrong, found[0]) else None


def _is_somewhere(conversation: Conversation, at: int, wrong: Continuation, finding: Finding) -> bool:
    """Whether a result so far holds the words that are found to be wrong."""
    text = (wrong.message.content or "")[finding.at[2] : finding.at[3]] if len(finding.at) > 3 else ""
    return not text or any(text in (message.content or "") for message in conversation.messages[:at] if isinstance(message, ToolMessage))


def _results_before(conversation: Conversation, at: int) -> list[ToolMessage]:
    """Return the results directly before a message."""
    found: list[ToolMessage] = []
    for message in reversed(conversation.messages[:at]):
        if not isinstance(message, ToolMessage):
            break
        found.append(message)
    return found


def _answered_in_turn(conversation: Conversation, at: int) -> set[str]:
    """Return the calls that have been answered since the user's last message."""
    found: set[str] = set()
    for message in reversed(conversation.messages[:at]):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, ToolMessage):
            found.add(message.tool_call_id)
    return found
