"""What follows in place of a call: a proposal and what the user says to it, or a refusal and what the user says to that."""

import re
from collections.abc import Generator
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Ask as Asking
from generator.core.planning import Call, Event, Ref, Remark, Ruled, Say, Step, Wish
from generator.core.planning import Tell as Telling
from generator.core.pointers import escape, resolve
from generator.scenarios.affordances.links import can_be_said_alone
from generator.scenarios.policies.clauses import Amount, Confirm, Hide, Identity, Instead, Transfer, Whose
from generator.scenarios.policies.compliance.transcript import PlacedCall
from generator.scenarios.policies.compliance.verdicts import forbidding, verdict
from generator.scenarios.policies.sentences import listed, refusals_of
from generator.scenarios.policies.stated import Stated
from generator.scenarios.scenario import Events, serve, tell
from generator.scenarios.service.course import NEXT, Course, so_far
from generator.scenarios.service.requests import Request


def identity_wishes(course: Course, request: Request) -> tuple[Wish, ...]:
    """Return the look-ups of the user, if a clause demands them before this call, with the tool that hands over in their end."""
    wish, person = request.wishes[-1], course.person
    call = PlacedCall(wish.tool, wish.said, NEXT)
    wanting = [one for one in course.rules.of(Identity, Whose) if verdict(one, course.so_far, call) is None]
    if person is None or not wanting:
        return ()
    ((_, right),) = person.args.items()
    if any(right in str(one.said) for one in request.wishes):  # who has just written the address knows it
        course.wrong = []
    look_up = Wish(person.tool, demanded=True)
    stated = _identity(course)
    if stated is None or not stated.clause.tries:
        return (look_up,) * (len(course.wrong) + 1)
    tries = stated.number(stated.clause.tries)
    # what is wanted may not be clear yet: then it cannot be refused
    course.wrong = course.wrong[: tries - 1 if request.edge is not None or request.is_pair else tries]
    if len(course.wrong) < tries:
        return (look_up,) * (len(course.wrong) + 1)
    return (*(look_up,) * tries, Wish(stated.clause.transfer, demanded=True))


def _identity(course: Course) -> Stated | None:
    """Return the clause that wants to know who the user is; None where the row states none."""
    return next(iter(course.rules.of(Identity)), None)


def identify(course: Course, asked: Say, place: int, demands: tuple[Wish, ...]) -> Events:
    """Yield the question who the user is, the answer, and the look-up, until that finds somebody or there are no more tries."""
    if not demands or course.person is None:
        return
    ((slot, right),) = course.person.args.items()
    for number, wish in enumerate(demands, start=place):
        if wish.tool != course.person.tool:
            yield from _give_up(course, asked, number, wish.tool)
            return
        value = course.wrong.pop(0) if course.wrong else right
        ask = yield Asking(wish=(asked.id, number), slot=slot)
        reply = yield Say(to=ask.id, wishes=(Wish(wish.tool, {slot: value}),))
        done = yield Step(calls=(Call(wish.tool, {slot: Ref(reply.id, 0, slot)}, (asked.id, number)),))
        if value != right:
            yield Telling(about=((done.id, 0),), how="failed")


def _give_up(course: Course, asked: Say, number: int, tool: str) -> Events:
    """Yield the call that hands over after too many answers that lead to nobody."""
    stated = _identity(course)
    assert stated is not None
    yield Step(calls=(Call(tool, {}, (asked.id, number)),))
    call = serve(asked, 0)
    ruled = Ruled(call, course.scene.draw.choice(stated.clause.says))
    yield Telling(about=(), how="ruled_out", wish=call.serves, ruled=ruled)
    course.is_over = True


_YES = 0.92
"""How often users agree to what is proposed."""
_UNSURE, _CHANGED = 0.07, 0.09
"""How often they first say neither yes nor no, and how often they want one value changed."""
_INSISTING = (1, 1, 1, 2)
"""How many times they do."""
_TRIES = 4
Places = dict[str, tuple[int, str]]
"""By look-up: its `Step`, and the pointer to the thing in its result."""


def propose(
    course: Course, clause: Confirm, call: Call, places: Places, wish: Wish, target: PlacedCall
) -> Generator[Event, Any, Call | None]:
    """Yield what the call is about, the question whether to make it, and the reply; return the call that the user agrees to, or None.

    Who hesitates is given time, and decides.
    """
    forms, draw = clause.says.get(call.tool, ()), course.scene.draw
    if forms and places:
        event, at = next(iter(places.values()))
        yield Telling(about=((event, 0),), how="shown", wish=call.serves, ruled=Ruled(call, draw.choice(forms), at))
    ask = yield Asking(wish=call.serves, call=call)
    change = None
    if draw.chance(_UNSURE):
        yield Say(to=ask.id, remark=Remark("unsure", call.serves))
        yield Telling(about=(), how="patient", wish=call.serves)
    elif draw.chance(_CHANGED):
        change = _change(course, wish, target)
    if change is not None:
        (slot,) = change
        reply = yield Say(to=ask.id, yes=True, wishes=(Wish(call.tool, change),))
        call = msgspec.structs.replace(call, args={**call.args, slot: Ref(reply.id, 0, slot)})
        ask = yield Asking(wish=call.serves, call=call, again=True)
    is_let = change is not None or draw.chance(_YES)
    yield Say(to=ask.id, yes=is_let)
    return call if is_let else None


def _change(course: Course, wish: Wish, target: PlacedCall) -> dict[str, Any] | None:
    """Return another value for an argument that the user has said, with which no clause of the policy forbids the call."""
    scene = course.scene
    if wish.tool in [one.clause.tools[0] for one in course.rules.of(Amount)]:  # what is computed would change, too
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


def refuse(course: Course, stated: Stated, call: Call, places: Places, asked: Say) -> Events:
    """Yield why a call is not made, and what is offered in its place; or the call that hands over."""
    clause, draw = stated.clause, course.scene.draw
    if isinstance(clause, Transfer):
        yield from hand_over(course, clause.transfer, call, asked)
    seen = getattr(clause, "seen", "")
    event, at = places[seen] if seen in places else next(iter(places.values()), (None, ""))
    about = () if event is None else ((event, 0),)
    texts = list(draw.shuffled(list(clause.says if isinstance(clause, Transfer) else refusals_of(clause))))
    ruled = Ruled(call, stated.filled(texts[0]), at)
    yield Telling(about=about, how="ruled_out", wish=call.serves, ruled=ruled)
    if course.is_over:
        return
    offers = [one for one in course.rules.of(Instead) if one.clause.follows(clause)]
    if offers:
        form = offers[0].filled(draw.choice(offers[0].clause.offer))
        yield Telling(about=about, how="instead", wish=call.serves, ruled=Ruled(call, form, at))
    if not course.has_insisted and draw.chance(course.scene.persona.insists):
        course.has_insisted = True
        for turn in range(draw.choice(_INSISTING)):
            words = [stated.filled(text) for text in clause.push]
            text = draw.choice(words) if words and not turn else ""
            yield Say(remark=Remark("insists", call.serves, text))
            form = stated.filled(texts[turn + 1]) if turn + 1 < len(texts) else ""
            yield Telling(about=about, how="ruled_out", wish=call.serves, ruled=Ruled(call, form, at), again=True)


_ASKED_OF = 0.3
"""How often the user asks for a field that a clause of the policy hides, where one has been found."""


def ask_of(course: Course, found: Step, at: str) -> Events:
    """Yield the user's question for a field that a clause hides, of the thing that has been found, and the answer."""
    (call,), draw = found.calls, course.scene.draw
    for stated in course.rules.policy_in_full.of(Hide):
        clause, thing = stated.clause, resolve(found.outcomes[0].value, at)
        if clause.hide != call.tool or thing.get(clause.field) is None or not draw.chance(_ASKED_OF):
            continue
        yield Say(remark=Remark("asks_of", call.serves, draw.choice(clause.asks)))
        is_hidden = course.states(stated)
        form, about = draw.choice(refusals_of(clause) if is_hidden else clause.tells), ((found.id, 0),)
        how = "kept_back" if is_hidden else "told"
        yield Telling(about=about, how=how, wish=call.serves, ruled=Ruled(call, stated.filled(form), at))


def hand_over_for(course: Course, request: Request) -> Events:
    """Yield what the user says because of which a clause hands over, so often as it wants that, and the call.

    Where the row does not state the clause, the assistant hands over at once, or says what else is to be done.
    """
    stated = request.asks
    assert stated is not None
    clause, draw, is_stated = stated.clause, course.scene.draw, course.states(stated)
    demands = () if is_stated else identity_wishes(course, request)
    texts, times = draw.shuffled(list(listed(clause.on))), stated.number(clause.times) if is_stated else 1
    asked = yield Say(wishes=(Wish(clause.transfer), *demands), remark=Remark("asks_for", None, texts[0]))
    call = Call(clause.transfer, {}, (asked.id, 0))
    for turn in range(1, times):
        form = draw.choice(listed(clause.first))
        yield Telling(about=(), how="put_off", wish=call.serves, ruled=Ruled(call, form))
        yield Say(remark=Remark("asks_for", call.serves, texts[turn]))
    course.is_over = True
    if not is_stated and clause.otherwise:
        form = draw.choice(clause.otherwise)
        yield Telling(about=(), how="put_off", wish=call.serves, ruled=Ruled(call, form))
        return
    yield from identify(course, asked, 1, demands)
    done = yield Step(calls=(call,))
    if is_stated:
        ruled = Ruled(call, draw.choice(clause.says))
        yield Telling(about=(), how="handed_over", wish=call.serves, ruled=ruled)
    else:
        yield tell(done)


def hand_over(course: Course, tool: str, call: Call, asked: Say) -> Events:
    """Yield the call that hands the conversation over, with the number of what it is about where the tool takes one."""
    place = next(place for place, wish in enumerate(asked.wishes) if wish.demanded and wish.tool == tool)
    refs = [ref for ref in call.args.values() if isinstance(ref, Ref) and ref.pick is not None]
    slots = [escape(name) for name in course.scene.toolkit.toolbox[tool].properties][:1]
    args: dict[str, Ref] = {
        slot: msgspec.structs.replace(ref, because=None, pick=None) for slot, ref in zip(slots, refs, strict=False)
    }
    yield Step(calls=(Call(tool, args, (asked.id, place)),))
    course.is_over = True
