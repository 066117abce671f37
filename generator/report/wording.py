"""How figures are written, and which of them are shown first."""

from collections.abc import Sequence

from generator.report.measure import Report
from generator.report.metrics import FIGURES

MAIN: dict[str, str] = {
    "near_duplicates.plain": "near-duplicates",
    "near_duplicates.masked": "near-duplicates, values masked",
    "openers.most_frequent": "most frequent beginning of a request",
    "arguments.distinct_texts": "different values of a free text argument (median)",
    "sources.as_is": "values said as they are",
    "sources.reworded": "values said in other words",
    "sources.result": "values from results",
    "sources.not_found": "values of unknown origin",
    "answers.untold": "look-ups that the answer leaves untold",
    "answers.acknowledged": "optional values that the answer acknowledges",
    "skeletons.top_100": "answers with one of the 100 commonest skeletons",
    "skeletons.formatted": "answers with a list, a table or bold type",
    "instructions.followed": "lines of the system message that are followed",
    "results.contradicting": "conversations whose results disagree",
    "order.unlike_mention": "calls in another order than they are mentioned in",
    "pickers.tf_idf": "tools that a TF-IDF picker finds",
    "pickers.bag_of_words": "tools that a bag-of-words picker finds",
    "lengths.row_p95": "length of a row (95th percentile)",
    "violations.rows": "rows that break a rule",
}
"""The figures for a first look, and what a dataset card calls them."""


def shown_first(reports: Sequence[Report]) -> list[tuple[str, str]]:
    """Return (figure, what it is called) of the main figures; where only a sample was looked at, of those that a sample shows."""
    sampled = any(report.sampled for report in reports)
    return [(name, label) for name, label in MAIN.items() if not (sampled and FIGURES[name].grows)]


def in_words(name: str, value: float | int | None) -> str:
    """Return a figure with its unit: `4.6 %`, `1,153 tokens`; a dash where there was nothing to measure."""
    if value is None:
        return "–"
    unit = FIGURES[name].unit
    text = (
        "0" if value == 0 else f"{value:,}" if isinstance(value, int) else f"{value:,.{2 if abs(value) < 10 else 1}f}"
    )
    return f"{text} {unit}".rstrip()
