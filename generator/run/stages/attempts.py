"""Attempts at a row, one after the other, until one passes."""

from collections.abc import Callable

import msgspec

from generator.core.conversation import Violation
from generator.core.errors import GeneratorError, RowError
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import ATTEMPTS, DRAWS, LONG_ATTEMPTS, Attempt, MadeRow, RejectedRow, refused
from generator.run.stages.judge import JUDGED_ATTEMPTS, best_judged, too_low
from generator.run.stages.shortened import CODE as TOO_LONG
from generator.run.twins import Twin

Make = Callable[[PreparedRecipe, Attempt], MadeRow | RejectedRow]
"""Makes one attempt at a row: the row, or why it was rejected."""


_CALLED = " (functions are called, without a network; `backend: schema` makes up their results)"


def first_that_passes(make: Make, prepared: PreparedRecipe, index: int, twin: Twin | None) -> MadeRow:
    """Return the first attempt at a row that passes.

    Args:
        make: Makes one attempt.
        prepared: The recipe.
        index: Which row.
        twin: Its place in a family, if it has one.

    Raises:
        RowError: when every attempt fails.
    """
    rejected: list[RejectedRow] = []
    low_scored: dict[int, MadeRow] = {}
    """Attempts that pass, but for which the judge's score is below the threshold."""
    too_long_ones = 0
    prepared = prepared if twin is None else twin.offering(prepared)
    for number in range(
        ATTEMPTS if twin is not None else DRAWS * ATTEMPTS
    ):  # the rows of a family have their scenarios
        attempt = Attempt(
            index=index, number=number, twin=twin, short=too_long_ones > 0, any_length=too_long_ones >= LONG_ATTEMPTS
        )
        try:
            made = make(prepared, attempt)
        except (GeneratorError, OSError, MemoryError):
            raise
        except Exception as fault:  # a fault of this program in what it makes of these tools: it costs the attempt
            made = refused(attempt, [Violation("PL103", "$", f"{type(fault).__name__}: {fault}")], ())
        if isinstance(made, MadeRow):
            violations = [] if prepared.uses is None else too_low(prepared.uses, made.row.judgement)
            if not violations:
                return msgspec.structs.replace(made, rejected=tuple(rejected)) if rejected else made
            low_scored[number] = made
            made = refused(attempt, violations, (), made.row.scenario, made.record)
        too_long_ones += any(violation.rule == TOO_LONG for violation in made.violations)
        rejected.append(made)
        if len(low_scored) == JUDGED_ATTEMPTS:
            break
    if low_scored:
        return best_judged(low_scored, rejected)
    last = rejected[-1].violations[0]
    hint = _CALLED if last.rule == "PL101" and prepared.recipe.functions_answer else ""
    tried = f"none of {len(rejected)} attempts passed; the last one: {last.rule} {last.message}{hint}"
    raise RowError(f"row {index}: {tried}", tuple(rejected))
