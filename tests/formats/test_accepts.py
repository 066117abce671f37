"""Several right answers: they come out of BFCL's files, stand in evaluations and rewards, and go back to BFCL."""

import json
from typing import Any

import pytest
from consumers import bfcl_verdict

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.episodes.rewards import call_reward
from generator.formats import FORMATS
from generator.report.files.losses import lost_between

TRUTH = [
    {
        "find": {
            "dish": ["kimbap", "Korean kimbap"],
            "cuisine": ["Korean", "korean", ""],
            "most": ["", 10],
            "sort": ["", "name"],
        }
    }
]
CASE: dict[str, Any] = {
    "id": "simple_python_1",
    "question": [[{"role": "user", "content": "Find a recipe of kimbap."}]],
    "function": [
        {
            "name": "find",
            "description": "Find recipes.",
            "parameters": {
                "type": "dict",
                "properties": {
                    "dish": {"type": "string"},
                    "cuisine": {"type": "string"},
                    "most": {"type": "integer", "default": 10},
                    "sort": {"type": "string"},
                },
                "required": ["dish"],
            },
        }
    ],
    "ground_truth": TRUTH,
}
ANSWER = FORMATS["eval"].render(FORMATS["bfcl"].parse(CASE))["answer"]


def test_an_evaluation_holds_what_bfcl_accepts():
    (call,) = ANSWER["calls"]
    assert call["arguments"] == {"dish": "kimbap", "cuisine": "Korean"}
    assert call["accepts"] == {"/dish": ["Korean kimbap"], "/cuisine": ["korean", ""], "/sort": ["name"]}
    assert call["may_add"] == {"most": 10}


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ({"dish": "kimbap", "cuisine": "Korean"}, True),
        ({"dish": "Korean kimbap", "cuisine": "korean"}, True),
        ({"dish": "kimbap"}, True),
        ({"dish": "kimbap", "most": 10, "sort": "name"}, True),
        ({"dish": "kimbap", "sort": "date"}, False),
        ({"dish": "rice"}, False),
        ({"cuisine": "Korean"}, False),
    ],
)
def test_the_reward_is_as_bfcl_has_it(arguments: dict[str, Any], right: bool):
    reward = call_reward([{"name": "find", "arguments": arguments}], ANSWER)
    assert (reward == 1.0, bfcl_verdict(CASE, [{"find": arguments}])) == (right, right)


@pytest.mark.parametrize("through", ["bfcl", "eval", "verl", "nemo_gym"])
def test_they_go_there_and_back(through: str):
    talk = FORMATS["bfcl"].parse(CASE)
    again = FORMATS[through].parse(json.loads(json.dumps(FORMATS[through].render(talk))))
    assert FORMATS["bfcl"].render(again)["ground_truth"] == TRUTH


def test_formats_without_a_place_for_them_are_told():
    call = ToolCall("aaaaaaaa1", "find", {"dish": "kimbap"}, {"/dish": ["Korean kimbap"]})
    talk = Conversation((UserMessage("Find it."), AssistantMessage(tool_calls=(call,))), (Tool(name="find"),))
    assert list(lost_between(talk, FORMATS["openai"].carries(talk))) == ["other values that are as right"]
    assert "accepts" not in json.dumps(FORMATS["openai"].render(talk))
