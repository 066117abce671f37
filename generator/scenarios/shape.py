"""The shape of a finished conversation, worked out from the conversation and its proof alone."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import msgspec

from generator.core.claims import ANYWHERE, DeclineClaim, Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolMessage, UserMessage
from generator.core.pointers import leaves, resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call, reduced to what shapes compare."""

    name: str
    dependent: bool
    """Whether it takes a value from an earlier result that the user has not said before the call, or takes what that call made."""
    takes: tuple[str, ...]
    """The places in results that it takes values from: `MESSAGE:POINTER`."""


class ConversationShape(msgspec.Struct, frozen=True):
    """Who does what in which order."""

    order: str
    """A letter for each message except results and system messages: `U` the user, `C` calls, `A` text of the assistant."""
    steps: tuple[tuple[ShapedCall, ...], ...]
    offered: int
    """The number of tools on offer."""
    told: tuple[str, ...] = ()
    """The sentences of the assistant that report no result, by kind (`failed`, `not_done`, …), in order."""
    declined: tuple[DeclineClaim, ...] = ()
    """The wishes that the assistant declines."""
    retracted: int = 0
    """The number of values that the user takes back."""


def conversation_shape(
    conversation: Conversation, proof: Proof, making: Collection[str] = frozenset()
) -> ConversationShape:
    """Return the shape of a finished conversation.

    Args:
        conversation: The conversation.
        proof: Its proof.
        making: Tools of which a call makes what a later one is about, so that the two cannot be made at once although the user has
            said all of their values.
    """
    order, steps, taken = "", [], _places_taken_from(proof)
    dependent = (
        _calls_with_unsaid_values(conversation, proof) | _calls_about_made_things(conversation, proof, making)
        if taken
        else set()
    )
    for message in conversation.messages:
        if type(message) is UserMessage:
            order += "U"
        elif type(message) is AssistantMessage:
            order += "C" if message.tool_calls else "A"
            calls = [
                ShapedCall(one.name, one.id in dependent, tuple(taken.get(one.id, ()))) for one in message.tool_calls
            ]
            steps += [tuple(calls)] if calls else []
    return ConversationShape(
        order=order,
        steps=tuple(steps),
        offered=len(conversation.tools),
        told=tuple([tell.how for tell in proof.tells if tell.how not in ANYWHERE]),
        declined=proof.declines,
        retracted=len(proof.retracted),
    )


def _places_taken_from(proof: Proof) -> dict[str, list[str]]:
    """Return the places in results that each call takes values from."""
    taken: dict[str, list[str]] = {}
    for claim in proof.arguments:
        if claim.source == "result":
            taken.setdefault(claim.call_id, []).append(f"{claim.message}:{claim.result_pointer}")
    return taken


def _calls_with_unsaid_values(conversation: Conversation, proof: Proof) -> set[str]:
    """Return the calls that take a value from a result which the user has not said before them."""
    arguments: dict[str, dict[str, Any]] = {}
    before: dict[str, str] = {}
    said: list[str] = []
    for message in conversation.messages:
        if type(message) is UserMessage:
            said.append(message.content)
        elif type(message) is AssistantMessage:
            for call in message.tool_calls:
                arguments[call.id] = call.arguments
                before[call.id] = "\n".join(said)
    values = _said_values(proof, arguments)
    found: set[str] = set()
    for claim in proof.arguments:
        if claim.source == "result":
            value = resolve(arguments[claim.call_id], claim.pointer)
            is_said = any(type(value) is type(other) and value == other for other in values)
            if not is_said and not _stands_in(before[claim.call_id], value):
                found.add(claim.call_id)
    return found


def _calls_about_made_things(conversation: Conversation, proof: Proof, making: Collection[str]) -> set[str]:
    """Return the calls about what an earlier call has made."""
    makers = {
        index
        for index, message in enumerate(conversation.messages)
        if type(message) is ToolMessage and message.name in making and not message.is_error
    }
    return {claim.call_id for claim in proof.arguments if claim.source == "result" and claim.message in makers}


def _said_values(proof: Proof, arguments: dict[str, dict[str, Any]]) -> list[Any]:
    """Return all values that the user says, in whatever words; the proof guarantees that the spans say them."""
    claims = [claim for claim in proof.arguments if claim.source == "user"]
    return [leaf for one in claims for _, leaf in leaves(resolve(arguments[one.call_id], one.pointer))]


def _stands_in(text: str, value: Any) -> bool:
    """Whether the value is written out in the text, even where no claim says so; "5" is not in "15"."""
    written = str(value)
    if written not in text:  # by far the most usual case
        return False
    return re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text) is not None


# --- patterns ---


CONDITIONS: Mapping[str, Callable[[tuple[ShapedCall, ...]], bool]] = {
    "dependent": lambda calls: all(call.dependent for call in calls),
    "takes_each": lambda calls: len({call.takes for call in calls}) == len(calls),
    "one_tool": lambda calls: len({call.name for call in calls}) == 1,
    "other_tools": lambda calls: len({call.name for call in calls}) > 1,
}
"""What can be asked of the calls of one message."""


class Pattern(msgspec.Struct, frozen=True):
    """One way in which a conversation of some kind can go."""

    messages: str
    """The pattern of its messages."""
    told: tuple[str, ...] | None = None
    """What the assistant's sentences that report no result must be, by kind, in order; None: anything."""
    retracted: int | None = None
    """How many values the user takes back."""
    declined: int | None = None
    """How many wishes the assistant declines."""
    also: Callable[[ConversationShape], bool] | None = None
    """What else must hold."""

    def fits(self, shape: ConversationShape) -> bool:
        """Whether a conversation goes this way."""
        return (
            (self.told is None or self.told == shape.told)
            and (self.retracted is None or self.retracted == shape.retracted)
            and (self.declined is None or self.declined == len(shape.declined))
            and _as_expression(self.messages).fullmatch(_as_text(shape)) is not None
            and (self.also is None or self.also(shape))
        )

    def __str__(self) -> str:
        """Return the way in one line, for messages."""
        return (
            self.messages if self.told is None else f"{self.messages} ({', '.join(self.told) or 'nothing else told'})"
        )


def _as_text(shape: ConversationShape) -> str:
    """Return a conversation as expressions of patterns read it, with a dot for each call and what holds of them: `UC..:one_toolA`."""
    calls_of_messages = iter(shape.steps)
    return "".join([_calls_as_text(next(calls_of_messages)) if who == "C" else who for who in shape.order])


def _calls_as_text(calls: tuple[ShapedCall, ...]) -> str:
    """Return the calls of one message: `C..:one_tool`."""
    return "C" + "." * len(calls) + "".join([f":{word}" for word, holds in CONDITIONS.items() if holds(calls)])


_CALLS = re.compile(r"C(?P<width>\{[\d,]+\})?(?P<words>(?::[a-z_]+)*)")


@cache
def _as_expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern: `C{2+}:one_tool` takes two or more dots, and that condition among those that hold."""
    text = pattern.replace("+}", ",}").replace("-", ",")
    return re.compile(_CALLS.sub(_expression_of_calls, text).replace(" ", ""))


def _expression_of_calls(match: re.Match[str]) -> str:
    """Return the regular expression of one `C` of a pattern: `C{2,}:one_tool` → two or more dots, and `:one_tool` among the conditions behind them."""
    conditions = [rf"(?=[a-z_:]*:{condition}(?![a-z_]))" for condition in match["words"].split(":")[1:]]
    return rf"C\.{match['width'] or '{1}'}{''.join(conditions)}[a-z_:]*"
