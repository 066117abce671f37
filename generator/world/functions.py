"""The functions of expressions, and what checked expressions are compiled against."""

import unicodedata
from calendar import isleap
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from generator.core.entities import Table


class MissingError(LookupError):
    """A name the expression needs has no value (an argument that was not given)."""


_MOST_DIGITS = 100
"""Digits that `round` takes: a power of ten of any size would take any time."""


def times(left: Any, right: Any) -> Any:
    """Return the product of two numbers; TypeError for anything else that Python multiplies."""
    if isinstance(left, _SEQUENCES) or isinstance(right, _SEQUENCES):
        raise TypeError("only numbers can be multiplied")  # text times a drawn number could be of any length
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    """Return the remainder of a division of numbers; TypeError for a text, which Python would format."""
    if isinstance(left, str):
        raise TypeError("% is for numbers")
    return left % right


_SEQUENCES = (str, list)


def _sum_of(elements: list[dict[str, Any]], field: str, factor: str | None = None) -> Any:
    """Return the sum of a field of all elements, times another field (1 where it is missing): `sum_of(items, "price", "quantity")`."""
    return neat(sum(times(element[field], element.get(factor, 1) if factor else 1) for element in elements))


def _sum_looked_up(
    tables: Mapping[str, Table], name: str, column: str, elements: list[dict[str, Any]], field: str, factor: str
) -> Any:
    """Return the sum of what a table has in a column for each element's `field`, times the element's `factor`."""
    return neat(sum(times(_lookup(tables, name, column, element[field]), element[factor]) for element in elements))


def _round(number: Any, digits: int | None = None) -> Any:
    """Return a number with so many decimals; ValueError for so many that rounding would take very long."""
    if digits is not None and not -_MOST_DIGITS <= digits <= _MOST_DIGITS:
        raise ValueError(f"round takes at most {_MOST_DIGITS} digits")
    return round(number, digits)


def _add_days(day: str, days: float) -> str:
    """Return a day or moment so many days later: `("2026-03-02T09:00", 2)` → `2026-03-04T09:00`."""
    return (date.fromisoformat(day[:10]) + timedelta(days=int(days))).isoformat() + day[10:]


def _workday(day: str) -> str:
    """Return the day, or the next one on which people work: neither at a weekend nor at Christmas or New Year."""
    while date.fromisoformat(day[:10]).isoweekday() > _FRIDAY or day[5:10] in _HOLIDAYS:
        day = _add_days(day, 1)
    return day


_FRIDAY = 5
_HOLIDAYS = ("12-25", "12-26", "01-01")


def _add_years(day: str, years: int) -> str:
    """Return the same day of another year; of 29 February the 28th where the year has no other."""
    start = date.fromisoformat(day[:10])
    last = 28 if (start.month, start.day) == (2, 29) and not isleap(start.year + years) else start.day
    return start.replace(year=start.year + years, day=last).isoformat() + day[10:]


def _years_between(first: str, second: str) -> int:
    """Return how many whole years lie between two days, as one counts somebody's age."""
    years = int(second[:4]) - int(first[:4])
    return years - (_add_years(first[:10], years) > second[:10])


def _add_minutes(moment: str, minutes: float) -> str:
    """Return a moment or clock time so many minutes later: `("23:50", 20)` → `00:10`."""
    if len(moment) <= 8:  # a clock time goes round at midnight
        total = (minutes_of(moment) + int(minutes)) % 1440
        return f"{total // 60:02}:{total % 60:02}{moment[5:]}"
    shape = "T" if "T" in moment else " "
    start = datetime.fromisoformat(moment[:16])
    return (start + timedelta(minutes=int(minutes))).isoformat(shape, "minutes") + moment[16:]


def _minutes_between(first: str, second: str) -> int:
    """Return the minutes from one moment, or clock time (of the same or the next day), to another."""
    if len(first) <= 8:
        return (minutes_of(second) - minutes_of(first)) % 1440
    return int((datetime.fromisoformat(second[:16]) - datetime.fromisoformat(first[:16])).total_seconds() // 60)


def minutes_of(clock: str) -> int:
    """Return how many minutes after midnight a clock time is, which begins with `HH:MM`."""
    return int(clock[:2]) * 60 + int(clock[3:5])


def _stem(path: str) -> str:
    """Return a file's name without the folders before it and without its extension."""
    name = path.rpartition("/")[2]
    return name[: name.rfind(".")] if name.rfind(".") > 0 else name


def _has(value: Any, *path: str) -> bool:
    """Whether an object has something there, and in what it has there, and so on; null is nothing."""
    for step in path:
        value = value[step] if isinstance(value, dict) and step in value else None
    return value is not None


def _plain(text: str, between: str = " ") -> str:
    """Return the words of a text in lower-case letters of ASCII and digits, with something between them."""
    letters = unicodedata.normalize("NFKD", text.translate(_SPELT)).encode("ascii", "ignore").decode().lower()
    return between.join("".join(letter if letter.isalnum() else " " for letter in letters).split())


_SPELT = str.maketrans(
    {
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "'": "",
        "’": "",
    }
)
"""Letters that are no other letter with a mark."""


def _contains(whole: str | list[Any], part: str | list[Any]) -> bool:
    """Whether a text holds a phrase as whole words, whatever its case, or a list an element or all elements of another list."""
    if isinstance(whole, list):
        return all(element in whole for element in (part if isinstance(part, list) else [part]))
    if isinstance(part, list):
        raise TypeError("a text holds no list")
    return holds_words(whole, part)


def holds_words(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words, whatever its case: `("Blue Car", "car")`, but not `("Scarf", "car")`.

    Scripts without capital letters do not part words, so there a part of a word is one.
    """
    text, phrase = text.casefold(), phrase.casefold()
    position = text.find(phrase)
    while position >= 0 and (_is_in_a_word(text, position) or _is_in_a_word(text, position + len(phrase))):
        position = text.find(phrase, position + 1)
    return position >= 0


def _is_in_a_word(text: str, at: int) -> bool:
    """Whether a position of a text lies between two letters or digits of one word."""
    return 0 < at < len(text) and all(
        letter.isdecimal() or letter.upper() != letter for letter in text[at - 1 : at + 1]
    )


def _lookup(tables: Mapping[str, Table], name: str, column: str, *key: Any) -> Any:
    """Return the value in a column of the table's row with a key, else of its row `*`; LookupError where there is neither."""
    table = tables[name]
    row = table.rows.get(tuple(map(str, key))) or table.rows.get(tuple("*" for _ in table.key))
    if row is None:
        raise LookupError(f"the table {name} has no row {', '.join(map(str, key))}")
    return row[column]


def _text_of(
    tables: Mapping[str, Table], name: str, number: int, key: str = "", place: int = 0, places: int = 1
) -> Any:
    """Return the text of a number among a table's texts for a key, the `place`-th of `places`."""
    return tables[name].texts[key].text(number, place, places)


def _lookup_entity(related: Callable[[str, Any], Mapping[str, Any] | None], title: str, field: str, key: Any) -> Any:
    """Return a field of the entity that `related` finds by title of its kind and key; MissingError where there is none."""
    entity = related(title, key)
    if entity is None:
        raise MissingError(key)
    return entity[field]


def _lookup_only(every: Callable[[str], Iterable[Mapping[str, Any]]], title: str, field: str) -> Any:
    """Return a field of the first entity of a kind, of which there is only one; MissingError where there is none."""
    entity = next(iter(every(title)), None)
    if entity is None:
        raise MissingError(title)
    return entity[field]


def _having(
    every: Callable[[str], Iterable[Mapping[str, Any]]], title: str, field_names: list[str], values: list[Any]
) -> list[Any]:
    """Return the entities with these values; a field without a value equals nothing."""
    fields = list(zip(field_names, values, strict=True))
    return [one for one in every(title) if all(value is not None and one[field] == value for field, value in fields)]


def _count(every: Callable[[str], Iterable[Mapping[str, Any]]], title_and_fields: list[str], values: list[Any]) -> int:
    """Return how many entities have these values: `(every, ["orders", "city"], ["Rome"])`."""
    return len(_having(every, title_and_fields[0], title_and_fields[1:], values))


def _find(every: Callable[[str], Iterable[Mapping[str, Any]]], title_and_fields: list[str], values: list[Any]) -> Any:
    """Return one field of the first entity with these values, null where there is none: `["orders", "total", "city"]` shows `total`."""
    title, shown_field, *fields = title_and_fields
    return next((entity[shown_field] for entity in _having(every, title, fields, values)), None)


def _least(every: Callable[[str], Iterable[Mapping[str, Any]]], title_and_fields: list[str], values: list[Any]) -> Any:
    """Return one field of the entity with these values that is least by another: `["cars", "price", "name", "city"]` → the cheapest's name."""
    title, order_field, shown_field, *fields = title_and_fields
    entities = _having(every, title, fields, values)
    return min(entities, key=lambda entity: entity[order_field])[shown_field] if entities else None


def _total(every: Callable[[str], Iterable[Mapping[str, Any]]], title_and_fields: list[str], values: list[Any]) -> Any:
    """Return the sum of one field of all entities with these values: `["orders", "total", "city"]` adds up `total`."""
    title, summed, *fields = title_and_fields
    total = sum(one[summed] for one in _having(every, title, fields, values) if one[summed] is not None)
    return round(total, 2) if isinstance(total, float) else total


def _clashes(every: Callable[[str], Iterable[Mapping[str, Any]]], named: list[str], values: list[Any]) -> int:
    """Return how many entities overlap with a day, a clock time and a length in minutes, by their fields for these three."""
    title, day_field, start_field, minutes_field = named
    day, begins = values[0], minutes_of(values[1])
    ends = begins + int(values[2])
    count = 0
    for entity in every(title):
        if entity[day_field] == day:
            start_minutes = minutes_of(entity[start_field])
            count += start_minutes < ends and begins < start_minutes + int(entity[minutes_field])
    return count


LOOKED_UP = 5
"""Arguments of `sum_of` with a table."""
OVER_ENTITIES: dict[str, tuple[str, ...]] = {
    "count": (),
    "clashes": (),
    "find": ("SHOWN",),
    "least": ("BY", "SHOWN"),
    "total": ("SUMMED",),
}
"""Functions over all entities with some values, and the fields that stand before these."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "contains": _contains,
    "first": lambda elements: elements[0],
    "words": lambda text: len(text.split()),
    "begins": lambda text, start: text.startswith(start),
    "plain": _plain,
    "round": _round,
    "min": min,
    "max": max,
    "abs": abs,
    "len": len,
    "str": str,
    "upper": str.upper,
    "capital": lambda text: text[:1].upper() + text[1:],
    "lower": str.lower,
    "extension": lambda file_name: file_name[file_name.rfind(".") :] if "." in file_name else "",
    "stem": _stem,
    "sum_of": _sum_of,
    "add_days": _add_days,
    "workday": _workday,
    "days_between": lambda first, second: (date.fromisoformat(second[:10]) - date.fromisoformat(first[:10])).days,
    "add_years": _add_years,
    "years_between": _years_between,
    "add_minutes": _add_minutes,
    "minutes_between": _minutes_between,
}


def neat(value: Any) -> Any:
    """Return a computed number without the dust of binary fractions: 250 - 187.64 is 62.36."""
    if type(value) is not float:
        return value
    return round(value, _PLACES) if abs(value) < _LARGE else float(f"{value:.{_DIGITS}g}")


_PLACES, _DIGITS, _LARGE = 9, 14, 1e5
GLOBALS: dict[str, Any] = {
    "__builtins__": {},
    **FUNCTIONS,
    "bool": bool,
    "float": float,
    "type": type,
    **{
        own.__name__: own
        for own in (
            times,
            _modulo,
            _has,
            _lookup,
            _text_of,
            _sum_looked_up,
            _lookup_entity,
            _lookup_only,
            _count,
            _clashes,
            _find,
            _least,
            _total,
            neat,
        )
    },
}
