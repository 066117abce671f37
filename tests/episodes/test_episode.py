"""Episodes are bounded, told what is wrong, and independent of each other, whatever an agent does."""

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import ROOT, begun, opened, rows_of, tasks_of

from generator.core.conversation import AssistantMessage, ToolMessage
from generator.core.errors import GeneratorError, PlanError
from generator.episodes.episode import Limits
from generator.episodes.player import play_reference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25)
@given(
    index=st.integers(0, 30),
    place=st.integers(0, 20),
    arguments=JSON | st.binary(max_size=9),
    text=st.text(max_size=40),
)
def test_no_call_and_no_text_breaks_an_episode(index: int, place: int, arguments: Any, text: str) -> None:
    episode = begun("conversations", index)
    name = episode.tools[place % len(episode.tools)].name
    assert isinstance(episode.call(name, arguments), str)
    assert isinstance(episode.call(text, arguments), str)
    episode.say(text)
    assert 0.0 <= episode.score().reward <= 1.0


def test_tools_that_do_not_exist_and_huge_arguments_are_refused_with_words() -> None:
    episode = begun("conversations", 0)
    assert "There is no tool 'rm_rf'" in episode.call("rm_rf", {})
    hidden = next(
        name for name in tasks_of("conversations").prepared.names if name not in {tool.name for tool in episode.tools}
    )
    assert f"There is no tool {hidden!r}" in episode.call(hidden, {})
    for arguments in ({"text": "x" * 10_000_000}, '{"text": "' + "x" * 10_000_000 + '"}'):
        assert "longer than" in episode.call(episode.tools[0].name, arguments)
    assert "not JSON" in episode.call(episode.tools[0].name, '{"text": ')
    assert "not an object" in episode.call(episode.tools[0].name, [1])
    assert sum(len(str(message)) for message in episode.messages) < 10_000
    play_reference(episode)
    assert episode.score().reward == 1.0  # nothing of that has changed anything


def test_five_hundred_calls_end_an_episode_and_are_all_answered() -> None:
    episode = begun("conversations", 0)
    for _ in range(500):
        assert episode.call(episode.tools[0].name, {})
    assert episode.done
    assert episode.ended == "more than 100 calls"
    assert "over" in episode.call(episode.tools[0].name, {})
    assert episode.say("Hello?") is None
    assert episode.score().parts["finished"] == 0.0


def test_texts_without_end_are_cut() -> None:
    episode = tasks_of("conversations").episode(Limits(texts=3, bytes=100))
    episode.reset(0)
    episode.say("x" * 10_000_000 + "?")
    assert len(str(episode.messages[-1].content)) == 100
    assert episode.ended == "a text of more than 100 bytes"


def test_worlds_of_one_backend_do_not_meet_in_threads() -> None:
    """Rows played at once in several threads have the results of rows played one after the other."""
    rows = rows_of("conversations", 40)
    wrong: list[int] = []

    def run(share: int) -> None:
        episode = tasks_of("conversations").episode()
        for task in rows[share::4] + rows[:10]:
            episode.reset(task.row.index)
            play_reference(episode)
            if episode.score().reward != 1.0 or episode.score().state is False:
                wrong.append(task.row.index)

    threads = [threading.Thread(target=run, args=(share,)) for share in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_scrambled_rows_are_played_with_the_names_that_are_shown() -> None:
    scrambled = [task for task in rows_of("conversations", 150) if task.row.renamed]
    assert len(scrambled) >= 4
    for task in scrambled:
        episode = begun("conversations", task.row.index)
        for usual, new in task.row.renamed.items():
            assert "There is no tool" in episode.call(usual, {})
            told = episode.call(new.tool, {"no_such_argument": [1]})
            words = set(told.replace('"', " ").replace("'", " ").split())
            assert words.isdisjoint(name for name in new.arguments if "_" in name), told


def test_what_cannot_be_played_says_so(tmp_path: Path) -> None:
    for recipe in ("mcp", "portable", "llm_arguments"):
        with pytest.raises(PlanError, match=rf"{recipe}.yaml:\d+"):
            opened(ROOT / "recipes" / f"{recipe}.yaml")
    made = (tasks_of("openchatml").task(index) for index in range(40))
    with pytest.raises(PlanError, match="is a document"):
        list(made)
    with pytest.raises(GeneratorError, match="counted from 0"):
        tasks_of("conversations").task(-1)
    with pytest.raises(GeneratorError, match="reset"):
        tasks_of("conversations").episode().call("x", {})


def test_python_handlers_serve_several_episodes_at_once() -> None:
    """A module serves one conversation at a time: each open episode has a process of its own."""
    tasks = tasks_of("python_tools")
    rows = rows_of("python_tools", 4)
    episodes = [tasks.episode() for _ in rows]
    for episode, task in zip(episodes, rows, strict=True):
        episode.reset(task.row.index)
    actions = [[m for m in task.row.conversation.messages if isinstance(m, AssistantMessage)] for task in rows]
    for place in range(max(map(len, actions))):
        for episode, own in zip(episodes, actions, strict=True):
            if place < len(own) and own[place].tool_calls:
                episode.step([(call.name, call.arguments) for call in own[place].tool_calls])
            elif place < len(own):
                episode.say(own[place].content or "")
    for episode, task in zip(episodes, rows, strict=True):
        told = [m.content for m in episode.messages if isinstance(m, ToolMessage)]
        assert told == [m.content for m in task.row.conversation.messages if isinstance(m, ToolMessage)]
        assert episode.score().reward == 1.0
        episode.close()
