"""Pairing calls with results, and taking steps apart."""

import pytest
from hypothesis import given
from strategies import conversations, requests

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.formats.steps import in_call_order, one_step, split_calls, turns


def calls_of(conversation: Conversation) -> list[ToolCall]:
    return [call for m in conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]


@given(talk=conversations() | requests())
def test_split_calls_are_the_same_calls_one_after_another(talk: Conversation):
    split = split_calls(talk)
    assert calls_of(split) == calls_of(talk)
    for message, answers in turns(split.messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            assert len(message.tool_calls) == len(answers) == 1
    results = {m.tool_call_id: m for m in talk.messages if isinstance(m, ToolMessage)}
    assert {m.tool_call_id: m for m in split.messages if isinstance(m, ToolMessage)} == results
    said = [m.content for m in split.messages if not isinstance(m, ToolMessage) and m.content is not None]
    assert said == [m.content for m in talk.messages if not isinstance(m, ToolMessage) and m.content is not None]
    assert split_calls(split) == split


@given(talk=conversations() | requests())
def test_results_in_call_order_lose_nothing(talk: Conversation):
    ordered = in_call_order(talk)
    assert calls_of(ordered) == calls_of(talk)
    contents = {m.tool_call_id: m.content for m in talk.messages if isinstance(m, ToolMessage)}
    results = [m for m in ordered.messages if isinstance(m, ToolMessage)]
    assert {m.tool_call_id: m.content for m in results} == contents
    assert [m.tool_call_id for m in results] == [call.id for call in calls_of(talk)]
    assert [m.name for m in results] == [call.name for call in calls_of(talk)]


USER, DONE = UserMessage(content="Hi"), AssistantMessage(content="Done.")
TWO = AssistantMessage(tool_calls=(ToolCall(id="a", name="f", arguments={}), ToolCall(id="b", name="f", arguments={})))
A, B = (ToolMessage(tool_call_id=call_id, content="ok") for call_id in "ab")


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ((USER, A, DONE), "$.messages[1]"),
        ((USER, TWO, A, DONE), "$.messages[1]"),
        ((USER, TWO, A, A, DONE), "$.messages[3]"),
        ((USER, TWO, DONE), "$.messages[1]"),
        ((USER, TWO, A, USER, B, DONE), "$.messages[1]"),
    ],
)
def test_what_cannot_be_paired_is_refused_with_its_place(messages: tuple[Message, ...], place: str):
    with pytest.raises(CannotCarryError) as refusal:
        turns(messages)
    assert str(refusal.value).startswith(f"{place}: ")


def test_calls_that_end_a_conversation_need_no_results_unless_they_are_split():
    assert turns((USER, TWO)) == [(USER, []), (TWO, [])]
    with pytest.raises(CannotCarryError, match="without results"):
        split_calls(Conversation(messages=(USER, TWO)))


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ((USER, TWO, A, B, TWO), "calls in more than one message"),
        ((USER, DONE, USER, DONE), "several messages of the user"),
        ((USER, DONE, DONE), "several answers"),
        ((USER, SystemMessage(content="x"), DONE), "not the first message"),
        ((USER,), "not a request"),
        ((), "not a request"),
        ((USER, AssistantMessage(content="So", tool_calls=TWO.tool_calls)), "text beside calls"),
    ],
)
def test_what_is_more_than_one_step_is_refused(messages: tuple[Message, ...], reason: str):
    with pytest.raises(CannotCarryError, match=reason):
        one_step(Conversation(messages=messages))
