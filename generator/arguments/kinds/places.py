"""Coordinates that people say as a place: the table of places.yaml, and which two numbers of an object are the coordinates of one.

The wording and the proof ask the same questions here; how the words are made, and how they are read, each knows for itself.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from generator.arguments.kinds.names import words_in_name
from generator.core.yaml_values import own_data

Coordinates = tuple[float, float]
"""Latitude and longitude in degrees."""
Axis = Literal["latitude", "longitude"]

PLACES: dict[str, tuple[str, Coordinates]] = {
    name: (preposition, (latitude, longitude))
    for preposition, places in own_data(__file__).items()
    for name, (latitude, longitude) in places.items()
}
"""Name → the word before it ("in" or "near"), and where it is."""

_AXES: dict[str, Axis] = {
    **dict.fromkeys(("latitude", "lat"), "latitude"),
    **dict.fromkeys(("longitude", "lon", "lng", "long"), "longitude"),
}
_LIMITS: dict[Axis, int] = {"latitude": 90, "longitude": 180}
_OTHER_NOTATION = re.compile(r"radian|micro|\bE[67]\b|e-?[67]\b|projected|mercator|\bUTM\b|\bdelta\b|\bspan\b", re.I)
"""Words of descriptions of numbers that are not in degrees, or are no place."""


def axis_of(name: str) -> tuple[Axis, tuple[str, ...]] | None:
    """Return which coordinate a name is about, and its other words: of `from_lat` the latitude, and `from`; None if it is about none."""
    words = words_in_name(name)
    indexes = [index for index, word in enumerate(words) if word in _AXES]
    return (_AXES[words[indexes[0]]], (*words[: indexes[0]], *words[indexes[0] + 1 :])) if len(indexes) == 1 else None


def coordinates_among(properties: Iterable[str]) -> dict[tuple[str, ...], tuple[str, str]]:
    """Return the properties of one object that are the latitude and the longitude of a place, by the other words of their names.

    `from_lat`, `from_lon` → `{("from",): ("from_lat", "from_lon")}`. Two that could both be the latitude of the same place are left out.
    """
    axes = [(axis_of(name), name) for name in properties]
    counts = Counter(axis for axis, _ in axes if axis is not None)
    name_by_axis = {axis: name for axis, name in axes if axis is not None and counts[axis] == 1}
    rests = {other_words: ("latitude", other_words) for _, other_words in name_by_axis}
    return {
        other_words: (name_by_axis["latitude", other_words], name_by_axis["longitude", other_words])
        for other_words in rests
        if ("latitude", other_words) in name_by_axis and ("longitude", other_words) in name_by_axis
    }


def is_in_degrees(schema: Mapping[str, Any], axis: Axis) -> bool:
    """Whether a leaf takes any number of degrees of an axis: it is a number within -90 to 90, or -180 to 180."""
    limit = _LIMITS[axis]
    types = set(schema["type"]) if isinstance(schema.get("type"), list) else {schema.get("type")}
    ends = [schema[key] for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if key in schema]
    is_within = all(type(end) in (int, float) and abs(end) <= limit for end in ends)
    is_free = schema.keys().isdisjoint(("enum", "const"))
    return (
        types - {"null"} == {"number"}
        and is_within
        and is_free
        and not _OTHER_NOTATION.search(str(schema.get("description", "")))
    )
