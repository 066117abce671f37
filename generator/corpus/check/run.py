"""Check a corpus: every case, whole and in pieces, in several processes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from generator.core.documents import nearest
from generator.core.errors import FormatError
from generator.corpus.case import Case, ChunkPlan
from generator.corpus.check.failures import (
    FindingCluster,
    ParserAnswer,
    ParserFailure,
    clusters_of,
    features_of,
    judge_file,
    no_answer,
    observed,
)
from generator.corpus.check.judge import differ, judge, judge_time
from generator.corpus.check.runner import ChildRunner, CommandRunner, Runner, ServerRunner
from generator.corpus.chunks import cut
from generator.corpus.clients import CLIENT_FORMATS, PROVIDERS
from generator.corpus.clients.checking import CaseServer, judge_reading
from generator.corpus.layout import TOOLS, formats_in, read_cases, tools_of_corpus

_SHORT = 5000
"""Bytes up to which a case is printed in full."""
_TIMES = 8
"""By how much a text grows to see how time grows."""
_SLOWER = 5
"""How many times slower than linear is a finding: a quadratic parser is 8 times slower."""
_NOTICED = 0.1
"""Seconds below which time is not judged."""


Wrong = tuple[str, str]
"""(label, detail)."""


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to run, and how strictly."""

    parser: str | None = None
    stream: str | None = None
    command: str | None = None
    server: str | None = None
    seconds: float = 5.0
    start_seconds: float = 120.0
    """Time to start: to import a parser, or to the first answer of a server."""
    memory: int = 1024
    strict_numbers: bool = False
    content: bool = True
    torn_tokens: bool = False
    recover: bool = False
    """Whether calls off the template have to be found."""


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    cases: int
    runs: int
    findings: tuple[ParserFailure, ...]
    seen: Counter[str] = msgspec.field(default_factory=Counter)
    """How many cases have a feature that can be the cause of a failure, and how many have a verdict."""

    def by_cause(self) -> list[FindingCluster]:
        """Return findings by what the failing cases have in common."""
        return clusters_of(self.findings, self.seen)


def check_corpus(
    folder: Path, how: CheckOptions, *, formats: tuple[str, ...] = (), ids: tuple[str, ...] = (), jobs: int = 1
) -> CheckReport:
    """Run a parser over a corpus.

    Raises:
        OutputError: the folder is no corpus.
        FormatError: a format or case is not in it, or the parser cannot be loaded.
    """
    tools_of_corpus(folder)  # told here when they cannot be read, not by the parser's process
    cases = list(_wanted(folder, formats, ids))
    runners: SimpleQueue[Runner] = SimpleQueue()
    rows = formats_in(folder, "rows")
    client = next((case.format for case in cases if case.format in CLIENT_FORMATS), None)
    if client is not None and not (how.parser or how.command or how.server):
        raise FormatError(f"{client}: is checked with --parser, --command or --server; --stream is for wire formats")
    served = CaseServer() if any(case.format in PROVIDERS for case in cases) else None
    opened = [open_runner(folder, how) for _ in range(min(jobs, max(1, len(cases))))]
    for runner in opened:
        runners.put(runner)

    def check(case: Case) -> tuple[int, list[ParserFailure]]:
        """Check a case with a runner that is free; return the number of runs, and the findings."""
        runner = runners.get()
        try:
            if case.format in rows:
                return 1, check_rows_file(case, runner, how)
            if served is not None and case.format in PROVIDERS:
                return check_stream(case, runner, served, how)
            return check_case(case, runner, how)
        finally:
            runners.put(runner)

    try:
        with ThreadPoolExecutor(len(opened)) as pool:
            results = list(pool.map(check, cases))
    finally:
        for runner in opened:
            runner.close()
        if served is not None:
            served.close()
    findings = tuple([finding for _, findings in results for finding in findings])
    checked_by_feature = Counter(feature for case in cases for feature in {*features_of(case), case.verdict})
    return CheckReport(
        cases=len(cases), runs=sum(runs for runs, _ in results), findings=findings, seen=checked_by_feature
    )


def open_runner(folder: Path, how: CheckOptions) -> Runner:
    """Return a runner of what is to be checked."""
    tools = folder / TOOLS
    if how.server is not None:
        return ServerRunner(how.server, how.memory, tools, how.start_seconds)
    if how.command is not None:
        return CommandRunner(how.command, how.memory, tools)
    return ChildRunner(how.parser, how.stream, how.memory, tools, how.start_seconds)


def _wanted(folder: Path, formats: tuple[str, ...], ids: tuple[str, ...]) -> Iterator[Case]:
    """Yield the cases that are checked: of some formats, or all of texts for parsers; of some ids, or all."""
    missing = set(ids)
    read_ids: list[str] = []
    names = formats or formats_in(folder, "wire")
    if not names:
        raise FormatError(f"{folder}: name a format with --format{nearest('', formats_in(folder))}")
    for name in names:
        for case in read_cases(folder, name):
            read_ids.append(case.id)
            if not ids or case.id in ids:
                missing.discard(case.id)
                yield case
    if missing:
        wrong = sorted(missing)[0]
        raise FormatError(
            f"--case {wrong}: there is no such case{nearest(wrong, read_ids) if len(read_ids) < 20000 else ''}"
        )


def check_case(case: Case, runner: Runner, how: CheckOptions) -> tuple[int, list[ParserFailure]]:
    """Check one case; return the number of runs and all findings."""
    findings: list[ParserFailure] = []
    runs = 0
    wrong: Wrong | None = None
    plain = case.plain()
    if how.parser is not None or how.command is not None or how.server is not None:
        whole, runs = runner.run(case.chars, case.tools, how.seconds), 1
        if case.format in CLIENT_FORMATS:
            wrong = judge_reading(case, whole, content=how.content)
            return 1, [_finding(case, wrong, (), whole)] if wrong else []
        wrong = judge_answer(plain, whole, how, streamed=False)
        if wrong:
            findings.append(_finding(case, wrong, (), whole))
    if how.stream is not None or how.server is not None:
        plans = [plan for plan in case.plans if plan.utf8_safe and (how.torn_tokens or not plan.splits_special_token)]
        plan_findings = _check_plans(case, plain, plans, runner, how)
        findings += [finding for finding in plan_findings if (finding.label, finding.detail) != wrong]
        runs += len(plans)
    if case.stretch is not None:
        findings += _check_time(case, runner, how)
        runs += 2
    return runs, findings


def judge_answer(plain: dict[str, Any], answer: ParserAnswer, how: CheckOptions, *, streamed: bool) -> Wrong | None:
    """Return the first thing that is wrong with where a parser ends."""
    return no_answer(answer) or judge(
        plain,
        answer.content,
        answer.calls,
        streamed=streamed,
        compare_content=how.content,
        strict_numbers=how.strict_numbers,
        recover=how.recover,
    )


def check_rows_file(case: Case, runner: Runner, how: CheckOptions) -> list[ParserFailure]:
    """Check how a reader of data sets, which is given the path, takes a file of rows."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_bytes(case.text)
        answer = runner.run(str(path), case.tools, how.seconds)
    wrong = judge_file(case, answer)
    return [_finding(case, wrong, (), answer)] if wrong else []


def check_stream(case: Case, runner: Runner, server: CaseServer, how: CheckOptions) -> tuple[int, list[ParserFailure]]:
    """Serve a case cut in all ways of its plans; return the number of runs, and one finding for each thing that is wrong.

    A client is called with (base URL, tools), so that it reads as it reads from its provider.
    """
    lost = any(change.op == "connection_lost" for change in case.mutations)

    def judged(plan: ChunkPlan) -> tuple[ParserAnswer, Wrong | None]:
        """Serve the case cut as the plan says; return the client's answer and what is wrong with it."""
        url = server.offer(cut(case.text, plan), lost=lost)
        try:
            answer = runner.run(url, case.tools, how.seconds)
        finally:
            server.withdraw(url)
        return answer, judge_reading(case, answer, content=how.content)

    findings = _findings_by_plan(case, case.plans, judged)
    number_of_plans = len(case.plans)
    return number_of_plans, [
        msgspec.structs.replace(finding, plans=()) if len(finding.plans) == number_of_plans else finding
        for finding in findings
    ]


def _check_plans(
    case: Case, plain: dict[str, Any], plans: list[ChunkPlan], runner: Runner, how: CheckOptions
) -> list[ParserFailure]:
    """Return one finding for each thing that is wrong with streams, with the plans that show it."""
    first: ParserAnswer | None = None

    def judged(plan: ChunkPlan) -> tuple[ParserAnswer, Wrong | None]:
        """Stream the case cut as the plan says; return the parser's answer and what is wrong with it."""
        nonlocal first
        pieces = [piece.decode("utf-8", "replace") for piece in cut(case.text, plan)]
        answer = runner.run(pieces, case.tools, how.seconds)
        wrong = None
        if answer.deltas and not answer.error:
            wrong = judge_time(plain, plan.sizes, answer.deltas, how.content)
        if wrong is None or wrong[0] == "late delta":  # what it ends in matters more
            wrong = judge_answer(plain, answer, how, streamed=True) or wrong
        if wrong is None and first is not None and case.verdict == "i":
            wrong = differ(plain, (first.content, first.calls), (answer.content, answer.calls), how.content)
        if answer.error is None:
            first = first or answer
        return answer, wrong

    return _findings_by_plan(case, plans, judged)


def _findings_by_plan(
    case: Case, plans: Sequence[ChunkPlan], judged: Callable[[ChunkPlan], tuple[ParserAnswer, Wrong | None]]
) -> list[ParserFailure]:
    """Return one finding for each thing that is wrong, with the kinds of plans that show it, and the first answer that does."""
    kinds: dict[Wrong, list[str]] = {}
    answers: dict[Wrong, ParserAnswer] = {}
    for plan in plans:
        answer, wrong = judged(plan)
        if wrong:
            kinds.setdefault(wrong, []).append(plan.kind)
            answers.setdefault(wrong, answer)
            if wrong[0] == "hang":
                break
    return [_finding(case, wrong, tuple(names), answers[wrong]) for wrong, names in kinds.items()]


def _check_time(case: Case, runner: Runner, how: CheckOptions) -> list[ParserFailure]:
    """Return a finding if a part that is repeated eight times makes parsing much more than eight times slower."""
    assert case.stretch is not None
    start, end = case.stretch
    findings = []
    longer = case.text[:end] + case.text[start:end] * (_TIMES - 1) + case.text[end:]
    for stream in (False, True):
        if (how.stream if stream else how.parser) is None:  # the time of other programs is not known
            continue
        once = runner.run(_pieces(case.text, stream), case.tools, how.seconds).seconds
        result = runner.run(_pieces(longer, stream), case.tools, how.seconds * _TIMES)
        slowdown = result.seconds / max(once, 1e-4) / (len(longer) / len(case.text))
        if result.seconds > _NOTICED and slowdown > _SLOWER:
            detail = f"{once:.3f} s for {len(case.text):,} bytes, {result.seconds:.2f} s for {len(longer):,}"
            findings.append(_finding(case, ("superlinear time", detail), ("fixed",) if stream else (), result))
    return findings


def _pieces(data: bytes, stream: bool) -> str | list[str]:
    text = data.decode("utf-8", "replace")
    return [text[at : at + 16] for at in range(0, len(text), 16)] if stream else text


def _finding(case: Case, wrong: tuple[str, str], plans: tuple[str, ...], answer: ParserAnswer) -> ParserFailure:
    """Return what is wrong with a case as reports show it."""
    label, detail = wrong
    return ParserFailure(
        case=case.id,
        format=case.format,
        verdict=case.verdict,
        label=label,
        detail=detail,
        plans=plans,
        features=features_of(case),
        bytes=len(case.text),
        text=case.chars if len(case.text) <= _SHORT else "",
        expected=msgspec.to_builtins(case.oracle) if len(case.text) <= _SHORT else None,
        observed=observed(answer) if len(case.text) <= _SHORT else None,
    )
