"""Twins: families of rows that are made from one plan and differ in one thing.

A family is one request for one tool: with tools beside it that are easy to tell from the right one, with hard ones, without a
value that is needed, without the tool that could do it, and with a call whose value is wrong at first. Its rows follow each other,
and each is made and proven like any row. The plan is that of the first one, so each row is still a function of its index alone.
"""

from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation
from generator.errors import CannotFillError
from generator.execution.outcome import World
from generator.execution.state import State, state_of
from generator.planning import Event, Step
from generator.recipe import TWINS
from generator.run.prepared import PreparedRecipe
from generator.scenarios import SCENARIOS, Scenario, Scene
from generator.scenarios.mistakes import mistaken
from generator.scenarios.twins import twin_tools
from generator.seeds import stream_seed


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the rows of a family have in common."""

    attempt: int
    """The attempt with which the first row was made."""
    tool: str
    said: dict[str, Any]
    """The arguments that the user wants the tool to be called with."""
    added: tuple[tuple[str, dict[str, Any]], ...]
    """Entities that were put into the world of the first row, each with its kind."""


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a row in its family."""

    index: int
    member: str
    """What it differs in: a name of `TWINS`."""
    plan: Plan | None
    """None for the first row, which makes it."""

    @property
    def first(self) -> int:
        """Index of the family's first row, whose day, system message, world and register the others share."""
        return self.index - self.index % len(TWINS)

    @property
    def family(self) -> int:
        """The number of the family."""
        return self.index // len(TWINS)

    @property
    def scenario(self) -> Scenario:
        """The kind of conversation that the row is."""
        return SCENARIOS[TWINS[self.member].scenario]

    def offering(self, prepared: PreparedRecipe) -> PreparedRecipe:
        """The recipe with easy or hard tools beside the called one."""
        offer = msgspec.structs.replace(prepared.recipe.offer, hard=TWINS[self.member].hard)
        return msgspec.structs.replace(prepared, recipe=msgspec.structs.replace(prepared.recipe, offer=offer))

    def scene(self, scene: Scene, seed: int, attempt: int) -> Scene:
        """The scene of the row: about the planned request, or about one of which all rows of a family can be made."""
        if self.plan is None:
            able = twin_tools(scene.toolkit)
            return msgspec.structs.replace(scene, prefers=lambda option: _tool_of(option) in able)
        tool = self.plan.tool
        scene.draw.reseed(stream_seed(seed, "twin", self.index, attempt), scene.draw.today)
        return msgspec.structs.replace(scene, planned={tool: self.plan.said}, prefers=lambda option: _tool_of(option) == tool)

    def furnish(self, world: World) -> None:
        """Put the entities of the first row into a world."""
        state = state_of(world)
        if state is not None and self.plan is not None:
            state.restore(list(self.plan.added))

    def check(self, events: tuple[Event, ...], scene: Scene) -> None:
        """See that a wrong value can stand in the call of the first row.

        Raises:
            CannotFillError: when none can.
        """
        for event in events if self.plan is None else ():
            for call in event.made if isinstance(event, Step) else ():
                if mistaken(scene.toolkit.toolbox[call.name], call.arguments, scene.draw) is None:
                    raise CannotFillError("no mistake that the schema refuses can be made in the call of a family")

    def words(self, seed: int, attempt: int) -> int:
        """The seed of the words, so that all rows of the family say the same in the same words."""
        return stream_seed(seed, "words of twins", self.first, attempt + (self.plan.attempt if self.plan is not None else 0))


def plan_of(conversation: Conversation, state: State | None, attempt: int) -> Plan:
    """What the other rows of a family take from its first one."""
    (call,) = [call for message in conversation.messages if isinstance(message, AssistantMessage) for call in message.tool_calls]
    return Plan(attempt=attempt, tool=call.name, said=call.arguments, added=() if state is None else tuple(state.added))


def twin_at(index: int, plan: Plan | None) -> Twin:
    """The place of a row in its family."""
    return Twin(index=index, member=list(TWINS)[index % len(TWINS)], plan=plan)


def _tool_of(option: Any) -> str | None:
    """The tool that an option of a scenario is about: the option itself, or what it begins with."""
    first = option[0] if isinstance(option, tuple) and option else option
    return first if isinstance(first, str) else None
