"""Computes an argument from values of results."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from generator.errors import CannotFillError
from generator.planning import Calc

_CENT = Decimal("0.01")


def calculate(calc: Calc, value: Any, other: Any) -> Any:
    """Return what is computed from a value, or from two.

    Raises:
        CannotFillError: when it cannot be told in whole cents, or the values are none of the right kind.
    """
    try:
        if calc.op.startswith("days "):
            return (date.fromisoformat(value) + timedelta(days=int(calc.op.removeprefix("days ")))).isoformat()
        number = _computed(calc, Decimal(str(value)), Decimal(str(other if other is not None else calc.by or 0)))
    except (ArithmeticError, ValueError, TypeError):
        raise CannotFillError(f"{value!r} cannot be computed with") from None
    if number != number.quantize(_CENT) or number <= 0:
        raise CannotFillError(f"{calc.op} of {value!r} is no amount that people say")
    return int(number) if number == int(number) else float(number)


def _computed(calc: Calc, one: Decimal, other: Decimal) -> Decimal:
    match calc.op:
        case "half":
            return one / 2
        case "third":
            return one / 3
        case "quarter":
            return one / 4
        case "double":
            return one * 2
        case "plus" | "sum":
            return one + other
        case "minus":
            return one - other
    return abs(one - other)
