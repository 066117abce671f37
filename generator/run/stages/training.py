"""Which assistant messages of a row are to be learnt, as the recipe's `train` says."""

from collections.abc import Callable

import msgspec

from generator.conversation import AssistantMessage, Conversation

_LEARNT: dict[str, Callable[[AssistantMessage, bool], bool]] = {
    "last": lambda message, is_last: is_last,
    "calls": lambda message, is_last: bool(message.tool_calls),
    "answers": lambda message, is_last: not message.tool_calls,
}


def mark_training(conversation: Conversation, train: str) -> Conversation:
    """Return the conversation with `train` set on its assistant messages; `all` leaves it as it is."""
    if train == "all":
        return conversation
    learnt = _LEARNT[train]
    last = max(i for i, message in enumerate(conversation.messages) if isinstance(message, AssistantMessage))
    messages = [
        msgspec.structs.replace(message, train=message.train and learnt(message, i == last))
        if isinstance(message, AssistantMessage)
        else message
        for i, message in enumerate(conversation.messages)
    ]
    return msgspec.structs.replace(conversation, messages=tuple(messages))
