"""The kinds of values that people know, such as city, email, quantity; the files of generator/arguments/kinds have a record of each."""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from generator.arguments.kinds.places import PLACES
from generator.arguments.kinds.records import RECORDS, KindRecord, UsualNumbers, split_values
from generator.arguments.sampling import days
from generator.arguments.sampling.days import make_clock, make_moment
from generator.arguments.vocabulary.prepared import Locale, faked_pool
from generator.arguments.vocabulary.words import WORDS, composed, values_of_kind, word_list, write_texts
from generator.core.files import cached_result
from generator.core.seeds import Draw

_POINTS = tuple([point for _, point in PLACES.values()])
_FOLDERS = values_of_kind("folder_name")
_FILE_STEMS = word_list("file_stems")
_FILE_TYPES = word_list("file_types")
_HOMES = word_list("home_folders")


def file_name(draw: Draw) -> str:
    """Return a name with its ending, now and then with a year or a version."""
    stem = draw.choice(_FILE_STEMS)
    mark = draw.rand()
    stem += f"_{draw.today.year}" if mark < 0.2 else f"_v{draw.between(2, 5)}" if mark < 0.35 else ""
    return f"{stem}.{draw.choice(_FILE_TYPES)}"


def folder_path(draw: Draw) -> str:
    """Return the path of a folder in somebody's home."""
    inner = f"/{_slug(draw.choice(_FOLDERS))}" if draw.rand() < 0.4 else ""
    return f"/home/{draw.choice(_HOMES)}/{_slug(draw.choice(_FOLDERS))}{inner}"


def _slug(name: str) -> str:
    """Return a name as a folder's: `Tax Files` → `tax_files`."""
    return name.lower().replace(" ", "_")


def uuid(draw: Draw) -> str:
    """Return a UUID of version 4."""
    low, high = f"{int(draw.rand() * 2**48):012x}", f"{int(draw.rand() * 2**48):012x}"
    last = int(draw.rand() * 2**24)
    return f"{low[:8]}-{low[8:]}-4{high[:3]}-{'89ab'[int(draw.rand() * 4)]}{high[3:6]}-{high[6:]}{last:06x}"


def ipv4(draw: Draw) -> str:
    """Return an address of a private network, or of one that is set aside for documentation (RFC 5737)."""
    if draw.rand() < 0.6:
        return f"192.168.{draw.between(0, 20)}.{draw.between(1, 254)}"
    return f"{draw.choice(('192.0.2', '198.51.100', '203.0.113', '10.0.0'))}.{draw.between(1, 254)}"


def code(form: str, letters: str) -> Callable[[Draw], str]:
    """Return a maker of codes: A a letter of `letters`, 9 a digit, H a hexadecimal digit, everything else itself."""
    choices = [{"A": letters, "9": "0123456789", "H": "0123456789abcdef"}.get(mark, mark) for mark in form]
    return lambda draw: "".join([options[int(draw.rand() * len(options))] for options in choices])


FUNCTIONS: dict[str, Callable[[Draw], str]] = {
    "file_name": file_name,
    "folder_path": folder_path,
    "file_path": lambda draw: f"{folder_path(draw)}/{file_name(draw)}",
    "uuid": uuid,
    "ipv4": ipv4,
    "ipv6": lambda draw: f"2001:db8:{draw.between(1, 65535):x}::{draw.between(1, 65535):x}",
    "version": lambda draw: f"{draw.between(0, 6)}.{draw.between(0, 14)}.{draw.between(0, 9)}",
    "account_number": lambda draw: f"{draw.between(10_000_000, 99_999_999)}",
    "proper_name": lambda draw: f"{draw.choice(WORDS).capitalize()} {draw.choice(WORDS).capitalize()}",
    "coordinates": lambda draw: ",".join(map(repr, draw.choice(_POINTS))),
}
"""Functions that a record can name."""

DATED: dict[str, Callable[[str | None], Callable[[Draw], Any]]] = {
    "date": days.make_date,
    "month": days.make_month,
    "year": days.make_year,
    "year_text": lambda when: lambda draw: str(days.make_year(when)(draw)),
}
"""The same for what depends on whether days are `past`, of `birth` or soon (None)."""


class Pool(msgspec.Struct, frozen=True):
    """Texts to choose from, by seed and locale."""

    make: Callable[[int, Locale], tuple[str, ...]]


class DrawnValues(msgspec.Struct, frozen=True):
    """Values drawn one by one. For days, the maker is given `past`, `birth` or None (soon)."""

    make: Callable[[str | None], Callable[[Draw], Any]]


ValueMaker = Pool | DrawnValues | UsualNumbers


def _value_maker(name: str, record: KindRecord) -> ValueMaker:
    """Return what makes the values of a record."""
    if record.number is not None:
        return record.number
    if record.faker:
        return _faker_pool(name)
    if record.values:
        values = split_values(record.values)
        fake_values = _faker_pool(name).make
        return Pool(lambda seed, locale: fake_values(seed, locale) if locale and record.faker_with_locale else values)
    if record.grammar:
        return Pool(lambda seed, locale: composed(record.grammar))
    return Pool(lambda seed, locale: write_texts(record.texts)) if record.texts else DrawnValues(_maker_by_when(record))


def _maker_by_when(record: KindRecord) -> Callable[[str | None], Callable[[Draw], Any]]:
    """Return what makes a maker of a kind's values, given when they lie (`past`, `future`, None for either)."""
    if record.clock:
        return make_clock(record.clock)
    if record.moment:
        return make_moment(record.moment)
    if record.code:
        make = code(record.code, record.letters)
        return lambda when: make
    if record.make in DATED:
        dated = DATED[record.make]
        return lambda when: dated(record.when or when)
    function = FUNCTIONS[record.make]
    return lambda when: function


def _faker_pool(name: str) -> Pool:
    """Return the pool of a kind whose values Faker makes, filled at its first use and cached between starts."""

    def make(seed: int, locale: Locale) -> tuple[str, ...]:
        """Return the values for a seed and a locale."""
        key = "@".join([name, *[f"{locale_name}:{weight:g}" for locale_name, weight in locale]])
        compute = partial(
            _fill_faker_pool, name, seed, locale
        )  # Faker needs longer to be imported than most pools to be filled
        return faked_pool((key, seed), lambda: cached_result(("faked", key, seed), compute, lambda _: True))

    return Pool(make)


def _fill_faker_pool(name: str, seed: int, locale: Locale) -> tuple[str, ...]:
    """Return the values that Faker makes for a kind."""
    from generator.arguments.vocabulary.pools import fake_pool, local_fake_pool  # Faker only where a tool needs people

    return local_fake_pool(name, seed, locale) if locale else fake_pool(name, seed)


KINDS: dict[str, ValueMaker] = {name: _value_maker(name, record) for name, record in RECORDS.items()}
"""Every kind by name."""
