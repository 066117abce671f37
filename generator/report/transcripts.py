"""Transcripts beside the rows that were played, as a page."""

from collections.abc import Callable, Sequence
from typing import Any

from generator.core.conversation import Row
from generator.episodes.episode import USUAL_END
from generator.episodes.table import Table, plain_table
from generator.formats.run_folder.proof_line import proof_line
from generator.report.entries import Entry, entry, said, said_in
from generator.report.page import Section, page

MOST = 200
"""Transcripts on one page: those that did not pass come first."""
_COLUMNS = ("scenario", "episodes", "pass", "pass^", "reward", "calls", "needed", "parts that failed")


def transcript_page(
    title: str, table: Table, transcripts: Sequence[dict[str, Any]], row_of: Callable[[int], Row]
) -> str:
    """Return the page.

    Args:
        title: What was played, and by whom.
        table: The scores by scenario.
        transcripts: Lines of a file of transcripts.
        row_of: Makes the row of an index.
    """
    chosen = sorted(transcripts, key=lambda one: (one["score"]["reward"] == 1.0, one["index"], one.get("attempt", 0)))
    entries = [_played(one) for one in chosen[:MOST]]
    entries += [_own(row_of(index)) for index in sorted({one["index"] for one in chosen[:MOST]})]
    beyond = len(chosen) - MOST
    about = "What was played stands beside what the row does."
    about += f" {beyond:,} transcripts more are not shown." if beyond > 0 else ""
    return page(title, ["played", "the row"], entries, [_scores(table, about)])


def _played(one: dict[str, Any]) -> Entry:
    score, attempt = one["score"], one.get("attempt", 0)
    parts = [(name, f"{part:.2f}", "") for name, part in score["parts"].items() if part < 1]
    told = [("why", "", text) for text in (*score.get("faults", ()), *{one["ended"]} - {"", USUAL_END})]
    return entry(
        "played",
        f"0/{one['index']}-{attempt}",
        f"Row {one['index']}, try {attempt}: {score['reward']:.2f}",
        row=one["index"],
        scenario=one["scenario"],
        tags=["passed" if score["reward"] == 1.0 else "failed"],
    ) | (
        said_in({"messages": one["messages"], "tools": []}, "openai")
        | {"faults": [{"rule": rule, "path": path, "message": text} for rule, path, text in parts + told]}
    )


def _own(row: Row) -> Entry:
    about = {"source": 1, "row": row.index, "scenario": row.scenario, "tags": row.tags}
    return entry("row", f"1/{row.index}", f"Row {row.index}", **about) | said(row.conversation, proof_line(row))


def _scores(table: Table, about: str) -> Section:
    plain = plain_table(table)
    tries = str(plain["tries"])
    lines = []
    for name, one in {"all": plain["all"], **plain["scenarios"]}.items():
        failed = ", ".join(f"{part} {count}" for part, count in {**one["failed"], **one["ended"]}.items())
        shares = [f"{share:.3f}" for share in (one["pass"], one["pass^k"][tries], one["reward"])]
        lines.append([name, f"{one['episodes']:,}", *shares, f"{one['calls']:,}", f"{one['needed']:,}", failed])
    columns = [f"{column}{tries}" if column.endswith("^") else column for column in _COLUMNS]
    return Section(title="Scores", about=about, columns=columns, lines=lines)
