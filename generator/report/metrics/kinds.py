"""Kinds of conversations and of turns."""

from collections import Counter

from generator.report.metrics.base import Chart, Measured, most_first, numbered
from generator.report.rows import SeenCall, SeenRow, SeenTurn
from generator.report.sketches import FrequentValues, share

_MANY = 5  # as metrics.yaml says
_REFUSED = frozenset({"ruled_out", "kept_back", "handed_over"})
"""What the assistant says where a policy does not let it do what is asked."""


class KindMeter:
    """Counts shapes of conversations and of turns."""

    def __init__(self) -> None:
        self._shapes: Counter[str] = Counter()
        self._turn_kinds: Counter[str] = Counter()
        self._turns: Counter[int] = Counter()
        self._scenarios = FrequentValues()
        self._tags = FrequentValues()
        self._errors = self._many = 0
        self._told: Counter[str] = Counter()

    def add(self, row: SeenRow) -> None:
        """Count one row."""
        calls = list(row.calls)
        self._shapes[calls_kind(calls)] += 1
        self._turns[len(row.turns)] += 1
        self._turn_kinds.update(_kind_of(turn) for turn in row.turns)
        self._errors += any(call.failed for call in calls)
        self._many += len(calls) >= _MANY
        if row.proof is not None:
            hows = [tell.how for tell in row.proof.tells]
            is_refused = not _REFUSED.isdisjoint(hows)
            self._told.update(proven=1, refused=is_refused, insisted=is_refused and "insists" in hows)
            self._told["reasons"] += hows.count("reason")
            self._scenarios.add(row.proof.scenario)
            for tag in row.proof.tags:
                self._tags.add(tag)

    def result(self) -> Measured:
        """Return what there was of each kind."""
        rows = self._shapes.total()
        turns = sum(number * count for number, count in self._turns.items())
        several = sum(count for number, count in self._turns.items() if number > 1)
        charts = [
            Chart("Conversations by their calls", most_first(self._shapes)),
            Chart("Turns by what the assistant does", most_first(self._turn_kinds)),
        ]
        if len(self._turns) > 1:
            charts.append(Chart("Conversations by number of turns", numbered(self._turns)))
        for title, counted in (("Scenarios", self._scenarios), ("Tags", self._tags)):
            if counted.total:
                charts.append(Chart(title, tuple(counted.top(16))))
        return Measured(
            {
                "turns": round(turns / rows, 2) if rows else None,
                "several_turns": share(several, rows),
                "no_call": share(self._shapes["no call"], rows),
                "errors": share(self._errors, rows),
                "many_calls": share(self._many, rows),
                "refused": share(self._told["refused"], self._told["proven"]),
                "insisted": share(self._told["insisted"], self._told["refused"]),
                "reasons": share(self._told["reasons"], turns if self._told["proven"] else 0),
            },
            tuple(charts),
        )


def calls_kind(calls: list[SeenCall]) -> str:
    """Return the kind of a conversation: what its calls look like, whatever the file calls it."""
    if len(calls) <= 1:
        return "single call" if calls else "no call"
    steps = Counter(call.message for call in calls)
    if len(steps) == 1:
        return "parallel, one tool" if len({call.call.name for call in calls}) == 1 else "parallel, several tools"
    return "one after the other" if max(steps.values()) == 1 else "several steps, some parallel"


def _kind_of(turn: SeenTurn) -> str:
    if not turn.calls:
        if not turn.answer:
            return "no answer"
        return "asks back" if turn.answer.rstrip().endswith("?") else "answers without a call"
    return "calls and answers" if turn.answer else "calls only"
