"""Tools as the template of Qwen3-Coder declares them: XML with one element for each key of a JSON Schema.

    <function>
    <name>get_weather</name>
    <description>The weather in a city.</description>
    <parameters>
    <parameter>
    <name>city</name>
    <type>string</type>
    <description>City</description>
    </parameter>
    <required>["city"]</required>
    </parameters>
    </function>

`type` is written as Jinja writes it (a list of types as Python does), other strings as they are, everything else as
JSON. What is read as JSON is JSON; what is not is a string. No parameters and any parameters are written alike, and read
as any: `{"type": "object"}`.
"""

import ast
import re
from typing import Any

from generator.core.conversation import Tool
from generator.core.errors import CannotCarryError
from generator.core.exact_json import loads
from generator.core.pointers import parts_of_object
from generator.core.toolbox import once_per_tool
from generator.formats.format import tool_object
from generator.formats.text import Scanner, read_again, spaced_json

_NOT_IN_TOOLS = re.compile(r"</?(?:function|name|type|description|parameters?)>|\n</")
"""What would be taken for an element."""
_ELEMENT = re.compile(r"\n<([^\s<>/]+)>(.*?)</\1>(?=\n<)", re.DOTALL)


def write_tool(tool: Tool) -> str:
    """Return one tool, from a line break on."""
    function = tool_object(tool)["function"]
    parameters = function.get("parameters")
    lines = [f"\n<function>\n<name>{tool.name}</name>"]
    if tool.description is not None:
        lines.append(f"\n<description>{tool.description.strip()}</description>")
    lines.append("\n<parameters>")
    for name, schema in parts_of_object(parameters)[0].items():
        lines += [f"\n<parameter>\n<name>{name}</name>", *_property_lines(schema), "\n</parameter>"]
    lines += _elements_of_other_keys(parameters, {"type", "properties"})
    lines.append("\n</parameters>")
    lines += _elements_of_other_keys(function, {"type", "name", "description", "parameters"})
    lines.append("\n</function>")
    return "".join(lines)


def _property_lines(schema: Any) -> list[str]:
    """Return the elements of the schema of an argument."""
    if not isinstance(schema, dict):
        return []
    lines = []
    if "type" in schema:
        lines.append(f"\n<type>{schema['type']}</type>")
    if "description" in schema:
        description = schema["description"]
        if not isinstance(description, str):
            raise CannotCarryError("$.tools: a description that is not text")
        lines.append(f"\n<description>{description.strip()}</description>")
    return lines + _elements_of_other_keys(schema, {"name", "type", "description"})


def _elements_of_other_keys(value: Any, handled: set[str]) -> list[str]:
    """Return elements for the keys that have none of their own."""
    if not isinstance(value, dict):
        return []
    texts = {
        key: part if isinstance(part, str) else spaced_json(part) for key, part in value.items() if key not in handled
    }
    return [f"\n<{key}>{text}</{key}>" for key, text in texts.items()]


def read_tool(scanner: Scanner) -> dict[str, Any]:
    """Return the tool object that begins here; raises FormatError."""
    scanner.take("\n<function>")
    start = scanner.at
    end = scanner.text.find("\n</function>", start)
    if end < 0:
        raise scanner.fault("this tool has no </function>", start)
    tool = _read_tool(scanner, start, end)
    scanner.at = end + len("\n</function>")
    return tool


def _read_tool(scanner: Scanner, start: int, end: int) -> dict[str, Any]:
    """Return the tool object between two places."""
    function: dict[str, Any] = {}
    text = scanner.text
    opening = text.find("\n<parameters>", start, end)
    closing = text.find("\n</parameters>", start, end)
    if opening < 0 or closing < 0:
        raise scanner.fault("this tool has no <parameters>", start)
    function |= _read_elements(scanner, start, opening)
    if not isinstance(function.get("name"), str):
        raise scanner.fault("this tool has no <name>", start)
    function["parameters"] = _read_parameters(scanner, opening + len("\n<parameters>"), closing)
    function |= {
        key: _json_or_text(part) for key, part in _read_elements(scanner, closing + len("\n</parameters>"), end).items()
    }
    return {"type": "function", "function": function}


def _read_parameters(scanner: Scanner, start: int, end: int) -> dict[str, Any]:
    """Return the schema that the elements of arguments say."""
    properties: dict[str, Any] = {}
    text = scanner.text
    while text.startswith("\n<parameter>", start):
        closing = text.find("\n</parameter>", start, end)
        if closing < 0:
            raise scanner.fault("this parameter has no </parameter>", start)
        schema = _read_elements(scanner, start + len("\n<parameter>"), closing)
        name = schema.pop("name", None)
        if name is None:
            raise scanner.fault("this parameter has no <name>", start)
        properties[name] = {key: _read_property(key, part) for key, part in schema.items()}
        start = closing + len("\n</parameter>")
    rest = {key: _json_or_text(part) for key, part in _read_elements(scanner, start, end).items()}
    return {"type": "object", "properties": properties, **rest} if properties else {"type": "object", **rest}


def _read_property(key: str, text: str) -> Any:
    """Return the value of a key of a schema from the text of its element."""
    if key == "description":
        return text
    if key == "type":
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text
        return listed if isinstance(listed, list) else text
    return _json_or_text(text)


def _json_or_text(text: str) -> Any:
    """Return the value of a JSON text; any other text as it is."""
    try:
        return loads(text)
    except ValueError:
        return text


def _read_elements(scanner: Scanner, start: int, end: int) -> dict[str, str]:
    """Return the elements that fill a part of the text, each on a line of its own."""
    texts_by_element: dict[str, str] = {}
    at = start
    while at < end:
        match = _ELEMENT.match(scanner.text, at)
        if match is None or match.end() > end:
            raise scanner.fault("an element on a line of its own is expected here", at)
        texts_by_element[match[1]] = match[2]
        at = match.end()
    return texts_by_element


@once_per_tool
def carried_tool(tool: Tool) -> Tool | None:
    """Return the tool as it is read again; None when that would not be written the same."""
    if _NOT_IN_TOOLS.search(spaced_json([tool.name, tool.description, tool.parameters]).replace("\\n", "\n")):
        return None
    return read_again(tool, write_tool, read_tool)
