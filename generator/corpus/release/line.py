"""A case as one line of an edition, with its text and all that a test needs."""

import base64
import json
from typing import Any

import msgspec

from generator.corpus.case import Case, ChunkPlan, Oracle
from generator.corpus.chunks import letter_plan
from generator.formats.wire.encodings import plain_values
from generator.formats.wire.format import WireFormat

FORMAT_VERSION = 1
"""Of the keys of a line; another one when a reader of the old lines could not read the new ones."""
_MOST_LETTERS = 75
"""Bytes of a text up to which it is also cut at every letter."""
_MOST_PIECES = 400


def release_line(case: Case, fmt: WireFormat) -> bytes:
    """Return the line of a case of the grid; keys without a value are left out.

    Every line is UTF-8 without escaped halves of surrogate pairs, which strict readers refuse: a text that is no UTF-8
    stands in `base64`, and calls with values that are none are left out.
    """
    plain: dict[str, Any] = {"id": case.id, "verdict": case.verdict, "hazard": case.hazard}
    try:
        plain["text"] = case.text.decode()
    except UnicodeDecodeError:
        plain["base64"] = base64.b64encode(case.text).decode()
    if case.prefix:
        plain["prefix"] = case.prefix
    if case.oracle is not None and _can_be_encoded(case.oracle):
        plain["oracle"] = _plain(case.oracle)
    allowed = [_plain(oracle) for oracle in case.allowed if _can_be_encoded(oracle)]
    if allowed and len(allowed) == len(case.allowed):
        plain["allowed"] = allowed
    if case.emissions is not None:
        plain["names_at"] = [start for start, _ in case.emissions.names]
    plans = _plans(case, fmt) if "text" in plain else ()
    plain["plans"] = {plan.kind: list(plan.sizes) for plan in plans}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _plain(oracle: Oracle) -> dict[str, Any]:
    told = {"content": oracle.content, "reasoning": oracle.reasoning}
    calls = [msgspec.structs.asdict(call) for call in oracle.tool_calls]
    return {"tool_calls": calls, **{key: text for key, text in told.items() if text is not None}}


def _can_be_encoded(oracle: Oracle) -> bool:
    """Whether no text holds half of a surrogate pair."""
    texts = [leaf for call in oracle.tool_calls for leaf in plain_values(call.arguments) if isinstance(leaf, str)]
    return not any("\ud800" <= letter <= "\udfff" for text in texts for letter in text)


def _plans(case: Case, fmt: WireFormat) -> tuple[ChunkPlan, ...]:
    """Return the plans that a server could deliver, but for the whole text in one piece."""
    plans = [*case.plans, *([letter_plan(case.chars, fmt.special)] if 0 < len(case.text) <= _MOST_LETTERS else ())]
    return tuple(
        [
            plan
            for plan in plans
            if plan.utf8_safe and not plan.splits_special_token and 1 < len(plan.sizes) < _MOST_PIECES
        ]
    )
