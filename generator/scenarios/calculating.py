"""Computes an argument from values of results."""

from typing import Any

from generator.core.planning import Calc
from generator.dialogue.from_results.calculating import computed


def calculate(calc: Calc, value: Any, other: Any) -> Any:
    """Return what is computed from a value, or from two.

    Raises:
        CannotFillError: when it cannot be told in whole cents, or the values are none of the right kind.
    """
    return computed(calc.op, calc.by, value, other)
