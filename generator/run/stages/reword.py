"""Have a model say a worded row in other words, and keep what is proven to say the same values.

Each user message and each final answer is asked for by itself. A text that fails the checks is asked for once more,
with its fault; if that fails too, the template's text stays. What passed is read back by another model, and a message that does
not read as the plan, or not at all, is put back into the template's words.
"""

from collections.abc import Container, Iterator, Sequence

import msgspec

from generator.core.claims import AnswerClaim, Claim, Proof
from generator.core.conversation import AssistantMessage, Conversation, UserMessage
from generator.core.pointers import resolve
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.core.values import same
from generator.dialogue.acts.check import ACTS, check_row, violations_of
from generator.dialogue.proof.ledger import Ledger
from generator.dialogue.proof.opening import open_ledger
from generator.dialogue.proof.spans import place_at
from generator.dialogue.values.find_again import QUOTES, SaidValue, Span, find_again, guarded
from generator.dialogue.values.read.numbers import spelled_number
from generator.dialogue.wording.llm import USE, Manner, ask_for_other_words, draw_manner, read_other_words
from generator.llm.asking import ModelAnswer, Request
from generator.llm.reading import kind_of_fault
from generator.run.stages.read_back import Readings
from generator.run.uses import Uses

TAG = "llm_wording"
"""Tag of rows that hold a model's words."""


class _Part(msgspec.Struct):
    """One text of a row, and the claims about it by span."""

    message: int
    text: str
    is_request: bool
    arguments: dict[Span, list[int]] = {}
    """Which claims about arguments a span belongs to."""
    answers: dict[Span, list[int]] = {}

    @property
    def spans(self) -> list[Span]:
        """All spans, in the order of the text."""
        return sorted({*self.arguments, *self.answers})


class _Row(msgspec.Struct):
    """A row while its texts are replaced one by one."""

    conversation: Conversation
    proof: Proof
    ledger: Ledger
    toolbox: Toolbox
    new: dict[int, tuple[_Part, str, dict[Span, Span]]] = {}
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
    readings = Readings(uses, conversation, proof, ledger, toolbox)
    parts = _parts(row, readings)
    tools = [toolbox[name] for name in dict.fromkeys(made.spec.name for made in ledger.calls.values())]
    requests = [
        ask_for_other_words(uses.prompts, part.text, _values(part), manner, tools, is_request=part.is_request)
        for part in parts
    ]
    tried = _replace_all(uses, row, parts, requests, manner)
    uses.asker.foresee(lambda: readings.requests(conversation, proof, [part.message for part in parts]))
    unlike = readings.faults(row.conversation, row.proof, row.new)
    row = _without(row, unlike, conversation, proof)
    for part, (request, answer, fault) in zip(parts, tried, strict=True):
        fault = fault or unlike.get(part.message, "")
        uses.asker.judge(request, answer, fault)
        uses.asker.note(USE, kind_of_fault(fault))
    return row.conversation, row.proof, (TAG,) if row.new else ()


_Tried = tuple[Request, ModelAnswer, str]
"""The last request for other words for a text, its answer, and why that cannot be used, or nothing."""


def _replace_all(uses: Uses, row: _Row, parts: list[_Part], requests: list[Request], manner: Manner) -> list[_Tried]:
    """Put the model's texts in where they pass; what does not is asked for once more."""
    answers = uses.asker.ask(*requests)
    faults = _replace_some(row, parts, answers, manner)
    tried = list(zip(requests, answers, faults, strict=True))
    again = [index for index, fault in enumerate(faults) if fault]
    for index in again:
        uses.asker.judge(*tried[index])
    more = [uses.prompts.once_more(*tried[index]) for index in again]
    seconds = uses.asker.ask(*more)
    found = _replace_some(row, [parts[index] for index in again], seconds, manner)
    for index, second in zip(again, zip(more, seconds, found, strict=True), strict=True):
        tried[index] = second
    return tried


def _replace_some(row: _Row, parts: Sequence[_Part], answers: Sequence[ModelAnswer], manner: Manner) -> list[str]:
    """Put texts into the row; return why each cannot be used, or nothing. The proof is first checked with all of them at once."""
    before, new = (row.conversation, row.proof), dict(row.new)
    faults = [_replace(row, part, answer, manner) for part, answer in zip(parts, answers, strict=True)]
    if all(faults) or not check_row(row.conversation, row.proof, row.toolbox, phrases=False):
        return faults
    (row.conversation, row.proof), row.new = before, new
    return [_replace_checked(row, part, answer, manner) for part, answer in zip(parts, answers, strict=True)]


def _replace_checked(row: _Row, part: _Part, answer: ModelAnswer, manner: Manner) -> str:
    """Put one text in if the proof of the whole row holds with it."""
    before, new = (row.conversation, row.proof), dict(row.new)
    fault = _replace(row, part, answer, manner)
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


def _parts(row: _Row, readings: Readings) -> list[_Part]:
    """Return the texts to say anew: those that can be read back; questions and reports of failures keep their words."""
    found = {part.message: part for part in _texts_to_say_anew(row) if part.message in readings.readable}
    for at, claim in enumerate(row.proof.arguments):
        message_at = row.ledger.calls[claim.call_id].asked_at if claim.source == "result" else claim.message
        if claim.start is not None and claim.end is not None and message_at in found:
            found[message_at].arguments.setdefault((claim.start, claim.end), []).append(at)
    for at, stated in enumerate(row.proof.answers):
        if stated.message in found:
            found[stated.message].answers.setdefault((stated.start, stated.end), []).append(at)
    return list(found.values())


def _texts_to_say_anew(row: _Row) -> Iterator[_Part]:
    proof = row.proof
    kept = {claim.message for claims in (proof.asks, proof.tells, proof.retracted, proof.declines) for claim in claims}
    kept |= {claim.referred[0] for claim in proof.arguments if claim.referred is not None}
    for index, message in enumerate(row.conversation.messages):
        if index in kept:
            continue
        if isinstance(message, UserMessage):
            yield _Part(index, message.content, True)
        elif isinstance(message, AssistantMessage) and message.content and not message.tool_calls:
            yield _Part(index, message.content, False)


def _values(part: _Part) -> list[str]:
    return [part.text[start:end] for start, end in part.spans]


def _replace(row: _Row, part: _Part, answer: ModelAnswer, manner: Manner) -> str:
    """Put the model's text into the row if it says the same; return why it cannot be used, or nothing."""
    text, fault = read_other_words(answer, part.text)
    if fault:
        return fault
    old = part.spans
    new, fault = find_again(part.text, text, [_said_value(row, part, span) for span in old])
    fault = fault or guarded(part.text, old, text, new, is_english=manner.is_english)
    if fault:
        return fault
    moved = dict(zip(old, new, strict=True))
    row.conversation, row.proof = _with_text(row, part, text, moved)
    row.new[part.message] = part, text, moved
    return ""


def _with_text(row: _Row, part: _Part, text: str, moved: dict[Span, Span]) -> tuple[Conversation, Proof]:
    messages = list(row.conversation.messages)
    messages[part.message] = msgspec.structs.replace(messages[part.message], content=text)
    arguments: list[Claim] = list(row.proof.arguments)
    answers: list[AnswerClaim] = list(row.proof.answers)
    for span, (start, end) in moved.items():
        words = part.text[slice(*span)], text[start:end]
        for at in part.arguments.get(span, ()):
            said = arguments[at].verbalizer
            said = None if said is None else _verbalizer_of(said, *words)
            arguments[at] = msgspec.structs.replace(arguments[at], start=start, end=end, verbalizer=said)
        for at in part.answers.get(span, ()):
            said = _verbalizer_of(answers[at].verbalizer, *words)
            answers[at] = msgspec.structs.replace(answers[at], start=start, end=end, verbalizer=said)
    conversation = msgspec.structs.replace(row.conversation, messages=tuple(messages))
    uses = tuple([use for use in row.proof.uses if use.message != part.message])
    claims = {"arguments": tuple(arguments), "answers": tuple(answers), "uses": uses}
    return conversation, msgspec.structs.replace(row.proof, **claims)


_SAME_WORDS_ONLY = frozenset(
    {"literal", "quoted", "block", "pairs", "json", "nothing", "empty", "reference", "clause", "message"}
)
_WORDY = ("words", "enum", "clause", "reference", "date", "time", "minutes", "hours", "seconds", "ordinal", "count")
"""Verbalizers whose words may begin with a capital or not."""


def _verbalizer_of(verbalizer: str, before: str, words: str) -> str:
    """Return the verbalizer that reads other words for a value: a number may be spelled, a quotation have other marks, a sentence begin."""
    if verbalizer == "quoted" and words[:1] not in QUOTES:
        return "literal"
    if verbalizer == "literal" and before[:1].islower() and words[:1].isupper():
        return "message"
    if verbalizer in {"number", "words"} and words != before:
        return "words" if spelled_number(words) is not None else "number"
    return verbalizer


def _said_value(row: _Row, part: _Part, span: Span) -> SaidValue:
    """Return what must be found again for a span: the value of its first claim (the proof checks all)."""
    at = part.arguments.get(span)
    if at:
        claim = row.proof.arguments[at[0]]
        verbalizer, pointer, of, call_id = claim.verbalizer or "reference", claim.pointer, "arguments", claim.call_id
    else:
        stated = row.proof.answers[part.answers[span][0]]
        verbalizer, pointer, of, call_id = stated.verbalizer, stated.pointer, stated.of, stated.call_id
    made, before = row.ledger.calls[call_id], part.text[slice(*span)]
    value = resolve(made.result if of == "result" else made.arguments, pointer)

    def reads(words: str) -> bool:
        place = place_at(made.spec, pointer, _verbalizer_of(verbalizer, before, words), of)
        try:
            said = place.read(words, row.ledger.today)
        except ValueError:
            return False
        return same(said, len(value) if verbalizer == "count" and isinstance(value, list) else value)

    return SaidValue(
        span=span,
        is_wordy=verbalizer.startswith(_WORDY),
        is_quoted=verbalizer == "quoted",
        reads=None if verbalizer in _SAME_WORDS_ONLY else reads,
    )
