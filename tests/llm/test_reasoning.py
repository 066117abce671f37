"""What a model thinks before it answers is never part of its answer."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_server import fake_server

from generator.llm import ModelAnswer
from generator.llm.reading import without_reasoning
from generator.llm.session import open_session
from generator.recipe.llm import Llm


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ('<think>\nTwo values.\n</think>\n\n{"a": 1}', "Two values.", '{"a": 1}'),
        ('  <thinking>x</thinking>{"a": 1}', "x", '{"a": 1}'),
        ('Two values.\n</think>\n{"a": 1}', "Two values.", '{"a": 1}'),  # the template has opened it
        ("<think>It goes on and on", "It goes on and on", ""),
        ("<think></think>", "", ""),
        ('{"text": "Use </think> to close it"}', "", '{"text": "Use </think> to close it"}'),
        ("Say <think> and </think>.", "", "Say <think> and </think>."),
        ('{"a": 1}', "", '{"a": 1}'),
    ],
)
def test_it_is_told_apart(text: str, reasoning: str, answer: str):
    assert without_reasoning(text) == (reasoning, answer)


@given(st.text(), st.text(alphabet="ab {}[]<>\n"))
def test_whatever_is_thought_the_answer_is_what_follows(thought: str, answer: str):
    if "</" not in thought:
        assert without_reasoning(f"<think>{thought}</think>{answer}") == (thought.strip(), answer.lstrip())


def asked(folder: Path, text: str, **settings: str) -> ModelAnswer:
    async def ask(base: str) -> ModelAnswer:
        llm = Llm(model="openai/m", api_base=base, **settings)
        async with open_session(llm, folder / "c.sqlite", "run") as session:
            return await session.complete([("user", "Say this.")])

    with fake_server(reply=lambda _: text) as server:
        return asyncio.run(ask(server.base))


def test_it_is_dropped_or_kept(tmp_path: Path):
    text = "<think>Hm.</think>Yes."
    dropped, kept = asked(tmp_path, text), asked(tmp_path, text, reasoning="keep")
    assert (dropped.text, dropped.reasoning) == ("Yes.", "")
    assert (kept.text, kept.reasoning) == ("Yes.", "Hm.")
    assert asked(tmp_path / "else", "<think>Hm.").fault == "empty"


def test_a_server_may_keep_it_apart(tmp_path: Path):
    body = '{"choices": [{"message": {"content": "Yes.", "reasoning_content": "Hm."}, "finish_reason": "stop"}], "usage": {}}'

    async def ask(base: str) -> ModelAnswer:
        llm = Llm(model="openai/m", api_base=base, reasoning="keep")
        async with open_session(llm, tmp_path / "c.sqlite", "run") as session:
            return await session.complete([("user", "Say this.")])

    with fake_server(script=((200, body, {}),)) as server:
        answer = asyncio.run(ask(server.base))
    assert (answer.text, answer.reasoning) == ("Yes.", "Hm.")
