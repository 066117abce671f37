"""Declared structs: what a file may hold is read, all else is told with its place, and the JSON Schema says the same."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET, Meta, Struct, UnsetType

from generator.core.declared import beside, read, schema_of
from generator.core.documents import Document, parse_yaml
from generator.core.errors import SpecError
from generator.core.forms import ABOVE, REQUIRED, REST, UNWRITTEN, Form, Key, Texts


class _Inner(Struct, frozen=True, kw_only=True):
    """Settings of a part."""

    size: Annotated[int, Meta(ge=1, le=9)]
    """How large it is."""
    share: Annotated[float, Meta(gt=0, lt=1)] | None = None
    loud: Annotated[bool, ABOVE] = False
    """How it sounds."""


class _Rest(Struct, frozen=True, kw_only=True):
    """A name with what else is said."""

    name: Annotated[str, Meta(pattern=r"^[a-z]+$")]
    others: Annotated[dict[str, int], REST] = {}


class _Outer(Struct, frozen=True, kw_only=True):
    """Everything that can be declared."""

    inner: _Inner
    names: tuple[Annotated[str, Meta(min_length=1, max_length=2)], ...] = ()
    texts: Texts = ()
    kind: Annotated[Literal["a", "b", 1] | None, Key("from")] = None
    many: Annotated[dict[Literal["x", "y"], list[int]], Meta(min_length=1)] = {}
    either: str | _Rest = ""
    asked: Annotated[str, REQUIRED] = "?"
    maybe: int | UnsetType = UNSET
    double: Annotated[int, Form(type=bool, made=lambda yes: 2 * yes)] = 0
    path: Annotated[Path, UNWRITTEN] = Path()


SCHEMA = schema_of(_Outer)
GOOD: dict[str, Any] = {"inner": {"size": 3}, "asked": "x"}


def _document(text: str) -> Document:
    return Document("f.yaml", text, parse_yaml(text, "f.yaml", SpecError))


def _read(text: str) -> _Outer:
    document = _document(text)
    return read(_Outer, document, document.value, (), SpecError)


def _told(text: str) -> str:
    with pytest.raises(SpecError) as fault:
        _read(text)
    return str(fault.value)


def test_what_is_written_becomes_what_is_held() -> None:
    found = _read(
        "inner: {size: 3, share: 0.5}\nloud: true\nnames: [a]\ntexts: one\nfrom: b\nmany: {x: [1]}\n"
        "either: {name: n, more: 5}\nasked: ''\ndouble: true\n"
    )
    assert found == _Outer(
        inner=_Inner(size=3, share=0.5, loud=True),
        names=("a",),
        texts=("one",),
        kind="b",
        many={"x": [1]},
        either=_Rest(name="n", others={"more": 5}),
        asked="",
        double=2,
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("names: [1]", "names[0]: text is expected, not 1"),
        ("names: [abc]", 'names[0]: at most 2 characters is expected, not "abc"'),
        ("texts: 3", "texts: text, or a list of texts, is expected, not 3"),
        ("from: c", "from: 'a', 'b' or 1 is expected, not \"c\""),
        ("from: true", "from: 'a', 'b' or 1 is expected, not true"),
        ("many: {}", "many: at least 1 entry is expected, not {}"),
        ("many: {z: []}", "many.z: 'x' or 'y' is expected, not \"z\""),
        ("many: {x: [1.5]}", "many.x[0]: a whole number is expected, not 1.5"),
        ("either: 3", "either: text or a mapping is expected, not 3"),
        ("either: {name: N}", 'either.name: text that matches ^[a-z]+$ is expected, not "N"'),
        ("either: {name: n, more: x}", 'either.more: a whole number is expected, not "x"'),
        ("loud: 1", "loud: true or false is expected, not 1"),
        ("maybe:", "maybe: a whole number is expected, not null"),
        ("mabye: 1", 'mabye: unknown key (did you mean "maybe"?)'),
        ("path: x", "path: unknown key"),
        ("5: x", "5: a key of plain text is expected, not 5"),
    ],
)
def test_a_fault_is_told_with_its_place(change: str, told: str) -> None:
    assert f"f.yaml:3: {told}" in _told(f"inner: {{size: 3}}\nasked: x\n{change}\n")


def test_all_faults_are_told_at_once_each_with_its_line() -> None:
    assert _told("inner:\n  size: big\n  sise: 3\nnames: [1]\n").split("\n") == [
        'f.yaml:2: inner.size: a whole number is expected, not "big"',
        'f.yaml:3: inner.sise: unknown key (did you mean "size"?)',
        "f.yaml:4: names[0]: text is expected, not 1",
        "f.yaml:1: asked: this key is missing",
    ]


def test_of_very_many_faults_the_first_ones_are_told() -> None:
    told = _told("inner: {size: 1}\nasked: x\n" + "".join(f"unknown{number}: 1\n" for number in range(5000)))
    assert "f.yaml:3: unknown0: unknown key" in told
    assert told.endswith("and 4,980 more faults")
    assert len(told) < 3000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.sampled_from([0.5, 1.5, "", "a", "b", "abc", "A"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["x", "name", "size"]), inner, max_size=2)
    ),
    max_leaves=4,
)
KEYS = [*SCHEMA["properties"], "share", "unknown"]


@given(
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=3),
    st.fixed_dictionaries({"size": JSON}, optional={"share": JSON}),
)
def test_the_schema_takes_what_is_read(change: dict[str, Any], inner: dict[str, Any]) -> None:
    value = {**GOOD, "inner": inner, **change}
    try:
        read(_Outer, Document("f.yaml", "", value), value, (), SpecError)
        is_read = True
    except SpecError:
        is_read = False
    assert Draft202012Validator(SCHEMA).is_valid(value) == is_read


def test_the_schema_says_what_stands_below_the_fields() -> None:
    assert SCHEMA["properties"]["loud"]["description"] == "How it sounds."
    assert SCHEMA["$defs"]["_Inner"]["properties"]["size"]["description"] == "How large it is."


def test_a_file_stands_beside_the_one_that_names_it(tmp_path: Path) -> None:
    assert beside(tmp_path / "a" / "r.yaml", "x.txt") == tmp_path / "a" / "x.txt"
    (tmp_path / "a").mkdir()
    assert beside(tmp_path / "a" / "r.yaml", "../x.txt") == tmp_path / "x.txt"
