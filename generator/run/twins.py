"""Twins: families of rows that are made from one plan and differ in one thing.

A family is one request for one tool: with tools beside it that are easy to tell from the right one, with hard ones, without a
value that is needed, and without the tool that could do it. Its rows follow each other,
and each is made and proven like any row. The plan is that of the first one, so each row is still a function of its index alone.
"""

from typing import Any

import msgspec

from generator.core.conversation import Conversation, Tool, calls_in
from generator.core.seeds import stream_seed
from generator.recipe import TWINS
from generator.run.prepared import PreparedRecipe
from generator.scenarios import SCENARIOS, Scenario, Scene
from generator.scenarios.no_call import missing
from generator.scenarios.scenario import Events
from generator.world.outcome import World
from generator.world.state import State, state_of


class FamilyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What the rows of a family have in common."""

    attempt: int
    """The attempt in which the first row was made."""
    tool: str
    said: dict[str, Any]
    """The arguments that the user wants the tool to be called with."""
    added: tuple[tuple[str, dict[str, Any]], ...]
    """Entities that were put into the world of the first row, each with its kind."""
    offered: tuple[str, ...] = ()
    """The tools on offer, in order."""


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A row's place in its family."""

    index: int
    member: str
    """The thing in which it differs: a name of `TWINS`."""
    plan: FamilyPlan | None
    """None for the first row, from which the plan is made."""
    offered: tuple[Tool, ...] = ()
    """The tools on offer, where they are planned."""

    @property
    def first(self) -> int:
        """Return the index of the family's first row; the others share its day, system message, world and register."""
        return self.index - self.index % len(TWINS)

    @property
    def family(self) -> int:
        """Return the number of the family."""
        return self.index // len(TWINS)

    @property
    def scenario(self) -> Scenario:
        """Return the scenario of the row, about what was planned."""
        usual_scenario, plan = SCENARIOS[TWINS[self.member].scenario], self.plan
        if self.member != "without_value" or plan is None:
            return usual_scenario

        def events(scene: Scene) -> Events:
            slots = [slot for tool, slot in scene.toolkit.gaps if tool == plan.tool]
            return missing(scene, plan.tool, scene.draw.choice(tuple(slots)), others=0)

        return msgspec.structs.replace(usual_scenario, events=events)

    def offering(self, prepared: PreparedRecipe) -> PreparedRecipe:
        """Return the recipe with tools beside the called one that are easy or hard to tell from it."""
        offer = msgspec.structs.replace(prepared.recipe.offer, hard=TWINS[self.member].hard)
        return msgspec.structs.replace(prepared, recipe=msgspec.structs.replace(prepared.recipe, offer=offer))

    def scene(self, scene: Scene, seed: int, attempt: int) -> Scene:
        """Return the scene of the row: about the planned request, or, for the first row, about a tool that allows a whole family."""
        if self.plan is None:
            twin_tools = scene.toolkit.twin_tools
            return msgspec.structs.replace(scene, prefers=lambda option: _tool_of(option) in twin_tools)
        tool = self.plan.tool
        scene.draw.reseed(stream_seed(seed, "twin", self.index, attempt), scene.draw.today)
        return msgspec.structs.replace(
            scene, planned={tool: self.plan.said}, prefers=lambda option: _tool_of(option) == tool
        )

    def furnish(self, world: World) -> None:
        """Put the entities of the first row into a world."""
        state = state_of(world)
        if state is not None and self.plan is not None:
            state.restore(list(self.plan.added))

    def words(self, seed: int, attempt: int) -> int:
        """Return the seed of the words, which makes all rows of the family say the same things in the same words."""
        return stream_seed(
            seed, "words of twins", self.first, attempt + (self.plan.attempt if self.plan is not None else 0)
        )


def family_plan(conversation: Conversation, state: State | None, attempt: int) -> FamilyPlan:
    """Return what the other rows of a family take from its first one."""
    (call,) = calls_in(conversation.messages)
    return FamilyPlan(
        attempt=attempt,
        tool=call.name,
        said=call.arguments,
        added=() if state is None else tuple(state.added),
        offered=tuple([tool.name for tool in conversation.tools]),
    )


def twin_at(index: int, plan: FamilyPlan | None) -> Twin:
    """Return the place of a row in its family."""
    return Twin(index=index, member=list(TWINS)[index % len(TWINS)], plan=plan)


def _tool_of(option: Any) -> str | None:
    """Return the tool that an option of a scenario is about: the option itself, or its first element; None for other options."""
    first = option[0] if isinstance(option, tuple) and option else option
    return first if isinstance(first, str) else None
