"""What the assistant says beside calls: a word about what it is doing, without a result."""

import msgspec

from generator.conversation import AssistantMessage, Conversation, ToolMessage, UserMessage
from generator.no_call.talk import texts_beside_calls
from generator.seeds import Draw
from generator.toolbox import Toolbox

_SHARE_OF_STEPS = 0.7
"""How many of the steps of such a row have text beside their calls."""


def say_beside(conversation: Conversation, toolbox: Toolbox, draw: Draw) -> Conversation:
    """Return the conversation with text beside calls, at least once."""
    messages = list(conversation.messages)
    silent = [
        at
        for at, message in enumerate(messages)
        if type(message) is AssistantMessage and message.tool_calls and not message.content
    ]
    last = ""
    for number, at in enumerate(silent):
        if number and not draw.chance(_SHARE_OF_STEPS):
            continue
        message = messages[at]
        assert type(message) is AssistantMessage
        before = messages[at - 1]
        if type(before) is ToolMessage and before.is_error:
            continue  # what to say then depends on what comes of it
        is_first = type(before) is UserMessage
        texts = [
            text
            for text in texts_beside_calls([toolbox[call.name] for call in message.tool_calls], is_first=is_first)
            if text != last
        ]
        if not texts:
            continue
        last = draw.choice(texts)
        messages[at] = msgspec.structs.replace(message, content=last)
    return msgspec.structs.replace(conversation, messages=tuple(messages))
