"""sequential: a chain in which every later call takes an argument from an earlier result."""

from collections.abc import Collection

from generator.core.planning import HERE, Ref, Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import Edge
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Picked, Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {
        tool
        for chain in [chain for ends in toolkit.chains.values() for found in ends.values() for chain in found]
        for edge in chain
        for tool in (edge.source, edge.target)
    }


def _events(scene: Scene) -> Events:
    chain = _chain(scene)
    tools = [edge.target for edge in chain]
    wishes = [scene.wish(chain[0].source, *tools)]
    made = {chain[0].source: Ref(HERE, 0, "")}
    picked: Picked = {}
    for edge in chain:
        made[edge.target] = Ref(HERE, len(wishes), "")
        wishes.append(scene.dependent_wish(edge, made, *tools[len(wishes) :], picked=picked))
    asked = yield Say(wishes=tuple(wishes))
    steps: list[Step] = []
    for place in range(len(wishes)):
        steps.append((yield Step(calls=(serve(asked, place, *steps),))))
    yield tell(*steps)


def _chain(scene: Scene) -> tuple[Edge, ...]:
    """Return a chain: its last tool is chosen first, so that tools at the end of long chains get their share."""
    toolkit = scene.toolkit
    chains = toolkit.chains
    wanted = scene.draw.between(*toolkit.steps)
    lengths = [length for length in chains if length <= wanted] or list(chains)
    ends = chains[max(lengths)]
    chain: tuple[Edge, ...] = scene.decide(ends[scene.decide(tuple(ends))])
    return chain


SCENARIO = Scenario(
    "sequential",
    "a chain: later calls need earlier results",
    _tools,
    _events,
    (Pattern("U C{1+} (C{1+}:dependent)+ A"),),
    needs=(
        "a link between two loaded tools (e.g. `links: {order_id: find_orders#/orders/*/order_id}`); none of the "
        "loaded tools has one whose source is loaded too"
    ),
)
