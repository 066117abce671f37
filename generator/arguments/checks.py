"""Checks that raise the fault of what is wrong in one call."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from generator.core.documents import nearest

A = TypeVar("A")


def check_known(name: Any, known_names: Iterable[str], fault: Callable[[A, str], Exception], at: A, what: str) -> None:
    """Raise `fault(at, message)` for a name that is not known: `unknown color 'blu' (did you mean "blue"?)` where `what` is `unknown color`."""
    if name not in known_names:
        raise fault(at, f"{what} {name!r}{nearest(str(name), known_names)}")


def refuse_if(is_wrong: object, fault: Callable[[A, str], Exception], at: A, message: str) -> None:
    """Raise `fault(at, message)` where something is wrong; `at` is the place that the fault names."""
    if is_wrong:
        raise fault(at, message)


def value_error_if(is_wrong: object, message: str) -> None:
    """Raise ValueError where something is wrong."""
    if is_wrong:
        raise ValueError(message)
