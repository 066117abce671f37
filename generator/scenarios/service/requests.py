"""What users want under a policy: drawn before the first event, whichever clauses the row states, so that the world can hold it."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Call, Meant, Ref, Say, Step, Wish
from generator.core.pointers import resolve, resolve_or_none, unescape, with_value, without
from generator.core.toolbox import Pick
from generator.dialogue.from_results import choosing
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import InCommon
from generator.scenarios.affordances.links import Edge, picks_for
from generator.scenarios.policies import clauses
from generator.scenarios.policies.compliance.transcript import MadeCall, PlacedCall
from generator.scenarios.policies.compliance.verdicts import forbidding, with_amounts
from generator.scenarios.policies.stated import Policy, Rules, Stated
from generator.scenarios.scenario import serve
from generator.scenarios.scene import Scene
from generator.scenarios.service.course import NEXT, Course, call_as_it_is_now, so_far

_MATTERS = (1, 2, 2, 3, 3, 3)
"""How many things users want, one after the other."""
_KINDS = (("found", 0.62), ("write", 0.14), ("look_up", 0.09), ("pair", 0.06), ("outside", 0.015))
"""What they want: something done to a thing that a search finds, something done at once, something looked up, two things at once, or
something that is outside of what the assistant is for."""
_SIDES = 0.08
"""How often the thing shall be one of which a clause does not allow what is wanted, if there is one."""
_OFTEN = 0.06
"""How often a user wants something as often as a limit allows, or once more, where there is one."""
_BY_NAME = 0.75
"""How often one of several things that the user has seen is called by what it has and no other, not by what it is most of."""
_NAMES = 2
"""How many names are drawn then."""
_WITHHELD = 0.7
"""How often the user leaves out what a clause wants asked for."""
_ASKS = 0.06
"""How often a user says something because of which the conversation is handed over, where a clause of the policy has that."""
_LOOKS_FIRST = 0.97
"""How often users have what there is listed before they say what is to be done with one of it."""
_OWN = 0.65
"""How often what a clause wants to be the user's own is."""
_TO_CHOOSE_FROM = 2
"""Things that a search finds at least of which one is meant."""
_NOTHING: Mapping[str, Any] = {}
_TRIES, _ALIKE = 9, 4
"""How many requests are tried, and how many of them with one search."""
_DRAWS = 24
_MOST = 4


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants with one message."""

    wishes: tuple[Wish, ...]
    """The search for the thing, if there is one, and what is wanted."""
    edge: Edge | None = None
    looks_first: bool = False
    """Whether the user asks for the search with a message of its own, before what is wanted."""
    withheld: dict[str, Any] = {}
    """Optional arguments that the user says only when asked."""
    is_pair: bool = False
    """Whether there are two wishes for different things."""
    asks: Stated | None = None
    """The clause that hands over because of what the user says, which is all that they say."""


def edges_of(toolkit: Toolkit, policy: Policy) -> tuple[Edge, ...]:
    """Return the links from a search that nobody need ask for to a tool that changes something, among a policy's tools."""
    own = _tools_for_users(toolkit, policy) - toolkit.look_ups
    helpers = _tools_of_policies_only(toolkit)
    return tuple([edge for edge in toolkit.silent_edges if edge.target in own and edge.source not in helpers])


def starters_of(toolkit: Toolkit, policy: Policy, *, look_ups: bool) -> tuple[str, ...]:
    """Return a policy's tools that need no other one and either look something up or change something."""
    own = {name for name in _tools_for_users(toolkit, policy) if toolkit.toolbox[name].properties}
    return tuple([name for name in toolkit.starters if name in own and (name in toolkit.look_ups) is look_ups])


def _tools_for_users(toolkit: Toolkit, policy: Policy) -> set[str]:
    """Return a policy's tools, but for those that only its clauses have called."""
    return {name for name, spec in toolkit.toolbox.items() if spec.domain in policy.serves} - _tools_of_policies_only(
        toolkit
    )


def _tools_of_policies_only(toolkit: Toolkit) -> set[str]:
    """Return the tools that only policies call: those that find who the user is, and those that hand over."""
    every = [clause for policy in toolkit.policies for clause in policy.clauses]
    found = {clause.identity for clause in every if isinstance(clause, clauses.Identity)}
    found |= {clause.by for clause in every if isinstance(clause, clauses.Whose)}
    return found | {clause.transfer for clause in every if isinstance(clause, clauses.Transfer)}


def draw_requests(course: Course) -> Sequence[Request]:
    """Return what the user wants."""
    draw, rules = course.scene.draw, course.rules
    course.scene = _for_one_purpose(course.scene, rules.policy)
    found: list[Request] = []
    for _ in range(draw.choice(_MATTERS)):
        found += _request(course, {wish.tool for request in found for wish in request.wishes})
    if not found:
        raise CannotFillError("nothing can be wanted")
    asking = [stated for stated in rules.policy_in_full.of(clauses.Transfer) if stated.clause.on]
    if asking and draw.chance(_ASKS):
        stated = draw.choice(asking)
        asked_for = Request(wishes=(Wish(stated.clause.transfer),), asks=stated)
        return [*found[: draw.below(len(found) + 1)], asked_for]
    return found


def _request(course: Course, used: set[str]) -> list[Request]:
    """Return a request for tools not used before, or the same several times; nothing if there is none."""
    scene, rules = course.scene, course.rules
    toolkit, policy, draw = scene.toolkit, rules.policy, scene.draw
    outside = _tools_out_of_scope(toolkit, policy)
    hidden = {clause.hide for clause in policy.clauses if isinstance(clause, clauses.Hide)}
    tools_of_either_groups = [tool for group in policy.either if not used.isdisjoint(group) for tool in group]
    excluded_tools = {*used, *outside, *tools_of_either_groups}
    edges = [edge for edge in edges_of(toolkit, policy) if excluded_tools.isdisjoint((edge.target, edge.source))]
    look_ups, writing = [starters_of(toolkit, policy, look_ups=is_look_up) for is_look_up in (True, False)]
    names = {
        "write": [name for name in writing if name not in excluded_tools],
        "look_up": [name for name in look_ups if name not in excluded_tools and name not in hidden],
        "outside": [name for name in (*look_ups, *writing) if name in outside and name not in used],
    }
    for kind in draw.ordered(_KINDS):
        if kind == "found" and edges:
            edge = draw.choice(edges)
            more = _how_often(course, edge.target) - 1
            first = _request_about_a_thing(course, edge)
            alone = msgspec.structs.replace(scene, common=None)  # no two rooms in one town on one day
            others = msgspec.structs.replace(course, scene=alone)
            return [first, *[_request_about_a_thing(others, edge) for _ in range(more)]]
        if kind == "pair":
            pairs = _pairs_of_tools(course, {*excluded_tools, *hidden})
            if pairs:
                both = [_for_one_person(course, wish) for wish in scene.wishes(scene.decide(pairs))]
                return [Request(wishes=tuple(both), is_pair=True)]
        elif names.get(kind):
            name = draw.choice(names[kind])
            times = _how_often(course, name)
            wishes = (_for_one_person(course, scene.wish(name)),) if times == 1 else scene.wishes((name,) * times)
            owned = [_with_own_values(course, wish) for wish in wishes]
            return [_withholding(course, Request(wishes=(wish,))) for wish in owned]
    return []


def _tools_out_of_scope(toolkit: Toolkit, policy: Policy) -> set[str]:
    """Return the tools that a clause of a policy leaves out of what the assistant is for."""
    scopes = [clause.scope for clause in policy.clauses if isinstance(clause, clauses.Scope)]
    return {name for name in toolkit.toolbox if any(name not in scope for scope in scopes)}


def _how_often(course: Course, tool: str) -> int:
    """Return how often the user wants something: where a clause limits it, now and then as often as it allows, or once more."""
    draw = course.scene.draw
    for stated in course.rules.policy_in_full.of(clauses.Limit):
        if tool in stated.clause.limit and draw.chance(_OFTEN):
            return min(_MOST, stated.number(stated.clause.most) + draw.below(2))
    return 1


def _pairs_of_tools(course: Course, used: Collection[str]) -> list[tuple[str, ...]]:
    """Return pairs of a policy's tools that can be called at once, and of which no clause asks for more than one by one."""
    toolkit, policy = course.scene.toolkit, course.rules.policy
    spoken_of = {
        tool
        for clause in policy.clauses
        if not isinstance(clause, clauses.OneByOne | clauses.Tell | clauses.Instead | clauses.Order | clauses.Scope)
        for tool in (clause.tools[:1] if isinstance(clause, clauses.Eligible) else clause.tools)
    }
    in_full = so_far(course.scene, course.rules.policy_in_full, ())
    kinds = [
        [
            name
            for name in starters_of(toolkit, policy, look_ups=look_ups)
            if name not in used and name not in spoken_of and in_full.confirming(name) is None
        ]
        for look_ups in (True, False)
    ]
    return [
        (one, other)
        for names in kinds
        for one in names
        for other in names
        if other in toolkit.partner_sets[one] and not any({one, other} <= set(group) for group in policy.either)
    ]


def _request_about_a_thing(course: Course, edge: Edge) -> Request:
    """Return a request for a thing that a search finds: now and then one for which a clause of the policy, stated or not, forbids it."""
    scene, in_full = course.scene, course.rules.policy_in_full
    wants_refusal, looks_first = scene.draw.chance(_SIDES), scene.draw.chance(_LOOKS_FIRST)
    found = None
    search = None
    for number in range(_TRIES):
        if search is None or number % _ALIKE == 0:  # each search may put things into the world
            search = _without_idle_arguments(
                scene, in_full, scene.wish(edge.source, edge.target, fewest=_TO_CHOOSE_FROM)
            )
            search = _for_one_person(course, search, edge.target, fewest=_TO_CHOOSE_FROM)
        picks = picks_for(edge, scene.toolkit.toolbox, scene.draw, looks_first, (edge.target,))
        if looks_first:
            picks = (*_called_by_name(scene, in_full, edge, search), *picks)
        picked = {(edge.source, edge.list_slot): picks}
        wanted = scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target, picked=picked)
        wanted = _with_own_values(course, _for_one_person(course, wanted))
        wishes = (msgspec.structs.replace(search, unnamed=True), wanted)
        request = _withholding(course, Request(wishes=wishes, edge=edge, looks_first=looks_first))
        with suppress(CannotFillError):  # no element of the list stands out
            known = [] if course.person is None else [course.person]
            is_refused = forbidding_now(scene, in_full, request, known, request.withheld) is not None
            found = request
            if is_refused == wants_refusal:
                break
    if found is None:
        raise CannotFillError(f"nothing that {edge.source} finds can be named")
    return found


def _called_by_name(scene: Scene, rules: Rules, edge: Edge, search: Wish) -> Sequence[Pick]:
    """Return picks that call a thing by what it has and no other of those that a search would find now, of what no clause hides; now and then none."""
    step = _look_up_now(scene, search)
    if step is None or not scene.draw.chance(_BY_NAME):
        return ()
    list_slot = edge.link.result.partition("/*")[0]
    fields = choosing.told_fields(scene.toolkit.toolbox[edge.source], list_slot) - {*rules.hidden(edge.source)}
    picks: list[Pick] = []
    with suppress(CannotFillError):
        picks += [_choose_one(scene, edge, step, fields) for _ in range(_NAMES)]
    return picks


def _look_up_now(scene: Scene, search: Wish) -> Step | None:
    """Return a search, which is not made, with the result that it would have now; None where it would fail."""
    outcome = scene.peek(search.tool, search.said)
    return Step(id=1, calls=(Call(search.tool, {}, (0, 0)),), outcomes=(outcome,)) if outcome.ok else None


def _choose_one(scene: Scene, edge: Edge, look_up: Step, told_fields: Collection[str]) -> Pick:
    """Return a pick that singles one element of a list out, by a field that was `told` of all of them or by its place.

    Raises:
        CannotFillError: when there are too few or too many elements.
    """
    assert edge.list_slot is not None
    elements = resolve(look_up.outcomes[0].value, edge.list_slot)
    if not 2 <= len(elements) <= choosing.MOST_CHOICES:
        raise CannotFillError(f"{len(elements)} things are not to be chosen from")
    key = edge.link.result.partition("/*/")[2]
    distinguishing_ways: list[choosing.Way] = [
        way
        for way in choosing.ways(scene.toolkit.toolbox[edge.source], edge.list_slot, key)
        if way.field in told_fields and _all_differ(elements, way.field)
    ]
    place = scene.draw.below(len(elements))
    if not distinguishing_ways:
        return Pick("", choosing.by_place(place))
    is_named = not distinguishing_ways[0].before  # what has a name of its own is not told apart by a day
    way = distinguishing_ways[0] if is_named or scene.draw.chance(_BEST_WAY) else scene.draw.choice(distinguishing_ways)
    is_placed = scene.draw.chance(_BY_PLACE)
    return Pick("", choosing.by_place(place) if is_placed else choosing.by_value(elements[place], way.field))


_BEST_WAY = 0.8
"""How often things are told apart by the field that is most usual for them."""
_BY_PLACE = 0.3
"""How often the user chooses by the place in the list."""


def _all_differ(elements: Sequence[Any], field: str) -> bool:
    """Whether every element has its own value in a field, in words of its own."""
    values = [resolve_or_none(element, field) for element in elements]
    if not all(type(value) in (str, int, float) and value != "" for value in values):
        return False
    texts = [str(value).casefold() for value in values]
    return len(set(texts)) == len(texts) and max(map(len, texts)) <= _LONGEST


_LONGEST = 60
"""The longest value, in characters, by which people choose."""


def call_for_wish(request: Say, wish_number: int, look_up: Step | None) -> tuple[Call, dict[str, Any], str]:
    """Return the call for a wish with the element of the list that it takes, its arguments, and the pointer to that element.

    Raises:
        CannotFillError: when no element of the list stands out.
    """
    wish = request.wishes[wish_number]
    call = serve(request, wish_number, *([] if look_up is None else [look_up]))
    if look_up is None:
        return call, wish.said, ""
    args, arguments, element_pointer = dict(call.args), dict(wish.said), ""
    for slot, described in wish.meant.items():
        assert isinstance(described, Meant)
        value = look_up.outcomes[0].value
        pointer, pick = choosing.single_out(value, described.source.at, described.picks)
        element_pointer = pointer.removeprefix("/")
        args[slot] = Ref(look_up.id, 0, element_pointer, (request.id, wish_number, slot), pick)
        arguments[unescape(slot)] = resolve(value, element_pointer)
        element_pointer = element_pointer.rpartition("/")[0]
    return msgspec.structs.replace(call, args=args), arguments, element_pointer


def _without_idle_arguments(scene: Scene, rules: Rules, search: Wish) -> Wish:
    """Return a search without the optional arguments that narrow nothing, or narrow it by a field that a clause hides.

    Who searches for four and then takes a room for two, or a ticket for one, contradicts themselves.
    """
    spec = scene.toolkit.toolbox[search.tool]
    if spec.effect is None or not spec.effect.by:
        return search
    hidden = rules.hidden(search.tool)
    by = {slot for slot, test in spec.effect.by.items() if not any(field in test for field in hidden)}
    kept = {*spec.required, *by, spec.effect.limit}
    return msgspec.structs.replace(search, said={slot: value for slot, value in search.said.items() if slot in kept})


def forbidding_now(
    scene: Scene, rules: Rules, request: Request, calls: Sequence[MadeCall], withheld: Mapping[str, Any] = _NOTHING
) -> Stated | None:
    """Return the clause that forbids what is wanted, as the world is now; None where none does, or that is not known yet.

    Args:
        scene: The row.
        rules: The clauses.
        request: What is wanted.
        calls: Those made before.
        withheld: Arguments that the user says later.
    """
    wish, calls_made = request.wishes[-1], [*calls]
    args = wish.said
    if request.edge is not None:
        search = request.wishes[0]
        step = _look_up_now(scene, search)
        if step is None:
            raise CannotFillError(f"{search.tool} fails")
        _, args, _ = call_for_wish(Say(id=0, wishes=request.wishes), 1, step)
        calls_made.append(MadeCall(search.tool, search.said, NEXT - 1, NEXT - 1, step.outcomes[0].value))
        about_it = [one.clause for one in rules.clauses if wish.tool in one.clause.tools]
        seen = dict.fromkeys([getattr(clause, "seen", "") for clause in about_it])
        for tool in [tool for tool in seen if tool not in ("", search.tool)]:
            required = scene.toolkit.toolbox[tool].required
            calls_made.append(call_as_it_is_now(scene, tool, {name: args[name] for name in required if name in args}))
    talk = so_far(scene, rules, calls_made)
    return forbidding(talk, with_amounts(talk, PlacedCall(wish.tool, {**args, **withheld}, NEXT)))


def _with_own_values(course: Course, wish: Wish) -> Wish:
    """Return a wish in which what a clause wants to be the user's own mostly is."""
    for clause in [stated.clause for stated in course.rules.policy_in_full.of(clauses.Whose)]:
        is_given = clause.tools[0] == wish.tool and resolve_or_none(wish.said, clause.slot) is not None
        if is_given and course.scene.draw.chance(_OWN):
            assert course.person is not None
            said = with_value(wish.said, f"/{clause.slot}", course.person.result[clause.same])
            wish = msgspec.structs.replace(wish, said=said)
    return wish


def _withholding(course: Course, request: Request) -> Request:
    """Return a request without what a clause of the policy, stated or not, computes or wants asked for."""
    scene, in_full = course.scene, course.rules.policy_in_full
    wish, withheld = request.wishes[-1], dict[str, Any]()
    for clause in [stated.clause for stated in in_full.of(clauses.Amount, clauses.Ask)]:
        slot, is_asked_for = clause.slot, isinstance(clause, clauses.Ask)
        is_silent = not is_asked_for or scene.draw.chance(_WITHHELD) or slot not in wish.said
        if clause.tools[0] == wish.tool and slot not in wish.meant and is_silent:
            value = (wish.said.get(slot) or _value_for(scene, wish.tool, slot)) if is_asked_for else None
            if value is not None or not is_asked_for:
                wish = msgspec.structs.replace(wish, said=without(wish.said, (slot,)))
            if value is not None:
                withheld[slot] = value
    return msgspec.structs.replace(request, wishes=(*request.wishes[:-1], wish), withheld=withheld)


def _value_for(scene: Scene, tool: str, slot: str) -> Any:
    """Return a value for an optional argument of a tool; None where none is drawn in a few attempts."""
    drawn = (scene.arguments[tool](scene.draw) for _ in range(_DRAWS))
    return next((arguments[slot] for arguments in drawn if slot in arguments), None)


_NAME = "person_name"
"""The kind of arguments that name somebody."""
_THE_SAME = 0.9
"""How often users ask for the same person as before."""


def _for_one_purpose(scene: Scene, policy: Policy) -> Scene:
    """Return the scene with room for values that requests have in common, for a goal that a policy's tools serve, where there is one."""
    purposes = {
        purpose.name: purpose
        for name, some in scene.toolkit.purposes.items()
        if scene.toolkit.toolbox[name].domain in policy.serves
        for purpose in some
    }
    if not purposes:
        return scene
    return msgspec.structs.replace(scene, common=InCommon(scene.draw.choice(list(purposes.values())), {}))


def _for_one_person(course: Course, wish: Wish, *then: str, fewest: int = 1) -> Wish:
    """Return a wish in which somebody is named who was named before; if it is the first one, who it names is noted.

    The tools `then` succeed for what it finds, which is at least the `fewest`, if it is a search.
    """
    scene, named = course.scene, course.named
    kinds = scene.toolkit.toolbox[wish.tool].kinds
    slots = [slot for slot, kind in kinds.items() if kind == _NAME and "*" not in slot]
    slot = next((slot for slot in slots if resolve_or_none(wish.said, slot) is not None), None)
    if slot is None:
        return wish
    if not named:
        named.append(resolve(wish.said, slot))
    if named[0] == resolve(wish.said, slot) or not scene.draw.chance(_THE_SAME):
        return wish
    changed_arguments = with_value(wish.said, f"/{slot}", named[0])
    if wish.tool in scene.toolkit.look_ups:
        try:
            changed_arguments = scene.fitted(wish.tool, changed_arguments, then, (), fewest, agreed=True)
        except CannotFillError:
            return wish
    return (
        msgspec.structs.replace(wish, said=changed_arguments) if resolve(changed_arguments, slot) == named[0] else wish
    )
