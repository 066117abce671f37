"""What is wrong with a continuation that preference data rejects, found by the checker of rows.

Nothing here knows how the continuation was made. The beginning of the conversation is checked with the right message, which must
leave nothing to find, and with the rejected one in its place; the defect is told from what is found then, from the schemas,
and from which calls of the conversation are made.
"""

from collections.abc import Collection, Sequence

import msgspec

from generator.core.claims import AnswerClaim, AskClaim, Claim, Proof, ScriptProof, SpanClaim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    ToolCall,
    ToolMessage,
    UserMessage,
    results_before,
)
from generator.core.defects import alike, defect_between
from generator.core.exact_json import differing
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import check_row
from generator.dialogue.proof.ledger import Finding
from generator.formats.rules import accepts


class Continuation(msgspec.Struct, frozen=True, kw_only=True):
    """A message that might stand in the place of another, and what is claimed of its text."""

    message: AssistantMessage
    answers: tuple[AnswerClaim, ...] = ()
    asks: tuple[AskClaim, ...] = ()


def is_right(conversation: Conversation, proof: Proof, at: int, toolbox: Toolbox) -> bool:
    """Whether a conversation that ends with message `at` has no faults."""
    beginning = msgspec.structs.replace(conversation, messages=conversation.messages[: at + 1])
    return not check_row(beginning, _until(proof, at + 1), toolbox, phrases=False, prefix=True)


def defect_of(conversation: Conversation, proof: Proof, at: int, wrong: Continuation, toolbox: Toolbox) -> str | None:
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
    claimed, call_ids = _until(proof, at), {call.id for call in wrong.message.tool_calls}
    claimed = msgspec.structs.replace(
        claimed,
        arguments=(
            *claimed.arguments,
            *[claim for claim in proof.arguments if claim.call_id in call_ids and _is_taken_from(claim, at)],
        ),
        answers=(*claimed.answers, *wrong.answers),
        asks=(*claimed.asks, *wrong.asks),
        tells=(
            *claimed.tells,
            *[claim for claim in proof.tells if call_ids and claim.message == at and claim.how == "proposed"],
        ),
        scripts=_with_other_words(proof, at, right.content or "", wrong.message.content or "")
        if wrong.answers
        else claimed.scripts,
    )
    findings = check_row(beginning, claimed, toolbox, phrases=False, prefix=True)
    if right.tool_calls and wrong.message.tool_calls:
        return _defect_of_calls(conversation, proof, at, wrong.message.tool_calls, findings, toolbox)
    if wrong.message.tool_calls:
        return _defect_of_calls_for_text(conversation, proof, at, wrong.message.tool_calls, findings, toolbox)
    return _defect_of_text(conversation, proof, at, wrong, findings)


def asked_values(conversation: Conversation, proof: Proof, at: int) -> set[tuple[str, str]]:
    """Return the arguments for whose values message `at` asks, as calls and pointers: in a row of scripts those that the reply says."""
    if not proof.scripts:
        return {(ask.call_id, ask.pointer) for ask in proof.asks if ask.message == at}
    if "?" not in (conversation.messages[at].content or ""):
        return set()
    return {
        (claim.call_id, claim.pointer)
        for claim in proof.arguments
        if claim.source == "user" and claim.message == at + 1
    }


def _is_taken_from(claim: Claim, at: int) -> bool:
    """Whether a value is claimed to be from the result of a call that message `at` or a later one makes."""
    return claim.source == "result" and claim.message is not None and claim.message >= at


def _until(proof: Proof, at: int) -> Proof:
    """Return the claims of every kind about the messages before `at`."""
    claims_before = {
        name: tuple([claim for claim in claims if claim.message is None or claim.message < at])
        for name, claims in msgspec.structs.asdict(proof).items()
        if name != "scripts"
    }
    return Proof(**claims_before, scripts=tuple([script.until(at) for script in proof.scripts if script.first < at]))


def _with_other_words(proof: Proof, at: int, right: str, wrong: str) -> tuple[ScriptProof, ...]:
    """Return the claims of scripts about the beginning up to message `at`, with spans as they lie when the text `wrong` stands in place of `right`: the span where they first differ ends later or earlier, those behind it are moved."""
    first_difference = next(
        (
            index
            for index, (letter, other_letter) in enumerate(zip(right, wrong, strict=False))
            if letter != other_letter
        ),
        0,
    )
    longer_by, replace = len(wrong) - len(right), msgspec.structs.replace

    def moved(span: SpanClaim) -> SpanClaim:
        if span.message != at or span.end <= first_difference:
            return span
        return replace(span, start=span.start + longer_by * (span.start > first_difference), end=span.end + longer_by)

    scripts = [script.until(at + 1) for script in proof.scripts if script.first <= at]
    return tuple([replace(script, spans=tuple(map(moved, script.spans))) for script in scripts])


# ------------------------------------------------------------------------------------------------------- calls


def _defect_of_calls(
    conversation: Conversation,
    proof: Proof,
    at: int,
    wrong_calls: Sequence[ToolCall],
    findings: list[Finding],
    toolbox: Toolbox,
) -> str | None:
    """Return the defect of calls in place of other calls: what is between them, if just that is found."""
    message = conversation.messages[at]
    assert isinstance(message, AssistantMessage)
    name = defect_between(message.tool_calls, wrong_calls, {tool.name: tool for tool in conversation.tools})
    right = {call.id: call for call in message.tool_calls}
    if name is None or len({call.id for call in wrong_calls}) < len(wrong_calls):
        return None
    if name in ("missing_call", "serial_calls"):
        return None if findings or any(call.id not in right for call in wrong_calls) else name
    changed = [call for call in wrong_calls if call.id not in right or not alike(right[call.id], call)]
    if name == "extra_call":
        return _defect_of_extra_call(conversation, at, changed, findings, toolbox)
    if {call.id for call in changed} - right.keys():
        return None
    findings = [_at_argument(finding, proof, {call.id for call in changed}) for finding in findings]
    return (
        name
        if findings and _is_found_as(name, [(right[call.id], call) for call in changed], findings, toolbox)
        else None
    )


def _is_found_as(
    name: str, changed: list[tuple[ToolCall, ToolCall]], findings: list[Finding], toolbox: Toolbox
) -> bool:
    """Whether the findings are those that this defect of the changed calls leads to, and no others."""
    ids = {wrong.id for _, wrong in changed}
    if not _are_about(findings, ids):
        return False
    if all(_is_valid(wrong, toolbox) for _, wrong in changed) != (name != "wrong_type"):
        return False
    if name in ("wrong_tool", "swapped_values"):
        return True
    right, wrong = changed[0]
    (key,) = differing(right.arguments, wrong.arguments)
    return _are_about(findings, ids, f"/{key}") and (
        name != "unsaid_optional" or _codes(findings) in ({"PF101"}, {"SP101"})
    )


def _at_argument(finding: Finding, proof: Proof, ids: set[str]) -> Finding:
    """Return a finding about the words that say an argument of one of the calls as a finding about that argument; any other as it is."""
    if finding.at[0] == "message" and len(finding.at) == 4:
        claims: list[Claim | AnswerClaim] = [
            *proof.arguments,
            *[claim for claim in proof.answers if claim.of == "arguments"],
        ]
        for claim in claims:
            if (claim.message, claim.start, claim.end) == finding.at[1:] and claim.call_id in ids:
                return msgspec.structs.replace(finding, at=("argument", claim.call_id, claim.pointer))
    return finding


def _defect_of_extra_call(
    conversation: Conversation, at: int, extra: list[ToolCall], findings: list[Finding], toolbox: Toolbox
) -> str | None:
    """Return the defect of an additional call: it needs a result that is not there yet, or nobody asked for it."""
    if len(extra) > 1 or not findings or not _is_valid(extra[0], toolbox) or not _are_about(findings, {extra[0].id}):
        return None
    same_id_later = [call for call in _calls_after(conversation, at) if call.id == extra[0].id]
    if same_id_later:
        return (
            "dependent_calls"
            if alike(same_id_later[0], extra[0]) and _codes(findings) in ({"PF103"}, {"SP101"})
            else None
        )
    return "extra_call" if _codes(findings) <= {"PF101", "PF114", "SP101"} else None


def _defect_of_calls_for_text(
    conversation: Conversation,
    proof: Proof,
    at: int,
    wrong_calls: Sequence[ToolCall],
    findings: list[Finding],
    toolbox: Toolbox,
) -> str | None:
    """Return the defect of calls in place of a text: nobody asked for them, or a question should have come first."""
    if not {call.id for call in wrong_calls} & {call.id for call in _calls_after(conversation, at)}:
        return _defect_of_extra_call(conversation, at, list(wrong_calls), findings, toolbox)
    asked = asked_values(conversation, proof, at)
    calls_by_act = {tell.how: tell.call_id for tell in proof.tells if tell.message == at}
    if not findings or not all(_is_valid(call, toolbox) for call in wrong_calls):
        return None
    for finding in findings:
        is_unsaid = finding.code in _UNSAID and finding.at[0] == "argument" and finding.at[1:] in asked
        is_unallowed = finding.code == "PF120" and calls_by_act.get("proposed") in {call.id for call in wrong_calls}
        is_passed_over = (
            finding.code in _PASSED_OVER and "refused" in calls_by_act and finding.at[:2] == ("message", at - 1)
        )
        if not is_unsaid and not is_unallowed and not is_passed_over:
            return None
    return "call_instead_of_question"


_UNSAID = ("PF101", "PF103", "PF104", "SP101")
"""What is found of an argument that nobody has said: nobody says it, no result holds it, nobody says which element is meant."""
_PASSED_OVER = ("PF109", "PF123")
"""What is found of a value that the user has said and that the tool does not accept, where no call takes the one said instead."""


def _codes(findings: list[Finding]) -> set[str]:
    """Return the codes of findings."""
    return {finding.code for finding in findings}


def _are_about(findings: list[Finding], ids: Collection[str], pointer: str = "") -> bool:
    """Whether all findings are about arguments of these calls, or about what is at a pointer in them."""
    return all(
        finding.at[0] == "argument"
        and finding.at[1] in ids
        and f"{finding.at[2]}/".startswith(f"{pointer}/" if pointer else "")
        for finding in findings
    )


def _is_valid(call: ToolCall, toolbox: Toolbox) -> bool:
    """Whether the tool is known and its schema allows the arguments."""
    return call.name in toolbox and accepts(toolbox[call.name].tool.parameters, call.arguments)


def _calls_after(conversation: Conversation, at: int) -> list[ToolCall]:
    """Return the calls that are made after a message."""
    return [
        call
        for message in conversation.messages[at + 1 :]
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]


# ------------------------------------------------------------------------------------------------------- texts


def _defect_of_text(
    conversation: Conversation, proof: Proof, at: int, wrong: Continuation, findings: list[Finding]
) -> str | None:
    """Return the defect of a text: a question in place of calls, an error that is passed over, calls that are not made, or a claim without ground."""
    right = conversation.messages[at]
    assert isinstance(right, AssistantMessage)
    if right.tool_calls and wrong.asks:
        return "question_instead_of_call" if _codes(findings) == {"PF115"} and len(findings) == 1 else None
    if wrong.asks or not wrong.message.content:
        return None
    failed_calls = {result.tool_call_id for result in results_before(conversation.messages, at) if result.is_error}
    told_calls = {claim.call_id for claim in wrong.answers}
    if failed_calls & told_calls:
        locations_of_untold = [
            finding.at for finding in findings if finding.code in ("PF120", "SP102")
        ]  # without a report, the values in it cannot be read either
        follows = all(finding.at in locations_of_untold or finding.code in ("PF107", "SP104") for finding in findings)
        return "ignored_error" if locations_of_untold and follows else None
    if failed_calls:
        return None
    if right.tool_calls:
        return (
            "early_stop" if told_calls and not findings and told_calls <= _answered_in_turn(conversation, at) else None
        )
    locations = {finding.at for finding in findings}
    is_told = len(wrong.answers) == len([claim for claim in proof.answers if claim.message == at])
    holds = _codes(findings) in ({"PF106"}, {"SP102"}) and len(locations) == 1 and is_told
    return "unfounded_claim" if holds and not _is_in_results(conversation, at, wrong, findings[0]) else None


def _is_in_results(conversation: Conversation, at: int, wrong: Continuation, finding: Finding) -> bool:
    """Whether a result so far holds the words that are found to be wrong."""
    text = (wrong.message.content or "")[finding.at[2] : finding.at[3]] if len(finding.at) > 3 else ""
    return not text or any(
        text in (message.content or "") for message in conversation.messages[:at] if isinstance(message, ToolMessage)
    )


def _answered_in_turn(conversation: Conversation, at: int) -> set[str]:
    """Return the calls that have been answered since the user's last message."""
    call_ids: set[str] = set()
    for message in reversed(conversation.messages[:at]):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, ToolMessage):
            call_ids.add(message.tool_call_id)
    return call_ids
