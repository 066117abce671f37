"""What a policy's clauses make of a call: a function for each kind that can forbid one, in the order in which they are asked."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Wish
from generator.core.pointers import resolve
from generator.scenarios.policies import (
    Amount,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Limit,
    Rules,
    Scope,
    Stated,
    Transfer,
    Whose,
)


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
