"""The answers of parsers; findings about them, and what findings have in common.

Findings are grouped by the feature of their cases (a hazard, a tag, a mutation) that tells failing cases from others
best; what that does not explain is explained by the next one. Causes with one label and the same details (`force is 'True' instead of
True`) are one: several hazards show it. What a whole text shows is not told of its pieces again.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from generator.core.exact_json import loads
from generator.corpus.case import Case
from generator.corpus.check.judge import Call, call_of, end_of


class ParserAnswer(msgspec.Struct, frozen=True):
    """The result of one run of a parser."""

    calls: tuple[Call, ...] = ()
    content: str | None = None
    error: str | None = None
    """`Type: message` of an exception; `hang`, `died: …` when no answer came; `deltas: …` of some that make no calls."""
    seconds: float = 0.0
    deltas: tuple[dict[str, Any], ...] | None = None
    """Of a stream that reports them: `after` (how many pieces were taken), `content`, and `tool_calls` as OpenAI streams them."""
    reasoning: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    """Of a client of streams, if it reports it."""
    usage: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    value: Any = msgspec.UNSET
    """Of a reader of JSON."""


class PlainCall(msgspec.Struct, frozen=True):
    """A call as it is sent from a parser's process: arguments as JSON text, or why there are none."""

    name: Any
    text: str = "null"
    fault: str = ""


class PlainAnswer(msgspec.Struct, frozen=True):
    """What is sent from a parser's process; `plain.py` makes it."""

    error: str | None = None
    calls: tuple[PlainCall, ...] = ()
    content: str | None = None
    seconds: float = 0.0
    deltas: tuple[dict[str, Any], ...] | None = None
    reasoning: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    usage: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    value: str | msgspec.UnsetType = msgspec.UNSET
    """As JSON."""


def answer_of(plain: PlainAnswer) -> ParserAnswer:
    """Return the answer that was sent; that of a stream is where its deltas end."""
    if plain.error is None and plain.deltas is not None:
        end = end_of(plain.deltas)
        error = f"deltas: {end.fault}" if end.fault else None
        return ParserAnswer(tuple(end.calls), end.content or None, error, plain.seconds, plain.deltas)
    if plain.value is not msgspec.UNSET:
        try:
            return ParserAnswer(value=loads(plain.value, nan=True), seconds=plain.seconds)
        except ValueError as fault:
            return ParserAnswer(error=f"its value is no JSON: {fault}", seconds=plain.seconds)
    calls = [Call(call.name, None, call.fault) if call.fault else call_of(call.name, call.text) for call in plain.calls]
    return ParserAnswer(**{**msgspec.structs.asdict(plain), "calls": tuple(calls)})


LABELS = (
    "died", "hang", "exception", "malformed delta", "invalid JSON", "lost call", "extra call", "wrong name", "wrong argument",
    "call from prose", "early delta", "leaked text", "not recovered", "not an allowed reading", "wrong value", "wrong content",
    "wrong finish", "wrong usage", "plans differ", "late delta", "superlinear time", "fault not noticed",
)  # fmt: skip
"""In order of what they mean to a user."""
ALL = {"y": "a call", "n": "no call", "i": "a fault"}
"""By verdict: what is said of all its cases."""


class ParserFailure(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a parser fails on a case."""

    case: str
    format: str
    verdict: str
    label: str
    detail: str
    plans: tuple[str, ...] = ()
    """Kinds of the chunk plans with which it fails; none for the whole text."""
    features: tuple[str, ...] = ()
    """What can be the cause: the hazard of the case, or its tags and mutations."""
    bytes: int = 0
    """Of the case."""
    text: str = ""
    """Of the case, where it is short."""
    expected: Any = None
    observed: Any = None
    """Calls and content, where there was an answer."""


def judge_file(case: Case, answer: ParserAnswer) -> tuple[str, str] | None:
    """Return what is wrong with how a reader took a file of rows; to refuse one, it must raise an exception."""
    if answer.error is None:
        missed = f"{case.mutations[-1].op} breaks {case.mutations[-1].arg}" if case.verdict == "n" else ""
        return ("fault not noticed", missed) if missed else None
    failure = no_answer(answer)
    return failure if case.verdict == "y" or (failure and failure[0] != "exception") else None


def no_answer(answer: ParserAnswer) -> tuple[str, str] | None:
    """Return why there is no answer, if there is none."""
    if answer.error is None:
        return None
    if answer.error == "hang":
        return "hang", f"no answer within {answer.seconds:g} s"
    if answer.error.startswith("deltas: "):
        return "malformed delta", answer.error.removeprefix("deltas: ")
    return ("died", answer.error) if answer.error.startswith("died") else ("exception", answer.error)


def observed(answer: ParserAnswer) -> Any:
    """Return an answer as reports show it."""
    if answer.error is not None:
        return {"error": answer.error}
    if answer.value is not msgspec.UNSET:
        return {"value": answer.value}
    calls = [{"name": call.name, "arguments": call.fault or call.arguments} for call in answer.calls]
    return {"content": answer.content, "tool_calls": calls}


# ------------------------------------------------------------------------------------------------------------- causes


class FindingCluster(msgspec.Struct, frozen=True, kw_only=True):
    """Findings with one label and one cause."""

    label: str
    cause: str
    failing: int
    """Cases with this feature that fail so."""
    cases: int
    """All cases with this feature."""
    formats: tuple[str, ...]
    streams: bool
    """Whether the whole text is read rightly, and pieces of it are not."""
    witness: ParserFailure
    """Of the smallest case."""


def features_of(case: Case) -> tuple[str, ...]:
    """Return what can be the cause of a failure: its hazard, or tags and mutations."""
    if case.hazard is not None:
        return (case.hazard,)
    styles = [f"{change.op} {change.arg}" if change.op == "json_style" else change.op for change in case.mutations]
    return (*styles, *case.tags) or ("plain",)


def clusters_of(findings: Iterable[ParserFailure], checked_by_feature: Counter[str]) -> list[FindingCluster]:
    """Return findings by cause, what matters most to a user first: valid texts and prose, then broken ones.

    `checked_by_feature` → how many of all checked cases have a feature, or a verdict: `{"unicode": 40, "y": 900}`.
    """
    groups: dict[tuple[str, str, bool], list[ParserFailure]] = {}
    for finding in findings:
        kind = finding.detail.partition(":")[0] if finding.label == "exception" else ""
        groups.setdefault((finding.label, kind, bool(finding.plans)), []).append(finding)
    clusters: dict[tuple[str, str, str], FindingCluster] = {}
    for (label, kind, _), group in sorted(groups.items(), key=lambda item: item[0]):  # whole texts before pieces
        for cluster in _explained(group, checked_by_feature):
            clusters.setdefault((label, kind, cluster.cause), cluster)
    return sorted(
        clusters.values(),
        key=lambda cluster: (
            cluster.witness.verdict == "i",
            LABELS.index(cluster.label),
            -cluster.failing,
            cluster.cause,
        ),
    )


_PLACE = re.compile(r"call \d+(: \S+ is )?|\d+ bytes|begins at \d+")
"""What differs between details of one kind: which call, which argument, where."""


def _explained(findings: list[ParserFailure], checked_by_feature: Counter[str]) -> list[FindingCluster]:
    """Return findings of one label by cause, the cause that tells failing cases best first."""
    clusters: list[FindingCluster] = []
    features_by_detail = {
        _kind(finding): finding.features
        for finding in findings
        if len(finding.features) == 1 and not finding.detail.endswith("calls")
    }
    unexplained = [
        finding
        if len(finding.features) == 1
        else msgspec.structs.replace(finding, features=features_by_detail.get(_kind(finding), finding.features))
        for finding in findings
    ]
    for verdict, cause in ALL.items():
        of_verdict = [finding for finding in unexplained if finding.verdict == verdict]
        raises = verdict == "i" and findings[0].label == "exception"
        if len({feature for finding in of_verdict for feature in finding.features}) > 1 and (
            raises or 2 * _cases_of(of_verdict) > checked_by_feature[verdict] > 0
        ):
            clusters.append(_cluster(cause, of_verdict, checked_by_feature[verdict]))
            unexplained = [finding for finding in unexplained if finding.verdict != verdict]
    failing_by_feature = _by_feature(unexplained)
    parts: list[tuple[str, list[ParserFailure]]] = []
    while unexplained:
        left_by_feature = _by_feature(unexplained)
        cause = max(
            sorted(left_by_feature),
            key=lambda feature: (
                left_by_feature[feature] * failing_by_feature[feature] / max(1, checked_by_feature[feature])
            ),
        )
        parts.append((cause, [finding for finding in unexplained if cause in finding.features]))
        unexplained = [finding for finding in unexplained if cause not in finding.features]
    parts_by_details: dict[tuple[str, ...], list[tuple[str, list[ParserFailure]]]] = {}
    for cause, part in parts:
        details = sorted({_kind(finding) for finding in part})
        parts_by_details.setdefault((*details, cause if details[0].endswith("calls") else ""), []).append((cause, part))
    for parts_of_details in parts_by_details.values():
        causes = [cause for cause, _ in parts_of_details]
        name = ", ".join(causes[:6]) + (" …" if len(causes) > 6 else "")
        every = [finding for _, part in parts_of_details for finding in part]
        clusters.append(_cluster(name, every, sum(checked_by_feature[cause] for cause in causes)))
    return clusters


def _by_feature(findings: list[ParserFailure]) -> Counter[str]:
    return Counter(feature for finding in findings for feature in set(finding.features))


def _kind(finding: ParserFailure) -> str:
    """Return the detail of a finding without what differs between those of one kind: `call 2: …` is `…`."""
    return _PLACE.sub("", finding.detail)


def _cluster(cause: str, findings: list[ParserFailure], cases: int) -> FindingCluster:
    """Return findings with one cause as one."""
    witness = min(findings, key=lambda finding: (finding.bytes, finding.case))
    return FindingCluster(
        label=witness.label,
        cause=cause,
        failing=_cases_of(findings),
        cases=max(_cases_of(findings), cases),
        formats=tuple(sorted({finding.format for finding in findings})),
        streams=bool(witness.plans),
        witness=witness,
    )


def _cases_of(findings: list[ParserFailure]) -> int:
    return len({(finding.format, finding.case) for finding in findings})
