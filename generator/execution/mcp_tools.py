"""Calls answered by a running MCP server."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any, Literal, Self

from generator.conversation import ToolCall
from generator.execution.outcome import read_outcome
from generator.handlers.lifecycle import NOT_TEXT, TIMED_OUT
from generator.handlers.mcp_session import LostServerError, McpLimits, McpSession, reason_of
from generator.planning import Outcome
from generator.profiles import ERROR

Sessions = Literal["conversation", "run"]
"""One server process for each conversation, or one for all that a worker makes."""


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

    def open(self, today: date, salt: int = 0) -> "McpWorld":
        """Return a world behind a server; its clock and its chance are its own.

        Raises:
            SpecError: when the server cannot be started.
        """
        if self._sessions == "conversation":
            return McpWorld(McpSession(self.command, self._limits), self._names, self._limits, ends=True)
        kept = self._kept
        if kept is None or kept.is_lost or kept.owner != os.getpid():
            self.stop()
            kept = self._kept = McpSession(self.command, self._limits)
        return McpWorld(kept, self._names, self._limits, ends=False)

    def stop(self) -> None:
        """End the server that is kept."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None


class McpWorld:
    """One conversation with a server."""

    def __init__(self, session: McpSession, names: Mapping[str, str], limits: McpLimits, *, ends: bool) -> None:
        self._session, self._names, self._limits, self._ends = session, names, limits, ends

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
            return Outcome(False, f"{ERROR}Tool server has ended")
        try:
            answer = self._session.call(self._names.get(call.name, call.name), call.arguments)
        except LostServerError as lost:
            return Outcome(False, TIMED_OUT if lost.late else f"{ERROR}Tool server has ended")
        except Exception as refused:  # the server's answer is an error of the protocol
            return Outcome(False, f"{ERROR}{reason_of(refused)}")
        return _outcome(answer, self._limits.longest)


def _outcome(answer: Any, longest: int) -> Outcome:
    """Return an answer as text: what it says in the tool's `outputSchema`, where it has one, else its texts."""
    texts = [block.text for block in answer.content if block.type == "text"]
    if len(texts) < len(answer.content):
        return Outcome(False, NOT_TEXT)
    structured = answer.structuredContent if not answer.isError else None
    content = "\n".join(texts) if structured is None else json.dumps(structured, ensure_ascii=False)
    if len(content) > longest:
        return Outcome(False, f"{ERROR}Tool result is too long (more than {longest:,} characters)")
    if answer.isError:
        return Outcome(False, content if content.startswith(ERROR) else f"{ERROR}{content}")
    return read_outcome(content)
