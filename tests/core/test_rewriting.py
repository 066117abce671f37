"""Parameters are rewritten for providers until they take them, and what is changed is counted."""

from typing import Any

import jsonschema_rs
import pytest
from google.genai import types
from openai.lib._pydantic import _ensure_strict_json_schema

from generator.core.conversation import Tool
from generator.core.errors import SchemaError
from generator.core.profiles import PROFILES, check_tool, rewritten

HARD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "unit": {"const": "C"},
        "city": {"type": "string", "minLength": 2, "description": "City"},
        "days": {"type": ["integer", "null"], "default": 3, "minimum": 1},
        "place": {"$ref": "#/$defs/Place"},
        "when": {"oneOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "level": {"enum": [1, 2]},
        "both": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "required": ["city"],
    "propertyNames": {"pattern": "^[a-z]+$"},
    "$defs": {"Place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]}},
}
REWRITTEN = [name for name, profile in PROFILES.items() if profile.keywords]


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_is_rewritten_is_taken_and_stays(name: str):
    found, made = rewritten(HARD, PROFILES[name])
    assert made
    assert not list(check_tool(Tool(name="f", description="It does.", parameters=found), PROFILES[name]))
    assert rewritten(found, PROFILES[name]) == (found, {})


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_is_not_rewritten_is_an_excess_that_says_so(name: str):
    told = [
        str(excess) for excess in check_tool(Tool(name="f", description="It does.", parameters=HARD), PROFILES[name])
    ]
    assert len(told) == len(rewritten(HARD, PROFILES[name])[1])
    assert all("--rewrite" in one for one in told)


def test_openai_strict_is_what_its_own_library_makes_and_takes():
    found, made = rewritten(HARD, PROFILES["openai_strict"])
    assert _ensure_strict_json_schema(found, path=(), root=found) == rewritten(HARD, PROFILES["openai_strict"])[0]
    assert found["required"] == list(HARD["properties"])
    assert made["optional as null"] == 7
    properties = found["properties"]
    assert properties["unit"] == {"anyOf": [{"const": "C"}, {"type": "null"}]}
    assert properties["both"]["required"] == ["a"]
    assert properties["city"]["description"] == "City (minLength: 2)"
    assert properties["place"] == {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]}
    assert properties["days"]["type"] == ["integer", "null"]
    assert found["$defs"]["Place"]["additionalProperties"] is False
    values = {
        "city": "Oslo",
        "unit": "C",
        "days": None,
        "place": {"lat": 1.5},
        "when": None,
        "level": 1,
        "both": None,
        "tags": [],
    }
    jsonschema_rs.validator_for(found).validate(values)


def test_gemini_takes_the_fields_of_its_own_type():
    found, made = rewritten(HARD, PROFILES["gemini"])
    types.Schema.model_validate(found)
    properties = found["properties"]
    assert properties["unit"] == {"enum": ["C"]}
    assert properties["days"] == {"type": "integer", "default": 3, "minimum": 1, "nullable": True}
    assert properties["when"] == {"type": "string", "nullable": True, "description": '(format: "date")'}
    assert properties["level"]["description"] == "(one of 1, 2)"
    assert properties["both"]["required"] == ["a"]
    assert properties["place"]["required"] == ["lat"]
    assert made["null as nullable"] == 2


def test_a_schema_that_is_a_part_of_itself_is_refused_where_there_are_no_references():
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    with pytest.raises(SchemaError, match="what it is part of"):
        rewritten(schema, PROFILES["gemini"])
    assert rewritten(schema, PROFILES["anthropic_strict"])[0]["properties"]["next"] == {"$ref": "#"}


@pytest.mark.parametrize("name", ["openai", "anthropic", "mistral", "bedrock"])
def test_profiles_without_a_subset_change_nothing(name: str):
    assert rewritten(HARD, PROFILES[name]) == (HARD, {})
