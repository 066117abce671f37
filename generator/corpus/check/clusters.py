"""Findings by cause: what the failing cases have in common and the others have not.

A cause is the feature of cases (a hazard, a tag, a mutation, how they are cut) that tells failing cases from others best;
what it does not explain is explained by the next one.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from generator.corpus.case import Case
from generator.corpus.check.judge import LABELS, ParserFailure


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
    """Return findings by cause, what matters most to a user first.

    Args:
        findings: All findings.
        seen: How many of all checked cases have a feature.
    """
    groups: dict[tuple[str, str, bool], list[ParserFailure]] = {}
    for finding in findings:
        kind = finding.detail.partition(":")[0] if finding.label == "exception" else ""
        groups.setdefault((finding.label, kind, bool(finding.plans)), []).append(finding)
    found = [cluster for group in groups.values() for cluster in _explained(group, seen)]
    return sorted(found, key=lambda cluster: (LABELS.index(cluster.label), -cluster.failing, cluster.cause))


def _explained(findings: list[ParserFailure], seen: Counter[str]) -> list[FindingCluster]:
    made: list[FindingCluster] = []
    failing = Counter(feature for finding in findings for feature in set(finding.features))
    left = findings
    while left:
        still = Counter(feature for finding in left for feature in set(finding.features))
        cause = max(sorted(still), key=lambda feature: still[feature] * failing[feature] / max(1, seen[feature]))
        with_it = [finding for finding in left if cause in finding.features]
        witness = min(with_it, key=lambda finding: (finding.bytes, finding.case))
        made.append(
            FindingCluster(
                label=witness.label,
                cause=cause,
                failing=len({(finding.format, finding.case) for finding in with_it}),
                cases=max(1, seen[cause]),
                formats=tuple(sorted({finding.format for finding in with_it})),
                streams=bool(witness.plans),
                witness=witness,
            )
        )
        left = [finding for finding in left if cause not in finding.features]
    return made
