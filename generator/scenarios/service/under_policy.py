"""under_policy: the system message is a written policy; what the assistant looks up, asks, does and refuses follows from it.

What users want is drawn first (`requests.py`). Of each call that they want, the checker of policies says what its clauses make of it.
"""

import re
from collections.abc import Collection, Generator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Ask, Call, Event, Ref, Remark, Ruled, Say, Step, Tell, Wish
from generator.core.pointers import escape, resolve
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import can_be_said_alone, tools_of
from generator.scenarios.policies import clauses
from generator.scenarios.policies.compliance.transcript import PlacedCall
from generator.scenarios.policies.compliance.verdicts import demanded_by, forbidding, judgement, verdict, with_amounts
from generator.scenarios.policies.sentences import refusals_of, with_listed_sentences
from generator.scenarios.policies.stated import Stated
from generator.scenarios.scenario import Events, Scenario, serve, tell
from generator.scenarios.scene import Scene
from generator.scenarios.service import requests
from generator.scenarios.service.course import NEXT, Course, begin, so_far
from generator.scenarios.service.requests import Request
from generator.scenarios.shape import Pattern

_Places = dict[str, tuple[int, str]]
"""By look-up: its `Step`, and the pointer to the thing in its result."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    """Return the tools that users can ask for under the policies."""
    alone = [name for policy in toolkit.policies for name in requests.starters_of(toolkit, policy, look_ups=True)]
    return tools_of([edge for policy in toolkit.policies for edge in requests.edges_of(toolkit, policy)]).union(alone)


def _events(scene: Scene) -> Events:
    assert scene.rules is not None
    course = begin(scene, scene.rules)
    yield from course.with_calls_noted(_turns(course, requests.draw_requests(course)))


def _turns(course: Course, wanted: Sequence[Request]) -> Events:
    """Yield one request after the other, until the conversation is handed over."""
    for request in wanted:
        serving = _two_at_once if request.is_pair else _one_request if request.asks is None else _hand_over_for
        yield from serving(course, request)
        if course.is_over:
            return


def _two_at_once(course: Course, request: Request) -> Events:
    """Yield a request for two things: calls made at once, or one by one where a clause wants that."""
    demands = _identity_wishes(course, request)
    asked = yield Say(wishes=(*request.wishes, *demands))
    yield from _identify(course, asked, len(request.wishes), demands)
    calls = tuple([serve(asked, number) for number in range(len(request.wishes))])
    looks_up = calls[0].tool in course.scene.toolkit.look_ups  # as the other one does, or neither
    one_by_one = any(one.clause.covers(looks_up=looks_up) for one in course.rules.of(clauses.OneByOne))
    steps = []
    for part in [(call,) for call in calls] if one_by_one else [calls]:
        done = yield Step(calls=part)
        steps.append(done)
    yield tell(*steps)


def _one_request(course: Course, request: Request) -> Events:
    """Yield a request and all that the clauses make of it."""
    wishes, look_up = request.wishes, None
    if request.looks_first:
        look_up_of_list, look_up = yield from _search_first(course, request.wishes[0])
        if look_up is None:
            return
        wishes = (_wish_for_one_of_the_list(request.wishes[-1], look_up_of_list),)
    # who the user is does not matter where what is wanted is refused or handed over whoever wants it
    is_refused_anyway = requests.forbidding_now(course.scene, course.rules, request, course.calls) is not None
    identity_wishes = () if is_refused_anyway else _identity_wishes(course, request)
    tool, search = wishes[-1].tool, request.wishes[0].tool
    wishes_first = [one for one in _demanded(course, tool, clauses.Order, clauses.Eligible) if one.tool != search]
    handing_over = _demanded(course, tool, clauses.Transfer)
    request_event = yield Say(wishes=(*wishes, *identity_wishes, *wishes_first, *handing_over))
    number = len(wishes) - 1
    yield from _identify(course, request_event, number + 1, identity_wishes)
    if course.is_over:
        return
    if request.edge is not None and look_up is None:
        look_up = yield Step(calls=(serve(request_event, 0),))
    call, args, element_pointer = requests.call_for_wish(request_event, number, look_up)
    look_ups_by_tool = {} if look_up is None else {search: (look_up.id, element_pointer)}
    for number_of_wish, wish in enumerate(wishes_first, start=number + 1 + len(identity_wishes)):
        arguments = _arguments_for_the_same_thing(course, wish.tool, call)
        step = yield Step(calls=(Call(wish.tool, arguments, (request_event.id, number_of_wish)),))
        look_ups_by_tool[wish.tool] = (step.id, "")
    yield from _decide(course, request, call, args, look_ups_by_tool, request_event)
    if look_up is not None and not course.is_over:
        yield from _ask_for_hidden_field(course, look_up, element_pointer)


def _demanded(course: Course, tool: str, *kinds: type[clauses.Clause]) -> tuple[Wish, ...]:
    """Return wishes for the calls that clauses of some kinds demand before, or in place of, a call."""
    names = [name for stated in course.rules.of(*kinds) for name in demanded_by(stated.clause, tool)]
    return tuple([Wish(name, demanded=True) for name in dict.fromkeys(names)])


def _search_first(course: Course, search: Wish) -> Generator[Event, Any, tuple[Say, Step | None]]:
    """Yield the user's question what there is, and the answer; return the question and the look-up, None where it is handed over."""
    search = msgspec.structs.replace(search, unnamed=False)
    person = _identity_wishes(course, Request(wishes=(search,), is_pair=True))
    question = yield Say(wishes=(search, *person))
    yield from _identify(course, question, 1, person)
    if course.is_over:
        return question, None
    look_up = yield Step(calls=(serve(question),))
    yield msgspec.structs.replace(tell(look_up), kept_back=course.rules.hidden(search.tool))
    return question, look_up


def _wish_for_one_of_the_list(wish: Wish, question: Say) -> Wish:
    """Return a wish for a thing that an earlier message has asked for."""
    meant = {
        slot: msgspec.structs.replace(
            meant_value, source=msgspec.structs.replace(meant_value.source, event=question.id)
        )
        for slot, meant_value in wish.meant.items()
    }
    return msgspec.structs.replace(wish, meant=meant)


def _decide(
    course: Course, request: Request, call: Call, args: dict[str, Any], places: _Places, request_event: Say
) -> Events:
    """Yield what becomes of a call: it is asked for what is missing, refused, proposed, or made."""
    call, target = yield from _completed(course, request, call, args)
    talk = course.so_far
    stated, confirming = forbidding(talk, target), talk.confirming(call.tool)
    if stated is not None:
        yield from _refuse(course, stated, call, places, request_event)
        return
    for stated_clause in course.rules.clauses:
        may_be_made, fault = judgement(stated_clause, talk, target)
        if may_be_made is None:
            where = stated_clause.clause.where
            raise CannotFillError(f"{where}: nobody knows whether {call.tool} may be called: {fault}")
    if confirming is not None:
        wish = request_event.wishes[call.serves[1]]
        agreed_call = yield from _propose(course, confirming.clause, call, places, wish, target)
        if agreed_call is None:
            yield Tell(about=(), how="not_done", wish=call.serves)
            return
        call = agreed_call
    step = yield Step(calls=(call,))
    fields_to_tell = [
        stated_clause.clause.fields
        for stated_clause in course.rules.of(clauses.Tell)
        if stated_clause.clause.tell == call.tool
    ]
    yield msgspec.structs.replace(tell(step), fields=tuple(chain.from_iterable(fields_to_tell)))


# --- what clauses demand before a call ---


def _completed(
    course: Course, request: Request, call: Call, args: dict[str, Any]
) -> Generator[Event, Any, tuple[Call, PlacedCall]]:
    """Yield questions for what clauses want asked for, unless the call is forbidden; return the call with all of its arguments."""
    target = with_amounts(course.so_far, PlacedCall(call.tool, args, NEXT))
    for stated_clause in course.rules.of(clauses.Amount):
        slot = stated_clause.clause.slot
        if slot in target.args and slot not in call.args:  # the system message is the first event
            ref = Ref(0, 0, f"{stated_clause.place}:{target.args[slot]}")
            call = msgspec.structs.replace(call, args={**call.args, slot: ref})
    missing = [
        stated_clause.clause.slot
        for stated_clause in course.rules.of(clauses.Ask)
        if verdict(stated_clause, course.so_far, target) is None
    ]
    for slot in missing if forbidding(course.so_far, target) is None else []:
        if slot not in request.withheld:
            raise CannotFillError(f"nobody has a value for {slot} of {call.tool}")
        call = yield from _ask_for(call, slot, request.withheld[slot])
        target = msgspec.structs.replace(target, args={**target.args, slot: request.withheld[slot]})
    return call, target


def _arguments_for_the_same_thing(course: Course, tool: str, call: Call) -> dict[str, Any]:
    """Return the arguments of a look-up for the thing that a call is about."""
    required = [escape(name) for name in course.scene.toolkit.toolbox[tool].required]
    arguments = {slot: call.args[slot] for slot in required if slot in call.args}
    return {slot: msgspec.structs.replace(ref, because=None, pick=None) for slot, ref in arguments.items()}


def _ask_for(call: Call, slot: str, value: Any) -> Generator[Event, Any, Call]:
    """Yield the question for an argument, and the reply; return the call with it."""
    ask = yield Ask(wish=call.serves, slot=slot)
    reply = yield Say(to=ask.id, wishes=(Wish(call.tool, {slot: value}),))
    return msgspec.structs.replace(call, args={**call.args, escape(slot): Ref(reply.id, 0, escape(slot))})


def _identity_wishes(course: Course, request: Request) -> tuple[Wish, ...]:
    """Return the look-ups of the user, if a clause demands them before this call, with the tool that hands over in their end."""
    wish, person = request.wishes[-1], course.person
    call = PlacedCall(wish.tool, wish.said, NEXT)
    asking = course.rules.of(clauses.Identity, clauses.Whose)
    if person is None or not any(verdict(one, course.so_far, call) is None for one in asking):
        return ()
    ((_, right),) = person.args.items()
    if any(right in str(one.said) for one in request.wishes):  # who has just written the address knows it
        course.wrong = []
    stated = _identity(course)
    tries = 0 if stated is None else stated.number(stated.clause.tries)
    if tries:  # what is wanted may not be clear yet: then it cannot be refused
        course.wrong = course.wrong[: tries - 1 if request.edge is not None or request.is_pair else tries]
    look_ups = (Wish(person.tool, demanded=True),) * (len(course.wrong) + 1)
    if stated is None or not tries or len(course.wrong) < tries:
        return look_ups
    return (*look_ups[:-1], Wish(stated.clause.transfer, demanded=True))


def _identity(course: Course) -> Stated | None:
    """Return the clause that wants to know who the user is; None where the row states none."""
    return next(iter(course.rules.of(clauses.Identity)), None)


def _identify(course: Course, asked: Say, place: int, demands: tuple[Wish, ...]) -> Events:
    """Yield the question who the user is, the answer, and the look-up, until that finds somebody or there are no more tries."""
    if not demands or course.person is None:
        return
    ((slot, right),) = course.person.args.items()
    for number, wish in enumerate(demands, start=place):
        if wish.tool != course.person.tool:
            yield from _give_up(course, asked, number, wish.tool)
            return
        value = course.wrong.pop(0) if course.wrong else right
        ask = yield Ask(wish=(asked.id, number), slot=slot)
        reply = yield Say(to=ask.id, wishes=(Wish(wish.tool, {slot: value}),))
        done = yield Step(calls=(Call(wish.tool, {slot: Ref(reply.id, 0, slot)}, (asked.id, number)),))
        if value != right:
            yield Tell(about=((done.id, 0),), how="failed")


def _give_up(course: Course, asked: Say, number: int, tool: str) -> Events:
    """Yield the call that hands over after too many answers that lead to nobody."""
    stated = _identity(course)
    assert stated is not None
    yield Step(calls=(Call(tool, {}, (asked.id, number)),))
    call = serve(asked, 0)
    ruled = Ruled(call, course.scene.draw.choice(stated.clause.says))
    yield Tell(about=(), how="ruled_out", wish=call.serves, ruled=ruled)
    course.is_over = True


_YES = 0.92
"""How often users agree to what is proposed."""
_UNSURE, _CHANGED = 0.07, 0.09
"""How often they first say neither yes nor no, and how often they want one value changed."""
_INSISTING = (1, 1, 1, 2)
"""How many times they do."""
_TRIES = 4


def _propose(
    course: Course, clause: clauses.Confirm, call: Call, places: _Places, wish: Wish, target: PlacedCall
) -> Generator[Event, Any, Call | None]:
    """Yield what the call is about, the question whether to make it, and the reply; return the call that the user agrees to, or None.

    Who hesitates is given time, and decides.
    """
    forms, draw = clause.says.get(call.tool, ()), course.scene.draw
    if forms and places:
        event, at = next(iter(places.values()))
        yield Tell(about=((event, 0),), how="shown", wish=call.serves, ruled=Ruled(call, draw.choice(forms), at))
    ask = yield Ask(wish=call.serves, call=call)
    change = None
    if draw.chance(_UNSURE):
        yield Say(to=ask.id, remark=Remark("unsure", call.serves))
        yield Tell(about=(), how="patient", wish=call.serves)
    elif draw.chance(_CHANGED):
        change = _changed_value(course, wish, target)
    if change is not None:
        (slot,) = change
        reply = yield Say(to=ask.id, yes=True, wishes=(Wish(call.tool, change),))
        call = msgspec.structs.replace(call, args={**call.args, slot: Ref(reply.id, 0, slot)})
        ask = yield Ask(wish=call.serves, call=call, again=True)
    is_let = change is not None or draw.chance(_YES)
    yield Say(to=ask.id, yes=is_let)
    return call if is_let else None


def _changed_value(course: Course, wish: Wish, target: PlacedCall) -> dict[str, Any] | None:
    """Return another value for an argument that the user has said, with which no clause of the policy forbids the call."""
    scene = course.scene
    if wish.tool in [
        one.clause.tools[0] for one in course.rules.of(clauses.Amount)
    ]:  # what is computed would change, too
        return None
    spec = scene.toolkit.toolbox[wish.tool]
    related = {slot for one in spec.relations for slot in (one.left, one.right)}
    slots = [
        slot
        for slot, value in wish.said.items()
        if escape(slot) == slot
        and can_be_said_alone(spec, slot)
        and slot not in related
        and _is_how_much_or_when(value)
    ]
    talk = so_far(scene, course.rules.policy_in_full, course.calls)
    for slot in scene.draw.shuffled(slots)[:_TRIES]:
        with suppress(CannotFillError):
            value = scene.another(wish, slot)
            if forbidding(talk, msgspec.structs.replace(target, args={**target.args, slot: value})) is None:
                return {slot: value}
    return None


def _is_how_much_or_when(value: Any) -> bool:
    """Whether a value is a number, a day or a time: what people change when they hear it once more, and no name or decision."""
    return type(value) in (int, float) or (isinstance(value, str) and _WHEN.match(value) is not None)


_WHEN = re.compile(r"(?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2})(?![^T ])")


def _refuse(course: Course, stated: Stated, call: Call, places: _Places, asked: Say) -> Events:
    """Yield why a call is not made, and what is offered in its place; or the call that hands over."""
    clause, draw = stated.clause, course.scene.draw
    if isinstance(clause, clauses.Transfer):
        yield from _hand_over(course, clause.transfer, call, asked)
    seen = getattr(clause, "seen", "")
    event, at = places[seen] if seen in places else next(iter(places.values()), (None, ""))
    about = () if event is None else ((event, 0),)
    texts = list(draw.shuffled(list(clause.says if isinstance(clause, clauses.Transfer) else refusals_of(clause))))
    ruled = Ruled(call, stated.filled(texts[0]), at)
    yield Tell(about=about, how="ruled_out", wish=call.serves, ruled=ruled)
    if course.is_over:
        return
    offers = [one for one in course.rules.of(clauses.Instead) if one.clause.follows(clause)]
    if offers:
        form = offers[0].filled(draw.choice(offers[0].clause.offer))
        yield Tell(about=about, how="instead", wish=call.serves, ruled=Ruled(call, form, at))
    if not course.has_insisted and draw.chance(course.scene.persona.insists):
        course.has_insisted = True
        for turn in range(draw.choice(_INSISTING)):
            words = [stated.filled(text) for text in clause.push]
            text = draw.choice(words) if words and not turn else ""
            yield Say(remark=Remark("insists", call.serves, text))
            form = stated.filled(texts[turn + 1]) if turn + 1 < len(texts) else ""
            yield Tell(about=about, how="ruled_out", wish=call.serves, ruled=Ruled(call, form, at), again=True)


_ASKED_OF = 0.3
"""How often the user asks for a field that a clause of the policy hides, where one has been found."""


def _ask_for_hidden_field(course: Course, found: Step, at: str) -> Events:
    """Yield the user's question for a field that a clause hides, of the thing that has been found, and the answer."""
    (call,), draw = found.calls, course.scene.draw
    for stated in course.rules.policy_in_full.of(clauses.Hide):
        clause, thing = stated.clause, resolve(found.outcomes[0].value, at)
        if clause.hide != call.tool or thing.get(clause.field) is None or not draw.chance(_ASKED_OF):
            continue
        yield Say(remark=Remark("asks_of", call.serves, draw.choice(clause.asks)))
        is_hidden = course.states(stated)
        form, about = draw.choice(refusals_of(clause) if is_hidden else clause.tells), ((found.id, 0),)
        how = "kept_back" if is_hidden else "told"
        yield Tell(about=about, how=how, wish=call.serves, ruled=Ruled(call, stated.filled(form), at))


def _hand_over_for(course: Course, request: Request) -> Events:
    """Yield what the user says because of which a clause hands over, so often as it wants that, and the call.

    Where the row does not state the clause, the assistant hands over at once, or says what else is to be done.
    """
    stated = request.asks
    assert stated is not None
    clause, draw, is_stated = stated.clause, course.scene.draw, course.states(stated)
    demands = () if is_stated else _identity_wishes(course, request)
    texts, times = (
        draw.shuffled(list(with_listed_sentences(clause.on))),
        stated.number(clause.times) if is_stated else 1,
    )
    asked = yield Say(wishes=(Wish(clause.transfer), *demands), remark=Remark("asks_for", None, texts[0]))
    call = Call(clause.transfer, {}, (asked.id, 0))
    for turn in range(1, times):
        form = draw.choice(with_listed_sentences(clause.first))
        yield Tell(about=(), how="put_off", wish=call.serves, ruled=Ruled(call, form))
        yield Say(remark=Remark("asks_for", call.serves, texts[turn]))
    course.is_over = True
    if not is_stated and clause.otherwise:
        form = draw.choice(clause.otherwise)
        yield Tell(about=(), how="put_off", wish=call.serves, ruled=Ruled(call, form))
        return
    yield from _identify(course, asked, 1, demands)
    done = yield Step(calls=(call,))
    if is_stated:
        ruled = Ruled(call, draw.choice(clause.says))
        yield Tell(about=(), how="handed_over", wish=call.serves, ruled=ruled)
    else:
        yield tell(done)


def _hand_over(course: Course, tool: str, call: Call, asked: Say) -> Events:
    """Yield the call that hands the conversation over, with the number of what it is about where the tool takes one."""
    place = next(place for place, wish in enumerate(asked.wishes) if wish.demanded and wish.tool == tool)
    refs = [ref for ref in call.args.values() if isinstance(ref, Ref) and ref.pick is not None]
    slots = [escape(name) for name in course.scene.toolkit.toolbox[tool].properties][:1]
    args: dict[str, Ref] = {
        slot: msgspec.structs.replace(ref, because=None, pick=None) for slot, ref in zip(slots, refs, strict=False)
    }
    yield Step(calls=(Call(tool, args, (asked.id, place)),))
    course.is_over = True


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
