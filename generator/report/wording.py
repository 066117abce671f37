"""How figures are written, which of them are shown first, and how the page shows them."""

from collections.abc import Sequence

from generator.report.measure import Report
from generator.report.metrics import FIGURES, METRICS, Metric
from generator.report.page import Section

MAIN: dict[str, str] = {
    "near_duplicates.plain": "near-duplicates",
    "near_duplicates.masked": "near-duplicates, values masked",
    "openers.most_frequent": "most frequent beginning of a request",
    "sources.as_is": "values said as they are",
    "sources.reworded": "values said in other words",
    "sources.result": "values from results",
    "sources.not_found": "values of unknown origin",
    "skeletons.top_100": "answers with one of the 100 commonest skeletons",
    "skeletons.formatted": "answers with a list, a table or bold type",
    "instructions.followed": "lines of the system message that are followed",
    "contradictions.rows": "rows whose results break an invariant",
    "contradictions.disagreeing": "conversations whose results disagree",
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


def sections_of(reports: Sequence[Report]) -> list[Section]:
    """Return what a page shows of reports, side by side: the main figures, then every metric.

    Reports belong to the sources of the page, in their order.
    """
    main = [
        (label, *[in_words(name, one.figures.get(name)) for one in reports]) for name, label in shown_first(reports)
    ]
    head = Section(title="Figures", about=" ".join(map(headline, reports)), columns=_columns("", reports), lines=main)
    return [head, *[_section(metric, reports) for metric in METRICS.values()]]


def _columns(first: str, reports: Sequence[Report], *last: str) -> list[str]:
    return [first, *([report.name for report in reports] if len(reports) > 1 else ["value"]), *last]


def headline(report: Report) -> str:
    """Return what was looked at."""
    text = f"{report.name}: {report.measured:,} {'row' if report.measured == 1 else 'rows'}."
    if report.sampled:
        text = (
            f"{report.name}: {report.measured:,} rows, not all there are. What grows with the number of rows, such as the share of"
            " near-duplicates, is marked †: `python -m generator report` looks at all rows."
        )
    text += f" {report.documents:,} of them are documents, which no figure is about." if report.documents else ""
    told = "; ".join([f"row {number}: {reason}" for number, reason in report.unread])
    return text + (f" {report.unreadable:,} cannot be read: {told}." if report.unreadable else "")


def _section(metric: Metric, reports: Sequence[Report]) -> Section:
    found = [(report.name, report.metrics[metric.name]) for report in reports]
    sampled = any(report.sampled for report in reports)
    lines = []
    for figure in metric.figures:
        name = f"{metric.name}.{figure.name}"
        values = [in_words(name, report.figures.get(name)) for report in reports]
        lines.append((f"`{name}`{' †' if figure.grows and sampled else ''}", *values, figure.about))
    return Section(
        title=metric.title,
        about=metric.about,
        columns=_columns("figure", reports, "what it counts"),
        lines=lines,
        charts=[
            (_titled(chart.title, name, reports), chart.counts)
            for title in dict.fromkeys(chart.title for _, one in found for chart in one.charts)
            for name, one in found
            for chart in one.charts
            if chart.title == title and chart.counts
        ],
        examples=[
            (_titled(kind, name, reports), [(f"{source}/{number + 1}", str(number)) for number in numbers])
            for source, (name, one) in enumerate(found)
            for kind, numbers in one.examples.items()
        ],
    )


def _titled(title: str, name: str, reports: Sequence[Report]) -> str:
    return f"{title}: {name}" if len(reports) > 1 else title
