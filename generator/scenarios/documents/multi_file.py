"""multi_file: several files in one sequence, now and then with a gap in the last. The row is a document."""

from generator.core.conversation import FileSequence, FillIn, PlannedDocument
from generator.core.seeds import Draw
from generator.scenarios.affordances import Toolkit
from generator.scenarios.documents.cuts import piece_of
from generator.scenarios.documents.fill_in_the_middle import check_sources, make_gap
from generator.scenarios.scenario import DocumentScenario


def _check(toolkit: Toolkit) -> None:
    check_sources(toolkit, "multi_file", toolkit.sources.together[0])


def _write(toolkit: Toolkit, draw: Draw) -> PlannedDocument:
    sources = toolkit.sources
    low, high = sources.together
    chosen = draw.shuffled(sources.texts)[: draw.between(low, min(high, len(sources.texts)))]
    files: list[str | FillIn] = [piece_of(source, sources.longest, draw) for source in chosen]
    tags = [f"file:{source.name}" for source in chosen]
    if draw.chance(sources.gaps):
        files[-1], kind = make_gap(toolkit, chosen[-1], draw)
        tags.append(f"cut:{kind}")
    return PlannedDocument(scenario="multi_file", document=FileSequence(files=tuple(files)), tags=tuple(tags))


SCENARIO = DocumentScenario("multi_file", "several text or source files in one sequence", _check, _write)
