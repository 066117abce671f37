"""The story of one row. Start reading here.

A row is a pure function of (recipe, tools, seed, index). A scenario yields events (the user asks, calls are made, results
are told); running them draws the arguments and has the calls answered; the events are worded; the finished conversation
is proven by code that did not write it. What fails is kept as a rejected row, and the row is tried again with another
random stream.
"""

from datetime import date

import msgspec

from generator.conversation import Conversation, Proof, Row, Violation, later_system, refused_calls
from generator.errors import RowError
from generator.execution.state import state_of
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.planning import Story
from generator.run.conduct import conduct, replay, world_of
from generator.run.coverage_targets import scene_of
from generator.run.judge import JUDGED_ATTEMPTS, judge_row, kept_below, too_low
from generator.run.length_limit import fit, too_long
from generator.run.offer import choose_offer, choose_system
from generator.run.overlays import say_a_word, show_under_other_names, write_in_register
from generator.run.prepared import PreparedRecipe, prepare
from generator.run.reword import reword
from generator.run.training import mark_training
from generator.run.uses import Uses
from generator.scenarios import DocumentScenario, Scenario
from generator.scenarios.shape import shape_of
from generator.seeds import Draw, stream_seed
from generator.validation import check_record
from generator.validation.proof.check import check_row, violations_of
from generator.validation.proof.documents import check_document
from generator.wording import word
from generator.wording.thoughts import think

__all__ = ["MadeRow", "PreparedRecipe", "RejectedRow", "make_row", "prepare"]

ATTEMPTS = 25
"""How often a row is tried before the run stops: each try fails only by bad luck, so this is never reached by
recipes that can work."""


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that did not pass."""

    index: int
    attempt: int
    violations: tuple[Violation, ...]


class MadeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row, its DeepFabric record, and the attempts that failed before it."""

    row: Row
    record: dict[str, object]
    rejected: tuple[RejectedRow, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    """What became of a model's answers in this attempt, not in those before it: (use, outcome) pairs."""


def make_row(prepared: PreparedRecipe, index: int) -> MadeRow:
    """Make row `index`; raises RowError when every attempt fails."""
    prepared = prepared.for_row(index)
    rejected: list[RejectedRow] = []
    low: dict[int, MadeRow] = {}
    for attempt in range(ATTEMPTS):
        made = _attempt(prepared, index, attempt)
        if isinstance(made, MadeRow):
            violations = [] if prepared.uses is None else too_low(prepared.uses, made.row.judgement)
            if not violations:
                return msgspec.structs.replace(made, rejected=tuple(rejected)) if rejected else made
            low[attempt] = made
        else:
            violations = made
        rejected.append(RejectedRow(index=index, attempt=attempt, violations=tuple(violations)))
        if len(low) == JUDGED_ATTEMPTS:
            break
    if low:
        return _best(low, rejected)
    last = rejected[-1].violations[0]
    raise RowError(f"row {index}: none of {ATTEMPTS} attempts passed; the last one: {last.rule} {last.message}")


def _attempt(prepared: PreparedRecipe, index: int, attempt: int) -> MadeRow | list[Violation]:
    """Make one attempt: return the row, or why it was rejected."""
    draw, scenario = start_row(prepared, index)
    if attempt:
        draw.reseed(stream_seed(prepared.recipe.seed, "row", index, attempt), draw.today)
    if prepared.uses is not None:
        prepared.uses.asker.notes.clear()
    if isinstance(scenario, DocumentScenario):
        return _document_row(prepared, index, scenario, draw)
    recipe, today, salt = prepared.recipe, draw.today, stream_seed(prepared.recipe.seed, "world", index)
    try:
        scene = scene_of(prepared, scenario, draw, index, attempt)
        note = choose_system(prepared, draw, today)
        with prepared.backend.open(today, salt) as world:
            events = conduct(scenario, scene, world, note)
            state = state_of(world)
    except RowError as fault:  # the values that were drawn do not fit
        return [Violation("PL101", "$", str(fault))]
    story = Story(events=events, offered=choose_offer(prepared, scenario, events, draw))
    worded = word(story, prepared.books, draw, today)
    worded = say_a_word(worded, recipe.overlays, prepared.toolbox, recipe.seed, index)
    conversation, proof, tags = _in_other_words(prepared, index, worded, today)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw)
    conversation = fit(conversation, recipe)
    shown = show_under_other_names((conversation, proof), recipe.overlays, recipe.seed, index)
    record = DEEPFABRIC.render(shown.conversation)
    violations = _check(prepared, scenario, conversation, proof, record, worded)
    violations += [*shown.faults, *too_long(shown.conversation, recipe)]
    if not violations:
        with prepared.backend.open(today, salt) as world:
            violations = replay(conversation, world_of(scenario, scene, world), state)
    if violations:
        return violations
    left = "" if state is None else state.digest()
    row = Row(
        index=index,
        scenario=scenario.name,
        conversation=shown.conversation,
        proof=shown.proof,
        tags=(*tags, *_tags_of(scenario, conversation, proof), *shown.tags),
        state=left,
        renamed=shown.renamed,
    )
    return MadeRow(row=row, record=record) if prepared.uses is None else _judged(MadeRow(row=row, record=record), prepared.uses)


def _tags_of(scenario: Scenario, conversation: Conversation, proof: Proof) -> tuple[str, ...]:
    """Return what the scenario says of a finished conversation besides its kind."""
    return () if scenario.tags is None else scenario.tags(shape_of(conversation, proof))


def start_row(prepared: PreparedRecipe, index: int) -> tuple[Draw, Scenario | DocumentScenario]:
    """Return the row's random stream with its day, and its scenario; the last two hold for every attempt."""
    first, last = prepared.recipe.today
    draw = Draw(stream_seed(prepared.recipe.seed, "row", index), first)
    rand, low = draw.rand, first.toordinal()
    draw.today = date.fromordinal(low + int(rand() * (last.toordinal() - low + 1)))
    return draw, prepared.scenario_at(rand())


def _check(
    prepared: PreparedRecipe,
    scenario: Scenario,
    conversation: Conversation,
    proof: Proof,
    record: dict[str, object],
    worded: tuple[Conversation, Proof],
) -> list[Violation]:
    """Return all faults of a finished row. `worded` is the row in the templates' words."""
    violations = _faults_of(record, conversation)
    offered = msgspec.structs.replace(worded[0], tools=conversation.tools)  # without those for which there is no room
    violations += violations_of(check_row(offered, worded[1], prepared.toolbox))
    if proof is not worded[1] and prepared.uses is not None:  # a model's words are not made of the tools' phrases
        violations += violations_of(check_row(conversation, proof, prepared.toolbox, phrases=False))
    fault = scenario.holds(shape_of(conversation, proof))
    if fault is not None:
        violations.append(Violation("SC101", "$", f"not {scenario.name}: {fault}"))
    return violations


def _faults_of(record: dict[str, object], conversation: Conversation) -> list[Violation]:
    """Return violations of the rules, except those for which DeepFabric's files leave out the row.

    These are arguments of calls that are not to be learnt because they were refused, and later system messages.
    """
    refused = tuple([f"$.messages[{at}].tool_calls" for at in refused_calls(conversation)])
    later = {f"$.messages[{at}]" for at in later_system(conversation)}
    return [
        fault
        for fault in check_record(record)
        if not (fault.rule == "DF202" and fault.path.startswith(refused)) and not (fault.rule == "DF501" and fault.path in later)
    ]


def _in_other_words(
    prepared: PreparedRecipe, index: int, worded: tuple[Conversation, Proof], today: date
) -> tuple[Conversation, Proof, tuple[str, ...]]:
    """Return the row in a register or in a model's words, if the recipe asks for them and they pass, and its tags."""
    if prepared.uses is None or prepared.uses.wording is None:
        return write_in_register(worded, prepared.recipe.overlays, prepared.toolbox, prepared.recipe.seed, index)
    manner = Draw(stream_seed(prepared.recipe.seed, "manner", index), today)
    return reword(prepared.uses, *worded, prepared.toolbox, manner)


def _document_row(
    prepared: PreparedRecipe, index: int, scenario: DocumentScenario, draw: Draw
) -> MadeRow | list[Violation]:
    """A row that is a document: it has no conversation, and so no DeepFabric record."""
    plan = scenario.write(prepared.toolkit, draw)
    violations = check_document(plan.document, [source.text for source in prepared.toolkit.sources.texts])
    if violations:
        return violations
    nothing = Conversation(messages=())
    row = Row(
        index=index, scenario=plan.scenario, conversation=nothing, proof=Proof(), tags=plan.tags, document=plan.document
    )
    return MadeRow(row=row, record={})


def _judged(made: MadeRow, uses: Uses) -> MadeRow:
    """Return the row with a model's judgement, if the recipe asks for one, and the outcomes of all answers."""
    judgement = None if uses.judge is None else judge_row(uses, made.row.conversation)
    row = msgspec.structs.replace(made.row, judgement=judgement)
    return msgspec.structs.replace(made, row=row, notes=tuple(uses.asker.notes))


def _best(low: dict[int, MadeRow], rejected: list[RejectedRow]) -> MadeRow:
    """Return the first row with the highest score, so that a judge who rejects all attempts does not end the run."""
    kept, made = max(low.items(), key=lambda pair: pair[1].row.judgement.score if pair[1].row.judgement else 0)
    others = tuple(row for row in rejected if row.attempt != kept)
    return msgspec.structs.replace(made, rejected=others, notes=kept_below(made.notes))
