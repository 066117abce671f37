"""A second try for the tools that the judge has refused: the writer is told why, what is new is read, and new rows are judged."""

import json
from collections.abc import Sequence
from functools import partial

import msgspec

from generator.core.overlays import join_pieces
from generator.run.authoring.asking import object_of, part_of
from generator.run.authoring.elements import pieces_of
from generator.run.authoring.judge.judging import Verdict
from generator.run.authoring.judge.trial_rows import judge_trial_rows
from generator.run.authoring.readers.read_back import read_back
from generator.run.authoring.tidying.tidy import drop_broken_links
from generator.run.authoring.work import Work
from generator.run.authoring.writer.describing import take_tools
from generator.run.authoring.writer.mending import mended
from generator.run.authoring.writer.writing import batches, once_more, tools_request

_MOST_ROWS = 3
_LONGEST_ROW = 400


async def mend_disliked(work: Work) -> None:
    """Have the writer mend the tools that the judge has refused, once; links to the results of those that stay refused go."""
    names = [name for name in work.names if name in work.disliked]
    if names and work.people.mends and not work.bench.adds:
        await _mend(work, names)
    drop_broken_links(work)


async def _mend(work: Work, names: Sequence[str]) -> None:
    said = {name: pieces_of(work.said[name]) for name in names}
    cut = batches([work.read(name, said[name]) for name in names])
    before = [{"tools": {spec.name: join_pieces(said[spec.name]) for spec in batch}} for batch in cut]
    requests = []
    for number, (batch, answer) in enumerate(zip(cut, before, strict=True), start=1):
        asked = tools_request(work.bench, batch, said, work.prompts, number)
        asked = msgspec.structs.replace(asked, name=f"5-judged-{number:02d}-{batch[0].name}")
        faults = [fault for spec in batch for fault in reasons(spec.name, work.verdicts[spec.name])]
        requests.append(once_more(asked, json.dumps(answer, ensure_ascii=False), faults, work.prompts))
    answers = await work.answers("tools, judged", [partial(work.people.writer.answer, asked) for asked in requests])
    tried: list[str] = []
    for batch, first, answer in zip(cut, before, answers, strict=True):
        value, _ = object_of(answer)
        mending = [spec for spec in batch if isinstance(part_of(value, "tools").get(spec.name), dict)]
        for spec in mending:
            work.well_read[spec.name] = {one.identity for one in work.said[spec.name]}
            work.refused.pop(spec.name)
            work.verdicts.pop(spec.name)
        take_tools(work, mended(first, value), mending)
        tried += [spec.name for spec in mending]
    if tried:
        await read_back(work, tried)
        await judge_trial_rows(work, tried)


def reasons(name: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Return what a judge says against the rows of a tool, with the rows."""
    wrong = [one for one in verdicts if one.faults]
    return [
        f"{name}: a row made of it is not {', not '.join(one.faults)} ({one.why}): {' / '.join(one.lines)[:_LONGEST_ROW]}"
        for one in wrong[:_MOST_ROWS]
    ]
