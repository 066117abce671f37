"""The shape of a finished conversation, worked out from the conversation and its proof alone."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from generator.core.claims import ANYWHERE, Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolMessage, UserMessage
from generator.core.pointers import leaves, resolve


class ShapedCall(msgspec.Struct, frozen=True):
    """A call, reduced to what shapes compare."""

    name: str
    dependent: bool
    """Whether it takes a value from an earlier result that the user has not said before the call, or takes what that call made."""
    takes: tuple[str, ...]
    """The places in results that it takes values from: `MESSAGE:POINTER`."""


class ShapedDecline(msgspec.Struct, frozen=True):
    """A declined wish, reduced to what shapes compare."""

    tool: str
    like: str
    """A tool on offer that only seems to do what is wished; empty if there is none."""


class ConversationShape(msgspec.Struct, frozen=True):
    """Who does what in which order."""

    order: str
    """A letter for each message except results and system messages: `U` the user, `C` calls, `A` text of the assistant."""
    steps: tuple[tuple[ShapedCall, ...], ...]
    offered: int
    """The number of tools on offer."""
    told: tuple[str, ...] = ()
    """The sentences of the assistant that report no result, by kind (`failed`, `not_done`, …), in order."""
    declined: tuple[ShapedDecline, ...] = ()
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
    letters = [
        "U"
        if type(message) is UserMessage
        else "C"
        if type(message) is AssistantMessage and message.tool_calls
        else "A"
        for message in conversation.messages
        if type(message) in (UserMessage, AssistantMessage)
    ]
    return ConversationShape(
        order="".join(letters),
        steps=_steps(conversation, proof, making),
        offered=len(conversation.tools),
        told=tuple([tell.how for tell in proof.tells if tell.how not in ANYWHERE]),
        declined=tuple([ShapedDecline(decline.tool, decline.like) for decline in proof.declines]),
        retracted=len(proof.retracted),
    )


def _steps(conversation: Conversation, proof: Proof, making: Collection[str]) -> tuple[tuple[ShapedCall, ...], ...]:
    """Return the calls of each message."""
    taken = _taken(proof)
    hidden = _hidden(conversation, proof) | _made_before(conversation, proof, making) if taken else set()
    return tuple(
        [
            tuple(
                [ShapedCall(call.name, call.id in hidden, tuple(taken.get(call.id, ()))) for call in message.tool_calls]
            )
            for message in conversation.messages
            if type(message) is AssistantMessage and message.tool_calls
        ]
    )


def _taken(proof: Proof) -> dict[str, list[str]]:
    """Return the places in results that each call takes values from."""
    taken: dict[str, list[str]] = {}
    for claim in proof.arguments:
        if claim.source == "result":
            taken.setdefault(claim.call_id, []).append(f"{claim.message}:{claim.result_pointer}")
    return taken


def _hidden(conversation: Conversation, proof: Proof) -> set[str]:
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


def _made_before(conversation: Conversation, proof: Proof, making: Collection[str]) -> set[str]:
    """Return the calls about what an earlier call has made."""
    if not making:
        return set()
    makers = {
        index
        for index, message in enumerate(conversation.messages)
        if type(message) is ToolMessage and message.name in making and not message.is_error
    }
    return {claim.call_id for claim in proof.arguments if claim.source == "result" and claim.message in makers}


def _said_values(proof: Proof, arguments: dict[str, dict[str, Any]]) -> list[Any]:
    """Return all values that the user says, in whatever words; the proof guarantees that the spans say them."""
    said = []
    for claim in proof.arguments:
        if claim.source == "user":
            value = resolve(arguments[claim.call_id], claim.pointer)
            said += [leaf for _, leaf in leaves(value)]
    return said


def _stands_in(text: str, value: Any) -> bool:
    """Whether the value is written out in the text, even where no claim says so; "5" is not in "15"."""
    written = str(value)
    if written not in text:  # by far the most usual case
        return False
    return re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text) is not None


# --- patterns ---


Step = tuple[ShapedCall, ...]
"""The calls of one message."""
Part = tuple["tuple[Part, ...] | str", int, int, tuple[str, ...]]
"""A letter or a group, how often at least and at most (for `C`: how many calls), and the conditions of its calls."""

_MANY = 10**6
_TOKEN = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\)(?P<times>[?+]|\{[\d+-]+\})?)|(?P<letter>[UCA])(?P<width>\{[\d+-]+\})?(?P<words>(?::\w+)*))")  # fmt: skip


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
            and any(end == len(shape.order) for end in _ends(_parsed(self.messages), shape, 0))
            and (self.also is None or self.also(shape))
        )

    def __str__(self) -> str:
        """Return the way in one line, for messages."""
        return (
            self.messages if self.told is None else f"{self.messages} ({', '.join(self.told) or 'nothing else told'})"
        )


CONDITIONS: Mapping[str, Callable[[Step], bool]] = {
    "dependent": lambda calls: all(call.dependent for call in calls),
    "takes_each": lambda calls: len({call.takes for call in calls}) == len(calls),
    "one_tool": lambda calls: len({call.name for call in calls}) == 1,
    "other_tools": lambda calls: len({call.name for call in calls}) > 1,
}
"""What can be asked of the calls of one message."""


def pattern_faults(kind: str, ways: tuple[Pattern, ...], shape: ConversationShape) -> Iterator[str]:
    """Yield what is wrong with a finished conversation that goes none of the ways of its kind."""
    if not any(way.fits(shape) for way in ways):
        expected = " or ".join(map(str, ways))
        yield f"not {kind}: {' '.join(shape.order)} ({', '.join(shape.told) or 'nothing else told'}), expected {expected}"


def _ends(parts: tuple[Part, ...], shape: ConversationShape, at: int) -> Iterator[int]:
    """Yield each place in the order of messages up to which the parts can stand from `at` on."""
    if not parts:
        yield at
        return
    (what, least, most, words), rest = parts[0], parts[1:]
    if isinstance(what, str):
        if _stands(what, least, most, words, shape, at):
            yield from _ends(rest, shape, at + 1)
        return
    if least <= 0:
        yield from _ends(rest, shape, at)
    if most > 0:
        for end in _ends(what, shape, at):
            if end > at:
                yield from _ends(((what, least - 1, most - 1, ()), *rest), shape, end)


def _stands(letter: str, least: int, most: int, words: tuple[str, ...], shape: ConversationShape, at: int) -> bool:
    if shape.order[at : at + 1] != letter:
        return False
    if letter != "C":
        return True
    number = shape.order.count("C", 0, at)
    if number >= len(shape.steps):
        return False
    calls = shape.steps[number]
    return least <= len(calls) <= most and all(CONDITIONS[word](calls) for word in words)


@cache
def _parsed(pattern: str) -> tuple[Part, ...]:
    groups: list[list[Part]] = [[]]
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        assert token is not None, pattern
        at = token.end()
        if token["open"]:
            groups.append([])
        elif token["letter"]:
            least, most = _times(token["width"] or "{1}")
            groups[-1].append((token["letter"], least, most, tuple(token["words"].split(":")[1:])))
        else:
            inner = tuple(groups.pop())
            groups[-1].append((inner, *_times(token["times"] or "{1}"), ()))
    (parts,) = groups
    return tuple(parts)


def _times(text: str) -> tuple[int, int]:
    """Return (at least, at most) of `?`, `+`, `{2}`, `{2+}` or `{1-2}`."""
    if text in ("?", "+"):
        return (0, 1) if text == "?" else (1, _MANY)
    least, sign, most = text.strip("{}").partition("-")
    return (int(least), int(most)) if sign else (int(least.rstrip("+")), _MANY if "+" in least else int(least))
