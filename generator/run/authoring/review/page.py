"""The page of a review: each tool before and after, what was dropped and why, and decisions to take."""

from collections.abc import Iterator, Sequence
from html import escape

from generator.report.entries import Entry, entry, message_of
from generator.report.files.show import ShownMessage
from generator.report.page import Section, page, visible
from generator.run.authoring.review.review import Review, ReviewedRow, ReviewedTool, counts

_STATES = ("disputed", "dropped", "kept")


def page_of(review: Review, decisions: str) -> str:
    """Return the page of a review.

    Args:
        review: What came of an authoring.
        decisions: Name of the file that decisions belong into.
    """
    found = counts([text for tool in review.tools for text in tool.texts])
    about = f"{len(review.tools)} tools: {found['kept']} texts kept, {found['disputed']} disputed, {found['dropped']} dropped."
    columns = ["entity that was dropped", "why"] if review.entities_dropped else []
    section = Section(title="Review", about=about, columns=columns, lines=list(review.entities_dropped.items()))
    tools = [_tool(number, tool) for number, tool in enumerate(review.tools, 1)]
    what_for = f"accept or reject texts, or write them anew; <code>{escape(visible(decisions))}</code> belongs beside the tools"
    title = f"Review of {review.title}"
    return page(title, [review.title], tools, [section], pages=what_for, decisions=decisions)


def _tool(number: int, tool: ReviewedTool) -> Entry:
    texts = sorted(tool.texts, key=lambda text: _STATES.index(text.state))
    told = [("refused", tool.refused)] if tool.refused else []
    told += [("missing", gap) for gap in tool.gaps]
    return entry(
        "tool",
        f"0/{number}",
        tool.name,
        title=tool.description,
        tools=[tool.name],
        tags=sorted({text.state for text in texts}),
        faults=[{"rule": rule, "path": "", "message": why} for rule, why in told],
        messages=[*_trials("before", tool.before), *_trials("after", tool.after)],
        texts=[{"piece": one.piece, "text": one.text, "state": one.state, "why": one.why} for one in texts],
    )


def _trials(role: str, rows: Sequence[ReviewedRow]) -> Iterator[dict[str, object]]:
    for row in rows:
        why = (f"{', '.join(row.faults)}: {row.why}",) if row.faults else ()
        yield message_of(ShownMessage(role, "\n".join(row.lines), notes=why))
