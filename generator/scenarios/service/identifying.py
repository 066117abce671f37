"""Who the user is: the question for it, answers that lead to nobody, the look-up, and handing over after too many of them."""

from generator.core.planning import Ask as Asking
from generator.core.planning import Call, Ref, Ruled, Say, Step, Wish
from generator.core.planning import Tell as Telling
from generator.scenarios.policies import Identity, Stated, Whose
from generator.scenarios.scenario import Events
from generator.scenarios.service.course import Course
from generator.scenarios.service.requests import Request
from generator.scenarios.service.ruling import given_at
from generator.scenarios.serving import serve


def identity_wishes(course: Course, request: Request) -> tuple[Wish, ...]:
    """Return the look-ups of the user, if a clause demands them before this call, with the tool that hands over in their end."""
    wish = request.wishes[-1]
    if course.person is None or course.who or not _is_demanded(course, wish):
        return ()
    clause = _clause(course)
    ((_, right),) = course.person.said.items()
    if any(right in str(one.said) for one in request.wishes):  # who has just written the address knows it
        course.wrong = []
    if clause is None or not clause.clause.tries:
        return (Wish(course.person.tool, demanded=True),) * (len(course.wrong) + 1)
    tries = clause.number(clause.clause.tries)
    if request.edge is not None or request.is_pair:  # what is wanted is not clear yet, so it cannot be refused
        course.wrong = course.wrong[: tries - 1]
    if len(course.wrong) < tries:
        return (Wish(course.person.tool, demanded=True),) * (len(course.wrong) + 1)
    course.wrong = course.wrong[:tries]
    return (
        *(Wish(course.person.tool, demanded=True),) * tries,
        Wish(clause.clause.transfer, demanded=True),
    )


def _is_demanded(course: Course, wish: Wish) -> bool:
    looks_up = wish.tool in course.scene.toolkit.look_ups
    return any(one.clause.covers(looks_up=looks_up) for one in course.rules.of(Identity)) or any(
        one.clause.tools[0] == wish.tool and given_at(wish.said, one.clause.slot) is not None
        for one in course.rules.of(Whose)
    )


def _clause(course: Course) -> Stated | None:
    return next(iter(course.rules.of(Identity)), None)


def identify(course: Course, asked: Say, place: int, demands: tuple[Wish, ...]) -> Events:
    """Yield the question who the user is, the answer, and the look-up, until that finds somebody or there are no more tries."""
    if not demands or course.person is None:
        return
    ((slot, right),) = course.person.said.items()
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
        else:
            course.who = done.outcomes[0].value


def _give_up(course: Course, asked: Say, number: int, tool: str) -> Events:
    """Yield the call that hands over after too many answers that lead to nobody."""
    stated = _clause(course)
    assert stated is not None
    yield Step(calls=(Call(tool, {}, (asked.id, number)),))
    call = serve(asked, 0)
    ruled = Ruled(call, course.scene.draw.choice(stated.clause.says))
    yield Telling(about=(), how="ruled_out", wish=call.serves, ruled=ruled)
    course.is_over = True
