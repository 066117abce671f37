"""Which assistant messages of a row are to be learnt, as the recipe's `train` says."""

from collections.abc import Callable

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message, ToolMessage

_LEARNT: dict[str, Callable[[AssistantMessage, bool, bool], bool]] = {
    "last": lambda message, is_last, reports: is_last,
    "calls": lambda message, is_last, reports: bool(message.tool_calls),
    "answers": lambda message, is_last, reports: not message.tool_calls,
    "decisions": lambda message, is_last, reports: not reports,
}
"""Whether a message is learnt, also by whether it is the last one of the assistant, and whether it reports results."""


def mark_training(conversation: Conversation, train: str) -> Conversation:
    """Return the conversation with `train` set on its assistant messages; `all` leaves it as it is."""
    if train == "all":
        return conversation
    learnt = _LEARNT[train]
    last = max(i for i, message in enumerate(conversation.messages) if isinstance(message, AssistantMessage))
    messages: list[Message] = []
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            reports = not message.tool_calls and isinstance(conversation.messages[i - 1], ToolMessage)
            is_learnt = message.train and learnt(message, i == last, reports)
            messages.append(msgspec.structs.replace(message, train=is_learnt))
        else:
            messages.append(message)
    return msgspec.structs.replace(conversation, messages=tuple(messages))
