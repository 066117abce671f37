"""Episodes as an environment of OpenEnv: a server over WebSocket, with an episode for each session. Needs the extra `openenv`.

Actions are OpenEnv's own: `CallToolAction` calls a tool of the row, or `respond`, which says something to the user; `ListToolsAction`
gives the tools with their schemas as they are. OpenEnv's `MCPEnvironment` would make schemas of its own from Python functions.
"""

import itertools
import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import msgspec

from generator.core.conversation import SystemMessage, Tool, UserMessage
from generator.core.errors import GeneratorError, installing
from generator.episodes.episode import Episode
from generator.episodes.mcp import OVER, talk_tool
from generator.formats.format import tool_object
from generator.formats.openai_messages import chat_entry

try:
    import uvicorn
    from fastapi.responses import JSONResponse
    from openenv.core.env_server import mcp_types as actions
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State
except ImportError:
    raise GeneratorError(f"an OpenEnv server needs the package openenv: {installing('openenv')}") from None

RESPOND = "respond"
MOST_SESSIONS = 1024
MOST_WITH_PROCESSES = 64
"""Sessions whose calls are answered by Python code, which takes three processes for each."""
IDLE_SECONDS = 3600
"""How long a session that a client has left behind is kept."""
MOST_SKIPPED = 100
"""How many rows in a row that cannot be played (documents) are passed over when a client does not say which it wants."""


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """What a server gives to its sessions."""

    name: str
    """The environment's name in OpenEnv's task routes: the recipe's."""
    splits: dict[str, Sequence[int]]
    """The indices of the rows of each split; there is at least one row."""
    episode: Callable[[], Episode]
    """Returns an episode that any of the rows can be played in."""
    next: Iterator[int]
    """Numbers of the tasks of clients that do not say which they want, in all sessions together."""


class Begun(Observation):
    """What an agent sees first."""

    messages: list[dict[str, Any]]
    """The system message and the user's request, as in OpenAI's API."""
    functions: list[dict[str, Any]]
    """The tools, as in OpenAI's API, `respond` last. OpenEnv's clients would take a field `tools` for another observation."""
    respond: str
    """The name of the tool that says something to the user: `respond`, or another where the row has such a tool."""


class EpisodeState(State):
    """Where a session is."""

    split: str = ""
    index: int = -1
    """Of the task in its split."""
    row: int = -1
    """Of the row in the recipe; -1 before `reset`."""
    ended: str = ""
    """Why the episode is over; empty while it goes on."""


class EpisodeEnvironment(Environment):
    """One session: rows that are played one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self._rows, self._episode = rows, rows.episode()
        self._state = EpisodeState()
        self._talk = talk_tool(self._episode, RESPOND)

    # -- tasks -------------------------------------------------------------------------------------------------------------

    def list_splits(self) -> list[str]:
        """Return the names of the recipe's splits, or `train` where it has none."""
        return list(self._rows.splits)

    def num_tasks(self, split: str) -> int:
        """Return how many rows a split has; documents, which cannot be played, are counted."""
        return len(self._rows_of(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task; raises IndexError when there is none."""
        row = self._rows_of(split)[_checked_index(index, len(self._rows_of(split)))]
        return {"id": f"{split}-{index}", "split": split, "index": index, "row": row}

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the first tasks of a split."""
        return self.get_task_range(split)

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Return the tasks of a slice, a thousand at most."""
        return [self.get_task(split, index) for index in range(len(self._rows_of(split)))[start:stop][:1000]]

    def _rows_of(self, split: Any) -> Sequence[int]:
        """Return the indices of the rows of a split; raises GeneratorError where there is none of this name."""
        found = self._rows.splits.get(split) if isinstance(split, str) else None
        if found is None:
            raise GeneratorError(
                f"split {split!r}: there is none of this name; there are {', '.join(self._rows.splits)}"
            )
        return found

    # -- playing -----------------------------------------------------------------------------------------------------------

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        **others: Any,
    ) -> Begun:
        """Begin an episode: of a task of the split (the first unless given), or of a row that the seed chooses; the state has `episode_id`."""
        if others:
            raise GeneratorError(f"reset takes seed, episode_id, split and index, not {', '.join(others)}")
        if seed is not None and type(seed) is not int:
            raise GeneratorError(f"seed {seed!r}: a whole number is expected")
        split = next(iter(self._rows.splits)) if split is None else split
        index = self._begin_any(split, seed) if index is None else self._begin_task(split, index)
        episode = self._episode
        self._talk = talk_tool(episode, RESPOND)
        row = episode.task.row.index if episode.task is not None else -1
        self._state = EpisodeState(episode_id=episode_id or str(uuid.uuid4()), split=split, index=index, row=row)
        return Begun(
            messages=[chat_entry(message, as_text=True) for message in episode.messages],
            functions=[tool_object(tool) for tool in self._tools()],
            respond=self._talk.name,
        )

    def step(self, action: Action, timeout_s: float | None = None, **others: Any) -> Observation:
        """Make a call, say something to the user, or list the tools.

        The reward is given once, by the step that ends the episode, with the score and its parts as metadata; sums of rewards are right.
        """
        if isinstance(action, actions.ListToolsAction):
            return actions.ListToolsObservation(
                tools=[_tool_of_openenv(tool) for tool in self._tools()], done=self._episode.done
            )
        if not isinstance(action, actions.CallToolAction):
            raise GeneratorError("an action is CallToolAction or ListToolsAction")
        episode, over, error = self._episode, self._episode.done, None
        if action.tool_name == self._talk.name:
            result = self._say(str(action.arguments.get("text", "")))
        else:
            result = episode.call(action.tool_name, action.arguments)
            if all(tool.name != action.tool_name for tool in episode.tools):
                error = actions.ToolError(error_type=actions.ToolErrorType.TOOL_NOT_FOUND, message=result)
        reward, metadata = 0.0, {}
        if episode.done and not over:
            score = episode.score()
            reward, metadata = score.reward, {"score": msgspec.to_builtins(score)}
        self._state.step_count += 1
        self._state.ended = episode.ended
        return actions.CallToolObservation(
            tool_name=action.tool_name, result=result, error=error, done=episode.done, reward=reward, metadata=metadata
        )

    @property
    def state(self) -> EpisodeState:
        """Where the session is."""
        return self._state

    def close(self) -> None:
        """End the episode."""
        self._episode.close()

    # -- inside ------------------------------------------------------------------------------------------------------------

    def _begin_task(self, split: str, index: Any) -> int:
        """Begin the episode of a task; return its index."""
        rows = self._rows_of(split)
        self._episode.reset(rows[_checked_index(index, len(rows))])
        return int(index)

    def _begin_any(self, split: str, seed: int | None) -> int:
        """Begin a row that the client has not chosen; return its place in the split."""
        count = len(self._rows_of(split))
        for skipped in range(MOST_SKIPPED):
            index = (next(self._rows.next) if seed is None else seed + skipped) % count
            try:
                return self._begin_task(split, index)
            except GeneratorError as fault:
                why = fault
        raise why

    def _tools(self) -> list[Tool]:
        """Return the tools of the row, none before one is begun, and the one to talk to the user."""
        return [*self._episode.tools, self._talk]

    def _say(self, text: str) -> str:
        """Say something to the user; return what comes back."""
        episode = self._episode
        before = len(episode.messages)
        if episode.say(text) is None:
            return OVER
        came = [one for one in episode.messages[before:] if isinstance(one, SystemMessage | UserMessage)]
        return "\n\n".join(str(one.content) for one in came)


def _checked_index(index: Any, count: int) -> int:
    """Return an index; raises IndexError for what is no whole number below `count`."""
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
        raise IndexError(f"index {index!r}: a whole number from 0 to {count - 1} is expected")
    return index


def _tool_of_openenv(tool: Tool) -> Any:
    """Return a tool as OpenEnv lists it."""
    return actions.Tool(
        name=tool.name, description=tool.description or "", input_schema=tool.parameters or {"type": "object"}
    )


class LocalPages:
    """Refuses, in front of an ASGI application, web pages that are not from this machine. What is no browser names no origin."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or pass it on."""
        origins = [value for name, value in scope.get("headers", ()) if name == b"origin"]
        if all(map(_is_local, origins)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            refusal = JSONResponse({"detail": "pages of other machines are not answered"}, status_code=403)
            await refusal(scope, receive, send)


def _is_local(origin: bytes) -> bool:
    """Whether a page, by its origin, is from this machine."""
    try:
        return urlsplit(origin.decode("latin-1")).hostname in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False


def app_of(
    name: str, episode: Callable[[], Episode], splits: dict[str, Sequence[int]], sessions: int = MOST_SESSIONS
) -> Any:
    """Return the server as an ASGI application; `splits` are indices of rows, and those without any are left out.

    Raises:
        GeneratorError: when there are no rows.
    """
    splits = {split: rows for split, rows in splits.items() if len(rows)}
    if not splits:
        raise GeneratorError("the recipe has no rows")
    rows = Rows(name=name, splits=splits, episode=episode, next=itertools.count())
    app = create_fastapi_app(
        partial(EpisodeEnvironment, rows),
        actions.CallToolAction,
        actions.CallToolObservation,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=IDLE_SECONDS),
        env_name=name,
        state_cls=EpisodeState,
        mode="simulation",
        reset_observation_cls=Begun,
    )
    app.add_middleware(LocalPages)
    for fault in (GeneratorError, IndexError):  # of the HTTP routes; over WebSocket OpenEnv tells faults itself
        app.add_exception_handler(fault, lambda _, told: JSONResponse({"detail": str(told)}, status_code=400))
    return app


def serve_openenv(app: Any, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve until the process is interrupted, on any free port for 0; `ready` is called with the URL once clients can connect.

    Raises:
        GeneratorError: when the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=MOST_SESSIONS)
    except OSError as fault:
        raise GeneratorError(f"{host}:{port}: no server can listen there ({fault.strerror or fault})") from None
    with listening:
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        ready(f"http://{shown}:{listening.getsockname()[1]}")
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listening])
