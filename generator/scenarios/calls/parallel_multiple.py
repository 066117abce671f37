"""parallel_multiple: different tools at once, none of which needs another's result."""

from collections.abc import Collection

from generator.core.planning import Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import choose_tools
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import at_once, serve_all, tell
from generator.scenarios.shared import kept_to_today, said_once


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.independent


def _events(scene: Scene) -> Events:
    wanted = scene.draw.between(*scene.toolkit.calls)
    found = scene.purpose(scene.toolkit.independent_with_goals)
    if found is not None:
        first, purpose = found
        tools = choose_tools(purpose, first, wanted, scene.draw)
    else:
        purpose, tools = None, different_tools(scene, wanted, scene.decide(scene.toolkit.independent))
    wishes = kept_to_today(scene, scene.agreed(purpose, scene.drafts.wishes(tools)))
    asked = yield Say(wishes=said_once(scene, purpose, wishes))
    done = yield Step(calls=at_once(serve_all(asked), scene.draw))
    yield tell(done)


def different_tools(scene: Scene, wanted: int, first: str) -> list[str]:
    """Return `first` and other tools, up to `wanted`, without a link between any two; often from one domain."""
    toolkit, rand = scene.toolkit, scene.draw.rand
    partners, sets = toolkit.partners[first], toolkit.partner_sets
    tools = [first, *scene.preferred(partners)[:1]]
    near = toolkit.neighbours[first] or partners
    for _ in range(wanted * 4):
        if len(tools) == wanted:
            break
        some = near if rand() < 0.35 else partners
        tool = some[int(rand() * len(some))]
        for other in tools:
            if tool not in sets[other]:
                break
        else:
            tools.append(tool)
    return tools


SCENARIO = Scenario(
    "parallel_multiple",
    "different tools called at once",
    _tools,
    _events,
    (Pattern("U C{2+}:other_tools A"),),
    needs="two tools that do not feed each other",
)
