"""The metrics of a report, by name, in the order in which they are shown.

To add one: a module with a meter (`add` a row, `result`), one line in the table below, and its words in metrics.yaml.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.yaml_values import own_data
from generator.report.metrics.base import Chart, Figure, Measured, Meter, Metric
from generator.report.metrics.contradictions import ContradictionMeter
from generator.report.metrics.instructions import InstructionMeter
from generator.report.metrics.kinds import KindMeter
from generator.report.metrics.lengths import LengthMeter
from generator.report.metrics.near_duplicates import NearDuplicateMeter
from generator.report.metrics.openers import OpenerMeter
from generator.report.metrics.skeletons import SkeletonMeter
from generator.report.metrics.sources import SourceMeter
from generator.report.metrics.tools import ToolMeter
from generator.report.metrics.unshown import UnshownMeter
from generator.report.metrics.violations import ViolationMeter

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

__all__ = ["FIGURES", "METRICS", "Chart", "Figure", "Measured", "Metric"]
