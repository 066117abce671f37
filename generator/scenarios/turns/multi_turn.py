"""multi_turn: several requests one after the other, each of its own scenario, about one subject and in one world.

Every part runs to its first event before the first one goes on, so that all that they need is put into the world first.
"""

import re
from collections.abc import Collection
from functools import lru_cache

import msgspec

from generator.core.errors import CannotFillError, PlanError
from generator.core.exact_json import same
from generator.core.planning import Step
from generator.core.toolbox import Toolbox
from generator.scenarios.affordances import Toolkit, compile_toolkit
from generator.scenarios.affordances.goals import InCommon, Purpose
from generator.scenarios.ask_first import ambiguous, clarify
from generator.scenarios.calls import parallel, sequential, single
from generator.scenarios.errors import partial_failure, retry_later
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape, ShapedCall
from generator.scenarios.turns import follow_up

_PARTS = (single, single, clarify, follow_up, parallel, sequential, retry_later, partial_failure, ambiguous)
"""Scenarios to choose from; one that is named several times is chosen that much more often."""
_FEWEST_TOOLS = 3

Subject = tuple[Toolkit, tuple[Scenario, ...], Purpose | None]
"""The tools of one goal or of one file, the scenarios that they allow, and the goal."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {
        tool for part, scenarios, _ in _subjects(toolkit) for scenario in scenarios for tool in scenario.tools(part)
    }


def _events(scene: Scene) -> Events:
    toolkit, scenarios, purpose = scene.draw.choice(_subjects(scene.toolkit))
    common = None if purpose is None else InCommon(purpose, {})
    own = msgspec.structs.replace(scene, toolkit=toolkit, common=common)
    chosen = [scene.draw.choice(scenarios) for _ in range(scene.draw.between(2, 4))]
    parts = [scenario.events(own) for scenario in chosen]
    first = [next(part) for part in parts]
    made: list[Step] = []
    for scenario, part, event in zip(chosen, parts, first, strict=True):
        before = tuple(made)
        while True:
            done = yield event
            if isinstance(done, Step):
                _check(done, scenario, made)
                _check_that_it_is_new(done, before, scene.toolkit)
            try:
                event = part.send(done)
            except StopIteration:
                break


def _check(step: Step, scenario: Scenario, made: list[Step]) -> None:
    """Raise CannotFillError if a call fails that is not meant to, or is asked for a second time."""
    if not scenario.fails and not all(outcome.ok for outcome in step.outcomes):
        raise CannotFillError("a call fails that should go well")
    before = [call for one in made for call in one.made]
    for call, planned in zip(step.made, step.calls, strict=True):
        if planned.mends is None and any(
            call.name == other.name and same(call.arguments, other.arguments) for other in before
        ):
            raise CannotFillError("the same call would be made twice")
    made.append(step)


def _check_that_it_is_new(step: Step, before: tuple[Step, ...], toolkit: Toolkit) -> None:
    """Raise CannotFillError if something is looked up that an earlier request has looked up, only with other filters, or whose results are kept apart from those of an earlier one, or if the same thing is changed again."""
    for call in [call for call in step.made if call.name in toolkit.look_ups]:
        required = [slot for slot in toolkit.toolbox[call.name].required if slot in call.arguments]
        for other in [one for earlier in before for one in earlier.made if one.name in toolkit.look_ups]:
            is_same = all(same(call.arguments[slot], other.arguments.get(slot)) for slot in required)
            if other.name == call.name and required and is_same and _is_described(call.name, toolkit):
                raise CannotFillError("the same would be looked up twice")
            if frozenset((call.name, other.name)) in toolkit.apart:
                raise CannotFillError("the two results would not be of one world")
    changing = [call for call in step.made if call.name not in toolkit.look_ups and _is_described(call.name, toolkit)]
    for call in changing:
        about = next(iter(toolkit.toolbox[call.name].required), "")
        for other in [one for earlier in before for one in earlier.made if one.name == call.name and about]:
            if same(call.arguments.get(about), other.arguments.get(about)):
                raise CannotFillError("the same thing would be changed a second time")


def _is_described(tool: str, toolkit: Toolkit) -> bool:
    """Whether somebody wrote how people ask for it: what they would not ask is known of such tools only."""
    return bool(toolkit.toolbox[tool].phrases.request)


@lru_cache(maxsize=8)
def _subjects(toolkit: Toolkit) -> tuple[Subject, ...]:
    found = _of_goals(toolkit) + _of_files(toolkit)
    return tuple([one for one in found if len(one[0].starters) > 1 and one[1]])


def _of_goals(toolkit: Toolkit) -> list[Subject]:
    """Return the goals of the recipe, each with its tools and those that take something from their results."""
    purposes = {purpose.name: purpose for some in toolkit.purposes.values() for purpose in some}
    found = []
    for purpose in purposes.values():
        used = {edge.target for edge in toolkit.first_edges if edge.source in purpose.slots}
        box = {name: spec for name, spec in toolkit.toolbox.items() if name in purpose.slots or name in used}
        if len(box) >= _FEWEST_TOOLS:
            found.append(_subject(toolkit, box, purpose))
    return found


def _of_files(toolkit: Toolkit) -> list[Subject]:
    domains = dict.fromkeys([spec.domain for spec in toolkit.toolbox.values()])
    boxes = [{name: spec for name, spec in toolkit.toolbox.items() if spec.domain == domain} for domain in domains]
    large = [box for box in boxes if len(box) >= _FEWEST_TOOLS] or [toolkit.toolbox]
    return [_subject(toolkit, box, None) for box in large]


def _subject(toolkit: Toolkit, box: Toolbox, purpose: Purpose | None) -> Subject:
    own = compile_toolkit(box, toolkit.calls, toolkit.steps, facts=toolkit.facts)
    return own, tuple([part.SCENARIO for part in _PARTS if _can_be(part.SCENARIO, own)]), purpose


def _can_be(scenario: Scenario, toolkit: Toolkit) -> bool:
    try:
        return bool(scenario.tools(toolkit))
    except PlanError:
        return False


def _has_requests_of_their_own(shape: ConversationShape) -> bool:
    fresh = {call.turn for step in shape.steps for call in step if _takes_nothing_back(call, shape)}
    return len(fresh) > 1


def _takes_nothing_back(call: ShapedCall, shape: ConversationShape) -> bool:
    """Whether a call takes nothing from before its own request; a question and its reply belong to the request."""
    questions = len(re.findall("UA(?=U)", _up_to(shape.order, call.turn)))
    return min(call.turns, default=call.turn) >= call.turn - (1 if questions else 0)


def _up_to(order: str, turn: int) -> str:
    """Return the order around a turn: the user's message before it, what follows, and its own message."""
    places = [at for at, letter in enumerate(order) if letter == "U"]
    return order[places[max(turn - 2, 0)] : places[turn - 1] + 1]


SCENARIO = Scenario(
    "multi_turn",
    "two to four requests about one subject, each of its own scenario",
    _tools,
    _events,
    (Pattern("(U (A U)? (C{1+})+ A){2+}", also=_has_requests_of_their_own),),
    fails=True,
    needs="two tools that can be asked for by themselves",
)
