"""The places of a conversation at which the next calls are known, so that somebody can be asked which they are."""

from collections.abc import Iterator

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolCall, UserMessage


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a conversation where the next calls are known."""

    at: int
    """Index of the assistant message that stands there."""
    texts: frozenset[int]
    """Indexes of the user messages that lead to the calls."""
    calls: tuple[ToolCall, ...]
    """The calls of the plan, including those that would be made if a missing tool were there."""
    later: frozenset[str]
    """Names of the tools that are called after that before the user speaks again, or would have been."""
    may_follow: frozenset[str] = frozenset()
    """Names of tools that are called after that once the user has said what is missing."""
    missing: tuple[str, ...] = ()
    """Tools that the user wants and that are not on offer; the model is shown them, too."""


def points_of(conversation: Conversation, proof: Proof) -> Iterator[Point]:
    """Yield the places at which calls are read back: before each step, each proposal, and each text after a user message.

    A call that is wrong on purpose is read as the one that mends it. Left out are calls that are made again or unblock one, what comes after
    a yes, and tools that a system message withholds; a user message after which the assistant asks for a value is read
    together with the reply.
    """
    said = _Said(conversation, proof)
    turn: list[int] = []
    for at, message in enumerate(conversation.messages):
        if isinstance(message, UserMessage):
            turn = [] if at in said.answers else [*turn, at] if at - 1 in said.asking else [at]
        elif isinstance(message, AssistantMessage) and turn:
            point = _point(said, at, message, turn)
            if point is not None:
                yield point


class _Said:
    """A conversation and its proof, looked up."""

    def __init__(self, conversation: Conversation, proof: Proof) -> None:
        self.messages = conversation.messages
        self.proof = proof
        self.wishes = {wish.call_id: wish for wish in proof.wishes}
        self.mending = {wish.mends: wish.call_id for wish in proof.wishes if wish.mends is not None}
        """By call that failed: the one that is made instead."""
        self.made: dict[str, ToolCall] = {}
        self.wrong: set[str] = set()
        for message in conversation.messages:
            if isinstance(message, AssistantMessage):
                self.made |= {call.id: call for call in message.tool_calls}
                self.wrong |= {call.id for call in message.tool_calls if not message.train}
        self.proposed = {tell.message: tell.call_id for tell in proof.tells if tell.how == "proposed"}
        self.asking = {ask.message for ask in proof.asks} | self.proposed.keys()
        """Messages of the assistant to which the user replies."""
        self.answers = {
            tell.message
            for tell in proof.tells
            if tell.how in ("yes", "no", "unsure", "insists", "asks_for", "asks_of")
        }

    def proposal(self, call_id: str) -> ToolCall:
        """Return a proposed call, whether it is made or not."""
        wish = self.wishes[call_id]
        return self.made.get(call_id) or ToolCall(call_id, wish.tool, wish.unmade or {})

    def to_read(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Return those calls of a step that the user's words lead to."""
        first = [
            call for call in calls if call.id not in self.mending.values() and self.wishes[call.id].unblocks is None
        ]
        right = [self.made.get(self.mending.get(call.id, "")) if call.id in self.wrong else call for call in first]
        return tuple([call for call in right if call is not None])

    def is_withheld(self, tool: str) -> bool:
        """Whether a system message names a tool, as those do that withhold it."""
        return any(isinstance(message, SystemMessage) and tool in message.content for message in self.messages)


def _point(said: _Said, at: int, message: AssistantMessage, turn: list[int]) -> Point | None:
    """Return the point before a message of the assistant; None if there is nothing to read."""
    is_first = at == turn[-1] + 1
    declined = [one for one in said.proof.declines if one.asked_at in turn and is_first]
    calls = (said.proposal(said.proposed[at]),) if at in said.proposed else said.to_read(message.tool_calls)
    if not calls and (message.tool_calls or at in said.asking or not is_first):
        return None
    if any(said.is_withheld(one.tool) for one in declined):
        return None
    ids = {call.id for call in calls}
    texts = {said.wishes[call_id].message for call_id in ids & said.wishes.keys()}
    texts |= {claim.message for claim in said.proof.arguments if claim.call_id in ids and claim.message is not None}
    later, open_ = _later(said, at, turn)
    return Point(
        at=at,
        texts=frozenset(index for index in {*turn, *texts} if isinstance(said.messages[index], UserMessage)),
        calls=(*calls, *[ToolCall("", one.tool, one.arguments) for one in declined]),
        later=later - ({call.name for call in calls} if at in said.proposed else frozenset()),
        may_follow=open_,
        missing=tuple([one.tool for one in declined]),
    )


def _later(said: _Said, at: int, turn: list[int]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the tools of later calls: those made before the user says more, or planned but not reached; and those made after a reply."""
    now = {wish.tool for wish in said.proof.wishes if wish.unmade is not None and wish.message in turn}
    after: set[str] = set()
    names = now
    for index, message in enumerate(said.messages[at + 1 :], start=at + 1):
        if isinstance(message, UserMessage) and index not in said.answers:
            if index - 1 not in said.asking:
                break
            names = after
        if isinstance(message, AssistantMessage):
            names |= {call.name for call in message.tool_calls if call.id not in said.mending.values()}
    return frozenset(now), frozenset(after)
