"""A policy, and the clauses of it that one row states, with numbers."""

import re
from datetime import date
from itertools import product
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.core.forms import REQUIRED, UNWRITTEN, Key, one_or_many
from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.scenarios.policies.clauses import Amount, Clause, Hide, Name, Test

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
    choices = [map(_plain, numbers) for numbers in clause.numbers.values()]
    return [dict(zip(clause.numbers, chosen, strict=True)) for chosen in product(*choices)]


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

    def hidden(self, look_up: str) -> tuple[str, ...]:
        """Return the fields of what a look-up finds that are not told."""
        return tuple([stated.clause.field for stated in self.of(Hide) if stated.clause.hide == look_up])


# --- the system message ---


_LAID_OUT: dict[str, Any] = own_data(__file__)


def draw_rules(policy: Policy, seed: int, today: date) -> Rules:
    """Return the clauses that a row states.

    Each clause has a random stream of its own, so that without one of them all others are as before, but for those that do not stand
    with it.
    """
    stated: list[Stated] = []
    unstated: list[Stated] = []
    for place, clause in enumerate(policy.clauses):
        draw = Draw(stream_seed(seed, policy.policy, place), today)
        numbers = {name: _plain(draw.choice(choices)) for name, choices in clause.numbers.items()}
        text = draw.choice(clause.text)
        one = Stated(clause=clause, place=place, text=fill(text, numbers), numbers=numbers)
        (stated if draw.chance(clause.share) else unstated).append(one)
    for one in tuple(stated):  # of two that do not stand with each other, the later one stays
        if not {other.clause.name for other in stated}.isdisjoint(one.clause.not_with):
            stated.remove(one)
            unstated.append(one)
    draw = Draw(stream_seed(seed, "layout"), today)
    return Rules(policy=policy, clauses=tuple(stated), text=_laid_out(policy, stated, draw), unstated=tuple(unstated))


def spans_of_numbers(rules: Rules, message: str) -> tuple[tuple[str, Any, int, int], ...]:
    """Return the numbers that calls may take from a message which states clauses: name (`PLACE:NUMBER`), value, start and end."""
    found: dict[str, tuple[str, Any, int, int]] = {}
    for one in rules.of(Amount):
        start = message.index(one.text)
        for number in _NUMBER.finditer(one.text):
            name = f"{one.place}:{number[0]}"
            found.setdefault(name, (name, int(number[0]), start + number.start(), start + number.end()))
    return tuple(found.values())


_NUMBER = re.compile(r"(?<![\d.,])\d+(?![.,]?\d)")


def _plain(number: float) -> float:
    """Return a number without ".0"."""
    return int(number) if float(number).is_integer() else number


def _laid_out(policy: Policy, stated: list[Stated], draw: Draw) -> str:
    """Return the text of a policy: its role, then its clauses by section, in one of several layouts."""
    layout, role = draw.choice(_LAID_OUT["layouts"]), draw.choice(policy.role)
    sections: dict[str, list[str]] = {}
    for one in stated:
        clause = one.clause
        name = clause.section or getattr(clause, "about", "") or _LAID_OUT["sections"][clause.kind]
        sections.setdefault(name, []).append(one.text)
    parts, number = [role], 0
    for name in draw.shuffled(list(sections)):
        lines = []
        for text in sections[name]:
            number += 1
            lines.append(layout["item"].replace("{number}", str(number)).replace("{text}", text))
        heading = layout["heading"].replace("{name}", name).replace("{NAME}", name.upper())
        parts.append(heading + layout["between"].join(lines))
    return f"{parts[0]}\n\n{layout['apart'].join(parts[1:])}" if len(parts) > 1 else role
