"""What the assistant says beside calls: a word about what it is doing, without a result."""

from collections.abc import Sequence

from msgspec.structs import replace

from generator.core.conversation import AssistantMessage, Conversation, Message, UserMessage
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.dialogue.no_call.talk import begins_alike, texts_beside_calls

_TWICE = 0.3
"""How often there are two such texts where there may be."""


def say_beside(conversation: Conversation, toolbox: Toolbox, draw: Draw) -> Conversation:
    """Return the conversation with text beside the first calls of one turn or two, if there is a turn whose answer does not begin alike."""
    messages = list(conversation.messages)
    able = [at for at in range(1, len(messages)) if _may_say(messages, at)]
    texts: tuple[str, ...] = ()
    for at in draw.shuffled(able)[: 2 if draw.chance(_TWICE) else 1]:
        step = messages[at]
        assert type(step) is AssistantMessage
        own = texts_beside_calls([toolbox[call.name] for call in step.tool_calls])
        said = draw.choice([text for text in own if text not in texts])
        messages[at], texts = replace(step, content=said), (*texts, said)
    return replace(conversation, messages=tuple(messages))


def _may_say(messages: Sequence[Message], at: int) -> bool:
    """Whether a message makes the first calls after the user has spoken, and says nothing yet; nor does the answer begin so."""
    step = messages[at]
    if (
        type(step) is not AssistantMessage
        or not step.tool_calls
        or step.content
        or type(messages[at - 1]) is not UserMessage
    ):
        return False
    later = (one.content or "" for one in messages[at:] if type(one) is AssistantMessage and not one.tool_calls)
    return not begins_alike(next(later, ""))
