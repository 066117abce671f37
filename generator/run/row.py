"""The story of one row. Start reading here.

A row is a pure function of (recipe, tools, seed, index). A scenario yields events (the user asks, calls are made, results
are told); running them draws the arguments and has the calls answered; the events are worded; the finished conversation
is proven by code that did not write it. What fails is kept as a rejected row, and the row is tried again with another
random stream.
"""

import re
from collections.abc import Iterable
from datetime import date

import msgspec

from generator.conversation import AssistantMessage, Conversation, Proof, Row, Violation, failed_messages, later_system
from generator.data.profile_limits import limits_exceeded
from generator.errors import GeneratorError, RowError
from generator.execution.outcome import World
from generator.execution.state import State, state_of
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.planning import Event, Story
from generator.profiles import PROFILES
from generator.run.conduct import conduct, replay, world_of
from generator.run.coverage_targets import scene_of
from generator.run.judge import JUDGED_ATTEMPTS, judge_row, kept_below, too_low
from generator.run.length_limit import CODE as TOO_LONG
from generator.run.length_limit import fit_length, too_long
from generator.run.offer import choose_offer, choose_system
from generator.run.overlays import OverlaidRow, scramble_names, write_beside_calls, write_in_register
from generator.run.preferences import weigh_defects, write_preferences, writes_preferences
from generator.run.prepared import PreparedRecipe, prepare
from generator.run.reword import reword
from generator.run.training import mark_training
from generator.run.twins import FamilyPlan, Twin, family_plan, twin_at
from generator.run.uses import Uses
from generator.scenarios import DocumentScenario, Scenario, Scene
from generator.scenarios.shape import conversation_shape
from generator.seeds import Draw, stream_seed
from generator.validation import check_record
from generator.validation.documents import check_document
from generator.validation.proof.check import check_row, violations_of
from generator.wording import word
from generator.wording.thoughts import think

__all__ = ["MadeRow", "PreparedRecipe", "RejectedRow", "make_row", "prepare"]

ATTEMPTS = 25
"""Attempts at a row before it is drawn anew: each fails only by chance, so most recipes never reach this number."""
DRAWS = 3
"""How often a row is drawn, each time with another scenario if there is one, before it counts as failed."""
LONG_ATTEMPTS = 8
"""Attempts at a row that may be rejected for their length; then one is accepted, and formats in which it is too long leave it out."""


_NO_RECORD: dict[str, object] = {}


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that did not pass."""

    index: int
    attempt: int
    violations: tuple[Violation, ...]
    tools: tuple[str, ...] = ()
    """The tools that it called, or that the first violation names."""
    scenario: str = ""
    record: dict[str, object] = {}
    """Its DeepFabric record, if it came so far."""


class MadeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row, its DeepFabric record, and the attempts that failed before it."""

    row: Row
    record: dict[str, object]
    rejected: tuple[RejectedRow, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    """(use, outcome) pairs of a model's answers in this attempt, not in earlier ones."""
    plan: FamilyPlan | None = None
    """What the other rows of a family of twins take from this one, if it is the first."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a row."""

    index: int
    number: int = 0
    twin: Twin | None = None
    """The row's place in its family, where rows have twins."""
    short: bool = False
    """Whether the lists in results are as short as the tools' own limits make them."""
    any_length: bool = False
    """Whether the row may be longer than the recipe allows; formats in which it is too long leave it out."""

    @property
    def origin(self) -> int:
        """The row whose random streams it begins with: its own, or that of the first of its family."""
        return self.index if self.twin is None else self.twin.first


def make_row(prepared: PreparedRecipe, index: int) -> MadeRow:
    """Make row `index`; raises RowError when every attempt fails."""
    prepared = prepared.for_row(index)
    if prepared.defects is None and writes_preferences(prepared.recipe):
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
            made = _refused(attempt, [Violation("PL103", "$", f"{type(fault).__name__}: {fault}")], ())
        if isinstance(made, MadeRow):
            violations = [] if prepared.uses is None else too_low(prepared.uses, made.row.judgement)
            if not violations:
                return msgspec.structs.replace(made, rejected=tuple(rejected)) if rejected else made
            low_scored[number] = made
            made = _refused(attempt, violations, (), made.row.scenario, made.record)
        too_long_ones += any(violation.rule == TOO_LONG for violation in made.violations)
        rejected.append(made)
        if len(low_scored) == JUDGED_ATTEMPTS:
            break
    if low_scored:
        return _best(low_scored, rejected)
    last = rejected[-1].violations[0]
    tried = f"none of {len(rejected)} attempts passed; the last one: {last.rule} {last.message}"
    raise RowError(f"row {index}: {tried}", tuple(rejected))


def _refused(
    attempt: Attempt,
    violations: list[Violation],
    tools: Iterable[str],
    scenario: str = "",
    record: dict[str, object] = _NO_RECORD,
) -> RejectedRow:
    return RejectedRow(
        index=attempt.index,
        attempt=attempt.number,
        violations=tuple(violations),
        tools=tuple(dict.fromkeys(tools)),
        scenario=scenario,
        record=record,
    )


def _attempt(prepared: PreparedRecipe, attempt: Attempt) -> MadeRow | RejectedRow:
    """Make one attempt: return the row, or why it was rejected."""
    draw, scenario = _start(prepared, attempt)
    if prepared.uses is not None:
        prepared.uses.asker.notes.clear()
    if isinstance(scenario, DocumentScenario):
        return _document_row(prepared, attempt, scenario, draw)
    recipe, today, index, twin = prepared.recipe, draw.today, attempt.origin, attempt.twin
    salt = stream_seed(prepared.seed, "world", index)
    try:
        scene, events, state = _conduct(prepared, scenario, attempt, draw, salt)
    except RowError as fault:  # the values that were drawn do not fit
        named = [word for word in re.findall(r"[\w.-]+", str(fault)) if word.rstrip(".") in prepared.toolbox]
        return _refused(
            attempt, [Violation("PL101", "$", str(fault))], [word.rstrip(".") for word in named], scenario.name
        )
    worded = _word(prepared, scenario, attempt, events, draw)
    conversation, proof, tags = _in_other_words(prepared, index, worded, today)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw)
    conversation = fit_length(conversation, recipe)
    shown = scramble_names((conversation, proof), recipe.overlays, prepared.seed, index)
    record = DEEPFABRIC.render(shown.conversation)
    violations = _check(prepared, scenario, conversation, proof, record, worded)
    violations += [*shown.faults, *([] if attempt.any_length else too_long(shown.conversation, recipe))]
    if not violations and recipe.replays(index):
        with prepared.backend.open(today, salt) as world:
            violations = _replayed(prepared, conversation, world_of(scenario, scene, world), state)
    if violations:
        return _refused(attempt, violations, _called(conversation), scenario.name, record)
    row = Row(
        index=attempt.index,
        scenario=scenario.name,
        conversation=shown.conversation,
        proof=shown.proof,
        tags=(
            *tags,
            *_tags_of(scenario, conversation, proof),
            *shown.tags,
            *([] if twin is None else [f"twin:{twin.member}"]),
        ),
        state="" if state is None else state.digest(),
        renamed=shown.renamed,
        family=None if twin is None else twin.family,
        preferences=_preferences(prepared, attempt, (conversation, proof), shown, state, draw),
    )
    plan = None if twin is None else twin.plan or family_plan(conversation, state, attempt.number)
    made = MadeRow(row=row, record=record, plan=plan)
    return made if prepared.uses is None else _judged(made, prepared.uses)


def _called(conversation: Conversation) -> list[str]:
    messages = conversation.messages
    return [call.name for message in messages if type(message) is AssistantMessage for call in message.tool_calls]


def _replayed(
    prepared: PreparedRecipe, conversation: Conversation, world: World, state: State | None
) -> list[Violation]:
    """Replay the row; what became of a model's answers is not counted a second time."""
    notes = [] if prepared.uses is None else prepared.uses.asker.notes
    counted = len(notes)
    violations = replay(conversation, world, state)
    del notes[counted:]
    return violations


def _start(prepared: PreparedRecipe, attempt: Attempt) -> tuple[Draw, Scenario | DocumentScenario]:
    """Return the random stream of an attempt, and the row's scenario."""
    draw, scenario = start_row(prepared, attempt.origin, attempt.number // ATTEMPTS)
    twin, number = attempt.twin, attempt.number
    if twin is not None:
        scenario, number = twin.scenario, number if twin.plan is None else twin.plan.attempt
    if number:
        draw.reseed(stream_seed(prepared.seed, "row", attempt.origin, number), draw.today)
    return draw, scenario


def _conduct(
    prepared: PreparedRecipe, scenario: Scenario, attempt: Attempt, draw: Draw, salt: int
) -> tuple[Scene, tuple[Event, ...], State | None]:
    """Run the row's events in a world of its own; raises RowError when the values drawn do not fit."""
    scene = scene_of(prepared, scenario, draw, attempt.origin, attempt.number)
    scene = msgspec.structs.replace(scene, short=attempt.short)
    note, twin = choose_system(prepared, draw, draw.today), attempt.twin
    if twin is not None:
        scene = twin.scene(scene, prepared.seed, attempt.number)
    with prepared.backend.open(draw.today, salt) as world:
        if twin is not None:
            twin.furnish(world)
        events = conduct(scenario, scene, world, note)
        state = state_of(world)
    if twin is not None:
        twin.check(events, scene)
    return scene, events, state


def _word(
    prepared: PreparedRecipe, scenario: Scenario, attempt: Attempt, events: tuple[Event, ...], draw: Draw
) -> tuple[Conversation, Proof]:
    """Choose the tools on offer, and return the events in words with the claims about them."""
    recipe = prepared.recipe
    story = Story(events=events, offered=choose_offer(prepared, scenario, events, draw))
    if attempt.twin is not None:
        draw.reseed(attempt.twin.words(prepared.seed, attempt.number), draw.today)
    worded = word(story, prepared.books, draw, draw.today)
    return write_beside_calls(worded, recipe.overlays, prepared.toolbox, prepared.seed, attempt.origin)


def _preferences(
    prepared: PreparedRecipe,
    attempt: Attempt,
    worded: tuple[Conversation, Proof],
    shown: OverlaidRow,
    state: State | None,
    draw: Draw,
) -> tuple[Conversation, ...]:
    """Return the rejected conversations of the row; none unless a format of the recipe writes them."""
    if not writes_preferences(prepared.recipe):
        return ()
    return write_preferences(prepared, attempt.index, worded, shown, state, draw)


def _tags_of(scenario: Scenario, conversation: Conversation, proof: Proof) -> tuple[str, ...]:
    """Return what the scenario says of a finished conversation besides its kind."""
    return () if scenario.tags is None else scenario.tags(conversation_shape(conversation, proof))


def start_row(prepared: PreparedRecipe, index: int, drawn: int = 0) -> tuple[Draw, Scenario | DocumentScenario]:
    """Return the row's random stream with its day, which holds for every attempt, and the scenario.

    Args:
        prepared: The recipe.
        index: Which row.
        drawn: How often it was drawn before; each time it has another scenario, as long as there are others.
    """
    first, last = prepared.recipe.today
    draw = Draw(stream_seed(prepared.seed, "row", index), first)
    rand, low = draw.rand, first.toordinal()
    draw.today = date.fromordinal(low + int(rand() * (last.toordinal() - low + 1)))
    scenario = prepared.scenario_at(rand())
    if not drawn:
        return draw, scenario
    before, anew = [scenario], Draw(stream_seed(prepared.seed, "scenario", index), draw.today)
    for _ in range(drawn):
        before.append(prepared.scenario_at(anew.rand(), without=before))
    return draw, before[-1]


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
    if prepared.recipe.profile:
        violations += limits_exceeded(record, PROFILES[prepared.recipe.profile])
    offered = msgspec.structs.replace(worded[0], tools=conversation.tools)  # without those for which there is no room
    violations += violations_of(check_row(offered, worded[1], prepared.toolbox))
    if proof is not worded[1] and prepared.uses is not None:  # a model's words are not made of the tools' phrases
        violations += violations_of(check_row(conversation, proof, prepared.toolbox, phrases=False))
    fault = scenario.holds(conversation_shape(conversation, proof))
    if fault is not None:
        violations.append(Violation("SC101", "$", f"not {scenario.name}: {fault}"))
    return violations


def _faults_of(record: dict[str, object], conversation: Conversation) -> list[Violation]:
    """Return violations of the rules, except those for which DeepFabric's files leave out the row.

    These are arguments of calls that are not to be learnt because they were refused, and later system messages.
    """
    refused = tuple([f"$.messages[{at}].tool_calls" for at in failed_messages(conversation)])
    later = {f"$.messages[{at}]" for at in later_system(conversation)}
    return [
        fault
        for fault in check_record(record)
        if not (fault.rule == "DF202" and fault.path.startswith(refused))
        and not (fault.rule == "DF501" and fault.path in later)
    ]


def _in_other_words(
    prepared: PreparedRecipe, index: int, worded: tuple[Conversation, Proof], today: date
) -> tuple[Conversation, Proof, tuple[str, ...]]:
    """Return the row in a register or in a model's words, if the recipe asks for them and they pass, and its tags."""
    if prepared.uses is None or prepared.uses.wording is None:
        return write_in_register(worded, prepared.recipe.overlays, prepared.toolbox, prepared.seed, index)
    manner = Draw(stream_seed(prepared.seed, "manner", index), today)
    return reword(prepared.uses, *worded, prepared.toolbox, manner)


def _document_row(
    prepared: PreparedRecipe, attempt: Attempt, scenario: DocumentScenario, draw: Draw
) -> MadeRow | RejectedRow:
    """Return a row that is a document: it has no conversation, and so no DeepFabric record."""
    plan = scenario.write(prepared.toolkit, draw)
    violations = check_document(plan.document, [source.text for source in prepared.toolkit.sources.texts])
    if violations:
        return _refused(attempt, violations, (), plan.scenario)
    row = Row(
        index=attempt.index,
        scenario=plan.scenario,
        conversation=Conversation(messages=()),
        proof=Proof(),
        tags=plan.tags,
        document=plan.document,
    )
    return MadeRow(row=row, record={})


def _judged(made: MadeRow, uses: Uses) -> MadeRow:
    """Return the row with a model's judgement, if the recipe asks for one, and the outcomes of all answers."""
    judgement = None if uses.judge is None else judge_row(uses, made.row.conversation)
    row = msgspec.structs.replace(made.row, judgement=judgement)
    return msgspec.structs.replace(made, row=row, notes=tuple(uses.asker.notes))


def _best(low_scored: dict[int, MadeRow], rejected: list[RejectedRow]) -> MadeRow:
    """Return the first row with the highest score, so that a judge who rejects all attempts does not end the run."""
    kept, made = max(low_scored.items(), key=lambda pair: pair[1].row.judgement.score if pair[1].row.judgement else 0)
    others = tuple(row for row in rejected if row.attempt != kept)
    return msgspec.structs.replace(made, rejected=others, notes=kept_below(made.notes))
