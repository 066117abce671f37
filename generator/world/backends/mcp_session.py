"""A running MCP server in a sandbox, spoken to in JSON-RPC over its stdin and stdout."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from generator.core.errors import SpecError
from generator.core.exact_json import loads
from generator.core.sandbox.sandbox import MOST_SAID, PROGRAM_LIMITS, LineProgram, Sandbox, output_tail
from generator.core.sandbox.wire import DisconnectedError, MalformedAnswerError, NoAnswerError

_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the one that is asked for first."""
_VARIABLES = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""What a server is told of our environment; other variables may hold secrets."""
_NO_METHOD = -32601
_MOST_BYTES = 1 << 25
"""What a server may write for its start and its list of tools, and for one call."""
_MOST_PAGES = 1000
_MOST_TOOLS = 20_000
_GRACE = 2.0
"""Seconds that a server has to end by itself when it is no longer needed."""

Found = TypeVar("Found")
Shape = TypeVar("Shape")


class McpLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a server: time for its start and for a call, length of results."""

    seconds: float = 10.0
    """For one call."""
    start_seconds: float = 60.0
    """For starting and for its list of tools."""
    longest: int = 65536
    """Characters of one result."""


class LostServerError(Exception):
    """The server is gone, or gave no answer in time (`late`)."""

    def __init__(self, late: bool) -> None:
        super().__init__("late" if late else "gone")
        self.late = late


class RefusedError(Exception):
    """The server's answer is an error, or not as the protocol has it."""

    def __init__(self, reason: str) -> None:
        text = " ".join(reason.split())
        most = 2 * MOST_SAID
        super().__init__(text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)")


class Block(msgspec.Struct, frozen=True):
    """A part of a result."""

    type: str
    text: str | None = None


class CallResult(msgspec.Struct, frozen=True, rename="camel"):
    """What a server answers to a call."""

    content: list[Block]
    structured_content: dict[str, Any] | None = None
    is_error: bool = False


class _Fault(msgspec.Struct, frozen=True):
    code: int
    message: str


class _Answer(msgspec.Struct, frozen=True):
    result: dict[str, Any] | None = None
    error: _Fault | None = None


class _Server(msgspec.Struct, frozen=True):
    name: str


class _About(msgspec.Struct, frozen=True, rename="camel"):
    protocol_version: str
    server_info: _Server


class _Page(msgspec.Struct, frozen=True, rename="camel"):
    tools: list[dict[str, Any]]
    next_cursor: str | None = None


class McpSession:
    """One server process, asked for one thing after the other.

    It gets PATH, HOME and the like, but none of the other variables. What it prints to its stdout without its being a
    message is passed over. A command `python` is the interpreter that runs this program, which has the packages that it has.

    Raises:
        SpecError: when it cannot be started.
    """

    def __init__(self, command: Sequence[str], limits: McpLimits) -> None:
        if not command:
            raise SpecError("the command that starts an MCP server is empty")
        self._command, self._limits = tuple(command), limits
        self.owner = os.getpid()
        """The id of the process that started it: a forked worker starts a server of its own."""
        self.is_lost = False
        self._asked = 0
        own = command[0] in ("python", "python3")
        words = [sys.executable if own else command[0], *command[1:]]
        environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
        try:
            self._program = LineProgram(Sandbox(environment), words, PROGRAM_LIMITS)
        except (OSError, NoAnswerError, DisconnectedError) as fault:
            raise SpecError(f"{shlex.join(command)}: no process can be started for the MCP server ({fault})") from None
        self._program.allow(limits.start_seconds, _MOST_BYTES)
        self.name = self._at_start(self._greet, "cannot be started")
        """What the server calls itself."""

    def list_tools(self) -> list[dict[str, Any]]:
        """Return all tools as the server describes them; the time for the start goes on.

        Raises:
            SpecError: when it gives no list, or one without end.
        """
        return self._at_start(self._all_pages, "gave no list of tools")

    def call(self, name: str, arguments: dict[str, Any]) -> CallResult:
        """Return what the server answers.

        Raises:
            LostServerError: when it is gone, gives no answer in time or writes too much; it is ended then.
            RefusedError: when it refuses the call, or its answer is not as the protocol has it.
        """
        self._program.allow(self._limits.seconds, _MOST_BYTES)
        try:
            return self._ask("tools/call", {"name": name, "arguments": arguments}, CallResult)
        except (NoAnswerError, DisconnectedError, MalformedAnswerError) as fault:
            self.is_lost = True
            self._program.end()
            raise LostServerError(late=isinstance(fault, NoAnswerError)) from None

    def close(self) -> None:
        """End the server with all that it has started, if this process started it."""
        self._program.end(0.0 if self.is_lost else _GRACE)

    def _at_start(self, step: Callable[[], Found], failing: str) -> Found:
        """Return what a step returns; when it fails the server is ended, and what it said is told."""
        try:
            return step()
        except (NoAnswerError, DisconnectedError, MalformedAnswerError, RefusedError) as fault:
            ended = self._program.end()
            reason = str(fault)
            if isinstance(fault, NoAnswerError):
                reason = f"no answer within {self._limits.start_seconds:g} seconds"
            elif isinstance(fault, DisconnectedError):
                reason = ended.fault or f"its process ended: {ended.reason}"
            said = output_tail(ended)
            told = f"{reason}; it said: {said}" if said else reason
            raise SpecError(f"{shlex.join(self._command)}: the MCP server {failing} ({told})") from None

    def _greet(self) -> str:
        """Begin the session (`initialize`) and return the server's name; raises RefusedError for an unknown version of the protocol."""
        us = {"name": "generator", "version": "0"}
        asked = {"protocolVersion": _VERSIONS[0], "capabilities": {}, "clientInfo": us}
        about = self._ask("initialize", asked, _About)
        if about.protocol_version not in _VERSIONS:
            raise RefusedError(f"it speaks version {about.protocol_version!r} of the protocol, which is not known here")
        self._send({"method": "notifications/initialized"})
        return about.server_info.name

    def _all_pages(self) -> list[dict[str, Any]]:
        """Return all tools of the server's list, page by page."""
        tools: list[dict[str, Any]] = []
        asked: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            page = self._ask("tools/list", asked, _Page)
            tools += page.tools
            if len(tools) > _MOST_TOOLS:
                raise RefusedError(f"it has more than {_MOST_TOOLS:,} tools")
            if not page.next_cursor:
                return tools
            asked = {"cursor": page.next_cursor}
        raise RefusedError(f"its list has more than {_MOST_PAGES:,} pages")

    def _ask(self, method: str, params: dict[str, Any], shape: type[Shape]) -> Shape:
        """Send a request of a method with its parameters, and return the answer; what the server asks or notifies meanwhile is answered or ignored."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = _message(self._program.receive())
            if "method" in message:
                self._reply(message)
            elif type(message.get("id")) is int and message["id"] == self._asked:
                return _converted_result(message, shape)

    def _reply(self, message: dict[str, Any]) -> None:
        """Answer what a server asks for: that we are there, and nothing else. Notifications have no id."""
        if "id" not in message:
            return
        known: dict[str, Any] = (
            {"error": {"code": _NO_METHOD, "message": "this client offers nothing"}}
            if message["method"] != "ping"
            else {"result": {}}
        )
        self._send({"id": message["id"], **known})

    def _send(self, message: dict[str, Any]) -> None:
        self._program.send(json.dumps({"jsonrpc": "2.0", **message}).encode())


def _message(line: bytes) -> dict[str, Any]:
    """Return a message; an empty one for whatever else is printed."""
    try:
        message = loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _converted_result(message: dict[str, Any], shape: type[Shape]) -> Shape:
    """Return a JSON-RPC answer as a struct; raises RefusedError for an error or another shape."""
    try:
        answer = msgspec.convert(message, _Answer)
        if answer.error is not None:
            raise RefusedError(answer.error.message or f"error {answer.error.code}")
        return msgspec.convert(answer.result, shape)
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as fault:  # the last for keys of half a letter
        raise RefusedError(f"its answer is not as the protocol has it: {fault}") from None
