"""The shape of a finished conversation, found out from the conversation and its proof alone."""

import msgspec

from generator.conversation import AssistantMessage, Conversation, Proof, UserMessage
from generator.pointers import resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call as shapes see it."""

    name: str
    dependent: bool
    """It takes a value from an earlier result that the user has not said."""
    takes: tuple[str, ...]
    """Places of the results it takes values from: `MESSAGE:POINTER`."""


class Shape(msgspec.Struct, frozen=True):
    """Steps of calls, and how many tools are on offer."""

    steps: tuple[tuple[ShapedCall, ...], ...]
    offered: int

    @property
    def widths(self) -> tuple[int, ...]:
        """Calls in each step."""
        return tuple([len(step) for step in self.steps])


def shape_of(conversation: Conversation, proof: Proof) -> Shape:
    """Find out the shape."""
    taken: dict[str, list[str]] = {}
    hidden: set[str] = set()
    claims = [claim for claim in proof.arguments if claim.source == "result"]
    if claims:
        said = "\n".join([m.content for m in conversation.messages if type(m) is UserMessage])
        arguments = {
            call.id: call.arguments
            for message in conversation.messages
            if type(message) is AssistantMessage
            for call in message.tool_calls
        }
    for claim in claims:
        taken.setdefault(claim.call_id, []).append(f"{claim.message}:{claim.result_pointer}")
        if str(resolve(arguments[claim.call_id], claim.pointer)) not in said:
            hidden.add(claim.call_id)
    steps = [
        tuple([ShapedCall(c.name, c.id in hidden, tuple(taken.get(c.id, ()))) for c in message.tool_calls])
        for message in conversation.messages
        if type(message) is AssistantMessage and message.tool_calls
    ]
    return Shape(tuple(steps), len(conversation.tools))
