"""Which clause is the ground of what the assistant does: for thoughts, which say why it looks up, asks, proposes, refuses or hands over."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from generator.core.claims import AskClaim, Proof
from generator.core.conversation import AssistantMessage, Conversation, UserMessage
from generator.core.pointers import split
from generator.core.toolbox import Toolbox
from generator.scenarios.policies import (
    Amount,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Identity,
    Order,
    Policy,
    Stated,
    Transfer,
    Whose,
    listed,
)
from generator.scenarios.policies.compliance.check import forbidding
from generator.scenarios.policies.compliance.transcript import Left, Played, PlayedCall, played, unmade_of

_READ = re.compile(r"\b(it|args)\.(\w+)")


class Ground(msgspec.Struct, frozen=True):
    """Why a message of the assistant is as it is."""

    text: str
    """The clause, as the system message states it."""
    seen: Mapping[str, Any] = {}
    """What the clause's expression reads of the thing and of the call, by name."""


def grounds(
    conversation: Conversation, proof: Proof, policies: tuple[Policy, ...], toolbox: Toolbox
) -> dict[int, list[Ground]]:
    """Return the clauses because of which the assistant does what it does, by index of its message."""
    seen = played(conversation, policies, toolbox, *unmade_of(conversation, proof))
    found: dict[int, list[Ground]] = {}
    for at, ground in [*_of_what_is_left(seen), *_of_calls(seen, conversation, proof), *_of_asks(seen, proof)]:
        if ground not in found.setdefault(at, []):
            found[at].append(ground)
    return found


def _of_what_is_left(seen: Played) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that forbid calls, and those that want a yes to them."""
    for left in seen.refused:
        for stated in forbidding(seen, left)[:1]:
            yield left.at, Ground(stated.text, _read(stated, seen, left))
    for left in seen.proposed:
        looks_up = seen.toolbox[left.tool].looks_up
        for stated in seen.of(Confirm):
            if stated.clause.covers(left.tool, looks_up=looks_up):
                yield left.at, Ground(stated.text)


def _read(stated: Stated, seen: Played, left: Left) -> dict[str, Any]:
    """Return what a clause's expression reads of a thing and of a call for it, as far as they have it."""
    it = seen.thing(left.tool, left.args, left.at, getattr(stated.clause, "seen", "")) or {}
    sources = {"it": it, "args": left.args}
    names = dict.fromkeys(_READ.findall(stated.clause.expression))
    return {name: sources[whose][name] for whose, name in names if name in sources[whose]}


def _of_calls(seen: Played, conversation: Conversation, proof: Proof) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that demand calls, and those that fill in an argument."""
    tools = {wish.call_id: wish.tool for wish in proof.wishes}
    demanded = {wish.call_id: tools.get(wish.helps or "", "") for wish in proof.wishes if wish.demanded}
    ids = {
        (at, call.name): call.id
        for at, message in enumerate(conversation.messages)
        if type(message) is AssistantMessage
        for call in message.tool_calls
    }
    for call in seen.calls:
        call_id = ids[call.at, call.tool]
        for stated in seen.clauses:
            is_demanded = call_id in demanded and _demands(stated, seen, call, demanded[call_id])
            if is_demanded or (isinstance(stated.clause, Amount) and _fills_in(stated.clause, call)):
                yield call.at, Ground(stated.text)


def _demands(stated: Stated, seen: Played, call: PlayedCall, wanted: str) -> bool:
    """Whether a clause demands a call at its place, before one of the tool that is wanted."""
    clause: Clause = stated.clause
    if isinstance(clause, Transfer):
        return clause.transfer == call.tool and _hands_over(stated, seen, call)
    if isinstance(clause, Identity):
        return call.tool in (clause.identity, clause.transfer)
    if isinstance(clause, Order):
        return clause.order == (call.tool, wanted)
    if isinstance(clause, Eligible):
        return (clause.seen, clause.eligible) == (call.tool, wanted)
    return isinstance(clause, Whose) and (clause.by, clause.tools[0]) == (call.tool, wanted)


def _hands_over(stated: Stated, seen: Played, call: PlayedCall) -> bool:
    """Whether it is because of this clause that a call hands over."""
    clause: Transfer = stated.clause
    said = [one.content for one in seen.messages[: call.at] if type(one) is UserMessage][-1:]
    if clause.on:
        return any(text in listed(clause.on) for text in said)
    return any(stated in forbidding(seen, left) for left in seen.refused if left.at > call.at)


def _fills_in(clause: Amount, call: PlayedCall) -> bool:
    return clause.tools[0] == call.tool and clause.slot in call.args


def _of_asks(seen: Played, proof: Proof) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that want something asked for."""
    tools = {wish.call_id: wish.tool for wish in proof.wishes}
    for ask in proof.asks:
        for stated in seen.clauses:
            if isinstance(stated.clause, Ask | Identity) and _wants_asked(
                stated.clause, ask, tools.get(ask.call_id, "")
            ):
                yield ask.message, Ground(stated.text)


def _wants_asked(clause: Ask | Identity, ask: AskClaim, tool: str) -> bool:
    slot = split(ask.pointer)[-1]
    if isinstance(clause, Identity):
        return (clause.identity, clause.by) == (tool, slot)
    return (clause.tools[0], clause.slot) == (tool, slot)
