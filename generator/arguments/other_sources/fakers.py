"""Values of a Faker provider that a recipe names, drawn into a pool once."""

from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import date, datetime, time
from decimal import Decimal
from io import StringIO
from itertools import accumulate
from typing import Any

import orjson

from generator.arguments.vocabulary.locales import Locale
from generator.core.documents import nearest, shown
from generator.core.errors import RecipeError
from generator.core.seeds import stream_seed
from generator.recipe import FakerProvider

_SIZE = 400
_BY_CLOCK = ("faker.providers.date_time",)
"""Modules of providers that read the clock."""
_BY_CLOCK_TOO = frozenset(
    {
        "credit_card_expire",
        "credit_card_full",
        "profile",
        "simple_profile",
        "passport_dates",
        "passport_dob",
        "passport_full",
    }
)
_FILES = frozenset({"binary", "image", "json_bytes", "tar", "zip"})


def fake_values(
    provider: FakerProvider, locale: Locale, *, stream_words: tuple[object, ...], refuse: Callable[[str], RecipeError]
) -> tuple[Any, ...]:
    """Return a few hundred values of a provider; the same for the same provider, arguments, locales and seed.

    Raises:
        RecipeError: there is no such provider, or it cannot be called so.
    """
    from generator.arguments.vocabulary.local_pools import new_faker  # Faker only where it is wanted

    locales = locale or (("en_US", 1.0),)
    total = sum(weight for _, weight in locales)
    ends = [round(_SIZE * reached / total) for reached in accumulate(weight for _, weight in locales)]
    values: list[Any] = []
    for (name, _), end in zip(locales, ends, strict=True):
        fake = new_faker(name, stream_seed("faker", provider.name, name, *stream_words))
        call = _callable(fake, provider.name, refuse)
        with redirect_stdout(StringIO()):  # some providers print
            while len(values) < end:
                values.append(_one(call, provider, refuse))
    return tuple(values)


def _callable(fake: Any, name: str, refuse: Callable[[str], RecipeError]) -> Callable[..., Any]:
    factory = fake.factories[0]
    known = [one for one in dir(factory) if not one.startswith("_") and one not in _NOT_PROVIDERS]
    if name not in known:
        raise refuse(f"faker: there is no provider {name!r}{nearest(name, known) if _near(name, known) else ''}")
    call = getattr(factory, name)
    owner = type(getattr(call, "__self__", None)).__module__
    if owner.startswith(_BY_CLOCK) or name in _BY_CLOCK_TOO:
        raise refuse(
            f"faker: {name!r} reads the clock, so rows would differ from day to day; use 'kind: date' or the like"
        )
    if name in _FILES:
        raise refuse(f"faker: {name!r} makes bytes, which are no JSON")
    found: Callable[..., Any] = call
    return found


_NOT_PROVIDERS = frozenset(
    {
        "add_provider",
        "del_arguments",
        "factories",
        "format",
        "get_arguments",
        "get_formatter",
        "get_providers",
        "parse",
        "provider",
        "providers",
        "random",
        "seed",
        "seed_instance",
        "seed_locale",
        "set_arguments",
        "set_formatter",
        "unique",
        "optional",
    }
)


def _near(name: str, known: list[str]) -> bool:
    """Whether some provider has a name near this one; else a hint would list all of them."""
    return "did you mean" in nearest(name, known)


def _one(call: Callable[..., Any], provider: FakerProvider, refuse: Callable[[str], RecipeError]) -> Any:
    told = f"faker: {provider.name}({', '.join(f'{key}={shown(value)}' for key, value in provider.arguments.items())})"
    try:
        value = _plain(call(**provider.arguments))
    except Exception as fault:  # whatever a provider raises is told to the person who chose it
        raise refuse(f"{told}: {type(fault).__name__}: {fault}") from None
    try:
        orjson.dumps(value)
    except TypeError as fault:
        raise refuse(f"{told} makes no JSON value: {fault}") from None
    return value


def _plain(value: Any) -> Any:
    """Return the value as a JSON value."""
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    return value
