"""Values that stand without quotes are refused by place and reason where they have no one meaning."""

from typing import Any

import pytest

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS


def called(schema: dict[str, Any], value: Any, **parameters: Any) -> Conversation:
    tool = Tool(name="f", parameters={"type": "object", "properties": {"a": schema}, **parameters})
    call = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", "f", {"a": value}),))
    return Conversation(messages=(UserMessage(content="Please."), call), tools=(tool,))


UNION = {"type": ["integer", "string"]}
OPTIONAL = {"anyOf": [{"type": "integer"}, {"type": "null"}]}


@pytest.mark.parametrize("name", ["qwen3_coder", "glm45"])
@pytest.mark.parametrize(
    ("schema", "value", "reason"),
    [
        ({"type": ["string", "null"]}, None, "takes strings, too"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, "takes strings, too"),
        (UNION, 13, "takes strings, too"),
        (UNION, "13", "reads as another JSON value"),
        ({}, 13, "without a type"),
        ({}, "true", "reads as another JSON value"),
        ({"anyOf": [{"type": "integer"}, {}]}, 13, "without a type"),
        ({"$ref": "#/$defs/n"}, 13, "inline_refs"),
    ],
)
def test_what_may_be_read_in_two_ways_is_refused_by_its_place(
    name: str, schema: dict[str, Any], value: Any, reason: str
):
    place = r"^\$\.messages\[1\]\.tool_calls\[0\]\.function\.arguments\.a: "
    with pytest.raises(CannotCarryError, match=f"{place}.*{reason}"):
        FORMATS[name].render(called(schema, value, **{"$defs": {"n": {"type": "integer"}}}))


@pytest.mark.parametrize("name", ["qwen3_coder", "glm45"])
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (UNION, "thirteen"),
        (OPTIONAL, None),
        (OPTIONAL, 13),
        ({"type": "string"}, "13"),
        ({"type": "string"}, " true "),
        ({}, "low"),
        ({"type": ["object", "null"]}, {"a": None}),
    ],
)
def test_what_reads_in_one_way_is_carried(name: str, schema: dict[str, Any], value: Any):
    fmt, talk = FORMATS[name], called(schema, value)
    (_, said) = fmt.parse(fmt.render(talk)).messages
    assert isinstance(said, AssistantMessage)
    assert said.tool_calls[0].arguments == {"a": value}


def test_the_word_null_is_refused_where_servers_read_it_as_null():
    with pytest.raises(CannotCarryError, match="servers read as null"):
        FORMATS["qwen3_coder"].render(called({"type": "string"}, "NULL"))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, "refers to nothing"),
        (
            {"$defs": {"t": {"properties": {"t": {"$ref": "#/$defs/t"}}}}, "properties": {"a": {"$ref": "#/$defs/t"}}},
            "part of",
        ),
    ],
)
def test_references_that_cannot_be_inlined_are_refused(parameters: dict[str, Any], reason: str):
    talk = Conversation(
        messages=(UserMessage(content="Hi"),), tools=(Tool(name="f", parameters={"type": "object", **parameters}),)
    )
    with pytest.raises(CannotCarryError, match=reason):
        FORMATS["glm45-inline_refs"].render(talk)


def test_what_stands_beside_a_reference_stays_and_data_is_no_reference():
    choice = {"$ref": "#/$defs/c", "minimum": 3, "default": {"$ref": "x"}}
    tool = Tool(
        name="f", parameters={"type": "object", "$defs": {"c": {"type": "integer"}}, "properties": {"$ref": choice}}
    )
    (carried,) = FORMATS["glm45-inline_refs"].carries(Conversation(messages=(), tools=(tool,))).tools
    expected = {"allOf": [{"type": "integer"}], "minimum": 3, "default": {"$ref": "x"}}
    assert carried.parameters == {"type": "object", "properties": {"$ref": expected}}
