"""What came of an authoring, kept beside the overlay for `tools review`: texts that are kept and dropped, and rows before and after."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator.core.errors import SpecError
from generator.core.files.regular import read_regular
from generator.core.toolbox import ToolSpec
from generator.run.authoring.elements import Element
from generator.run.authoring.result import AuthoredTool, Authoring
from generator.run.transcript import lines_of
from generator.run.trials import try_tool

_ROWS = 5


class ReviewedText(msgspec.Struct, frozen=True, kw_only=True):
    """One element."""

    piece: str
    text: str
    state: str
    """`kept`, `dropped`, or `disputed`: one reader reads it as it was written, the other one does not."""
    why: str = ""


class ReviewedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One trial row."""

    lines: tuple[str, ...]
    faults: tuple[str, ...] = ()
    why: str = ""


class ReviewedTool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool."""

    name: str
    description: str
    texts: tuple[ReviewedText, ...]
    gaps: tuple[str, ...] = ()
    refused: str = ""
    before: tuple[ReviewedRow, ...] = ()
    after: tuple[ReviewedRow, ...] = ()


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One source."""

    title: str
    tools: tuple[ReviewedTool, ...]
    entities_dropped: Mapping[str, str] = {}


def review_of(title: str, done: Authoring, before: Mapping[str, ToolSpec]) -> Review:
    """Return the review of an authoring.

    Args:
        title: The source.
        done: What came of it.
        before: The tools as they were.
    """
    tools = tuple(_tool(tool, before[tool.spec.name]) for tool in done.tools)
    return Review(title=title, tools=tools, entities_dropped=done.entities_dropped)


def _tool(tool: AuthoredTool, before: ToolSpec) -> ReviewedTool:
    texts = [_text(element, "kept") for element in tool.texts]
    texts += [_text(one.element, "disputed" if one.is_disputed else "dropped", one.why) for one in tool.dropped]
    after = tuple(ReviewedRow(lines=one.lines, faults=one.faults, why=one.why) for one in tool.verdicts)
    return ReviewedTool(
        name=tool.spec.name,
        description=tool.spec.tool.description or "",
        texts=tuple(texts),
        gaps=tool.gaps,
        refused=tool.refused,
        before=_rows(before),
        after=after or _rows(tool.spec),
    )


def _rows(spec: ToolSpec) -> tuple[ReviewedRow, ...]:
    return tuple(ReviewedRow(lines=tuple(lines_of(row.conversation, 900))) for row in try_tool(spec, _ROWS).rows)


def _text(element: Element, state: str, why: str = "") -> ReviewedText:
    return ReviewedText(piece=element.name, text=element.text, state=state, why=why)


def write_review(path: Path, review: Review) -> None:
    """Write a review; it replaces the last one."""
    from generator.formats.sinks.disk import write_whole

    write_whole(path, [msgspec.json.format(msgspec.json.encode(review), indent=1)])


def read_review(path: Path) -> Review:
    """Read a review.

    Raises:
        SpecError: when there is none, or it cannot be read.
    """
    try:
        return msgspec.json.decode(read_regular(path), type=Review)
    except OSError:
        raise SpecError(f"{path}: there is nothing to review: `tools author` writes it") from None
    except msgspec.MsgspecError as fault:
        raise SpecError(f"{path}: {fault}") from None


def counts(texts: Sequence[ReviewedText]) -> dict[str, int]:
    """Return how many texts are kept, disputed and dropped."""
    found: dict[str, Any] = dict.fromkeys(("kept", "disputed", "dropped"), 0)
    for text in texts:
        found[text.state] += 1
    return found
