"""The short table at the end of a run."""

from generator.cli.rules import rule_statements
from generator.cli.terminal import count, print_table
from generator.run.progress import RunFinished


def print_summary(finished: RunFinished) -> None:
    """Print what a run made to standard output."""
    tally = finished.tally
    statements = rule_statements()
    print_table("rows by scenario", [(name, f"{n:,}", "") for name, n in tally.scenarios.most_common()])
    print_table(
        "attempts rejected by rule (made again)",
        [(code, f"{n:,}", statements.get(code, "")) for code, n in tally.rejected.most_common()],
    )
    print_table(
        "rows that a format cannot carry",
        [(name, f"{n:,}", reason) for (name, reason), n in tally.refused.most_common()],
    )
    print_table(
        "files",
        [(str(file.path), count(file.rows, "line", "lines"), _size(file.bytes)) for file in finished.files],
    )


def _size(number: int) -> str:
    size = float(number)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
