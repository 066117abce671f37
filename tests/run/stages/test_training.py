"""`train` of a recipe: what is marked, and what the formats make of it."""

import pytest
from made_rows import conversation

from generator.core.conversation import AssistantMessage, Conversation, UserMessage
from generator.formats import FORMATS
from generator.run.stages.words import mark_training


@pytest.mark.parametrize(
    ("train", "learnt"),
    [
        ("all", [True, True, True]),
        ("last", [False, False, True]),
        ("calls", [True, True, False]),
        ("answers", [False, False, True]),
        ("decisions", [True, True, False]),
    ],
)
def test_which_messages_are_learnt(train: str, learnt: list[bool]):
    marked = mark_training(conversation(), train)
    assert [m.train for m in marked.messages if isinstance(m, AssistantMessage)] == learnt
    weights = [m.get("weight") for m in FORMATS["openai"].render(marked)["messages"] if m["role"] == "assistant"]
    assert weights == ([None] * 3 if train == "all" else [int(flag) for flag in learnt])
    flags = [m.get("training") for m in FORMATS["axolotl"].render(marked)["messages"] if m["role"] == "assistant"]
    assert flags == learnt


def test_a_text_that_reports_nothing_is_a_decision():
    said = (UserMessage("Cancel it."), AssistantMessage("Which order?"), UserMessage("4471."), AssistantMessage("OK."))
    marked = mark_training(Conversation(said, ()), "decisions")
    assert [m.train for m in marked.messages if isinstance(m, AssistantMessage)] == [True, True]


def test_what_is_learnt_is_the_completion():
    record = FORMATS["trl-prompt_completion"].render(mark_training(conversation(), "last"))
    assert [m["role"] for m in record["completion"]] == ["assistant"]
    assert len(record["prompt"]) == 7
    record = FORMATS["trl-prompt_completion"].render(conversation())
    assert [m["role"] for m in record["prompt"]] == ["system", "user"]
