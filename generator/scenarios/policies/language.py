"""The expressions of clauses: those of `x-compute`, over the thing, the call's arguments, and the day."""

from collections.abc import Callable, Collection
from typing import Any

from generator.world.expressions import FAULTS, ReadableNames, compile_expression

Test = Callable[[dict[str, Any]], Any]
"""Takes `it`, `args`, `who` (objects), `today` and the numbers; returns None where a value is missing or of another kind."""
_OBJECTS = frozenset({"args", "it", "who"})
_PLAIN = frozenset({"today"})


def compile_test(text: str, numbers: Collection[str] = ()) -> Test:
    """Return the function of an expression.

    Raises:
        ValueError: the expression uses something that is not allowed, or a name that nothing has.
    """
    expression, reads = compile_expression(text, dotted=_OBJECTS)
    unknown = reads.properties - _OBJECTS - _PLAIN - set(numbers)
    if unknown:
        known = ", ".join(sorted([*[f"{name}.…" for name in _OBJECTS], *_PLAIN, *numbers]))
        raise ValueError(f"nothing has the name {min(unknown)!r}: {known} are known")

    def test(names: dict[str, Any]) -> Any:
        readable = {key: ReadableNames(value) if key in _OBJECTS else value for key, value in names.items()}
        try:
            return expression(ReadableNames(readable))
        except FAULTS:
            return None

    return test
