"""Nothing that a schema names is ever fetched, whatever reads the schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Command, command
from hostile.canaries import Canaries

from generator.core.errors import SchemaError
from generator.tools.specs import load_toolbox


def schemas(address: str) -> dict[str, dict[str, Any]]:
    """Ways in which a schema names a document."""
    text = {"type": "string"}
    return {
        "$schema": {"$schema": address, "type": "object", "properties": {"a": text}},
        "nested $schema": {"type": "object", "properties": {"a": {"$schema": address, **text}}},
        "nested $schema and $id": {"type": "object", "properties": {"a": {"$id": "urn:x", "$schema": address, **text}}},
        "$schema of a definition": {"type": "object", "properties": {"a": text}, "$defs": {"b": {"$schema": address}}},
        "$ref": {"type": "object", "properties": {"a": {"$ref": address}}},
        "$dynamicRef": {"type": "object", "properties": {"a": {"$dynamicRef": address}}},
        "$id base": {"$id": address, "type": "object", "properties": {"a": {"$ref": "b.json"}}},
        "nested $id base": {"type": "object", "properties": {"a": {"$id": address, "$ref": "b.json"}}},
        "$ref in anyOf": {"type": "object", "properties": {"a": {"anyOf": [text, {"$ref": address}]}}},
        "$ref in not": {"type": "object", "properties": {"a": {"not": {"$ref": address}}}},
    }


WAYS = tuple(schemas(""))
PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}


def tool(part: str, schema: dict[str, Any]) -> dict[str, Any]:
    wanted = {"parameters": PLAIN, "returns": PLAIN} | {part: schema}
    function = {"name": "find", "description": "Find.", "parameters": wanted["parameters"]}
    return {"type": "function", "function": function, "returns": wanted["returns"], "examples": {"a": ["x"]}}


@pytest.fixture
def canaries(tmp_path: Path):
    with Canaries(tmp_path) as watching:
        yield watching


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


@pytest.mark.parametrize("part", ["parameters", "returns"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["http", "file"])
def test_a_tool_that_names_a_document_is_refused_and_nothing_fetched(
    tmp_path: Path, cli: Command, canaries: Canaries, kind: str, way: str, part: str
):
    address = getattr(canaries, kind)
    (tmp_path / "t.json").write_text(json.dumps([tool(part, schemas(address)[way])]))
    (tmp_path / "r.yaml").write_text("name: r\nrows: 2\ntools: [t.json]\nscenarios: [single]\nformats: [openai]\n")
    ran = cli("run", tmp_path / "r.yaml", "--out", tmp_path / "o", "--executor", "serial")
    assert ran.code == 2, ran
    assert "t.json:1: " in ran.err
    assert len(ran.err) < 2000
    canaries.__exit__(None, None, None)
    assert canaries.touched == set()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["http", "file"])
def test_rows_with_such_a_tool_are_read_without_fetching(
    tmp_path: Path, cli: Command, canaries: Canaries, kind: str, way: str
):
    function = {"name": "find", "description": "Find.", "parameters": schemas(getattr(canaries, kind))[way]}
    call = {"id": "abcdefgh1", "type": "function", "function": {"name": "find", "arguments": '{"a": "x"}'}}
    row = {
        "messages": [
            {"role": "user", "content": "Find x."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "abcdefgh1", "content": "{}"},
            {"role": "assistant", "content": "Done."},
        ],
        "tools": [{"type": "function", "function": function}],
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    assert cli("validate", "--format", "openai", tmp_path / "rows.jsonl").code in (0, 1)
    for target in ("deepfabric", "xlam", "hermes", "bfcl", "gemini"):
        converted = cli("convert", tmp_path / "rows.jsonl", tmp_path / target, "--from", "openai", "--to", target)
        assert converted.code in (0, 1), converted.err
    assert cli("show", tmp_path / "rows.jsonl").code == 0
    canaries.__exit__(None, None, None)
    assert canaries.touched == set()


def test_an_unknown_dialect_is_named_with_its_place(tmp_path: Path):
    (tmp_path / "t.json").write_text(
        json.dumps([tool("returns", schemas("http://example.com/mine")["nested $schema"])])
    )
    words = r't\.json:1: find: returns: /properties/a/\$schema: the dialect "http://example\.com/mine" is not handled'
    with pytest.raises(SchemaError, match=words):
        load_toolbox([tmp_path / "t.json"])


def test_a_property_may_be_called_schema(tmp_path: Path):
    parameters = {"type": "object", "properties": {"$schema": {"type": "string", "default": {"$schema": "mine"}}}}
    (tmp_path / "t.json").write_text(json.dumps([tool("returns", parameters)]))
    assert list(load_toolbox([tmp_path / "t.json"])) == ["find"]
