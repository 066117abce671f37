"""helper: what is wanted needs a look-up that the user does not ask for: "Delete the newest one of my tax files."."""

from collections.abc import Collection

import msgspec

from generator.errors import PlanError
from generator.planning import HERE, Ref, Say, Step
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import Edge, Toolkit, once, says_place
from generator.toolbox import found_by


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = _edges(toolkit)
    if not edges:
        raise PlanError(
            "scenario 'helper' needs a link into the list that a search returns (e.g. `order_id: find_orders#/orders/*/order_id`), "
            "and a name for what it finds (`phrases: {found: [...]}`)"
        )
    return {tool for edge in edges for tool in (edge.source, edge.target)}


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(_edges(scene.toolkit))
    search = msgspec.structs.replace(scene.wish(edge.source, edge.target), unnamed=True)
    wanted = scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target)
    asked = yield Say(wishes=(search, wanted))
    found = yield Step(calls=(serve(asked, 0),))
    done = yield Step(calls=(serve(asked, 1, found),))
    yield tell(done)


@once
def _edges(toolkit: Toolkit) -> tuple[Edge, ...]:
    """Return links from a search to a tool that needs no other search."""
    return tuple([edge for edge in toolkit.first_edges if is_told_unseen(edge, toolkit)])


def is_told_unseen(edge: Edge, toolkit: Toolkit) -> bool:
    """Whether people who have not searched can say which element of the list they want: "change the first match" is no way."""
    own = toolkit.toolbox[edge.source].phrases.pick.get(edge.list_slot or "", ())
    is_placed = bool(own) and all(map(says_place, own)) and edge.target not in toolkit.look_ups
    return bool(edge.list_slot) and not is_placed and is_searched_silently(toolkit, edge.source)


def is_searched_silently(toolkit: Toolkit, tool: str) -> bool:
    """Whether a tool only looks something up, and has a noun phrase for what it finds: nobody need ask for the search."""
    return tool in toolkit.look_ups and bool(toolkit.toolbox[tool].phrases.found or found_by(tool))


SCENARIO = Scenario(
    "helper",
    "something is wanted of what a search finds; nobody asks for the search",
    _tools,
    _events,
    (Pattern("U C:helps C:dependent A"),),
)
