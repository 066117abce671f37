"""The short table at the end of a run."""

import click

from generator.cli.rules import rule_statements
from generator.cli.screen.terminal import count, on_one_line, print_table
from generator.formats.files.lengths import LengthCounts
from generator.formats.run_folder.files import all_shards
from generator.formats.run_folder.tally import Tally
from generator.llm.account import cost_in_words
from generator.run.engine.progress import RunFinished, Written

_MOST_LACKING = 10
"""The most tools that are named for incomplete coverage."""
_MOST_NAMED = 3
"""The most names that are told of those with more than their share."""


def print_summary(finished: RunFinished) -> None:
    """Print what a run made to standard output."""
    tally = finished.tally
    statements = rule_statements()
    if not finished.made:
        click.echo(on_one_line(f"{finished.out}: the run was finished already; nothing was made"))
    print_table("rows by scenario", [(name, f"{n:,}", "") for name, n in _most_first(tally.scenarios)])
    if tally.scripts:
        most = max(tally.scripts.values())
        told = f"{sum(tally.scripts.values()):,} of {tally.rows:,}"
        print_table(
            "rows of scripts", [(told, count(len(tally.scripts), "script", "scripts"), f"one makes {most:,} at most")]
        )
    print_table("rows by split", [(name, f"{n:,}", "") for name, n in tally.splits.items()])
    print_table(
        "attempts rejected by rule (made again)",
        [(code, f"{n:,}", statements.get(code, "")) for code, n in _most_first(tally.rejected)],
    )
    print_table("coverage (pairwise)", _coverage(tally))
    print_table("rows removed", _removed(tally))
    print_table(
        "rows that a format cannot carry",
        [(name, f"{n:,}", reason) for name, reasons in tally.refused.items() for reason, n in _most_first(reasons)],
    )
    print_table(
        "rows that lost something",
        [(name, f"{n:,}", what) for name, parts in tally.lost.items() for what, n in _most_first(parts)],
    )
    _print_model(finished)
    print_table("tokens of a record", [(name, *_length(lengths)) for name, lengths in tally.lengths.items()])
    print_table(
        "files",
        [(name, count(rows, "line", "lines"), _size(size)) for name, rows, size in _without_shards(finished.files)],
    )


def _length(lengths: LengthCounts) -> tuple[str, str]:
    found = lengths.summary()
    return (
        ("", "")
        if found is None
        else (f"{found.p50:,}", f"half of them; {found.p95:,} 95 %; {found.longest:,} the longest")
    )


def _print_model(finished: RunFinished) -> None:
    """Print the requests to a model, the outcomes of its answers, and the cost."""
    tally, account = finished.tally, finished.account
    for use, outcomes in tally.llm.items():
        total = sum(outcomes.values())
        print_table(
            f"{use} by the model",
            [(outcome, f"{n:,}", f"{n / total:.0%}") for outcome, n in _most_first(outcomes)],
        )
    print_table("rows by score", [(score, f"{tally.scores[score]:,}", "") for score in sorted(tally.scores)])
    if account is not None:
        lines = [
            ("requests", f"{account.requests:,}", count(account.retries, "retry", "retries")),
            ("from cache", f"{account.cache_hits:,}", ""),
            ("tokens in", f"{account.prompt_tokens:,}", ""),
            ("tokens out", f"{account.completion_tokens:,}", cost_in_words(account)),
        ]
        print_table("asking the model", lines)


def _without_shards(files: tuple[Written, ...]) -> list[tuple[str, int, int]]:
    """Return name, rows and bytes of every file, the shards of a file as one."""
    sums: dict[str, tuple[int, int]] = {}
    for file in files:
        name = str(file.path.with_name(all_shards(file.path.name)))
        rows, size = sums.get(name, (0, 0))
        sums[name] = (rows + file.rows, size + file.bytes)
    return [(name, rows, size) for name, (rows, size) in sums.items()]


def _removed(tally: Tally) -> list[tuple[str, str, str]]:
    """Return how many rows are like earlier ones, each kind on a line, and how many too many of something."""
    lines = [(f"dedup: {kind}", f"{n:,}", _ALIKE[kind]) for kind, n in tally.removed.get("dedup", {}).items()]
    for key, otherwise in (("max_share", "nothing has more than its share"), ("solve", ""), ("failed", "")):
        counts = tally.removed.get(key)
        if counts is not None:
            named = [f"{name} {n:,}" for name, n in _most_first(counts)[:_MOST_NAMED]]
            named += [f"{len(counts) - _MOST_NAMED} more in manifest.json"] if len(counts) > _MOST_NAMED else []
            what = "could not be made, by tool" if key == "failed" else key
            lines.append((what, f"{sum(counts.values()):,}", ", ".join(named) or otherwise))
    return lines


def _coverage(tally: Tally) -> list[tuple[str, str, str]]:
    """Return goals reached of those possible: of all tools, then of those that lack most."""
    counts = {name: (len(tally.reached.get(name, ())), possible) for name, possible in tally.possible.items()}
    lacking = sorted(
        (name for name, (reached, possible) in counts.items() if reached < possible),
        key=lambda name: counts[name][0] - counts[name][1],
    )
    if not counts:
        return []
    reached, possible = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    what = "every enum value, both states of every optional parameter, every pair of states"
    rows = [(count(len(counts), "tool", "tools"), f"{reached:,} of {possible:,}", what)]
    rows += [(name, f"{counts[name][0]:,} of {counts[name][1]:,}", "") for name in lacking[:_MOST_LACKING]]
    if len(lacking) > _MOST_LACKING:
        rows.append((f"{len(lacking) - _MOST_LACKING} more", "", "manifest.json has all of them"))
    return rows


def _most_first(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: -pair[1])


def _size(number: int) -> str:
    size = float(number)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


_ALIKE = {
    "row": "the same as an earlier one",
    "request": "the same request as an earlier one",
    "near request": "nearly the request of an earlier one",
}
