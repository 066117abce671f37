"""Compare a model's completions with the answers of an evaluation file: row by row, in constant memory."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from generator.core.errors import FormatError, OutputError
from generator.episodes.rewards import Match, judge, read_answer
from generator.formats.files.records import records_of


class Scores(msgspec.Struct):
    """Counts of items."""

    items: int = 0
    readable: int = 0
    """All calls that were begun can be read."""
    names: int = 0
    """The right tools are called, as often as they should be."""
    arguments: int = 0
    """And every call has the right arguments, whatever their values."""
    exact: int = 0
    """And the right values."""
    reward: float = 0.0
    """Sum of the rewards."""

    def add(self, match: Match) -> None:
        """Count one item by how well its answer matches."""
        self.items += 1
        for name in ("readable", "names", "arguments", "exact", "reward"):
            setattr(self, name, getattr(self, name) + getattr(match, name))


class Score(msgspec.Struct):
    """The scores of an evaluation."""

    overall: Scores = msgspec.field(default_factory=Scores)
    calls: Scores = msgspec.field(default_factory=Scores)
    """Items in which something should be called."""
    no_calls: Scores = msgspec.field(default_factory=Scores)
    """Items in which nothing should be called."""
    scenarios: dict[str, Scores] = msgspec.field(default_factory=dict)
    tools: dict[str, Scores] = msgspec.field(default_factory=dict)
    """By each tool that should be called."""

    def add(self, record: dict[str, Any], match: Match) -> None:
        """Count one record in all parts it belongs to: overall, with or without calls, its scenario, its tools."""
        right = read_answer(record["answer"])
        parts = [self.overall, self.calls if right else self.no_calls]
        scenario = record.get("scenario")
        if isinstance(scenario, str):
            parts.append(self.scenarios.setdefault(scenario, Scores()))
        parts += [self.tools.setdefault(name, Scores()) for name in dict.fromkeys(call["name"] for call in right)]
        for part in parts:
            part.add(match)


def score_files(rows: Path, answers: Path, text_format: str | None = None) -> Score:
    """Compare what a model said with what is right: `rows` is a file of the format `eval`, JSON lines or one JSON list.

    `answers` is JSON lines (or one list): what was said to each of them, in the same order, or with the `id` of the row beside it. Each is a text, a
    message, a response of an API, or an object that holds one as `completion`. Texts are read in every way that there is unless `text_format` says one.

    Raises:
        OutputError: when a file cannot be read, or there are more or fewer answers than rows.
        FormatError: when a row is none of the format.
    """
    score = Score()
    by_id = _by_id(answers)
    for entry, answer in zip_longest(_values(rows), (iter(()) if by_id is not None else _values(answers))):
        if entry is None:
            raise OutputError(f"{answers}: more answers than {rows} has rows")
        line, record = entry
        if by_id is not None:
            if str(record.get("id")) not in by_id:
                raise OutputError(f"{answers}: no answer to the row with the id {record.get('id')!r} ({rows}:{line})")
            answer = (0, by_id[str(record["id"])])
        elif answer is None:
            raise OutputError(f"{answers}: fewer answers than {rows} has rows (none for {rows}:{line})")
        try:
            score.add(record, judge(_completion(answer[1]), record.get("answer"), text_format))
        except FormatError as fault:
            of = f" (answered in {answers}:{answer[0]})" if answer[0] else ""
            raise FormatError(f"{rows}:{line}{of}: {fault}") from None
    return score


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of a file; raises FormatError for what is no JSON."""
    for entry in records_of(path):
        if entry.fault:
            raise FormatError(f"{path}:{entry.line}: {entry.fault.removeprefix('$: ')}")
        yield entry.line, entry.record


def _by_id(answers: Path) -> dict[str, Any] | None:
    """Return the answers by the id of the row, where the first of them has one."""
    answers_by_id: dict[str, Any] = {}
    for line, value in _values(answers):
        # a pair of an id and a completion: the response of an API has an id of its own
        if not (isinstance(value, dict) and "id" in value and "completion" in value):
            if not answers_by_id:
                return None
            raise FormatError(f"{answers}:{line}: no id, although the first answer has one")
        answers_by_id[str(value["id"])] = value
    return answers_by_id or None


def _completion(value: Any) -> Any:
    return value["completion"] if isinstance(value, dict) and "completion" in value else value
