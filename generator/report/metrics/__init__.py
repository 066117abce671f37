"""The metrics of a report, by name, in the order in which they are shown.

To add one: a module with a meter (`add` a row, `result`), one line in the table below, and its words in metrics.yaml.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.yaml_values import own_data
from generator.report.metrics.base import Figure, Meter, Metric
from generator.report.metrics.calls import KindMeter, SourceMeter, ToolMeter, ViolationMeter
from generator.report.metrics.consistency import ContradictionMeter, InstructionMeter, UnshownMeter
from generator.report.metrics.texts import LengthMeter, NearDuplicateMeter, OpenerMeter, SkeletonMeter

_METERS: dict[str, Callable[[], Meter]] = {
    "kinds": KindMeter,
    "tools": ToolMeter,
    "sources": SourceMeter,
    "near_duplicates": NearDuplicateMeter,
    "openers": OpenerMeter,
    "lengths": LengthMeter,
    "contradictions": ContradictionMeter,
    "skeletons": SkeletonMeter,
    "unshown": UnshownMeter,
    "instructions": InstructionMeter,
    "violations": ViolationMeter,
}


def _metric(name: str, words: dict[str, Any]) -> Metric:
    figures = [{"name": figure, **about} for figure, about in words.pop("figures").items()]
    return Metric(name=name, make=_METERS[name], figures=msgspec.convert(tuple(figures), tuple[Figure, ...]), **words)


METRICS: dict[str, Metric] = {name: _metric(name, words) for name, words in own_data(__file__, "metrics.yaml").items()}

FIGURES: dict[str, Figure] = {
    f"{name}.{figure.name}": figure for name, metric in METRICS.items() for figure in metric.figures
}
"""All figures by the name that people write: `near_duplicates.plain`."""
