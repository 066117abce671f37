"""A row that passed all checks, as it is handed on."""

from generator.core.conversation import AssistantMessage, Conversation, Row
from generator.core.seeds import Draw
from generator.run.overlays import OverlaidRow
from generator.run.overlays.preferences import write_preferences
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt
from generator.run.stages.events import RowEvents
from generator.run.stages.words import WordedRow


def finished_row(
    prepared: PreparedRecipe, attempt: Attempt, told: RowEvents, worded: WordedRow, shown: OverlaidRow, draw: Draw
) -> Row:
    """Return a row that passed all checks, with the rejected conversations beside it where a format writes them."""
    scenario, twin, state = told.scenario, attempt.twin, told.state
    plain = worded.conversation, worded.proof
    tags = [
        *worded.tags,
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
