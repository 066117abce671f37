"""Tools of a running MCP server, asked for over stdin and stdout. Needs the extra `mcp`."""

import logging
import os
import shlex
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from generator.errors import SpecError
from generator.specs.found import Found
from generator.specs.readers.mcp import found

KIND = "mcp"
SECONDS = 60.0
"""How long a server may take to start and answer."""
_MOST_PAGES = 1000


@cache
def read_server(command: tuple[str, ...], seconds: float = SECONDS) -> tuple[Found, ...]:
    """Start the server, list its tools, end it. What it prints that is no message is ignored.

    The server gets PATH, HOME and the like, but none of the other variables, which may hold secrets.

    Raises:
        SpecError: when the extra is not installed, or the server cannot be started or gives no answer in time.
    """
    name = shlex.join(command)
    server, tools = _ask(command, name, seconds)
    return tuple(found(tool, f"{name}:{index}", server, server) for index, tool in enumerate(tools, start=1))


def _ask(command: Sequence[str], name: str, seconds: float) -> tuple[str, list[dict[str, Any]]]:
    import asyncio  # it takes longer to import than all readers

    try:
        import mcp  # noqa: F401
    except ImportError:
        raise SpecError(f"{name}: to ask an MCP server, install the extra: pip install 'tool-use-generator[mcp]'") from None
    noise = logging.getLogger("mcp")
    level = noise.level
    noise.setLevel(logging.CRITICAL)
    try:
        return asyncio.run(asyncio.wait_for(_list_tools(command), seconds))
    except TimeoutError:
        raise SpecError(f"{name}: the MCP server gave no answer within {seconds:g} seconds") from None
    except Exception as fault:
        raise SpecError(f"{name}: the MCP server gave no list of tools ({_reason(fault)})") from None
    finally:
        noise.setLevel(level)


async def _list_tools(command: Sequence[str]) -> tuple[str, list[dict[str, Any]]]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    own = command[0] in ("python", "python3")  # the interpreter that runs us has the packages that we have
    program = StdioServerParameters(command=sys.executable if own else command[0], args=list(command[1:]))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230, PTH123
        async with (
            stdio_client(program, errlog=nowhere) as (from_server, to_server),
            ClientSession(from_server, to_server) as session,
        ):
            about = await session.initialize()
            tools: list[dict[str, Any]] = []
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                page = await session.list_tools(cursor)
                tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                cursor = page.nextCursor
                if not cursor:
                    break
            return about.serverInfo.name, tools


def _reason(fault: BaseException) -> str:
    """The innermost fault's words; anyio wraps them in groups."""
    while isinstance(fault, BaseExceptionGroup) and fault.exceptions:
        fault = fault.exceptions[0]
    return " ".join(str(fault).split()) or type(fault).__name__
