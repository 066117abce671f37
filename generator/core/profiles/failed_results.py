"""Results that say by themselves that their call failed, as tools have it that do not mark errors."""

import re
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
import orjson

from generator.core.yaml_values import own_data


class _FailedResults(msgspec.Struct, frozen=True):
    """The content of `failed_results.yaml`."""

    beginnings: tuple[str, ...]
    exception: str
    keys: frozenset[str]
    values: dict[str, Any]
    beside: frozenset[str]
    wrappers: frozenset[str]


@cache
def failed_results() -> _FailedResults:
    """Return how results say that their call failed."""
    return msgspec.convert(own_data(__file__), _FailedResults)


@cache
def _begins() -> re.Pattern[str]:
    known = failed_results()
    texts = "|".join(re.escape(text) for text in known.beginnings)
    return re.compile(rf"\s*(?:(?:{texts})(?!(?<=\w)\w)|error\s*$|{known.exception})", re.IGNORECASE)


def _value(text: Any) -> Any:
    """Return what a text of JSON holds, as tools have it that write their results themselves; anything else as it is."""
    with suppress(ValueError):
        return orjson.loads(text) if isinstance(text, str) and text[:1] == "{" else text
    return text


def says_failure(result: Any) -> bool:
    """Whether a result (a text, or a value of JSON) says that its call failed: `Error: …`, `{"error": …}`, `{"result": "Error: …"}`."""
    known = failed_results()
    while isinstance(result, dict) and len(result) == 1 and (inside := [*result])[0] in known.wrappers:
        result = _value(result[inside[0]])
    if isinstance(result, str):
        return _begins().match(result) is not None
    if not isinstance(result, dict):
        return False
    if not known.keys.isdisjoint(result) and any(result.get(key) for key in known.keys):
        return True
    return not known.beside.isdisjoint(result) and any(
        type(result.get(key)) is type(failed) and result[key] == failed for key, failed in known.values.items()
    )
