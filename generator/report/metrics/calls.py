"""What is called: kinds of conversations and turns, tools and their places, where arguments come from, which rules are violated."""

from collections import Counter
from collections.abc import Iterator, Sequence

from generator.core.conversation import ToolMessage
from generator.report.metrics.base import (
    Chart,
    DistinctValues,
    FrequentValues,
    Measured,
    Meter,
    most_first,
    numbered,
    share,
)
from generator.report.rows import ParsedCall, ParsedRow, ParsedTurn

_MANY = 5  # as metrics.yaml says
_REFUSED = frozenset({"ruled_out", "kept_back", "handed_over"})
"""What the assistant says where a policy does not let it do what is asked."""


class KindMeter(Meter):
    """Counts shapes of conversations and of turns."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: Counter[str] = Counter()
        self._turn_kinds: Counter[str] = Counter()
        self._turns: Counter[int] = Counter()
        self._scenarios = FrequentValues()
        self._tags = FrequentValues()

    def add(self, row: ParsedRow) -> None:
        """Count one row."""
        calls = list(row.calls)
        self._shapes[calls_kind(calls)] += 1
        self._turns[len(row.turns)] += 1
        self._turn_kinds.update(_kind_of_turn(turn) for turn in row.turns)
        self.counts.update(rows=1, turns=len(row.turns), several=len(row.turns) > 1)
        self.counts.update(errors=any(call.failed for call in calls), many=len(calls) >= _MANY)
        if row.proof is not None:
            hows = [tell.how for tell in row.proof.tells]
            is_refused = not _REFUSED.isdisjoint(hows)
            self.counts.update(proven=1, refused=is_refused, insisted=is_refused and "insists" in hows)
            self.counts["reasons"] += hows.count("reason")
            self._scenarios.add(row.proof.scenario)
            for tag in row.proof.tags:
                self._tags.add(tag)

    def result(self) -> Measured:
        """Return what there was of each kind."""
        rows, turns = self.counts["rows"], self.counts["turns"]
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
                "several_turns": self.share_of("several", "rows"),
                "no_call": share(self._shapes["no call"], rows),
                "errors": self.share_of("errors", "rows"),
                "many_calls": self.share_of("many", "rows"),
                "refused": self.share_of("refused", "proven"),
                "insisted": self.share_of("insisted", "refused"),
                "reasons": share(self.counts["reasons"], turns if self.counts["proven"] else 0),
            },
            tuple(charts),
        )


def calls_kind(calls: list[ParsedCall]) -> str:
    """Return the kind of a conversation: what its calls look like, whatever the file calls it."""
    if len(calls) <= 1:
        return "single call" if calls else "no call"
    steps = Counter(call.message for call in calls)
    if len(steps) == 1:
        return "parallel, one tool" if len({call.call.name for call in calls}) == 1 else "parallel, several tools"
    return "one after the other" if max(steps.values()) == 1 else "several steps, some parallel"


def _kind_of_turn(turn: ParsedTurn) -> str:
    """Return what the assistant does in a turn."""
    if not turn.calls:
        if not turn.answer:
            return "no answer"
        return "asks back" if turn.answer.rstrip().endswith("?") else "answers without a call"
    return "calls and answers" if turn.answer else "calls only"


_NAMES = {
    "as_is": "said as it is",
    "reworded": "said in other words",
    "earlier_turn": "from an earlier turn",
    "result": "from a result",
    "context": "from the system message",
    "default": "a default",
    "not_found": "not found",
}


_TYPES = {str: "text", int: "number", float: "number", bool: "boolean"}


class SourceMeter(Meter):
    """Counts argument values by origin, and those that users say by type."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Counter[tuple[str, str]] = Counter()
        """(type, origin) of values that users say."""
        self._ways: Counter[str] = Counter()
        """Values in other words, by verbalizer."""
        self._origins: Counter[str] = Counter()

    def add(self, row: ParsedRow) -> None:
        """Count the values of one row."""
        values = [value for call in row.calls for value in call.values]
        origins = Counter(value.origin for value in values)
        self._origins.update(origins)
        said_by_user = [value for value in values if value.origin in ("as_is", "reworded")]
        self._ways.update(
            value.way.replace("_", " ") for value in said_by_user if value.origin == "reworded" and value.way
        )
        self._said.update(
            (_TYPES[type(value.value)], value.origin) for value in said_by_user if type(value.value) in _TYPES
        )
        if origins:
            self.counts.update(rows=1, proven=row.proof is not None, lacking=origins["not_found"] > 0)
        if origins["not_found"]:
            self.examples.note("values that were not found", row.number)

    def result(self) -> Measured:
        """Return shares of all values that have an origin or should have one."""
        values = self._origins.total() - self._origins["not_sought"]
        figures: dict[str, float | int | None] = {}
        for name in _NAMES:
            figures[name] = share(self._origins[name], values)
            if name == "reworded":
                figures |= self._by_type()
        figures |= {"rows_lacking": self.share_of("lacking", "rows"), "proven": self.share_of("proven", "rows")}
        counts = tuple((label, self._origins[name]) for name, label in _NAMES.items() if self._origins[name])
        charts = [Chart("Values by origin", counts)]
        charts += [Chart("Values in other words, by how they are said", most_first(self._ways))] if self._ways else []
        return Measured(figures, tuple(charts), self.examples.rows)

    def _by_type(self) -> dict[str, float | int | None]:
        """Return the shares of values in other words, of those of one type that users say."""
        reworded = {kind: self._said[kind, "reworded"] for kind in dict.fromkeys(_TYPES.values())}
        return {f"reworded_{kind}": share(of, of + self._said[kind, "as_is"]) for kind, of in reworded.items()}


_PLACES = 8
_MOST_DESCRIBED = 20_000
"""Descriptions of tools that are remembered."""
_TELLING = 3
"""Letters that a text has at least for it to be no accident that two tools use it."""


class ToolMeter(Meter):
    """Counts tools and their places."""

    def __init__(self) -> None:
        super().__init__()
        self._called = FrequentValues(2048)
        self._distinct_called = DistinctValues()
        self._distinct_offered = DistinctValues()
        self._offered: Counter[int] = Counter()
        self._places: Counter[int] = Counter()
        self._expected = [0.0] * _PLACES
        self._position = 0.0
        self._described: dict[str, str] = {}

    def add(self, row: ParsedRow) -> None:
        """Count the tools of one row."""
        calls, offered = list(row.calls), [tool.name for tool in row.conversation.tools]
        usual_names = dict(zip(offered, self._identities(row), strict=True))
        for name in usual_names.values():
            self._distinct_offered.add(name)
        for call in calls:
            name = usual_names.get(call.call.name, call.name)
            self._called.add(name)
            self._distinct_called.add(name)
        self._offered[len(offered)] += 1
        names = {call.call.name for call in calls}
        if len(offered) > len(names) > 0:
            self._note_places([index for index, name in enumerate(offered) if name in names], len(offered))
        if len(names) > 1:
            self.counts.update(several=1, related=_are_related(row, calls, names))
        for turn in row.turns:
            tools_of_turn = {call.call.name for call in turn.calls}
            if len(tools_of_turn) > 1:
                self.counts.update(turns=1, related_turns=_are_related(row, turn.calls, tools_of_turn))

    def result(self) -> Measured:
        """Return counts and the commonest tools."""
        rows = self._offered.total()
        offered = sum(number * count for number, count in self._offered.items())
        placed = self._places.total()
        counted = [(str(at), self._places[at - 1], fair) for at, fair in enumerate(self._expected, 1) if fair >= 1]
        often = tuple([(at, round(100 * called / fair)) for at, called, fair in counted])
        return Measured(
            {
                "called": self._distinct_called.count,
                "offered": self._distinct_offered.count,
                "offered_mean": round(offered / rows, 2) if rows else None,
                "most_called": self._called.share_of_first,
                "position": 100 * self._position / placed if placed else None,
                "related": self.share_of("related", "several"),
                "related_turns": self.share_of("related_turns", "turns"),
            },
            (
                Chart("Most called tools", tuple(self._called.top(15))),
                Chart("Tools offered", numbered(self._offered, 16)),
                Chart("How often a tool in this place is called (100: as often as any other)", often),
            ),
        )

    def _identities(self, row: ParsedRow) -> Iterator[str]:
        """Yield what each offered tool is identified by: its usual name, or that of the first with its description."""
        for name, tool in zip(row.offered, row.conversation.tools, strict=True):
            text = " ".join((tool.description or "").split())
            if not text or (text not in self._described and len(self._described) >= _MOST_DESCRIBED):
                yield name
            else:
                yield self._described.setdefault(text, name)

    def _note_places(self, called: list[int], offered: int) -> None:
        """Count at which places of the list of offered tools called ones stand."""
        for index in called:
            self._position += index / (offered - 1)
            self._places[min(index, _PLACES)] += 1
        for index in range(min(offered, _PLACES)):
            self._expected[index] += len(called) / offered


def _are_related(row: ParsedRow, calls: Sequence[ParsedCall], names: set[str]) -> bool:
    """Whether all tools hang together: they use the same text, or one uses what another returned or depends on it."""
    group = {name: name for name in names}
    for first, second in _sharing(row, calls):
        if first in group and second in group:
            old, new = group[first], group[second]
            group = {name: new if group_name == old else group_name for name, group_name in group.items()}
    return len(set(group.values())) == 1


def _sharing(row: ParsedRow, calls: Sequence[ParsedCall]) -> Iterator[tuple[str, str]]:
    """Yield pairs of tools that use the same text, or of which one uses what the other returned."""
    users: dict[str, str] = {}
    by_id = {call.call.id: call.call.name for call in calls}
    for call in calls:
        for value in call.values:
            source = row.conversation.messages[value.message] if value.message is not None else None
            if isinstance(source, ToolMessage):
                yield call.call.name, by_id.get(source.tool_call_id, call.call.name)
            elif isinstance(value.value, str) and len(value.value) >= _TELLING:
                yield call.call.name, users.setdefault(value.value.casefold(), call.call.name)


class ViolationMeter(Meter):
    """Counts violations by rule."""

    def __init__(self) -> None:
        super().__init__()
        self._rules: Counter[str] = Counter()

    def add(self, row: ParsedRow) -> None:
        """Count those of one row."""
        self.counts.update(rows=1, faulty=bool(row.violations))
        for violation in row.violations:
            self._rules[violation.rule] += 1
            self.examples.note(violation.rule, row.number)

    def result(self) -> Measured:
        """Return shares and counts."""
        charts = (Chart("Violations by rule", most_first(self._rules)),) if self._rules else ()
        figures = {"rows": self.share_of("faulty", "rows"), "violations": self._rules.total()}
        return Measured(figures, charts, self.examples.rows)
