"""What the tools of the MCP server `mcp-server-time` answer, computed here with the conversation's clock.

recipes/mcp.yaml takes the tools from the server and their answers from this module (`TOOLS` style, see store_tools.py).
"""

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_ZONE = {"type": "string", "description": "IANA name of a time zone, e.g. Europe/Oslo"}


def _tool(name: str, description: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    _tool("get_current_time", "Tell the time in a time zone.", {"timezone": _ZONE}),
    _tool(
        "convert_time",
        "Tell what a time of today in one time zone is in another.",
        {
            "source_timezone": _ZONE,
            "time": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$", "description": "Time of day, e.g. 14:30"},
            "target_timezone": _ZONE,
        },
    ),
]


def handle_tool_call(tool_name: str, tool_input: dict[str, Any]) -> str:
    """The result of a call, as JSON."""
    if tool_name == "get_current_time":
        found = datetime.now(_zone(tool_input["timezone"]))
        return json.dumps({"timezone": tool_input["timezone"], "time": f"{found:%H:%M}", "day_of_week": f"{found:%A}"})
    if tool_name == "convert_time":
        hour, minute = map(int, tool_input["time"].split(":"))
        source = datetime.now(_zone(tool_input["source_timezone"])).replace(hour=hour, minute=minute)
        target = source.astimezone(_zone(tool_input["target_timezone"]))
        return json.dumps({"timezone": tool_input["target_timezone"], "time": f"{target:%H:%M}", "day_of_week": f"{target:%A}"})
    raise ValueError(f"Unknown tool: {tool_name}")


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"There is no time zone {name}") from None
