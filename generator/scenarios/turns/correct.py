"""correct: the user takes back one value of a request: "Sorry, I meant Rome."; the rest stays as it was.

They do so after the answer, or before the call is made: with the reply to the assistant's question. Or what was done is
undone where a tool can ("Sorry, I've changed my mind. Cancel it."), and now and then something else done in its place.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress

from generator.errors import CannotFillError, PlanError
from generator.planning import Ask, Meant, Ref, Say, Step, Wish
from generator.pointers import escape, schema_at
from generator.scenarios.ask_first.clarify import gaps
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit, ends_a_chain
from generator.scenarios.turns.follow_up import ask_with_another_value, changeable, changes
from generator.toolbox import ToolSpec

_BEFORE = 0.4
"""How often a value is changed before the call is made."""
_UNDONE = 0.3
"""How often what was done is undone, where a tool can do that."""
_DONE_ANEW = 0.35
"""How often something else is then done in its place."""
_TRIES = 20
Undoing = tuple[str, str, str, str]
"""A tool, another one that undoes what it does, the argument of that, and where the first one's result has its value."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    varied = changes(toolkit)
    if not varied and not _undoing(toolkit):
        raise PlanError(
            "scenario 'correct' needs a tool that only looks something up and has an argument to vary (`phrases: {vary: [...]}`), "
            "or one that creates what another one deletes or cancels"
        )
    return {tool for tool, _ in (*varied, *gaps(toolkit))} | {tool for undoing in _undoing(toolkit) for tool in undoing[:2]}


def _events(scene: Scene) -> Events:
    undoing, varied = _undoing(scene.toolkit), changes(scene.toolkit)
    if undoing and (not varied or scene.draw.chance(_UNDONE)):
        yield from _undo(scene, *scene.decide(undoing))
        return
    if gaps(scene.toolkit) and scene.draw.chance(_BEFORE):
        yield from _before_the_call(scene)
        return
    tool, slot = scene.decide(varied)
    yield from ask_with_another_value(scene, tool, slot, corrects=True)


def _undo(scene: Scene, tool: str, undoer: str, slot: str, key: str) -> Events:
    """Yield a request, and one for what was done to be undone; now and then with what is wanted in its place."""
    first = scene.wish(tool)
    others = (_other_wish(scene, first),) if scene.draw.chance(_DONE_ANEW) else ()
    asked = yield Say(wishes=(first,))
    made = yield Step(calls=(serve(asked),))
    yield tell(made)
    undo = _needed_only(scene, scene.wish_with(undoer, {slot: Meant(Ref(asked.id, 0, key))}))
    regretted = yield Say(wishes=(undo, *others), regrets=True)
    undone = yield Step(calls=(serve(regretted, 0, made),))
    if not others:
        yield tell(undone)
        return
    done = yield Step(calls=(serve(regretted, 1),))
    yield tell(undone, done)


def _needed_only(scene: Scene, wish: Wish) -> Wish:
    """Return a wish without optional arguments."""
    required = (scene.toolkit.toolbox[wish.tool].tool.parameters or {}).get("required", ())
    return Wish(wish.tool, {name: value for name, value in wish.said.items() if name in required}, wish.meant)


def _other_wish(scene: Scene, wish: Wish) -> Wish:
    """Return a wish that differs in one value."""
    for slot in scene.draw.shuffled(changeable(scene, wish)):
        with suppress(CannotFillError):
            return Wish(wish.tool, {**wish.said, slot: scene.another(wish, slot)})
    raise CannotFillError(f"nothing that is said of {wish.tool} has another value")


def _undoing(toolkit: Toolkit) -> tuple[Undoing, ...]:
    """Return tools whose work another one can undo."""
    if "correct" not in toolkit.memo:
        specs = [toolkit.toolbox[name] for name in toolkit.starters]
        found = [undoing for one in specs for other in toolkit.toolbox.values() for undoing in _ways_to_undo(one, other)]
        toolkit.memo["correct"] = tuple(found)
    known: tuple[Undoing, ...] = toolkit.memo["correct"]
    return known


def _ways_to_undo(one: ToolSpec, other: ToolSpec) -> Iterator[Undoing]:
    """Yield how a tool undoes what another one makes: by the key that the first one's result holds."""
    made, ended = one.effect, other.effect
    is_pair = made is not None and ended is not None and made.entity == ended.entity and one.domain == other.domain
    if not is_pair or made is None or ended is None or made.kind != "create" or ended.kind not in ("delete", "move") or not ends_a_chain(other.name):
        return
    key = one.declared.entities[made.entity].key
    for argument, field in ended.by.items():
        if field == key and schema_at(one.returns, key) is not None and escape(argument) == argument:
            yield one.name, other.name, argument, key


def _before_the_call(scene: Scene) -> Events:
    """Yield a question for a missing value, and a reply that gives it and changes another one: "7 pm. Sorry, I meant Friday."."""
    for _ in range(_TRIES):
        tool, missing = scene.decide(gaps(scene.toolkit))
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


def _holds(shape: ConversationShape) -> str | None:
    if "regretted" in shape.told:
        is_anew = shape.order == "UCAUCCA" and shape.widths == (1, 1, 1) and shape.steps[2][0].name == shape.steps[0][0].name
        if not is_anew and (shape.order != "UCAUCA" or shape.widths != (1, 1)):
            return "a call, one that undoes it, and perhaps another one like the first do not follow each other"
        return None if shape.steps[1][0].takes else "the second call is not about what the first one made"
    if shape.order == "UAUCA" and shape.widths == (1,) and shape.told == ("corrected",):
        return None if shape.retracted == 1 else "the user takes nothing back"
    if shape.order != "UCAUCA" or shape.widths != (1, 1):
        return "there are not two requests, each with one call and its answer"
    if shape.retracted != 1:
        return "the user takes nothing back"
    (first,), (second,) = shape.steps
    if first.failed:
        return "the first call fails"
    return None if first.name == second.name and 1 in second.turns else "the second call does not keep the rest of the first"


SCENARIO = Scenario(
    "correct", "the user takes back one value, and the rest stays; or what was done is undone", _tools, _events, _holds
)
