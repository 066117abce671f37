"""Rows for reinforcement learning: the prompt, and the answer that our rewards and the trainers' own servers take."""

import json
from typing import Any

import msgspec
import pytest
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from pydantic import TypeAdapter

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, ToolMessage, UserMessage
from generator.episodes.rewards import call_reward
from generator.formats import FORMATS
from generator.formats.steps import unrolled

TOOL = Tool(
    name="get_time",
    description="The time.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
OSLO, ROME = (ToolCall(f"call0000{n}", "get_time", {"city": city}) for n, city in ((1, "Oslo"), (2, "Rome")))
TALK = Conversation(
    messages=(
        UserMessage("What time is it in Oslo and Rome?"),
        AssistantMessage(tool_calls=(OSLO, ROME)),
        ToolMessage("call00001", '{"time":"15:30"}', "get_time"),
        ToolMessage("call00002", '{"time":"15:30"}', "get_time"),
        AssistantMessage("Half past three in both."),
    ),
    tools=(TOOL,),
)


def parts(name: str) -> list[dict[str, Any]]:
    fmt = FORMATS[name]
    return [json.loads(json.dumps(fmt.render(part))) for part in unrolled(TALK, fmt)]


@pytest.mark.parametrize("name", ["verl", "nemo_gym"])
def test_a_row_asks_for_each_message_and_our_reward_takes_its_answer(name: str):
    called, said = parts(name)
    answers = [row["answer"] if name == "nemo_gym" else row["reward_model"]["ground_truth"] for row in (called, said)]
    calls = [{"name": "get_time", "arguments": {"city": city}} for city in ("Rome", "Oslo")]
    assert [call_reward(calls, answer) for answer in answers] == [1.0, 0.0]
    assert [call_reward("Half past three.", answer) for answer in answers] == [0.0, 1.0]


def test_verl_gets_a_text_as_ground_truth_and_messages_as_the_prompt():
    called, said = parts("verl")
    assert [message["role"] for message in said["prompt"]] == ["user", "assistant", "tool", "tool"]
    assert called["reward_model"]["style"] == "rule"
    assert json.loads(called["extra_info"]["tools"])[0]["function"]["name"] == "get_time"


def test_nemo_gym_gets_items_of_the_responses_api_and_the_action_that_its_server_compares():
    called, said = parts("nemo_gym")
    assert called["expected_action"]["type"] == "function_call_batch"
    assert [json.loads(one["arguments"]) for one in called["expected_action"]["calls"]] == [
        {"city": "Oslo"},
        {"city": "Rome"},
    ]
    assert said["expected_action"] == {"type": "message", "content": "Half past three in both."}
    items = said["responses_create_params"]["input"]
    assert [item["type"] for item in items] == [
        "message",
        "function_call",
        "function_call",
        *["function_call_output"] * 2,
    ]


@pytest.mark.parametrize(
    ("action", "last"),
    [
        ({"type": "function_call", "name": "get_time", "arguments": '{"city": "Oslo"}'}, {"city": "Oslo"}),
        ({"type": "message", "content": "Which city?"}, None),
    ],
)
def test_rows_of_nemo_gym_with_their_own_action_are_read(action: dict[str, Any], last: dict[str, str] | None):
    asked = {"input": "What time is it?", "tools": [{"type": "function", "name": "get_time", "parameters": {}}]}
    said = FORMATS["nemo_gym"].read({"responses_create_params": asked, "expected_action": action})
    message = said[0]["messages"][-1]
    assert (said[1], message["role"]) == ([], "assistant")
    assert message.get("tool_calls", [{"function": {"arguments": None}}])[0]["function"]["arguments"] == last


def test_the_rollout_of_nemo_gym_is_the_rest_of_the_conversation():
    item = {"type": "function_call", "call_id": "a", "name": "get_time", "arguments": "{}"}
    output = [{"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm"}]}, item]
    row = {"responses_create_params": {"input": [{"role": "user", "content": "?"}]}, "response": {"output": output}}
    plain, faults = FORMATS["nemo_gym"].read(row)
    assert not faults
    assert plain["messages"][-1]["thoughts"] == {"reason": "Hm"}
    assert plain["messages"][-1]["tool_calls"][0]["id"] == "a"


class TestResponses:
    def test_openai_takes_every_item_and_tool(self):
        thinking = msgspec.structs.replace(TALK, messages=(*TALK.messages[:-1], AssistantMessage("Half past three.")))
        record = FORMATS["responses"].render(thinking)
        TypeAdapter(list[ResponseInputItemParam]).validate_python(record["input"], strict=True)
        TypeAdapter(list[FunctionToolParam]).validate_python(record["tools"], strict=True)

    def test_input_and_output_of_a_response_are_one_conversation(self):
        text = [{"type": "output_text", "text": "Half past three.", "annotations": []}]
        record = {
            "instructions": "Be brief.",
            "input": "What time is it?",
            "output": [
                {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "date"},
                {"type": "custom_tool_call_output", "call_id": "c", "output": "15:30"},
                {"type": "message", "role": "assistant", "content": text},
            ],
            "tools": [{"type": "custom", "name": "shell"}],
        }
        plain, faults = FORMATS["responses"].read(record)
        assert not faults
        assert [message["role"] for message in plain["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert plain["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"input": "date"}
        assert plain["tools"][0]["function"]["parameters"]["required"] == ["input"]

    @pytest.mark.parametrize(
        ("items", "tools", "path"),
        [
            ([{"type": "web_search_call", "id": "w"}], [], "$.input[0]"),
            ([{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}], [], "$.input[0]"),
            ([{"type": "function_call", "call_id": "a", "name": "f", "arguments": "{"}], [], "$.input[0].arguments"),
            ([], [{"type": "web_search"}], "$.tools[0]"),
            (3, [], "$.input"),
        ],
    )
    def test_what_no_row_holds_is_refused_by_its_place(self, items: Any, tools: list[Any], path: str):
        faults = FORMATS["responses"].read({"input": items, "tools": tools})[1]
        assert [fault.path for fault in faults] == [path]


class TestSwift:
    def test_a_call_is_a_message_and_marks_stand_on_all(self):
        messages = list(TALK.messages)
        messages[1] = msgspec.structs.replace(messages[1], train=False, content="One moment.")
        record = FORMATS["swift"].render(msgspec.structs.replace(TALK, messages=tuple(messages)))
        assert [(m["role"], m.get("loss")) for m in record["messages"]] == [
            ("user", None),
            ("assistant", False),
            ("tool_call", False),
            ("tool_call", False),
            ("tool_response", None),
            ("tool_response", None),
            ("assistant", True),
        ]
        assert json.loads(record["messages"][2]["content"]) == {"name": "get_time", "arguments": {"city": "Oslo"}}

    def test_calls_and_results_that_others_wrote_are_read(self):
        messages = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "<think>\nHm\n</think>\n\nOne moment."},
            {"role": "function_call", "content": "{'name': 'get_time', 'arguments': {'city': 'Oslo'}}"},
            {"role": "observation", "content": "15:30"},
        ]
        plain, faults = FORMATS["swift"].read({"messages": messages, "tools": "[]"})
        assert not faults
        _, said, result = plain["messages"]
        assert (said["content"], said["thoughts"]) == ("One moment.", {"reason": "Hm"})
        assert result["tool_call_id"] == said["tool_calls"][0]["id"]

    @pytest.mark.parametrize(
        ("messages", "code"),
        [
            ([{"role": "tool_call", "content": "get_time()"}], "SW102"),
            ([{"role": "tool_response", "content": "15:30"}], "SW103"),
        ],
    )
    def test_what_is_no_call_and_what_answers_none_is_a_fault(self, messages: list[dict[str, str]], code: str):
        assert [fault.rule for fault in FORMATS["swift"].read({"messages": messages})[1]] == [code]
