"""A row that passed all checks, as it is handed on."""

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Row
from generator.core.seeds import Draw
from generator.formats.rules.documents import check_document
from generator.run.overlays import OverlaidRow
from generator.run.overlays.preferences import write_preferences
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt, MadeRow, RejectedRow, refused
from generator.run.stages.events import RowEvents
from generator.run.stages.words import WordedRow
from generator.scenarios import DocumentScenario
from generator.scenarios.shape import conversation_shape


def finished_row(
    prepared: PreparedRecipe, attempt: Attempt, told: RowEvents, worded: WordedRow, shown: OverlaidRow, draw: Draw
) -> Row:
    """Return a row that passed all checks, with the rejected conversations beside it where a format writes them."""
    scenario, twin, state = told.scenario, attempt.twin, told.state
    plain = worded.conversation, worded.proof
    tags = [
        *worded.tags,
        *([] if scenario is None or scenario.tags is None else scenario.tags(conversation_shape(*plain))),
        *shown.tags,
    ]
    if prepared.said_by_name and scenario is not None:
        tags += ["said_by_name"] * (not prepared.said_by_name.isdisjoint(called_tools(worded.plain[0])))
    return Row(
        index=attempt.index,
        scenario=told.name,
        conversation=shown.conversation,
        proof=shown.proof,
        tags=(*tags, *_tags_of_pair(told)) if twin is None else (*tags, f"twin:{twin.member}"),
        state="" if state is None else state.digest(),
        renamed=shown.renamed,
        family=twin.family if twin is not None else None if told.pair is None else told.pair.pair,
        preferences=write_preferences(prepared, told.salt, attempt.index, plain, shown, state, draw)
        if prepared.writes_preferences
        else (),
    )


def _tags_of_pair(told: RowEvents) -> list[str]:
    return [] if told.pair is None else ["twin:called" if told.pair.is_first else "twin:idle"]


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
