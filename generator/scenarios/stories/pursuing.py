"""One goal of a story: the user asks for it, and the clauses of the policy and the world decide what comes of it."""

from collections.abc import Generator, Sequence
from typing import Any

import msgspec

from generator.errors import CannotFillError
from generator.planning import HERE, Call, Meant, Origin, Ref, Say, Step, Wish
from generator.planning import Ask as Asking
from generator.planning import Tell as Telling
from generator.pointers import escape
from generator.policies import Ask, Eligible, Identity, OneByOne, Order, Policy, Rules, Tell
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene, at_once, tell
from generator.scenarios.service.course import Course as Desk
from generator.scenarios.service.replies import propose, refuse
from generator.scenarios.service.requests import Request, _value_for
from generator.scenarios.service.ruling import Matter, ruled_out, to_confirm
from generator.scenarios.service.under_policy import _ask, _identify, _identity, _same_thing, _to_ask, _transfers
from generator.scenarios.stories.course import Course, Settled
from generator.scenarios.stories.drafting import Draft
from generator.stories import Goal

_NO_RULES = Rules(policy=Policy(policy="none", serves=("none",), clauses=()), clauses=(), text="")
"""Of a conversation under no policy."""


def desk_of(scene: Scene) -> Desk:
    """Return the row's policy, before anything has happened."""
    rules = scene.rules or _NO_RULES
    known = rules.policy_in_full.of(Identity)
    return Desk(scene, rules, scene.wish(known[0].clause.identity) if known else None, [])


def pursue(course: Course, goal: Goal, drafts: Sequence[Draft]) -> Events:
    """Yield what the user wants with one message, and all that comes of it; note it."""
    desk, last = course.desk, drafts[-1]
    wishes = course.wishes(drafts)
    looks_up = last.tool in course.scene.toolkit.look_ups
    person = _identity(desk, looks_up=looks_up)
    demands = (*person, *_demanded(desk, last.tool))
    asked = yield Say(wishes=(*wishes, *demands))
    course.hear(asked, drafts)
    yield from _identify(desk, asked, len(wishes), person)
    given = yield from _missing(course, drafts, asked)
    final = len(wishes) - len(last.said)
    is_chain = any(isinstance(one, Meant) and one.source.event == HERE for wish in wishes for one in wish.meant.values())
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
    wanted += [stated.clause.transfer for stated in _transfers(desk, tool)]
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


def _make(course: Course, calls: Sequence[Call]) -> Generator[Any, Any, list[Step]]:
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
    course.steps += steps
    course.desk.made += [call.name for step in steps for call in step.made]
    return steps


def _several(course: Course, goal: Goal, drafts: Sequence[Draft], asked: Say, numbers: range) -> Events:
    """Yield several calls that no clause forbids, and their results."""
    for number in numbers:
        tool = asked.wishes[number].tool
        matter = _matter(course, tool, {}, {})
        spoken_of = [one for one in course.desk.rules.clauses if tool in one.clause.tools]
        if spoken_of or to_confirm(course.desk.rules, matter) is not None:
            raise CannotFillError(f"a clause is about {tool}, which is called several times")
    steps = yield from _make(course, [course.settled(asked, number).call for number in numbers])
    course.note(goal, drafts)
    yield tell(*steps)


def _one(course: Course, goal: Goal, drafts: Sequence[Draft], asked: Say, given: dict[str, Ref]) -> Events:
    """Yield what the clauses make of one call: looked up, refused, handed over, proposed or made."""
    desk, last = course.desk, drafts[-1]
    number = sum(len(draft.said) for draft in drafts) - 1
    one = course.settled(asked, number)
    call = msgspec.structs.replace(one.call, args={**one.call.args, **given})
    args = {**one.args, **{name: last.withheld[name] for name in last.withheld}, **last.held}
    things, places = yield from _look(course, asked, call, one)
    matter = _matter(course, last.tool, args, things)
    stated = ruled_out(desk.rules, matter)
    if stated is None:
        optional = _optional(course, last.tool, args)
        for clause in _to_ask(desk, call, Request(wishes=asked.wishes, withheld=optional)):
            call = yield from _ask(call, clause.slot, optional[clause.slot])
            matter = msgspec.structs.replace(matter, args={**matter.args, clause.slot: optional[clause.slot]})
        stated = ruled_out(desk.rules, matter)
    if stated is not None:
        yield from refuse(desk, stated, call, places, asked)
        course.note(goal, drafts, refused=True)
        return
    confirmed = to_confirm(desk.rules, matter)
    agreed = call if confirmed is None else (yield from propose(desk, confirmed.clause, call, places, matter))
    if agreed is None:
        yield Telling(about=(), how="not_done", wish=call.serves)
        course.note(goal, drafts, left=True)
        return
    (done,) = yield from _make(course, [agreed])
    fields = [field for one in desk.rules.of(Tell) if one.clause.tell == last.tool for field in one.clause.fields]
    yield msgspec.structs.replace(tell(done), fields=tuple(fields))
    course.note(goal, drafts, done=True)


def _look(
    course: Course, asked: Say, call: Call, one: Settled
) -> Generator[Any, Any, tuple[dict[str, Any], dict[str, tuple[int, str]]]]:
    """Yield the look-ups of the thing that clauses demand before a call; return what is known of it, and where that stands."""
    things, places = dict(one.things), {tool: (event, at) for tool, (event, of, at) in one.places.items() if not of}
    for place, wish in enumerate(asked.wishes):
        is_look_up = wish.demanded and course.scene.toolkit.toolbox[wish.tool].looks_up
        if not is_look_up or wish.tool in things or wish.tool == (course.desk.person and course.desk.person.tool):
            continue
        args = _same_thing(course.desk, wish.tool, call)
        before = _seen_before(course, wish.tool, args, call)
        if before is None:
            (before,) = yield from _make(course, [Call(wish.tool, args, (asked.id, place))])
        things[wish.tool], places[wish.tool] = before.outcomes[0].value, (before.id, "")
    return things, places


def _seen_before(course: Course, tool: str, args: dict[str, Origin], call: Call) -> Step | None:
    """Return the step in which just this has been looked up already, with nothing changed since."""
    look_ups = course.scene.toolkit.look_ups
    for step in reversed(course.steps):
        if any(made.name not in look_ups for made in step.made):
            return None
        own = [one for one in step.calls if one.tool == tool]
        if len(step.calls) == 1 and own and all(_is_same(own[0].args.get(slot), ref) for slot, ref in args.items()):
            return step
    return None


def _is_same(one: Any, other: Any) -> bool:
    return isinstance(one, Ref) and isinstance(other, Ref) and (one.event, one.of, one.at) == (other.event, other.of, other.at)


def _matter(course: Course, tool: str, args: dict[str, Any], things: dict[str, Any]) -> Matter:
    return Matter(
        tool=tool,
        args=args,
        things=things,
        today=course.scene.draw.today.isoformat(),
        looks_up=tool in course.scene.toolkit.look_ups,
        made=course.desk.made,
    )


def _optional(course: Course, tool: str, args: dict[str, Any]) -> dict[str, Any]:
    """Return values for the optional arguments that clauses want asked for."""
    found: dict[str, Any] = {}
    for stated in course.desk.rules.of(Ask):
        slot = stated.clause.slot
        if stated.clause.tools[0] == tool and slot not in args:
            value = _value_for(course.scene, tool, slot)
            if value is not None:
                found[slot] = value
    return found
