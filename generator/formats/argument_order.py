"""Arguments in the order that the grammars of some servers expect: required ones first, each part as the tool declares it."""

from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, Message, Tool
from generator.formats.format import Format, once_per_tool


def with_required_first(fmt: Format) -> Format:
    """The format, writing the arguments of every call in that order."""
    return msgspec.structs.replace(
        fmt,
        render=lambda conversation: fmt.render(required_first(conversation)),
        carries=lambda conversation: fmt.carries(required_first(conversation)),
    )


def required_first(conversation: Conversation) -> Conversation:
    """The conversation with the arguments of its calls in order; arguments that no tool declares stand last."""
    orders = {tool.name: _order(tool) for tool in conversation.tools}
    messages = [_in_order(message, orders) for message in conversation.messages]
    if all(new is old for new, old in zip(messages, conversation.messages, strict=True)):
        return conversation
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _in_order(message: Message, orders: dict[str, tuple[str, ...]]) -> Message:
    if type(message) is not AssistantMessage or not message.tool_calls:
        return message
    calls, changed = [], False
    for call in message.tool_calls:
        given = call.arguments
        known = [name for name in orders.get(call.name, ()) if name in given]
        if list(given)[: len(known)] != known:
            arguments: dict[str, Any] = {name: given[name] for name in known} | given
            call, changed = msgspec.structs.replace(call, arguments=arguments), True
        calls.append(call)
    return msgspec.structs.replace(message, tool_calls=tuple(calls)) if changed else message


@once_per_tool
def _order(tool: Tool) -> tuple[str, ...]:
    """The names of the tool's arguments, required ones first."""
    schema = tool.parameters or {}
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = [name for name in names if isinstance(required, list) and name in required]
    return (*needed, *[name for name in names if name not in needed])
