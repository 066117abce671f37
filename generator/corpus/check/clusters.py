"""Findings by cause: what the failing cases have in common and the others have not.

A cause is the feature of cases (a hazard, a tag, a mutation) that tells failing cases from others best; what it does not
explain is explained by the next one. Where most cases with a call (or without one, or with a fault) fail in one way, or broken
texts raise one kind of exception, that is the cause. What a whole text shows is not told of its pieces again.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from generator.corpus.case import Case
from generator.corpus.check.judge import LABELS, ParserFailure

ALL = {"y": "a call", "n": "no call", "i": "a fault"}
"""By verdict: what is said of all its cases."""


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


def clusters_of(findings: Iterable[ParserFailure], seen: Counter[str]) -> list[FindingCluster]:
    """Return findings by cause, what matters most to a user first: valid texts and prose, then broken ones.

    Args:
        findings: All findings.
        seen: How many of all checked cases have a feature, and a verdict.
    """
    groups: dict[tuple[str, str, bool], list[ParserFailure]] = {}
    for finding in findings:
        kind = finding.detail.partition(":")[0] if finding.label == "exception" else ""
        groups.setdefault((finding.label, kind, bool(finding.plans)), []).append(finding)
    found: dict[tuple[str, str, str], FindingCluster] = {}
    for (label, kind, _), group in sorted(groups.items(), key=lambda item: item[0]):  # whole texts before pieces
        for cluster in _explained(group, seen):
            found.setdefault((label, kind, cluster.cause), cluster)
    return sorted(found.values(), key=_severity)


def _severity(cluster: FindingCluster) -> tuple[bool, int, int, str]:
    return cluster.witness.verdict == "i", LABELS.index(cluster.label), -cluster.failing, cluster.cause


def _explained(findings: list[ParserFailure], seen: Counter[str]) -> list[FindingCluster]:
    made: list[FindingCluster] = []
    left = findings
    for verdict, cause in ALL.items():
        alike = [finding for finding in left if finding.verdict == verdict]
        raises = verdict == "i" and findings[0].label == "exception"
        if len({feature for finding in alike for feature in finding.features}) > 1 and (
            raises or 2 * _cases_of(alike) > seen[verdict] > 0
        ):
            made.append(_cluster(cause, alike, seen[verdict]))
            left = [finding for finding in left if finding.verdict != verdict]
    failing = Counter(feature for finding in left for feature in set(finding.features))
    while left:
        still = Counter(feature for finding in left for feature in set(finding.features))
        cause = max(sorted(still), key=lambda feature: still[feature] * failing[feature] / max(1, seen[feature]))
        made.append(_cluster(cause, [finding for finding in left if cause in finding.features], seen[cause]))
        left = [finding for finding in left if cause not in finding.features]
    return made


def _cluster(cause: str, findings: list[ParserFailure], cases: int) -> FindingCluster:
    witness = min(findings, key=lambda finding: (finding.bytes, finding.case))
    return FindingCluster(
        label=witness.label,
        cause=cause,
        failing=_cases_of(findings),
        cases=max(1, cases),
        formats=tuple(sorted({finding.format for finding in findings})),
        streams=bool(witness.plans),
        witness=witness,
    )


def _cases_of(findings: list[ParserFailure]) -> int:
    return len({(finding.format, finding.case) for finding in findings})
