"""Which results an answer reports."""

from generator.planning import Ref, Step, Tell
from generator.scenarios.scene import Scene, in_order


def worth_telling(scene: Scene, *steps: Step) -> Tell:
    """A report on what has been done, and on what was found for its own sake.

    A result that only served to find something need not be told; after an action it may be true no more.
    """
    calls = {(step.id, place): call for step in steps for place, call in enumerate(step.calls)}
    acting = {at for at, call in calls.items() if call.tool not in scene.toolkit.look_ups}
    takers: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for at, call in calls.items():
        for origin in call.args.values():
            if isinstance(origin, Ref) and (origin.event, origin.of) in calls:
                takers.setdefault((origin.event, origin.of), set()).add(at)
    by_id = {step.id: step for step in steps}
    told = []
    for at in calls:
        others = takers.get(at, set())
        if at in acting or not others or (acting.isdisjoint(others) and scene.draw.chance(0.45)):
            told.append((by_id[at[0]], at[1]))
    return Tell(about=in_order(told))
