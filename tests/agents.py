"""Agents that a scripted server plays: each is a function from the body of a request to the message that answers it."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

from played import tasks_of

from benchmarks.slips import SLIPS
from generator.core.conversation import AssistantMessage
from generator.core.seeds import Draw
from generator.episodes.player import reference_actions
from generator.episodes.replay import entry_of
from generator.run.episodes import RecipeTasks

Agent = Callable[[dict[str, Any]], "str | dict[str, Any]"]


def by_actions(recipe: str, rows: int, slip: str = "") -> Agent:
    """An agent that does what the row does; with a slip where there is place for it."""
    return of_tasks(tasks_of(recipe), rows, slip)


def of_tasks(tasks: RecipeTasks, rows: int, slip: str = "") -> Agent:
    """The same for a recipe that is not one of those in the repository."""
    known: dict[str, list[AssistantMessage]] = {}
    episode = tasks.episode()
    for index in range(rows):
        task = tasks.task(index)
        messages, _ = episode.reset(index)
        actions = reference_actions(task)
        if slip:
            actions = SLIPS[slip](task, actions, Draw(0, date.min)) or actions
        known[_key([entry_of(message) for message in messages])] = actions

    def agent(asked: dict[str, Any]) -> dict[str, Any]:
        messages = asked["messages"]
        first = next(at for at in range(1, len(messages) + 1) if _key(messages[:at]) in known)
        made = sum(message["role"] == "assistant" for message in messages[first:])
        actions = known[_key(messages[:first])]
        return entry_of(actions[made]) if made < len(actions) else {"content": "That is all."}

    return agent


def _key(messages: list[dict[str, Any]]) -> str:
    return json.dumps([[message["role"], message["content"]] for message in messages])


def calling(*calls: tuple[str, Any], content: str | None = None) -> dict[str, Any]:
    """A message with calls."""
    entries = [{"id": "x", "type": "function", "function": {"name": name, "arguments": text}} for name, text in calls]
    return {"role": "assistant", "content": content, "tool_calls": entries}


def looping(asked: dict[str, Any]) -> dict[str, Any]:
    """The same call for ever."""
    return calling((asked["tools"][0]["function"]["name"], "{}"))


def silent(asked: dict[str, Any]) -> str:
    return ""


def unknown_tools(asked: dict[str, Any]) -> dict[str, Any]:
    return calling(("rm_rf", '{"path": "/"}'), ("../../etc/passwd", "{}"), ("x" * 5_000, "[1, 2"), content="Ha.")


def huge_arguments(asked: dict[str, Any]) -> dict[str, Any]:
    """10 MB: more than is read of an answer."""
    return calling((asked["tools"][0]["function"]["name"], json.dumps({"text": "x" * 10_000_000})))


def broken_arguments(asked: dict[str, Any]) -> dict[str, Any]:
    """No JSON, for ever."""
    return calling(*[(asked["tools"][0]["function"]["name"], '{"text": ')] * 20)


def large_arguments(asked: dict[str, Any]) -> "str | dict[str, Any]":
    """More than an episode takes, in answers that are read; then it gives up."""
    if sum(message["role"] == "tool" for message in asked["messages"]) >= 3:
        return "I give up."
    return calling((asked["tools"][0]["function"]["name"], json.dumps({"text": "x" * 100_000})))


def many_calls(asked: dict[str, Any]) -> dict[str, Any]:
    """500 at once."""
    return calling(*[(asked["tools"][0]["function"]["name"], "{}")] * 500)


def odd_calls(asked: dict[str, Any]) -> dict[str, Any]:
    """Arguments that are no objects, or not even JSON, or an object instead of its text."""
    name = asked["tools"][0]["function"]["name"]
    deep = '{"a": ' * 900 + "1" + "}" * 900
    texts = ("", "null", "[]", "7", "{", "NaN", '{"a": 1e999}', '{"a": 123456789012345678901234567890}', deep)
    return calling(*[(name, text) for text in texts], (name, {"a": 1}), (name, None))
