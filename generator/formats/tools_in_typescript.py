"""Tools as Harmony declares them: types of a TypeScript namespace.

    // The weather in a city.
    type get_weather = (_: {
    // Name of the city
    city: string,
    unit?: "c" | "f", // default: c
    }) => any;

What a JSON Schema says beyond types, descriptions, choices of strings, required properties and defaults is not written,
nor is what has no type of its own (`anyOf`, `const`, ...): it is `any`. openai-harmony writes the same, but for titles
and examples, which are left out here, `oneOf`, and line breaks in descriptions of arguments, of which it marks the first
line only as a comment.
"""

import re
from typing import Any

from generator.core.conversation import Tool
from generator.core.errors import FormatError
from generator.core.exact_json import loads
from generator.core.pointers import parts_of_object
from generator.core.toolbox import once_per_tool
from generator.formats.format import compact_json
from generator.formats.text import Scanner, decode_json, fault_in_text

_BASES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
_NAME = re.compile(r"[^\s:?,/{}|\"]+")
_TOOL = re.compile(r"((?:// [^\n]*\n|//\n)*)type ([\w.-]+) = \(")
_COMMENTS = re.compile(r"(?: *// ?[^\n]*\n)*")
_DEFAULT = re.compile(r" // default: ([^\n]*)")
_WORD = re.compile(r"string|number|boolean|any|null|object|array")


# ------------------------------------------------------------------------------------------------------ writing


def write_tool(tool: Tool) -> str:
    """Return one tool."""
    head = _comment(tool.description, "") if tool.description else ""
    if tool.parameters is None:
        return f"{head}type {tool.name} = () => any;"
    return f"{head}type {tool.name} = (_: {_object(tool.parameters, '')}) => any;"


def _comment(text: str, indent: str) -> str:
    return "".join([f"{indent}// {line}\n" for line in text.split("\n")])


def _object(schema: dict[str, Any], indent: str) -> str:
    described = schema.get("description")
    head = _comment(described, indent) if isinstance(described, str) else ""
    properties, required = parts_of_object(schema)
    lines = []
    for name, inner in properties.items():
        optional = "" if name in required else "?"
        comment = _comment(inner["description"], indent) if _is_described(inner) else ""
        lines.append(f"{comment}{indent}{name}{optional}: {_type(inner, indent)},{_default(inner)}\n")
    return f"{head}{{\n{''.join(lines)}{indent}}}"


def _is_described(schema: Any) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("description"), str)


def _type(schema: Any, indent: str) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, list):
        return " | ".join([_BASES.get(str(name), str(name)) for name in kind]) if kind else "any"
    nullable = " | null" if isinstance(schema, dict) and schema.get("nullable") is True else ""
    if kind == "string" and _choices(schema):
        return " | ".join([f'"{choice}"' for choice in schema["enum"]])
    if kind == "string":
        return f"string{nullable}"
    if kind == "array":
        return _array(schema, indent) + nullable
    if kind == "object":
        return _object(schema, f"{indent}    ")
    return _BASES.get(kind, "any") if isinstance(kind, str) else "any"


def _array(schema: dict[str, Any], indent: str) -> str:
    return f"{_type(schema['items'], indent)}[]" if isinstance(schema.get("items"), dict) else "Array<any>"


def _choices(schema: dict[str, Any]) -> bool:
    choices = schema.get("enum")
    return isinstance(choices, list) and bool(choices) and all(isinstance(choice, str) for choice in choices)


def _default(schema: Any) -> str:
    if not isinstance(schema, dict) or "default" not in schema:
        return ""
    value = schema["default"]
    raw = isinstance(value, str) and schema.get("type") == "string" and _choices(schema)
    return f" // default: {value if raw else compact_json(value)}"


# ------------------------------------------------------------------------------------------------------ reading


def read_tool(scanner: Scanner) -> Any:
    """Return the declared tool that begins here, and go past the empty line behind it."""
    text, end = scanner.text, scanner.next_token()
    match = _TOOL.match(text, scanner.at, end)
    if match is None:
        raise scanner.fault("'type NAME = (' or the end of the namespace is expected here")
    function: dict[str, Any] = {"name": match[2]}
    if match[1]:
        function["description"] = _uncommented(match[1])
    at = match.end()
    if text.startswith("_: ", at):
        function["parameters"], at = _read_object(text, at + 3, "")
    scanner.at = _past(text, at, ") => any;\n\n")
    if scanner.at > end:
        raise scanner.fault("a control token inside a tool", end)
    return {"type": "function", "function": function}


def _uncommented(comments: str) -> str:
    return "\n".join([line.strip(" ")[2:].removeprefix(" ") for line in comments.removesuffix("\n").split("\n")])


def _past(text: str, at: int, literal: str) -> int:
    if not text.startswith(literal, at):
        raise fault_in_text(text, at, f"{literal!r} is expected here")
    return at + len(literal)


def _read_object(text: str, at: int, indent: str) -> tuple[dict[str, Any], int]:
    comments = _COMMENTS.match(text, at)
    schema: dict[str, Any] = {"type": "object"}
    if comments and comments.group():
        schema["description"] = _uncommented(comments.group())
        at = comments.end()
    at = _past(text, at, "{\n")
    properties: dict[str, Any] = {}
    required: list[str] = []
    while not text.startswith(f"{indent}}}", at):
        comments = _COMMENTS.match(text, at)
        said = comments.group() if comments else ""
        at = _past(text, at + len(said), indent)
        match = _NAME.match(text, at)
        if match is None:
            raise fault_in_text(text, at, "the name of an argument is expected here")
        optional = text.startswith("?", match.end())
        at = _past(text, match.end() + optional, ": ")
        inner, at = _read_type(text, at, indent)
        at = _past(text, at, ",")
        default = _DEFAULT.match(text, at)
        if default is not None:
            inner["default"] = _read_default(default[1], inner)
            at = default.end()
        at = _past(text, at, "\n")
        if said:
            inner["description"] = _uncommented(said)
        properties[match.group()] = inner
        required += [] if optional else [match.group()]
    if properties:
        schema["properties"] = properties
    if required:
        schema["required"] = required
    return schema, at + len(indent) + 1


def _read_default(text: str, schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return text
    try:
        return loads(text)
    except ValueError:
        return text


def _read_type(text: str, at: int, indent: str) -> tuple[dict[str, Any], int]:
    """Return a type: members between bars, of which a `[]` at the end makes a list."""
    members: list[dict[str, Any]] = []
    while True:
        member, at = _read_member(text, at, indent)
        members.append(member)
        while text.startswith("[]", at):
            members = [{"type": "array", "items": _union(members)}]
            at += 2
        if not text.startswith(" | ", at):
            return _union(members), at
        at += 3


def _read_member(text: str, at: int, indent: str) -> tuple[dict[str, Any], int]:
    if text.startswith("Array<any>", at):
        return {"type": "array"}, at + len("Array<any>")
    if text.startswith('"', at):
        choice, after = decode_json(text, at)
        return {"type": "string", "enum": [choice]}, after
    if text.startswith(("{", f"{indent}    //"), at):
        return _read_object(text, at, f"{indent}    ")
    word = _WORD.match(text, at)
    if word is None:
        raise fault_in_text(text, at, "a type is expected here")
    return ({} if word.group() == "any" else {"type": word.group()}), word.end()


def _union(members: list[dict[str, Any]]) -> dict[str, Any]:
    if len(members) == 1:
        return members[0]
    if all("enum" in member for member in members):
        return {"type": "string", "enum": [member["enum"][0] for member in members]}
    if members[1:] == [{"type": "null"}] and members[0].get("type") == "array":
        return members[0] | {"nullable": True}
    return {"type": [member.get("type", "any") for member in members]}


@once_per_tool
def carried_tool(tool: Tool) -> Tool | None:
    """Return the tool as it is read again; None when that would not be written the same."""
    text = write_tool(tool)
    try:
        again = _read_alone(text)
        same = again is not None and write_tool(again) == text and _read_alone(text) == again
    except (FormatError, IndexError, ValueError, RecursionError):
        return None
    return again if again is not None and same and again.name == tool.name else None


def _read_alone(text: str) -> Tool | None:
    scanner = Scanner(f"{text}\n\n", re.compile(r"(?!)"))
    function = read_tool(scanner)["function"]
    read = Tool(name=function["name"], description=function.get("description"), parameters=function.get("parameters"))
    return read if scanner.done else None
