"""A row, and now and then a second opinion on it by the reference implementation of JSON Schema."""

import msgspec

from generator.core.errors import RowError
from generator.core.seeds import stream_seed
from generator.formats.rules.crosscheck import cross_check
from generator.run.engine.failed_rows import FailedRow
from generator.run.row import MadeRow, PreparedRecipe, RejectedRow, make_row

ONE_IN = 500
"""One row in so many is checked by both; the first always is."""
_TRIES = 5
_WORLDS_A_SCRIPT = 2
"""How often a row that was like another one is made of the same script again."""


def make_checked_row(prepared: PreparedRecipe, index: int, again: int = 0) -> MadeRow | FailedRow:
    """Return row `index`, or that it could not be made.

    Args:
        prepared: The recipe.
        index: Which row.
        again: How often it was made already and was like another row.
    """
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
