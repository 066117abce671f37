"""fan_out: a call that returns a list, then one call for each of its elements, in parallel."""

from collections.abc import Collection

from generator.core.planning import HERE, Meant, Ref, Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import EACH, Edge, tools_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return tools_of(toolkit.edges_to_each)


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(scene.toolkit.edges_to_each)
    each = Meant(Ref(HERE, 0, edge.link.result), (EACH,))
    first = scene.wish(edge.source, edge.target, fewest=2)
    target = scene.wish_with(edge.target, {edge.link.argument: each}, for_each=True)
    asked = yield Say(wishes=(first, target))
    found = yield Step(calls=(serve(asked, 0),))
    done = yield Step(calls=(serve(asked, 1, found),))
    yield tell(done)


SCENARIO = Scenario(
    "fan_out",
    "a list, then one call for each element at once",
    _tools,
    _events,
    (Pattern("U C C{2+}:dependent:takes_each A"),),
    needs=(
        "a link into a list (e.g. `order_id: find_orders#/orders/*/order_id`) between two loaded tools; none of "
        "the loaded tools has one"
    ),
)
