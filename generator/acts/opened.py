"""Opened: a few words before an answer, which fit what the call did: "That's done."."""

from collections.abc import Iterator, Sequence
from typing import Any

from generator.execution.expressions import compile_expression
from generator.text_grammars import expand_texts
from generator.toolbox import ToolSpec, once_per_tool
from generator.validation.proof.ledger import Act, Sentence
from generator.wording.answers import ReportedCall
from generator.wording.phrases.telling import OF_CALL, AnswerSentence
from generator.wording.pieces import Pieces
from generator.wording.transcript import Transcript
from generator.yaml_values import own_data

FORMS: dict[str, tuple[str, ...]] = {kind: expand_texts(lines) for kind, lines in own_data(__file__).items()}
_OPENED = {True: 0.3, False: 0.4}
"""How often there is something before an answer about what was looked up, and what was changed."""
_ENOUGH = ("Done", "Here", "Noted", "Saved", "Found", "Good news", "Sorry", "-")
"""Beginnings of answers before which nothing stands."""


def tell(talk: Transcript, told: Sequence[ReportedCall], answer: Pieces) -> None:
    """Begin the message, now and then, if its answers are all of one kind, and the first is a sentence for any result of its call."""
    one, is_mixed = told[0], len({each.book.looks_up for each in told}) > 1
    if talk.assistant is not None or talk.style.is_brief or is_mixed or isinstance(answer[0], str):
        return
    text, _, uses = answer[0]
    forms = [form for _, form, _ in uses]
    if all(isinstance(form, AnswerSentence) and not _depends(form, one.book.spec) for form in forms):
        _open(talk, one, text, is_one=len(told) == 1 and not one.book.spec.phrases.each)


def before_a_list(talk: Transcript, one: ReportedCall, sentence: AnswerSentence, lead: str) -> None:
    """Begin the message, now and then, before the beginning of an answer and the lines that follow it."""
    if talk.assistant is None and not talk.style.is_brief and not _depends(sentence, one.book.spec):
        _open(talk, one, lead, is_one=False)


def _open(talk: Transcript, one: ReportedCall, text: str, *, is_one: bool) -> None:
    looks_up = one.book.looks_up
    if not text.startswith(_ENOUGH) and talk.draw.chance(_OPENED[looks_up]):
        talk.tell_apart((talk.draw.choice(_forms_of(looks_up, is_one)), [], []), one.call.id, "opened")


def _depends(form: AnswerSentence, spec: ToolSpec) -> bool:
    """Whether a sentence is only for some results of a change, such as those of a trial in which nothing is changed."""
    if spec.looks_up:
        return False
    known = _of_the_call(spec)
    return any(not slot.startswith(OF_CALL) and slot not in known for slot, _ in form.made_of[1])


@once_per_tool
def _of_the_call(spec: ToolSpec) -> frozenset[str]:
    """Return the fields of a result that do not tell how the call went: those with one value, and those that its arguments alone decide."""
    fields = (spec.returns or {}).get("properties", {})
    return frozenset(name for name, leaf in fields.items() if isinstance(leaf, dict) and _is_of_the_call(spec, leaf))


def _is_of_the_call(spec: ToolSpec, leaf: dict[str, Any]) -> bool:
    if "x-compute" in leaf:
        _, reads = compile_expression(str(leaf["x-compute"]), spec.declared.tables, spec.declared.entities)
        return not reads.properties
    return "x-from" in leaf or "const" in leaf or len(leaf.get("enum", ())) == 1


def _forms_of(looks_up: bool, is_one: bool) -> tuple[str, ...]:
    """Return what may stand before an answer; "Found it" is said of one thing only."""
    if not looks_up:
        return FORMS["of_a_change"]
    return (*FORMS["of_a_look_up"], *FORMS["of_one_look_up"]) if is_one else FORMS["of_a_look_up"]


def _forms(sentence: Sentence) -> Iterator[str]:
    spec = sentence.made.spec
    if sentence.text in _forms_of(spec.looks_up, not spec.phrases.each):
        yield sentence.text


def _faults(sentence: Sentence) -> Iterator[str]:
    made, index = sentence.made, sentence.index
    behind = [use.calls for use in sentence.ledger.uses.get(index, ()) if use.start > sentence.end]
    if sentence.start or made.failed or not made.told_at < index:
        yield "nothing has come of the call, or the message does not begin there"
    elif made.id not in (behind[0] if behind else ()) and not sentence.ledger.tells(index, made, "listed"):
        yield "what comes of the call does not follow"


ACTS = (Act("opened", "assistant", "PF142", _forms, _faults),)
