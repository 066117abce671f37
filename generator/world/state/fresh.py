"""What is drawn anew in each conversation: numbers of entities, what follows from them, keys and parts of elements of lists."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any
from zlib import crc32

from generator.core.pointers import parts_of_object
from generator.world.expressions import Expression


def parts_of(fields: dict[str, Any]) -> Iterator[tuple[str, str, Callable[[int], Any]]]:
    """Yield the properties of elements of lists that are drawn anew in each conversation: from their examples, or by their pattern."""
    for field, schema in fields.items():
        for name, part in parts_of_object(schema.get("items"))[0].items():
            if not isinstance(part, dict):
                continue
            form = numbered({key: value for key, value in part.items() if key != "x-fresh"})
            if part.get("x-fresh") and form is not None:
                yield field, name, partial(_written, *form)
            elif part.get("x-fresh") and part.get("examples"):
                yield field, name, partial(_taken, part["examples"])


def numbers_of(number: int, name: str) -> Iterator[int]:
    """Return numbers for a property of the elements of one list, no two alike; which follow each other differs from list to list."""
    start = crc32(f"{name} {number}".encode())
    return count(start, _STEPS[start % len(_STEPS)])


_STEPS = (7919, 6661, 5147, 4099, 3331, 2621, 1973, 9973)
"""Primes, so that no example comes twice in a list while there are others."""


def _written(form: str, size: int, number: int) -> str:
    return form % scattered(number, size)


def scattered(number: int, size: int) -> int:
    """Return a number below `size`, a power of ten from 100 on; another one for each: those of numbers at equal steps are at none.

    A square times a multiple of ten, plus an odd multiple that five does not divide, has each remainder once.
    """
    for _ in range(2):
        number = number * (_BEND * number + _TURN) % size
        number = number // 100 + number % 100 * (size // 100)  # the last digits follow each other evenly
    return number


_BEND, _TURN = 7_368_790, 1_618_033


def _taken(examples: list[Any], number: int) -> Any:
    return examples[number % len(examples)]


def freshly(
    fresh: tuple[str, ...], computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression], ...]:
    """Return what is computed from numbers of a conversation, or from something that is."""
    known = set(fresh)
    found = []
    for field, expression, reads in computed:
        if not known.isdisjoint(reads):
            known.add(field)
            found.append((field, expression))
    return tuple(found)


_NUMBERED = re.compile(r"\^([\w-]*)\[0-9\]\{(\d{1,2})\}\$")


def numbered(schema: dict[str, Any]) -> tuple[str, int] | None:
    """Return how keys of a pattern like `^ORD-[0-9]{5}$` are written, and how many it allows, if these are enough."""
    told = _NUMBERED.fullmatch(str(schema.get("pattern")))
    return (
        (f"{told[1]}%0{told[2]}d", 10 ** int(told[2]))
        if told and 3 <= int(told[2]) <= 12 and schema.keys() <= _OF_KEYS
        else None
    )


_OF_KEYS = {"type", "pattern", "description", "examples"}
