"""under_policy: the system message is a written policy; what the assistant looks up, asks, does and refuses follows from it."""

from collections.abc import Collection, Generator
from typing import Any

import msgspec

from generator.affordances import Toolkit
from generator.errors import CannotFillError
from generator.planning import Ask as Asking
from generator.planning import Call, Event, Ref, Say, Step, Wish
from generator.planning import Tell as Telling
from generator.pointers import escape, resolve
from generator.policies import (
    Ask,
    Eligible,
    Identity,
    OneByOne,
    Order,
    Tell,
    Transfer,
)
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.service.course import Course
from generator.scenarios.service.replies import propose, refuse
from generator.scenarios.service.requests import Request, draw_requests, edges_of, starters_of
from generator.scenarios.service.ruling import Matter, ruled_out, to_confirm
from generator.scenarios.service.settling import settled

def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = [edge for policy in toolkit.policies for edge in edges_of(toolkit, policy)]
    alone = [name for policy in toolkit.policies for name in starters_of(toolkit, policy, look_ups=True)]
    return {tool for edge in edges for tool in (edge.source, edge.target)}.union(alone)


def _events(scene: Scene) -> Events:
    rules = scene.rules
    assert rules is not None
    requests = draw_requests(scene, rules)
    known = rules.policy_in_full.of(Identity)
    course = Course(scene, rules, scene.wish(known[0].clause.identity) if known else None, [])
    for request in requests:
        yield from _pair(course, request) if request.is_pair else _serve(course, request)
        if course.is_over:
            return


def _pair(course: Course, request: Request) -> Events:
    """Yield a request for two things: calls made at once, or one by one where a clause wants that."""
    look_ups = course.scene.toolkit.look_ups
    demands = _identity(course, looks_up=request.wishes[0].tool in look_ups)
    asked = yield Say(wishes=(*request.wishes, *demands))
    yield from _identify(course, asked, len(request.wishes), demands)
    calls = tuple([serve(asked, number) for number in range(len(request.wishes))])
    one_by_one = any(
        stated.clause.covers(looks_up=call.tool in look_ups) for stated in course.rules.of(OneByOne) for call in calls
    )
    steps = []
    for part in [(call,) for call in calls] if one_by_one else [calls]:
        done = yield Step(calls=part)
        steps.append(done)
    course.made += [call.tool for call in calls]
    yield tell(*steps)


def _serve(course: Course, request: Request) -> Events:
    """Yield a request and all that the clauses make of it; note the calls that are made."""
    look_ups, tool = course.scene.toolkit.look_ups, request.wishes[-1].tool
    person = _identity(course, looks_up=tool in look_ups)
    before = _demanded(course, request)
    handing = tuple(
        {one.clause.transfer: Wish(one.clause.transfer, demanded=True) for one in _transfers(course, tool)}.values()
    )
    demands = (*person, *before, *handing)
    asked = yield Say(wishes=(*request.wishes, *demands))
    number, found = len(request.wishes) - 1, None
    yield from _identify(course, asked, number + 1, person)
    if request.edge is not None:
        found = yield Step(calls=(serve(asked, 0),))
    call, args, at = settled(asked, number, found)
    things: dict[str, Any] = {} if found is None else {request.wishes[0].tool: resolve(found.outcomes[0].value, at)}
    places = {} if found is None else {request.wishes[0].tool: (found.id, at)}
    for place, wish in enumerate(before, start=number + 1 + len(person)):
        seen = yield Step(calls=(Call(wish.tool, _same_thing(course, wish.tool, call), (asked.id, place)),))
        things[wish.tool], places[wish.tool] = seen.outcomes[0].value, (seen.id, "")
    matter = Matter(
        tool=tool,
        args=args,
        things=things,
        today=course.scene.draw.today.isoformat(),
        looks_up=tool in look_ups,
        made=course.made,
        wish=request.wishes[-1],
    )
    stated = ruled_out(course.rules, matter)
    for clause in [] if stated is not None else _to_ask(course, call, request):
        call = yield from _ask(call, clause.slot, request.withheld[clause.slot])
        matter = msgspec.structs.replace(matter, args={**matter.args, clause.slot: request.withheld[clause.slot]})
        stated = stated or ruled_out(course.rules, matter)
    if stated is not None:
        yield from refuse(course, stated, call, places, asked)
        return
    confirmed = to_confirm(course.rules, matter)
    agreed = call if confirmed is None else (yield from propose(course, confirmed.clause, call, places, matter))
    if agreed is None:
        yield Telling(about=(), how="not_done", wish=call.serves)
        return
    done = yield Step(calls=(agreed,))
    course.made.append(tool)
    fields = tuple([field for one in course.rules.of(Tell) if one.clause.tell == tool for field in one.clause.fields])
    yield msgspec.structs.replace(tell(done), fields=fields)


# --- what clauses demand before a call ---


def _identity(course: Course, *, looks_up: bool) -> tuple[Wish, ...]:
    """Return the look-up of the user, if a clause demands it before this call and it has not been made."""
    if course.person is None or course.is_known:
        return ()
    if not any(stated.clause.covers(looks_up=looks_up) for stated in course.rules.of(Identity)):
        return ()
    return (Wish(course.person.tool, demanded=True),)


def _identify(course: Course, asked: Say, place: int, demands: tuple[Wish, ...]) -> Events:
    """Yield the question who the user is, the answer, and the look-up."""
    if demands and course.person is not None:
        ((slot, value),) = course.person.said.items()
        ask = yield Asking(wish=(asked.id, place), slot=slot)
        reply = yield Say(to=ask.id, wishes=(Wish(course.person.tool, {slot: value}),))
        yield Step(calls=(Call(course.person.tool, {slot: Ref(reply.id, 0, slot)}, (asked.id, place)),))
        course.is_known = True


def _demanded(course: Course, request: Request) -> tuple[Wish, ...]:
    """Return the look-ups of the thing that clauses demand before a call, beside the search for it."""
    tool, before = request.wishes[-1].tool, request.wishes[0].tool
    wanted = [stated.clause.order[0] for stated in course.rules.of(Order) if stated.clause.order[1] == tool]
    wanted += [stated.clause.seen for stated in course.rules.of(Eligible) if stated.clause.eligible == tool]
    return tuple([Wish(name, demanded=True) for name in dict.fromkeys(wanted) if name != before])


def _same_thing(course: Course, tool: str, call: Call) -> dict[str, Any]:
    """Return the arguments of a look-up for the thing that a call is about."""
    slots = map(escape, course.scene.toolkit.toolbox[tool].required)
    return {
        slot: msgspec.structs.replace(call.args[slot], because=None, pick=None) for slot in slots if slot in call.args
    }


def _to_ask(course: Course, call: Call, request: Request) -> list[Ask]:
    """Return the clauses that want an argument asked for which the user has not given."""
    clauses: list[Ask] = [stated.clause for stated in course.rules.of(Ask) if stated.clause.tools[0] == call.tool]
    missing = [clause for clause in clauses if escape(clause.slot) not in call.args]
    if any(clause.slot not in request.withheld for clause in missing):
        raise CannotFillError(f"nobody has a value for {call.tool}")
    return missing


def _ask(call: Call, slot: str, value: Any) -> Generator[Event, Any, Call]:
    """Yield the question for an argument, and the reply; return the call with it."""
    ask = yield Asking(wish=call.serves, slot=slot)
    reply = yield Say(to=ask.id, wishes=(Wish(call.tool, {slot: value}),))
    return msgspec.structs.replace(call, args={**call.args, escape(slot): Ref(reply.id, 0, escape(slot))})


def _transfers(course: Course, tool: str) -> list[Any]:
    """Return the clauses because of which a call may be handed over."""
    return [stated for stated in course.rules.of(Transfer) if stated.clause.of == tool]


SCENARIO = Scenario(
    "under_policy",
    "a written policy decides what is looked up, asked, done and refused",
    _tools,
    _events,
    (Pattern("(U ((A U)? (C{1+})?)+ A)+"),),
    needs="a policy (`policies: [my_policy.yaml]`) for tools one of which can be called by itself",
    governed=lambda toolkit: toolkit.policies,
)
