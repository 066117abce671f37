"""Trial rows of single tools: what none can be made with is dropped, the rest goes before the judge."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from generator.core.conversation import Row
from generator.run.authoring.asking import Answering
from generator.run.authoring.elements import Element, pieces_of
from generator.run.authoring.judge.judging import ENOUGH, ROWS, Verdict, judge_rows, judging_request
from generator.run.authoring.result import Unusable
from generator.run.authoring.tidying.tidy import drop_broken_links, keep_along_chains, leave_out_unsayable, tidy_chains
from generator.run.authoring.work import Work
from generator.run.authoring.writer.writing import batches
from generator.run.trials import ENOUGH as ENOUGH_ROWS
from generator.run.trials import try_tool


async def judge_trial_rows(work: Work, names: Sequence[str]) -> None:
    """Make trial rows of some tools, drop what no row can be made with, and have the rest judged."""
    drop_broken_links(work)
    for name in names:
        leave_out_unsayable(work, name)
        tidy_chains(work, name)
    if not work.bench.adds:
        keep_along_chains(work)
    rows = {name: _tried(work, name) for name in names if work.said[name] and name not in work.refused}
    if work.people.judge is not None:
        await _judge(work, work.people.judge, rows)


async def _judge(work: Work, who: Answering, rows: Mapping[str, list[Row]]) -> None:
    """Have trial rows judged; a tool most of whose rows fail is not used."""
    cut = batches([work.specs[name] for name in rows]) if rows else []
    jobs: list[Callable[[], Awaitable[Any]]] = []
    shown = []
    for number, batch in enumerate(cut, start=1):
        told = [(spec.name, row) for spec in batch for row in rows[spec.name][:ROWS]]
        asked = judging_request(f"4-judge-{number:02d}", batch, told, work.prompts.judge)
        shown.append(told)
        jobs.append(partial(judge_rows, who, asked, told))
    for told, verdicts in zip(shown, await work.answers("judge", jobs), strict=True):
        for (name, _), verdict in zip(told, verdicts, strict=True):
            work.verdicts.setdefault(name, []).append(verdict)
    for name in rows:
        verdicts = work.verdicts.get(name, [])
        gone = without_blamed(work, verdicts)
        fit = sum(not one.faults or not gone.isdisjoint(one.blamed) or _is_of_others(work, one) for one in verdicts)
        if fit < min(ENOUGH, len(verdicts)):
            work.refuse(name, f"{fit} of {len(verdicts)} trial rows passed the judge")
            work.disliked.append(name)


def _is_of_others(work: Work, verdict: Verdict) -> bool:
    """Whether what is wrong with a judged row is the file's, to which phrases are only added: those that a judge blames are dropped one by one."""
    return work.bench.adds and verdict.is_judged


def without_blamed(work: Work, verdicts: Sequence[Verdict]) -> set[tuple[str, str]]:
    """Drop the phrases that a judge blames for what is wrong with rows, as far as others are left; return what was dropped."""
    blamed = _blamed_elements(verdicts, work.said, is_all_said=not work.bench.adds)
    gone = set[tuple[str, str]]()
    for tool, element, why in blamed:
        if element.identity not in work.accepted[tool]:
            work.said[tool] = [one for one in work.said[tool] if one is not element]
            work.dropped[tool].append(Unusable(element=element, why=why))
            gone.add((tool, element.text))
    for tool in {tool for tool, _ in gone}:
        work.specs[tool] = work.read(tool, pieces_of(work.said[tool]))
        tidy_chains(work, tool)
    return gone


def _tried(work: Work, name: str) -> list[Row]:
    """Return trial rows of a tool; pieces with which hardly any row can be made are dropped."""
    trial = try_tool(work.specs[name], _TRIALS)
    for group in _BLAMED:
        if trial.share >= ENOUGH_ROWS:
            break
        kept = [one for one in work.said[name] if one.piece[: len(group)] != group]
        if len(kept) == len(work.said[name]):
            continue
        spec = work.read(name, pieces_of(kept))
        again = try_tool(spec, _TRIALS)
        if again.share > trial.share:
            why = trial.refusals[0][0] if trial.refusals else "no row could be made"
            gone = [one for one in work.said[name] if one.piece[: len(group)] == group]
            work.dropped[name] += [Unusable(element=one, why=f"rows with it are not accepted: {why}") for one in gone]
            work.said[name], work.specs[name], trial = kept, spec, again
    if trial.share < ENOUGH_ROWS:
        why = trial.refusals[0][0] if trial.refusals else "no row could be made"
        work.refuse(name, f"{len(trial.rows)} of {trial.attempts} trial rows were accepted: {why}")
    return list(trial.rows)


_BLAMED = (
    ("example_calls",),
    ("kinds",),
    ("patterns",),
    ("phrases", "each"),
    ("phrases", "answer"),
    ("phrases", "slots"),
    ("phrases", "synonyms"),
    ("phrases", "question"),
    ("phrases", "want"),
    ("phrases", "request"),
    ("returns",),
    ("effect",),
)
"""Pieces in the order in which they are taken away where rows fail."""
_TRIALS = 12


_NEEDED = ("request", "answer")
"""Phrases of which a tool needs one."""


def _blamed_elements(
    verdicts: Sequence[Verdict], said: Mapping[str, Sequence[Element]], *, is_all_said: bool
) -> list[tuple[str, Element, str]]:
    """Return (tool, element, why) triples of what is blamed, as far as the tool can do without it.

    Args:
        verdicts: The judge's.
        said: What is usable of each tool.
        is_all_said: Whether nothing else is known of the tools, so that the last request and the last answer stay.
    """
    found: dict[Element, tuple[str, Element, str]] = {}
    for verdict in verdicts:
        why = f"a judge blames it for a row that is not {', not '.join(verdict.faults)}: {verdict.why}"
        for tool, text in verdict.blamed if verdict.faults else ():
            for element in said.get(tool, ()):
                if element.piece[0] != "phrases" or element.text != text or element in found:
                    continue
                beside = [one for one in said[tool] if one.piece == element.piece and one not in found]
                if len(beside) > 1 or not is_all_said or element.piece[1] not in _NEEDED:
                    found[element] = (tool, element, why)
    return [*found.values()]
