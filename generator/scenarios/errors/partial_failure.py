"""partial_failure: one of several parallel calls fails; only it is made again, or the answer says that it failed."""

from collections.abc import Collection

from generator.core.planning import Say, Step, Tell
from generator.scenarios.affordances import Toolkit
from generator.scenarios.calls import parallel
from generator.scenarios.failures import let_fail
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_again, serve_all, tell_failed


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


SCENARIO = Scenario(
    "partial_failure",
    "one of several parallel calls fails: only it is made again, or told as failed",
    _tools,
    _events,
    (
        Pattern("U C{2+}:one_failed A", told=("failed",)),
        Pattern("U C{2+}:one_failed C:again:ok A"),
    ),
    fails=True,
)
