"""One conversation as several: each ends with one assistant message that is to be learnt.

For trainers that learn the last message of a record only, and wherever prompts and the answers to them are wanted.
"""

from collections.abc import Iterator

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message
from generator.core.errors import CannotCarryError
from generator.formats.format import Format
from generator.formats.steps import split_calls


def unrolled(conversation: Conversation, fmt: Format) -> Iterator[Conversation]:
    """Yield the conversation up to and with each assistant message whose `train` is true, in order.

    Only the last message of each is marked as learnt. Where the format writes calls made at once one after another, each
    of them is a message of its own. A format that holds one request gets the first of these conversations.

    Raises:
        CannotCarryError: when nothing is to be learnt, or calls cannot be written one after another.
    """
    if fmt.policy.parallel == "split":
        conversation = split_calls(conversation)
    before: list[Message] = []
    found = False
    for message in conversation.messages:
        if isinstance(message, AssistantMessage) and message.train:
            if message.tool_calls or fmt.policy.learns != "calls":
                found = True
                yield msgspec.structs.replace(conversation, messages=(*before, message))
            if found and fmt.policy.requests == "one":
                return
            message = msgspec.structs.replace(message, train=False)
        before.append(message)
    if not found:
        raise CannotCarryError("$.messages: nothing is to be learnt")
