"""Rewards: right answers are worth 1, whatever they look like, and each fault costs something."""

import copy
import json

import pytest
from consumers import bfcl_verdict, varied_rows
from hypothesis import given
from hypothesis import strategies as st
from nightly import night

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError, FormatError
from generator.episodes.rewards import TEXT_FORMATS, call_reward, call_rewards, judge
from generator.formats import FORMATS
from generator.formats.steps import unrolled

WEATHER = Tool(
    name="get_weather",
    parameters={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "default": 1},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        },
        "required": ["city"],
    },
)


def answer_to(*arguments: dict) -> dict:
    calls = tuple(ToolCall(f"call0000{i}", "get_weather", given) for i, given in enumerate(arguments))
    said = AssistantMessage(tool_calls=calls, content=None if calls else "It is warm.")
    return FORMATS["eval"].render(Conversation((UserMessage(content="Weather?"), said), (WEATHER,)))["answer"]


def calls(*arguments: dict, name: str = "get_weather") -> list[dict]:
    return [{"name": name, "arguments": given} for given in arguments]


@pytest.mark.parametrize(
    ("right", "made"),
    [
        ({"city": "Oslo"}, {"city": "oslo "}),  # free text
        ({"city": "Oslo", "days": 1}, {"city": "Oslo"}),  # has its default
        ({"city": "Oslo"}, {"city": "Oslo", "unit": "C"}),
        ({"city": "Oslo", "days": 2}, {"city": "Oslo", "days": 2.0}),
        ({"city": "Oslo", "tags": ["a", "b"]}, {"city": "Oslo", "tags": ["b", "A"]}),
    ],
)
def test_what_may_differ(right, made):
    assert call_reward(calls(made), answer_to(right)) == 1.0


@pytest.mark.parametrize(
    ("made", "reward"),
    [
        (calls({"city": "Rome", "days": 2}), 0.2 + 0.6 / 2),
        (calls({"city": "Oslo"}), 0.2 + 0.6 / 2),
        (calls({"city": "Oslo", "days": 2, "unit": "F"}), 0.2 + 0.6 * 2 / 3),
        (calls({"city": "Oslo", "days": 2, "colour": "red"}), 0.2 + 0.6 * 2 / 3),
        (calls({"city": "Oslo", "days": True}), 0.2 + 0.6 / 2),
        (calls({"city": "Oslo", "days": 2}, name="get_time"), 0.0),
        (calls({"city": "Oslo", "days": 2}, {"city": "Oslo"}), 0.5),
        ([], 0.0),
        ("It is warm.", 0.0),
        ('<tool_call>\n{"name": "get_weather", "argum', 0.0),
    ],
)
def test_every_fault_costs_something(made, reward):
    found = judge(made, answer_to({"city": "Oslo", "days": 2}))
    assert found.reward == pytest.approx(reward)
    assert not found.exact


def test_where_nothing_should_be_called():
    right = answer_to()
    assert call_reward("It is warm.", right) == call_reward({"role": "assistant", "content": "Yes."}, right) == 1.0
    for wrong in (calls({"city": "Oslo"}), '<tool_call>\n{"name": "get', "[TOOL_CALLS] nonsense"):
        assert call_reward(wrong, right) == 0.0


@given(order=st.permutations(range(4)))
def test_the_order_of_calls_made_at_once_does_not_matter(order):
    cities = [{"city": name} for name in ("Oslo", "Rome", "Bonn", "Lima")]
    assert call_reward(calls(*[cities[i] for i in order]), answer_to(*cities)) == 1.0


def test_a_completion_may_come_in_many_shapes():
    right = answer_to({"city": "Oslo"})
    function = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "x", "type": "function", "function": function}],
    }
    text = '<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>'
    shapes = [
        text,
        f"{text}<|im_end|>",
        message,
        [message],
        {"choices": [{"message": message}]},
        {"content": text},
        [{"role": "user"}, message],
    ]
    assert [call_reward(shape, right) for shape in shapes] == [1.0] * len(shapes)
    assert call_rewards(shapes, [json.dumps(right)] * len(shapes), prompts=None, format=["x"]) == [1.0] * len(shapes)
    assert call_reward(text, right, format="qwen") == 1.0
    assert call_reward(text, right, format="mistral_text") == 0.0


def drafted(city: str) -> str:
    return f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


@pytest.mark.parametrize("opening", ["<think>\n", ""])  # templates open it for some models
def test_calls_that_are_only_thought_of_are_none(opening):
    thought = f"{opening}I could write {drafted('Rome')} but no.\n</think>\n\n"
    for said in (thought + drafted("Oslo"), {"role": "assistant", "content": thought + drafted("Oslo")}):
        assert judge(said, answer_to({"city": "Oslo"})).exact
        assert not judge(said, answer_to({"city": "Rome"})).exact
    assert call_reward(f"{thought}Hello!", answer_to()) == 1.0
    assert call_reward(f"{opening}The word <tool_call> is none.\n</think>\nHello!", answer_to()) == 1.0


def test_a_thought_that_does_not_end_says_nothing():
    assert call_reward(f"<think>\n{drafted('Oslo')}", answer_to({"city": "Oslo"})) == 0.0
    assert call_reward(f"<think>\n{drafted('Oslo')}", answer_to()) == 1.0


def test_a_closing_tag_in_an_argument_ends_no_thought():
    said = drafted("Oslo </think> x")
    assert judge(said, answer_to({"city": "Oslo </think> x"})).exact


USE = {"type": "tool_use", "id": "t", "name": "get_weather", "input": {"city": "Oslo"}}
FUNCTION_CALL = {"type": "function_call", "call_id": "c", "name": "get_weather", "arguments": '{"city": "Oslo"}'}


@pytest.mark.parametrize(
    "completion",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "ok"}, USE], "stop_reason": "tool_use"},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]}}]},
        {"role": "model", "parts": [{"text": "It is warm."}]},
        {"output": [{"type": "reasoning", "summary": []}, FUNCTION_CALL]},
        [{"type": "reasoning", "summary": []}, FUNCTION_CALL],
        {"choices": [{"message": None}]},
        {"answer": "x"},
        {},
        ["x"],
        None,
        5,
    ],
)
def test_answers_of_other_shapes_are_refused_with_words(completion):
    for right in (answer_to(), answer_to({"city": "Oslo"})):
        with pytest.raises(FormatError, match="is no completion that can be read"):
            call_reward(completion, right)


def test_text_parts_and_messages_without_a_word_are_read():
    parts = [{"type": "text", "text": "One moment.\n"}, {"type": "text", "text": drafted("Oslo")}]
    assert judge({"role": "assistant", "content": parts}, answer_to({"city": "Oslo"})).exact
    assert call_reward({"role": "assistant", "content": None}, answer_to()) == 1.0
    assert call_reward([], answer_to()) == 1.0


@pytest.mark.parametrize("answer", [None, "{", {"calls": [{"name": 3}]}, {"content": "x"}])
def test_what_is_no_answer_is_told(answer):
    with pytest.raises(FormatError, match="answer"):
        call_reward("x", answer)


@night
def test_the_words_of_every_text_format_are_read():
    read = 0
    for conversation in varied_rows()[:7]:
        try:
            parts = list(unrolled(conversation, FORMATS["eval"]))
        except CannotCarryError:
            continue
        for part in parts:
            answer = FORMATS["eval"].render(part)["answer"]
            for name in TEXT_FORMATS:
                try:
                    record = FORMATS[name].render(part)
                except CannotCarryError:
                    continue
                said = record["text"][slice(*record["spans"][-1])]
                assert judge(said, answer, name).exact, (name, said)
                if read % 11 == 0:  # which format it is has to be found out, so all of them are tried
                    assert judge(said, answer).exact, (name, said)
                read += 1
    assert read > 150


@night
def test_the_checker_of_bfcl_agrees():
    """On its own items: the calls that are right, one call less, a wrong number, another name, one argument too many."""
    compared = wrong = 0
    for conversation in varied_rows()[:150]:
        try:
            (first, *_) = list(unrolled(conversation, FORMATS["bfcl"]))
            record = FORMATS["bfcl"].render(first)
        except CannotCarryError:
            continue
        if "ground_truth" not in record:
            continue
        answer = FORMATS["eval"].render(first)["answer"]
        made = [{"name": call["name"], "arguments": call["arguments"]} for call in answer["calls"]]
        for said in variants(made):
            ours = judge(said, answer).exact
            assert ours == bfcl_verdict(record, [{call["name"]: call["arguments"]} for call in said]), (record, said)
            compared += 1
            wrong += not ours
    assert compared > 150
    assert wrong > 100


def variants(made: list[dict]) -> list[list[dict]]:
    found = [made, list(reversed(made)), made[1:], [*made, made[0]]]
    found.append([{"name": f"{made[0]['name']}_x", "arguments": made[0]["arguments"]}, *made[1:]])
    found.append([{"name": made[0]["name"], "arguments": made[0]["arguments"] | {"no_such_argument": 1}}, *made[1:]])
    for i, call in enumerate(made):
        for key, value in call["arguments"].items():
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**50:
                other = copy.deepcopy(made)
                other[i]["arguments"][key] = value + 1
                found.append(other)
    return [said for said in found if said]


def test_messages_and_responses_that_libraries_hold_as_objects_are_read():
    from openai.types.chat import ChatCompletion, ChatCompletionMessage

    function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a1", "type": "function", "function": function}],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    response = ChatCompletion.model_validate(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    )
    for said in (
        response,
        ChatCompletionMessage.model_validate(message),
        [ChatCompletionMessage.model_validate(message)],
    ):
        assert call_reward(said, answer_to({"city": "Oslo"})) == 1
        assert call_reward(said, answer_to({"city": "Rome"})) < 1
