"""correct: the user takes back one value of a request: "Sorry, I meant Rome."; the rest stays as it was.

They do so after the answer, or before the call is made: with the reply to the assistant's question. What a call has written is
overwritten by the same call with the right value. Or what was done is undone where a tool can ("Sorry, I've changed my mind. Cancel
it.", "Oops, I didn't mean to do that. Unfreeze it."), and now and then something else done in its place; or what was made is changed
("Sorry, I made a mistake. Move it to Friday.").
"""

from collections.abc import Collection, Iterator
from contextlib import suppress

import msgspec

from generator.errors import CannotFillError, PlanError
from generator.planning import HERE, Ask, Meant, Ref, Say, Step, Wish
from generator.pointers import escape, schema_at
from generator.scenarios.ask_first.clarify import gaps
from generator.scenarios.logic.helper import is_searched_silently
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import Edge, Toolkit, all_linked, ends_a_chain, once, works_unseen
from generator.scenarios.turns.follow_up import Change, ask_with_another_value, can_be_said_alone, changeable, changes
from generator.toolbox import ToolSpec, overwrites, restores, rewrites

_BEFORE = 0.4
"""How often a value is changed before the call is made."""
_UNDONE = 0.3
"""How often what was done is undone, where a tool can do that."""
_DONE_ANEW = 0.35
"""How often something else is then done in its place."""
_OVERWRITTEN = 0.4
"""How often a value that a call has written is corrected, and not one that something was looked up for, where there are both."""
_TRIES = 20


class Undoing(msgspec.Struct, frozen=True):
    """A tool, and another one that undoes or changes what it has done."""

    tool: str
    by: str
    slot: str
    """The argument of the other one that names what it is about."""
    key: str
    """Where the first one's result has that."""
    changes: tuple[tuple[str, str], ...] = ()
    """For a tool that changes what the first one has made: which of its arguments give anew which of the first one's."""
    edge: Edge | None = None
    """The link from the search that finds what the first one is about; None where it needs none."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the tools that are called."""
        return (self.tool, self.by, *([] if self.edge is None else [self.edge.source]))


def _tools(toolkit: Toolkit) -> Collection[str]:
    varied = (*changes(toolkit), *_overwriting(toolkit))
    if not varied and not _undoing(toolkit):
        raise PlanError(
            "scenario 'correct' needs a tool that only looks something up and has an argument to vary (`phrases: {vary: [...]}`), "
            "one that writes what another call of it overwrites, or one that makes what another one deletes, cancels or changes"
        )
    return {tool for tool, _ in (*varied, *gaps(toolkit))} | {
        tool for undoing in _undoing(toolkit) for tool in undoing.tools
    }


def _events(scene: Scene) -> Events:
    undoing, varied, overwriting = _undoing(scene.toolkit), changes(scene.toolkit), _overwriting(scene.toolkit)
    if undoing and (not (varied or overwriting) or scene.draw.chance(_UNDONE)):
        yield from _undo(scene, scene.decide(undoing))
        return
    if gaps(scene.toolkit) and scene.draw.chance(_BEFORE):
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
    required = (scene.toolkit.toolbox[wish.tool].tool.parameters or {}).get("required", ())
    return Wish(wish.tool, {name: value for name, value in wish.said.items() if name in required}, wish.meant)


def _other_wish(scene: Scene, wish: Wish) -> Wish:
    """Return a wish that differs in one value."""
    for slot in scene.draw.shuffled(changeable(scene, wish)):
        with suppress(CannotFillError):
            return Wish(wish.tool, {**wish.said, slot: scene.another(wish, slot)})
    raise CannotFillError(f"nothing that is said of {wish.tool} has another value")


@once
def _undoing(toolkit: Toolkit) -> tuple[Undoing, ...]:
    """Return tools whose work another one can undo."""
    by_entity: dict[tuple[str, str], list[ToolSpec]] = {}
    for spec in toolkit.toolbox.values():
        if spec.effect is not None and spec.effect.entity:
            by_entity.setdefault((spec.domain, spec.effect.entity), []).append(spec)
    pairs = [(one, other) for own in by_entity.values() for one in own for other in own if one is not other]
    return tuple([way for pair in pairs for undoing in _ways_to_undo(*pair) for way in _begun(undoing, toolkit)])


def _ways_to_undo(one: ToolSpec, other: ToolSpec) -> Iterator[Undoing]:
    """Yield how a tool undoes or changes what another one does to the same entity: by the key that the first one's result holds."""
    made, ended = one.effect, other.effect
    assert made is not None
    assert ended is not None
    changed = rewrites(other, one) if made.kind == "create" else ()
    is_ended = made.kind == "create" and ended.kind in ("delete", "move") and ends_a_chain(other.name)
    if not (is_ended or changed or (made.kind in ("update", "move") and restores(other, one))):
        return
    key = one.declared.entities[made.entity].key
    for argument, field in ended.by.items():
        if field == key and schema_at(one.returns, key) is not None and escape(argument) == argument:
            yield Undoing(one.name, other.name, argument, key, changed)


def _begun(undoing: Undoing, toolkit: Toolkit) -> Iterator[Undoing]:
    """Yield the ways in which the first call can come about: by a request alone, or after a search that the user has in mind."""
    if undoing.tool in toolkit.starters:
        yield undoing
        return
    for edge in toolkit.first_edges:
        if edge.target == undoing.tool and _finds_all(edge, toolkit):
            yield msgspec.structs.replace(undoing, edge=edge)


def _finds_all(edge: Edge, toolkit: Toolkit) -> bool:
    """Whether a search gives all that its target must have from results, and people can say what they mean before they see it."""
    is_enough = all_linked(toolkit.toolbox, toolkit.edges, edge.target, {edge.source})
    return edge.list_slot is not None and is_enough and works_unseen(edge, toolkit.toolbox)


@once
def _overwriting(toolkit: Toolkit) -> tuple[Change, ...]:
    """Return what a call writes that another call of the same tool overwrites, where people can say it alone."""
    specs = [toolkit.toolbox[name] for name in toolkit.starters if name not in toolkit.look_ups]
    slots = [(spec, slot) for spec in specs for slot in (spec.tool.parameters or {}).get("properties", ())]
    found = [
        (spec.name, slot) for spec, slot in slots if overwrites(spec, slot) and can_be_said_alone(spec, escape(slot))
    ]
    return tuple(found)


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
)
