"""Calls answered by a running MCP server."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from generator.core.conversation import ToolCall
from generator.core.offline_schemas import validator
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.world.backends.python.lifecycle import NOT_TEXT, TIMED_OUT
from generator.world.backends.python.mcp_session import CallResult, LostServerError, McpLimits, McpSession, RefusedError
from generator.world.backends.silence import Silence
from generator.world.outcome import read_outcome

if TYPE_CHECKING:
    import jsonschema_rs

Sessions = Literal["conversation", "run"]
"""One server process for each conversation, or one for all that a worker makes."""
_ENDED = f"{ERROR}Tool server has ended"


class McpTools:
    """The backend of one server.

    A server that is started anew for each conversation begins each in the same state. One that is kept is much faster,
    and right for servers without a state; what a conversation left there is found by the next one. Chance and clock are
    the server's own in either case: a call that it answers otherwise when it is asked again rejects the row (RP101).

    Args:
        command: Program and arguments.
        limits: Time for a call and for the start, length of results.
        sessions: How long a server process lives.
        names: The server's names of tools that are called otherwise here.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: McpLimits | None = None,
        sessions: Sessions = "conversation",
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.command, self._limits, self._sessions = tuple(command), limits or McpLimits(), sessions
        self._names = dict(names or {})
        self._kept: McpSession | None = None
        self._silence = Silence()
        self._promised: dict[str, jsonschema_rs.Validator] | None = None
        """What tools say of their results (`outputSchema`), by the server's names."""

    def open(self, today: date, salt: int = 0) -> "McpWorld":
        """Return a world behind a server; its clock and its chance are its own.

        Raises:
            SpecError: when the server cannot be started.
        """
        if self._sessions == "conversation":
            return self._world(McpSession(self.command, self._limits), ends=True)
        kept = self._kept
        if kept is None or kept.is_lost or kept.owner != os.getpid():
            self.stop()
            kept = self._kept = McpSession(self.command, self._limits)
        return self._world(kept, ends=False)

    def stop(self) -> None:
        """End the server that is kept."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _world(self, session: McpSession, *, ends: bool) -> "McpWorld":
        if self._promised is None:
            self._promised = dict(_promises(session.list_tools()))
        return McpWorld(session, self._names, self._limits, self._promised, self._silence, ends=ends)


class McpWorld:
    """One conversation with a server."""

    def __init__(
        self,
        session: McpSession,
        names: Mapping[str, str],
        limits: McpLimits,
        promised: "Mapping[str, jsonschema_rs.Validator]",
        silence: Silence,
        *,
        ends: bool,
    ) -> None:
        self._session, self._names, self._limits, self._ends = session, names, limits, ends
        self._promised, self._silence = promised, silence

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if self._ends:
            self._session.close()

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the server's answers, asked for one after the other in the order of the calls."""
        return tuple([self._answer(call) for call in calls])

    def _answer(self, call: ToolCall) -> Outcome:
        if self._session.is_lost:
            return Outcome(False, _ENDED)
        name = self._names.get(call.name, call.name)
        try:
            answer = self._session.call(name, call.arguments)
        except LostServerError as lost:
            failure = TIMED_OUT if lost.late else _ENDED
            self._silence.failure(call.name, failure.removeprefix(ERROR))
            return Outcome(False, failure)
        except RefusedError as refused:
            self._silence.answer(call.name)
            return Outcome(False, f"{ERROR}{refused}")
        self._silence.answer(call.name)
        promised = self._promised.get(name)
        if promised is not None and not answer.is_error and not promised.is_valid(answer.structured_content):
            return Outcome(False, f"{ERROR}Tool result is not as its outputSchema has it")
        return _outcome(answer, self._limits.longest)


def _promises(tools: Sequence[Mapping[str, Any]]) -> "Iterator[tuple[str, jsonschema_rs.Validator]]":
    """Yield name and schema of results, of tools that have one that can be understood."""
    for tool in tools:
        name, schema = tool.get("name"), tool.get("outputSchema")
        if isinstance(name, str) and isinstance(schema, dict):
            with suppress(ValueError):
                yield name, validator(schema)


def _outcome(answer: CallResult, longest: int) -> Outcome:
    """Return an answer as text: what it says in the tool's `outputSchema`, where it has one, else its texts."""
    texts = [block.text for block in answer.content if block.type == "text" and block.text is not None]
    if len(texts) < len(answer.content):
        return Outcome(False, NOT_TEXT)
    structured = answer.structured_content if not answer.is_error else None
    content = "\n".join(texts) if structured is None else json.dumps(structured, ensure_ascii=False)
    if len(content) > longest:
        return Outcome(False, f"{ERROR}Tool result is too long (more than {longest:,} characters)")
    if answer.is_error:
        return Outcome(False, content if content.startswith(ERROR) else f"{ERROR}{content}")
    return read_outcome(content)
