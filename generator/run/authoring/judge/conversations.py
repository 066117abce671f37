"""Whole conversations with all tools that are kept, before a judge: what is said between several calls is not seen in trial rows of one."""

from functools import partial

import msgspec

from generator.core.conversation import Row
from generator.core.errors import GeneratorError, RowError
from generator.run.authoring.judge.judging import judge_rows, judging_request
from generator.run.authoring.judge.trial_rows import without_blamed
from generator.run.authoring.tidying.tidy import drop_broken_links
from generator.run.authoring.work import Work
from generator.run.prepared import prepare
from generator.run.row import make_row
from generator.run.trials import recipe_of_trial

ROWS_OF_A_TOOL = 2
_FEWEST, _MOST = 12, 60
OF_A_REQUEST = 20
_SCENARIOS = ("single", "parallel", "multiple", "sequential", "follow_up", "fan_out")
_LIKE = (2.0, 2.0, 1.0, 3.0, 2.0, 1.0)


async def judge_conversations(work: Work) -> None:
    """Have conversations with several calls judged, and drop the phrases that are blamed for what is wrong with them."""
    judge = work.people.judge
    if judge is None:
        return
    rows = _rows(work)
    cut = [rows[at : at + OF_A_REQUEST] for at in range(0, len(rows), OF_A_REQUEST)]
    jobs, told = [], []
    for number, batch in enumerate(cut, start=1):
        names = {
            call.name
            for row in batch
            for message in row.conversation.messages
            for call in getattr(message, "tool_calls", ())
        }
        specs = [spec for name, spec in work.specs.items() if name in names]
        told.append([("", row) for row in batch])
        asked = judging_request(f"6-conversations-{number:02d}", specs, told[-1], work.prompts.judge)
        jobs.append(partial(judge_rows, judge, asked, told[-1]))
    for verdicts in await work.answers("conversations", jobs) if jobs else ():
        work.conversations += verdicts
    without_blamed(work, work.conversations)
    drop_broken_links(work)


def _rows(work: Work) -> list[Row]:
    """Return conversations with the tools that are kept; with all that were described by hand, where phrases are added to them."""
    kept = {name: work.specs[name] for name in work.names if work.said[name] and name not in work.refused}
    if kept and work.bench.adds:
        kept = work.specs
    number = min(_MOST, max(_FEWEST, ROWS_OF_A_TOOL * len(kept)))
    recipe = msgspec.structs.replace(
        recipe_of_trial(number), scenarios=tuple(zip(_SCENARIOS, _LIKE, strict=True)), name="conversations"
    )
    found: list[Row] = []
    try:
        prepared = prepare(recipe, kept)
    except GeneratorError:
        return []  # nothing is kept, or links lead to tools that were refused, which trial rows do not meet
    for index in range(number):
        try:
            found.append(make_row(prepared, index).row)
        except RowError:
            continue
    return found
