"""The exact shape of OpenAI fine-tuning records, and what is found in other people's."""

import copy

import pytest

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.rows.openai import FORMAT, read, render


def conversation(tools=("get_time",), calls=2):
    return Conversation(
        messages=(
            UserMessage(content="What time is it?"),
            AssistantMessage(
                tool_calls=tuple(
                    ToolCall(id=f"call0000{i}", name=tools[0], arguments={"city": "Zürich", "n": i})
                    for i in range(calls)
                )
            ),
            *(ToolMessage(tool_call_id=f"call0000{i}", name=tools[0], content="15:30") for i in range(calls)),
            AssistantMessage(content="Half past three."),
        ),
        tools=tuple(Tool(name=name) for name in tools),
    )


def call(number):
    function = {"name": "get_time", "arguments": f'{{"city":"Zürich","n":{number}}}'}
    return {"id": f"call0000{number}", "type": "function", "function": function}


RECORD = {
    "messages": [
        {"role": "user", "content": "What time is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call(0), call(1)]},
        {"role": "tool", "tool_call_id": "call00000", "content": "15:30"},
        {"role": "tool", "tool_call_id": "call00001", "content": "15:30"},
        {"role": "assistant", "content": "Half past three."},
    ],
    "tools": [{"type": "function", "function": {"name": "get_time"}}],
    "parallel_tool_calls": True,
}


def test_a_whole_record():
    assert render(conversation()) == RECORD


def test_parallel_tool_calls_is_false_when_no_message_makes_several():
    assert render(conversation(calls=1))["parallel_tool_calls"] is False


def test_without_tools_nothing_is_said_about_them():
    assert list(render(Conversation(messages=(UserMessage(content="Hi"),)))) == ["messages"]


@pytest.mark.parametrize("name", ["", "two words", "math.sqrt", "x" * 65, "zürich", "trailing\n"])
def test_a_tool_name_that_openai_refuses_is_refused(name):
    with pytest.raises(CannotCarryError, match=r"^\$\.messages\[1\]\.tool_calls\[0\]\.function\.name: "):
        render(conversation(tools=(name,)))
    with pytest.raises(CannotCarryError, match=r"^\$\.tools\[1\]\.function\.name: "):
        render(conversation(tools=("get_time", name)))


def put(*steps_and_value):
    """RECORD with a value put at a place."""
    *steps, last, value = steps_and_value
    record = copy.deepcopy(RECORD)
    holder = record
    for step in steps:
        holder = holder[step]
    holder[last] = value
    return record


FIRST_CALL = ("messages", 1, "tool_calls", 0)


@pytest.mark.parametrize(
    ("record", "code", "path"),
    [
        (put(*FIRST_CALL, "function", "arguments", {"city": "Oslo"}), "OA101", "{call}.function.arguments"),
        (put(*FIRST_CALL, "function", "arguments", "{'city': 1}"), "OA101", "{call}.function.arguments"),
        (put(*FIRST_CALL, "function", "arguments", "[]"), "OA101", "{call}.function.arguments"),
        (put(*FIRST_CALL, "function", "arguments", ""), "OA101", "{call}.function.arguments"),
        (put(*FIRST_CALL, "id", ""), "OA102", "{call}.id"),
        (put(*FIRST_CALL, "id", None), "OA102", "{call}.id"),
        (put(*FIRST_CALL, "function", "name", "a b"), "OA103", "{call}.function.name"),
        (put("tools", 0, "function", "name", "a.b"), "OA103", "$.tools[0].function.name"),
        (put("parallel_tool_calls", "yes"), "OA104", "$.parallel_tool_calls"),
        (put("parallel_tool_calls", False), "OA104", "$.parallel_tool_calls"),
    ],
)
def test_faults_of_the_encoding_are_found_where_they_are(record, code, path):
    path = path.format(call="$.messages[1].tool_calls[0]")
    _, faults = read(record)
    assert [(fault.rule, fault.path) for fault in faults] == [(code, path)]
    with pytest.raises(FormatError) as refusal:
        FORMAT.parse(record)
    assert str(refusal.value).startswith(f"{path}: ")


def test_the_developer_is_read_as_the_system_and_text_parts_as_text():
    record = {
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]},
            {"role": "assistant", "content": "Hi", "weight": 1},
        ]
    }
    assert FORMAT.parse(record).messages == (
        SystemMessage(content="Be brief."),
        UserMessage(content="Hel\nlo"),
        AssistantMessage(content="Hi"),
    )


def test_content_of_another_kind_is_no_conversation():
    record = put("messages", 0, "content", [{"type": "image_url", "image_url": {"url": "x"}}])
    with pytest.raises(FormatError, match=r"^\$\.messages\[0\]\.content: "):
        FORMAT.parse(record)
