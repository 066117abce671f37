"""Trial rows of authored tools, read by a judge with a fixed rubric."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import msgspec

from generator.core.conversation import Row
from generator.core.toolbox import ToolSpec
from generator.llm.prompts import Prompt
from generator.run.authoring.asking import Answering, Asked, object_of
from generator.run.authoring.writer.writing import signature
from generator.run.transcript import lines_of

ROWS = 5
"""Trial rows of each tool."""
ENOUGH = 4
"""So many of them must pass."""
RUBRIC = ("natural", "plausible", "useful", "told")
_LONGEST_RESULT = 1_200
_NOT_JUDGED = "not judged"
_VERDICT = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        **{question: {"type": "boolean"} for question in RUBRIC},
        "why": {"type": "string"},
        "blame": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["number", *RUBRIC],
}
ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": _VERDICT}},
    "required": ["rows"],
}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge says of one row."""

    lines: tuple[str, ...]
    """The conversation."""
    faults: tuple[str, ...]
    """Questions of the rubric that it fails, or why it was not judged."""
    why: str = ""
    blamed: tuple[tuple[str, str], ...] = ()
    """(tool, text) pairs: the phrases of which the judge says that they are at fault."""

    @property
    def is_judged(self) -> bool:
        """Whether the judge has said something of the row."""
        return self.faults != (_NOT_JUDGED,)


def phrases_of(row: Row) -> list[tuple[str, str]]:
    """Return the phrases that a conversation is made of: (tool, text) pairs, each once."""
    names = {call.id: call.name for message in row.conversation.messages for call in getattr(message, "tool_calls", ())}
    found = [(names.get(use.calls[0], ""), use.key) for use in row.proof.uses if use.calls]
    told = [(tool, key.partition(": ")) for tool, key in found]
    return list(dict.fromkeys((tool, text) for tool, (kind, _, text) in told if kind not in _OF_NAMES))


_OF_NAMES = frozenset({"told", "bare", "for", "alone", "clause", "nothing", "empty"})
"""Kinds of forms that are no phrases."""


def judging_request(name: str, specs: Sequence[ToolSpec], rows: Sequence[tuple[str, Row]], prompt: Prompt) -> Asked:
    """Return the request to judge rows.

    Args:
        name: Of the request.
        specs: The tools of the rows.
        rows: Each with its tool.
        prompt: The judge's.
    """
    told = [
        "\n".join([f"{number}.", *lines_of(row.conversation, _LONGEST_RESULT), *_made_of(row)])
        for number, (_, row) in enumerate(rows, start=1)
    ]
    tools = "\n".join(signature(spec, is_long=True) for spec in specs)
    request = prompt.ask(ANSWER, "judge", tools=tools, rows="\n\n".join(told))
    return Asked(name=name, request=request, is_numbered=True)


async def judge_rows(judge: Answering, asked: Asked, rows: Sequence[tuple[str, Row]]) -> list[Verdict]:
    """Return what a judge says of each row; a row that it does not judge has failed."""
    value, fault = object_of(await judge.answer(asked))
    entries = value.get("rows")
    by_number: dict[int, Mapping[str, Any]] = {
        entry["number"]: entry
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("number"), int)
    }
    return [_verdict(row, by_number.get(number), fault) for number, (_, row) in enumerate(rows, start=1)]


def _made_of(row: Row) -> list[str]:
    """Return the line that names the phrases of a conversation by letters."""
    named = [f"[{letter}] {text}" for letter, (_, text) in zip(ascii_lowercase, phrases_of(row), strict=False)]
    return [f"(made of: {'; '.join(named)})"] if named else []


def _verdict(row: Row, entry: Mapping[str, Any] | None, fault: str) -> Verdict:
    lines = tuple(lines_of(row.conversation, _LONGEST_RESULT))
    if entry is None:
        return Verdict(lines=lines, faults=(_NOT_JUDGED,), why=fault)
    faults = tuple(question for question in RUBRIC if entry.get(question) is not True)
    named = entry.get("blame")
    letters = {str(letter).strip("[] ") for letter in named} if faults and isinstance(named, list) else set()
    pairs = zip(ascii_lowercase, phrases_of(row), strict=False)
    blamed = tuple(phrase for letter, phrase in pairs if letter in letters)
    return Verdict(lines=lines, faults=faults, why=str(entry.get("why", ""))[:300], blamed=blamed)
