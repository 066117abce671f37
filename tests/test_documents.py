"""Files become values; faults come with file, line and reason."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.core.documents import nearest, parse_json, parse_yaml, read_document, read_lines
from generator.core.errors import SpecError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("power: [on, off, yes, no]", ["on", "off", "yes", "no"]),
        ("a: [true, False]", [True, False]),
        ("a: 2026-03-14", "2026-03-14"),
        ("a: [1, -2, 007, 1.5, 1e3, 0x10]", [1, -2, "007", 1.5, 1000.0, "0x10"]),
        ("a: [null, ~]", [None, None]),
        ("a: 12:30", "12:30"),
    ],
)
def test_yaml_means_what_yaml_1_2_says(text: str, value: object) -> None:
    assert next(iter(parse_yaml(text, "f.yaml", SpecError).values())) == value


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "second time"),
        ("a:\n  - [1, 2\n", 3, "not valid YAML"),
        ("a: 1\n? [x]\n: 2\n", 2, "plain text"),
        ("a: !!python/object:os.system x\n", 1, "not valid YAML"),
        ("a: \x00\n", 1, "not valid YAML"),
        ("a: 1\nb: !!bool maybe\n", 2, "'maybe' is not of the kind that its tag !!bool names"),
        ('a: 1\nb: !!int ""\n', 2, "!!int"),
        ("a: !!int true\n", 1, "!!int"),
        ("a: !!float x\n", 1, "!!float"),
        ("a: !!null x\n", 1, "!!null"),
        ("a: !!timestamp x\n", 1, "the tag '!!timestamp' is not handled"),
        ("a: !!timestamp 2026-01-01\n", 1, "the tag '!!timestamp' is not handled"),
        ("a: !!map [1]\n", 1, "the tag '!!map' is not handled"),
        ("a: !!seq {}\n", 1, "the tag '!!seq' is not handled"),
        ("a: !!binary =\n", 1, "not handled"),
        ("a: !!set {x}\n", 1, "not handled"),
        ("a: !!map x\n", 1, "!!map"),
        ("a: !mine x\n", 1, "the tag '!mine' is not handled"),
        ("a: 1\nb: " + "9" * 5000, 2, "a number of 5,000 digits is not handled"),
        ("a: 1\nb: 1e999", 2, "too large"),
        ("a: 1\n---\nb: 2\n", 2, "a second document"),
        ("a: *b\n", 1, "no anchor &b"),
        ("a: &p {b: *p}\n", 1, "has no end"),
        ("- &p\n- x\n- &q\n  - [*q]\n", 4, "has no end"),
    ],
)
def test_bad_yaml_is_told_with_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(SpecError, match=why) as fault:
        parse_yaml(text, "f.yaml", SpecError)
    assert str(fault.value).startswith(f"f.yaml:{line}: ")


DEEP = {
    "comments": "name: r\nx:\n" + "  [ #]\n" * 30_000,
    "quoted brackets": "x:\n" + "  ['],\n" * 30_000,
    "mappings": "x:\n" + "  {a: #}\n" * 30_000,
    "lists": "[" * 100_000,
    "dashes": "- " * 50_000,
    "keys": "? " * 50_000,
    "indented": "\n".join(" " * depth + "a:" for depth in range(3000)),
    "aliases": "\n".join(["- &a0 [x]"] + [f"- &a{depth} [*a{depth - 1}]" for depth in range(1, 3000)]),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_text_that_is_nested_too_deep_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"f\.yaml:\d+: not valid YAML"):
        parse_yaml(DEEP[name], "f.yaml", SpecError)
    path = tmp_path / "deep.yaml"
    path.write_text(DEEP[name])
    command = [sys.executable, "-c", f"import generator.core.documents as d; d._lines_of(open({str(path)!r}).read())"]
    assert subprocess.run(command, cwd=Path(__file__).parents[1], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "value"), [("!!str 5", "5"), ("! 5", "5"), ("!!int 5", 5), ("!!float 5", 5), ("!!seq [1]", [1])]
)
def test_a_tag_that_fits_is_allowed(text: str, value: object) -> None:
    assert parse_yaml(text, "f.yaml", SpecError) == value


@given(text=st.text(st.sampled_from("ab:-[]{}#'\"*&!?,| \n1.~"), max_size=60))
def test_any_text_is_a_value_or_a_fault(text: str) -> None:
    """The value has the shape that PyYAML's own loader finds."""
    with contextlib.suppress(SpecError):
        value = parse_yaml(text, "f.yaml", SpecError)
        json.dumps(value)
        assert _shape(value) == _shape(yaml.load(text, yaml.CBaseLoader))


def _shape(value: object) -> object:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return None if parts is None else (type(value), [_shape(part) for part in parts])


def test_a_small_file_that_stands_for_billions_of_values_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(SpecError, match="aliases"):
        parse_yaml("\n".join(lines), "bomb.yaml", SpecError)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1', "f.json:1"),
        ("[" * 100_000, "too deep"),
        ("[" * 300 + "]" * 300, "too deep"),
        ("[1e999]", "too large"),
    ],
)
def test_bad_json_is_told(text: str, why: str) -> None:
    with pytest.raises(SpecError, match=why):
        parse_json(text, "f.json", SpecError)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "pipe", "link"])
@pytest.mark.parametrize("read", [read_document, lambda *given: list(read_lines(*given))])
def test_what_has_no_end_is_refused(tmp_path: Path, name: str, read: Callable[..., object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(SpecError, match="this is a device or a pipe; a file is expected"):
        read(tmp_path / name, SpecError)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(SpecError, match=r"has more than 67,108,864 bytes, and these are the most"):
        read_document(path, SpecError)


def test_every_line_of_jsonl_is_a_document_that_knows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "tools.jsonl"
    path.write_text('{"a": 1}\n\n{"b": {"c": 2}}\n', encoding="utf-8")
    documents = list(read_lines(path, SpecError))
    assert [document.value for document in documents] == [{"a": 1}, {"b": {"c": 2}}]
    assert documents[1].where(("b", "c")) == f"{path}:3"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a: \xff"])
def test_a_file_that_is_not_text_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(SpecError, match="UTF-8"):
        read_document(path, SpecError)


def test_a_missing_file_names_its_nearest_neighbour(tmp_path: Path) -> None:
    (tmp_path / "weather.yaml").write_text("a: 1", encoding="utf-8")
    with pytest.raises(SpecError, match=r"did you mean .*weather\.yaml"):
        read_document(tmp_path / "wether.yaml", SpecError)


def test_the_nearest_name_or_all_of_them() -> None:
    assert nearest("paralel", ["parallel", "single"]) == ' (did you mean "parallel"?)'
    assert nearest("zzz", ["parallel", "single"]) == " (known: parallel, single)"
