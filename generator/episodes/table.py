"""Scores of many episodes by scenario: reward, how many pass, pass^k, parts that failed, calls."""

from collections.abc import Iterable
from math import comb

import msgspec

from generator.episodes.scoring import Score


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
    rows: dict[int, list[bool]] = msgspec.field(default_factory=dict)
    """Whether each try of a row passed."""

    def add(self, index: int, score: Score, *, altered: bool = False) -> None:
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

    def pass_hat(self, tries: int) -> float:
        """Return the chance that all of `tries` tries at a row pass, over the rows with so many tries (tau-bench's pass^k)."""
        of = [results for results in self.rows.values() if len(results) >= tries]
        return sum(comb(sum(one), tries) / comb(len(one), tries) for one in of) / len(of) if of else 0.0


class Table(msgspec.Struct):
    """The tallies of a set of episodes."""

    overall: Tally = msgspec.field(default_factory=Tally)
    scenarios: dict[str, Tally] = msgspec.field(default_factory=dict)

    def add(self, index: int, scenario: str, score: Score, *, altered: bool = False) -> None:
        """Count one episode."""
        self.overall.add(index, score, altered=altered)
        self.scenarios.setdefault(scenario, Tally()).add(index, score, altered=altered)

    @property
    def tries(self) -> int:
        """The most tries that every row has."""
        return min(map(len, self.overall.rows.values()), default=0)


def lines_of(table: Table) -> Iterable[str]:
    """Yield the table as lines of text."""
    tries = max(1, table.tries)
    wide = max(map(len, ("scenario", *table.scenarios)))
    power = f"  {f'pass^{tries}':>7}" if tries > 1 else ""
    yield f"{'scenario':{wide}}  episodes   pass{power}  reward  calls/needed  parts that failed"
    for name, tally in (("all", table.overall), *sorted(table.scenarios.items())):
        failed = ", ".join(f"{part} {count}" for part, count in sorted(tally.failed.items(), key=lambda one: -one[1]))
        beside = [failed] if failed else []
        beside += [f"unasked changes {tally.unasked}"] if tally.unasked else []
        beside += [f"altered {tally.altered}"] if tally.altered else []
        power = f"  {tally.pass_hat(tries):7.3f}" if tries > 1 else ""
        efficient = f"{tally.calls}/{tally.needed}"
        yield (
            f"{name:{wide}}  {tally.episodes:>8,}  {tally.passed / tally.episodes:5.3f}{power}"
            f"  {tally.reward / tally.episodes:6.3f}  {efficient:>12}  {', '.join(beside)}"
        ).rstrip()
