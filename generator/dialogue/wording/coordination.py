"""The texts between the items of a list: "a, b and c"."""

from functools import lru_cache

from generator.core.connectives import CONNECTIVES


@lru_cache(maxsize=1024)
def separators(n: int) -> tuple[str, ...]:
    """Return the `n - 1` texts between `n` items."""
    return CONNECTIVES.separators[:1] * (n - 2) + CONNECTIVES.separators[1:] if n > 1 else ()


@lru_cache(maxsize=1024)
def what_follows(n: int) -> tuple[str, ...]:
    """Return the text that follows each of `n` items; that of the last is empty."""
    return *separators(n), ""
