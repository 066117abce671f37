"""The story of one row. Start reading here.

A row is a pure function of (recipe, tools, seed, index). A scenario yields events (the user asks, calls are made, results
are told); running them draws the arguments and has the calls answered; the events are worded; the finished conversation
is proven by code that did not write it. What fails is kept as a rejected row, and the row is tried again with another
random stream. Each stage is a file of `generator/run/stages`.
"""

import re

from generator.core.conversation import Conversation, Violation
from generator.core.errors import RowError
from generator.core.seeds import Draw
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.recipe.settings import PairPlace, pair_place
from generator.run.no_call import PairedRow, first_possible, without_call
from generator.run.overlays import scramble_names
from generator.run.overlays.preferences import weigh_defects
from generator.run.prepared import PreparedRecipe, prepare
from generator.run.stages.attempt import Attempt, MadeRow, RejectedRow, begin, refused
from generator.run.stages.attempts import first_that_passes, judged
from generator.run.stages.checking import called_tools, faults_of, finished_row, replayed, write_document
from generator.run.stages.events import RowEvents, run_events
from generator.run.stages.scripted import perform_scripts, scripts_of
from generator.run.stages.shortened import too_long, without_early_turns
from generator.run.stages.words import WordedRow, put_in_words
from generator.run.twins import family_plan, twin_at
from generator.scenarios import DocumentScenario, Scenario

__all__ = ["MadeRow", "PreparedRecipe", "RejectedRow", "make_row", "prepare"]


def make_row(prepared: PreparedRecipe, index: int) -> MadeRow:
    """Make row `index`; raises RowError when every attempt fails."""
    prepared = prepared.for_row(index)
    if prepared.defects is None and prepared.writes_preferences:
        weigh_defects(prepared, rejected_of)
    settings = prepared.recipe.no_call
    place = None if settings is None else pair_place(settings, index)
    of_scripts = prepared.scripts is not None and prepared.scripts.at(index, 0) is not None
    if place is not None and not of_scripts:
        return _row_of_pair(prepared, place, index)
    if not prepared.recipe.twins:
        return first_that_passes(_attempt, prepared, index, None)
    twin = twin_at(index, None)
    if twin.first != index:
        twin = twin_at(index, first_that_passes(_attempt, prepared, twin.first, twin_at(twin.first, None)).plan)
    return first_that_passes(_attempt, prepared, index, twin)


def _row_of_pair(prepared: PreparedRecipe, place: PairPlace, index: int) -> MadeRow:
    """Make a row of a pair of which the second one calls nothing."""
    called = PairedRow(index=place.first, member="called", plan=None, place=place)
    first = first_that_passes(_attempt, prepared, place.first, called)
    if place.is_first:
        return first
    assert first.plan is not None
    ways = without_call(prepared, place, index, first.plan)
    return first_possible(ways, lambda way: first_that_passes(_attempt, prepared, index, way))


def rejected_of(prepared: PreparedRecipe, index: int) -> tuple[Conversation, ...]:
    """Return the rejected conversations of a row; none where the row cannot be made."""
    try:
        return make_row(prepared, index).row.preferences
    except RowError:
        return ()


def _attempt(prepared: PreparedRecipe, attempt: Attempt) -> MadeRow | RejectedRow:
    """Make one attempt: return the row, or why it was rejected."""
    draw, scenario = begin(prepared, attempt)
    if prepared.uses is not None:
        prepared.uses.asker.notes.clear()
    if isinstance(scenario, DocumentScenario):
        return write_document(prepared, attempt, scenario, draw)
    try:
        row_events, worded = _in_words(prepared, scenario, attempt, draw)
    except RowError as fault:  # the values that were drawn do not fit, or nobody has words for them
        words = [word.rstrip(".") for word in re.findall(r"[\w.-]+", str(fault))]
        called_in_fault = [name for name in words if name in prepared.toolbox]
        return refused(attempt, [Violation("PL101", "$", str(fault))], called_in_fault, scenario.name)
    conversation = worded.conversation
    origin = attempt.origin
    shown = scramble_names((conversation, worded.proof), prepared.recipe.overlays, prepared.seed, origin)
    record = DEEPFABRIC.render(shown.conversation)
    violations = [*faults_of(prepared, row_events, worded, record), *shown.faults]
    shown, record = without_early_turns(row_events, shown, record, prepared)
    if not attempt.any_length:
        violations += too_long(shown.conversation, prepared.recipe)
    if not violations and prepared.recipe.replays(origin, prepared.backend is prepared.simulated):
        violations = replayed(prepared, row_events, conversation)
    if violations:
        return refused(attempt, violations, called_tools(conversation), scenario.name, record)
    row = finished_row(prepared, attempt, row_events, worded, shown, draw)
    twin = attempt.twin
    plan = None if twin is None else twin.plan or family_plan(conversation, row_events.state, attempt.number)
    made = MadeRow(row=row, record=record, plan=plan, opening=row_events.opening(worded.conversation, worded.proof))
    if prepared.worlds is not None and prepared.uses is not None:
        from generator.run.stages.solve import solved  # episodes only where rows are played

        made = solved(made, prepared)
    return made if prepared.uses is None else judged(made, prepared.uses)


def _in_words(
    prepared: PreparedRecipe, scenario: Scenario, attempt: Attempt, draw: Draw
) -> tuple[RowEvents, WordedRow]:
    """Return what happens in the row and its words: of a script, or of the scenario's events."""
    scripts = scripts_of(prepared, attempt)
    if scripts is not None:
        return perform_scripts(prepared, scripts, attempt, draw)
    row_events = run_events(prepared, scenario, attempt, draw)
    return row_events, put_in_words(prepared, row_events, attempt, draw)
