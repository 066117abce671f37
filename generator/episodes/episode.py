"""One row, played: its world answers calls, its user answers texts, and what was done is scored."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Protocol

import msgspec
import orjson

from generator.core.conversation import (
    AssistantMessage,
    Message,
    Renamed,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import GeneratorError
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.episodes import Task
from generator.episodes.expected import Expected, expected_of, turns_of
from generator.episodes.scoring import AgentCall, AgentText, Played, Score, score
from generator.episodes.user import ScriptedUser, User
from generator.formats.format import compact_json
from generator.llm.reading import without_reasoning
from generator.world.failing import FailingWorld, why_invalid
from generator.world.outcome import World
from generator.world.state import state_of

USUAL_END = "the user has nothing more to say"
"""Why an episode is over that nothing has cut short."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one episode may take."""

    calls: int = 100
    texts: int = 40
    bytes: int = 64_000
    """Of the arguments of one call, as JSON, and of one text."""


class Tasks(Protocol):
    """Where episodes come from: the rows of a recipe."""

    lock: AbstractContextManager[Any]
    """Held while a row is made or a call is answered, since the worlds of one backend draw from the same streams."""

    def task(self, index: int) -> Task:
        """Return a row that can be played; raises GeneratorError where there is none."""

    def world(self, task: Task) -> AbstractContextManager[World]:
        """Return the row's world, before anything has happened."""


class Episode:
    """A row that is played; `reset` begins it, and another one after that. `user` makes the user, who usually says what the row's says."""

    def __init__(
        self, tasks: Tasks, limits: Limits | None = None, user: "type[ScriptedUser] | Any" = ScriptedUser
    ) -> None:
        self._tasks, self._limits, self._make_user = tasks, limits or Limits(), user
        self._closing = ExitStack()
        self.messages: list[Message] = []
        """The conversation so far, as the agent sees it: a transcript, once it is over."""
        self.unread: dict[tuple[int, int], str] = {}
        """Arguments that are no objects or too long, as they were given but for what is too long: by the place of the message, and
        of the call in it. In the message itself they are `{}`."""
        self.tools: tuple[Tool, ...] = ()
        self.task: Task | None = None
        self.ended = ""
        """Why it is over; empty while it goes on."""

    def another(self) -> "Episode":
        """Return a new episode of the same recipe, to be played beside this one."""
        return Episode(self._tasks, self._limits, self._make_user)

    def reset(self, index: int) -> tuple[list[Message], tuple[Tool, ...]]:
        """Begin the episode of a row; return its first messages, up to the user's request, and the tools on offer.

        Raises:
            GeneratorError: when there is no such row, or it cannot be played.
        """
        self.close()
        with self._tasks.lock:
            task = self._tasks.task(index)
            self._world = self._opened_world(task)
        self.task, self.ended = task, ""
        self._user: User = self._make_user(task)
        conversation = task.row.conversation
        self.messages, self.tools = list(conversation.messages[: self._user.opening()]), conversation.tools
        self.unread = {}
        self._offered = {tool.name: tool for tool in self.tools}
        self._turns, self._turn = turns_of(task), 0
        self._turn = self._turns[len(self.messages) - 1]
        self._made: list[AgentCall] = []
        self._said: list[AgentText] = []
        self._expected: Expected | None = None
        return list(self.messages), self.tools

    def call(self, name: str, arguments: Any) -> str:
        """Make one call with an object, or its JSON text; return its result, or the error, as a tool message carries it."""
        return self.step([(name, arguments)])[0]

    def step(self, calls: Sequence[tuple[str, Any]], ids: Sequence[str] = (), content: str | None = None) -> list[str]:
        """Make calls at once; return their results in order. Calls of one step do not see each other's results.

        Without `ids` those of the transcript are `call1`, `call2` and so on. The user does not hear `content`, which is said beside them.
        """
        task = self._task_begun()
        outcomes: dict[int, Outcome] = {}
        shown, usual = [], {}
        for place, (name, arguments) in enumerate(calls):
            read, fault = _read_arguments(arguments, self._limits.bytes)
            if fault:
                self.unread[len(self.messages), place] = _as_given(arguments)[: self._limits.bytes + 1]
            number = len(self._made) + place + 1
            call = ToolCall(ids[place] if place < len(ids) else f"call{number}", str(name)[:_LONGEST_NAME], read)
            shown.append(call)
            fault = self._refusal(call, number, fault)
            if fault:
                outcomes[place] = Outcome(False, f"{ERROR}{fault}")
            else:
                usual[place] = _usual_call(call, task.row.renamed)
        if usual:
            with self._tasks.lock:
                answers = self._world.step(list(usual.values()))
            outcomes |= zip(usual, answers, strict=True)
        self._note_calls(shown, usual, outcomes, content)
        return [outcomes[place].content for place in range(len(calls))]

    def act(self, calls: Sequence[tuple[str, Any]], ids: Sequence[str], content: str | None) -> None:
        """Make calls at once, with what is said beside them, or say something where there are none."""
        if calls:
            self.step(calls, ids, content)
        else:
            self.say(content or "")

    def say(self, text: str) -> str | None:
        """Say something to the user; return the next message of the user, or None when the episode is over."""
        self._task_begun()
        if self.ended:
            return None
        text = text if isinstance(text, str) else str(text)
        whole = text.encode("utf-8", "replace")
        text = whole[: self._limits.bytes].decode("utf-8", "ignore")
        self.messages.append(AssistantMessage(content=text))
        _, heard = without_reasoning(text)
        self._said.append(AgentText(heard, self._turn, len(self._made)))
        if len(whole) > self._limits.bytes:
            self.ended = f"a text of more than {self._limits.bytes:,} bytes"
        elif len(self._said) >= self._limits.texts:
            self.ended = f"more than {self._limits.texts - 1} texts"
        if self.ended:
            return None
        reply = self._user.hear(heard)
        if reply.text is None:
            self.ended = USUAL_END
            return None
        self._note_reply(reply.text, reply.heard)
        return reply.text

    def end(self, why: str) -> None:
        """End the episode because the agent does not go on."""
        self.ended = self.ended or why

    def score(self) -> Score:
        """Return what the episode is worth so far; it may be asked for at any time."""
        task = self._task_begun()
        return score(
            Played(
                task=task,
                expected=self._expected_of_row(),
                made=self._made,
                said=self._said,
                finished=self._user.is_finished() and bool(self._said) and self._said[-1].turn == self._turn,
                state=self.state() == task.row.state if self._state is not None and task.row.state else None,
            )
        )

    def state(self) -> str:
        """Return the digest of the entities that the row's calls are about, as they are now; empty where there are none."""
        task = self._task_begun()
        if self._state is None:
            return ""
        with self._tasks.lock:
            touched, self._state.touched = self._state.touched, set(task.opening.touched)
            digest, self._state.touched = self._state.digest(), touched
        return digest

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self.ended)

    def close(self) -> None:
        """End the episode; its world is gone, and its score can still be asked for."""
        self._closing.close()

    # -- inside ----------------------------------------------------------------------------------------------------------

    def _task_begun(self) -> Task:
        """Return the row that is played; raises GeneratorError where none has been begun."""
        if self.task is None:
            raise GeneratorError("an episode begins with reset(index)")
        return self.task

    def _opened_world(self, task: Task) -> FailingWorld:
        """Return the world of a row as it was before its first event, in which the planned calls fail."""
        world = self._closing.enter_context(self._tasks.world(task))
        state = state_of(world)
        if state is not None:
            state.restore(list(task.opening.added))
        self._state = state
        return FailingWorld(world, task.opening.faults, task.toolbox)

    def _refusal(self, call: ToolCall, number: int, fault: str) -> str:
        """Return why a call does not come to the world, `fault` if its arguments are none; empty when it does."""
        if self.ended:
            return "The conversation is over."
        if number > self._limits.calls:
            self.ended = f"more than {self._limits.calls} calls"
            return f"No more than {self._limits.calls} calls are answered in one conversation."
        if fault:
            return fault
        tool = self._offered.get(call.name)
        if tool is None:
            return f"There is no tool {call.name!r}."
        if self.task is not None and self.task.row.renamed:  # told with the names that are shown
            why = why_invalid(tool.parameters, call.arguments)
            return "" if why is None else f"Invalid parameters - {why}"
        return ""

    def _note_calls(
        self, shown: list[ToolCall], usual: dict[int, ToolCall], outcomes: dict[int, Outcome], content: str | None
    ) -> None:
        """Add calls and their results to the transcript, and to what is scored."""
        self.messages.append(AssistantMessage(content=content, tool_calls=tuple(shown)))
        for place, call in enumerate(shown):
            outcome = outcomes[place]
            self.messages.append(ToolMessage(call.id, outcome.content, call.name, is_error=not outcome.ok))
            if place in usual:
                value = outcome.value if outcome.ok else None
                self._made.append(AgentCall(usual[place], self._turn, outcome.ok, outcome.content, value))
            else:
                self._made.append(AgentCall(call, self._turn, False, outcome.content))

    def _note_reply(self, text: str, heard: int) -> None:
        """Take what the user says, with the system messages that come before it in the row."""
        if heard:
            assert self.task is not None
            messages = self.task.row.conversation.messages
            before = heard
            while type(messages[before - 1]) is SystemMessage:
                before -= 1
            self.messages += messages[before : heard + 1]
            self._turn = self._turns[heard]
        else:
            self.messages.append(UserMessage(text))

    def _expected_of_row(self) -> Expected:
        """Return what the row expects, worked out once."""
        if self._expected is None:
            self._expected = expected_of(self._task_begun())
        return self._expected


_LONGEST_NAME = 200


def _as_given(arguments: Any) -> str:
    """Return arguments as they were given, as text."""
    if isinstance(arguments, bytes):
        return arguments.decode("utf-8", "replace")
    try:
        return arguments if isinstance(arguments, str) else compact_json(arguments)
    except (TypeError, ValueError, RecursionError):
        return repr(type(arguments))


def _read_arguments(arguments: Any, most: int) -> tuple[dict[str, Any], str]:
    """Return the arguments of a call as an object, or an empty one and what is wrong with them."""
    if isinstance(arguments, str | bytes):
        if len(arguments) > most:
            return {}, f"Invalid parameters - they are longer than {most:,} bytes."
        try:
            arguments = orjson.loads(arguments) if arguments else {}
        except ValueError as fault:
            return {}, f"Invalid parameters - not JSON: {fault}"
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return {}, "Invalid parameters - arguments: not an object."
    try:
        size = len(orjson.dumps(arguments))
    except (TypeError, ValueError) as fault:
        return {}, f"Invalid parameters - not JSON: {fault}"
    if size > most:
        return {}, f"Invalid parameters - they are longer than {most:,} bytes."
    return arguments, ""


def _usual_call(call: ToolCall, renamed: dict[str, Renamed]) -> ToolCall:
    """Return a call with the usual names of its tool, its arguments and their values, which `renamed` (as `Row.renamed`) gives new ones."""
    for usual, new in renamed.items():
        if new.tool == call.name:
            names = {after: before for before, after in new.arguments.items()}
            values = {name: {after: before for before, after in enum.items()} for name, enum in new.values.items()}
            return ToolCall(call.id, usual, _with_usual_names(call.arguments, "", names, values))
    return call


def _with_usual_names(value: Any, name: str, names: dict[str, str], values: dict[str, dict[str, str]]) -> Any:
    """Return a value with the usual keys and enum members; `name` is the usual name of the property that holds it."""
    if isinstance(value, dict):
        usual = {str(key): names.get(str(key), str(key)) for key in value}
        return {usual[key]: _with_usual_names(inner, usual[key], names, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_usual_names(inner, name, names, values) for inner in value]
    return values.get(name, {}).get(value, value) if isinstance(value, str) else value
