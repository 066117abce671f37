"""Scores of many episodes by scenario: reward, how many pass, pass^k, parts that failed, calls, what a model took."""

from collections.abc import Iterable
from math import comb
from typing import Any

import msgspec

from generator.episodes.episode import USUAL_END
from generator.episodes.scoring import Score
from generator.llm.asking import Account, cost_in_words


class Tally(msgspec.Struct):
    """The episodes of one scenario, or of all."""

    episodes: int = 0
    passed: int = 0
    reward: float = 0.0
    """Sum of the rewards."""
    calls: int = 0
    needed: int = 0
    unasked: int = 0
    """Episodes in which something was changed that nobody asked for."""
    altered: int = 0
    """Transcripts that are not what comes back."""
    failed: dict[str, int] = msgspec.field(default_factory=dict)
    """How often each part did not hold."""
    ended: dict[str, int] = msgspec.field(default_factory=dict)
    """How often episodes ended for another reason than that the user had nothing more to say."""
    spent: Account = msgspec.field(default_factory=Account)
    """What a model took."""
    rows: dict[int, list[bool]] = msgspec.field(default_factory=dict)
    """Whether each try of a row passed."""

    def add(
        self, index: int, score: Score, *, altered: bool = False, spent: Account | None = None, ended: str = ""
    ) -> None:
        """Count one episode; an altered transcript has passed nothing."""
        passed = score.passed and not altered
        self.episodes += 1
        self.passed += passed
        self.reward += 0.0 if altered else score.reward
        self.calls += score.calls
        self.needed += score.needed
        self.unasked += score.unasked > 0
        self.altered += altered
        self.rows.setdefault(index, []).append(passed)
        for name, part in score.parts.items():
            if part < 1.0:
                self.failed[name] = self.failed.get(name, 0) + 1
        if ended not in {"", USUAL_END}:
            self.ended[ended] = self.ended.get(ended, 0) + 1
        if spent is not None:
            self.spent.join(spent)

    def pass_hat(self, tries: int) -> float:
        """Return the chance that all of `tries` tries at a row pass, over the rows with so many tries (tau-bench's pass^k)."""
        of = [results for results in self.rows.values() if len(results) >= tries]
        return sum(comb(sum(one), tries) / comb(len(one), tries) for one in of) / len(of) if of else 0.0


class Table(msgspec.Struct):
    """The tallies of a set of episodes."""

    overall: Tally = msgspec.field(default_factory=Tally)
    scenarios: dict[str, Tally] = msgspec.field(default_factory=dict)

    def add(
        self,
        index: int,
        scenario: str,
        score: Score,
        *,
        altered: bool = False,
        spent: Account | None = None,
        ended: str = "",
    ) -> None:
        """Count one episode; see `Tally.add`."""
        for tally in (self.overall, self.scenarios.setdefault(scenario, Tally())):
            tally.add(index, score, altered=altered, spent=spent, ended=ended)

    @property
    def tries(self) -> int:
        """The most tries that every row has."""
        return min(map(len, self.overall.rows.values()), default=0)


def lines_of(table: Table) -> Iterable[str]:
    """Yield the table as lines of text."""
    tries = max(1, table.tries)
    wide = max(map(len, ("scenario", *table.scenarios)))
    power = f"  {f'pass^{tries}':>7}" if tries > 1 else ""
    asked = table.overall.spent.answers > 0
    took = f"  {'requests':>8}  {'tokens':>10}  {'cost':>10}" if asked else ""
    yield f"{'scenario':{wide}}  episodes   pass{power}  reward  calls/needed{took}  parts that failed"
    for name, tally in (("all", table.overall), *sorted(table.scenarios.items())):
        failed = ", ".join(f"{part} {count}" for part, count in sorted(tally.failed.items(), key=lambda one: -one[1]))
        beside = [failed] if failed else []
        beside += [f"unasked changes {tally.unasked}"] if tally.unasked else []
        beside += [f"altered {tally.altered}"] if tally.altered else []
        beside += [f"{why}: {count}" for why, count in sorted(tally.ended.items())]
        power = f"  {tally.pass_hat(tries):7.3f}" if tries > 1 else ""
        spent = tally.spent
        cost = "unknown" if spent.unpriced else cost_in_words(spent)
        took = f"  {spent.answers:>8,}  {spent.tokens:>10,}  {cost:>10}" if asked else ""
        efficient = f"{tally.calls}/{tally.needed}"
        yield (
            f"{name:{wide}}  {tally.episodes:>8,}  {tally.passed / tally.episodes:5.3f}{power}"
            f"  {tally.reward / tally.episodes:6.3f}  {efficient:>12}{took}  {', '.join(beside)}"
        ).rstrip()


def plain_table(table: Table) -> dict[str, Any]:
    """Return the table as JSON has it."""
    tries = max(1, table.tries)
    return {
        "tries": tries,
        "all": _plain_tally(table.overall, tries),
        "scenarios": {name: _plain_tally(tally, tries) for name, tally in sorted(table.scenarios.items())},
    }


def _plain_tally(tally: Tally, tries: int) -> dict[str, Any]:
    """Return the figures of some episodes as JSON has them."""
    spent = tally.spent
    return {
        "episodes": tally.episodes,
        "pass": tally.passed / tally.episodes,
        "pass^k": {str(number): tally.pass_hat(number) for number in range(1, tries + 1)},
        "reward": tally.reward / tally.episodes,
        "calls": tally.calls,
        "needed": tally.needed,
        "unasked": tally.unasked,
        "failed": dict(sorted(tally.failed.items())),
        "ended": dict(sorted(tally.ended.items())),
        "requests": spent.answers,
        "tokens": {"in": spent.prompt_tokens, "out": spent.completion_tokens},
        "usd": None if spent.unpriced else spent.usd,
    }
