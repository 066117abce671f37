"""How far a conversation under a policy has come."""

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from generator.core.errors import CannotFillError
from generator.core.planning import PlannedFailure, Step, Wish
from generator.core.profiles import ERROR
from generator.core.seeds import Draw, stream_seed
from generator.scenarios.policies import Identity, Rules, Stated, Whose
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene
from generator.scenarios.service.ruling import Matter

_WRONG = (0,) * 24 + (1, 1, 2)
"""How many wrong answers a user gives to the question who they are, where the look-up can fail."""


class Course(msgspec.Struct):
    """How far a conversation has come."""

    scene: Scene
    rules: Rules
    person: Wish | None
    """What would find who the user is, if the policy has a clause about that."""
    wrong: list[str]
    """What the user says first when asked for that, and what leads to nobody."""
    made: list[str] = []
    """The tools that have been called with success."""
    who: Mapping[str, Any] = {}
    """Who the user is, as the look-up has it; empty until it has been made."""
    has_insisted: bool = False
    """Whether the user has insisted on what was refused: nobody does that again and again."""
    is_over: bool = False
    """Whether the conversation has been handed over."""

    def states(self, stated: Stated) -> bool:
        """Whether the row states a clause."""
        return any(one.place == stated.place for one in self.rules.clauses)

    def matter(self, wish: Wish, args: dict[str, Any], things: dict[str, dict[str, Any]]) -> Matter:
        """Return what clauses decide about: a call for a wish, with what look-ups have told of its things."""
        return Matter(
            tool=wish.tool,
            args=args,
            things=things,
            today=self.scene.draw.today.isoformat(),
            looks_up=wish.tool in self.scene.toolkit.look_ups,
            made=self.made,
            who=self.who,
            wish=wish,
        )


def begin(scene: Scene, rules: Rules) -> tuple[Course, Mapping[str, Any]]:
    """Return the course of a conversation that has not begun, and who the user is."""
    found = rules.policy_in_full.of(Identity, Whose)
    if not found:
        return Course(scene, rules, None, []), {}
    clause = found[0].clause
    person = scene.wish(clause.identity if isinstance(clause, Identity) else clause.by)
    outcome = scene.peek(person.tool, person.said)
    if not outcome.ok:
        raise CannotFillError(f"{person.tool} fails")
    wrong: list[str] = []
    if isinstance(clause, Identity):
        wrong = _wrong_answers(scene, person, clause.by, scene.draw.choice(_WRONG))
        domain = scene.toolkit.toolbox[person.tool].domain
        content = _failure(clause.error, domain)
        scene.faults.extend([PlannedFailure(person.tool, {clause.by: one}, content) for one in wrong])
    return Course(scene, rules, person, wrong), outcome.value


def _wrong_answers(scene: Scene, person: Wish, slot: str, times: int) -> list[str]:
    """Return what leads to nobody: the right address mistyped, or, if there are several, what the user has with other companies."""
    right = person.said[slot]
    name, _, own = right.partition("@")
    if times < 2 or not own:  # nobody mistypes it again and again
        return [misspelt(right, scene.draw) for _ in range(min(times, 1))]
    others = {scene.another(person, slot).partition("@")[2] for _ in range(_OTHERS)} - {own}
    return [f"{name}@{domain}" for domain in scene.draw.shuffled(sorted(others))[:times]]


def _failure(say: str, domain: str) -> str:
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


def kept_to(script: Events, faults: list[PlannedFailure]) -> Events:
    """Yield the events of a script; raises CannotFillError where a call fails that was not planned to."""
    event = next(script, None)
    while event is not None:
        done = yield event
        if isinstance(done, Step):
            for made, outcome in zip(done.made, done.outcomes, strict=True):
                is_planned = any((one.tool, one.arguments) == (made.name, made.arguments) for one in faults)
                if not outcome.ok and not is_planned:
                    raise CannotFillError(f"{made.name} answers: {outcome.content[:200]}")
        try:
            event = script.send(done)
        except StopIteration:
            return
