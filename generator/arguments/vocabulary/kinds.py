"""The kinds of values that people know, such as city, email, quantity; the files of generator/arguments/kinds have a record of each."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.arguments.kinds.records import RECORDS, KindRecord, UsualNumbers, split_values
from generator.arguments.sampling.days import make_clock, make_moment
from generator.arguments.vocabulary.drawn import DATED, FUNCTIONS, code
from generator.arguments.vocabulary.locales import Locale
from generator.arguments.vocabulary.prepared import faked_pool
from generator.arguments.vocabulary.texts import composed, write_texts
from generator.core.seeds import Draw


class Pool(msgspec.Struct, frozen=True):
    """Texts to choose from, by seed and locale."""

    make: Callable[[int, Locale], tuple[str, ...]]


class DrawnValues(msgspec.Struct, frozen=True):
    """Values drawn one by one. For days, the maker is given `past`, `birth` or None (soon)."""

    make: Callable[[str | None], Callable[[Draw], Any]]


ValueMaker = Pool | DrawnValues | UsualNumbers


def _kind(name: str, record: KindRecord) -> ValueMaker:
    """Return what makes the values of a record."""
    if record.number is not None:
        return record.number
    if record.faker:
        return _faked(name)
    if record.values:
        values = split_values(record.values)
        faked = _faked(name).make
        return Pool(lambda seed, locale: faked(seed, locale) if locale and record.faker_with_locale else values)
    if record.grammar:
        return Pool(lambda seed, locale: composed(record.grammar))
    if record.texts:
        return Pool(lambda seed, locale: write_texts(record.texts))
    return DrawnValues(_drawn(record))


def _drawn(record: KindRecord) -> Callable[[str | None], Callable[[Draw], Any]]:
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


def _faked(name: str) -> Pool:
    def make(seed: int, locale: Locale) -> tuple[str, ...]:
        key = "@".join([name, *[f"{place}:{weight:g}" for place, weight in locale]])
        return faked_pool((key, seed), lambda: _fake(name, seed, locale))

    return Pool(make)


def _fake(name: str, seed: int, locale: Locale) -> tuple[str, ...]:
    # Faker is needed only when a tool needs people
    if locale:
        from generator.arguments.vocabulary.local_pools import local_fake_pool

        return local_fake_pool(name, seed, locale)
    from generator.arguments.vocabulary.pools import fake_pool

    return fake_pool(name, seed)


KINDS: dict[str, ValueMaker] = {name: _kind(name, record) for name, record in RECORDS.items()}
"""Every kind by name."""
