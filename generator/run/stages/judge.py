"""Have a model score a finished row. A row with a score below the recipe's threshold is made again, a few times."""

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Judgement, Violation
from generator.llm.asking import Request
from generator.llm.reading import ask_for_json, kind_of_fault
from generator.run.prepared import Uses
from generator.run.stages.attempt import MadeRow, RejectedRow
from generator.run.transcript import lines_of

USE = "judge"
CODE = "JD101"
STATEMENT = "The model that judges rows gives this one at least the score of the recipe's `judge.threshold`."
JUDGED_ATTEMPTS = 3
"""Tries that a row has to reach the threshold; then the one with the best score is kept."""
KEPT = (USE, "below the threshold, kept")
_ACCEPTED = (USE, "accepted")
_LONGEST_REASON = 300
_LONGEST_SHOWN = 2000
_SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "minLength": 1, "maxLength": _LONGEST_REASON},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}


def judge_row(uses: Uses, conversation: Conversation) -> Judgement | None:
    """Return the judgement; None when the model gives none that can be used."""
    request = _request(uses, conversation)
    value, _, fault = ask_for_json(uses.asker, request, _SCHEMA)
    if fault:
        again = msgspec.structs.replace(request, nth=1, again=True)
        value, _, fault = ask_for_json(uses.asker, again, _SCHEMA)
    uses.asker.note(USE, kind_of_fault(fault))
    if fault:
        return None
    return Judgement(score=value["score"], reason=" ".join(value["reason"].split()))


def too_low(uses: Uses, judgement: Judgement | None) -> list[Violation]:
    """Return the violation of a score below the threshold."""
    if uses.judge is None or judgement is None or judgement.score >= uses.judge.threshold:
        return []
    return [Violation(CODE, "$", f"score {judgement.score} of 5: {judgement.reason}")]


def judged(made: MadeRow, uses: Uses) -> MadeRow:
    """Return the row with a model's judgement, if the recipe asks for one, and the outcomes of all answers."""
    judgement = None if uses.judge is None or made.left_out else judge_row(uses, made.row.conversation)
    row = msgspec.structs.replace(made.row, judgement=judgement)
    return msgspec.structs.replace(made, row=row, notes=tuple(uses.asker.notes))


def best_judged(low_scored: dict[int, MadeRow], rejected: list[RejectedRow]) -> MadeRow:
    """Return the first row with the highest score, by attempt, so that a judge who rejects all attempts does not end the run."""
    kept, made = max(low_scored.items(), key=lambda pair: pair[1].row.judgement.score if pair[1].row.judgement else 0)
    others = tuple(row for row in rejected if row.attempt != kept)
    notes = tuple(KEPT if note == _ACCEPTED else note for note in made.notes)
    return msgspec.structs.replace(made, rejected=others, notes=notes)


def _request(uses: Uses, conversation: Conversation) -> Request:
    called = {
        call.name
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
    return uses.prompts.judge.ask(
        _SCHEMA,
        USE,
        conversation="\n".join(lines_of(conversation, _LONGEST_SHOWN)),
        tools="\n".join(
            f"- {tool.name}: {tool.description or ''}" for tool in conversation.tools if tool.name in called
        ),
        rubric=uses.judge.rubric if uses.judge else "",
    )
