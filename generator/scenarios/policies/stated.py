"""A policy, and the clauses of it that one row states, with numbers."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.core.forms import REQUIRED, UNWRITTEN, Key, one_or_many
from generator.scenarios.policies.clauses import Clause, Name
from generator.scenarios.policies.language import Test

Numbers = dict[str, float]
"""The numbers that a row's clause has, by the name that its text and its expressions call them."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A policy: who the assistant is, and its clauses."""

    policy: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    """Its name."""
    serves: Annotated[tuple[Name, ...], Meta(min_length=1)]
    """Names (without ending) of the spec files whose tools it is for."""
    role: Annotated[tuple[str, ...], one_or_many(str, fewest=1), REQUIRED] = ()
    """Who the assistant is: always said, so that the message tells whose policy it is."""
    clauses: Annotated[tuple[Any, ...], Meta(min_length=1)]
    """Clauses, each of one kind."""
    either: tuple[tuple[Name, ...], ...] = ()
    """Groups of tools of which one conversation wants one only: nobody takes a train and a flight on one journey."""
    schema: Annotated[str, Key("$schema")] = ""
    """For editors; has no effect."""
    where: Annotated[str, UNWRITTEN] = ""
    """The file, for messages."""


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """A clause as one row states it: with numbers."""

    clause: Any
    place: int
    """Which clause of the policy it is."""
    text: str
    numbers: Numbers = {}

    def filled(self, text: str) -> str:
        """Return a text of the clause with its numbers."""
        return fill(text, self.numbers)

    def number(self, given: str | int) -> int:
        """Return a number that a clause gives by itself or by its name."""
        return int(self.numbers[given]) if isinstance(given, str) else given

    def test(self, **names: Any) -> Any:
        """Return what its expression makes of `it`, `args` and `today`; None where a value is missing."""
        test: Test | None = self.clause.test
        return None if test is None else test({**self.numbers, **names})


def fill(text: str, numbers: Numbers) -> str:
    """Return a text with numbers in their places."""
    for name, number in numbers.items():
        text = text.replace(f"{{{name}}}", f"{number:,.10g}")
    return text


def fillings(clause: Clause) -> list[Numbers]:
    """Return all ways to give a clause its numbers."""
    found: list[Numbers] = [{}]
    for name, choices in clause.numbers.items():
        found = [
            {**one, name: int(number) if float(number).is_integer() else number} for one in found for number in choices
        ]
    return found


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The clauses that one row states, and the text that states them."""

    policy: Policy
    clauses: tuple[Stated, ...]
    text: str
    unstated: tuple[Stated, ...] = ()
    """The clauses of the policy that this row does not state."""

    @property
    def policy_in_full(self) -> "Rules":
        """The same as if all clauses were stated."""
        every = sorted((*self.clauses, *self.unstated), key=lambda stated: stated.place)
        return msgspec.structs.replace(self, clauses=tuple(every), unstated=())

    def of(self, *kinds: type[Clause]) -> list[Stated]:
        """Return the clauses of some kinds, in the order of the kinds."""
        return [stated for kind in kinds for stated in self.clauses if isinstance(stated.clause, kind)]
