"""One conversation in each of the row formats, to read; what is special about each."""

import json
from typing import Any

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
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "City"},
        "days": {"type": "number", "default": 1},
        "near": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
WEATHER = Tool(name="weather", description="Tells the weather.", parameters=SCHEMA)
OSLO = ToolCall(id="aaaaaaaa1", name="weather", arguments={"city": "Oslo", "days": 1})
ROME = ToolCall(id="aaaaaaaa2", name="weather", arguments={"city": "Rome", "tags": ["a"]})
TALK = Conversation(
    messages=(
        UserMessage(content="Oslo and Rome?"),
        AssistantMessage(tool_calls=(OSLO, ROME)),
        ToolMessage(tool_call_id="aaaaaaaa2", name="weather", content="no such city", is_error=True),
        ToolMessage(tool_call_id="aaaaaaaa1", name="weather", content='{"c":3}'),
        AssistantMessage(content="3 degrees in Oslo."),
    ),
    tools=(WEATHER,),
)
WITH_SYSTEM = Conversation(messages=(SystemMessage(content="Be brief."), *TALK.messages), tools=TALK.tools)


def rendered(name: str, talk: Conversation = TALK) -> Any:
    return json.loads(json.dumps(FORMATS[name].render(talk)))


def test_sharegpt():
    record = rendered("sharegpt", WITH_SYSTEM)
    assert record["system"] == "Be brief."
    assert [(entry["from"], entry["value"]) for entry in record["conversations"]] == [
        ("human", "Oslo and Rome?"),
        (
            "function_call",
            '[{"name":"weather","arguments":{"city":"Oslo","days":1}},{"name":"weather","arguments":{"city":"Rome","tags":["a"]}}]',
        ),
        ("observation", '[{"c":3},"no such city"]'),
        ("gpt", "3 degrees in Oslo."),
    ]
    assert json.loads(record["tools"]) == [
        {"name": "weather", "description": "Tells the weather.", "parameters": SCHEMA}
    ]


def test_a_single_call_of_sharegpt_is_no_list():
    one = Conversation(messages=(TALK.messages[0], AssistantMessage(tool_calls=(OSLO,))), tools=TALK.tools)
    assert (
        rendered("sharegpt", one)["conversations"][1]["value"]
        == '{"name":"weather","arguments":{"city":"Oslo","days":1}}'
    )


@pytest.mark.parametrize(
    ("system", "answer", "reason"),
    [
        ("x", 'So: <tool_call>{"name": "f", "arguments": {}}</tool_call>', "looks like calls"),
        ('<tools>[{"name": "f"}]</tools>', "Yes.", "looks like a list of tools"),
    ],
)
def test_what_sharegpt_would_read_as_something_else_is_refused(system: str, answer: str, reason: str):
    said = (SystemMessage(content=system), UserMessage(content="Hi"), AssistantMessage(content=answer))
    with pytest.raises(CannotCarryError, match=reason):
        rendered("sharegpt", Conversation(messages=said))


def test_anthropic():
    following = UserMessage(content="Thanks. And Lima?")
    talk = Conversation(messages=(*WITH_SYSTEM.messages[:5], following, WITH_SYSTEM.messages[-1]), tools=TALK.tools)
    assert rendered("anthropic", talk) == {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Oslo and Rome?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "aaaaaaaa1", "name": "weather", "input": {"city": "Oslo", "days": 1}},
                    {
                        "type": "tool_use",
                        "id": "aaaaaaaa2",
                        "name": "weather",
                        "input": {"city": "Rome", "tags": ["a"]},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "aaaaaaaa1", "content": '{"c":3}'},
                    {"type": "tool_result", "tool_use_id": "aaaaaaaa2", "content": "no such city", "is_error": True},
                    {"type": "text", "text": "Thanks. And Lima?"},
                ],
            },
            {"role": "assistant", "content": "3 degrees in Oslo."},
        ],
        "tools": [{"name": "weather", "description": "Tells the weather.", "input_schema": SCHEMA}],
    }


def test_gemini():
    record = rendered("gemini", WITH_SYSTEM)
    assert record["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert record["contents"][2] == {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "aaaaaaaa1", "name": "weather", "response": {"output": {"c": 3}}}},
            {"functionResponse": {"id": "aaaaaaaa2", "name": "weather", "response": {"error": "no such city"}}},
        ],
    }
    assert record["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"] == SCHEMA


def test_mistral():
    record = rendered("mistral")
    assert record["messages"][1] == {
        "role": "assistant",
        "tool_calls": [
            {"id": "aaaaaaaa1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo","days":1}'}},
            {"id": "aaaaaaaa2", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome","tags":["a"]}'}},
        ],
    }  # fmt: skip
    beside = Conversation(messages=(TALK.messages[0], AssistantMessage(content="So.", tool_calls=(OSLO,))))
    with pytest.raises(CannotCarryError, match="text beside calls"):
        rendered("mistral", beside)
    assert rendered("mistral-v13", beside)["messages"][1]["content"] == "So."


def test_xlam():
    record = rendered("xlam")
    assert record["query"] == "Oslo and Rome?"
    assert json.loads(record["answers"]) == [
        {"name": "weather", "arguments": {"city": "Oslo", "days": 1}},
        {"name": "weather", "arguments": {"city": "Rome", "tags": ["a"]}},
    ]
    assert json.loads(record["tools"])[0]["parameters"] == {
        "city": {"type": "str", "description": "City"},
        "days": {"type": "float, optional", "description": "", "default": 1},
        "near": {"type": "Optional[str], optional", "description": ""},
        "tags": {"type": "List[str], optional", "description": ""},
    }
    with pytest.raises(CannotCarryError, match="a system message"):
        rendered("xlam", WITH_SYSTEM)


def test_bfcl():
    record = rendered("bfcl", WITH_SYSTEM)
    assert record["id"].rpartition("_")[0] == "parallel"
    assert [message["role"] for message in record["question"][0]] == ["system", "user"]
    assert record["ground_truth"] == [
        {"weather": {"city": ["Oslo"], "days": [1, ""]}},
        {"weather": {"city": ["Rome"], "tags": [["a"]], "days": ["", 1]}},
    ]
    properties = record["function"][0]["parameters"]["properties"]
    assert [part["type"] for part in properties.values()] == ["string", "float", "string", "array"]
    assert record["function"][0]["parameters"]["type"] == "dict"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"city": "Oslo", "near": None}, "a null"),
        ({"city": "Oslo", "other": 1}, "no parameter"),
        ({"city": "Oslo", "days": 2**63 - 1}, "no float is equal to"),
    ],
)
def test_what_bfcl_could_never_accept_is_refused(arguments: dict[str, Any], reason: str):
    call = AssistantMessage(tool_calls=(ToolCall(id="aaaaaaaa1", name="weather", arguments=arguments),))
    with pytest.raises(CannotCarryError, match=reason):
        rendered("bfcl", Conversation(messages=(TALK.messages[0], call), tools=TALK.tools))


def test_alpaca():
    record = rendered("alpaca-mistral", WITH_SYSTEM)
    assert (record["instruction"], record["input"], record["system"]) == ("Oslo and Rome?", "", "Be brief.")
    assert [call["name"] for call in json.loads(record["output"])] == ["weather", "weather"]
    words = Conversation(messages=(TALK.messages[0], AssistantMessage(content=record["output"])))
    with pytest.raises(CannotCarryError, match="looks like calls"):
        rendered("alpaca", words)
    with pytest.raises(CannotCarryError, match="calls: qwen or llama3 or mistral"):
        rendered("alpaca", WITH_SYSTEM)


def test_axolotl():
    record = rendered("axolotl")
    assert isinstance(record["tools"], str)
    assert [message.get("training") for message in record["messages"]] == [None, True, None, None, True]
    assert record["messages"][1]["content"] == ""


def test_trl():
    record = rendered("trl")
    assert record["messages"][1]["content"] == ""
    assert record["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"city": "Oslo", "days": 1}
    completion = rendered("trl-prompt_completion")
    assert (len(completion["prompt"]), len(completion["completion"])) == (1, 4)


def test_deepfabric_strings():
    record = rendered("deepfabric-string")
    assert record["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"city":"Oslo","days":1}'
    assert "name" not in record["messages"][2]
    assert FORMATS["deepfabric-string"].parse(FORMATS["deepfabric"].render(TALK)).messages[1] == TALK.messages[1]
