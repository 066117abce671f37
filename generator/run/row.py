"""The story of one row. Start reading here.

A row is a pure function of (recipe, tools, seed, index): a scenario makes a plan, the plan is carried out (arguments
are drawn, calls are answered), the finished calls are worded, and everything that was said is proven by code that did
not write it. What fails is kept as a rejected row and the row is tried again from another stream.
"""

from datetime import date
from functools import partial

import msgspec

from generator.conversation import Conversation, Proof, Row, Violation
from generator.errors import RowError
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.planning import Plan, PlannedDocument
from generator.run.aiming import AIMED_ATTEMPTS, aimed_plan, aimed_sources
from generator.run.calls import CannotFill, carry_out, replay
from generator.run.judge import JUDGED_ATTEMPTS, judge_row, kept_below, too_low
from generator.run.offer import choose_offer, choose_system
from generator.run.paraphrase import say_anew
from generator.run.training import mark_training
from generator.run.uses import Uses
from generator.run.workshop import Workshop, prepare
from generator.scenarios import Scenario
from generator.scenarios.shape import shape_of
from generator.seeds import Draw, stream_seed
from generator.validation import check_record, is_clean
from generator.validation.phrase_grammar.fragments import check_fragments
from generator.validation.proof.check_proof import check_proof
from generator.validation.proof.documents import check_document
from generator.validation.proof.proven import surely_proven
from generator.wording import word
from generator.wording.thoughts import think

__all__ = ["MadeRow", "RejectedRow", "Workshop", "make_row", "prepare"]

ATTEMPTS = 25
"""How often a row is tried before the run stops: each try fails only by bad luck, so this is never reached by
recipes that can work."""


_NO_TAGS: tuple[str, ...] = ()


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


class Begun(msgspec.Struct):
    """A row of which no more is decided than what it will do."""

    index: int
    draw: Draw
    """The row's own random stream and its day, as far as it has been used."""
    scenario: Scenario
    plan: Plan | None
    """None: a document, or what it aims at is yet to be worked out."""


def make_row(workshop: Workshop, index: int, begun: Begun | None = None) -> MadeRow:
    """Make row `index`, which may have been begun; raises RowError when every attempt fails."""
    rejected: list[RejectedRow] = []
    low: dict[int, MadeRow] = {}
    for attempt in range(ATTEMPTS):
        made = _attempt(workshop, begin(workshop, index, attempt) if attempt or begun is None else begun, attempt)
        if isinstance(made, MadeRow):
            violations = [] if workshop.uses is None else too_low(workshop.uses, made.row.judgement)
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


def _best(low: dict[int, MadeRow], rejected: list[RejectedRow]) -> MadeRow:
    """The first of the rows with the highest score; a judge that likes none does not end the run."""
    kept, made = max(low.items(), key=lambda pair: pair[1].row.judgement.score if pair[1].row.judgement else 0)
    others = tuple(row for row in rejected if row.attempt != kept)
    return msgspec.structs.replace(made, rejected=others, notes=kept_below(made.notes))


def _attempt(workshop: Workshop, begun: Begun, attempt: int) -> MadeRow | list[Violation]:
    """One try: the row, or why it is not one."""
    index, draw, scenario = begun.index, begun.draw, begun.scenario
    uses, recipe, tags = workshop.uses, workshop.recipe, _NO_TAGS
    if uses is not None:
        uses.asker.notes.clear()
    if scenario.write is not None:
        return _document_row(workshop, index, scenario.write(workshop.scene, draw))
    plan, sources = (begun.plan, workshop) if begun.plan is not None else _aimed(workshop, begun, attempt)
    today, salt = draw.today, stream_seed(recipe.seed, "world", index)
    try:
        turns = carry_out(plan, sources, draw, today, salt)
    except (CannotFill, RowError) as fault:  # a RowError: no value could be drawn that fits
        return [Violation("PL101", "$", str(fault))]
    story = choose_offer(workshop, plan, turns, draw, choose_system(workshop, draw, today))
    conversation, proof = worded = word(story, workshop.books, draw)
    if uses is not None and uses.wording is not None:
        manner = Draw(stream_seed(recipe.seed, "manner", index), today)
        conversation, proof, tags = say_anew(uses, conversation, proof, workshop.toolbox, manner)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        conversation = think(conversation, proof, workshop.toolbox, recipe.thoughts, draw)
    record = DEEPFABRIC.render(conversation)
    violations = _check(workshop, scenario, conversation, proof, record, worded)
    if not violations:
        violations = replay(conversation, workshop.backend, today, salt)
    if violations:
        return violations
    row = Row(index=index, scenario=scenario.name, conversation=conversation, proof=proof, tags=tags)
    return MadeRow(row=row, record=record) if uses is None else _judged(MadeRow(row=row, record=record), uses)


def _judged(made: MadeRow, uses: Uses) -> MadeRow:
    """The row with a model's judgement, where the recipe asks for one, and what became of all answers."""
    judgement = None if uses.judge is None else judge_row(uses, made.row.conversation)
    row = msgspec.structs.replace(made.row, judgement=judgement)
    return msgspec.structs.replace(made, row=row, notes=tuple(uses.asker.notes))


def _document_row(workshop: Workshop, index: int, plan: PlannedDocument) -> MadeRow | list[Violation]:
    """A row that is a document: it has no conversation, and so no DeepFabric record."""
    violations = check_document(plan.document, [source.text for source in workshop.scene.sources.texts])
    if violations:
        return violations
    nothing = Conversation(messages=())
    row = Row(
        index=index, scenario=plan.scenario, conversation=nothing, proof=Proof(), tags=plan.tags, document=plan.document
    )
    return MadeRow(row=row, record={})


def _aimed(workshop: Workshop, begun: Begun, attempt: int) -> tuple[Plan, Workshop]:
    """A plan, and where its arguments come from: what coverage wants of this row, as far as that can be."""
    scenario, draw, aims = begun.scenario, begun.draw, workshop.aims
    aim = None if aims is None or attempt >= AIMED_ATTEMPTS else aims.aim(begun.index, partial(_scenario_at, workshop))
    if aims is None or aim is None:
        return scenario.plan(workshop.scene, draw), workshop
    tool, target = aim
    plan, serves = aimed_plan(scenario, workshop.scene, draw, tool, target)
    if not serves:
        return plan, workshop
    sources = aimed_sources(workshop.sources, aims.tools[tool], target)
    return plan, msgspec.structs.replace(workshop, sources=sources)


def begin(workshop: Workshop, index: int, attempt: int = 0, draw: Draw | None = None) -> Begun:
    """Decide what a row will do, with a new stream or that of a row which is finished."""
    draw, scenario = _start(workshop, index, draw)
    if attempt:
        draw.reseed(stream_seed(workshop.recipe.seed, "row", index, attempt), draw.today)
    if scenario.write is not None or workshop.aims is not None:
        return Begun(index, draw, scenario, None)
    return Begun(index, draw, scenario, scenario.plan(workshop.scene, draw))


def _start(workshop: Workshop, index: int, draw: Draw | None = None) -> tuple[Draw, Scenario]:
    """The row's own random stream with its day, and its scenario; the last two are the same for every attempt."""
    first, last = workshop.recipe.today
    seed = stream_seed(workshop.recipe.seed, "row", index)
    if draw is None:
        draw = Draw(seed, first)
    else:
        draw.reseed(seed, first)
    rand, low = draw.rand, first.toordinal()
    draw.today = date.fromordinal(low + int(rand() * (last.toordinal() - low + 1)))
    return draw, workshop.scenario_at(rand())


def _scenario_at(workshop: Workshop, index: int) -> str:
    """The scenario of any row."""
    return _start(workshop, index)[1].name


def _check(
    workshop: Workshop,
    scenario: Scenario,
    conversation: Conversation,
    proof: Proof,
    record: dict[str, object],
    worded: tuple[Conversation, Proof],
) -> list[Violation]:
    """All that is wrong with a finished row: nothing, as a rule. `worded` is the row in the templates' words."""
    violations = [] if is_clean(record) else check_record(record)
    if proof is not worded[1] or not surely_proven(conversation, proof, workshop.toolbox):
        violations += check_proof(conversation, proof, workshop.toolbox)
        violations += check_fragments(*worded, workshop.toolbox)
    fault = scenario.holds(shape_of(conversation, proof))
    if fault is not None:
        violations.append(Violation("SC101", "$", f"not {scenario.name}: {fault}"))
    return violations
