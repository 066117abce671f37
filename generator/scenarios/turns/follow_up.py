"""follow_up: a second request that goes on from the first: "and in Rome?", "cancel that one"."""

from collections.abc import Collection

from generator.core.planning import Back, Meant, Ref, Say, Step, Wish
from generator.core.pointers import escape
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.changes import can_be_said_alone
from generator.scenarios.affordances.links import Edge, tools_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell

_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges, varied = toolkit.first_edges, toolkit.changes
    return tools_of(edges) | {tool for tool, _ in varied}


def _events(scene: Scene) -> Events:
    toolkit = scene.toolkit
    edges, varied = toolkit.first_edges, toolkit.changes
    if varied and (not edges or scene.draw.chance(0.5)):
        tool, slot = scene.decide(varied)
        yield from ask_with_another_value(scene, tool, slot)
    else:
        yield from _ask_about_the_result(scene, scene.decide(edges))


def ask_with_another_value(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a request and the same request with another value, which is wanted as well."""
    first = scene.wishes_that_vary(tool, slot, 1)[0]
    for _ in range(_TRIES):
        if len(first.said) > 1:
            break
        first = scene.wishes_that_vary(tool, slot, 1)[0]  # at least one argument must stay as it was
    value = scene.another(first, slot)
    asked = yield Say(wishes=(first,))
    found = yield Step(calls=(serve(asked),))
    yield tell(found)
    kept: dict[str, Meant | Back] = {
        other: Back(Ref(asked.id, 0, other)) for other in map(escape, first.said) if other != escape(slot)
    }
    again = yield Say(wishes=(Wish(tool, {slot: value}, kept),))
    found = yield Step(calls=(serve(again),))
    yield tell(found)


def _ask_about_the_result(scene: Scene, edge: Edge) -> Events:
    """Yield a request, and one for something to be done with what its answer reports."""
    first = scene.wish(edge.source, edge.target)
    asked = yield Say(wishes=(first,))
    found = yield Step(calls=(serve(asked),))
    yield tell(found)
    then = yield Say(wishes=(scene.dependent_wish(edge, {edge.source: Ref(asked.id, 0, "")}),))
    done = yield Step(calls=(serve(then, 0, found),))
    yield tell(done)


def changeable(scene: Scene, wish: Wish) -> tuple[str, ...]:
    """Return the arguments of a wish that can be said anew alone: "Yes, but on Friday."."""
    spec = scene.toolkit.toolbox[wish.tool]
    return tuple([slot for slot in wish.said if escape(slot) == slot and can_be_said_alone(spec, slot)])


SCENARIO = Scenario(
    "follow_up",
    "a second request that uses a value or a result of the first",
    _tools,
    _events,
    (Pattern("U C{1+} A U C{1+}:from_turn_1 A", told=()),),
    needs=(
        "a link between two loaded tools, or a tool that only looks something up and has an argument to vary "
        "(`phrases: {vary: [...]}`)"
    ),
)
