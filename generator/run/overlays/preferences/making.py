"""The makers of rejected continuations, by the defect that each may have; the checker decides."""

from collections.abc import Callable, Iterator
from functools import partial

from generator.core.defects import DEFECTS_OF_CALLS
from generator.dialogue.acts.rejected import Continuation
from generator.run.overlays.preferences.finished_row import FinishedRow
from generator.run.overlays.preferences.other_calls import (
    call_instead_of_question,
    calls_with,
    dependent_calls,
    extra_call,
)
from generator.run.overlays.preferences.other_texts import (
    early_stop,
    ignored_error,
    question_instead_of_call,
    unfounded_claim,
)

MakeContinuations = Callable[[FinishedRow, int], Iterator[Continuation]]
"""(row, index of the message) → continuations that might stand in its place."""

MAKERS: dict[str, MakeContinuations] = {
    **{name: partial(calls_with, name) for name in DEFECTS_OF_CALLS},
    "extra_call": extra_call,
    "dependent_calls": dependent_calls,
    "call_instead_of_question": call_instead_of_question,
    "question_instead_of_call": question_instead_of_call,
    "unfounded_claim": unfounded_claim,
    "early_stop": early_stop,
    "ignored_error": ignored_error,
}
"""Name of the defect → its makers."""
