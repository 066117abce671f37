"""Tool lists as people have them: wrapped by providers, cut off, with holes, in several files, with types nobody imports."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.specs.reading import tools, verdicts

from generator.arguments.sources import arguments_schema

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
LOUD = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
TIME = {"name": "get_time", "description": "The time."}


@pytest.mark.parametrize(
    "value",
    [
        {"tools": [{"functionDeclarations": [TIME | {"parameters": LOUD}]}]},
        {"tools": [{"function_declarations": [TIME | {"parameters_json_schema": SCHEMA}]}]},
        [{"functionDeclarations": [TIME | {"parametersJsonSchema": SCHEMA}]}],
        {"functionDeclarations": [TIME | {"parameters": LOUD}]},
        {"toolConfig": {"tools": [{"toolSpec": TIME | {"inputSchema": {"json": SCHEMA}}}]}},
        [{"toolSpec": TIME | {"inputSchema": {"json": SCHEMA}}}],
        {"functions": [TIME | {"parameters": SCHEMA}]},
        {"model": "m", "messages": [], "functions": [TIME | {"parameters": SCHEMA}]},
    ],
)
def test_lists_of_providers_are_read(tmp_path: Path, value: Any):
    (spec,) = tools(tmp_path, value).values()
    assert (spec.tool.name, spec.tool.description, spec.tool.parameters) == ("get_time", "The time.", SCHEMA)


def mcp(*listed: Any, **beside: Any) -> dict[str, Any]:
    return {"tools": [TIME | {"inputSchema": SCHEMA}, *listed], **beside}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (mcp(None), "null stands in the place of a tool"),
        (mcp("get_date"), '"get_date" stands in the place of a tool'),
        (mcp(nextCursor="abc"), "the list is cut off"),
        ({"jsonrpc": "2.0", "id": 1, "result": mcp(nextCursor="abc")}, "the list is cut off"),
    ],
)
def test_what_is_no_tool_or_cut_off_is_told(tmp_path: Path, value: Any, reason: str):
    good, *others = verdicts(tmp_path, value)
    assert good.verdict == "loaded"
    assert [(one.verdict, reason in one.reasons[0]) for one in others] == [("refused", True)]


class TestMapsOfParameters:
    MAP = TIME | {
        "parameters": {"city": {"type": "string", "required": True}, "days": {"type": "integer", "default": 3}}
    }

    def test_one_is_refused_by_name(self, tmp_path: Path):
        (verdict,) = verdicts(tmp_path, [self.MAP])
        assert verdict.verdict == "refused"
        assert "a map of parameters?" in verdict.reasons[0]

    def test_repair_wraps_it_and_a_default_is_no_requirement(self, tmp_path: Path):
        (verdict,) = verdicts(tmp_path, [self.MAP], on_illegal="repair")
        assert verdict.spec is not None
        parameters = verdict.spec.tool.parameters
        assert (verdict.verdict, parameters["required"], list(parameters["properties"])) == (
            "repaired",
            ["city"],
            ["city", "days"],
        )


def test_an_openapi_document_in_several_files_is_one(tmp_path: Path):
    (tmp_path / "paths").mkdir()
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "User.yaml").write_text(
        "type: object\nproperties: {name: {type: string}, of: {$ref: '#'}}\nrequired: [name]\n"
    )
    pets = {
        "get": {
            "operationId": "listPets",
            "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
        },
        "post": {
            "operationId": "addPet",
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "../schemas/User.yaml"}}}},
        },
    }
    (tmp_path / "paths" / "pets.json").write_text(json.dumps(pets))
    whole = {"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {"/pets": {"$ref": "paths/pets.json"}}}
    found = tools(tmp_path, whole)
    assert found["addPet"].tool.parameters["required"] == ["name"]
    assert list(found["listPets"].tool.parameters["properties"]) == ["limit"]


def test_a_file_that_is_not_there_or_outside_is_one_refusal_with_its_path(tmp_path: Path):
    paths = {"/pets": {"$ref": "paths/gone.yaml"}, "/users": {"$ref": "../users.yaml"}}
    found = verdicts(tmp_path, {"openapi": "3.1.0", "paths": paths})
    assert [(one.name, one.verdict) for one in found] == [("/pets", "refused"), ("/users", "refused")]
    assert "paths/gone.yaml" in found[0].reasons[0]


MODULE = '''
from __future__ import annotations
from typing import TYPE_CHECKING, Annotated
from pydantic import Field
if TYPE_CHECKING:
    from decimal import Decimal
    from not_installed_here import Frame

def pay(amount: Decimal, note: Annotated[str, "What for"] = "x") -> str:
    """Pay."""
    return "ok"

def forecast(city: str = Field(description="Name of the city", min_length=2), days: int = Field(3, ge=1)) -> str:
    """Get the forecast."""
    return "ok"

def draw(table: Frame) -> str:
    """Draw."""
    return "ok"
'''


def test_types_that_only_checkers_import_and_what_pydantic_says(tmp_path: Path):
    found = {verdict.name: verdict for verdict in verdicts(tmp_path, MODULE, "module.py")}
    pay, forecast = (found[name].spec.tool.parameters for name in ("pay", "forecast"))
    assert {part["type"] for part in pay["properties"]["amount"]["anyOf"]} == {"number", "string"}
    assert pay["properties"]["note"]["description"] == "What for"
    assert (forecast["required"], forecast["properties"]["city"]["minLength"]) == (["city"], 2)
    assert forecast["properties"]["city"]["description"] == "Name of the city"
    assert "'table' is not known" in found["draw"].reasons[0]


@pytest.mark.parametrize(
    "dialect", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
)
def test_a_schema_that_only_names_its_dialect_takes_objects(dialect: str):
    assert arguments_schema({"$schema": dialect}) == {"$schema": dialect, "type": "object"}
