"""Have a model say a worded row in other words, and keep what is proven to say the same values.

Each user message and each final answer is asked for by itself. A text that fails the checks is asked for once more,
with its fault; if that fails too, the template's text stays. Where the recipe wants it, what passed is read back by a model,
and a message that does not lead to the calls of the plan is put back into the template's words.
"""

from collections.abc import Container, Iterator, Sequence

import msgspec

from generator.acts.check import ACTS, check_row, violations_of
from generator.conversation import AnswerClaim, AssistantMessage, Claim, Conversation, Proof, UserMessage
from generator.llm.asking import ModelAnswer, Request
from generator.llm.reading import kind_of_fault
from generator.pointers import resolve
from generator.run.stages.read_back import read_back_rewording, requests_to_read_back
from generator.run.uses import Uses
from generator.seeds import Draw
from generator.toolbox import Toolbox, ToolSpec
from generator.validation.proof.ledger import Ledger
from generator.validation.proof.opening import open_ledger
from generator.validation.reworded.check import say_the_same
from generator.validation.reworded.spoken import reading_place, spoken_at, verbalizer_of
from generator.validation.reworded.survival import Spoken
from generator.wording.llm import USE, Manner, ask_for_other_words, ask_once_more, draw_manner, read_other_words

TAG = "llm_wording"
"""Tag of rows that hold a model's words."""


class _Part(msgspec.Struct):
    """One text of a row, and the claims about it by span."""

    message: int
    text: str
    is_request: bool
    arguments: dict[tuple[int, int], list[int]]
    """Which claims about arguments a span belongs to."""
    answers: dict[tuple[int, int], list[int]]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """All spans, in the order of the text."""
        return sorted({*self.arguments, *self.answers})


class _Row(msgspec.Struct):
    """A row while its texts are replaced one by one."""

    conversation: Conversation
    proof: Proof
    ledger: Ledger
    toolbox: Toolbox
    new: dict[int, tuple[_Part, str, dict[tuple[int, int], tuple[int, int]]]] = {}
    """By message: the text that was put in, and where each span is now."""


def reword(
    uses: Uses, conversation: Conversation, proof: Proof, toolbox: Toolbox, draw: Draw
) -> tuple[Conversation, Proof, tuple[str, ...]]:
    """Return the row with the model's words where they pass, and its tags."""
    assert uses.wording is not None
    ledger = open_ledger(conversation, proof, toolbox, ACTS)
    if ledger.found:
        return conversation, proof, ()
    manner = draw_manner(uses.wording, draw)
    row = _Row(conversation, proof, ledger, toolbox)
    parts = _parts(row)
    tools = [toolbox[name] for name in dict.fromkeys(made.spec.name for made in ledger.calls.values())]
    requests = [
        ask_for_other_words(uses.prompts, part.text, _values(part), manner, tools, is_request=part.is_request)
        for part in parts
    ]
    faults = _replace_all(uses, row, parts, requests, manner, tools)
    if uses.wording.is_read_back:
        uses.asker.foresee(lambda: requests_to_read_back(uses, conversation, proof, toolbox))
        unlike = read_back_rewording(uses, row.conversation, row.proof, toolbox, row.new.keys())
        faults = [fault or unlike.get(part.message, "") for part, fault in zip(parts, faults, strict=True)]
        row = _without(row, unlike, conversation, proof)
    for fault in faults:
        uses.asker.note(USE, kind_of_fault(fault))
    return row.conversation, row.proof, (TAG,) if row.new else ()


def _replace_all(
    uses: Uses, row: _Row, parts: list[_Part], requests: list[Request], manner: Manner, tools: list[ToolSpec]
) -> list[str]:
    """Put the model's texts in where they pass; return why not for each part, or nothing."""
    answers = uses.asker.ask(*requests)
    faults = _replace_some(row, parts, answers, manner, tools)
    again = [index for index, fault in enumerate(faults) if fault]
    if again:
        seconds = uses.asker.ask(
            *[ask_once_more(uses.prompts, requests[index], answers[index], faults[index]) for index in again]
        )
        found = _replace_some(row, [parts[index] for index in again], seconds, manner, tools)
        for index, fault in zip(again, found, strict=True):
            faults[index] = fault
    return faults


def _replace_some(
    row: _Row, parts: Sequence[_Part], answers: Sequence[ModelAnswer], manner: Manner, tools: list[ToolSpec]
) -> list[str]:
    """Put texts into the row; return why each cannot be used, or nothing. The proof is first checked with all of them at once."""
    before, new = (row.conversation, row.proof), dict(row.new)
    faults = [_replace(row, part, answer, manner, tools) for part, answer in zip(parts, answers, strict=True)]
    if all(faults) or not check_row(row.conversation, row.proof, row.toolbox, phrases=False):
        return faults
    (row.conversation, row.proof), row.new = before, new
    return [_replace_checked(row, part, answer, manner, tools) for part, answer in zip(parts, answers, strict=True)]


def _replace_checked(row: _Row, part: _Part, answer: ModelAnswer, manner: Manner, tools: list[ToolSpec]) -> str:
    """Put one text in if the proof of the whole row holds with it."""
    before, new = (row.conversation, row.proof), dict(row.new)
    fault = _replace(row, part, answer, manner, tools)
    violations = [] if fault else violations_of(check_row(row.conversation, row.proof, row.toolbox, phrases=False))
    if violations:
        (row.conversation, row.proof), row.new = before, new
        return f"not proven: {violations[0].rule} {violations[0].message}"
    return fault


def _without(row: _Row, unlike: Container[int], conversation: Conversation, proof: Proof) -> _Row:
    """Return the row with the new texts of all messages except those in `unlike`."""
    kept = _Row(conversation, proof, row.ledger, row.toolbox)
    for index, (part, text, moved) in row.new.items():
        if index not in unlike:
            kept.conversation, kept.proof = _with_text(kept, part, text, moved)
            kept.new[index] = part, text, moved
    return kept


def _parts(row: _Row) -> list[_Part]:
    found = {part.message: part for part in _texts_to_say_anew(row)}
    for at, claim in enumerate(row.proof.arguments):
        message_at = row.ledger.calls[claim.call_id].asked_at if claim.source == "result" else claim.message
        if claim.start is not None and claim.end is not None and message_at in found:
            found[message_at].arguments.setdefault((claim.start, claim.end), []).append(at)
    for at, stated in enumerate(row.proof.answers):
        if stated.message in found:
            found[stated.message].answers.setdefault((stated.start, stated.end), []).append(at)
    return list(found.values())


def _texts_to_say_anew(row: _Row) -> Iterator[_Part]:
    """Yield the messages of the user and the answers; questions and reports of failures keep their words."""
    proof = row.proof
    asking = {claim.message for claims in (proof.asks, proof.tells, proof.retracted) for claim in claims}
    asking |= {claim.referred[0] for claim in proof.arguments if claim.referred is not None}
    for index, message in enumerate(row.conversation.messages):
        if isinstance(message, UserMessage) and index not in asking:
            yield _Part(index, message.content, True, {}, {})
        elif (
            isinstance(message, AssistantMessage) and message.content and not message.tool_calls and index not in asking
        ):
            yield _Part(index, message.content, False, {}, {})


def _values(part: _Part) -> list[str]:
    return [part.text[start:end] for start, end in part.spans]


def _replace(row: _Row, part: _Part, answer: ModelAnswer, manner: Manner, tools: Sequence[ToolSpec]) -> str:
    """Put the model's text into the row if it says the same; return why it cannot be used, or nothing."""
    text, fault = read_other_words(answer, part.text)
    if fault:
        return fault
    old = part.spans
    spoken = [_spoken(row, part, span) for span in old]
    of_calls = {call.id: call.spec for call in row.ledger.calls.values()}
    new, fault = say_the_same(
        part.text, text, spoken, of_calls, is_english=manner.is_english, is_request=part.is_request
    )
    if fault:
        return fault
    moved = dict(zip(old, new, strict=True))
    row.conversation, row.proof = _with_text(row, part, text, moved)
    row.new[part.message] = part, text, moved
    return ""


def _with_text(
    row: _Row, part: _Part, text: str, moved: dict[tuple[int, int], tuple[int, int]]
) -> tuple[Conversation, Proof]:
    messages = list(row.conversation.messages)
    messages[part.message] = msgspec.structs.replace(messages[part.message], content=text)
    arguments: list[Claim] = list(row.proof.arguments)
    answers: list[AnswerClaim] = list(row.proof.answers)
    for span, (start, end) in moved.items():
        for at in part.arguments.get(span, ()):
            said = arguments[at].verbalizer
            said = None if said is None else verbalizer_of(said, text[start:end], part.text[slice(*span)])
            arguments[at] = msgspec.structs.replace(arguments[at], start=start, end=end, verbalizer=said)
        for at in part.answers.get(span, ()):
            said = verbalizer_of(answers[at].verbalizer, text[start:end], part.text[slice(*span)])
            answers[at] = msgspec.structs.replace(answers[at], start=start, end=end, verbalizer=said)
    conversation = msgspec.structs.replace(row.conversation, messages=tuple(messages))
    return conversation, msgspec.structs.replace(row.proof, arguments=tuple(arguments), answers=tuple(answers))


def _spoken(row: _Row, part: _Part, span: tuple[int, int]) -> Spoken:
    """Return the value that must be found again for a span: that of its first claim (the proof checks all)."""
    at = part.arguments.get(span)
    if at:
        claim = row.proof.arguments[at[0]]
        verbalizer, pointer, of = claim.verbalizer or "reference", claim.pointer, "arguments"
    else:
        stated = row.proof.answers[part.answers[span][0]]
        claim, verbalizer, pointer, of = None, stated.verbalizer, stated.pointer, stated.of
    call_id = claim.call_id if claim is not None else row.proof.answers[part.answers[span][0]].call_id
    made = row.ledger.calls[call_id]
    place = reading_place(made.spec, pointer, verbalizer, of)
    value = None if place is None else resolve(made.result if of == "result" else made.arguments, pointer)
    calls = _owners(row, part, span)
    return spoken_at(span, made.spec, (pointer, verbalizer, of), value, row.ledger.today, calls)


def _owners(row: _Row, part: _Part, span: tuple[int, int]) -> frozenset[str]:
    """Return the ids of all calls that a span says something of."""
    arguments = [row.proof.arguments[at].call_id for at in part.arguments.get(span, ())]
    return frozenset([*arguments, *[row.proof.answers[at].call_id for at in part.answers.get(span, ())]])
