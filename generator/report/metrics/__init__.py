"""The metrics of a report, by name, in the order in which they are shown.

To add one: a module with a meter (`add` a row, `result`) and `METRIC`, and one word in the tuple below.
"""

from generator.report.metrics import (
    additions,
    answers,
    arguments,
    calls,
    instructions,
    kinds,
    lengths,
    near_duplicates,
    openers,
    order,
    pickers,
    results,
    skeletons,
    sources,
    tools,
    violations,
)
from generator.report.metrics.base import Chart, Figure, Measured, Metric

_METRICS = (
    kinds.METRIC,
    calls.METRIC,
    tools.METRIC,
    arguments.METRIC,
    sources.METRIC,
    near_duplicates.METRIC,
    openers.METRIC,
    additions.METRIC,
    lengths.METRIC,
    pickers.METRIC,
    results.METRIC,
    answers.METRIC,
    skeletons.METRIC,
    instructions.METRIC,
    order.METRIC,
    violations.METRIC,
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _METRICS}

FIGURES: dict[str, Figure] = {
    f"{metric.name}.{figure.name}": figure for metric in _METRICS for figure in metric.figures
}
"""All figures by the name that people write: `near_duplicates.plain`."""

__all__ = ["FIGURES", "METRICS", "Chart", "Figure", "Measured", "Metric"]
