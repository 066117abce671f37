"""fan_out: a call that returns a list, then one call for each of its elements, in parallel."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.planning import HERE, Meant, Ref, Say, Step
from generator.scenarios.names import words_that_tell
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import EACH, Edge, Toolkit, once
from generator.toolbox import fields_written

_FOR_ONE_ONLY = frozenset(
    {
        "book",
        "buy",
        "confirm",
        "merge",
        "order",
        "pay",
        "play",
        "purchase",
        "reschedule",
        "reserve",
        "restore",
        "save",
        "take",
    }
)
"""Verbs of tools before which people choose among what they found; nobody books every flight."""
_WHOLE_NAMES = words_that_tell("whole_names")
"""Arguments of searches for one person, even where several have that name."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = _edges(toolkit)
    if not edges:
        raise PlanError(
            "scenario 'fan_out' needs a link into a list (e.g. `order_id: find_orders#/orders/*/order_id`) "
            "between two loaded tools; none of the loaded tools has one"
        )
    return {tool for edge in edges for tool in (edge.source, edge.target)}


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(_edges(scene.toolkit))
    each = Meant(Ref(HERE, 0, edge.link.result), (EACH,))
    first = scene.wish(edge.source, edge.target, fewest=2)
    target = scene.wish_with(edge.target, {edge.link.argument: each}, for_each=True)
    asked = yield Say(wishes=(first, target))
    found = yield Step(calls=(serve(asked, 0),))
    done = yield Step(calls=(serve(asked, 1, found),))
    yield tell(done)


@once
def _edges(toolkit: Toolkit) -> tuple[Edge, ...]:
    """Return links into lists; first those into lists of always at least two elements, to tools that one calls for each."""
    edges = [edge for edge in toolkit.first_edges if edge.list_slot is not None]
    long = [edge for edge in edges if edge.fewest >= 2] or edges
    usual = [edge for edge in long if edge.target.split("_")[0] not in _FOR_ONE_ONLY and not _is_for_one(edge, toolkit)]
    return tuple(usual or long)


def _is_for_one(edge: Edge, toolkit: Toolkit) -> bool:
    """Whether the search is for one person by name, or the elements would all be moved to the same time.

    Nobody gives two people of a name the same telephone number.
    """
    required = (toolkit.toolbox[edge.source].tool.parameters or {}).get("required", ())
    target = toolkit.toolbox[edge.target]
    entity = target.declared.entities.get(target.effect.entity) if target.effect is not None else None
    times = (entity.one_at_a_time or ())[:2] if entity is not None else ()
    return not _WHOLE_NAMES.isdisjoint(required) or not fields_written(target).keys().isdisjoint(times)


SCENARIO = Scenario(
    "fan_out",
    "a list, then one call for each element at once",
    _tools,
    _events,
    (Pattern("U C C{2+}:dependent:takes_each A"),),
)
