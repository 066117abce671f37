"""The kinds of values that people know, such as city, email, quantity.

A kind is a pool of texts, a maker of texts or numbers, or a habit of numbers. To add one: a line here, and the
words that name it in names.py.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.arguments.sampling import days
from generator.arguments.sampling.numbers import Habit
from generator.arguments.vocabulary import words as vocabulary
from generator.arguments.vocabulary.locales import Locale
from generator.arguments.vocabulary.prepared import faked_pool
from generator.arguments.vocabulary.texts import write_texts
from generator.seeds import Draw


class Pool(msgspec.Struct, frozen=True):
    """Texts to choose from, by seed and locale."""

    make: Callable[[int, Locale], tuple[str, ...]]


class Made(msgspec.Struct, frozen=True):
    """Values made when they are needed, from `past`, `birth` or None (soon)."""

    make: Callable[[str | None], Callable[[Draw], Any]]


Kind = Pool | Made | Habit


def _words(values: tuple[str, ...]) -> Pool:
    return Pool(lambda seed, locale: values)


def _faked(name: str) -> Pool:
    def make(seed: int, locale: Locale) -> tuple[str, ...]:
        key = "@".join([name, *[f"{place}:{weight:g}" for place, weight in locale]])
        return faked_pool((key, seed), lambda: _fake(name, seed, locale))

    return Pool(make)


def _fake(name: str, seed: int, locale: Locale) -> tuple[str, ...]:
    from generator.arguments.vocabulary import local_pools, pools  # Faker is needed only when a tool needs people

    return local_pools.fake_pool(name, seed, locale) if locale else pools.fake_pool(name, seed)


def _local(name: str, values: tuple[str, ...]) -> Pool:
    """The usual words, and with a locale what Faker has for it."""
    faked = _faked(name).make
    return Pool(lambda seed, locale: faked(seed, locale) if locale else values)


def _written(name: str) -> Pool:
    return Pool(lambda seed, locale: write_texts(name))


def _drawn(make: Callable[[Draw], Any]) -> Made:
    return Made(lambda when: make)


_WORDS = {
    "city": vocabulary.CITIES,
    "country": vocabulary.COUNTRIES,
    "country_code": vocabulary.COUNTRY_CODES,
    "country_code_3": vocabulary.COUNTRY_CODES_3,
    "state": vocabulary.STATES,
    "state_code": vocabulary.STATE_CODES,
    "airport_code": vocabulary.AIRPORTS,
    "currency_code": vocabulary.CURRENCY_CODES,
    "language": vocabulary.LANGUAGES,
    "language_code": vocabulary.LANGUAGE_CODES,
    "locale": vocabulary.LOCALES,
    "timezone": vocabulary.TIMEZONES,
    "color": vocabulary.COLORS,
    "product_name": vocabulary.PRODUCTS,
    "category": vocabulary.CATEGORIES,
    "brand": vocabulary.BRANDS,
    "restaurant_name": vocabulary.RESTAURANTS,
    "hotel_name": vocabulary.HOTELS,
    "airline": vocabulary.AIRLINES,
    "stock_symbol": vocabulary.STOCKS,
    "genre": vocabulary.GENRES,
    "film_genre": vocabulary.FILM_GENRES,
    "cuisine": vocabulary.CUISINES,
    "dish": vocabulary.DISHES,
    "ingredient": vocabulary.INGREDIENTS,
    "allergen": vocabulary.ALLERGENS,
    "weekday": vocabulary.WEEKDAYS,
    "month": vocabulary.MONTHS,
    "unit": vocabulary.UNITS,
    "room": vocabulary.ROOMS,
    "device": vocabulary.DEVICES,
    "place": vocabulary.PLACES,
    "department": vocabulary.DEPARTMENTS,
    "team": vocabulary.TEAMS,
    "skill": vocabulary.SKILLS,
    "tag": vocabulary.TAGS,
    "status": vocabulary.STATUSES,
    "folder_name": vocabulary.FOLDERS,
    "song": vocabulary.SONGS,
    "artist": vocabulary.ARTISTS,
    "album": vocabulary.ALBUMS,
    "book_title": vocabulary.BOOKS,
    "film_title": vocabulary.FILMS,
    "sport": vocabulary.SPORTS,
    "event_name": vocabulary.EVENTS,
    "topic": vocabulary.TOPICS,
    "symptom": vocabulary.SYMPTOMS,
    "medicine": vocabulary.MEDICINES,
    "specialty": vocabulary.SPECIALTIES,
    "car_make": vocabulary.CAR_MAKES,
    "job_title": vocabulary.JOBS,
    "word": vocabulary.WORDS,
}
_FAKED = (
    "person_name", "first_name", "last_name", "username", "email", "phone", "phone_e164", "street_address", "address",
    "postal_code", "us_zip_code", "company", "url", "domain", "license_plate", "iban", "isbn",
)  # fmt: skip
_WRITTEN = {
    "message": "message",
    "note": "note",
    "title": "title",
    "short_text": "title",
    "subject": "subject",
    "query": "query",
    "review": "review",
    "problem": "problem",
    "reason": "reason",
    "sentence": "sentence",
    "text": "sentence",
}


def _file_name(draw: Draw) -> str:
    stem = draw.choice(vocabulary.FILE_STEMS)
    mark = draw.rand()
    stem += f"_{draw.today.year}" if mark < 0.2 else f"_v{draw.between(2, 5)}" if mark < 0.35 else ""
    return f"{stem}.{draw.choice(vocabulary.FILE_TYPES)}"


def _proper_name(draw: Draw) -> str:
    return f"{draw.choice(vocabulary.WORDS).capitalize()} {draw.choice(vocabulary.WORDS).capitalize()}"


def _slug(word: str) -> str:
    return word.lower().replace(" ", "_")


def _folder_path(draw: Draw) -> str:
    inner = f"/{_slug(draw.choice(vocabulary.FOLDERS))}" if draw.rand() < 0.4 else ""
    return f"/home/{draw.choice(('anna', 'sam', 'lee', 'maria', 'tom'))}/{_slug(draw.choice(vocabulary.FOLDERS))}{inner}"


def _file_path(draw: Draw) -> str:
    return f"{_folder_path(draw)}/{_file_name(draw)}"


def _hex(digits: int) -> Callable[[Draw], str]:
    scale = 16**digits
    return lambda draw: f"{int(draw.rand() * scale):0{digits}x}"


def _uuid(draw: Draw) -> str:
    low, high = f"{int(draw.rand() * 2**48):012x}", f"{int(draw.rand() * 2**48):012x}"
    return f"{low[:8]}-{low[8:]}-4{high[:3]}-{'89ab'[int(draw.rand() * 4)]}{high[3:6]}-{high[6:]}{_hex(6)(draw)}"


def _ipv4(draw: Draw) -> str:
    if draw.rand() < 0.6:
        return f"192.168.{draw.between(0, 20)}.{draw.between(1, 254)}"
    return f"{draw.choice(('192.0.2', '198.51.100', '203.0.113', '10.0.0'))}.{draw.between(1, 254)}"


def _ipv6(draw: Draw) -> str:
    return f"2001:db8:{draw.between(1, 65535):x}::{draw.between(1, 65535):x}"


def _mac(draw: Draw) -> str:
    digits = _hex(12)(draw)
    return ":".join([digits[at : at + 2] for at in range(0, 12, 2)])


def _coded(letters: str, form: str) -> Callable[[Draw], str]:
    """Codes such as `ORD-48213`: A a letter of `letters`, 9 a digit, everything else itself."""

    def make(draw: Draw) -> str:
        return "".join([
            letters[int(draw.rand() * len(letters))] if mark == "A" else str(int(draw.rand() * 10)) if mark == "9" else mark
            for mark in form
        ])

    return make


_CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_MADE: dict[str, Made] = {
    "date": Made(days.make_date),
    "birth_date": Made(lambda when: days.make_date("birth")),
    "past_date": Made(lambda when: days.make_date("past")),
    "time": Made(days.make_clock("{time}")),
    "time_seconds": Made(days.make_clock("{time}:00")),
    "date_time": Made(days.make_moment("{day}T{time}:00Z")),
    "date_time_offset": Made(days.make_moment("{day}T{time}:00+02:00")),
    "local_date_time": Made(days.make_moment("{day}T{time}")),
    "local_date_time_seconds": Made(days.make_moment("{day}T{time}:00")),
    "spaced_date_time": Made(days.make_moment("{day} {time}")),
    "year_month": Made(days.make_month),
    "year": Made(days.make_year),
    "birth_year": Made(lambda when: days.make_year("birth")),
    "year_text": Made(lambda when: lambda draw: str(days.make_year(when)(draw))),
    "duration": _drawn(lambda draw: draw.choice(("PT15M", "PT30M", "PT45M", "PT1H", "PT1H30M", "PT2H", "P1D", "P7D"))),
    "file_name": _drawn(_file_name),
    "file_path": _drawn(_file_path),
    "folder_path": _drawn(_folder_path),
    "hex_color": _drawn(lambda draw: f"#{int(draw.rand() * 2**24):06x}"),
    "uuid": _drawn(_uuid),
    "ipv4": _drawn(_ipv4),
    "ipv6": _drawn(_ipv6),
    "mac": _drawn(_mac),
    "hash": _drawn(_hex(12)),
    "version": _drawn(lambda draw: f"{draw.between(0, 6)}.{draw.between(0, 14)}.{draw.between(0, 9)}"),
    "sku": _drawn(_coded(_CAPITALS, "AAA-9999")),
    "order_number": _drawn(_coded(_CAPITALS, "ORD-99999")),
    "invoice_number": _drawn(_coded(_CAPITALS, "INV-99999")),
    "tracking_number": _drawn(_coded(_CAPITALS, "AA999999999AA")),
    "flight_number": _drawn(_coded("ABCDEFKLNSTU", "AA999")),
    "booking_reference": _drawn(_coded(_CAPITALS, "AA9A9A")),
    "ticket_number": _drawn(_coded(_CAPITALS, "TCK-9999")),
    "account_number": _drawn(lambda draw: f"{draw.between(10_000_000, 99_999_999)}"),
    "proper_name": _drawn(_proper_name),
    "rfc3339_time": Made(days.make_clock("{time}:00Z")),
    "identifier": _drawn(_coded(_CAPITALS, "A999999")),
    "coordinates": _drawn(lambda draw: f"{draw.between(-400000, 600000) / 10000},{draw.between(-1200000, 1400000) / 10000}"),
}
_HABITS: dict[str, Habit] = {
    "quantity": Habit((1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 10, 12)),
    "people": Habit((1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8)),
    "nights": Habit((1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 7, 10, 14)),
    "day_count": Habit((1, 2, 3, 3, 3, 4, 5, 5, 5, 7, 7, 7, 10, 10, 14, 14, 30)),
    "hour_count": Habit((1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 12, 24), real=Habit((0.5, 1, 1, 1.5, 2, 2, 2.5, 3, 4, 5, 6, 8))),
    "week_count": Habit((1, 1, 2, 2, 3, 4, 4, 6, 8, 12)),
    "month_count": Habit((1, 2, 3, 3, 6, 6, 6, 9, 12, 12, 18, 24)),
    "year_count": Habit((1, 2, 3, 3, 5, 5, 10, 10, 15, 20, 25, 30)),
    "duration_minutes": Habit((5, 10, 15, 15, 15, 20, 25, 30, 30, 30, 30, 45, 45, 45, 60, 60, 60, 75, 90, 90, 120)),
    "duration_seconds": Habit((5, 10, 15, 20, 30, 30, 30, 45, 60, 60, 90, 120, 180, 300)),
    "limit": Habit((3, 5, 5, 5, 5, 8, 10, 10, 10, 15, 20, 20, 25, 50)),
    "page": Habit((1, 1, 1, 1, 2, 2, 3, 4, 5)),
    "offset": Habit((0, 0, 0, 10, 10, 20, 20, 25, 30, 40, 50, 100)),
    "age": Habit((), 18, 80),
    "port": Habit((22, 80, 443, 3000, 3306, 5000, 5432, 6379, 8000, 8080, 8081, 8443, 8888, 9000, 9090, 27017)),
    "percentage": Habit((5, 10, 10, 15, 20, 20, 25, 25, 30, 35, 40, 50, 50, 60, 70, 75, 80, 90), yields=True),
    "fraction": Habit((), 0, 1, "0.05"),
    "rating": Habit((1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5), real=Habit((3.1, 3.4, 3.6, 3.8, 3.9, 4, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 4.8, 4.9))),
    "score": Habit((), 0, 100, "1"),
    "priority": Habit((1, 1, 2, 2, 3, 3, 4, 5)),
    "temperature": Habit((16, 17, 18, 18, 19, 19, 20, 20, 20, 21, 21, 21, 22, 22, 23, 24), yields=True),
    "brightness": Habit((10, 20, 25, 30, 40, 40, 50, 50, 60, 70, 75, 80, 90, 100)),
    "floor": Habit((1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9, 12)),
    "amount": Habit((), 5, 500, None, True, True),
    "large_amount": Habit((), 1000, 250000, "500"),
    "salary": Habit((), 28000, 120000, "1000"),
    "interest_rate": Habit((), 1, 9, "0.05", False),
    "weight": Habit((), 1, 40, "0.5"),
    "body_weight": Habit((), 48, 110, "0.5"),
    "body_height": Habit((), 150, 200, "1", False),
    "grams": Habit((50, 75, 100, 100, 120, 150, 150, 200, 200, 250, 250, 300, 400, 500)),
    "megabytes": Habit((1, 2, 2, 5, 5, 5, 10, 10, 10, 20, 25, 50, 100), real=Habit((), 0.2, 40, "0.1", False), yields=True),
    "distance": Habit((1, 2, 2, 3, 3, 5, 5, 5, 8, 10, 10, 10, 15, 20, 25, 30, 42, 50), real=Habit((), 0.5, 30, "0.1", False), yields=True),
    "length": Habit((), 10, 250, "1"),
    "area": Habit((), 20, 200, "1"),
    "calories": Habit((), 100, 900, "10"),
    "latitude": Habit((), -45, 65, "0.0001", False),
    "longitude": Habit((), -125, 150, "0.0001", False),
    "month_number": Habit(tuple(range(1, 13))),
    "day_of_month": Habit(tuple(range(1, 29))),
    "hour": Habit((7, 8, 9, 9, 10, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)),
    "minute": Habit((0, 0, 0, 5, 10, 15, 15, 20, 30, 30, 40, 45, 50)),
    "numeric_id": Habit((), 1000, 99999, "1", False),
    "number_of_rooms": Habit((1, 1, 2, 2, 2, 3, 3, 4, 5)),
}

KINDS: dict[str, Kind] = {
    **{name: _words(values) for name, values in _WORDS.items()},
    "city": _local("city", vocabulary.CITIES),
    **{name: _faked(name) for name in _FAKED},
    **{name: _written(grammar) for name, grammar in _WRITTEN.items()},
    **_MADE,
    **_HABITS,
}
"""Every kind by name."""
