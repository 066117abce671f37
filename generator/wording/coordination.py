"""The texts between the items of a list: "a, b and c"."""

from functools import lru_cache


@lru_cache(maxsize=1024)
def separators(n: int, *, last: str = "and", serial_comma: bool = False) -> tuple[str, ...]:
    """Return the `n - 1` texts between `n` items.

    Args:
        n: How many items there are.
        last: The word before the last item.
        serial_comma: "a, b, and c" (three items or more).
    """
    if n < 2:
        return ()
    comma = "," if serial_comma and n > 2 else ""
    return (", ",) * (n - 2) + (f"{comma} {last} ",)


@lru_cache(maxsize=1024)
def what_follows(n: int) -> tuple[str, ...]:
    """Return the text that follows each of `n` items; that of the last is empty."""
    return *separators(n), ""
