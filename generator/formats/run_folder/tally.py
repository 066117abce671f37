"""Counts of what a run made: part of the manifest, of every block's record and of the dataset card."""

from collections.abc import Iterable
from typing import Any

import msgspec

from generator.formats.files.lengths import LengthCounts


class Tally(msgspec.Struct):
    """What was made. Tallies of parts of a run add up to the tally of the run."""

    rows: int = 0
    scenarios: dict[str, int] = {}
    """Rows by scenario."""
    scripts: dict[str, int] = {}
    """Rows that are made of scripts, by script."""
    splits: dict[str, int] = {}
    """Rows by split."""
    rejected: dict[str, int] = {}
    """Violations of attempts that were thrown away, by the code of the rule."""
    refused: dict[str, dict[str, int]] = {}
    """Rows that a format cannot carry, by format and reason."""
    removed: dict[str, dict[str, int]] = {}
    """Rows that a pass removes, by the key of the recipe and what they are like or too many of; they are not among `rows`."""
    lost: dict[str, dict[str, int]] = {}
    """Rows that a format got without something, by format and what."""
    wrong_calls: int = 0
    """Rows with a call that is wrong on purpose and not to be learnt."""
    lengths: dict[str, LengthCounts] = {}
    """Tokens of records, by format."""
    defects: dict[str, int] = {}
    """Rejected continuations for preference data, by what is wrong with them."""
    llm: dict[str, dict[str, int]] = {}
    """What became of a model's answers, by use: `accepted`, or `replaced: ` and why."""
    scores: dict[str, int] = {}
    """Rows by the score that a model gave them."""
    reached: dict[str, list[int]] = {}
    """Coverage goals that were reached, by tool; empty unless the recipe asks for coverage."""
    possible: dict[str, int] = {}
    """How many goals there are, by tool."""

    def in_order(self) -> "Tally":
        """Return the same counts with names sorted, independent of the order of counting."""
        ordered = {key: _sorted_by_key(value) for key, value in msgspec.structs.asdict(self).items()}
        return Tally(**ordered)

    def add(self, other: "Tally") -> None:
        """Count another part of the run in."""
        possible = self.possible | other.possible
        for name in self.__struct_fields__:
            setattr(self, name, _added(getattr(self, name), getattr(other, name)))
        self.possible = possible

    def reach(self, tool: str, goals: Iterable[int]) -> None:
        """Record coverage goals of a tool as reached."""
        self.reached[tool] = sorted({*self.reached.get(tool, ()), *goals})


class Shared(msgspec.Struct):
    """Rows that share something with the other files."""

    files: list[str] = []
    records: int = 0
    """Of those files."""
    rows: int = 0
    """Rows that were looked at."""
    requests: int = 0
    """Rows of which a request has eight words in a row that stand in a request there, too."""
    tools: int = 0
    """Rows that offer a tool of a name that is offered there, too."""
    arguments: int = 0
    """Rows that make a call with the same arguments (at least two) as one there."""
    names: list[str] = []
    """The names of tools that both have."""


def _sorted_by_key(value: Any) -> Any:
    """Return a value with all mappings in it sorted by key."""
    if isinstance(value, LengthCounts):
        return LengthCounts(
            counts={key: value.counts[key] for key in sorted(value.counts, key=int)}, longest=value.longest
        )
    return {key: _sorted_by_key(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def _added(left: Any, right: Any) -> Any:
    """Return the sum of counts, of mappings by key; of lists of goals what stands in either."""
    if isinstance(left, dict):
        return left | {key: _added(left.get(key, type(count)()), count) for key, count in right.items()}
    if isinstance(left, LengthCounts):
        return left.joined(right)
    return sorted({*left, *right}) if isinstance(left, list) else left + right
