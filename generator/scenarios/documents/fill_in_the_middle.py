"""fill_in_the_middle: a text with a gap, and what belongs into it. The row is a document, not a conversation."""

from generator.core.conversation import FileSequence, FillIn, PlannedDocument, SourceText
from generator.core.errors import PlanError
from generator.core.seeds import Draw
from generator.scenarios.affordances import Toolkit
from generator.scenarios.documents.cuts import KINDS, gap_in
from generator.scenarios.scenario import DocumentScenario


def check_sources(toolkit: Toolkit, scenario: str, fewest: int) -> None:
    """Raise PlanError when the recipe names too few files, or files that nothing can be cut out of."""
    texts = toolkit.sources.texts
    if len(texts) < fewest:
        files = "a file" if fewest == 1 else f"{fewest} files"
        raise PlanError(
            f"scenario {scenario!r} needs {files} to make documents from: name them in 'documents: {{files: [...]}}'"
        )
    for source in texts:
        if not source.text.strip():
            raise PlanError(f"scenario {scenario!r}: {source.name} is empty")


def make_gap(toolkit: Toolkit, source: SourceText, draw: Draw) -> tuple[FillIn, str]:
    """Return a text with a gap, and how it was cut: as the recipe's weights say, or else as the text allows."""
    kinds = [kind for kind, _ in toolkit.sources.cuts]
    weights = [weight for _, weight in toolkit.sources.cuts]
    place = draw.rand() * sum(weights)
    chosen = next((kind for i, kind in enumerate(kinds) if place < sum(weights[: i + 1])), kinds[-1])
    for kind in (chosen, *reversed(KINDS)):
        gap = gap_in(source, kind, toolkit.sources.longest, draw)
        if gap is not None:
            return gap, kind
    raise PlanError(f"{source.name}: nothing can be cut out of it")


def _check(toolkit: Toolkit) -> None:
    check_sources(toolkit, "fill_in_the_middle", 1)


def _write(toolkit: Toolkit, draw: Draw) -> PlannedDocument:
    source = draw.choice(toolkit.sources.texts)
    gap, kind = make_gap(toolkit, source, draw)
    tags = (f"file:{source.name}", f"cut:{kind}")
    return PlannedDocument(scenario="fill_in_the_middle", document=FileSequence(files=(gap,)), tags=tags)


SCENARIO = DocumentScenario("fill_in_the_middle", "a text or source file with a gap to fill", _check, _write)
