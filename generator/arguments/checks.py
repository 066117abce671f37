"""Checks that raise the fault of what is wrong in one call."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from generator.core.documents import nearest

A = TypeVar("A")


def check_known(name: Any, known: Iterable[str], fault: Callable[[A, str], Exception], at: A, what: str) -> None:
    """Raise the fault of a name that is not known, with the nearest one: `what` begins the sentence."""
    if name not in known:
        raise fault(at, f"{what} {name!r}{nearest(str(name), known)}")


def refuse_if(is_wrong: object, fault: Callable[[A, str], Exception], at: A, message: str) -> None:
    """Raise the fault of what is wrong at a place."""
    if is_wrong:
        raise fault(at, message)


def value_error_if(is_wrong: object, message: str) -> None:
    """Raise ValueError where something is wrong."""
    if is_wrong:
        raise ValueError(message)
