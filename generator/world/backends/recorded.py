"""Calls answered from a file of recorded ones: JSONL of `{"tool", "arguments", "result"}` or `{…, "error"}`."""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct

from generator.core.conversation import ToolCall
from generator.core.declared import read
from generator.core.documents import read_lines
from generator.core.errors import SpecError
from generator.core.exact_json import loads
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.world.outcome import read_outcome


class RecordedCall(Struct, frozen=True, kw_only=True):
    """One line of the file."""

    tool: Annotated[str, Meta(min_length=1)]
    arguments: dict[str, Any]
    result: Any = UNSET
    error: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for both a result and an error, or neither."""
        if (self.result is UNSET) == (self.error is None):
            raise ValueError("either 'result' or 'error' is expected")


class Recorded:
    """The backend of one file. A call that is recorded several times gives its answers in turn, the last one from then on.

    Args:
        path: The file.

    Raises:
        SpecError: with `file:line` for a line that is wrong.
    """

    def __init__(self, path: Path) -> None:
        self._answers: dict[str, list[Outcome]] = {}
        for document in read_lines(path, SpecError):
            line = read(RecordedCall, document, document.value, (), SpecError)
            self._answers.setdefault(_key(line.tool, line.arguments), []).append(_outcome(line))
        if not self._answers:
            raise SpecError(f"{path}:1: no call is recorded in this file")

    def arguments_of(self, tool: str) -> list[dict[str, Any]]:
        """Return the arguments with which a tool was called and gave a result."""
        known = [(loads(key), answers[0].ok) for key, answers in self._answers.items()]
        return [arguments for (name, arguments), ok in known if name == tool and ok]

    def open(self, today: date, salt: int = 0) -> "AbstractContextManager[RecordedWorld]":
        """Return a world in which every answer is there to be given again."""
        return nullcontext(RecordedWorld(self._answers))


class RecordedWorld:
    """The answers of one conversation."""

    def __init__(self, answers: dict[str, list[Outcome]]) -> None:
        self._answers = answers
        self._given: dict[str, int] = {}

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the recorded answers; an error for a call that was not recorded."""
        return tuple([self._answer(call) for call in calls])

    def _answer(self, call: ToolCall) -> Outcome:
        key = _key(call.name, call.arguments)
        known = self._answers.get(key)
        if known is None:
            return Outcome(False, f"{ERROR}No answer is recorded for {call.name} with these arguments")
        turn = self._given.get(key, 0)
        self._given[key] = turn + 1
        return known[min(turn, len(known) - 1)]


def _key(tool: str, arguments: dict[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False)


def _outcome(line: RecordedCall) -> Outcome:
    if line.error is not None:
        return Outcome(False, line.error if line.error.startswith(ERROR) else f"{ERROR}{line.error}")
    return read_outcome(line.result if isinstance(line.result, str) else json.dumps(line.result, ensure_ascii=False))
