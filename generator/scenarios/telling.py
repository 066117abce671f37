"""Which results an answer reports, and the exchange of a question that needs no call."""

from generator.planning import Chat, Ref, Say, Step, Tell
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene, calls_in_order

_TOLD = 0.45
"""How often a result is reported that only served to look something else up."""
_TOLD_BEFORE_AN_ACTION = 0.2
"""The same for a result that served to find what is acted on."""


def worth_telling(scene: Scene, *steps: Step) -> Tell:
    """Return a report on what was done, and on what was found for its own sake.

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
        for_its_own_sake = at in acting or not others
        if for_its_own_sake or scene.draw.chance(_TOLD if acting.isdisjoint(others) else _TOLD_BEFORE_AN_ACTION):
            told.append((by_id[at[0]], at[1]))
    return Tell(about=calls_in_order(told))


def exchange(chat: Chat) -> Events:
    """Yield a question or remark that needs no call, and the reply."""
    said = yield Say(chat=chat)
    yield Tell(about=(), to=said.id)
