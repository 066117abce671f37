"""Rows that are documents: they have no conversation, and so no DeepFabric record."""

from generator.core.claims import Proof
from generator.core.conversation import Conversation, Row
from generator.core.seeds import Draw
from generator.formats.rules.documents import check_document
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt, MadeRow, RejectedRow, refused
from generator.scenarios import DocumentScenario


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
