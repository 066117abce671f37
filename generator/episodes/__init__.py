"""Rows that are played: a world that answers calls, a user who answers texts, a score; `rewards` compares completions with rows.

It may import the rooms from `scenarios` down; `generator.run.episodes` opens those of a recipe. Start reading at episode.py.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, Row, ToolCall
from generator.core.planning import PlannedFailure
from generator.core.toolbox import Toolbox


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What a world must be given to answer a row's calls again, and the row with the usual names of its tools."""

    today: date
    salt: int
    """What the world's own random streams begin with."""
    added: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Entities that were put in before the first event, each with its kind."""
    faults: tuple[PlannedFailure, ...] = ()
    """Calls that fail for a reason other than their arguments."""
    touched: frozenset[str] = frozenset()
    """Kinds of entities that the row's calls are about: what its `state` is a digest of."""
    conversation: Conversation
    """The row before names were scrambled; the same as in the row where they were not."""
    proof: Proof
    """The claims about it."""


def calls_in(messages: Iterable[Message]) -> list[ToolCall]:
    """Return the calls of messages, in order."""
    return [call for message in messages if type(message) is AssistantMessage for call in message.tool_calls]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A row that can be played."""

    row: Row
    opening: Opening
    toolbox: Toolbox
    """The tools of the recipe that the row may see."""

    @property
    def tools_by_call(self) -> dict[str, str]:
        """The tool of each call of the row, and of each that was asked for, by its id."""
        made = {call.id: call.name for call in calls_in(self.opening.conversation.messages)}
        return made | {wish.call_id: wish.tool for wish in self.opening.proof.wishes}
