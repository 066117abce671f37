"""Attempts at a row, one after the other, until one passes."""

from collections.abc import Callable

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Judgement, Violation
from generator.core.errors import GeneratorError, RowError
from generator.llm.asking import Request
from generator.llm.reading import ask_for_json, kind_of_fault
from generator.report.files.show import lines_of
from generator.run.prepared import PreparedRecipe, Uses
from generator.run.stages.attempt import ATTEMPTS, DRAWS, LONG_ATTEMPTS, Attempt, MadeRow, RejectedRow, refused
from generator.run.stages.shortened import CODE as TOO_LONG
from generator.run.twins import Twin

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
    """Return the request for a judge's score of a conversation, with the tools that are called in it."""
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


Make = Callable[[PreparedRecipe, Attempt], MadeRow | RejectedRow]
"""Makes one attempt at a row: the row, or why it was rejected."""
_CALLED = " (functions are called, without a network; `backend: schema` makes up their results)"


def first_that_passes(make: Make, prepared: PreparedRecipe, index: int, twin: Twin | None) -> MadeRow:
    """Return the first attempt at a row that passes.

    Raises:
        RowError: when every attempt fails.
    """
    rejected: list[RejectedRow] = []
    low_scored: dict[int, MadeRow] = {}
    """Attempts that pass, but for which the judge's score is below the threshold."""
    too_long_ones = 0
    prepared = prepared if twin is None else twin.offering(prepared)
    for number in range(
        ATTEMPTS if twin is not None else DRAWS * ATTEMPTS
    ):  # the rows of a family have their scenarios
        attempt = Attempt(
            index=index, number=number, twin=twin, short=too_long_ones > 0, any_length=too_long_ones >= LONG_ATTEMPTS
        )
        try:
            made = make(prepared, attempt)
        except (GeneratorError, OSError, MemoryError):
            raise
        except Exception as fault:  # a fault of this program in what it makes of these tools: it costs the attempt
            made = refused(attempt, [Violation("PL103", "$", f"{type(fault).__name__}: {fault}")], ())
        if isinstance(made, MadeRow):
            violations = [] if prepared.uses is None else too_low(prepared.uses, made.row.judgement)
            if not violations:
                return msgspec.structs.replace(made, rejected=tuple(rejected)) if rejected else made
            low_scored[number] = made
            made = refused(attempt, violations, (), made.row.scenario, made.record)
        too_long_ones += any(violation.rule == TOO_LONG for violation in made.violations)
        rejected.append(made)
        if len(low_scored) == JUDGED_ATTEMPTS:
            break
    if low_scored:
        return best_judged(low_scored, rejected)
    last = rejected[-1].violations[0]
    hint = _CALLED if last.rule == "PL101" and prepared.recipe.functions_answer else ""
    tried = f"none of {len(rejected)} attempts passed; the last one: {last.rule} {last.message}{hint}"
    raise RowError(f"row {index}: {tried}", tuple(rejected))
