"""Rows for formats that cannot hold system messages: written without them where everything is proven all the same."""

import msgspec

from generator.core.claims import ChatClaim, Claim, DeclineClaim, Proof
from generator.core.conversation import Conversation, Row, SystemMessage
from generator.core.errors import CannotCarryError
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import check_row
from generator.formats import Format
from generator.run.overlays.scramble import restore
from generator.scenarios import SCENARIOS

LOSS = "system messages"
"""As `convert` calls it."""
_OF_ANSWERS = frozenset({"PF106", "PF107"})


def without_system(row: Row, toolbox: Toolbox, fmt: Format) -> Conversation:
    """Return the conversation without its system messages.

    The proof decides whether it needs them: "tomorrow" and "12 April" cannot be read without the day that they state.
    Where the format holds one request and its calls only, what is claimed about answers does not count.

    Raises:
        CannotCarryError: when the proof does not hold without them.
    """
    kept = [at for at, message in enumerate(row.conversation.messages) if not isinstance(message, SystemMessage)]
    moved = {old: new for new, old in enumerate(kept)}
    conversation = msgspec.structs.replace(
        row.conversation, messages=tuple([row.conversation.messages[at] for at in kept])
    )
    scenario = SCENARIOS.get(row.scenario)
    has_policy = scenario is not None and bool(scenario.policies)  # what the assistant does would be without a reason
    said_by_system = has_policy or any(
        claim.message is not None and claim.message not in moved for claim in row.proof.arguments
    )
    if said_by_system:
        raise CannotCarryError("$.messages: a system message that the words depend on")
    proven = conversation, _moved(row.proof, moved)
    found = check_row(*(restore(*proven, row.renamed) if row.renamed else proven), toolbox, phrases=False)
    if fmt.policy.requests == "one":
        found = [finding for finding in found if finding.code not in _OF_ANSWERS]
    if found:
        raise CannotCarryError("$.messages: a system message that the words depend on")
    return conversation


def _moved_decline(decline: DeclineClaim, moved: dict[int, int]) -> DeclineClaim:
    replace, asked_at = msgspec.structs.replace, moved[decline.asked_at]
    said = [
        replace(
            claim, call_id=f"{asked_at}:{decline.tool}", message=None if claim.message is None else moved[claim.message]
        )
        for claim in decline.said
    ]
    return replace(decline, message=moved[decline.message], asked_at=asked_at, said=tuple(said))


def _moved_chat(chat: ChatClaim, moved: dict[int, int]) -> ChatClaim:
    replace = msgspec.structs.replace
    spans = tuple([replace(span, message=moved[span.message]) for span in chat.spans])
    return replace(chat, message=moved[chat.message], reply=moved[chat.reply], spans=spans)


def _moved_claim(claim: Claim, moved: dict[int, int]) -> Claim:
    replace = msgspec.structs.replace
    if claim.referred is not None:
        claim = replace(claim, referred=(moved[claim.referred[0]], *claim.referred[1:]))
    return claim if claim.message is None else replace(claim, message=moved[claim.message])


def _moved(proof: Proof, moved: dict[int, int]) -> Proof:
    replace = msgspec.structs.replace
    # calls that are not made have names of their message
    names = {f"{one.asked_at}:{one.tool}": f"{moved[one.asked_at]}:{one.tool}" for one in proof.declines}

    def named(call_id: str) -> str:
        return names.get(call_id, call_id)

    return Proof(
        arguments=tuple([_moved_claim(claim, moved) for claim in proof.arguments]),
        answers=tuple([replace(one, message=moved[one.message], call_id=named(one.call_id)) for one in proof.answers]),
        wishes=tuple([replace(claim, message=moved[claim.message]) for claim in proof.wishes]),
        asks=tuple([replace(claim, message=moved[claim.message]) for claim in proof.asks]),
        tells=tuple([replace(one, message=moved[one.message], call_id=named(one.call_id)) for one in proof.tells]),
        uses=tuple(
            [replace(one, message=moved[one.message], calls=tuple(map(named, one.calls))) for one in proof.uses]
        ),
        retracted=tuple([replace(claim, message=moved[claim.message]) for claim in proof.retracted]),
        declines=tuple([_moved_decline(decline, moved) for decline in proof.declines]),
        chats=tuple([_moved_chat(chat, moved) for chat in proof.chats]),
    )
