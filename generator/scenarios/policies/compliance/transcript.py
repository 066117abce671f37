"""A conversation as a checker of policies reads it: the clauses that its system message states, the calls, and what results said of things."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.exact_json import loads
from generator.core.profiles import says_failure
from generator.core.toolbox import Toolbox
from generator.scenarios.policies.clauses import Clause, Confirm
from generator.scenarios.policies.stated import Policy, Stated, fill, fillings

_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


class PlacedCall(msgspec.Struct, frozen=True):
    """A call at a place of a conversation, whether it is made there or not."""

    tool: str
    args: dict[str, Any]
    at: int
    """Index of the message that makes it, or would make it."""


class MadeCall(PlacedCall, frozen=True):
    """A call with its result."""

    result_at: int
    """Index of the message with its result; beyond the end where there is none."""
    result: Any
    failed: bool = False


class UnmadeCall(PlacedCall, frozen=True):
    """A call that was asked for and not made because the assistant says that it may not, or that it proposes."""

    text: str
    """The sentence that says why; empty for a proposal."""


class Transcript(msgspec.Struct, frozen=True):
    """A conversation, read once."""

    messages: Sequence[Message]
    toolbox: Toolbox
    clauses: tuple[Stated, ...]
    """The clauses that its system message states."""
    today: str
    calls: tuple[MadeCall, ...]
    refused: tuple[UnmadeCall, ...] = ()
    """What the assistant does not do because it may not, where that is known."""
    proposed: tuple[UnmadeCall, ...] = ()
    """What it proposes, where that is known."""

    def of(self, kind: type[Clause]) -> Iterator[Stated]:
        """Yield the clauses of a kind."""
        return (stated for stated in self.clauses if isinstance(stated.clause, kind))

    def calls_of(self, *tools: str) -> list[MadeCall]:
        """Return the calls of some tools, in order."""
        return [call for call in self.calls if call.tool in tools]

    def earlier(self, call: PlacedCall, *tools: str) -> list[MadeCall]:
        """Return the successful calls of some tools whose results stand before a call."""
        return [one for one in self.calls_of(*tools) if one.result_at < call.at and not one.failed]

    def thing(self, call: PlacedCall, seen: str = "") -> dict[str, Any] | None:
        """Return the thing that a call is about, as the last result before it tells of the thing; None where none does.

        Only results of the look-up `seen` count, or of all look-ups that are linked to the tool.
        """
        spec = self.toolbox[call.tool]
        links = [
            (link.tool, link.argument.removeprefix("/"), link.result.rpartition("/")[2])
            for link in spec.links
            if seen in ("", link.tool)
        ]
        if seen and not links:  # it is about the same thing, by the same argument
            links = [(seen, name, name) for name in self.toolbox[seen].required]
        look_ups = self.earlier(call, *[source for source, _, _ in links])
        for look_up in sorted(look_ups, key=lambda one: -one.result_at):
            for source, argument, field in links:
                if look_up.tool == source and argument in call.args:
                    for found in objects_in(look_up.result):
                        if found.get(field) == call.args[argument]:
                            return found
        return None

    def value_of(self, stated: Stated, call: PlacedCall) -> Any:
        """Return what a clause's expression makes of a call and its thing; None where they lack what it reads."""
        thing = self.thing(call, getattr(stated.clause, "seen", ""))
        return stated.test(it=thing or {}, args=call.args, today=self.today)

    def confirming(self, tool: str) -> Stated | None:
        """Return the clause that wants a yes before calls of a tool; None where they may be made at once."""
        looks_up = self.toolbox[tool].looks_up
        return next((one for one in self.of(Confirm) if one.clause.covers(tool, looks_up=looks_up)), None)


def read_transcript(
    conversation: Conversation,
    policies: Sequence[Policy],
    toolbox: Toolbox,
    refused: Sequence[UnmadeCall] = (),
    proposed: Sequence[UnmadeCall] = (),
) -> Transcript:
    """Return a conversation as it is checked; `refused` and `proposed` only where that is known beside the messages."""
    messages = conversation.messages
    system = "\n".join([message.content for message in messages if type(message) is SystemMessage])
    day = _DAY.search(system)
    return Transcript(
        messages=messages,
        toolbox=toolbox,
        clauses=stated_clauses(policies, system),
        today=day[0] if day else "",
        calls=tuple(_made_calls(messages)),
        refused=tuple(refused),
        proposed=tuple(proposed),
    )


def unmade_calls(conversation: Conversation, proof: Proof) -> tuple[list[UnmadeCall], list[UnmadeCall]]:
    """Return the calls that the assistant says it may not make, and those that it proposes, as the proof has them."""
    wanted = {wish.call_id: (wish.tool, wish.unmade) for wish in proof.wishes if wish.unmade is not None}
    for message in conversation.messages:
        if type(message) is AssistantMessage:
            wanted |= {call.id: (call.name, call.arguments) for call in message.tool_calls}
    refused: list[UnmadeCall] = []
    found: dict[str, list[UnmadeCall]] = {"ruled_out": refused, "kept_back": refused, "proposed": []}
    for tell in proof.tells:
        if tell.how in found and tell.call_id in wanted:
            text = (conversation.messages[tell.message].content or "")[tell.start : tell.end]
            found[tell.how].append(UnmadeCall(*wanted[tell.call_id], tell.message, text))
    return refused, found["proposed"]


def stated_clauses(policies: Sequence[Policy], system: str) -> tuple[Stated, ...]:
    """Return the clauses whose texts stand in a system message, with the numbers that stand there."""
    found: list[Stated] = []
    for policy in policies:
        for place, clause in enumerate(policy.clauses if any(role in system for role in policy.role) else ()):
            ways = ((fill(text, numbers), numbers) for numbers in fillings(clause) for text in clause.text)
            stated = next(((text, numbers) for text, numbers in ways if text in system), None)
            if stated is not None:
                found.append(Stated(clause=clause, place=place, text=stated[0], numbers=stated[1]))
    return tuple(found)


def _made_calls(messages: Sequence[Message]) -> Iterator[MadeCall]:
    """Yield the calls of a conversation with their results."""
    results = {
        message.tool_call_id: (at, message) for at, message in enumerate(messages) if type(message) is ToolMessage
    }
    for at, message in enumerate(messages):
        for call in message.tool_calls if type(message) is AssistantMessage else ():
            result_at, answer = results.get(call.id, (len(messages), None))
            result = _parsed(answer)
            failed = answer is None or answer.is_error or says_failure(answer.content if result is None else result)
            yield MadeCall(call.name, call.arguments, at, result_at, result, failed)


def _parsed(answer: ToolMessage | None) -> Any:
    """Return the JSON of a result; None where there is none."""
    try:
        return None if answer is None else loads(answer.content)
    except ValueError:
        return None


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a result, at any depth."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(inner)


def user_before(messages: Sequence[Message], at: int) -> str | None:
    """Return what the user says in the message directly before another one; None where the user says nothing there."""
    before = messages[at - 1] if at > 0 else None
    return before.content if type(before) is UserMessage else None
