"""A conversation as a checker of policies reads it: the clauses in force, the calls, and what results said of things."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.exact_json import loads
from generator.core.profiles import says_failure
from generator.core.toolbox import Toolbox
from generator.scenarios.policies import Policy, Stated, fill, fillings

_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


class PlayedCall(msgspec.Struct, frozen=True):
    """A call with its result."""

    at: int
    """Index of the message that makes it."""
    tool: str
    args: dict[str, Any]
    told_at: int
    """Index of the message with its result; beyond the end where there is none."""
    result: Any
    failed: bool


class Left(msgspec.Struct, frozen=True):
    """A call that was asked for and not made because the assistant says that it may not, or that it proposes."""

    tool: str
    args: dict[str, Any]
    at: int
    """Index of the assistant's message."""
    text: str
    """The sentence that says why; empty for a proposal."""


class Played(msgspec.Struct, frozen=True):
    """A conversation, read once."""

    messages: Sequence[Message]
    toolbox: Toolbox
    clauses: tuple[Stated, ...]
    """The clauses that its system message states."""
    today: str
    calls: tuple[PlayedCall, ...]
    refused: tuple[Left, ...]
    """What the assistant does not do because it may not, where that is known."""
    proposed: tuple[Left, ...]
    """What it proposes, where that is known."""

    def of(self, kind: type) -> Iterator[Stated]:
        """Yield the clauses of a kind."""
        return (stated for stated in self.clauses if isinstance(stated.clause, kind))

    def thing(self, tool: str, args: dict[str, Any], before: int, seen: str = "") -> dict[str, Any] | None:
        """Return the thing that a call is about, as the last result before a message tells of it; None where none does.

        Args:
            tool: The tool of the call.
            args: Its arguments.
            before: Index of a message.
            seen: Only results of this look-up count; empty: those of all linked ones.
        """
        links = [
            (link.tool, link.argument.removeprefix("/"), link.result.rpartition("/")[2])
            for link in self.toolbox[tool].links
            if seen in ("", link.tool)
        ]
        if seen and not links:  # it is about the same thing, by the same argument
            links = [(seen, name, name) for name in self.toolbox[seen].required]
        for call in sorted(self.calls, key=lambda one: -one.told_at):
            for source, argument, field in links:
                if call.tool == source and call.told_at < before and not call.failed and argument in args:
                    found = [one for one in objects_of(call.result) if one.get(field) == args[argument]]
                    if found:
                        return found[0]
        return None


def played(
    conversation: Conversation,
    policies: Sequence[Policy],
    toolbox: Toolbox,
    refused: Sequence[Left] = (),
    proposed: Sequence[Left] = (),
) -> Played:
    """Return a conversation as it is checked; `refused` and `proposed` only where that is known beside the messages."""
    messages = conversation.messages
    system = "\n".join([message.content for message in messages if type(message) is SystemMessage])
    day = _DAY.search(system)
    return Played(
        messages=messages,
        toolbox=toolbox,
        clauses=in_force(policies, system),
        today=day[0] if day else "",
        calls=tuple(_calls(messages)),
        refused=tuple(refused),
        proposed=tuple(proposed),
    )


def unmade_of(conversation: Conversation, proof: Proof) -> tuple[list[Left], list[Left]]:
    """Return the calls that the assistant says it may not make, and those that it proposes, as the proof has them."""
    wanted = {wish.call_id: (wish.tool, wish.unmade) for wish in proof.wishes if wish.unmade is not None}
    for message in conversation.messages:
        if type(message) is AssistantMessage:
            wanted |= {call.id: (call.name, call.arguments) for call in message.tool_calls}
    refused: list[Left] = []
    found: dict[str, list[Left]] = {"ruled_out": refused, "kept_back": refused, "proposed": []}
    for tell in proof.tells:
        if tell.how in found and tell.call_id in wanted:
            tool, arguments = wanted[tell.call_id]
            text = (conversation.messages[tell.message].content or "")[tell.start : tell.end]
            found[tell.how].append(Left(tool, arguments, tell.message, text))
    return refused, found["proposed"]


def in_force(policies: Sequence[Policy], system: str) -> tuple[Stated, ...]:
    """Return the clauses whose texts stand in a system message, with the numbers that stand there."""
    found: list[Stated] = []
    for policy in policies:
        if not any(role in system for role in policy.role):
            continue
        for place, clause in enumerate(policy.clauses):
            for numbers in fillings(clause):
                said = [filled for text in clause.text if (filled := fill(text, numbers)) in system]
                if said:
                    found.append(Stated(clause=clause, place=place, text=said[0], numbers=numbers))
                    break
    return tuple(found)


def _calls(messages: Sequence[Message]) -> Iterator[PlayedCall]:
    results = {
        message.tool_call_id: (at, message) for at, message in enumerate(messages) if type(message) is ToolMessage
    }
    for at, message in enumerate(messages):
        for call in message.tool_calls if type(message) is AssistantMessage else ():
            told_at, told = results.get(call.id, (len(messages), None))
            result = _parsed(told)
            failed = told is None or told.is_error or says_failure(told.content if result is None else result)
            yield PlayedCall(at, call.name, call.arguments, told_at, result, failed)


def _parsed(told: ToolMessage | None) -> Any:
    try:
        return None if told is None else loads(told.content)
    except ValueError:
        return None


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a result."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects_of(inner)


def user_before(messages: Sequence[Message], at: int) -> str | None:
    """Return what the user says in the message directly before another one; None where the user says nothing there."""
    before = messages[at - 1] if at > 0 else None
    return before.content if type(before) is UserMessage else None
