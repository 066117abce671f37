"""The types of single keys of a recipe: how each is read, and its JSON Schema for editors."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema

from generator.documents import nearest, shown

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


_ROWS_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_ROWS}, {"const": "coverage"}]}


def _read_rows(value: Any) -> int:
    """Return the number of rows; 0 for `coverage`."""
    if value == "coverage":
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"a whole number is expected, not {shown(value)}")
    if not 1 <= value <= MOST_ROWS:
        raise ValueError(f"{'at least 1' if value < 1 else f'at most {MOST_ROWS}'} is expected, not {shown(value)}")
    return value


def read_range(least: int, most: int) -> Callable[[Any], tuple[int, int]]:
    """Return a reader of `3` or `[2, 4]`."""
    expected = f"a whole number from {least} to {most}, or a pair [lowest, highest] of such, is expected"

    def read(value: Any) -> tuple[int, int]:
        pair = value if isinstance(value, list) else [value, value]
        if len(pair) != 2 or not all(_whole(number, least, most) for number in pair):
            raise ValueError(f"{expected}, not {shown(value)}")
        low, high = pair
        if low > high:
            raise ValueError(f"the lowest stands first: [{high}, {low}], not [{low}, {high}]")
        return low, high

    return read


def range_schema(least: int, most: int) -> WithJsonSchema:
    """Return the JSON Schema of such a range, for editors."""
    number = {"type": "integer", "minimum": least, "maximum": most}
    return WithJsonSchema({"anyOf": [number, {"type": "array", "items": number, "minItems": 2, "maxItems": 2}]})


def _first_repeated(names: list[str]) -> str | None:
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


def _some_weight(weights: dict[str, float]) -> dict[str, float]:
    if not any(weights.values()):
        raise ValueError("at least one weight must be above 0")
    return weights


def _read_format(value: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a name, or a mapping of a name and options, as (name, options)."""
    if isinstance(value, str):
        return value, ()
    names = isinstance(value, dict) and isinstance(value.get("name"), str)
    if not names or not all(isinstance(part, str | bool) for part in value.values()):
        raise ValueError(f"a format, or a mapping {{name: format, option: value}}, is expected, not {shown(value)}")
    options = [
        (key, json.dumps(part) if isinstance(part, bool) else part) for key, part in value.items() if key != "name"
    ]
    return value["name"], tuple(options)


def as_list(value: Any) -> Any:
    """Return one text as a list of one."""
    if not isinstance(value, str | list):
        raise ValueError(f"text, or a list of texts, is expected, not {shown(value)}")
    return [value] if isinstance(value, str) else value


def _read_day(value: Any) -> date:
    if isinstance(value, str) and re.fullmatch(_DAY, value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"there is no day {value}") from None
    raise ValueError(f"a date such as 2026-03-14 (from 1900 to 2199) is expected, not {shown(value)}")


def _read_days(value: Any) -> tuple[date, date]:
    days = value if isinstance(value, list) else [value, value]
    if len(days) != 2:
        raise ValueError(f"one date or a pair [first, last] is expected, not {shown(value)}")
    first, last = _read_day(days[0]), _read_day(days[1])
    if first > last:
        raise ValueError(f"the earlier day stands first: [{last}, {first}]")
    return first, last


def _check_system(text: str) -> str:
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


def _check_coverage(name: str) -> str:
    if name not in COVERAGES:
        raise ValueError(f"unknown coverage {name!r}{nearest(name, COVERAGES)}")
    return name


def distinct(names: list[str]) -> list[str]:
    """Return the names; raises ValueError when one stands there twice."""
    twice = _first_repeated(names)
    if twice is not None:
        raise ValueError(f"{twice!r} stands here twice")
    return names


def make_a_whole(shares: dict[str, float]) -> dict[str, float]:
    """Return the shares; raises ValueError when they do not add up to 1."""
    total = sum(shares.values())
    if shares and abs(total - 1) > _ROUNDING:
        raise ValueError(f"the shares must add up to 1, not {total:g}")
    return shares


def at_most_all(shares: dict[str, float]) -> dict[str, float]:
    """Return the shares; raises ValueError when they add up to more than 1."""
    total = sum(shares.values())
    if total > 1 + _ROUNDING:
        raise ValueError(f"the shares must not add up to more than 1, but are {total:g}")
    return shares


Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
SplitShare = Annotated[float, Field(gt=0, le=1)]
FormatChoice = Annotated[
    tuple[str, tuple[tuple[str, str], ...]],
    PlainValidator(_read_format),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "x-names": "formats"},
                {
                    "type": "object",
                    "properties": {"name": {"type": "string", "x-names": "formats"}},
                    "required": ["name"],
                    "additionalProperties": {"type": ["string", "boolean"]},
                },
            ]
        }
    ),
]
"""A format and the (option, value) pairs that are chosen of it."""
SourceName = Annotated[str, Field(json_schema_extra={"x-names": "sources"})]
CoverageName = Annotated[str, AfterValidator(_check_coverage), Field(json_schema_extra={"enum": list(COVERAGES)})]
SystemText = Annotated[
    str,
    AfterValidator(_check_system),
    Field(json_schema_extra={"pattern": rf"^[^{{}}{_CONTROL}]*((\{{today\}}|\{{weekday\}})[^{{}}{_CONTROL}]*)*$"}),
]


def names_schema(names: str) -> WithJsonSchema:
    """Return what a name or a list of names may be written as; `recipe_schema` puts the known ones in."""
    name = {"type": "string", "x-names": names}
    return WithJsonSchema({"anyOf": [name, {"type": "array", "items": name, "uniqueItems": True}]})


def weights_schema(names: str) -> WithJsonSchema:
    """Return what a mix may be written as; `recipe_schema` puts the known names of that kind in."""
    name = {"type": "string", "x-names": names}
    weighted = {
        "type": "object",
        "propertyNames": name,
        "additionalProperties": {"type": "number", "minimum": 0},
        "minProperties": 1,
    }
    several = {"type": "array", "items": name, "minItems": 1, "uniqueItems": True}
    return WithJsonSchema({"anyOf": [name, several, weighted]})


Mix = Annotated[dict[str, Weight], Field(min_length=1), BeforeValidator(_as_weights), AfterValidator(_some_weight)]
"""Names and their weights."""
Rows = Annotated[int, PlainValidator(_read_rows), WithJsonSchema(_ROWS_SCHEMA)]
"""How many rows; 0 for `coverage`."""
Days = Annotated[
    tuple[date, date],
    PlainValidator(_read_days),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": _DAY},
                {"type": "array", "items": {"type": "string", "pattern": _DAY}, "minItems": 2, "maxItems": 2},
            ]
        }
    ),
]
"""The first and the last of some days."""
SystemTexts = Annotated[
    list[SystemText],
    Field(min_length=1),
    BeforeValidator(as_list, json_schema_input_type=SystemText | Annotated[list[SystemText], Field(min_length=1)]),
]
"""System messages of which each row takes one."""
