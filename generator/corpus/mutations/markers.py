"""Mutations: markers that are missing, doubled or broken; text where none is expected."""

import re

from generator.core.seeds import Draw
from generator.corpus.hard_values import hard_sentence
from generator.corpus.mutations.draft import BrokenCompletion, Calls, Draft, with_replaced
from generator.formats.wire.writing import write


def _markers_in(draft: Draft) -> list[tuple[int, str]]:
    found = [
        (match.start(), marker) for marker in draft.fmt.markers for match in re.finditer(re.escape(marker), draft.text)
    ]
    return sorted(found)


def drop_marker(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """One marker is missing."""
    found = _markers_in(draft)
    if not found:
        return None
    at, marker = draw.choice(found)
    return with_replaced(draft.text, at, len(marker), "", marker)


def drop_last_marker(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The end of the text, which closes the calls, is missing: models stop early."""
    text = draft.text.rstrip()
    ends = [end for end in (*draft.fmt.markers, draft.fmt.close.strip()) if end and text.endswith(end)]
    marker = max(ends, key=len, default="")
    at = len(text) - len(marker)
    return BrokenCompletion(text=draft.text[:at], at=at, arg=marker) if marker else None


def repeat_marker(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """One marker stands twice."""
    found = _markers_in(draft)
    if not found:
        return None
    at, marker = draw.choice(found)
    return with_replaced(draft.text, at, 0, marker, marker)


def tear_marker(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A space stands inside a marker."""
    found = [(at, marker) for at, marker in _markers_in(draft) if len(marker) > 2]
    if not found:
        return None
    at, marker = draw.choice(found)
    return with_replaced(draft.text, at + draw.between(1, len(marker) - 1), 0, " ", marker)


def half_marker_before(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Prose before the calls holds the beginning of their marker."""
    opening = draft.fmt.opening
    if len(opening) < 3 or not draft.fmt.prose or draft.fmt.before != "$text":
        return None
    half = opening[: draw.between(1, len(opening) - 1)]
    return with_replaced(draft.text, 0, 0, f"Look: {half} ", half, (draft.calls,))


def calls_twice(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The whole text stands twice."""
    if draft.fmt.one or draft.content:
        return None
    return with_replaced(draft.text, len(draft.text), 0, draft.text)


def text_after(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The model says something behind the calls."""
    ends = bool(draft.fmt.close.strip()) or draft.fmt.call_pieces[-1][0] == "text"
    said = f"\n{hard_sentence(draw)}"
    readings: tuple[Calls, ...] = (draft.calls, ()) if not draft.fmt.opening else (draft.calls,) if ends else ()
    return with_replaced(draft.text, len(draft.text), 0, said, None, readings)  # without markers all may be prose


def text_between(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The model says something between two calls."""
    if len(draft.calls) < 2:
        return None
    first = write(draft.fmt, draft.calls[:1], draft.content, draft.style)
    at = len(first) - len(draft.fmt.close)
    if not draft.text.startswith(first[:at]):
        return None
    return with_replaced(draft.text, at, 0, f"\n{hard_sentence(draw)}\n")


def fenced(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The calls stand in a code block of Markdown."""
    language = draw.choice(("json", "", "xml", "python", "tool_call"))
    return BrokenCompletion(text=f"```{language}\n{draft.text}\n```", at=0, arg=language)
