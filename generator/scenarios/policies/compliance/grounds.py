"""Which clause is the ground of what the assistant does: for thoughts, which say why it looks up, asks, proposes, refuses or hands over."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation
from generator.core.pointers import split
from generator.core.toolbox import Toolbox
from generator.scenarios.policies.clauses import Amount, Ask, Identity, Transfer
from generator.scenarios.policies.compliance.check import reasons_told
from generator.scenarios.policies.compliance.transcript import Transcript, UnmadeCall, read_transcript, unmade_calls
from generator.scenarios.policies.compliance.verdicts import demanded_by
from generator.scenarios.policies.stated import Policy, Stated

_READ = re.compile(r"\b(it|args)\.(\w+)")


class Ground(msgspec.Struct, frozen=True):
    """Why a message of the assistant is as it is."""

    text: str
    """The clause, as the system message states it."""
    seen: Mapping[str, Any] = {}
    """What the clause's expression reads of the thing and of the call, by name."""


def grounds(
    conversation: Conversation, proof: Proof, policies: Sequence[Policy], toolbox: Toolbox
) -> dict[int, list[Ground]]:
    """Return the clauses because of which the assistant does what it does, by index of its message."""
    talk = read_transcript(conversation, policies, toolbox, *unmade_calls(conversation, proof))
    found: dict[int, list[Ground]] = {}
    for at, ground in [
        *_grounds_of_unmade_calls(talk),
        *_grounds_of_calls(talk, conversation, proof),
        *_grounds_of_questions(talk, proof),
    ]:
        if ground not in found.setdefault(at, []):
            found[at].append(ground)
    return found


def _grounds_of_unmade_calls(talk: Transcript) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that forbid calls, and those that want a yes to them."""
    for call in talk.refused:
        for stated in reasons_told(talk, call)[:1]:
            yield call.at, Ground(stated.text, _values_read(stated, talk, call))
    for call in talk.proposed:
        confirming = talk.confirming(call.tool)
        if confirming is not None:
            yield call.at, Ground(confirming.text)


def _values_read(stated: Stated, talk: Transcript, call: UnmadeCall) -> dict[str, Any]:
    """Return what a clause's expression reads of a thing and of a call for it, as far as they have it."""
    thing = talk.thing(call, getattr(stated.clause, "seen", "")) or {}
    sources = {"it": thing, "args": call.args}
    names = dict.fromkeys(_READ.findall(stated.clause.expression))
    return {name: sources[source][name] for source, name in names if name in sources[source]}


def _grounds_of_calls(talk: Transcript, conversation: Conversation, proof: Proof) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that demand calls, and those that fill in an argument."""
    tools = {wish.call_id: wish.tool for wish in proof.wishes}
    wanted = {wish.call_id: tools.get(wish.helps or "", "") for wish in proof.wishes if wish.demanded}
    told = [stated for call in talk.refused for stated in reasons_told(talk, call)]
    for at, message in enumerate(conversation.messages):
        for call in message.tool_calls if type(message) is AssistantMessage else ():
            for stated in talk.clauses:
                clause = stated.clause
                is_demanded = call.id in wanted and call.name in demanded_by(clause, wanted[call.id])
                is_filled_in = (
                    isinstance(clause, Amount) and clause.tools[0] == call.name and clause.slot in call.arguments
                )
                if is_filled_in or (is_demanded and (stated in told or not isinstance(clause, Transfer))):
                    yield at, Ground(stated.text)


def _grounds_of_questions(talk: Transcript, proof: Proof) -> Iterator[tuple[int, Ground]]:
    """Yield the clauses that want something asked for."""
    tools = {wish.call_id: wish.tool for wish in proof.wishes}
    for ask in proof.asks:
        asked = (tools.get(ask.call_id, ""), split(ask.pointer)[-1])
        for stated in (*talk.of(Ask), *talk.of(Identity)):
            clause = stated.clause
            if asked == (clause.tools[0], clause.by if isinstance(clause, Identity) else clause.slot):
                yield ask.message, Ground(stated.text)
