"""All checks of a finished row: rules, limits, proof, the scenario's own promise, and the replay; and what is handed on of one that passed."""

from collections.abc import Iterator

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Row, Violation, failed_messages, later_system
from generator.core.profiles import PROFILES
from generator.core.seeds import Draw
from generator.dialogue.acts.check import check_row, violations_of
from generator.dialogue.proof.styles import style_faults
from generator.formats.files.validate import limits_exceeded
from generator.formats.rules import check_document, check_record
from generator.run.overlays import OverlaidRow
from generator.run.overlays.preferences import write_preferences
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt, MadeRow, RejectedRow, refused
from generator.run.stages.conduct import replay
from generator.run.stages.events import RowEvents
from generator.run.stages.shortened import CUT
from generator.run.stages.words import WordedRow
from generator.scenarios import DocumentScenario
from generator.scenarios.policies.compliance import breaches, read_transcript, unmade_calls
from generator.scenarios.shape import conversation_shape
from generator.tools.invariants import answered_calls, contradictions


def faults_of(
    prepared: PreparedRecipe, row_events: RowEvents, worded: WordedRow, record: dict[str, object]
) -> list[Violation]:
    """Return all faults that a reader of the row finds; `record` is its DeepFabric record."""
    conversation = worded.conversation
    plain, claims = worded.plain
    violations = faults_of_record(prepared, record, conversation)
    offered = msgspec.structs.replace(plain, tools=conversation.tools)  # without those for which there is no room
    violations += violations_of(check_row(offered, claims, prepared.toolbox))
    if row_events.scenario is not None:
        shape = conversation_shape(conversation, worded.proof, prepared.toolkit.making)
        violations += [Violation("SC101", "$", fault) for fault in row_events.scenario.faults(shape)]
    if row_events.rules is not None:
        violations += faults_of_policy(prepared, conversation, worded.proof)
    return [*violations, *style_faults(conversation), *faults_of_calls(prepared, conversation)]


def faults_of_policy(prepared: PreparedRecipe, conversation: Conversation, proof: Proof) -> Iterator[Violation]:
    """Yield breaches of the clauses that the system message states."""
    left = unmade_calls(conversation, proof)
    for breach in breaches(read_transcript(conversation, prepared.toolkit.policies, prepared.toolbox, *left)):
        yield Violation("PO101", f"$.messages[{breach.at}]", f"{breach.kind}: {breach.what}")


def faults_of_calls(prepared: PreparedRecipe, conversation: Conversation) -> Iterator[Violation]:
    """Yield what is wrong with calls and results, whoever made the calls."""
    yield from _broken_groups(prepared, conversation)
    yield from _contradictions(prepared, conversation)


def _contradictions(prepared: PreparedRecipe, conversation: Conversation) -> Iterator[Violation]:
    """Yield what the results say that cannot all be so."""
    for contradiction in (
        contradictions(prepared.invariants, answered_calls(conversation)) if prepared.invariants else ()
    ):
        yield Violation("WD101", f"$.messages[{contradiction.message}]", f"{contradiction.tool}: {contradiction.text}")


def faults_of_record(
    prepared: PreparedRecipe, record: dict[str, object], conversation: Conversation
) -> list[Violation]:
    """Return what of a row's DeepFabric record breaks the rules, or the limits of the recipe's profile."""
    violations = _broken_rules(record, conversation)
    if prepared.recipe.profile:
        violations += limits_exceeded(record, PROFILES[prepared.recipe.profile])
    return violations


def _broken_groups(prepared: PreparedRecipe, conversation: Conversation) -> Iterator[Violation]:
    """Yield calls without an argument that goes together with one that they have, except those that were refused."""
    refused = failed_messages(conversation)
    for at, message in enumerate(conversation.messages):
        if not isinstance(message, AssistantMessage) or at in refused:
            continue
        for call_index, call in enumerate(message.tool_calls):
            spec = prepared.toolbox.get(call.name)
            for fault in spec.groups.broken(call.arguments) if spec is not None and spec.groups else ():
                yield Violation("SC102", f"$.messages[{at}].tool_calls[{call_index}]", f"{call.name}: {fault}")


def _broken_rules(record: dict[str, object], conversation: Conversation) -> list[Violation]:
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


def replayed(prepared: PreparedRecipe, row_events: RowEvents, conversation: Conversation) -> list[Violation]:
    """Make the row's calls again in a new world; what became of a model's answers is not counted a second time."""
    notes = [] if prepared.uses is None else prepared.uses.asker.notes
    counted = len(notes)
    with prepared.backend.open(row_events.today, row_events.salt) as world:
        violations = replay(conversation, row_events.world(world), row_events.state)
    del notes[counted:]
    return violations


def finished_row(
    prepared: PreparedRecipe, attempt: Attempt, row_events: RowEvents, worded: WordedRow, shown: OverlaidRow, draw: Draw
) -> Row:
    """Return a row that passed all checks, with the rejected conversations beside it where a format writes them."""
    scenario, twin, state = row_events.scenario, attempt.twin, row_events.state
    plain = worded.conversation, worded.proof
    tags = [*worded.tags, *shown.tags]
    if prepared.said_by_name and scenario is not None:
        tags += ["said_by_name"] * (not prepared.said_by_name.isdisjoint(called_tools(worded.plain[0])))
    if twin is not None:
        tags.append(f"twin:{twin.member}")
    elif row_events.pair is not None:
        tags.append("twin:called" if row_events.pair.is_first else "twin:idle")
    return Row(
        index=attempt.index,
        scenario=row_events.name,
        conversation=shown.conversation,
        proof=shown.proof,
        tags=tuple(tags),
        state="" if state is None else state.digest(),
        renamed=shown.renamed,
        family=twin.family if twin is not None else None if row_events.pair is None else row_events.pair.pair,
        preferences=write_preferences(prepared, row_events.salt, attempt.index, plain, shown, state, draw)
        if prepared.writes_preferences and CUT not in shown.tags
        else (),
    )


def called_tools(conversation: Conversation) -> list[str]:
    """Return the tools that are called, in order."""
    messages = conversation.messages
    return [call.name for message in messages if type(message) is AssistantMessage for call in message.tool_calls]


def write_document(
    prepared: PreparedRecipe, attempt: Attempt, scenario: DocumentScenario, draw: Draw
) -> MadeRow | RejectedRow:
    """Return a row that is a document, or why it was rejected."""
    plan = scenario.write(prepared.toolkit, draw)
    violations = check_document(plan.document, [source.text for source in prepared.toolkit.sources.texts])
    if violations:
        return refused(attempt, violations, (), plan.scenario)
    row = Row(
        index=attempt.index,
        scenario=plan.scenario,
        conversation=Conversation(messages=()),
        proof=Proof(),
        tags=plan.tags,
        document=plan.document,
    )
    return MadeRow(row=row, record={})
