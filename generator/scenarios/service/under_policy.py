"""under_policy: the system message is a written policy; what the assistant looks up, asks, does and refuses follows from it."""

from collections.abc import Collection, Generator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from generator.affordances import Toolkit
from generator.affordances.links import Edge
from generator.errors import CannotFillError
from generator.picking import single_out
from generator.planning import HERE, Ask, Call, Event, Meant, Ref, Ruled, Say, Step, Tell, Wish
from generator.pointers import resolve, unescape
from generator.policies import Confirm, Policy, Rules, refusals_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.service.ruling import Matter, ruled_out, to_confirm

_MATTERS = (1, 1, 2, 2, 2, 3)
"""How many things users want, one after the other."""
_KINDS = (("found", 0.6), ("write", 0.15), ("look_up", 0.25))
"""What they want: something done to a thing that a search finds, something done at once, or something looked up."""
_YES = 0.8
"""How often they agree to what is proposed."""
_SIDES = 0.5
"""How often the thing shall be one of which a clause does not allow what is wanted, if there is one."""
_TRIES = 8


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants, drawn before the first event."""

    wishes: tuple[Wish, ...]
    """The search for the thing, if there is one, and what is wanted."""
    edge: Edge | None = None


def edges_of(toolkit: Toolkit, policy: Policy) -> tuple[Edge, ...]:
    """Return the links from a search that nobody need ask for to a tool that changes something, among a policy's tools."""
    box = toolkit.toolbox
    return tuple(
        [
            edge
            for edge in toolkit.silent_edges
            if edge.target not in toolkit.look_ups and box[edge.target].domain in policy.serves
        ]
    )


def starters_of(toolkit: Toolkit, policy: Policy, *, look_ups: bool) -> tuple[str, ...]:
    """Return a policy's tools that need no other one and either look something up or change something."""
    box = toolkit.toolbox
    return tuple(
        [
            name
            for name in toolkit.starters
            if (name in toolkit.look_ups) is look_ups and box[name].domain in policy.serves and box[name].properties
        ]
    )


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {
        tool for policy in toolkit.policies for edge in edges_of(toolkit, policy) for tool in (edge.source, edge.target)
    } | {name for policy in toolkit.policies for name in starters_of(toolkit, policy, look_ups=True)}


def _events(scene: Scene) -> Events:
    rules = scene.rules
    assert rules is not None
    made: list[str] = []
    for request in _requests(scene, rules):
        yield from _serve(scene, rules, request, made)


def _serve(scene: Scene, rules: Rules, request: Request, made: list[str]) -> Events:
    """Yield a request and all that the clauses make of it; note the calls that are made."""
    asked = yield Say(wishes=request.wishes)
    number, found, at = len(request.wishes) - 1, None, ""
    if request.edge is not None:
        found = yield Step(calls=(serve(asked, 0),))
    call, args, at = _settled(asked, number, found)
    it = {} if found is None else resolve(found.outcomes[0].value, at)
    tool, toolkit = call.tool, scene.toolkit
    matter = Matter(
        tool=tool,
        args=args,
        it=it if isinstance(it, dict) else {},
        today=scene.draw.today.isoformat(),
        looks_up=tool in toolkit.look_ups,
        made=made,
    )
    about = () if found is None else ((found.id, 0),)
    clause = ruled_out(rules, matter)
    if clause is not None:
        form = clause.filled(scene.draw.choice(refusals_of(clause.clause)))
        yield Tell(about=about, how="ruled_out", wish=(asked.id, number), ruled=Ruled(call, form, at))
        return
    confirmed = to_confirm(rules, matter)
    if confirmed is not None:
        is_let = yield from _propose(scene, confirmed.clause, call, (asked.id, number), about, at)
        if not is_let:
            yield Tell(about=(), how="not_done", wish=(asked.id, number))
            return
    done = yield Step(calls=(call,))
    made.append(tool)
    yield tell(done)


def _propose(
    scene: Scene, clause: Confirm, call: Call, wish: tuple[int, int], about: tuple[tuple[int, int], ...], at: str
) -> Generator[Event, Any, bool]:
    """Yield what the call is about, the question whether to make it, and the reply; return whether the user agrees."""
    forms = clause.says.get(call.tool, ())
    if forms and about:
        yield Tell(about=about, how="shown", wish=wish, ruled=Ruled(call, scene.draw.choice(forms), at))
    ask = yield Ask(wish=wish, call=call)
    is_let = scene.draw.chance(_YES)
    yield Say(to=ask.id, yes=is_let)
    return is_let


def _settled(asked: Say, number: int, found: Step | None) -> tuple[Call, dict[str, Any], str]:
    """Return the call for a wish with the element of the list that it takes, its arguments, and the pointer to that element."""
    wish = asked.wishes[number]
    call = serve(asked, number, *([] if found is None else [found]))
    if found is None:
        return call, wish.said, ""
    args, named, at = dict(call.args), dict(wish.said), ""
    for slot, meant in wish.meant.items():
        assert isinstance(meant, Meant)
        value = found.outcomes[0].value
        pointer, pick = single_out(value, meant.source.at, meant.picks)
        args[slot] = Ref(found.id, 0, pointer.removeprefix("/"), (asked.id, number, slot), pick)
        named[unescape(slot)] = resolve(value, pointer.removeprefix("/"))
        at = pointer.removeprefix("/").rpartition("/")[0]
    return msgspec.structs.replace(call, args=args), named, at


# --- what is wanted ---


def _requests(scene: Scene, rules: Rules) -> Sequence[Request]:
    """Return what the user wants; all of it is drawn before the first event, so that the world can hold it."""
    found: list[Request] = []
    used: set[str] = set()
    for _ in range(scene.draw.choice(_MATTERS)):
        request = _request(scene, rules, used)
        if request is not None:
            found.append(request)
            used.update(wish.tool for wish in request.wishes)
    if not found:
        raise CannotFillError("nothing can be wanted")
    return found


def _request(scene: Scene, rules: Rules, used: Collection[str]) -> Request | None:
    """Return one thing that is wanted of tools not used before; None if there are none."""
    toolkit, policy, draw = scene.toolkit, rules.policy, scene.draw
    edges = [edge for edge in edges_of(toolkit, policy) if edge.target not in used and edge.source not in used]
    for kind in draw.ordered(_KINDS):
        if kind == "found" and edges:
            return _on_a_side(scene, rules, draw.choice(edges))
        names = [name for name in starters_of(toolkit, policy, look_ups=kind == "look_up") if name not in used]
        if kind != "found" and names:
            return Request(wishes=(scene.wish(draw.choice(names)),))
    return None


def _on_a_side(scene: Scene, rules: Rules, edge: Edge) -> Request:
    """Return a request for a thing that a search finds: now and then one for which a clause of the policy, stated or not, forbids it."""
    every = rules.policy_in_full
    wants_refusal = scene.draw.chance(_SIDES)
    found = None
    for _ in range(_TRIES):
        search = msgspec.structs.replace(scene.wish(edge.source, edge.target), unnamed=True)
        wanted = scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target)
        request = Request(wishes=(search, wanted), edge=edge)
        with suppress(CannotFillError):  # no element of the list stands out
            is_refused = _would_be_ruled_out(scene, every, request) is not None
            found = request
            if is_refused == wants_refusal:
                break
    if found is None:
        raise CannotFillError(f"nothing that {edge.source} finds can be named")
    return found


def _would_be_ruled_out(scene: Scene, rules: Rules, request: Request) -> Any:
    """Return the clause that would forbid what is wanted, as the world is now."""
    search = request.wishes[0]
    outcome = scene.peek(search.tool, search.said)
    if not outcome.ok:
        raise CannotFillError(f"{search.tool} fails")
    step = Step(id=1, calls=(Call(search.tool, {}, (0, 0)),), outcomes=(outcome,))
    call, args, at = _settled(Say(id=0, wishes=request.wishes), 1, step)
    it = resolve(outcome.value, at)
    matter = Matter(tool=call.tool, args=args, it=it, today=scene.draw.today.isoformat(), looks_up=False, made=())
    return ruled_out(rules, matter)


SCENARIO = Scenario(
    "under_policy",
    "a written policy decides what is looked up, asked, done and refused",
    _tools,
    _events,
    (Pattern("(U (C{1+})? (A U)? (C{1+})? A)+"),),
    needs="a policy (`policies: [my_policy.yaml]`) for tools one of which can be called by itself",
    governed=True,
)
