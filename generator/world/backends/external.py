"""Backends that are not simulated: web servers, MCP servers, Python modules, recordings, and a mix of them by tool."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from generator.core.conversation import ToolCall
from generator.core.declared import read
from generator.core.documents import read_lines
from generator.core.errors import BackendError, SpecError
from generator.core.exact_json import loads
from generator.core.offline_schemas import validator
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.world.backends.lifecycle import ENDED, NOT_TEXT, TIMED_OUT, Handlers
from generator.world.backends.mcp_session import CallResult, LostServerError, McpLimits, McpSession, RefusedError
from generator.world.backends.process import Limits
from generator.world.outcome import World, Worlds, read_outcome
from generator.world.state import Entities, State, entities_of, state_of

MOST_AT_FIRST = 5
"""Equal failures in a row of what has not answered yet."""
MOST_LATER = 25
"""The same of what has answered before, so that a tool that is at times too slow costs rows, not the run."""
_ANY = ""


class _Conversation(AbstractContextManager["_Conversation"]):
    """A world that ends with its conversation."""

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """End what was opened for the conversation."""

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the answers to calls, asked for one after the other in their order."""
        return tuple([self._answer(call) for call in calls])

    def _answer(self, call: ToolCall) -> Outcome:
        raise NotImplementedError


class Silence:
    """Counts, for one backend and each of its tools, equal failures in a row that are no answer.

    Each worker counts its own. A refusal is an answer.
    """

    def __init__(self) -> None:
        self._failed: dict[str, tuple[str, int]] = {}
        self._answered: set[str] = set()

    def answer(self, tool: str) -> None:
        """Note that a call was answered."""
        for counted in (tool, _ANY):
            self._answered.add(counted)
            self._failed.pop(counted, None)

    def failure(self, tool: str, reason: str) -> None:
        """Note that a call was not answered: time was up, the process ended, or nobody is there.

        Raises:
            BackendError: when that has come too often.
        """
        for counted in (tool, _ANY):
            last_reason, count = self._failed.get(counted, (reason, 0))
            count = count + 1 if last_reason == reason else 1
            self._failed[counted] = reason, count
            if count >= (MOST_LATER if counted in self._answered else MOST_AT_FIRST):
                raise BackendError(f"the backend of {tool!r} never answers: {reason} ({count} times in a row)")


class RecordedCall(Struct, frozen=True, kw_only=True):
    """One line of the file."""

    tool: Annotated[str, Meta(min_length=1)]
    arguments: dict[str, Any]
    result: Any = UNSET
    error: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for both a result and an error, or neither."""
        if (self.result is UNSET) == (self.error is None):
            raise ValueError("either 'result' or 'error' is expected")


class Recorded:
    """The backend of one file. A call that is recorded several times gives its answers in turn, the last one from then on.

    Raises:
        SpecError: with `file:line` for a line that is wrong.
    """

    def __init__(self, path: Path) -> None:
        self._answers: dict[str, list[Outcome]] = {}
        for document in read_lines(path, SpecError):
            line = read(RecordedCall, document, document.value, (), SpecError)
            self._answers.setdefault(_call_key(line.tool, line.arguments), []).append(_outcome_of_recording(line))
        if not self._answers:
            raise SpecError(f"{path}:1: no call is recorded in this file")

    def arguments_of(self, tool: str) -> list[dict[str, Any]]:
        """Return the arguments with which a tool was called and gave a result."""
        recorded = [(loads(key), answers[0].ok) for key, answers in self._answers.items()]
        return [arguments for (name, arguments), ok in recorded if name == tool and ok]

    def open(self, today: date, salt: int = 0) -> "RecordedWorld":
        """Return a world in which every answer is there to be given again."""
        return RecordedWorld(self._answers)


class RecordedWorld(_Conversation):
    """The answers of one conversation."""

    def __init__(self, answers: dict[str, list[Outcome]]) -> None:
        self._answers = answers
        self._times_given: dict[str, int] = {}

    def _answer(self, call: ToolCall) -> Outcome:
        key = _call_key(call.name, call.arguments)
        outcomes = self._answers.get(key)
        if outcomes is None:
            return Outcome(False, f"{ERROR}No answer is recorded for {call.name} with these arguments")
        turn = self._times_given.get(key, 0)
        self._times_given[key] = turn + 1
        return outcomes[min(turn, len(outcomes) - 1)]


def _call_key(tool: str, arguments: dict[str, Any]) -> str:
    """Return a text that equal calls share: `["add", {"a": 1}]`."""
    return json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False)


def _outcome_of_recording(line: RecordedCall) -> Outcome:
    """Return the outcome that a line of a recording stands for: its error, or its result as text."""
    if line.error is not None:
        return Outcome(False, line.error if line.error.startswith(ERROR) else f"{ERROR}{line.error}")
    return read_outcome(line.result if isinstance(line.result, str) else json.dumps(line.result, ensure_ascii=False))


_MOST_BYTES = 1 << 20
_MAY_PASS = frozenset({408, 425, 429, 500, 502, 503, 504})


class HttpLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long an answer may take, and how often it is asked for."""

    seconds: float = 10.0
    attempts: int = 4
    longest_wait: float = 5.0
    """Seconds between two attempts, at most."""


class _TransientFailure(Exception):  # noqa: N818
    """A failure after which another attempt may succeed."""


class _NoAnswer(_TransientFailure):
    """There was no answer."""


class Http:
    """The backend of one URL.

    The request also tells `conversation` (the salt) and `today`, so that a server can keep a state for each
    conversation. Rows made with it are the same again only if the server answers the same again.
    """

    def __init__(self, url: str, limits: HttpLimits | None = None) -> None:
        self.url, self.limits = url, limits or HttpLimits()
        self.silence = Silence()

    def open(self, today: date, salt: int = 0) -> "HttpWorld":
        """Return a world that tells the server which conversation it is."""
        return HttpWorld(self, {"conversation": str(salt), "today": today.isoformat()})


class HttpWorld(_Conversation):
    """One conversation with a server."""

    def __init__(self, backend: Http, about: dict[str, str]) -> None:
        self._backend, self._about = backend, about

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the server's answers, asked for at once."""
        import asyncio  # it takes longer to import than the rest of this package

        return tuple(asyncio.run(self._ask_all(calls)))

    async def _ask_all(self, calls: Sequence[ToolCall]) -> list[Outcome]:
        """Return the server's answers to calls that are asked at once, in their order."""
        import asyncio

        import aiohttp

        timeout = aiohttp.ClientTimeout(total=self._backend.limits.seconds)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            return list(await asyncio.gather(*[self._ask(session, call) for call in calls]))

    async def _ask(self, session: Any, call: ToolCall) -> Outcome:
        """Return the server's answer to a call, asked for again after passing failures; a failed outcome where there is none."""
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

        limits = self._backend.limits
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_TransientFailure),
            stop=stop_after_attempt(limits.attempts),
            wait=wait_random_exponential(multiplier=0.1, max=limits.longest_wait),
            reraise=True,
        )
        try:
            outcome: Outcome = await retrying(self._ask_once, session, call)
        except _NoAnswer as fault:
            self._backend.silence.failure(call.name, str(fault))
            return Outcome(False, f"{ERROR}{fault}")
        except _TransientFailure as fault:
            outcome = Outcome(False, f"{ERROR}{fault}")
        self._backend.silence.answer(call.name)
        return outcome

    async def _ask_once(self, session: Any, call: ToolCall) -> Outcome:
        """Return the answer to one HTTP request for a call; raises _TransientFailure where another attempt may succeed."""
        import aiohttp

        body = {"name": call.name, "arguments": call.arguments, **self._about}
        data = bytearray()
        try:
            async with session.post(self._backend.url, json=body, allow_redirects=False) as answer:
                async for chunk in answer.content.iter_chunked(1 << 16):
                    data += chunk
                    if len(data) > _MOST_BYTES:
                        break
                status = answer.status
        except TimeoutError:
            raise _NoAnswer("Tool execution timed out") from None
        except aiohttp.ClientError as fault:
            raise _NoAnswer(f"Tool server cannot be reached ({type(fault).__name__})") from None
        if status in _MAY_PASS:
            raise _TransientFailure(f"Tool server answered {status}")
        return _http_outcome(status, bytes(data))


def _http_outcome(status: int, data: bytes) -> Outcome:
    """Return the outcome of a final answer, one that asking again would not change."""
    if len(data) > _MOST_BYTES:
        return Outcome(False, f"{ERROR}Tool result is too long (more than {_MOST_BYTES:,} bytes)")
    try:
        content = data.decode()
    except UnicodeDecodeError:
        return Outcome(False, NOT_TEXT)
    if status >= 300 and not content.startswith(ERROR):
        return Outcome(False, f"{ERROR}Tool server answered {status}")
    return read_outcome(content)


class PythonTools:
    """The backend of one module. Conversations are served one after the other, each from a fresh state.

    `plain`: results must be plain text. `names` are the module's names of tools that are called otherwise here.

    Raises:
        SpecError: when the module cannot be loaded.
    """

    def __init__(
        self, module: str, limits: Limits | None = None, names: Mapping[str, str] | None = None, *, plain: bool = False
    ) -> None:
        self.handlers = Handlers(module, limits, plain=plain)
        self._names = dict(names or {})
        self._silence = Silence()

    def open(self, today: date, salt: int = 0) -> "PythonWorld":
        """Return a world in which chance comes from `salt` and the clock stands at noon of `today`."""
        self.handlers.open(salt, today)
        return PythonWorld(self.handlers, self._names, self._silence)

    def stop(self) -> None:
        """End the child process."""
        self.handlers.stop()


class PythonWorld(_Conversation):
    """One conversation with a handler."""

    def __init__(self, handlers: Handlers, names: Mapping[str, str], silence: Silence) -> None:
        self._handlers, self._names, self._silence = handlers, names, silence

    def close(self) -> None:
        """End what was opened for the conversation."""
        self._handlers.close()

    def checks_arguments(self, tool: str) -> bool:
        """Whether invalid arguments of a tool are refused here."""
        return True

    def _answer(self, call: ToolCall) -> Outcome:
        content = self._handlers.call(self._names.get(call.name, call.name), call.arguments)
        if content.startswith((TIMED_OUT, ENDED)):
            self._silence.failure(call.name, content.removeprefix(ERROR))
        else:
            self._silence.answer(call.name)
        return read_outcome(content)


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
        self._result_validators: dict[str, jsonschema_rs.Validator] | None = None
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
        """Return the world of one conversation in a session; the server is asked for its tools' output schemas first, once. `ends`: the session ends with it."""
        if self._result_validators is None:
            self._result_validators = dict(_validators_of_results(session.list_tools()))
        return McpWorld(session, self._names, self._limits, self._result_validators, self._silence, ends=ends)


class McpWorld(_Conversation):
    """One conversation with a server."""

    def __init__(
        self,
        session: McpSession,
        names: Mapping[str, str],
        limits: McpLimits,
        result_validators: "Mapping[str, jsonschema_rs.Validator]",
        silence: Silence,
        *,
        ends: bool,
    ) -> None:
        self._session, self._names, self._limits, self._ends = session, names, limits, ends
        self._result_validators, self._silence = result_validators, silence

    def close(self) -> None:
        """End what was opened for the conversation."""
        if self._ends:
            self._session.close()

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
        schema = self._result_validators.get(name)
        if schema is not None and not answer.is_error and not schema.is_valid(answer.structured_content):
            return Outcome(False, f"{ERROR}Tool result is not as its outputSchema has it")
        return _mcp_outcome(answer, self._limits.longest)


def _validators_of_results(tools: Sequence[Mapping[str, Any]]) -> "Iterator[tuple[str, jsonschema_rs.Validator]]":
    """Yield name and schema of results, of tools that have one that can be understood."""
    for tool in tools:
        name, schema = tool.get("name"), tool.get("outputSchema")
        if isinstance(name, str) and isinstance(schema, dict):
            with suppress(ValueError):
                yield name, validator(schema)


def _mcp_outcome(answer: CallResult, longest: int) -> Outcome:
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


def stop(backend: Worlds) -> None:
    """End the processes of a backend that has any."""
    ending = getattr(backend, "stop", None)
    if ending is not None:
        ending()


class Mixed:
    """The backend of tools that others answer: those of `by_tool`, and `usual` all that are not named there."""

    def __init__(self, usual: Worlds, by_tool: Mapping[str, Worlds]) -> None:
        self._usual, self._by_tool = usual, dict(by_tool)

    def answering(self, tool: str) -> Worlds:
        """Who answers the calls of a tool."""
        return self._by_tool.get(tool, self._usual)

    def stop(self) -> None:
        """End the processes of all backends."""
        for backend in (self._usual, *self._by_tool.values()):
            stop(backend)

    def open(self, today: date, salt: int = 0) -> "MixedWorld":
        """Return a world of worlds, one for each backend."""
        return MixedWorld(self._usual, self._by_tool, today, salt)


class MixedWorld(_Conversation):
    """The worlds of one conversation."""

    def __init__(self, usual: Worlds, by_tool: Mapping[str, Worlds], today: date, salt: int) -> None:
        self._stack = ExitStack()
        opened: dict[int, World] = {}
        with self._stack:
            for backend in (usual, *by_tool.values()):
                if id(backend) not in opened:
                    opened[id(backend)] = self._stack.enter_context(backend.open(today, salt))
            self._stack = self._stack.pop_all()
        self._usual = opened[id(usual)]
        self._declaring = next((world for world in opened.values() if state_of(world) is not None), self._usual)
        self._by_tool = {tool: opened[id(backend)] for tool, backend in by_tool.items()}

    def close(self) -> None:
        """End what was opened for the conversation."""
        self._stack.close()

    @property
    def entities(self) -> Entities | None:
        """Those of the world that has any."""
        return entities_of(self._declaring)

    @property
    def state(self) -> State | None:
        """That of the world that has one."""
        return state_of(self._declaring)

    def checks_arguments(self, tool: str) -> bool:
        """Whether the tool's own world refuses invalid arguments."""
        checks = getattr(self._by_tool.get(tool, self._usual), "checks_arguments", None)
        return checks is not None and bool(checks(tool))

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes, each world asked once for the calls that are its own."""
        groups: dict[int, tuple[World, list[int]]] = {}
        for index, call in enumerate(calls):
            world = self._by_tool.get(call.name, self._usual)
            groups.setdefault(id(world), (world, []))[1].append(index)
        outcomes: dict[int, Outcome] = {}
        for world, indexes in groups.values():
            outcomes |= zip(indexes, world.step([calls[index] for index in indexes]), strict=True)
        return tuple([outcomes[index] for index in range(len(calls))])
