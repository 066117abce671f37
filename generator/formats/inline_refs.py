"""Schemas without references, for programs that do not follow `$ref`: the option `inline_refs: true` of a format."""

import msgspec

from generator.core.conversation import Conversation, Tool
from generator.core.errors import CannotCarryError, SchemaError
from generator.core.schema_walk import inlined
from generator.core.toolbox import once_per_tool
from generator.formats.format import Format


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
    try:
        return msgspec.structs.replace(tool, parameters=inlined(tool.parameters))
    except SchemaError as fault:
        raise CannotCarryError(f"$.tools: the parameters of {tool.name[:80]!r}: {fault}") from None
