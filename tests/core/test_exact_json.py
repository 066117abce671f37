"""JSON out and in again: equal to the last digit, or refused by name."""

import json
import math

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generator.core.errors import CannotCarryError, FormatError
from generator.core.exact_json import read_exactly, write_exactly

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
WHOLE = st.integers() | st.integers(-(2**70), 2**70) | st.integers(10**30, 10**31)
VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def alike(left: object, right: object) -> bool:
    """Equal, and of the same types all through."""
    return repr(left) == repr(right)


@given(VALUES)
@example({"a": 2**64, "b": -(2**63) - 1, "c": "é\u2028", "d": None})
def test_what_is_written_is_read_again(value: object):
    line = write_exactly(value)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert alike(read_exactly(line), value)


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_however_it_is_written(value: object, ascii_only: bool, indent: object):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert alike(read_exactly(text.encode()), value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a": 1, "b": {"c": [{"x": 1, "y": 2, "x": 1}]}}',
        '{"a":1,"\\u0061":2}',
        '{"a":"\\u0022","a":"\\u0022\\u0022"}',
        '{"a":1,"a":"\\u0022\\u0022"}',
        '{"":1,"":1}',
        '[{"a":[],"a":{}}]',
        '{"a":123456789012345678901,"a":1}',
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "  \n"])
def test_a_key_that_stands_twice_is_refused(text: str, end: str):
    with pytest.raises(FormatError, match=r"the key .* stands in one object twice"):
        read_exactly((text + end).encode())


@given(st.lists(st.tuples(TEXT, VALUES), max_size=6))
def test_keys_that_differ_are_never_refused(pairs: list[tuple[str, object]]):
    text = "{" + ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs) + "}"
    if len({key for key, _ in pairs}) == len(pairs):
        assert alike(read_exactly(text.encode()), dict(pairs))
    else:
        with pytest.raises(FormatError, match="twice"):
            read_exactly(text.encode())


@pytest.mark.parametrize("text", ["", "{", "[1,]", "NaN", '{"a":Infinity}', "1e999", '"\\ud800"', "\xff", "[" * 3000])
def test_what_is_no_json_is_refused(text: str):
    with pytest.raises(FormatError, match=r"^not JSON: "):
        read_exactly(text.encode("latin-1"))


BIG = 10**400 + 1


@given(VALUES)
@example({"a": "é\u2028", "b": 1.5})
def test_whole_numbers_above_the_greatest_float_are_read_exactly(value: object):
    for whole in (BIG, -BIG, [BIG, value], {"a": value, "b": [BIG]}):
        assert alike(read_exactly(json.dumps(whole).encode()), whole)
        assert alike(read_exactly(write_exactly(whole)), whole)


@pytest.mark.parametrize(
    "text",
    [
        f"[{BIG}",
        f"[{BIG},]",
        f"[{BIG},NaN]",
        f"[{BIG},-Infinity]",
        f"[{BIG},1e999]",
        f"[{BIG},-1e999]",
        f"[{BIG}.5]",
        f'[{BIG},"\\ud800"]',
        f'{{"\\ud800":{BIG}}}',
        f'[{BIG},"\t"]',
        f"[0{BIG}]",
    ],
)
def test_what_is_no_json_beside_a_big_number_is_refused(text: str):
    with pytest.raises(FormatError, match=r"^not JSON: "):
        read_exactly(text.encode())


def test_a_key_that_stands_twice_beside_a_big_number_is_refused():
    with pytest.raises(FormatError, match="twice"):
        read_exactly(f'{{"a":{BIG},"a":1}}'.encode())


def test_what_cannot_be_read_exactly_is_refused_by_name():
    with pytest.raises(FormatError, match="thousands of digits"):
        read_exactly(b"[" + b"9" * 5000 + b"]")
    with pytest.raises(FormatError, match="nested too deep"):
        read_exactly(b"[" * 1020 + b"1" + b"]" * 1020)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [1, math.nan]}, r"^\$/a/1: nan is no number of JSON"),
        ({"a": {"b": math.inf}}, r"^\$/a/b: inf is no number of JSON"),
        ([2**70, -math.inf], r"^\$/1: -inf is no number of JSON"),
        ({"a": "x\ud800y"}, r"^\$/a: holds half a surrogate pair \(U\+D800\)"),
        ({"\udfff": 1}, r"^\$: holds half a surrogate pair \(U\+DFFF\)"),
        ({"a": {1, 2}}, r"^\$/a: JSON has no set"),
        ({1: 2}, r"^\$: has a key that is no text \(1\)"),
        ([10**5000], "thousands of digits"),
    ],
)
def test_what_json_cannot_say_is_refused_by_name(value: object, words: str):
    with pytest.raises(CannotCarryError, match=words):
        write_exactly(value)


def test_what_is_nested_too_deep_to_write_is_refused():
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(CannotCarryError, match="nested too deep"):
        write_exactly(value)


def test_an_assistant_that_only_calls_says_null():
    record = {"messages": [{"role": "assistant", "content": None}, {"role": "user", "content": "null"}]}
    assert orjson.loads(write_exactly(record)) == record
