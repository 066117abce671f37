"""A row, and now and then a second opinion on it by the reference implementation of JSON Schema."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from generator.core.errors import RowError
from generator.core.seeds import stream_seed
from generator.formats.crosscheck import cross_check
from generator.recipe import Recipe
from generator.run.row import MadeRow, PreparedRecipe, RejectedRow, make_row
from generator.run.usable import prepare_usable

FAILED = "failed"
"""Where the tally counts them among the rows that are removed, by tool."""
MOST_FAILED = 0.1
"""The largest share of the rows that may fail."""
_ENOUGH = 20
"""How many of a block's rows must have failed before it is given up: it is not made to its end to find out that the run fails."""
_NO_TOOL = "no tool"


class FailedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that could not be made, however often it was drawn."""

    index: int
    rejected: tuple[RejectedRow, ...]
    """All attempts at it."""
    why: str

    @property
    def tool(self) -> str:
        """The tool that most of the attempts failed with."""
        tools = Counter(tool for attempt in self.rejected for tool in attempt.tools)
        return tools.most_common(1)[0][0] if tools else _NO_TOOL


def check_share(failed: dict[str, int], rows: int, why: str) -> None:
    """Check that few of the rows of a run have failed; `why` is why the first of them has.

    Raises:
        RowError: with an account by tool, when too many have.
    """
    if sum(failed.values()) > MOST_FAILED * rows:
        raise RowError(f"{sum(failed.values()):,} of {rows:,} rows could not be made; {_account(failed)}; {why}")


def check_block(failed: list[FailedRow], rows: int) -> None:
    """Raise RowError when so many of the first rows of a block have failed that the run is not worth going on with."""
    if len(failed) >= _ENOUGH and 2 * len(failed) > rows:
        what = f"{len(failed)} of {rows} rows in a row could not be made"
        raise RowError(f"{what}; {_account(Counter(row.tool for row in failed))}; {failed[-1].why}")


def _account(failed: dict[str, int]) -> str:
    """Return how many rows failed with which tool."""
    counts: Iterable[tuple[str, int]] = sorted(failed.items(), key=lambda pair: (-pair[1], pair[0]))
    return "by tool: " + ", ".join(f"{tool} {number:,}" for tool, number in counts)


ONE_IN = 500
"""One row in so many is checked by both; the first always is."""
_TRIES = 5
_WORLDS_A_SCRIPT = 2
"""How often a row that was like another one is made of the same script again."""


def make_checked_row(prepared: PreparedRecipe, index: int, again: int = 0) -> MadeRow | FailedRow:
    """Return row `index`, made anew as often as it was like another row, or that it could not be made."""
    try:
        return _checked(prepared, index, again)
    except RowError as fault:
        return FailedRow(index=index, rejected=fault.rejected, why=str(fault))


def _checked(prepared: PreparedRecipe, index: int, again: int) -> MadeRow:
    """Return the row; one whose arguments the two validators do not agree on is rejected, and another made in its place."""
    if again:
        prepared = _elsewhere(prepared, "alike", index, again)
        prepared = msgspec.structs.replace(prepared, scripts_before=again // _WORLDS_A_SCRIPT)
    made = make_row(prepared, index)
    if index % ONE_IN:
        return made
    rejected: list[RejectedRow] = list(made.rejected)
    for again in range(1, _TRIES + 1):
        violations = cross_check(made.row.conversation)
        if not violations:
            return msgspec.structs.replace(made, rejected=tuple(rejected)) if again > 1 else made
        rejected.append(RejectedRow(index=index, attempt=len(rejected), violations=tuple(violations)))
        made = make_row(_elsewhere(prepared, "cross-check", index, again), index)
        rejected += made.rejected
    last = rejected[-1].violations[0]
    raise RowError(f"row {index}: {last.rule} {last.message}", tuple(rejected))


def _elsewhere(prepared: PreparedRecipe, why: str, index: int, again: int) -> PreparedRecipe:
    """Return the prepared recipe with other random streams."""
    # the tools that the row may see stay those of its split
    seed = stream_seed(prepared.seed, why, index, again)
    return msgspec.structs.replace(prepared.for_row(index), seed=seed, parts={})


_ROUNDS = 3
"""The rows end when so many rounds over all targets have reached nothing new."""


def settle_rows(recipe: Recipe) -> Recipe:
    """Return the recipe with a number of rows, which is found out by making them (and making them again later).

    Raises:
        GeneratorError: the tools cannot serve the recipe, or a row cannot be made.
    """
    if recipe.rows:
        return recipe
    return msgspec.structs.replace(recipe, rows=rows_until_covered(prepare_usable(recipe)))


def rows_until_covered(prepared: PreparedRecipe) -> int:
    """Return the number of rows after which all coverage goals are reached, but for those that no row seems to reach."""
    targets = prepared.aims
    assert targets is not None
    possible = sum(len(tool.goals) for tool in targets.tools.values())
    reached: set[tuple[str, int]] = set()
    needed = index = 0
    while len(reached) < possible and index - needed < _ROUNDS * len(targets.targets):
        made = make_checked_row(prepared, index)
        shown = {} if isinstance(made, FailedRow) else targets.reached(made.row.conversation)
        goals_shown = {(tool, goal) for tool, goals in shown.items() for goal in goals}
        index += 1
        if not goals_shown <= reached:
            reached |= goals_shown
            needed = index
    return max(needed, 1)
