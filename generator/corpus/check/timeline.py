"""When a stream sends what: not before it was read, not long after, and nothing that is no part of the answer.

What may and must be sent by each byte of a valid text follows from where its parts stand (`Emissions`):

- of the content, what was read; once the first name is known, all of it. While it is read, no more is held back than a marker
  could be long.
- of a call, nothing before its name begins; all of it once the name of the next call is known.
- nothing else: text that is no part of the content is a marker that leaked.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from generator.core.exact_json import loads
from generator.corpus.case import Case, ChunkPlan
from generator.corpus.check.answer import Delta, ParserAnswer
from generator.corpus.emissions import contents_of
from generator.formats.wire.format import wire_format

_PATIENCE = 24
"""Bytes that may be held back beside a marker: a tokenizer's token, and white space."""


def judge_timeline(case: Case, plan: ChunkPlan, answer: ParserAnswer, *, content: bool) -> tuple[str, str] | None:
    """Return the first delta of a valid case that is early, late or no part of the answer, as (label, detail)."""
    if case.verdict != "y" or answer.deltas is None or case.emissions is None or case.oracle is None:
        return None
    ends = (0, *accumulate(plan.sizes))
    texts = contents_of(case) if content else None
    said = ""
    arguments: dict[Any, str] = {}
    for after, deltas in _by_piece(answer.deltas, len(plan.sizes)):
        read = ends[min(after, len(plan.sizes))]
        for delta in deltas:
            said += delta.content
            for call in delta.tool_calls:
                index = call["index"]
                if index not in arguments and (wrong := _early(case, index, read)):
                    return wrong
                arguments[index] = arguments.get(index, "") + call["function"].get("arguments", "")
        if texts is not None and not any(_begins(text, said) for text in texts):
            return "leaked text", f"{said[-60:]!r} after {read} bytes is no part of {case.oracle.content!r:.80}"
        if wrong := _late(case, read, said if texts is not None and case.oracle.reasoning is None else None, arguments):
            return wrong
    return None


def _by_piece(deltas: tuple[Delta, ...], pieces: int) -> Iterator[tuple[int, list[Delta]]]:
    """Yield what is sent after each piece but the last, whose time is the end; that of pieces without deltas is none."""
    at = 0
    for after in range(pieces + 1):
        found = []
        while at < len(deltas) and (deltas[at].after <= after or after == pieces):
            found.append(deltas[at])
            at += 1
        yield after, found


def _early(case: Case, index: int, read: int) -> tuple[str, str] | None:
    assert case.emissions is not None
    names = case.emissions.names
    if not isinstance(index, int) or not 0 <= index < len(names):
        return None  # told as a call too many
    if read <= names[index][0]:
        return "early delta", f"call {index} is sent after {read} bytes; its name begins at {names[index][0]}"
    return None


def _late(case: Case, read: int, said: str | None, arguments: dict[Any, str]) -> tuple[str, str] | None:
    assert case.emissions is not None
    assert case.oracle is not None
    if read == len(case.text):
        return None  # the end is judged as an answer
    fmt = wire_format(case.format)
    start, end = case.emissions.content
    if said is not None and case.oracle.content:
        held = max(map(len, (*fmt.markers, fmt.open, fmt.gap)), default=0) * 3 + _PATIENCE
        due = end if read > case.emissions.names[0][1] else min(end, read - held)
        must = case.text[start:due].decode("utf-8", "ignore").strip() if due > start else ""
        if not said.strip().startswith(must):
            return "late delta", f"after {read} bytes only {said!r:.60} of what is said is sent"
    for index, following in enumerate(case.emissions.names[1:]):
        if read >= following[1] + _PATIENCE and not _is_json(arguments.get(index)):
            return "late delta", f"call {index} is not sent after {read} bytes, where the name of the next one is known"
    return None


def _is_json(text: str | None) -> bool:
    try:
        loads(text or "{}")
    except ValueError:
        return False
    return text is not None


def _begins(text: str, said: str) -> bool:
    """Whether what was sent begins the text, up to outer white space."""
    return text.strip().startswith(said.strip()) or not said.strip()
