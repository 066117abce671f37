"""under_policy: the system message is a written policy; what the assistant looks up, asks, does and refuses follows from it."""

from collections.abc import Collection, Generator, Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Ask as Asking
from generator.core.planning import Call, Event, Ref, Say, Step, Wish
from generator.core.planning import Tell as Telling
from generator.core.pointers import escape, resolve
from generator.scenarios.affordances import Toolkit
from generator.scenarios.policies import Amount, Ask, Eligible, Hide, OneByOne, Order, Scope, Stated, Tell, Transfer
from generator.scenarios.scenario import Events, Scenario, serve, tell
from generator.scenarios.scene import Scene
from generator.scenarios.service.course import Course, Matter, begin, kept_to, ruled_out, to_confirm, with_amounts
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
    settled,
    starters_of,
    would_be_ruled_out,
)
from generator.scenarios.shape import Pattern


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = [edge for policy in toolkit.policies for edge in edges_of(toolkit, policy)]
    alone = [name for policy in toolkit.policies for name in starters_of(toolkit, policy, look_ups=True)]
    return {tool for edge in edges for tool in (edge.source, edge.target)}.union(alone)


def _events(scene: Scene) -> Events:
    assert scene.rules is not None
    course, who = begin(scene, scene.rules)
    requests = draw_requests(scene, scene.rules, who)
    yield from kept_to(_turns(course, requests), scene.faults)


def _turns(course: Course, requests: Sequence[Request]) -> Events:
    """Yield one request after the other, until the conversation is handed over."""
    for request in requests:
        serving = _pair if request.is_pair else _serve if request.asks is None else _asked_for
        yield from serving(course, request)
        if course.is_over:
            return


def _asked_for(course: Course, request: Request) -> Events:
    """Yield what the user says because of which a clause hands over, and what follows from it."""
    assert request.asks is not None
    is_stated = course.states(request.asks)
    demands = () if is_stated else identity_wishes(course, request)
    yield from hand_over_for(course, request.asks, demands, is_stated=is_stated)


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
    course.made += [call.tool for call in calls]
    yield tell(*steps)


def _serve(course: Course, request: Request) -> Events:
    """Yield a request and all that the clauses make of it; note the calls that are made."""
    tool = request.wishes[-1].tool
    outside = next((one for one in course.rules.of(Scope) if tool not in one.clause.scope), None)
    if outside is not None:
        asked = yield Say(wishes=request.wishes)
        yield from refuse(course, outside, serve(asked), {}, asked)
        return
    wishes, found = request.wishes, None
    if request.looks_first:
        listed, found = yield from _look(course, request.wishes[0])
        if found is None:
            return
        wishes = (_of_those(request.wishes[-1], listed),)
    person = () if _is_refused_anyway(course, request) else identity_wishes(course, request)
    before = _demanded(course, request)
    handing = dict.fromkeys([one.clause.transfer for one in course.rules.of(Transfer) if one.clause.of == tool])
    asked = yield Say(wishes=(*wishes, *person, *before, *[Wish(name, demanded=True) for name in handing]))
    number = len(wishes) - 1
    yield from identify(course, asked, number + 1, person)
    if course.is_over:
        return
    if request.edge is not None and found is None:
        found = yield Step(calls=(serve(asked, 0),))
    call, args, at = settled(asked, number, found)
    things: dict[str, Any] = {} if found is None else {request.wishes[0].tool: resolve(found.outcomes[0].value, at)}
    places = {} if found is None else {request.wishes[0].tool: (found.id, at)}
    for place, wish in enumerate(before, start=number + 1 + len(person)):
        seen = yield Step(calls=(Call(wish.tool, _same_thing(course, wish.tool, call), (asked.id, place)),))
        things[wish.tool], places[wish.tool] = seen.outcomes[0].value, (seen.id, "")
    matter = course.matter(wishes[-1], args, things)
    yield from _decide(course, request, matter, call, places, asked)
    if found is not None and not course.is_over:
        yield from ask_of(course, found, at)


def _is_refused_anyway(course: Course, request: Request) -> bool:
    """Whether it does not matter who the user is, because what is wanted is refused or handed over whoever wants it."""
    wish = request.wishes[-1]
    if request.edge is None:  # its thing is not known yet, so that only what is said can decide
        known = tuple([one for one in course.rules.clauses if "it." not in one.clause.expression])
        rules = msgspec.structs.replace(course.rules, clauses=known)
        stated = ruled_out(rules, with_amounts(rules, course.matter(wish, wish.said, {})))
    else:
        stated = would_be_ruled_out(course.scene, course.rules, request, course.who, course.made)
    return stated is not None


def _look(course: Course, search: Wish) -> Generator[Event, Any, tuple[Say, Step | None]]:
    """Yield the user's question what there is, and the answer; return the question and the look-up, None where it is handed over."""
    search = msgspec.structs.replace(search, unnamed=False)
    person = identity_wishes(course, Request(wishes=(search,), is_pair=True))
    asked = yield Say(wishes=(search, *person))
    yield from identify(course, asked, 1, person)
    if course.is_over:
        return asked, None
    found = yield Step(calls=(serve(asked),))
    hidden = tuple([one.clause.field for one in course.rules.of(Hide) if one.clause.hide == search.tool])
    yield msgspec.structs.replace(tell(found), kept_back=hidden)
    return asked, found


def _of_those(wish: Wish, listed: Say) -> Wish:
    """Return a wish for a thing that an earlier message has asked for."""
    meant = {
        slot: msgspec.structs.replace(one, source=msgspec.structs.replace(one.source, event=listed.id))
        for slot, one in wish.meant.items()
    }
    return msgspec.structs.replace(wish, meant=meant)


def _decide(course: Course, request: Request, matter: Matter, call: Call, places: Places, asked: Say) -> Events:
    """Yield what becomes of a call: it is asked for what is missing, refused, proposed, or made."""
    for one in course.rules.of(Amount):
        if one.clause.tools[0] == matter.tool and one.clause.slot not in matter.args:
            call, matter = _with_amount(one, call, matter)
    stated = ruled_out(course.rules, matter)
    for clause in [] if stated is not None else _to_ask(course, call, request):
        call = yield from _ask_for(call, clause.slot, request.withheld[clause.slot])
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
    course.made.append(matter.tool)
    told = [one.clause for one in course.rules.of(Tell) if one.clause.tell == matter.tool]
    fields = tuple([field for clause in told for field in clause.fields])
    yield msgspec.structs.replace(tell(done), fields=fields)


# --- what clauses demand before a call ---


def _with_amount(stated: Stated, call: Call, matter: Matter) -> tuple[Call, Matter]:
    """Return a call with the argument that a clause computes, as a number of the clause's text."""
    slot, value = stated.clause.slot, matter.asks(stated)
    if value is None:
        raise CannotFillError(f"{stated.clause.where}: an argument is missing that {stated.clause.expression!r} reads")
    ref = Ref(0, 0, f"{stated.place}:{value}")  # the system message is the first event
    return (
        msgspec.structs.replace(call, args={**call.args, slot: ref}),
        msgspec.structs.replace(matter, args={**matter.args, slot: value}),
    )


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
