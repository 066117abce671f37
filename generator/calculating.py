"""The words for values that are computed from results: "half of the total", "the day before the due date"."""

from generator.connectives import measure_in_field

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
