"""mixed: several calls at once, then a call that needs one of their results."""

from collections.abc import Collection

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ref, Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import choose_tools
from generator.scenarios.affordances.links import tools_of
from generator.scenarios.calls.parallel_multiple import different_tools
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import at_once, serve, tell
from generator.scenarios.shared import kept_to_today, said_once


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = toolkit.edges_beside
    beside = {tool for edge in edges for tool in toolkit.partner_sets[edge.source] - {edge.target}}
    return beside | tools_of(edges)


def _events(scene: Scene) -> Events:
    asked = yield Say(wishes=_wishes(scene))
    together = yield Step(calls=at_once([serve(asked, place) for place in range(len(asked.wishes) - 1)], scene.draw))
    after = yield Step(calls=(serve(asked, len(asked.wishes) - 1, together),))
    yield tell(together, after)


def _wishes(scene: Scene) -> tuple[Wish, ...]:
    """Return the wishes of the first step, and last the wish for what uses the last result of it."""
    wanted = scene.draw.between(2, min(3, scene.toolkit.calls[1]))
    edges = scene.toolkit.edges_beside
    found = scene.purpose(scene.toolkit.sources_with_goals)
    if found is not None:
        source, purpose = found
        edge = scene.decide([edge for edge in edges if edge.source == source])
        tools = choose_tools(purpose, source, wanted, scene.draw)
    else:
        purpose, edge = None, scene.decide(edges)
        tools = different_tools(scene, wanted, edge.source)
    # the call whose result is needed comes last, so that "the first one" refers to its result
    tools = [*(tool for tool in tools if tool not in {edge.source, edge.target}), edge.source]
    if len(tools) < _FEWEST:
        raise CannotFillError(f"nothing can be called beside {edge.source}")
    last = scene.drafts.dependent_wish(edge, {edge.source: Ref(HERE, len(tools) - 1, "")})
    drafts = (*scene.drafts.wishes(tools), last)
    wishes = kept_to_today(scene, scene.agreed(purpose, drafts, {edge.source: (edge.target,)}))
    return (*said_once(scene, purpose, wishes[:-1]), wishes[-1])


_FEWEST = 2


SCENARIO = Scenario(
    "mixed",
    "parallel calls, then a call that needs one of their results",
    _tools,
    _events,
    (Pattern("U C{2+} C{1+}:dependent A"),),
    needs="a link between two loaded tools, and a third tool to call beside the first",
)
