"""Every limit of every profile, one tool just inside and one just outside."""

import pytest

from generator.core.conversation import Tool
from generator.core.profiles import PROFILES, arguments_excess, check_result, check_tool, tools_excess


def tool(name="roll", description="Roll dice.", **parameters) -> Tool:
    return Tool(name=name, description=description, parameters={"type": "object", "properties": {}, **parameters})


def properties(count: int) -> dict:
    return {f"p{number}": {"type": "string"} for number in range(count)}


def enum(count: int) -> dict:
    return {"properties": {"a": {"type": "array", "items": {"enum": list(range(count))}}}}


CASES = [
    # the data model's document, tables "Validation Rules Summary", "Size Limits" and "Type Constraints"
    ("character", tool("a" * 50), tool("a" * 51), "InvalidName"),
    ("character", tool("a_1"), tool("_a"), "InvalidName"),
    ("character", tool("A"), tool("a.b"), "InvalidName"),
    ("character", tool("A"), tool("a\n"), "InvalidName"),
    ("character", tool("A"), tool(""), "InvalidName"),
    ("character", tool(description="x" * 199), tool(description="x" * 200), "ValueError"),
    ("character", tool(description="x"), tool(description=" "), "ValueError"),
    ("character", tool(description="x"), tool(description=None), "ValueError"),
    ("character", tool(properties=properties(10)), tool(properties=properties(11)), "ValidationError"),
    ("character", tool(**enum(10)), tool(**enum(11)), "ValidationError"),
    ("character", tool(), tool(properties={"a": {"$ref": "#/$defs/x"}}), "ValidationError"),
    (
        "character",
        tool(properties={"$ref": {"type": "string"}}),
        tool(properties={"a": {"$ref": "#"}}),
        "ValidationError",
    ),
    ("character", Tool(name="a", description="x"), tool(type="array"), "ValidationError"),
    ("openai", tool("a-1"), tool("a.b"), "InvalidName"),
    ("openai", tool("a" * 64), tool("a" * 65), "InvalidName"),
    ("openai", tool(description="x" * 1024), tool(description="x" * 1025), "ValueError"),
    ("openai", tool(), tool(oneOf=[{}]), "ValidationError"),
    ("openai", tool(), Tool(name="a", parameters={"properties": {}}), "ValidationError"),
    ("mistral", tool("a" * 64), tool("a" * 65), "InvalidName"),
    ("mistral", tool(**{"$defs": {"a": {}}}), tool(properties={"a": {"items": {"type": 3}}}), "ValidationError"),
    ("anthropic", tool("a" * 128), tool("a" * 129), "InvalidName"),
    ("anthropic", tool(properties={"a.b": {}}), tool(properties={"a b": {}}), "ValidationError"),
    ("anthropic", tool(), tool(anyOf=[{}]), "ValidationError"),
    ("gemini", tool("_a:b.c-d"), tool("1a"), "InvalidName"),
    ("gemini", tool("a" * 64), tool("a" * 65), "InvalidName"),
    ("gemini", tool(), tool(description=""), "ValueError"),
]


@pytest.mark.parametrize(("profile", "inside", "outside", "error"), CASES)
def test_limits_of_one_tool(profile, inside, outside, error):
    assert list(check_tool(inside, PROFILES[profile])) == []
    assert error in [excess.error for excess in check_tool(outside, PROFILES[profile])]


@pytest.mark.parametrize(("profile", "most"), [("character", 10), ("openai", 128), ("gemini", 512)])
def test_number_of_tools(profile, most):
    many = [tool(f"t{number}") for number in range(most + 1)]
    assert list(tools_excess(many[:most], PROFILES[profile])) == []
    ((index, excess),) = tools_excess(many, PROFILES[profile])
    assert (index, excess.error) == (most, "ValueError")


def test_a_name_that_stands_twice():
    ((index, excess),) = tools_excess([tool(), tool()], PROFILES["character"])
    assert (index, excess.error) == (1, "DuplicateName")


def test_sizes_of_arguments_and_results():
    character = PROFILES["character"]
    assert list(arguments_excess({"a": "x" * 2038}, character)) == []
    assert [excess.error for excess in arguments_excess({"a": "x" * 2041}, character)] == ["ValueError"]
    assert [excess.error for excess in arguments_excess({"a": "é" * 1030}, character)] == ["ValueError"]
    assert list(check_result("x" * 999, character)) == []
    assert [excess.field for excess in check_result("x" * 1000, character)] == ["content"]
    assert [excess.field for excess in check_result("é" * 600, character)] == ["content"]
    assert list(check_result("x" * 10**6, PROFILES["openai"])) == []
