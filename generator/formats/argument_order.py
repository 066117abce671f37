"""Arguments in the order that the grammars of some servers expect: required ones first, each part as the tool declares it."""

from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall
from generator.core.toolbox import once_per_tool
from generator.formats.format import Format


def with_required_first(fmt: Format) -> Format:
    """Return the format, writing the arguments of every call in that order."""
    return msgspec.structs.replace(
        fmt,
        render=lambda conversation: fmt.render(required_first(conversation)),
        carries=lambda conversation: fmt.carries(required_first(conversation)),
    )


def required_first(conversation: Conversation) -> Conversation:
    """Return the conversation with the arguments of its calls, rejected ones too, in order; arguments that no tool declares stand last."""
    tools = {tool.name: tool for tool in conversation.tools}
    if conversation.rejected is not None:
        refused = _in_order(conversation.rejected.message, tools)
        rejected = msgspec.structs.replace(conversation.rejected, message=refused)
        conversation = msgspec.structs.replace(conversation, rejected=rejected)
    for message in conversation.messages:
        if type(message) is AssistantMessage:
            for call in message.tool_calls:
                if len(call.arguments) > 1 and call.name in tools and not _is_in_order(call, tools[call.name]):
                    messages = [
                        _in_order(one, tools) if isinstance(one, AssistantMessage) else one
                        for one in conversation.messages
                    ]
                    return msgspec.structs.replace(conversation, messages=tuple(messages))
    return conversation


def _is_in_order(call: ToolCall, tool: Tool) -> bool:
    known = [name for name in _order(tool) if name in call.arguments]
    return list(call.arguments)[: len(known)] == known


def _in_order(message: AssistantMessage, tools: dict[str, Tool]) -> AssistantMessage:
    calls = []
    for call in message.tool_calls:
        order = _order(tools[call.name]) if call.name in tools else ()
        arguments: dict[str, Any] = {name: call.arguments[name] for name in order if name in call.arguments}
        calls.append(msgspec.structs.replace(call, arguments=arguments | call.arguments))
    return msgspec.structs.replace(message, tool_calls=tuple(calls))


@once_per_tool
def _order(tool: Tool) -> tuple[str, ...]:
    """Return the names of the tool's arguments, required ones first."""
    schema = tool.parameters or {}
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = [name for name in names if isinstance(required, list) and name in required]
    return (*needed, *[name for name in names if name not in needed])
