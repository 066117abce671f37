"""Tools of a running MCP server, asked for over stdin and stdout. Needs the extra `mcp`."""

import shlex
from functools import cache
from typing import Any

from generator.errors import SpecError
from generator.handlers.mcp_session import needs_the_extra, open_session, reason_of
from generator.specs.found import FoundTool
from generator.specs.readers.mcp import found_tool

KIND = "mcp"
SECONDS = 60.0
"""How long a server may take to start and answer."""
_MOST_PAGES = 1000
_MOST_TOOLS = 20_000


@cache
def list_server_tools(command: tuple[str, ...], seconds: float = SECONDS) -> tuple[FoundTool, ...]:
    """Start the server, list its tools, end it. What it prints that is no message is ignored.

    The server gets PATH, HOME and the like, but none of the other variables, which may hold secrets.

    Raises:
        SpecError: when the extra is not installed, or the server cannot be started or gives no answer in time.
    """
    name = shlex.join(command)
    server, tools = _ask(command, name, seconds)
    return tuple(found_tool(tool, f"{name}:{index}", server, server) for index, tool in enumerate(tools, start=1))


def _ask(command: tuple[str, ...], name: str, seconds: float) -> tuple[str, list[dict[str, Any]]]:
    import asyncio  # it takes longer to import than all readers

    needs_the_extra(name)
    try:
        return asyncio.run(asyncio.wait_for(_list_tools(command, seconds), seconds))
    except TimeoutError:
        raise SpecError(f"{name}: the MCP server gave no answer within {seconds:g} seconds") from None
    except Exception as fault:  # of the server, of its process and of the protocol: all are told as one
        raise SpecError(f"{name}: the MCP server gave no list of tools ({reason_of(fault)})") from None


async def _list_tools(command: tuple[str, ...], seconds: float) -> tuple[str, list[dict[str, Any]]]:
    async with open_session(command, seconds) as (session, about):
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await session.list_tools(cursor)
            tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.nextCursor
            if not cursor:
                return about.serverInfo.name, tools
            if len(tools) > _MOST_TOOLS:
                raise SpecError(f"it has more than {_MOST_TOOLS:,} tools")
        raise SpecError(f"its list has more than {_MOST_PAGES:,} pages")
