"""How a tool is declared in a text, as a dialect's `tools.text` names it."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.core.toolbox import once_per_tool
from generator.formats.format import tool_object, tool_text
from generator.formats.text import Scanner, spaced_json, tool_json
from generator.formats.texts import tools_in_typescript, tools_in_xml


class ToolText(msgspec.Struct, frozen=True):
    """One way to declare a tool."""

    begins: str
    """How every tool begins; empty where tools go on until the words behind them."""
    write: Callable[[Tool], str]
    read: Callable[[Scanner], Any]
    """Read the tool object that begins here."""
    carried: Callable[[Tool], Tool | None] = lambda tool: tool
    """The tool as it is read again; None for a tool that cannot be."""


def _read_json_line(scanner: Scanner) -> Any:
    scanner.take("\n")
    return scanner.json()


def _write_compact(tool: Tool) -> str:
    return json.dumps(tool_object(tool), ensure_ascii=False, separators=(",", ":"))


@once_per_tool
def _write_indented(tool: Tool) -> str:
    return f"{json.dumps(tool_object(tool), ensure_ascii=False, indent=4)}\n\n"


def _read_indented(scanner: Scanner) -> Any:
    tool = scanner.json()
    scanner.take("\n\n")
    return tool


_PARAMETERS = "\n\nParameters: "


def _write_headed(tool: Tool) -> str:
    """Return a tool under a heading with its name: `### get_weather`, a description, parameters as JSON."""
    return (
        f"\n\n### {tool.name}\nDescription: {tool.description or ''}{_PARAMETERS}{spaced_json(tool.parameters or {})}"
    )


def _read_headed(scanner: Scanner) -> Any:
    """Read a tool as `_write_headed` writes it: a heading with its name, a description, parameters as JSON."""
    scanner.take("\n\n### ")
    name = scanner.until("\nDescription: ")
    description = scanner.until(_PARAMETERS)
    return {"type": "function", "function": {"name": name, "description": description, "parameters": scanner.json()}}


@once_per_tool
def _with_description_and_schema(tool: Tool) -> Tool:
    return Tool(name=tool.name, description=tool.description or "", parameters=tool.parameters or {})


def _carried_headed(tool: Tool) -> Tool | None:
    return None if _PARAMETERS in f"{tool.description}\n" else _with_description_and_schema(tool)


TOOL_TEXTS = {
    "lines": ToolText("\n{", lambda tool: f"\n{tool_json(tool)}", _read_json_line),
    "compact lines": ToolText("\n{", lambda tool: f"\n{tool_text(tool)}", _read_json_line),
    "described": ToolText("{", tool_json, Scanner.json, _with_description_and_schema),
    "compact": ToolText("{", _write_compact, Scanner.json),
    "indented": ToolText('{\n    "type": "function",\n    "function": {', _write_indented, _read_indented),
    "headed": ToolText("\n\n### ", _write_headed, _read_headed, _carried_headed),
    "xml": ToolText("\n<function>", tools_in_xml.write_tool, tools_in_xml.read_tool, tools_in_xml.carried_tool),
    "typescript": ToolText(
        "", tools_in_typescript.write_tool, tools_in_typescript.read_tool, tools_in_typescript.carried_tool
    ),
}
