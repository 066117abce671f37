"""correct: the user takes back one value of a request: "Sorry, I meant Rome."; the rest stays as it was.

They do so after the answer, or before the call is made: with the reply to the assistant's question. What a call has written is
overwritten by the same call with the right value. Or what was done is undone where a tool can ("Sorry, I've changed my mind. Cancel
it.", "Oops, I didn't mean to do that. Unfreeze it."), and now and then something else done in its place; or what was made is changed
("Sorry, I made a mistake. Move it to Friday.").
"""

from collections.abc import Collection
from contextlib import suppress

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ask, Meant, Ref, Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.undoing import Undoing
from generator.scenarios.affordances.uses_of_links import is_searched_silently
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.turns.follow_up import ask_with_another_value, changeable

_BEFORE = 0.4
"""How often a value is changed before the call is made."""
_UNDONE = 0.3
"""How often what was done is undone, where a tool can do that."""
_DONE_ANEW = 0.35
"""How often something else is then done in its place."""
_OVERWRITTEN = 0.4
"""How often a value that a call has written is corrected, and not one that something was looked up for, where there are both."""
_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    varied, undoing = (*toolkit.changes, *toolkit.overwriting), toolkit.undoing
    if not varied and not undoing:
        return ()
    return {*[tool for tool, _ in (*varied, *toolkit.gaps)], *[tool for one in undoing for tool in one.tools]}


def _events(scene: Scene) -> Events:
    undoing, varied, overwriting = scene.toolkit.undoing, scene.toolkit.changes, scene.toolkit.overwriting
    if undoing and (not (varied or overwriting) or scene.draw.chance(_UNDONE)):
        yield from _undo(scene, scene.decide(undoing))
        return
    if scene.toolkit.gaps and scene.draw.chance(_BEFORE):
        yield from _before_the_call(scene)
        return
    tool, slot = scene.decide(
        overwriting if overwriting and (not varied or scene.draw.chance(_OVERWRITTEN)) else varied
    )
    yield from ask_with_another_value(scene, tool, slot, corrects=True)


def _undo(scene: Scene, undoing: Undoing) -> Events:
    """Yield a request, and one for what was done to be undone or changed; now and then with what is wanted in its place."""
    wishes = _first_wishes(scene, undoing)
    number, first = len(wishes) - 1, wishes[-1]
    effect = scene.toolkit.toolbox[undoing.tool].effect
    is_plain = undoing.edge is None and not undoing.changes and effect is not None and effect.kind == "create"
    others = (_other_wish(scene, first),) if is_plain and scene.draw.chance(_DONE_ANEW) else ()
    asked = yield Say(wishes=wishes)
    found = [(yield Step(calls=(serve(asked, 0),)))] if number else []
    made = yield Step(calls=(serve(asked, number, *found),))
    yield tell(made)
    undo = _needed_only(scene, scene.wish_with(undoing.by, {undoing.slot: Meant(Ref(asked.id, number, undoing.key))}))
    if undoing.changes and all(
        new not in undo.said or undo.said[new] == first.said.get(old) for new, old in undoing.changes
    ):
        raise CannotFillError(f"{undoing.by} changes nothing")
    regretted = yield Say(wishes=(undo, *others), regrets=True, corrects=bool(undoing.changes))
    undone = yield Step(calls=(serve(regretted, 0, made),))
    if not others:
        yield tell(undone)
        return
    done = yield Step(calls=(serve(regretted, 1),))
    yield tell(undone, done)


def _first_wishes(scene: Scene, undoing: Undoing) -> tuple[Wish, ...]:
    """Return the wish for what will be undone, after that for the search which finds what it is about, if there is one."""
    edge = undoing.edge
    if edge is None:
        return (scene.wish(undoing.tool),)
    search = msgspec.structs.replace(
        scene.wish(edge.source, undoing.tool), unnamed=is_searched_silently(scene.toolkit, edge.source)
    )
    return search, scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")})


def _needed_only(scene: Scene, wish: Wish) -> Wish:
    """Return a wish without optional arguments."""
    required = scene.toolkit.toolbox[wish.tool].required
    return Wish(wish.tool, {name: value for name, value in wish.said.items() if name in required}, wish.meant)


def _other_wish(scene: Scene, wish: Wish) -> Wish:
    """Return a wish that differs in one value."""
    for slot in scene.draw.shuffled(changeable(scene, wish)):
        with suppress(CannotFillError):
            return Wish(wish.tool, {**wish.said, slot: scene.another(wish, slot)})
    raise CannotFillError(f"nothing that is said of {wish.tool} has another value")


def _before_the_call(scene: Scene) -> Events:
    """Yield a question for a missing value, and a reply that gives it and changes another one: "7 pm. Sorry, I meant Friday."."""
    for _ in range(_TRIES):
        tool, missing = scene.decide(scene.toolkit.gaps)
        full = scene.wish(tool)
        said = Wish(tool, {slot: value for slot, value in full.said.items() if slot != missing})
        slots = changeable(scene, said)
        if slots:
            break
    else:
        raise CannotFillError("nothing that was said can be said anew by itself")
    slot = scene.decide(slots)
    changed = Wish(tool, {slot: scene.another(full, slot)})
    asked = yield Say(wishes=(said,))
    ask = yield Ask(wish=(asked.id, 0), slot=missing)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {missing: full.said[missing]}), changed), corrects=True)
    given = {missing: Ref(reply.id, 0, missing), slot: Ref(reply.id, 1, slot)}
    done = yield Step(calls=(serve(asked, 0, **given),))
    yield tell(done)


SCENARIO = Scenario(
    "correct",
    "the user takes back one value, and the rest stays; or what was done is undone or changed",
    _tools,
    _events,
    (
        Pattern("U C A U C:takes A", told=("regretted",)),
        Pattern("U C A U C:takes C:first_tool A", told=("regretted",)),
        Pattern("U C C A U C:takes A", told=("regretted",)),
        Pattern("U A U C A", told=("corrected",), retracted=1),
        Pattern("U C:ok A U C:first_tool:from_turn_1 A", told=(), retracted=1),
    ),
    needs=(
        "a tool that only looks something up and has an argument to vary (`phrases: {vary: [...]}`), one that "
        "writes what another call of it overwrites, or one that makes what another one deletes, cancels or "
        "changes"
    ),
)
