"""How far a conversation under a policy has come."""

import sys
from collections.abc import Iterable
from typing import Any

import msgspec
import orjson

from generator.core.errors import CannotFillError
from generator.core.planning import PlannedFailure, Step, Wish
from generator.core.profiles import ERROR
from generator.core.seeds import Draw, stream_seed
from generator.scenarios.policies.clauses import Identity, Whose
from generator.scenarios.policies.compliance.transcript import MadeCall, Transcript
from generator.scenarios.policies.stated import Rules, Stated
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene

_WRONG = (0,) * 24 + (1, 1, 2)
"""How many wrong answers a user gives to the question who they are, where the look-up can fail."""


NEXT = sys.maxsize
"""Where a call stands that would be made next."""


def so_far(scene: Scene, rules: Rules, calls: Iterable[MadeCall]) -> Transcript:
    """Return a conversation in which calls have been made, for the checker to say what some clauses make of the next one."""
    today = scene.draw.today.isoformat()
    return Transcript((), scene.toolkit.toolbox, rules.clauses, today, tuple(calls))


def call_as_it_is_now(scene: Scene, tool: str, args: dict[str, Any]) -> MadeCall:
    """Return a call, which is not made, with the result that it would have now."""
    outcome = scene.peek(tool, args)
    return MadeCall(tool, args, NEXT - 1, NEXT - 1, outcome.value, not outcome.ok)


class Course(msgspec.Struct):
    """How far a conversation has come."""

    scene: Scene
    rules: Rules
    person: MadeCall | None = None
    """What would find who the user is, if the policy has a clause about that."""
    wrong: list[str] = []
    """What the user says first when asked for that, and what leads to nobody."""
    calls: list[MadeCall] = []
    named: list[str] = []
    """Who was named first in what the user wants, if somebody was."""
    has_insisted: bool = False
    """Whether the user has insisted on what was refused: nobody does that again and again."""
    is_over: bool = False
    """Whether the conversation has been handed over."""

    @property
    def so_far(self) -> Transcript:
        """The conversation up to now, as its checker reads it."""
        return so_far(self.scene, self.rules, self.calls)

    def states(self, stated: Stated) -> bool:
        """Whether the row states a clause."""
        return any(one.place == stated.place for one in self.rules.clauses)

    def with_calls_noted(self, script: Events) -> Events:
        """Yield the events of a script and note the calls; raises CannotFillError where one fails that was not planned to."""
        event = next(script, None)
        while event is not None:
            done = yield event
            if isinstance(done, Step):
                for made, outcome in zip(done.made, done.outcomes, strict=True):
                    is_planned = any(
                        (one.tool, one.arguments) == (made.name, made.arguments) for one in self.scene.faults
                    )
                    if not outcome.ok and not is_planned:
                        raise CannotFillError(f"{made.name} answers: {outcome.content[:200]}")
                    self.calls.append(
                        MadeCall(made.name, made.arguments, done.id, done.id, outcome.value, not outcome.ok)
                    )
            try:
                event = script.send(done)
            except StopIteration:
                return


def begin(scene: Scene, rules: Rules) -> Course:
    """Return the course of a conversation that has not begun."""
    course = Course(scene, rules)
    found = rules.policy_in_full.of(Identity, Whose)
    if found:
        clause = found[0].clause
        wish = scene.wish(clause.identity if isinstance(clause, Identity) else clause.by)
        person = course.person = call_as_it_is_now(scene, wish.tool, wish.said)
        if person.failed:
            raise CannotFillError(f"{person.tool} fails")
        if isinstance(clause, Identity):
            course.wrong = _wrong_answers(scene, wish, clause.by, scene.draw.choice(_WRONG))
            content = _content_of_failure(clause.error, scene.toolkit.toolbox[person.tool].domain)
            scene.faults.extend([PlannedFailure(person.tool, {clause.by: one}, content) for one in course.wrong])
    return course


def _wrong_answers(scene: Scene, person: Wish, slot: str, times: int) -> list[str]:
    """Return what leads to nobody: the right address mistyped, or, if there are several, what the user has with other companies."""
    right = person.said[slot]
    name, _, own = right.partition("@")
    if times < 2 or not own:  # nobody mistypes it again and again
        return [misspelt(right, scene.draw) for _ in range(min(times, 1))]
    others = {scene.another(person, slot).partition("@")[2] for _ in range(_OTHERS)} - {own}
    return [f"{name}@{domain}" for domain in scene.draw.shuffled(sorted(others))[:times]]


def _content_of_failure(say: str, domain: str) -> str:
    """Return the content of a failed call. Tools of one domain belong to one server, so their errors have one shape."""
    code = "not_found"
    shapes = (
        {"error": code, "message": say},
        {"error": {"code": code, "message": say}},
        {"status": "error", "message": say},
    )
    number = stream_seed("errors of", domain) % (len(shapes) + 1)
    return orjson.dumps(shapes[number]).decode() if number < len(shapes) else ERROR + say


_OTHERS = 6


def misspelt(text: str, draw: Draw) -> str:
    """Return a text with a letter left out or two in the wrong order."""
    name = text.partition("@")[0]  # another domain would be somebody's
    at = draw.choice([at for at in range(len(name) - 1) if name[at].isalpha() and name[at + 1].isalpha()])
    first, second = text[at], text[at + 1]
    return text[:at] + (second if draw.chance(0.5) and second != first else "") + first + text[at + 2 :]
