"""Values that are computed from results, and the words for them: "half of the total", "the day before the due date"."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from generator.core.connectives import measure_in_field
from generator.core.errors import CannotFillError

_WORDS: dict[str, tuple[str, ...]] = {
    "half": ("half of {one}", "half {one}"),
    "third": ("a third of {one}",),
    "quarter": ("a quarter of {one}",),
    "double": ("twice {one}", "double {one}"),
    "plus": ("{number} more than {one}", "{one} plus {number}"),
    "minus": ("{number} less than {one}", "{one} minus {number}"),
    "sum": ("the sum of both {many}", "the two {many} added up", "both {many} together"),
    "difference": ("the difference between the two {many}", "the difference of both {many}"),
    "days -1": ("the day before {one}",),
    "days -2": ("two days before {one}",),
    "days -3": ("three days before {one}",),
    "days -7": ("a week before {one}", "one week before {one}"),
    "days 1": ("the day after {one}",),
    "days 2": ("two days after {one}",),
    "days 7": ("a week after {one}", "one week after {one}"),
}
"""Operation on one value or two → how people say it; a number that is added or taken away is filled in separately."""
OF_NUMBERS = ("half", "third", "quarter", "minus", "plus", "double")
OF_DAYS = tuple([op for op in _WORDS if op.startswith("days ")])
OF_TWO = ("sum", "difference")
CURRENCIES = {"usd": "${}", "eur": "€{}", "gbp": "£{}"}


def ways_to_say_calculation(op: str, by: int | None, field: str, picked: str) -> list[str]:
    """Return the ways to say a computed value.

    Args:
        op: What is done: `half`, `plus`, `days -1`, `sum`.
        by: The number that is added or taken away.
        field: Name of the field that holds the value.
        picked: The words that single out an element of a list: "the cheapest one"; empty where there is no list.
    """
    name = measure_in_field(field)[0]
    if picked:
        one = picked if op.startswith("days") and name in ("date", "day") else f"the {name} of {picked}"
    else:
        one = "that day" if name in ("date", "day") else f"the {name}"
    numbers = [""] if by is None else [form.format(by) for form in ("{}", *CURRENCIES.values())]
    many = name if name.endswith("s") else f"{name}s"
    return [text.format(one=one, many=many, number=number) for text in _WORDS.get(op, ()) for number in numbers]


def computed(op: str, by: int | None, value: Any, other: Any = None) -> Any:
    """Return what an operation makes of a value, or of two.

    Raises:
        CannotFillError: when it cannot be told in whole cents, or the values are none of the right kind.
    """
    try:
        if op.startswith("days "):
            return (date.fromisoformat(value) + timedelta(days=int(op.removeprefix("days ")))).isoformat()
        number = _result(op, Decimal(str(value)), Decimal(str(other if other is not None else by or 0)))
    except (ArithmeticError, ValueError, TypeError):
        raise CannotFillError(f"{value!r} cannot be computed with") from None
    if number != number.quantize(_CENT) or number <= 0:
        raise CannotFillError(f"{op} of {value!r} is no amount that people say")
    return int(number) if number == int(number) else float(number)


def _result(op: str, one: Decimal, other: Decimal) -> Decimal:
    match op:
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


_CENT = Decimal("0.01")
