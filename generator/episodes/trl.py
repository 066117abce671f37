"""Rows as environments of TRL: `GRPOTrainer(environment_factory=…)` with the tools of each row, their schemas as they are.

TRL (1.16) takes as tools the public functions of an environment's class, and makes schemas of their signatures, in which most of
what a JSON Schema says is lost. What it hands to the chat template, and calls, is what the instance has by that name: here a
schema that can be called. So a class has as many functions as its rows have tools, and nothing of TRL's own is touched.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from generator.core.conversation import Tool
from generator.core.errors import GeneratorError
from generator.episodes.episode import Episode
from generator.episodes.mcp import OVER, talk_tool
from generator.episodes.replay import entry_of, transcript_of
from generator.episodes.scoring import Score
from generator.formats.format import tool_object


class Rollouts:
    """What a trainer needs to play rows: `records` for its data set, `factories`, and `reward`.

    Each rollout gets an episode of its own like the one given. Rows that cannot be played, such as documents, are left out.
    """

    def __init__(self, episode: Episode, rows: Iterable[int]) -> None:
        self.records: list[dict[str, Any]] = []
        """`prompt` (messages), `environment` (which tools it has) and `row` of each row: for `Dataset.from_list`."""
        self.factories: dict[str, Callable[[], Environment]] = {}
        """By the name in `environment`: makes an environment with these tools. Rows with the same tools share one."""
        named: dict[tuple[Tool, ...] | str, str] = {}
        for row in rows:
            try:
                messages, tools = episode.reset(row)
            except GeneratorError:
                continue
            name = named.setdefault(repr(tools), f"row_{row}")
            if name not in self.factories:
                self.factories[name] = partial(_environment, episode, (*tools, talk_tool(episode)))
            prompt = [entry_of(message) for message in messages]
            self.records.append({"prompt": prompt, "environment": name, "row": row})
        episode.close()

    def reward(
        self, completions: Sequence[Sequence[dict[str, Any]]], environments: Sequence["Environment"], **_: Any
    ) -> list[float]:
        """Return the reward of each rollout; for `reward_funcs`. The last text of a completion is said to the user first."""
        return [
            environment._finish(completion).reward
            for completion, environment in zip(completions, environments, strict=True)
        ]

    @staticmethod
    def transcripts(environments: Sequence["Environment"]) -> list[dict[str, Any]]:
        """Return rollouts as lines of a file of transcripts, for `episodes score`."""
        return [transcript_of(environment._episode) for environment in environments]


class Environment:
    """An environment as TRL has it: all but `reset` is private, or would be a tool. Its class has a function for each tool, and the instance what TRL shows and calls in its place."""

    def __init__(self, episode: Episode, tools: Sequence[Tool]) -> None:
        """Take an episode, its tools, and the tool to talk to the user with, which is the last."""
        self._episode = episode
        for place, tool in enumerate(tools):
            call = partial(self._say if tool is tools[-1] else self._call, tool.name)
            setattr(self, _name_in_class(place), CallableSchema(tool, call))

    def reset(self, row: int, **_: Any) -> None:
        """Begin the episode of a row; the prompt holds the agent's whole input."""
        self._episode.reset(row)

    def _call(self, name: str, /, **arguments: Any) -> str:
        """Make a call of a tool of the row; return its result."""
        return self._episode.call(name, arguments)

    def _say(self, name: str, /, text: Any = "", **_: Any) -> str:
        """Say something to the user; return the reply."""
        reply = self._episode.say(str(text))
        return OVER if reply is None else reply

    def _finish(self, completion: Sequence[dict[str, Any]]) -> Score:
        """Say the last text of a rollout to the user, if it ends with one, and return the score."""
        last = completion[-1] if completion else {}
        if not self._episode.done and last.get("role") == "assistant" and not last.get("tool_calls"):
            self._episode.say(str(last.get("content") or ""))
        self._episode.end("the rollout is over")
        return self._episode.score()


class CallableSchema(dict[str, Any]):
    """A tool as OpenAI's API has it, for the chat template, that can be called."""

    def __init__(self, tool: Tool, call: Callable[..., str]) -> None:
        super().__init__(tool_object(tool))
        self.__name__ = tool.name
        self._call = call

    def __call__(self, /, **arguments: Any) -> str:
        """Make a call of the tool."""
        return self._call(**arguments)


def _name_in_class(place: int) -> str:
    """Return the name under which the class has a tool: `tool_003`."""
    return f"tool_{place:03}"


def _placeholder(self: Environment) -> None:
    """What TRL finds in the class; the instance has another thing by that name."""


def _environment(episode: Episode, tools: Sequence[Tool]) -> Environment:
    """Return an environment whose class has as many public functions as there are tools."""
    functions = {_name_in_class(place): _placeholder for place in range(len(tools))}
    kind: type[Environment] = type("RowEnvironment", (Environment,), functions)
    return kind(episode.another(), tools)
