"""Lossless JSON: no number is rounded and no key is lost when reading and writing, and values are compared by the rules of JSON.

`orjson` is quick, but it reads whole numbers over 64 bits as floats, takes the last of several equal keys, refuses to
write such numbers and writes NaN as null. Such cases are detected here and left to the standard library.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import orjson

from generator.core.errors import CannotCarryError, FormatError

_GREATEST = 1.7976931348623157e308
_TOO_BIG = "number is infinity"
_LONG_NUMBER = re.compile(rb"[0-9]{19}").search
_EXPONENTS = (b"e+", b"e1", b"e2", b"e3")
_CALLS_ONLY = b'"role":"assistant","content":null'
"""The null that most records of one format contain."""


def loads(text: str | bytes, *, nan: bool = False) -> Any:
    """Return the value of a JSON text as `json.loads` does: with half surrogate pairs, and the last of equal keys.

    Bytes are UTF-8. NaN and the infinities are taken with `nan` only.

    Raises:
        ValueError: for anything else; nothing but that.
    """
    try:
        return (_WITH_NAN if nan else _WITHOUT_NAN).decode(text if isinstance(text, str) else text.decode())
    except RecursionError:
        raise ValueError("nested too deep") from None


def is_json(text: str | bytes) -> bool:
    """Whether a text is JSON."""
    try:
        loads(text)
    except ValueError:
        return False
    return True


class NotExactError(ValueError):
    """A text is near to JSON, but not JSON, or its value is not the only one that it may have."""


def no_constant(name: str) -> Any:
    """Refuse NaN and the infinities (for `parse_constant`)."""
    raise NotExactError(f"{name} is not JSON")


def finite(text: str) -> float:
    """Return a number, if it is no greater than a float can be (for `parse_float`)."""
    number = float(text)
    if not -_GREATEST <= number <= _GREATEST:
        raise NotExactError(f"the number {text[:60]} is too large")
    return number


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, if no key stands in it twice (for `object_pairs_hook`)."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        repeated = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise NotExactError(f"the key {repeated[:80]!r} stands in one object twice")
    return mapping


_WITH_NAN = json.JSONDecoder()
_WITHOUT_NAN = json.JSONDecoder(parse_constant=no_constant)


def read_exactly(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        FormatError: when it is not JSON, or is ambiguous (repeated keys).
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        if _TOO_BIG in str(fault):
            return _read_large_numbers(text)
        raise FormatError(f"not JSON: {fault}") from None
    return value if _is_exact(value, text) else _read_with_standard_library(text)


def write_exactly(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8, with a line feed at its end.

    Raises:
        CannotCarryError: when JSON has no way to write it; the message begins with its place.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return _write_with_standard_library(value)
    if b"null" in text and text.count(b"null") != text.count(_CALLS_ONLY) and holds_non_finite([value]):
        _check_is_json(value)
    return text


def _is_exact(value: Any, text: bytes) -> bool:
    """Whether nothing was lost: writing the value gives the same text, or as many quotes, and no long number.

    A key that goes away takes two quotes along; only an escaped quote could make up for them. A whole number
    that became a float is written with an exponent of at least 18.
    """
    try:
        plain = orjson.dumps(value)
    except TypeError:  # deeper than it writes
        return False
    if plain == text.rstrip(b"\r\n"):
        return True
    if text.count(b'"') != plain.count(b'"') or b"\\u0022" in text:
        return False
    return not (any(exponent in plain for exponent in _EXPONENTS) and _LONG_NUMBER(text))


def _read_large_numbers(text: bytes) -> Any:
    """Read a text with a number above the greatest float; integers are kept."""
    try:
        value = json.loads(text, object_pairs_hook=unique_keys, parse_float=finite, parse_constant=no_constant)
        _check_is_json(value)
    except (json.JSONDecodeError, UnicodeDecodeError, CannotCarryError, NotExactError) as fault:
        raise FormatError(f"not JSON: {fault}") from None
    except RecursionError:
        raise FormatError("not read: it is nested too deep") from None
    except ValueError:
        raise FormatError("not read: it holds a number of thousands of digits") from None
    return value


def _read_with_standard_library(text: bytes) -> Any:
    """Read JSON with the standard library, which keeps large numbers; raises FormatError."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except NotExactError as fault:
        raise FormatError(str(fault)) from None
    except RecursionError:
        raise FormatError("not read: it is nested too deep") from None


def _write_with_standard_library(value: Any) -> bytes:
    """Write a value with integers of more than 64 bits."""
    try:
        _check_is_json(value)
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except RecursionError:
        raise CannotCarryError("$: is nested too deep") from None
    except ValueError:
        raise CannotCarryError("$: holds a number of thousands of digits") from None


def holds_non_finite(value: Any) -> bool:
    """Whether the value holds NaN or an infinity, which `orjson` writes as null."""
    for part in value.values() if type(value) is dict else value:
        kind = type(part)
        if kind is float:
            if not -_GREATEST <= part <= _GREATEST:
                return True
        elif (kind is dict or kind is list or kind is tuple) and holds_non_finite(part):
            return True
    return False


def _check_is_json(value: Any, place: str = "$") -> None:
    """Raise CannotCarryError, with the place, for anything that JSON cannot hold."""
    kind = type(value)
    if kind is dict:
        for key, part in value.items():
            if type(key) is not str:
                raise CannotCarryError(f"{place}: has a key that is no text ({key!r})")
            _check_letters(key, place)
            _check_is_json(part, f"{place}/{key}")
    elif kind is list or kind is tuple:
        for index, part in enumerate(value):
            _check_is_json(part, f"{place}/{index}")
    else:
        _check_leaf(value, kind, place)


def _check_leaf(value: Any, value_type: type, place: str) -> None:
    """Raise CannotCarryError for a value without parts that JSON cannot hold, such as NaN or a date."""
    if value_type is str:
        _check_letters(value, place)
    elif value_type is float:
        if not -_GREATEST <= value <= _GREATEST:
            raise CannotCarryError(f"{place}: {value} is no number of JSON")
    elif value_type is not int and value_type is not bool and value is not None:
        raise CannotCarryError(f"{place}: JSON has no {value_type.__name__}")


def _check_letters(text: str, place: str) -> None:
    """Raise for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise CannotCarryError(f"{place}: holds half a surrogate pair (U+{ord(text[fault.start]):04X})") from None


PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types whose values, when both are of one of them, are the same as JSON has it when Python says so."""


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal in JSON: 1 is 1.0 but not true."""
    kind = type(left)
    if kind is type(right) and kind in PLAIN:
        return bool(left == right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def is_among(value: Any, others: Iterable[Any]) -> bool:
    """Whether one of the others is the same value in JSON."""
    return any(same(value, other) for other in others)


def differing(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """Return the keys that only one of two objects has, and those whose values are not the same."""
    return [key for key in {**left, **right} if key not in left or key not in right or not same(left[key], right[key])]
