"""Pairs of rows on the same offer: one whose request a tool serves, and its twin, in which nothing must be called.

The first row is a `single` one. Its twin offers the same tools in the same order, and the user asks for what none of them does (the same
with another thing, another operation, or something else altogether), asks for what the called one does without a value that it needs or with
one that it refuses, or says that it has been done or is to wait. Each is said in the words of a request, with values of its own: neither the words nor a missing value tell that nothing is to be called.
Why no call is right follows from how the twin is made, and the checker proves it of the finished row like of any other.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from generator.core.errors import RowError
from generator.core.planning import Decline, Say
from generator.core.seeds import Draw, stream_seed
from generator.dialogue.no_call.abilities import could_do, is_sister
from generator.recipe.settings import PairPlace
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import MadeRow
from generator.run.twins import FamilyPlan, Twin
from generator.scenarios import SCENARIOS, Scenario, Scene
from generator.scenarios.no_call import SET_ASIDE, missing, refused, set_aside
from generator.scenarios.scenario import Events

_ALONE = 0.35
"""Share of pairs that offer the called tool alone."""
_MENTIONS = 0.5
"""How often the assistant says what a tool on offer can do instead."""


class PairedRow(Twin, frozen=True, kw_only=True):
    """A row of a pair, with the interface of a row of a family of twins."""

    place: PairPlace
    events: Callable[[Scene], Events] | None = None
    """What happens in the twin; None for the first row."""
    scenario_name: str = "single"

    @property
    def first(self) -> int:
        """Return the index of the pair's first row."""
        return self.place.first

    @property
    def family(self) -> int:
        """Return the number of the pair."""
        return self.place.pair

    @property
    def scenario(self) -> Scenario:
        """Return the scenario of the row, about what was planned."""
        scenario = SCENARIOS[self.scenario_name]
        assert isinstance(scenario, Scenario)
        return scenario if self.events is None else msgspec.structs.replace(scenario, events=self.events)

    def offering(self, prepared: PreparedRecipe) -> PreparedRecipe:
        """Return the recipe; some pairs offer the called tool alone."""
        if Draw(stream_seed(prepared.seed, "offer of pair", self.first), prepared.recipe.today[0]).chance(_ALONE):
            offer = msgspec.structs.replace(prepared.recipe.offer, distractors=(0, 0), hard=0.0)
            return msgspec.structs.replace(prepared, recipe=msgspec.structs.replace(prepared.recipe, offer=offer))
        return prepared

    def scene(self, scene: Scene, seed: int, attempt: int) -> Scene:
        """Return the scene of the row; the twin has random numbers of its own."""
        if self.plan is not None:
            scene.draw.reseed(stream_seed(seed, "pair", self.index, attempt), scene.draw.today)
        return scene


def without_call(prepared: PreparedRecipe, place: PairPlace, index: int, plan: FamilyPlan) -> list[PairedRow]:
    """Return the ways in which the second row of a pair can be made, in the order in which they are to be tried."""
    draw = Draw(stream_seed(prepared.seed, "twin without a call", index), prepared.recipe.today[0])
    ways = [*_declined(prepared, plan, draw), *_held_back(prepared, plan.tool, draw)]
    return [
        PairedRow(
            index=index,
            member=member,
            plan=plan,
            place=place,
            offered=tuple([prepared.toolbox[name].tool for name in plan.offered]),
            events=events,
            scenario_name=scenario,
        )
        for member, scenario, events in draw.shuffled(ways)
    ]


Way = tuple[str, str, Callable[[Scene], Events]]
"""The name of what differs, the scenario, and its events."""


def _declined(prepared: PreparedRecipe, plan: FamilyPlan, draw: Draw) -> list[Way]:
    """Return requests for what no tool on offer does: like what the called one does (counted twice), and unlike it."""
    toolbox, offered = prepared.toolbox, [prepared.toolbox[name] for name in plan.offered]
    called = toolbox[plan.tool]
    alike_tools: list[str] = []
    unlike_tools: list[str] = []
    for name in prepared.toolkit.starters:
        wished = toolbox[name]
        if not any(could_do(spec, wished) for spec in offered):
            (alike_tools if is_sister(called, wished) else unlike_tools).append(name)
    ways: list[Way] = []
    if alike_tools:
        declined_tool = draw.choice(alike_tools)
        ways += 2 * [("other_thing", "near_miss", _events_of_declined(declined_tool, plan.tool, like=True))]
    if unlike_tools:
        alone = len(plan.offered) == 1
        ways.append(
            (
                "unrelated",
                "irrelevant",
                _events_of_declined(draw.choice(unlike_tools), plan.tool if alone else "", like=False),
            )
        )
    return ways


def _events_of_declined(wished: str, mentioned: str, *, like: bool) -> Callable[[Scene], Events]:
    """Return the events of a row whose user asks for a tool that is not on offer; the assistant may mention another one."""

    def events(scene: Scene) -> Events:
        """Yield the user's request for the tool that is not on offer, and the assistant's refusal."""
        request = yield Say(wishes=(scene.wish(wished),))
        instead = (mentioned,) if mentioned and scene.draw.chance(_MENTIONS) else ()
        yield Decline(wish=(request.id, 0), instead=instead, like=mentioned if like else "")

    return events


def _held_back(prepared: PreparedRecipe, tool: str, draw: Draw) -> list[Way]:
    """Return that it is done or to wait, and requests that lack a value or have one that the tool refuses (both counted twice)."""
    toolkit = prepared.toolkit
    ways: list[Way] = [(kind, "held_back", partial(set_aside, tool=tool, kind=kind)) for kind in SET_ASIDE]
    for member, places, events in (("missing", toolkit.gaps, missing), ("refused", toolkit.limited, refused)):
        slots = [slot for name, slot in places if name == tool]
        if slots:
            ways += 2 * [(member, "held_back", partial(events, tool=tool, slot=draw.choice(slots)))]
    return ways


def first_possible(ways: list[PairedRow], make: Callable[[PairedRow], MadeRow]) -> MadeRow:
    """Return the row of the first way in which it can be made; raises RowError when there is none."""
    for way in ways[:-1]:
        try:
            return make(way)
        except RowError:
            continue
    return make(ways[-1])
