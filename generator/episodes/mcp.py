"""An episode as an MCP server over stdin and stdout: the row's tools with their schemas as they are, and one to talk to the user.

One episode a process. The prompt `task`, and the instructions of the server, hold what the user asks for. Needs the extra `episodes`.
"""

import asyncio
import json
import logging
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from generator.core.conversation import SystemMessage, Tool, UserMessage
from generator.core.errors import GeneratorError, installing
from generator.episodes.episode import Episode
from generator.episodes.replay import transcript_of
from generator.formats.sinks import writing

TALK = "talk_to_user"
TALK_DESCRIPTION = "Say something to the user: a question, or the answer. Returns what the user says to it, or that the conversation is over."
TALK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "What you say."}},
    "required": ["text"],
    "additionalProperties": False,
}
OVER = "The conversation is over."


def talk_tool(episode: Episode, name: str = TALK) -> Tool:
    """Return the tool to talk to the user with, under a name that none of the row's tools has."""
    while any(tool.name == name for tool in episode.tools):
        name += "_"
    return Tool(name=name, description=TALK_DESCRIPTION, parameters=TALK_SCHEMA)


def task_text(episode: Episode) -> str:
    """Return an agent's first input: the system messages and the user's request."""
    return "\n\n".join(
        str(message.content) for message in episode.messages if isinstance(message, SystemMessage | UserMessage)
    )


def serve_mcp(episode: Episode, transcript: Path | None = None) -> None:
    """Serve an episode that has been begun until the client is gone; its transcript, with its score, is then added to a file.

    Raises:
        OutputError: when the file cannot be written, before anything is served.
        GeneratorError: when the package `mcp` is not installed.
    """
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError:
        raise GeneratorError(f"an MCP server needs the package mcp: {installing('episodes')}") from None
    server = server_of(episode)
    logging.disable()  # the client is answered what is wrong with a request; nobody here wants pages about it

    # streams of its own, since the library's close those of the process
    given = anyio.wrap_file(os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace"))
    told = anyio.wrap_file(os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8"))

    async def run() -> None:
        async with stdio_server(given, told) as (came, goes):
            await server.run(came, goes, server.create_initialization_options())

    with ExitStack() as stack:
        if transcript is not None:
            stack.enter_context(writing(transcript))
            file = stack.enter_context(transcript.open("a", encoding="utf-8"))
            stack.callback(lambda: file.write(json.dumps(transcript_of(episode), ensure_ascii=False) + "\n"))
        try:
            asyncio.run(run())
        except* (BrokenPipeError, anyio.ClosedResourceError, anyio.BrokenResourceError):  # the client is gone
            pass


def server_of(episode: Episode) -> Any:
    """Return the MCP server of an episode that has been begun."""
    from mcp import types
    from mcp.server.lowlevel import Server

    server: Any = Server("episode", instructions=task_text(episode))
    talk = talk_tool(episode)

    async def list_tools() -> list[Any]:
        return [
            types.Tool(name=tool.name, description=tool.description, inputSchema=tool.parameters or {"type": "object"})
            for tool in (*episode.tools, talk)
        ]

    async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
        if name == talk.name:
            said = episode.say(str(arguments.get("text", "")))
            return types.CallToolResult(content=[types.TextContent(type="text", text=OVER if said is None else said)])
        content = episode.call(name, arguments)
        failed = bool(getattr(episode.messages[-1], "is_error", False))
        return types.CallToolResult(content=[types.TextContent(type="text", text=content)], isError=failed)

    async def list_prompts() -> list[Any]:
        return [types.Prompt(name="task", description="What the user asks for.")]

    async def get_prompt(name: str, arguments: dict[str, str] | None) -> Any:
        text = types.TextContent(type="text", text=task_text(episode))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    server.list_tools()(list_tools)
    server.call_tool(validate_input=False)(call_tool)  # or the library's errors would take the place of the tools'
    server.list_prompts()(list_prompts)
    server.get_prompt()(get_prompt)
    return server
