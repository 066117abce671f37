"""What the assistant thinks says nothing that the conversation and its proof do not say."""

import re
from pathlib import Path

import msgspec
import pytest
from workbench import CONVERSATIONS, WITH_DATE, rows, workshop

from generator.conversation import AssistantMessage, ToolMessage, UserMessage
from generator.formats import FORMATS

TURNS = {"follow_up", "clarify", "multi_turn", "switch", "confirm", "conditional"}
ALL = ("reflect", "introspect", "reason")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "11", "12", "13")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("thoughts")
    return {name: rows(workshop(folder, name, thoughts=ALL, system=(WITH_DATE,)), 8) for name in CONVERSATIONS}


def answers(row):
    """The messages of the assistant that are to be learnt."""
    return [(i, m) for i, m in enumerate(row.conversation.messages) if isinstance(m, AssistantMessage) and m.train]


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_rows_are_those_without_thoughts(made, tmp_path: Path, scenario: str):
    plain = rows(workshop(tmp_path, scenario, system=(WITH_DATE,)), 8)
    for thinking, other in zip(made[scenario], plain, strict=True):
        messages = [
            msgspec.structs.replace(m, thoughts=None) if isinstance(m, AssistantMessage) else m
            for m in thinking.row.conversation.messages
        ]
        assert tuple(messages) == other.row.conversation.messages
        assert thinking.record == other.record


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_words_in_quotes_are_the_users(made, scenario: str):
    for one in made[scenario]:
        said = " ".join(m.content for m in one.row.conversation.messages if isinstance(m, UserMessage))
        for _, message in answers(one.row):
            for words in re.findall(r'\("([^"]*)"\)', message.thoughts.reason):
                assert words in said


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_every_argument_is_in_the_reason(made, scenario: str):
    for one in made[scenario]:
        for _, message in answers(one.row):
            for call in message.tool_calls:
                assert call.name in message.thoughts.reason
                for argument in call.arguments:
                    assert re.search(rf"\b{argument}\b[^ ]* is ", message.thoughts.reason)


def test_what_comes_from_a_result_is_said_to(made):
    reasons = [m.thoughts.reason for one in made["sequential"] for _, m in answers(one.row)[1:-1]]
    assert reasons
    assert all("from the result of " in reason for reason in reasons)


def test_calls_at_once_are_explained(made):
    for one in made["parallel"]:
        (_, message), _ = answers(one.row)
        assert re.search(r"at once|together|no need to wait", message.thoughts.reason)


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_only_the_first_message_after_the_users_reflects(made, scenario: str):
    for one in made[scenario]:
        for i, message in answers(one.row):
            before = one.row.conversation.messages[i - 1]
            assert (message.thoughts.reflect is not None) == isinstance(before, UserMessage)
            assert isinstance(before, UserMessage | ToolMessage)


def test_politeness_is_seen_only_where_it_is(made):
    for ones in made.values():
        for one in ones:
            asked = next(m.content for m in one.row.conversation.messages if isinstance(m, UserMessage))
            (_, first), *_ = answers(one.row)
            if first.thoughts.reflect is None:
                continue  # a call that is not to be learnt stands before it
            if re.search(r"polite|friendly", first.thoughts.reflect):
                assert re.search(r"please|thank|kindly|(can|could|would) you", asked, re.IGNORECASE)
            if "leaves something open" not in first.thoughts.reflect:
                assert ("asks a question" in first.thoughts.reflect) == ("?" in asked)


@pytest.mark.parametrize("scenario", [name for name in CONVERSATIONS if name not in TURNS])
def test_introspection_knows_the_steps_that_reflection_counts(made, scenario: str):
    for one in made[scenario]:
        again = {wish.call_id for wish in one.row.proof.wishes if wish.mends is not None}
        steps = [m for _, m in answers(one.row) if m.tool_calls and m.tool_calls[0].id not in again]
        if not steps:
            continue
        calls = sum(len(m.tool_calls) for m in steps)
        reflect = answers(one.row)[0][1].thoughts.reflect
        assert f"it takes {NUMBERS[calls]} call" in reflect
        if len(steps) == 1:
            assert " step" not in reflect + steps[0].thoughts.introspect
            continue
        assert "one after the other" in reflect or f" in {NUMBERS[len(steps)]} steps" in reflect
        for place, step in zip(("first", "second", "third", "fourth")[: len(steps) - 1], steps, strict=False):
            assert f"the {place} of {NUMBERS[len(steps)]} steps" in step.thoughts.introspect
            assert "then tell" not in step.thoughts.introspect
        assert f"the last of {NUMBERS[len(steps)]} steps" in steps[-1].thoughts.introspect
        assert all(f"{NUMBERS[len(s.tool_calls)]} call" in s.thoughts.introspect for s in steps)


def test_each_turn_counts_its_own_calls_and_a_question_names_what_is_missing(made):
    for one in made["follow_up"]:
        first, _, second, _ = answers(one.row)
        assert all("it takes one call" in message.thoughts.reflect for _, message in (first, second))
    for one in made["clarify"]:
        (_, question), (_, call), _ = answers(one.row)
        assert "leaves something open" in question.thoughts.reflect
        assert one.row.proof.asks[0].pointer.removeprefix("/").replace("_", " ") in question.thoughts.reason
        assert call.thoughts.reflect is not None


def test_one_block_alone(tmp_path: Path):
    (one,) = rows(workshop(tmp_path, "single", thoughts=("reason",)), 1)
    for _, message in answers(one.row):
        assert message.thoughts.reason
        assert message.thoughts.reflect is None
        assert message.thoughts.introspect is None
    text = FORMATS["openchatml"].render(one.row.conversation)["text"]
    assert "<|reason|>\n<|im_end|>" in text
    assert "<|reflect|>" not in text
