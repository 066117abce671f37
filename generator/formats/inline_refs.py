"""Schemas without references, for programs that do not follow `$ref`: the option `inline_refs: true` of a format."""

from typing import Any

import msgspec

from generator.core.conversation import Conversation, Tool
from generator.core.errors import CannotCarryError
from generator.core.pointers import resolve
from generator.core.toolbox import once_per_tool
from generator.formats.format import Format

_DEFINITIONS = ("$defs", "definitions")
_SAYS_NOTHING = frozenset(
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"]
)
"""Keywords beside a reference that do not restrict what it refers to."""

_DATA = frozenset(["enum", "const", "default", "examples", "required"])
_NAMED = frozenset(["properties", "patternProperties", "dependentSchemas", *_DEFINITIONS])
"""Keywords whose values are schemas by name."""


def with_inline_refs(fmt: Format) -> tuple[Format, Format]:
    """Return a format, and a variant whose tools have schemas without references."""

    def inlined(conversation: Conversation) -> Conversation:
        tools = [_without_references(tool) for tool in conversation.tools]
        return msgspec.structs.replace(conversation, tools=tuple(tools))

    return (
        msgspec.structs.replace(fmt, options=(("inline_refs", "false"),)),
        msgspec.structs.replace(
            fmt,
            name=f"{fmt.name}-inline_refs",
            about=f"{fmt.about}; schemas without `$ref`",
            render=lambda conversation: fmt.render(inlined(conversation)),
            carries=lambda conversation: fmt.carries(inlined(conversation)),
            options=(("inline_refs", "true"),),
        ),
    )


@once_per_tool
def _without_references(tool: Tool) -> Tool:
    if tool.parameters is None:
        return tool
    inner = {key: value for key, value in tool.parameters.items() if key not in _DEFINITIONS}
    return msgspec.structs.replace(tool, parameters=_inlined(inner, tool, ()))


def _inlined(schema: Any, tool: Tool, inside: tuple[str, ...]) -> Any:
    """Return a part of a tool's schema with references replaced by their targets.

    Args:
        schema: The part.
        tool: The tool, for the targets of references.
        inside: The references that are being replaced around the part.

    Raises:
        CannotCarryError: for a reference to another document, to nothing, or to a schema that contains it.
    """
    if isinstance(schema, list):
        return [_inlined(part, tool, inside) for part in schema]
    if not isinstance(schema, dict):
        return schema
    beside = {key: _inlined_in(key, value, tool, inside) for key, value in schema.items() if key != "$ref"}
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return beside
    target = _inlined(_target(reference, tool, inside), tool, (*inside, reference))
    if beside.keys() <= _SAYS_NOTHING and isinstance(target, dict):
        return target | beside
    return {"allOf": [target], **beside}


def _inlined_in(key: str, value: Any, tool: Tool, inside: tuple[str, ...]) -> Any:
    """Return the value of a keyword; data (not schemas) is unchanged."""
    if key in _DATA:
        return value
    if key in _NAMED and isinstance(value, dict):
        return {name: _inlined(part, tool, inside) for name, part in value.items()}
    return _inlined(value, tool, inside)


def _target(reference: str, tool: Tool, inside: tuple[str, ...]) -> Any:
    place = f"$.tools: the parameters of {tool.name[:80]!r}"
    if reference in inside:
        raise CannotCarryError(f"{place}: {reference[:80]!r} refers to what it is part of, and cannot be inlined")
    try:
        return resolve(tool.parameters, reference.removeprefix("#"))
    except (LookupError, ValueError):
        raise CannotCarryError(f"{place}: {reference[:80]!r} refers to nothing in them") from None
