"""What users want under a policy: drawn before the first event, whichever clauses the row states, so that the world can hold it."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from generator.affordances import Toolkit
from generator.affordances.links import Edge
from generator.errors import CannotFillError
from generator.planning import HERE, Call, Ref, Say, Step, Wish
from generator.pointers import resolve, without
from generator.policies import Ask, Confirm, Identity, Instead, Limit, OneByOne, Order, Policy, Rules, Tell, Transfer
from generator.scenarios.scene import Scene
from generator.scenarios.service.ruling import Matter, ruled_out
from generator.scenarios.service.settling import settled

_MATTERS = (1, 2, 2, 3, 3, 3)
"""How many things users want, one after the other."""
_KINDS = (("found", 0.64), ("write", 0.14), ("look_up", 0.1), ("pair", 0.12))
"""What they want: something done to a thing that a search finds, something done at once, something looked up, or two things at once."""
_SIDES = 0.25
"""How often the thing shall be one of which a clause does not allow what is wanted, if there is one."""
_OFTEN = 0.5
"""How often a user wants something as often as a limit allows, or once more, where there is one."""
_WITHHELD = 0.7
"""How often the user leaves out what a clause wants asked for."""
_TRIES = 8
_DRAWS = 24
_MOST = 4


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants with one message."""

    wishes: tuple[Wish, ...]
    """The search for the thing, if there is one, and what is wanted."""
    edge: Edge | None = None
    withheld: dict[str, Any] = {}
    """Optional arguments that the user says only when asked."""
    is_pair: bool = False
    """Whether there are two wishes for different things."""


def edges_of(toolkit: Toolkit, policy: Policy) -> tuple[Edge, ...]:
    """Return the links from a search that nobody need ask for to a tool that changes something, among a policy's tools."""
    box, apart = toolkit.toolbox, _helpers(toolkit)
    return tuple(
        [
            edge
            for edge in toolkit.silent_edges
            if edge.target not in toolkit.look_ups
            and box[edge.target].domain in policy.serves
            and apart.isdisjoint((edge.source, edge.target))
        ]
    )


def starters_of(toolkit: Toolkit, policy: Policy, *, look_ups: bool) -> tuple[str, ...]:
    """Return a policy's tools that need no other one and either look something up or change something."""
    box, apart = toolkit.toolbox, _helpers(toolkit)
    return tuple(
        [
            name
            for name in toolkit.starters
            if (name in toolkit.look_ups) is look_ups
            and box[name].domain in policy.serves
            and box[name].properties
            and name not in apart
        ]
    )


def _helpers(toolkit: Toolkit) -> set[str]:
    """Return the tools that only policies call: those that find who the user is, and those that hand over."""
    clauses = [clause for policy in toolkit.policies for clause in policy.clauses]
    found = {clause.identity for clause in clauses if isinstance(clause, Identity)}
    return found | {clause.transfer for clause in clauses if isinstance(clause, Transfer)}


def draw_requests(scene: Scene, rules: Rules) -> Sequence[Request]:
    """Return what the user wants."""
    found: list[Request] = []
    used: set[str] = set()
    for _ in range(scene.draw.choice(_MATTERS)):
        for request in _request(scene, rules, used):
            found.append(request)
            used.update(wish.tool for wish in request.wishes)
    if not found:
        raise CannotFillError("nothing can be wanted")
    return found


def _request(scene: Scene, rules: Rules, used: Collection[str]) -> list[Request]:
    """Return one thing that is wanted of tools not used before, or the same several times; nothing if there is none."""
    toolkit, policy, draw = scene.toolkit, rules.policy, scene.draw
    edges = [edge for edge in edges_of(toolkit, policy) if edge.target not in used and edge.source not in used]
    for kind in draw.ordered(_KINDS):
        if kind == "found" and edges:
            edge = draw.choice(edges)
            return [_on_a_side(scene, rules, edge) for _ in range(_how_often(scene, rules, edge.target))]
        names = [name for name in starters_of(toolkit, policy, look_ups=kind != "write") if name not in used]
        if kind == "pair":
            pairs = _pairs(toolkit, policy, used)
            if pairs:
                return [Request(wishes=scene.wishes(scene.decide(pairs)), is_pair=True)]
        elif kind != "found" and names:
            name = draw.choice(names)
            times = _how_often(scene, rules, name)
            wishes = (scene.wish(name),) if times == 1 else scene.wishes((name,) * times)
            return [_withholding(scene, rules, Request(wishes=(wish,))) for wish in wishes]
    return []


def _how_often(scene: Scene, rules: Rules, tool: str) -> int:
    """Return how often the user wants something: where a clause limits it, now and then as often as it allows, or once more."""
    for stated in rules.policy_in_full.of(Limit):
        if stated.clause.limit == tool and scene.draw.chance(_OFTEN):
            most = stated.numbers[stated.clause.most] if isinstance(stated.clause.most, str) else stated.clause.most
            return min(_MOST, int(most) + scene.draw.below(2))
    return 1


def _pairs(toolkit: Toolkit, policy: Policy, used: Collection[str]) -> list[tuple[str, ...]]:
    """Return pairs of a policy's tools that can be called at once, and of which no clause asks for more than one by one."""
    spoken_of = {
        tool
        for clause in policy.clauses
        if not isinstance(clause, OneByOne | Tell | Instead | Order)
        for tool in clause.tools
    }
    covered = [clause for clause in policy.clauses if isinstance(clause, Confirm)]
    names = [
        name
        for name in (*starters_of(toolkit, policy, look_ups=True), *starters_of(toolkit, policy, look_ups=False))
        if name not in used
        and name not in spoken_of
        and not any(clause.covers(name, looks_up=name in toolkit.look_ups) for clause in covered)
    ]
    return [
        (one, other)
        for one in names
        for other in names
        if other in toolkit.partner_sets[one] and (one in toolkit.look_ups) is (other in toolkit.look_ups)
    ]


def _on_a_side(scene: Scene, rules: Rules, edge: Edge) -> Request:
    """Return a request for a thing that a search finds: now and then one for which a clause of the policy, stated or not, forbids it."""
    every = rules.policy_in_full
    wants_refusal = scene.draw.chance(_SIDES)
    found = None
    for _ in range(_TRIES):
        search = msgspec.structs.replace(scene.wish(edge.source, edge.target), unnamed=True)
        wanted = scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target)
        request = _withholding(scene, rules, Request(wishes=(search, wanted), edge=edge))
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
    call, args, at = settled(Say(id=0, wishes=request.wishes), 1, step)
    things = {search.tool: resolve(outcome.value, at)}
    for stated in rules.clauses:
        seen = getattr(stated.clause, "seen", "")
        spec = scene.toolkit.toolbox.get(seen)
        if spec is not None and seen not in things and call.tool in stated.clause.tools:
            known = scene.peek(seen, {name: args[name] for name in spec.required if name in args})
            things[seen] = known.value if known.ok else {}
    matter = Matter(
        tool=call.tool, args=args, things=things, today=scene.draw.today.isoformat(), looks_up=False, made=()
    )
    return ruled_out(rules, matter)


def _withholding(scene: Scene, rules: Rules, request: Request) -> Request:
    """Return a request without an argument that a clause of the policy, stated or not, wants asked for."""
    wish = request.wishes[-1]
    for stated in rules.policy_in_full.of(Ask):
        tool, slot = stated.clause.tools[0], stated.clause.slot
        is_silent = scene.draw.chance(_WITHHELD) or slot not in wish.said
        if tool == wish.tool and slot not in wish.meant and is_silent:
            value = wish.said.get(slot) or _value_for(scene, tool, slot)
            if value is not None:
                wish = msgspec.structs.replace(wish, said=without(wish.said, (slot,)))
                request = msgspec.structs.replace(
                    request, wishes=(*request.wishes[:-1], wish), withheld={**request.withheld, slot: value}
                )
    return request


def _value_for(scene: Scene, tool: str, slot: str) -> Any:
    """Return a value for an optional argument; None where none comes up."""
    drawn = (scene.arguments[tool](scene.draw) for _ in range(_DRAWS))
    return next((said[slot] for said in drawn if slot in said), None)
