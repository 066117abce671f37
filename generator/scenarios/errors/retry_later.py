"""retry_later: a call fails for a passing reason and is made once more; then the assistant tells what came of it."""

from collections.abc import Collection

from generator.core.planning import Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.failures import let_fail
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_again, serve, tell, tell_failed


def _tools(toolkit: Toolkit) -> Collection[str]:
    return _retryable(toolkit)


def _events(scene: Scene) -> Events:
    wish = scene.wish(scene.decide(_retryable(scene.toolkit)))
    let_fail(scene, wish, "transient", times=scene.decide((1, 1, 2)))
    asked = yield Say(wishes=(wish,))
    first = yield Step(calls=(serve(asked),))
    second = yield Step(calls=(make_again(first),))
    yield tell(second) if second.outcomes[0].ok else tell_failed(second)


def _retryable(toolkit: Toolkit) -> tuple[str, ...]:
    """Return tools that only look something up: after a lost connection nobody knows whether an action was done."""
    return tuple([name for name in toolkit.starters if name in toolkit.look_ups]) or toolkit.starters


SCENARIO = Scenario(
    "retry_later",
    "a passing error: the same call once more, then a report",
    _tools,
    _events,
    (
        Pattern("U C:failed:learnt C:again:ok A", told=()),
        Pattern("U C:failed:learnt C:again:failed A", told=("failed",)),
    ),
    fails=True,
)
