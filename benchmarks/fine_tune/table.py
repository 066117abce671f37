"""The table of the experiment: a line a variant, with 95 % intervals, and its difference to the baseline, item by item."""

import random
from collections.abc import Iterator
from math import sqrt
from typing import Any

from benchmarks.fine_tune.measure import Outcome, total

COLUMNS = (
    ("own", "names"),
    ("own", "arguments"),
    ("own", "verbatim"),
    ("own", "exact"),
    ("servers", "exact"),
    ("multi_turn", "exact"),
    ("normalised", "normalised"),
    ("own", "begun"),
    ("irrelevant", "begun"),
)
"""(set, measure) pairs; `begun` is the share of items in which a call is begun, rightly or (irrelevant) wrongly."""
_Z = 1.96
_RESAMPLES = 1000
Results = dict[str, dict[str, list[Outcome]]]
"""Way of measuring (`forced`, `decoded`) → set → the outcomes of its items, of all seeds one after the other."""


def wilson(right: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    share, square = right / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z * sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def paired(mine: list[Outcome], theirs: list[Outcome], measure: str) -> tuple[float, float, float] | None:
    """Return the difference of two shares of the same items, and its 95 % interval by a bootstrap over items; None where they are others."""
    pairs = [(one.get(measure), other.get(measure)) for one, other in zip(mine, theirs, strict=False)]
    both = [(one, other) for one, other in pairs if one and other and one[1] == other[1] > 0]
    if len(mine) != len(theirs) or not both:
        return None
    draw, of = random.Random(1), [one[1] for one, _ in both]
    gains = [one[0] - other[0] for one, other in both]
    sampled = []
    for _ in range(_RESAMPLES):
        chosen = draw.choices(range(len(both)), k=len(both))
        sampled.append(sum(gains[at] for at in chosen) / sum(of[at] for at in chosen))
    sampled.sort()
    low, high = sampled[int(0.025 * _RESAMPLES)], sampled[int(0.975 * _RESAMPLES)]
    return sum(gains) / sum(of), low, high


def table(found: dict[str, Results], baseline: Results, way: str) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    yield "| variant | " + " | ".join(f"{place}: {measure}" for place, measure in COLUMNS) + " |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for variant, results in found.items():
        cells = [_cell(results, baseline, way, place, measure) for place, measure in COLUMNS]
        yield f"| {variant} | " + " | ".join(cells) + " |"


def _cell(results: Results, baseline: Results, way: str, place: str, measure: str) -> str:
    outcomes: Any = results.get(way, {}).get(place, [])
    right, of = total(outcomes).get(measure, (0, 0))
    if not of:
        return "-"
    low, high = wilson(right, of)
    told = f"{100 * right / of:.0f} % ({right}/{of}; {100 * low:.0f} to {100 * high:.0f})"
    gain = paired(outcomes, baseline.get(way, {}).get(place, []), measure)
    if gain is None or results is baseline:
        return told
    return f"{told}, {100 * gain[0]:+.0f} ({100 * gain[1]:+.0f} to {100 * gain[2]:+.0f})"
