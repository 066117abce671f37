"""under_policy: the system message is a written policy; what the assistant looks up, asks, does and refuses follows from it."""

from collections.abc import Collection, Generator, Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Ask as Asking
from generator.core.planning import Call, Event, Ref, Say, Step, Wish
from generator.core.planning import Tell as Telling
from generator.core.pointers import escape
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import tools_of
from generator.scenarios.policies.clauses import Amount, Ask, Clause, Eligible, OneByOne, Order, Tell, Transfer
from generator.scenarios.policies.compliance.transcript import PlacedCall
from generator.scenarios.policies.compliance.verdicts import demanded_by, forbidding, verdict, with_amounts
from generator.scenarios.scenario import Events, Scenario, serve, tell
from generator.scenarios.scene import Scene
from generator.scenarios.service.course import NEXT, Course, begin
from generator.scenarios.service.replies import (
    Places,
    ask_of,
    hand_over_for,
    identify,
    identity_wishes,
    propose,
    refuse,
)
from generator.scenarios.service.requests import (
    Request,
    draw_requests,
    edges_of,
    forbidding_now,
    settled,
    starters_of,
)
from generator.scenarios.shape import Pattern


def _tools(toolkit: Toolkit) -> Collection[str]:
    alone = [name for policy in toolkit.policies for name in starters_of(toolkit, policy, look_ups=True)]
    return tools_of([edge for policy in toolkit.policies for edge in edges_of(toolkit, policy)]).union(alone)


def _events(scene: Scene) -> Events:
    assert scene.rules is not None
    course = begin(scene, scene.rules)
    yield from course.running(_turns(course, draw_requests(course)))


def _turns(course: Course, requests: Sequence[Request]) -> Events:
    """Yield one request after the other, until the conversation is handed over."""
    for request in requests:
        serving = _pair if request.is_pair else _serve if request.asks is None else hand_over_for
        yield from serving(course, request)
        if course.is_over:
            return


def _pair(course: Course, request: Request) -> Events:
    """Yield a request for two things: calls made at once, or one by one where a clause wants that."""
    look_ups = course.scene.toolkit.look_ups
    demands = identity_wishes(course, request)
    asked = yield Say(wishes=(*request.wishes, *demands))
    yield from identify(course, asked, len(request.wishes), demands)
    calls = tuple([serve(asked, number) for number in range(len(request.wishes))])
    one_by_one = any(
        stated.clause.covers(looks_up=call.tool in look_ups) for stated in course.rules.of(OneByOne) for call in calls
    )
    steps = []
    for part in [(call,) for call in calls] if one_by_one else [calls]:
        done = yield Step(calls=part)
        steps.append(done)
    yield tell(*steps)


def _serve(course: Course, request: Request) -> Events:
    """Yield a request and all that the clauses make of it."""
    wishes, found = request.wishes, None
    if request.looks_first:
        listed, found = yield from _look(course, request.wishes[0])
        if found is None:
            return
        wishes = (_of_those(request.wishes[-1], listed),)
    # who the user is does not matter where what is wanted is refused or handed over whoever wants it
    is_refused_anyway = forbidding_now(course.scene, course.rules, request, course.calls) is not None
    person = () if is_refused_anyway else identity_wishes(course, request)
    tool, search = wishes[-1].tool, request.wishes[0].tool
    before = [one for one in _demanded(course, tool, Order, Eligible) if one.tool != search]
    handing_over = _demanded(course, tool, Transfer)
    asked = yield Say(wishes=(*wishes, *person, *before, *handing_over))
    number = len(wishes) - 1
    yield from identify(course, asked, number + 1, person)
    if course.is_over:
        return
    if request.edge is not None and found is None:
        found = yield Step(calls=(serve(asked, 0),))
    call, args, at = settled(asked, number, found)
    places = {} if found is None else {search: (found.id, at)}
    for place, wish in enumerate(before, start=number + 1 + len(person)):
        seen = yield Step(calls=(Call(wish.tool, _same_thing(course, wish.tool, call), (asked.id, place)),))
        places[wish.tool] = (seen.id, "")
    yield from _decide(course, request, call, args, places, asked)
    if found is not None and not course.is_over:
        yield from ask_of(course, found, at)


def _demanded(course: Course, tool: str, *kinds: type[Clause]) -> tuple[Wish, ...]:
    """Return wishes for the calls that clauses of some kinds demand before, or in place of, a call."""
    names = [name for stated in course.rules.of(*kinds) for name in demanded_by(stated.clause, tool)]
    return tuple([Wish(name, demanded=True) for name in dict.fromkeys(names)])


def _look(course: Course, search: Wish) -> Generator[Event, Any, tuple[Say, Step | None]]:
    """Yield the user's question what there is, and the answer; return the question and the look-up, None where it is handed over."""
    search = msgspec.structs.replace(search, unnamed=False)
    person = identity_wishes(course, Request(wishes=(search,), is_pair=True))
    asked = yield Say(wishes=(search, *person))
    yield from identify(course, asked, 1, person)
    if course.is_over:
        return asked, None
    found = yield Step(calls=(serve(asked),))
    yield msgspec.structs.replace(tell(found), kept_back=course.rules.hidden(search.tool))
    return asked, found


def _of_those(wish: Wish, listed: Say) -> Wish:
    """Return a wish for a thing that an earlier message has asked for."""
    meant = {
        slot: msgspec.structs.replace(one, source=msgspec.structs.replace(one.source, event=listed.id))
        for slot, one in wish.meant.items()
    }
    return msgspec.structs.replace(wish, meant=meant)


def _decide(course: Course, request: Request, call: Call, args: dict[str, Any], places: Places, asked: Say) -> Events:
    """Yield what becomes of a call: it is asked for what is missing, refused, proposed, or made."""
    call, target = yield from _completed(course, request, call, args)
    talk = course.so_far
    stated, confirming = forbidding(talk, target), talk.confirming(call.tool)
    if stated is not None:
        yield from refuse(course, stated, call, places, asked)
        return
    if any(verdict(one, talk, target) is None for one in course.rules.clauses):
        raise CannotFillError(f"nobody knows whether {call.tool} may be called")
    if confirming is not None:
        wish = asked.wishes[call.serves[1]]
        agreed = yield from propose(course, confirming.clause, call, places, wish, target)
        if agreed is None:
            yield Telling(about=(), how="not_done", wish=call.serves)
            return
        call = agreed
    done = yield Step(calls=(call,))
    fields = [field for one in course.rules.of(Tell) if one.clause.tell == call.tool for field in one.clause.fields]
    yield msgspec.structs.replace(tell(done), fields=tuple(fields))


# --- what clauses demand before a call ---


def _completed(
    course: Course, request: Request, call: Call, args: dict[str, Any]
) -> Generator[Event, Any, tuple[Call, PlacedCall]]:
    """Yield questions for what clauses want asked for, unless the call is forbidden; return the call with all of its arguments."""
    target = with_amounts(course.so_far, PlacedCall(call.tool, args, NEXT))
    for one in course.rules.of(Amount):
        slot = one.clause.slot
        if slot in target.args and slot not in call.args:  # the system message is the first event
            ref = Ref(0, 0, f"{one.place}:{target.args[slot]}")
            call = msgspec.structs.replace(call, args={**call.args, slot: ref})
    missing = [one.clause.slot for one in course.rules.of(Ask) if verdict(one, course.so_far, target) is None]
    for slot in missing if forbidding(course.so_far, target) is None else []:
        if slot not in request.withheld:
            raise CannotFillError(f"nobody has a value for {slot} of {call.tool}")
        call = yield from _ask_for(call, slot, request.withheld[slot])
        target = msgspec.structs.replace(target, args={**target.args, slot: request.withheld[slot]})
    return call, target


def _same_thing(course: Course, tool: str, call: Call) -> dict[str, Any]:
    """Return the arguments of a look-up for the thing that a call is about."""
    slots = map(escape, course.scene.toolkit.toolbox[tool].required)
    return {
        slot: msgspec.structs.replace(call.args[slot], because=None, pick=None) for slot in slots if slot in call.args
    }


def _ask_for(call: Call, slot: str, value: Any) -> Generator[Event, Any, Call]:
    """Yield the question for an argument, and the reply; return the call with it."""
    ask = yield Asking(wish=call.serves, slot=slot)
    reply = yield Say(to=ask.id, wishes=(Wish(call.tool, {slot: value}),))
    return msgspec.structs.replace(call, args={**call.args, escape(slot): Ref(reply.id, 0, escape(slot))})


SCENARIO = Scenario(
    "under_policy",
    "a written policy decides what is looked up, asked, done and refused",
    _tools,
    _events,
    (Pattern("(U (C{1+}){0+} A)+"),),
    needs="a policy (`policies: [my_policy.yaml]`) for tools one of which can be called by itself",
    fails=True,
    governed=True,
)
