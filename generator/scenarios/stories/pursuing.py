"""One goal of a story: the user asks for it, and the clauses of the policy and the world decide what comes of it."""

from collections.abc import Generator, Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Call, Meant, Ref, Say, Step, Wish
from generator.core.planning import Ask as Asking
from generator.core.planning import Tell as Telling
from generator.core.pointers import escape
from generator.core.values import same
from generator.scenarios.affordances.filters import finds
from generator.scenarios.goals import Goal
from generator.scenarios.policies import Amount, Ask, Eligible, Hide, OneByOne, Order, Policy, Rules, Scope, Tell
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene
from generator.scenarios.service.course import Course as Desk
from generator.scenarios.service.course import begin
from generator.scenarios.service.identifying import identify, identity_wishes
from generator.scenarios.service.replies import Places, propose, refuse
from generator.scenarios.service.requests import Request, value_for
from generator.scenarios.service.ruling import Matter, ruled_out, to_confirm
from generator.scenarios.service.under_policy import ask_for, same_thing, to_ask, transfers_of, with_amount
from generator.scenarios.serving import at_once, tell, tell_failed
from generator.scenarios.stories.course import Course, Things
from generator.scenarios.stories.drafting import Draft

_NO_RULES = Rules(policy=Policy(policy="none", serves=("none",), clauses=()), clauses=(), text="")
"""Of a conversation under no policy."""


def desk_of(scene: Scene) -> Desk:
    """Return the row's policy, before anything has happened."""
    return begin(scene, scene.rules or _NO_RULES)[0]


def pursue(course: Course, goal: Goal, drafts: Sequence[Draft]) -> Events:
    """Yield what the user wants with one message, and all that comes of it; note it."""
    drafts = course.with_old_values(drafts)
    desk, last = course.desk, drafts[-1]
    wishes = course.wishes(drafts)
    outside = next((one for one in desk.rules.of(Scope) if last.tool not in one.clause.scope), None)
    is_open = len(wishes) > 1 or any(wish.meant for wish in wishes)
    person = identity_wishes(desk, Request(wishes=tuple(wishes), is_pair=is_open)) if outside is None else ()
    asked = yield Say(wishes=(*wishes, *person, *(_demanded(desk, last.tool) if outside is None else ())))
    course.hear(asked, drafts)
    yield from identify(desk, asked, len(wishes), person)
    if outside is not None:
        call = course.settled(asked, len(wishes) - 1).call
        yield from refuse(desk, outside, call, course.told_of(last.tool, {})[1], asked)
    if outside is not None or desk.is_over:
        course.note(goal, drafts, refused=True)
        return
    given = yield from _missing(course, drafts, asked)
    final = len(wishes) - len(last.said)
    is_chain = any(
        isinstance(one, Meant) and one.source.event == HERE for wish in wishes for one in wish.meant.values()
    )
    if final and is_chain:
        yield from _make(course, [course.settled(asked, number).call for number in range(final)])
        final_first = final
    else:
        final_first = 0
    if len(wishes) - final_first > 1 or last.want.each:
        yield from _several(course, goal, drafts, asked, range(final_first, len(wishes)))
    else:
        yield from _one(course, goal, drafts, asked, given)


def _demanded(desk: Desk, tool: str) -> tuple[Wish, ...]:
    """Return the look-ups and hand-overs that clauses may demand for a call of a tool."""
    wanted = [stated.clause.order[0] for stated in desk.rules.of(Order) if stated.clause.order[1] == tool]
    wanted += [stated.clause.seen for stated in desk.rules.of(Eligible) if stated.clause.eligible == tool]
    wanted += [stated.clause.transfer for stated in transfers_of(desk, tool)]
    return tuple([Wish(name, demanded=True) for name in dict.fromkeys(wanted)])


def _missing(course: Course, drafts: Sequence[Draft], asked: Say) -> Generator[Any, Any, dict[str, Ref]]:
    """Yield a question for each required argument of the last want that the user has not said; return where they are said."""
    given: dict[str, Ref] = {}
    if any(draft.withheld for draft in drafts[:-1]) or (drafts[-1].withheld and len(drafts[-1].said) > 1):
        raise CannotFillError("nobody says what belongs to which call")
    number = sum(len(draft.said) for draft in drafts) - 1
    for name, value in drafts[-1].withheld.items():
        slot = escape(name)
        ask = yield Asking(wish=(asked.id, number), slot=slot)
        reply = yield Say(to=ask.id, wishes=(Wish(drafts[-1].tool, {name: value}),))
        given[slot] = Ref(reply.id, 0, slot)
    course.served[drafts[-1].tool].said.update(given)
    return given


def _make(course: Course, calls: Sequence[Call], *, may_fail: bool = False) -> Generator[Any, Any, list[Step]]:
    """Yield calls made at once, or one by one where a clause wants that; return the steps."""
    look_ups = course.scene.toolkit.look_ups
    apart = any(
        stated.clause.covers(looks_up=call.tool in look_ups)
        for stated in course.desk.rules.of(OneByOne)
        for call in calls
    )
    steps: list[Step] = []
    for part in [(call,) for call in calls] if apart else [at_once(calls, course.scene.draw)]:
        done = yield Step(calls=part)
        steps.append(done)
        _check(course, done, may_fail=may_fail)
        course.steps.append(done)
    course.desk.made += [
        call.name for step in steps for call, outcome in zip(step.made, step.outcomes, strict=True) if outcome.ok
    ]
    return steps


def _check(course: Course, done: Step, *, may_fail: bool) -> None:
    """Raise CannotFillError for a call that fails and may not, and for a look-up that has been made before, with nothing changed since."""
    failed = [outcome.content for outcome in done.outcomes if not outcome.ok]
    if failed and not may_fail:
        raise CannotFillError(failed[0][:200])
    look_ups = course.scene.toolkit.look_ups
    for made in done.made:
        for step in reversed(course.steps):
            if any(one.name not in look_ups for one in step.made):
                break
            if any(one.name == made.name and same(one.arguments, made.arguments) for one in step.made):
                raise CannotFillError(f"{made.name} is asked for twice")


def _several(course: Course, goal: Goal, drafts: Sequence[Draft], asked: Say, numbers: range) -> Events:
    """Yield several calls that no clause forbids, and their results."""
    for number in numbers:
        tool = asked.wishes[number].tool
        matter = course.desk.matter(asked.wishes[number], {}, {})
        spoken_of = [one for one in course.desk.rules.clauses if tool in one.clause.tools]
        if spoken_of or to_confirm(course.desk.rules, matter) is not None:
            raise CannotFillError(f"a clause is about {tool}, which is called several times")
    steps = yield from _make(course, [course.settled(asked, number).call for number in numbers])
    course.note(goal, drafts, done=True)
    yield tell(*steps)


def _one(course: Course, goal: Goal, drafts: Sequence[Draft], asked: Say, given: dict[str, Ref]) -> Events:
    """Yield what the clauses make of one call: looked up, refused, handed over, proposed or made."""
    desk, last = course.desk, drafts[-1]
    number = sum(len(draft.said) for draft in drafts) - 1
    one = course.settled(asked, number)
    call = msgspec.structs.replace(one.call, args={**one.call.args, **given})
    args = {**one.args, **{name: last.withheld[name] for name in last.withheld}, **last.held}
    course.check_changes(last.tool, args)
    things, places = yield from _look(course, asked, call, args)
    matter = desk.matter(asked.wishes[number], args, things)
    for computed in desk.rules.of(Amount):
        if computed.clause.tools[0] == matter.tool and computed.clause.slot not in matter.args:
            call, matter = with_amount(computed, call, matter)
    stated = ruled_out(desk.rules, matter)
    if stated is None:
        optional = _optional(course, last, args)
        for clause in to_ask(desk, call, Request(wishes=asked.wishes, withheld=optional)):
            call = yield from ask_for(call, clause.slot, optional[clause.slot])
            matter = msgspec.structs.replace(matter, args={**matter.args, clause.slot: optional[clause.slot]})
        stated = ruled_out(desk.rules, matter)
    if stated is not None:
        yield from refuse(desk, stated, call, places, asked)
        course.left.append((last.tool, matter.args))
        course.note(goal, drafts, refused=True)
        return
    agreed = yield from _agreed(desk, call, places, matter)
    if agreed is None:
        yield Telling(about=(), how="not_done", wish=call.serves)
        course.left.append((last.tool, matter.args))
        course.note(goal, drafts, left=True)
        return
    (done,) = yield from _make(course, [agreed], may_fail=not matter.looks_up)
    if not done.outcomes[0].ok:
        yield tell_failed(done)
        course.left.append((last.tool, matter.args))
        course.note(goal, drafts, failed=True)
        return
    yield _report(course, last, done)
    course.note(goal, drafts, done=True)


def _report(course: Course, last: Draft, done: Step) -> Telling:
    """Return what is told of a call that succeeded: that nothing was found, or what was, with the fields that clauses and the story ask for."""
    rules = course.desk.rules
    is_empty = not finds(course.scene.toolkit.toolbox[last.tool], done.outcomes[0])
    if last.is_empty and not is_empty:
        raise CannotFillError(f"{last.tool} finds something that another search has put there")
    if is_empty:
        return Telling(about=((done.id, 0),), how="empty")
    fields = [field for one in rules.of(Tell) if one.clause.tell == last.tool for field in one.clause.fields]
    hidden = [one.clause.field for one in rules.of(Hide) if one.clause.hide == last.tool]
    fields = [*dict.fromkeys((*last.want.tell, *fields))]
    return msgspec.structs.replace(tell(done), fields=tuple(fields), kept_back=tuple(hidden))


def _agreed(desk: Desk, call: Call, places: Places, matter: Matter) -> Generator[Any, Any, Call | None]:
    """Yield a proposal of a call where a clause wants one; return the call as the user wants it, or None."""
    confirmed = to_confirm(desk.rules, matter)
    if confirmed is None:
        return call
    agreed: Call | None = yield from propose(desk, confirmed.clause, call, places, matter, is_settled=True)
    return agreed


def _look(course: Course, asked: Say, call: Call, args: dict[str, Any]) -> Generator[Any, Any, tuple[Things, Places]]:
    """Yield the look-ups of the thing that clauses demand before a call; return what is known of it, and where that stands."""
    person = course.desk.person
    things, places = course.told_of(call.tool, args)
    for place, wish in enumerate(asked.wishes):
        is_look_up = wish.demanded and course.scene.toolkit.toolbox[wish.tool].looks_up
        if is_look_up and wish.tool not in things and (person is None or wish.tool != person.tool):
            yield from _make(course, [Call(wish.tool, same_thing(course.desk, wish.tool, call), (asked.id, place))])
            things, places = course.told_of(call.tool, args)
    return things, places


def _optional(course: Course, draft: Draft, args: dict[str, Any]) -> dict[str, Any]:
    """Return values for the optional arguments that clauses want asked for: those that the story has for them, or any."""
    found: dict[str, Any] = {}
    for stated in course.desk.rules.of(Ask):
        slot = stated.clause.slot
        if stated.clause.tools[0] == draft.tool and slot not in args:
            own = draft.want.asked.get(slot)
            own = course.scene.draw.choice(own) if isinstance(own, list) else own
            value = value_for(course.scene, draft.tool, slot) if own is None else own
            if value is not None:
                found[slot] = value
    return found
