"""helper: what is wanted needs a look-up that the user does not ask for: "Delete the newest one of my tax files."."""

from collections.abc import Collection

import msgspec

from generator.core.planning import HERE, Ref, Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import Edge, tools_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return tools_of(toolkit.silent_edges)


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(scene.toolkit.silent_edges)
    search = msgspec.structs.replace(scene.wish(edge.source, edge.target), unnamed=True)
    wanted = scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target)
    asked = yield Say(wishes=(search, wanted))
    found = yield Step(calls=(serve(asked, 0),))
    done = yield Step(calls=(serve(asked, 1, found),))
    yield tell(done)


SCENARIO = Scenario(
    "helper",
    "something is wanted of what a search finds; nobody asks for the search",
    _tools,
    _events,
    (Pattern("U C:helps C:dependent A"),),
    needs=(
        "a link into the list that a search returns (e.g. `order_id: find_orders#/orders/*/order_id`), and a name"
        " for what it finds (`phrases: {found: [...]}`)"
    ),
)
