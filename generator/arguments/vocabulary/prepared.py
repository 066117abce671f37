"""Pools of slow makers (Faker, Hypothesis), filled in one process and handed to others; the locales of Faker that they are for.

A pool depends on its key alone, so it does not matter which process filled it.
"""

from collections.abc import Callable

import msgspec

from generator.core.documents import nearest
from generator.core.errors import RecipeError

Locale = tuple[tuple[str, float], ...]
"""(name, weight) pairs; empty: the usual mix of English-speaking and European ones."""


def check_locale(locale: Locale) -> None:
    """Raise RecipeError for a locale that Faker does not offer."""
    if not locale:
        return
    from faker.config import AVAILABLE_LOCALES  # Faker only where it is wanted

    locales = sorted(AVAILABLE_LOCALES)
    for name, _ in locale:
        if name not in locales:
            hint = nearest(name.replace("-", "_"), locales)
            raise RecipeError(f"unknown locale {name!r}{hint}", ("locale",))


FakedKey = tuple[str, int]
"""Kind and seed."""
DrawnKey = tuple[bytes, str, int]
"""Schema, slot and seed."""

_faked: dict[FakedKey, tuple[str, ...]] = {}
_drawn: dict[DrawnKey, tuple[bytes, ...]] = {}


class _Pools(msgspec.Struct, frozen=True):
    """All filled pools by key. Seeds are text, because they may have any number of digits."""

    faked: list[tuple[str, str, tuple[str, ...]]]
    drawn: list[tuple[bytes, str, str, tuple[bytes, ...]]]


def faked_pool(key: FakedKey, fill: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the Faker pool of that name, which is filled on first use."""
    if key not in _faked:
        _faked[key] = fill()
    return _faked[key]


def drawn_pool(key: DrawnKey, fill: Callable[[], tuple[bytes, ...]]) -> tuple[bytes, ...]:
    """Return the Hypothesis pool of that name, which is filled on first use."""
    if key not in _drawn:
        _drawn[key] = fill()
    return _drawn[key]


def dump_pools() -> bytes:
    """Return all pools that are filled."""
    faked = [(kind, str(seed), values) for (kind, seed), values in _faked.items()]
    drawn = [(schema, slot, str(seed), values) for (schema, slot, seed), values in _drawn.items()]
    return msgspec.msgpack.encode(_Pools(faked, drawn))


def load_pools(data: bytes) -> None:
    """Take over the pools that another process of the same program has filled."""
    pools = msgspec.msgpack.decode(data, type=_Pools)
    _faked.update({(kind, int(seed)): values for kind, seed, values in pools.faked})
    _drawn.update({(schema, slot, int(seed)): values for schema, slot, seed, values in pools.drawn})
