"""partial_failure: one of several parallel calls fails; only it is made again, or the answer says that it failed."""

from collections.abc import Collection

from generator.planning import Say, Step, Tell
from generator.scenarios.calls import parallel
from generator.scenarios.failures import let_fail
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, make_again, serve_all, tell_failed
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit


def _tools(toolkit: Toolkit) -> Collection[str]:
    return parallel.SCENARIO.tools(toolkit)


def _events(scene: Scene) -> Events:
    wishes = parallel.wishes_for_one_tool(scene)
    place = scene.draw.below(len(wishes))
    looks_up = wishes[0].tool in scene.toolkit.look_ups
    is_transient = looks_up and scene.draw.chance(0.6)
    let_fail(
        scene,
        wishes[place],
        "transient" if is_transient else "reading" if looks_up else "single",
        times=int(is_transient),
    )
    asked = yield Say(wishes=wishes)
    first = yield Step(calls=serve_all(asked))
    about = {at: (first.id, at) for at in range(len(wishes)) if at != place}
    if is_transient:
        second = yield Step(calls=(make_again(first, place),))
        about[place] = (second.id, 0)
    yield Tell(about=tuple([about[at] for at in sorted(about)]))
    if not is_transient:
        yield tell_failed(first, place)


def _holds(shape: ConversationShape) -> str | None:
    if shape.order not in ("UCA", "UCCA") or shape.widths[0] < 2:
        return "several calls at once are not answered, with at most one call between"
    first, *others = shape.steps
    if [call.failed for call in first].count(True) != 1:
        return "not exactly one of the calls fails"
    if not others:
        return None if shape.told == ("failed",) else "nobody says that a call failed"
    again = others[0]
    return (
        None
        if len(again) == 1 and again[0].again and not again[0].failed
        else "more than the failed call is made again"
    )


SCENARIO = Scenario(
    "partial_failure",
    "one of several parallel calls fails: only it is made again, or told as failed",
    _tools,
    _events,
    _holds,
    fails=True,
)
