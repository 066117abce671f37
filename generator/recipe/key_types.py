"""The types of single keys of a recipe: how each is written and held, and its JSON Schema for editors."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from generator.core.documents import nearest, shown
from generator.core.forms import Form, as_list

_Name = TypeVar("_Name", bound=str)
Weights = tuple[tuple[str, float], ...]
"""(name, weight) pairs in the recipe's order; no weight is zero."""

COVERAGES = ("pairwise",)
"""Names that `coverage` may hold."""

PLACEHOLDERS = ("today", "weekday")
"""What a system message may hold in braces."""

PREFERENCE_ROWS = ("preference", "unpaired", "ranking")
"""What `rows` of a format may be for it to hold what is rejected."""

MOST_ROWS = 10**9
_ROUNDING = 1e-6
_CONTROL = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f"
"""Control characters, as a range of a pattern, but for tab and the ends of lines."""
SLUG = r"^[a-z0-9][a-z0-9_-]{0,99}$"
SPLIT = r"^[a-z0-9][a-z0-9_-]{0,31}$"
_DAY = r"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def range_from(least: int, most: int) -> Form:
    """Return the form of `3` or `[2, 4]`."""
    expected = f"a whole number from {least} to {most}, or a pair [lowest, highest] of such, is expected"

    def read(value: Any) -> tuple[int, int]:
        pair = value if isinstance(value, list) else [value, value]
        if len(pair) != 2 or not all(_whole(number, least, most) for number in pair):
            raise ValueError(f"{expected}, not {shown(value)}")
        low, high = pair
        if low > high:
            raise ValueError(f"the lowest stands first: [{high}, {low}], not [{low}, {high}]")
        return low, high

    number = {"type": "integer", "minimum": least, "maximum": most}
    pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
    return Form(type=Any, made=read, schema={"anyOf": [number, pair]})


def _first_repeated(names: tuple[str, ...] | list[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)


def _as_weights(value: Any) -> Any:
    """Return a mapping of equal weights for one name or a list of names."""
    if isinstance(value, str):
        return {value: 1.0}
    if isinstance(value, list):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("a list of names is expected; weights are written as a mapping, {name: weight}")
        twice = _first_repeated(value)
        if twice is not None:
            raise ValueError(f"{twice!r} stands here twice; weights are written as a mapping, {{name: weight}}")
        return dict.fromkeys(value, 1.0)
    if not isinstance(value, dict):
        raise ValueError(f"a name, a list of names or a mapping {{name: weight}} is expected, not {shown(value)}")
    return value


def weights(mix: Mapping[_Name, float]) -> Weights:
    """Return the weights of a mix as it is written; what has none is left out."""
    return tuple((name, float(weight)) for name, weight in mix.items() if weight)


def _weights_above_zero(mix: dict[str, float]) -> Weights:
    """Return names and weights; raises ValueError when all weights are zero."""
    found = weights(mix)
    if not found:
        raise ValueError("at least one weight must be above 0")
    return found


FormatChoice = tuple[str, tuple[tuple[str, str], ...]]
"""A format and the (option, value) pairs that are chosen of it."""


def read_format(value: Any) -> FormatChoice:
    """Return a name, or a mapping of a name and options, as it is written, as (name, options)."""
    if isinstance(value, str):
        return value, ()
    names = isinstance(value, dict) and isinstance(value.get("name"), str)
    if not names or not all(isinstance(part, str | bool) for part in value.values()):
        raise ValueError(f"a format, or a mapping {{name: format, option: value}}, is expected, not {shown(value)}")
    options = [
        (key, json.dumps(part) if isinstance(part, bool) else part) for key, part in value.items() if key != "name"
    ]
    return value["name"], tuple(options)


def _read_day(value: Any) -> date:
    """Return a date that is written `2026-03-14`."""
    if isinstance(value, str) and re.fullmatch(_DAY, value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"there is no day {value}") from None
    raise ValueError(f"a date such as 2026-03-14 (from 1900 to 2199) is expected, not {shown(value)}")


def _read_days(value: Any) -> tuple[date, date]:
    """Return the first and the last of some days: one date, or `[first, last]`."""
    days = value if isinstance(value, list) else [value, value]
    if len(days) != 2:
        raise ValueError(f"one date or a pair [first, last] is expected, not {shown(value)}")
    first, last = _read_day(days[0]), _read_day(days[1])
    if first > last:
        raise ValueError(f"the earlier day stands first: [{last}, {first}]")
    return first, last


def _check_system(text: str) -> str:
    """Return a system message; raises ValueError for an empty one, control characters, and unknown placeholders."""
    if not text.strip():
        raise ValueError("a system message must hold some text; leave the key out for rows without one")
    if control := re.search(f"[{_CONTROL}]", text):
        raise ValueError(
            f"a control character (U+{ord(control[0]):04X}), at which some tokenizers and parsers end a text"
        )
    for name in re.findall(r"\{([^{}]*)\}", text):
        if name not in PLACEHOLDERS:
            known = " and ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            raise ValueError(f"unknown placeholder {{{name}}}: only {known} are filled in")
    if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text)):
        raise ValueError("a brace stands alone in this text; braces hold only {today} or {weekday}")
    return text


def check_coverage(name: str) -> str:
    """Return the name; raises ValueError for one that is not known."""
    if name not in COVERAGES:
        raise ValueError(f"unknown coverage {name!r}{nearest(name, COVERAGES)}")
    return name


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names; raises ValueError when one stands there twice."""
    twice = _first_repeated(names)
    if twice is not None:
        raise ValueError(f"{twice!r} stands here twice")
    return names


def add_up(shares: Iterable[float]) -> float:
    """Return the sum of shares; 1 when it is that but for rounding."""
    total = sum(shares)
    return 1.0 if abs(total - 1) <= _ROUNDING else total


def at_most_all(shares: Mapping[_Name, float]) -> Weights:
    """Return the shares; raises ValueError when they add up to more than 1."""
    total = add_up(shares.values())
    if total > 1:
        raise ValueError(f"the shares must not add up to more than 1, but are {total:g}")
    return weights(shares)


def mix_of(names: str) -> Form:
    """Return the form of one name, a list of names, or names with weights; `recipe_schema` puts the known names of that kind in."""
    name = {"type": "string", "x-names": names}
    weighted = {
        "type": "object",
        "propertyNames": name,
        "additionalProperties": {"type": "number", "minimum": 0},
        "minProperties": 1,
    }
    several = {"type": "array", "items": name, "minItems": 1, "uniqueItems": True}
    return Form(
        type=Annotated[dict[str, Weight], Meta(min_length=1)],
        given=_as_weights,
        made=_weights_above_zero,
        schema={"anyOf": [name, several, weighted]},
    )


def names_of(names: str) -> Form:
    """Return the form of a name or a list of names."""
    name = {"type": "string", "x-names": names}
    several = {"type": "array", "items": name, "uniqueItems": True}
    return Form(type=tuple[str, ...], given=as_list, made=distinct, schema={"anyOf": [name, several]})


Weight = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
_Count = Annotated[int, Meta(ge=1, le=MOST_ROWS)]
Rows = Annotated[int, Form(type=_Count | Literal["coverage"], made=lambda rows: 0 if rows == "coverage" else rows)]
"""How many rows; 0 for `coverage`."""
_DAY_SCHEMA = {"type": "string", "pattern": _DAY}
Days = Annotated[
    tuple[date, date],
    Form(
        type=Any,
        made=_read_days,
        schema={"anyOf": [_DAY_SCHEMA, {"type": "array", "items": _DAY_SCHEMA, "minItems": 2, "maxItems": 2}]},
    ),
]
"""The first and the last of some days."""
_FORMAT_NAME = {"type": "string", "x-names": "formats"}
FormatName = Annotated[
    str,
    Form(
        type=Any,
        made=lambda value: read_format(value)[0],
        schema={
            "anyOf": [
                _FORMAT_NAME,
                {
                    "type": "object",
                    "properties": {"name": _FORMAT_NAME},
                    "required": ["name"],
                    "additionalProperties": {"type": ["string", "boolean"]},
                },
            ]
        },
    ),
]
"""A format; what is chosen of it is read by `read_format`, once all formats are known."""
_SYSTEM_PATTERN = rf"^[^{{}}{_CONTROL}]*((\{{today\}}|\{{weekday\}})[^{{}}{_CONTROL}]*)*$"
SystemText = Annotated[str, Form(type=str, made=_check_system, schema={"type": "string", "pattern": _SYSTEM_PATTERN})]
