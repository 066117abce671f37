"""Lists in results: different elements, as many as the schema and the call ask for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from generator.world.making import CallDraw, MakeResult
from generator.world.order import Arrange

_TRIES = 6
"""How often an element is drawn for each one that is wanted."""
_PATIENT_TRIES = 60
"""The same for elements that must differ and of which there are too few."""


class ResultListShape(NamedTuple):
    """What a schema says of a list as a whole."""

    fewest: int
    most: int
    limit: Callable[[Mapping[str, Any]], Any] | None
    """Reads the argument that says how many at most."""
    may_repeat: bool
    distinct: tuple[str, ...]
    """Properties whose values must not occur twice; without any, whole elements must not."""
    arrange: Arrange | None


def distinct_properties(properties: dict[str, Any], echoed: set[str]) -> tuple[str, ...]:
    """Return the properties by which elements are told apart: the first one, `name` and `title`.

    Those in `echoed` are taken from the arguments: they are the same in all elements.
    """
    own = [key for key in properties if key not in echoed]
    return tuple(dict.fromkeys([*own[:1], *(key for key in ("name", "title") if key in own)]))


def make_list(shape: ResultListShape, element: MakeResult) -> MakeResult:
    """Return a maker of lists.

    An element that is like another one is drawn again, a limited number of times. Where there are too few then, the rest
    are alike if they may be; otherwise only the fewest that there must be are looked for, with more patience.
    """
    room = shape.most - shape.fewest + 1

    def make(draw: CallDraw) -> list[Any]:
        wanted = shape.fewest + int(draw.rand() * room)
        limit = None if shape.limit is None else shape.limit(draw.arguments)
        if type(limit) is int:
            wanted = max(min(wanted, limit), min(shape.fewest, 1))
        fewest = min(wanted, shape.fewest)
        made: list[Any] = []
        seen: set[str] = set()
        alike = _fill(made, seen, wanted, wanted * _TRIES, shape, element, draw)
        if len(made) < fewest and not shape.may_repeat:
            _fill(made, seen, fewest, fewest * _PATIENT_TRIES, shape, element, draw)
        elif len(made) < fewest:
            made += alike[: fewest - len(made)]
        return made if shape.arrange is None else shape.arrange(made, draw.arguments)

    return make


def distinct_marks(value: Any, distinct: Sequence[str]) -> list[str]:
    """Return the texts of which no two elements of a list may have one in common."""
    if distinct and type(value) is dict:
        return [f"{key}={value[key]!r}" for key in distinct if key in value]
    return [repr(value)]  # tells 1, 1.0 and True apart


def _fill(
    made: list[Any],
    seen: set[str],
    wanted: int,
    tries: int,
    shape: ResultListShape,
    element: MakeResult,
    draw: CallDraw,
) -> list[Any]:
    """Add elements that differ from those in the list; return the drawn ones that do not."""
    alike: list[Any] = []
    while tries and len(made) < wanted:
        tries -= 1
        value = element(draw)
        marks = distinct_marks(value, shape.distinct)
        if seen.isdisjoint(marks):
            seen.update(marks)
            made.append(value)
        else:
            alike.append(value)
    return alike
