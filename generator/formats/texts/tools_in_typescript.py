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
from generator.core.exact_json import loads
from generator.core.pointers import parts_of_object
from generator.core.toolbox import once_per_tool
from generator.formats.format import compact_json
from generator.formats.text import Scanner, read_again

_BASES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
_NAME = re.compile(r"[^\s:?,/{}|\"]+")
_TOOL = re.compile(r"((?:// [^\n]*\n|//\n)*)type ([\w.-]+) = \(")
_COMMENTS = re.compile(r"(?: *// ?[^\n]*\n)+")
_DEFAULT = re.compile(r" // default: ([^\n]*)")
_WORD = re.compile(r"string|number|boolean|any|null|object|array")


# ------------------------------------------------------------------------------------------------------ writing


def write_tool(tool: Tool) -> str:
    """Return one tool, with an empty line behind it."""
    head = _comment_lines(tool.description, "") if tool.description else ""
    if tool.parameters is None:
        return f"{head}type {tool.name} = () => any;\n\n"
    return f"{head}type {tool.name} = (_: {_object_text(tool.parameters, '')}) => any;\n\n"


def _comment_lines(text: str, indent: str) -> str:
    return "".join([f"{indent}// {line}\n" for line in text.split("\n")])


def _object_text(schema: dict[str, Any], indent: str) -> str:
    """Return an object schema as a TypeScript type, with a comment for each description."""
    described = schema.get("description")
    head = _comment_lines(described, indent) if isinstance(described, str) else ""
    properties, required = parts_of_object(schema)
    lines = []
    for name, inner in properties.items():
        optional = "" if name in required else "?"
        comment = _comment_lines(inner["description"], indent) if _is_described(inner) else ""
        lines.append(f"{comment}{indent}{name}{optional}: {_type_text(inner, indent)},{_default_comment(inner)}\n")
    return f"{head}{{\n{''.join(lines)}{indent}}}"


def _is_described(schema: Any) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("description"), str)


def _type_text(schema: Any, indent: str) -> str:
    """Return a schema as a TypeScript type: `"c" | "f"`, `string[]`."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, list):
        return " | ".join([_BASES.get(str(name), str(name)) for name in kind]) if kind else "any"
    nullable = " | null" if isinstance(schema, dict) and schema.get("nullable") is True else ""
    if kind == "string" and _is_choice_of_texts(schema):
        return " | ".join([f'"{choice}"' for choice in schema["enum"]])
    if kind == "string":
        return f"string{nullable}"
    if kind == "array":
        return _array_text(schema, indent) + nullable
    if kind == "object":
        return _object_text(schema, f"{indent}    ")
    return _BASES.get(kind, "any") if isinstance(kind, str) else "any"


def _array_text(schema: dict[str, Any], indent: str) -> str:
    return f"{_type_text(schema['items'], indent)}[]" if isinstance(schema.get("items"), dict) else "Array<any>"


def _is_choice_of_texts(schema: dict[str, Any]) -> bool:
    choices = schema.get("enum")
    return isinstance(choices, list) and bool(choices) and all(isinstance(choice, str) for choice in choices)


def _default_comment(schema: Any) -> str:
    """Return the comment that says the default, if there is one."""
    if not isinstance(schema, dict) or "default" not in schema:
        return ""
    value = schema["default"]
    raw = isinstance(value, str) and schema.get("type") == "string" and _is_choice_of_texts(schema)
    return f" // default: {value if raw else compact_json(value)}"


# ------------------------------------------------------------------------------------------------------ reading


def read_tool(scanner: Scanner) -> Any:
    """Return the declared tool that begins here, and go past the empty line behind it."""
    end = scanner.next_token()
    match = _TOOL.match(scanner.text, scanner.at, end)
    if match is None:
        raise scanner.fault("'type NAME = (' or the end of the namespace is expected here")
    scanner.at = match.end()
    function: dict[str, Any] = {"name": match[2]}
    if match[1]:
        function["description"] = _uncommented(match[1])
    if scanner.accept("_: "):
        function["parameters"] = _read_object(scanner, "")
    scanner.take(") => any;\n\n")
    if scanner.at > end:
        raise scanner.fault("a control token inside a tool", end)
    return {"type": "function", "function": function}


def _uncommented(comments: str) -> str:
    return "\n".join([line.strip(" ")[2:].removeprefix(" ") for line in comments.removesuffix("\n").split("\n")])


def _read_object(scanner: Scanner, indent: str) -> dict[str, Any]:
    """Return the schema of the object type that begins here."""
    schema: dict[str, Any] = {"type": "object"}
    if comments := scanner.match(_COMMENTS):
        schema["description"] = _uncommented(comments[0])
    scanner.take("{\n")
    properties: dict[str, Any] = {}
    required: list[str] = []
    while not scanner.accept(f"{indent}}}"):
        comments = scanner.match(_COMMENTS)
        scanner.take(indent)
        name = scanner.match(_NAME)
        if name is None:
            raise scanner.fault("the name of an argument is expected here")
        required += [] if scanner.accept("?") else [name[0]]
        scanner.take(": ")
        inner = _read_type(scanner, indent)
        scanner.take(",")
        if default := scanner.match(_DEFAULT):
            inner["default"] = _read_default(default[1], inner)
        scanner.take("\n")
        if comments:
            inner["description"] = _uncommented(comments[0])
        properties[name[0]] = inner
    if properties:
        schema["properties"] = properties
    if required:
        schema["required"] = required
    return schema


def _read_default(text: str, schema: dict[str, Any]) -> Any:
    """Return the default that a comment holds: JSON, or the text itself where the schema has `enum` or the text is no JSON."""
    if "enum" in schema:
        return text
    try:
        return loads(text)
    except ValueError:
        return text


def _read_type(scanner: Scanner, indent: str) -> dict[str, Any]:
    """Return a type: members between bars, of which a `[]` at the end makes a list."""
    members: list[dict[str, Any]] = []
    while True:
        members.append(_read_member(scanner, indent))
        while scanner.accept("[]"):
            members = [{"type": "array", "items": _union_schema(members)}]
        if not scanner.accept(" | "):
            return _union_schema(members)


def _read_member(scanner: Scanner, indent: str) -> dict[str, Any]:
    """Return the schema of one member of a union."""
    if scanner.accept("Array<any>"):
        return {"type": "array"}
    if scanner.sees('"'):
        return {"type": "string", "enum": [scanner.json()]}
    if scanner.sees("{") or scanner.sees(f"{indent}    //"):
        return _read_object(scanner, f"{indent}    ")
    word = scanner.match(_WORD)
    if word is None:
        raise scanner.fault("a type is expected here")
    return {} if word[0] == "any" else {"type": word[0]}


def _union_schema(members: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a union of types."""
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
    again = read_again(tool, write_tool, read_tool)
    return again if again is not None and again.name == tool.name else None
