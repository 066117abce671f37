"""fan_out: a call that returns a list, then one call for each of its elements, in parallel."""

from generator.errors import PlanError
from generator.planning import Binding, Plan, PlannedCall, Step, Turn
from generator.scenarios.base import EACH, Edge, Scenario, Scene
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if not _edges(scene):
        raise PlanError(
            "scenario 'fan_out' needs a link into a list (e.g. `order_id: find_orders#/orders/*/order_id`) "
            "between two loaded tools; none of the loaded tools has one"
        )


def _plan(scene: Scene, draw: Draw) -> Plan:
    edge = draw.choice(_edges(scene))
    each = Binding(argument=edge.link.argument, step=0, call=0, result=edge.link.result, picks=(EACH,))
    steps = (
        Step(calls=(PlannedCall(tool=edge.source),)),
        Step(calls=(PlannedCall(tool=edge.target, bindings=(each,), for_each=True),)),
    )
    return Plan(scenario="fan_out", turns=(Turn(steps=steps),))


def _edges(scene: Scene) -> tuple[Edge, ...]:
    """Links into lists; those of lists that always have two elements, and of tools one calls for each, come first."""
    if "fan_out" in scene.found:
        return scene.found["fan_out"]
    edges = [edge for edge in scene.first_edges if edge.list_slot is not None]
    long = [edge for edge in edges if edge.fewest >= 2] or edges
    usual = [edge for edge in long if edge.target.split("_")[0] not in _FOR_ONE_ONLY]
    return scene.found.setdefault("fan_out", tuple(usual or long))


_FOR_ONE_ONLY = frozenset(
    {"book", "buy", "confirm", "merge", "order", "pay", "play", "purchase", "reschedule", "reserve", "restore", "take"}
)
"""People choose among what they find before they do these; nobody books every flight."""


def _holds(shape: Shape) -> str | None:
    if len(shape.steps) != 2 or shape.widths[0] != 1 or shape.widths[1] < 2:
        return "one call is not followed by several at once"
    if not all(call.dependent for call in shape.steps[1]):
        return "a call needs nothing that only the list says"
    return None if len({call.takes for call in shape.steps[1]}) == shape.widths[1] else "an element is used twice"


SCENARIO = Scenario("fan_out", "a list, then one call for each element at once", _check, _plan, _holds)
