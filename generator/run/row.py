"""The story of one row. Start reading here.

A row is a pure function of (recipe, tools, seed, index). A scenario yields events (the user asks, calls are made, results
are told); running them draws the arguments and has the calls answered; the events are worded; the finished conversation
is proven by code that did not write it. What fails is kept as a rejected row, and the row is tried again with another
random stream. Each stage is a file of `generator/run/stages`.
"""

import re

import msgspec

from generator.conversation import AssistantMessage, Conversation, Row, Violation
from generator.errors import GeneratorError, RowError
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.run.overlays import OverlaidRow, scramble_names
from generator.run.preferences import weigh_defects, write_preferences
from generator.run.prepared import PreparedRecipe, prepare
from generator.run.stages.attempt import ATTEMPTS, DRAWS, LONG_ATTEMPTS, Attempt, MadeRow, RejectedRow, begin, refused
from generator.run.stages.checking import faults_of, replayed
from generator.run.stages.document import write_document
from generator.run.stages.events import RowEvents, run_events
from generator.run.stages.judge import JUDGED_ATTEMPTS, best_judged, judged, too_low
from generator.run.stages.length_limit import CODE as TOO_LONG
from generator.run.stages.length_limit import too_long
from generator.run.stages.words import WordedRow, put_in_words
from generator.run.twins import Twin, family_plan, twin_at
from generator.scenarios import DocumentScenario
from generator.scenarios.shape import conversation_shape
from generator.seeds import Draw

__all__ = ["MadeRow", "PreparedRecipe", "RejectedRow", "make_row", "prepare"]


def make_row(prepared: PreparedRecipe, index: int) -> MadeRow:
    """Make row `index`; raises RowError when every attempt fails."""
    prepared = prepared.for_row(index)
    if prepared.defects is None and prepared.writes_preferences:
        weigh_defects(prepared, _rejected_of)
    if not prepared.recipe.twins:
        return _make(prepared, index, None)
    twin = twin_at(index, None)
    if twin.first != index:
        twin = twin_at(index, _make(prepared, twin.first, twin_at(twin.first, None)).plan)
    return _make(prepared, index, twin)


def _rejected_of(prepared: PreparedRecipe, index: int) -> tuple[Conversation, ...]:
    """Return the rejected conversations of a row; none where the row cannot be made."""
    try:
        return make_row(prepared, index).row.preferences
    except RowError:
        return ()


def _make(prepared: PreparedRecipe, index: int, twin: Twin | None) -> MadeRow:
    """Return the first attempt at row `index` that passes; `twin` is its place in a family, if it has one."""
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
            made = _attempt(prepared, attempt)
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
    tried = f"none of {len(rejected)} attempts passed; the last one: {last.rule} {last.message}"
    raise RowError(f"row {index}: {tried}", tuple(rejected))


def _attempt(prepared: PreparedRecipe, attempt: Attempt) -> MadeRow | RejectedRow:
    """Make one attempt: return the row, or why it was rejected."""
    draw, scenario = begin(prepared, attempt)
    if prepared.uses is not None:
        prepared.uses.asker.notes.clear()
    if isinstance(scenario, DocumentScenario):
        return write_document(prepared, attempt, scenario, draw)
    try:
        told = run_events(prepared, scenario, attempt, draw)
    except RowError as fault:  # the values that were drawn do not fit
        named = [word.rstrip(".") for word in re.findall(r"[\w.-]+", str(fault))]
        known = [name for name in named if name in prepared.toolbox]
        return refused(attempt, [Violation("PL101", "$", str(fault))], known, scenario.name)
    worded = put_in_words(prepared, told, attempt, draw)
    conversation = worded.conversation
    shown = scramble_names((conversation, worded.proof), prepared.recipe.overlays, prepared.seed, attempt.origin)
    record = DEEPFABRIC.render(shown.conversation)
    violations = [*faults_of(prepared, told, worded, record), *shown.faults]
    if not attempt.any_length:
        violations += too_long(shown.conversation, prepared.recipe)
    if not violations and prepared.recipe.replays(attempt.origin):
        violations = replayed(prepared, told, conversation)
    if violations:
        return refused(attempt, violations, _called(conversation), scenario.name, record)
    row = _row(prepared, attempt, told, worded, shown, draw)
    twin = attempt.twin
    plan = None if twin is None else twin.plan or family_plan(conversation, told.state, attempt.number)
    made = MadeRow(row=row, record=record, plan=plan)
    return made if prepared.uses is None else judged(made, prepared.uses)


def _row(
    prepared: PreparedRecipe, attempt: Attempt, told: RowEvents, worded: WordedRow, shown: OverlaidRow, draw: Draw
) -> Row:
    """Return a row that passed all checks, with the rejected conversations beside it where a format writes them."""
    scenario, twin, state = told.scenario, attempt.twin, told.state
    plain = worded.conversation, worded.proof
    tags = [*worded.tags, *([] if scenario.tags is None else scenario.tags(conversation_shape(*plain))), *shown.tags]
    return Row(
        index=attempt.index,
        scenario=scenario.name,
        conversation=shown.conversation,
        proof=shown.proof,
        tags=tuple(tags) if twin is None else (*tags, f"twin:{twin.member}"),
        state="" if state is None else state.digest(),
        renamed=shown.renamed,
        family=None if twin is None else twin.family,
        preferences=write_preferences(prepared, attempt.index, plain, shown, state, draw)
        if prepared.writes_preferences
        else (),
    )


def _called(conversation: Conversation) -> list[str]:
    messages = conversation.messages
    return [call.name for message in messages if type(message) is AssistantMessage for call in message.tool_calls]
