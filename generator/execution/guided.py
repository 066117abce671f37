"""Results that take proposed values (a model's, as a rule) wherever a value would otherwise be drawn.

Everything else stays as it is: what arguments, earlier results, entities and formulas fix is not asked for, and formulas
count with the proposed values. A proposal that its schema does not allow is not taken.
"""

from collections.abc import Callable, Sequence
from typing import Any

from generator.execution.lists import ResultListShape, distinct_marks, make_list
from generator.execution.making import ABSENT, CallDraw, MakeResult


def take_leaf(drawn: MakeResult, is_valid: Callable[[Any], bool], when: str | None) -> MakeResult:
    """Return a maker of the proposed value if that is valid and, where its schema says so, a date in the past or future."""

    def make(draw: CallDraw) -> Any:
        usual = drawn(draw)  # drawn in any case, so that later draws do not depend on the proposal
        proposed = draw.proposed
        if proposed is ABSENT or not is_valid(proposed):
            return usual
        return proposed if when is None or _is_when(str(proposed)[:10], draw.day, when) else usual

    return make


def _is_when(day: str, today: str, when: str) -> bool:
    return day <= today if when == "past" else day >= today


def without_proposal(drawn: MakeResult) -> MakeResult:
    """Return a maker that ignores proposals, for the values that formulas start from."""

    def make(draw: CallDraw) -> Any:
        proposed, draw.proposed = draw.proposed, ABSENT
        value = drawn(draw)
        draw.proposed = proposed
        return value

    return make


def take_object(fields: Sequence[tuple[str, MakeResult, bool]], share: float) -> MakeResult:
    """Return a maker of objects, with the optional properties that are proposed."""

    def make(draw: CallDraw) -> dict[str, Any]:
        proposed = draw.proposed
        made: dict[str, Any] = {}
        for key, make_field, is_required in fields:
            is_there = is_required or draw.rand() < share
            if type(proposed) is dict:
                is_there = is_required or key in proposed
            if is_there:
                draw.fields = made
                draw.proposed = proposed.get(key, ABSENT) if type(proposed) is dict else ABSENT
                made[key] = make_field(draw)
        draw.proposed = proposed
        return made

    return make


def take_list(shape: ResultListShape, element: MakeResult) -> MakeResult:
    """Return a maker of lists with as many elements as are proposed, if that number is allowed and all are different."""
    usual = make_list(shape, element)

    def make(draw: CallDraw) -> list[Any]:
        proposed = draw.proposed
        draw.proposed = ABSENT
        found = _elements(shape, element, draw, proposed) if type(proposed) is list else None
        if found is None:
            draw.proposed = ABSENT
            found = usual(draw)
        draw.proposed = proposed
        return found

    return make


def _elements(shape: ResultListShape, element: MakeResult, draw: CallDraw, proposed: list[Any]) -> list[Any] | None:
    limit = None if shape.limit is None else shape.limit(draw.arguments)
    most = min(shape.most, limit) if type(limit) is int else shape.most
    if not min(shape.fewest, most) <= len(proposed) <= max(most, 1):
        return None
    made: list[Any] = []
    seen: set[str] = set()
    for value in proposed:
        draw.proposed = value
        one = element(draw)
        marks = distinct_marks(one, shape.distinct)
        if not seen.isdisjoint(marks):
            return None
        seen.update(marks)
        made.append(one)
    return made if shape.arrange is None else shape.arrange(made, draw.arguments)
