"""What the proof says of a conversation that thoughts can be made of, by message and by call."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.core.claims import Claim, Proof
from generator.core.conversation import AssistantMessage, Conversation
from generator.core.pointers import resolve, split
from generator.core.toolbox import Toolbox
from generator.dialogue.thoughts.origins import without_quotes
from generator.tools.productions import spoken_name


class Because(msgspec.Struct, frozen=True):
    """A rule of the system message because of which a message is as it is."""

    text: str
    seen: Mapping[str, Any] = {}
    """The values that decide, by name."""


class Told(msgspec.Struct, frozen=True):
    """What the proof says of a conversation, by message and by call."""

    conversation: Conversation
    toolbox: Toolbox
    claims: dict[str, list[Claim]]
    asked_at: dict[str, int]
    """By call id, the message that asks for the call."""
    asks: dict[int, str]
    """By message, the name of the value that it asks for."""
    otherwise: dict[int, str]
    """By message, which texts say why it tells something else than the result of a call that succeeded."""
    seen: dict[int, str]
    """By message of the user, what can be seen of them."""
    reasons: dict[int, str]
    """By message of the user, why they ask."""
    because: Mapping[int, Sequence[Because]]


def told_of(
    conversation: Conversation, proof: Proof, toolbox: Toolbox, because: Mapping[int, Sequence[Because]]
) -> Told:
    """Return what a proof says of a conversation; `because` is kept as it is."""
    claims: dict[str, list[Claim]] = {}
    for claim in proof.arguments:
        claims.setdefault(claim.call_id, []).append(claim)
    _claim_demanded(conversation, proof, claims)
    asks = {ask.message: spoken_name(split(ask.pointer)[-1]) or "value" for ask in proof.asks}
    return Told(
        conversation=conversation,
        toolbox=toolbox,
        claims=claims,
        asked_at={wish.call_id: wish.message for wish in proof.wishes},
        asks=asks,
        otherwise={tell.message: _REASONS[tell.how] for tell in proof.tells if tell.how in _REASONS},
        seen={**{at + 1: _ANSWERS for at in asks}, **_seen_of_the_user(proof)},
        reasons=_reasons_of_the_user(conversation, proof),
        because=because,
    )


def _claim_demanded(conversation: Conversation, proof: Proof, claims: dict[str, list[Claim]]) -> None:
    """Claim of calls that only a policy demands what is claimed of the calls before which they are made, as far as they have the same values."""
    made = {
        call.id: call
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
    wishes = {wish.call_id: wish for wish in proof.wishes}
    for wish in proof.wishes:
        helped = wishes.get(wish.helps or "")
        if wish.demanded and helped is not None and wish.call_id in made and wish.call_id not in claims:
            whole = made[helped.call_id].arguments if helped.call_id in made else helped.unmade or {}
            own = made[wish.call_id].arguments
            claims[wish.call_id] = [
                claim
                for claim in (*claims.get(helped.call_id, ()), *helped.said)
                if _value_at(own, claim.pointer) == _value_at(whole, claim.pointer) is not None
            ]


def _value_at(value: Any, pointer: str) -> Any:
    """Return what a pointer leads to; None where it leads to nothing."""
    try:
        return resolve(value, pointer)
    except LookupError:
        return None


def _they_say_why(said: str) -> str:
    return f'They say why: "{without_quotes(said)}"' + ("" if said.endswith((".", "!", "?")) else ".")


_ANSWERS = "The user answers the question."


_REASONS = {
    "failed": "not_done",
    "proposed": "asking_leave",
    "not_done": "not_let",
    "refused": "not_accepted",
    "ruled_out": "ruled_out",
    "kept_back": "ruled_out",
    "unmoved": "unmoved",
    "patient": "patient",
    "put_off": "put_off",
    "handed_over": "over",
}
"""What the assistant says other than the result of a call that succeeded → the texts that say why."""


_REPLIES = {
    "yes": "The user agrees.",
    "no": "The user does not agree.",
    "unsure": "That is no clear yes.",
    "insists": "The user does not want to accept the refusal.",
    "asks_for": "The user wants somebody else to take over.",
    "asks_of": "The user asks for something else about it.",
}
"""What the user says other than a request → what can be seen of them."""


def _seen_of_the_user(proof: Proof) -> dict[int, str]:
    """Return, by message, what can be seen of the user in messages that are more than a request."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    found: dict[int, str] = {}
    for tell in proof.tells:
        if tell.how == "proposed" and tell.call_id in asked_at:
            found[asked_at[tell.call_id]] = "The user wants something to be changed."
        elif tell.how in ("ruled_out", "kept_back") and tell.call_id in asked_at:
            found.setdefault(asked_at[tell.call_id], "The user makes a request.")
        elif tell.how in _REPLIES:
            found[tell.message] = _REPLIES[tell.how]
    return found


def _reasons_of_the_user(conversation: Conversation, proof: Proof) -> dict[int, str]:
    """Return, by message, why the user asks, in their words."""
    return {
        tell.message: _they_say_why((conversation.messages[tell.message].content or "")[tell.start : tell.end])
        for tell in proof.tells
        if tell.how == "reason" and tell.message < len(conversation.messages)
    }
