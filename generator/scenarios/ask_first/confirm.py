"""confirm: the system message wants a yes before anything is changed; the assistant asks for it, and keeps to the answer."""

from collections.abc import Collection

from generator.core.planning import Ask, Ref, Say, Step, Tell, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.turns.follow_up import changeable

_POLICIES = (
    "Before you change anything, say what you are going to do and wait for a clear yes.",
    "Always confirm with the user before you create, change or delete anything.",
    "Ask for confirmation before every action that is not a mere lookup.",
    "Change things only after the user has agreed to exactly what will be done.",
    "Actions need the user's approval: describe the action first, and act only when the user says yes.",
    "Never book, send, buy, change or delete anything without asking the user first. Looking things up needs no approval.",
    "You may read freely. For everything else, tell the user what you would do and ask whether to go ahead.",
)


_BUT = 0.3
"""How often a yes changes a value: "Yes, but for two people."."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return _writers(toolkit)


def _events(scene: Scene) -> Events:
    asked = yield Say(wishes=(scene.wish(scene.decide(_writers(scene.toolkit))),))
    call = serve(asked)
    ask = yield Ask(wish=(asked.id, 0), call=call)
    is_let = scene.draw.chance(0.65)
    slots = changeable(scene, asked.wishes[0]) if is_let and scene.draw.chance(_BUT) else ()
    if slots:
        slot = scene.decide(slots)
        value = scene.another(asked.wishes[0], slot)
        reply = yield Say(to=ask.id, yes=True, wishes=(Wish(call.tool, {slot: value}),))
        done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
        yield tell(done)
        return
    yield Say(to=ask.id, yes=is_let)
    if is_let:
        done = yield Step(calls=(call,))
        yield tell(done)
    else:
        yield Tell(about=(), how="not_done", wish=(asked.id, 0))


def _writers(toolkit: Toolkit) -> tuple[str, ...]:
    return tuple(
        [name for name in toolkit.starters if name not in toolkit.look_ups and _takes_something(toolkit, name)]
    )


def _takes_something(toolkit: Toolkit, name: str) -> bool:
    return bool(toolkit.toolbox[name].properties)


SCENARIO = Scenario(
    "confirm",
    "a policy wants a yes before anything is changed; the user says yes or no",
    _tools,
    _events,
    (
        Pattern("U A U C A", told=("proposed", "yes")),
        Pattern("U A U A", told=("proposed", "no", "not_done")),
    ),
    policies=_POLICIES,
    needs="a tool that changes something and can be asked for by itself",
)
