"""Tools of a running MCP server, asked for over stdin and stdout."""

import shlex
from functools import cache

from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.mcp import found_tool
from generator.world.backends.python.mcp_session import McpLimits, McpSession

KIND = "mcp"
SECONDS = 60.0
"""How long a server may take to start and list its tools."""


@cache
def list_server_tools(command: tuple[str, ...], seconds: float = SECONDS) -> tuple[FoundTool, ...]:
    """Start the server, list its tools, end it. What it prints that is no message is ignored.

    The server gets PATH, HOME and the like, but none of the other variables, which may hold secrets.

    Raises:
        SpecError: when the server cannot be started, or gives no list of tools in time.
    """
    name = shlex.join(command)
    session = McpSession(command, McpLimits(start_seconds=seconds))
    tools = session.list_tools()
    session.close()
    return tuple(
        found_tool(tool, f"{name}:{index}", session.name, session.name) for index, tool in enumerate(tools, start=1)
    )
