"""The texts between the items of a list: "a, b and c"."""

from functools import lru_cache

from generator.core.connectives import CONNECTIVES


@lru_cache(maxsize=1024)
def separators(n: int, between: tuple[str, str] = CONNECTIVES.separators) -> tuple[str, ...]:
    """Return the `n - 1` texts between `n` items, of which the last is the second of those `between`."""
    if n < 2:
        return ()
    return between[:1] * (n - 2) + between[1:]


@lru_cache(maxsize=1024)
def what_follows(n: int, between: tuple[str, str] = CONNECTIVES.separators) -> tuple[str, ...]:
    """Return the text that follows each of `n` items; that of the last is empty."""
    return *separators(n, between), ""
