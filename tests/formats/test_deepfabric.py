"""The exact shape of DeepFabric records."""

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
from generator.core.errors import FormatError
from generator.formats.rows.deepfabric import FORMAT, render

CALL = ToolCall(id="callA1b2C", name="check_status", arguments={"target": "server_01"})


def test_a_whole_record():
    conversation = Conversation(
        messages=(
            SystemMessage(content="Be brief."),
            UserMessage(content="Is server 01 up?", name="Ada"),
            AssistantMessage(tool_calls=(CALL,)),
            ToolMessage(tool_call_id="callA1b2C", name="check_status", content='{"status":"online"}'),
            AssistantMessage(content="Yes."),
        ),
        tools=(Tool(name="check_status", description="Is a server up?", parameters={"type": "object"}),),
    )
    assert render(conversation) == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is server 01 up?", "name": "Ada"},
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "callA1b2C",
                        "type": "function",
                        "function": {"name": "check_status", "arguments": {"target": "server_01"}},
                    }
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "callA1b2C",
                "name": "check_status",
                "content": '{"status":"online"}',
            },
            {"role": "assistant", "content": "Yes."},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "check_status",
                    "description": "Is a server up?",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }
    assert FORMAT.parse(render(conversation)) == conversation


def test_keys_that_say_nothing_are_left_out():
    calling = AssistantMessage(content="", tool_calls=(CALL,))
    record = render(Conversation(messages=(UserMessage(content="Hi"), calling)))
    assert list(record) == ["messages"]
    assert list(record["messages"][0]) == ["role", "content"]
    assert list(record["messages"][1]) == ["role", "content", "tool_calls"]


def test_tools_are_the_same_objects_in_every_record():
    tool = Tool(name="check_status")
    first, second = (render(Conversation(messages=(UserMessage(content=text),), tools=(tool,))) for text in "ab")
    assert first["tools"][0] is second["tools"][0]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"messages": [{"role": "user"}]}, r"^\$\.messages\[0\]: .*`content`"),
        ({"messages": [{"role": "human", "content": "Hi"}]}, r"^\$\.messages\[0\]\.role: .*'human'"),
        ({"messages": [{"role": "user", "content": 3}]}, r"^\$\.messages\[0\]\.content: expected `str`, got `int`"),
        ({"messages": [], "tools": [{"type": "function"}]}, r"^\$\.tools\[0\]: .*`function`"),
        ([], r"^\$: expected `object`, got `array`"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(record, message):
    with pytest.raises(FormatError, match=message):
        FORMAT.parse(record)


def test_text_arguments_are_refused():
    call = {"id": "callA1b2C", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    place = r"\$\.messages\[0\]\.tool_calls\[0\]\.function\.arguments"
    with pytest.raises(FormatError, match=f"^{place}: expected `object`, got `str`"):
        FORMAT.parse({"messages": [{"role": "assistant", "tool_calls": [call]}]})
