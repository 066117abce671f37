"""What a recipe says about arguments, as plain data."""

from typing import Any

import msgspec


class Override(msgspec.Struct, frozen=True):
    """Another way to make one tool's arguments, or one argument of it."""

    source: str | None = None
    """Name of the source to use here."""
    choose: tuple[Any, ...] = ()
    """Take one of these values."""
    kind: str | None = None
    """Make values of this kind (a key of KINDS)."""


class ArgumentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How argument values are made."""

    source: tuple[tuple[str, float], ...] = (("realistic", 1.0),)
    """(source, weight) pairs; one source is drawn for each call."""
    edge_cases: float = 0.0
    """Probability that a leaf takes a boundary value: least, greatest, empty, longest, unusual letters."""
    optional: float = 0.4
    """Probability that an optional parameter is given."""
    overrides: dict[str, Override] = {}
    """`tool` or `tool#/pointer` → what to do there instead."""
