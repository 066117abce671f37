"""Writes `docs/report.md` from the metrics themselves: `python docs/pages/report.py > docs/report.md`."""

import sys

from generator.report import METRICS
from generator.report.metrics.base import Metric
from generator.report.run_report import AT_LEAST, AT_MOST, ONE_IN, SHOWN

_INTRODUCTION = f"""\
# Reports

```bash
python -m generator report outputs/mixed
python -m generator report outputs/mixed other.jsonl
python -m generator report outputs/mixed --fail-over near_duplicates.plain=1 --fail-over contradictions.rows=0
python -m generator browse outputs/mixed other.jsonl --out compare.html
```

`report` measures finished rows: the folder of a run, or any file that [these commands](data-files.md) read. Several are shown side by
side. `browse` writes a page of the rows with the same figures behind them.

`--json` prints one object: figures, the counts behind the plots, and numbers of rows to look at (from 0; `show FILE --index N`
prints one). With `--fail-under` and `--fail-over` the command exits with 1, for CI; a figure for which there is nothing to measure passes no limit.

Where proofs.jsonl stands beside a file, what it says is used; elsewhere the same is searched for, which is an estimate and knows English.

A finished run measures a sample of its rows and writes `report.json` and `index.html` (unless `--no-report`, or when it writes plain
text only): one row in {ONE_IN}, at least {AT_LEAST} and at most {AT_MOST:,}, spread evenly, of which up to {SHOWN} stand on the page.
Figures marked † depend on the number of rows, so that a sample does not show them.

This page is made from the metrics: `python docs/pages/report.py > docs/report.md`.
"""


def report_page() -> str:
    """The page as Markdown."""
    return "".join([_INTRODUCTION, *map(_section, METRICS.values())])


def _section(metric: Metric) -> str:
    lines = [
        f"| `{metric.name}.{figure.name}`{' †' if figure.grows else ''} | {figure.unit} | {figure.about} |\n"
        for figure in metric.figures
    ]
    return (
        f"\n## {metric.title}\n\n{metric.about}\n\n| figure | unit | what it counts |\n|---|---|---|\n{''.join(lines)}"
    )


if __name__ == "__main__":
    sys.stdout.write(report_page())
