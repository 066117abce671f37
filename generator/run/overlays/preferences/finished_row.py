"""A finished row, seen from one of its messages: what came before, how things are said, what calls would have returned elsewhere."""

from typing import Any

import msgspec

from generator.core.claims import AnswerClaim, Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from generator.core.errors import RowError
from generator.core.pointers import resolve
from generator.core.seeds import Draw
from generator.dialogue.proof.opening import parsed
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import Clock, DateStyle, Voice, assistant_voice
from generator.run.prepared import PreparedRecipe
from generator.world.state import State, state_of


class FinishedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row, and what is needed to make continuations of it."""

    conversation: Conversation
    proof: Proof
    prepared: PreparedRecipe
    draw: Draw
    salt: int
    """The salt of the row's world."""
    state: State | None
    """The entities after the row's last call."""

    def message(self, at: int) -> AssistantMessage:
        """Return the assistant's message at index `at`."""
        message = self.conversation.messages[at]
        assert isinstance(message, AssistantMessage)
        return message

    def arguments(self, tool: str) -> dict[str, Any]:
        """Return arguments that a call of a tool might have."""
        try:
            return self.prepared.sources[tool](self.draw) if tool in self.prepared.toolbox else {}
        except RowError:
            return {}

    def voices(self) -> list[Voice]:
        """Return voices that the assistant may have, first those that say most of what it says in the row in its words."""
        today, notes = self.draw.today, [m.content for m in self.conversation.messages if isinstance(m, SystemMessage)]
        knows = (True, False) if any(str(today.year) in note for note in notes) else (False,)
        styles: tuple[DateStyle, ...] = ("day_first", "month_first")
        clocks: tuple[Clock, ...] = (24, 12)
        some = [
            assistant_voice(Voice(today, known, style, clock))
            for known in knows
            for style in styles
            for clock in clocks
        ]
        known = results(self, len(self.conversation.messages))
        claims = [
            claim
            for claim in self.proof.answers
            if claim.verbalizer in VERBALIZERS
            and claim.call_id in known
            and isinstance(self.conversation.messages[claim.message], AssistantMessage)
        ]
        said = [one for claim in claims if (one := self._said(claim, *known[claim.call_id])) is not None]
        return sorted(
            some, key=lambda voice: -sum(say(verbalizer, value, voice) == text for verbalizer, value, text in said)
        )

    def _said(self, claim: AnswerClaim, call: ToolCall, result: Any) -> tuple[str, Any, str] | None:
        """Return a verbalizer, a value, and the words that say it in an answer."""
        try:
            value = resolve(result if claim.of == "result" else call.arguments, claim.pointer)
        except LookupError:
            return None
        return claim.verbalizer, value, (self.message(claim.message).content or "")[claim.start : claim.end]


def say(verbalizer: str, value: Any, voice: Voice) -> str | None:
    """Return the words for a value; None for one of another type than the verbalizer says."""
    try:
        return VERBALIZERS[verbalizer].say(value, voice)
    except (TypeError, ValueError):
        return None


def results(row: FinishedRow, at: int) -> dict[str, tuple[ToolCall, Any]]:
    """Return the calls before a message with their results, by id."""
    messages = row.conversation.messages[:at]
    calls = {call.id: call for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls}
    return {m.tool_call_id: (calls[m.tool_call_id], parsed(m.content)) for m in messages if isinstance(m, ToolMessage)}


def later_calls(row: FinishedRow, at: int) -> dict[str, ToolCall]:
    """Return the calls after a message, by id."""
    return {
        call.id: call
        for other in row.conversation.messages[at + 1 :]
        if isinstance(other, AssistantMessage)
        for call in other.tool_calls
    }


def answer(row: FinishedRow, call: ToolCall, *, at: int | None, salt: int) -> Any:
    """Return the result of a call in a world without planned faults; None where it fails there, too.

    Args:
        row: The row.
        call: The call.
        at: The message before which the calls of the row are made first; None: no others are.
        salt: Of the world.
    """
    with row.prepared.backend.open(row.draw.today, salt) as world:
        try:
            state = state_of(world)
            if at is not None and state is not None and row.state is not None:
                state.restore(row.state.added)
            for message in row.conversation.messages[: at or 0]:
                if isinstance(message, AssistantMessage) and message.tool_calls and message.train:
                    world.step([one for one in message.tool_calls if one.id != call.id])
            (outcome,) = world.step([call])
        except RowError:
            return None
    return outcome.value if outcome.ok else None
