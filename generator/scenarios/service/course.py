"""How far a conversation under a policy has come."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import orjson

from generator.core.errors import CannotFillError
from generator.core.planning import PlannedFailure, Step, Wish
from generator.core.pointers import resolve
from generator.core.profiles import ERROR
from generator.core.seeds import Draw, stream_seed
from generator.scenarios.policies import (
    Amount,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Identity,
    Limit,
    Rules,
    Scope,
    Stated,
    Transfer,
    Whose,
)
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene


class Matter(msgspec.Struct, frozen=True, kw_only=True):
    """A call that could be made next."""

    tool: str
    args: dict[str, Any]
    things: dict[str, dict[str, Any]]
    """The thing that it is about, as the last result of each look-up has it."""
    today: str
    looks_up: bool
    made: Sequence[str]
    """The tools that have been called with success, in order."""
    who: Mapping[str, Any] = {}
    """The user, as the look-up of the user has them; empty where none has been made."""
    wish: Wish | None = None
    """What the user has said of it."""

    def asks(self, stated: Stated) -> Any:
        """Return what a clause's expression makes of the call; raises CannotFillError where the thing lacks what it reads."""
        seen = getattr(stated.clause, "seen", "")
        it = self.things.get(seen, {}) if seen else next(iter(self.things.values()), {})
        found = stated.test(it=it, args=self.args, who=self.who, today=self.today)
        if found is None and "args." not in stated.clause.expression:
            raise CannotFillError(f"{stated.clause.where}: the thing lacks what {stated.clause.expression!r} reads")
        return found


def _not_eligible(stated: Stated, matter: Matter) -> bool:
    # of an argument that is still to be asked for, nothing is known
    return stated.clause.eligible == matter.tool and matter.asks(stated) in (False, 0)


def _forbidden(stated: Stated, matter: Matter) -> bool:
    clause: Forbid = stated.clause
    if clause.forbid != matter.tool or any(matter.args.get(slot) != value for slot, value in clause.args.items()):
        return False
    return not clause.when or bool(matter.asks(stated))


def _handed_over(stated: Stated, matter: Matter) -> bool:
    clause: Transfer = stated.clause
    return clause.of == matter.tool and (not clause.when or bool(matter.asks(stated)))


def _too_often(stated: Stated, matter: Matter) -> bool:
    clause: Limit = stated.clause
    made = [tool for tool in matter.made if tool in clause.limit]
    return matter.tool in clause.limit and len(made) >= stated.number(clause.most)


def _out_of_scope(stated: Stated, matter: Matter) -> bool:
    return matter.tool not in stated.clause.scope


def _of_another(stated: Stated, matter: Matter) -> bool:
    clause: Whose = stated.clause
    given = given_at(matter.args, clause.slot) if matter.who else None  # of a user not yet looked up, nothing is known
    return clause.tools[0] == matter.tool and given is not None and given != matter.who.get(clause.same)


def given_at(args: dict[str, Any], slot: str) -> Any:
    """Return an argument, or a part of one; None where it is not given."""
    try:
        return resolve(args, slot)
    except LookupError:
        return None


RULING_OUT: dict[type[Clause], Callable[[Stated, Matter], bool]] = {
    Transfer: _handed_over,
    Scope: _out_of_scope,
    Whose: _of_another,
    Forbid: _forbidden,
    Eligible: _not_eligible,
    Limit: _too_often,
}
"""Whether a clause of a kind rules a call out; the first that does gives the reason."""


def with_amounts(rules: Rules, matter: Matter) -> Matter:
    """Return a call with the arguments that clauses compute."""
    for one in rules.of(Amount):
        if one.clause.tools[0] == matter.tool and one.clause.slot not in matter.args:
            matter = msgspec.structs.replace(matter, args={**matter.args, one.clause.slot: matter.asks(one)})
    return matter


def ruled_out(rules: Rules, matter: Matter) -> Stated | None:
    """Return the first clause that forbids a call; None if it may be made."""
    return next((one for one in rules.of(*RULING_OUT) if RULING_OUT[type(one.clause)](one, matter)), None)


def to_confirm(rules: Rules, matter: Matter) -> Stated | None:
    """Return the clause that wants a yes before a call; None if it may be made at once."""
    clauses = rules.of(Confirm)
    return next((one for one in clauses if one.clause.covers(matter.tool, looks_up=matter.looks_up)), None)


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
