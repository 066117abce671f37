"""The clauses of a policy, each kind told by its first word, and a policy with the clauses that one row states."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.forms import REQUIRED, UNWRITTEN, Key, Texts, one_or_many
from generator.policies.language import Test, compile_test

Name = Annotated[str, Meta(min_length=1)]
Number = float
Numbers = dict[str, float]
"""The numbers that a row's clause has, by the name that its text and its expressions call them."""
WRITES = "writes"
"""Stands for all tools that change something."""


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """What all clauses have."""

    text: Annotated[tuple[str, ...], one_or_many(str, fewest=1), REQUIRED] = ()
    """What the system message says, or several ways to say it; `{days}` is one of `numbers`."""
    numbers: dict[str, Annotated[tuple[Number, ...], Meta(min_length=1)]] = {}
    """Name → numbers from which each row takes one."""
    refuse: Texts = ()
    """What the assistant says when the clause forbids a call, with values of the thing (`{status}`), arguments (`{args.reason}`)
    and numbers."""
    push: Texts = ()
    """What a user says who insists on the call all the same, beside what anybody would say: "It's only two days."."""
    share: Annotated[float, Meta(ge=0, le=1)] = 0.7
    """In how many of the policy's rows it stands."""
    section: str = ""
    """The heading under which it stands; empty: that of its kind."""
    where: Annotated[str, UNWRITTEN] = ""
    """`file:line`, for messages."""
    test: Annotated[Test | None, UNWRITTEN] = None
    """Its expression, compiled."""

    @property
    def kind(self) -> str:
        """The word that tells its kind."""
        return _WORDS[type(self)]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return ()

    @property
    def expression(self) -> str:
        """Its expression; empty where it has none."""
        return ""


class About(Clause, frozen=True, kw_only=True):
    """A statement that asks for nothing that a call could break: a definition, opening hours, a name."""

    about: Name


class Eligible(Clause, frozen=True, kw_only=True):
    """A call is made only for a thing of which an expression holds, as the last result has it that told of the thing."""

    eligible: Name
    """The tool."""
    seen: Name
    """The look-up whose results tell of the thing."""
    that: Name
    """An expression of `it`, `args`, `today` and the numbers."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.eligible, self.seen)

    @property
    def expression(self) -> str:
        """What must hold."""
        return self.that


class Forbid(Clause, frozen=True, kw_only=True):
    """A call is never made, never with some arguments, or never when an expression holds."""

    forbid: Name
    """The tool."""
    args: dict[str, Any] = {}
    """Arguments with values that make it forbidden."""
    when: str = ""
    """An expression of `it`, `args`, `today` and the numbers."""
    seen: str = ""
    """The look-up whose results tell of the thing; empty: those that are linked to the tool."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.forbid,)

    @property
    def expression(self) -> str:
        """When it is forbidden."""
        return self.when


class Limit(Clause, frozen=True, kw_only=True):
    """A call is made so often in one conversation at most."""

    limit: Name
    """The tool."""
    most: Name | int
    """How often: a number, or the name of one."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.limit,)


class Confirm(Clause, frozen=True, kw_only=True):
    """A call is made only directly after the user's yes to just this call."""

    confirm: Name | tuple[str, ...]
    """`writes`, a tool, or tools."""
    says: dict[str, Texts] = {}
    """Tool → what the assistant says of the thing before it asks: "That's {name}, {price:usd}."."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        named = (self.confirm,) if isinstance(self.confirm, str) else self.confirm
        return tuple(dict.fromkeys([*[name for name in named if name != WRITES], *self.says]))

    def covers(self, tool: str, *, looks_up: bool) -> bool:
        """Whether calls of a tool need a yes."""
        named = (self.confirm,) if isinstance(self.confirm, str) else self.confirm
        return tool in named or (WRITES in named and not looks_up)


class Ask(Clause, frozen=True, kw_only=True):
    """The assistant asks for an optional argument where the user leaves it out: `{ask: cancel_order#/reason}`."""

    ask: Annotated[str, Meta(pattern=r"^[^#\s]+#/[^/]+$")]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.ask.partition("#")[0],)

    @property
    def slot(self) -> str:
        """The argument."""
        return self.ask.partition("#/")[2]


class Order(Clause, frozen=True, kw_only=True):
    """A look-up of the same thing comes before a call: `{order: [get_ticket, escalate_ticket]}`."""

    order: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=2)]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names, the one that comes after the other first."""
        return self.order[::-1]


class OneByOne(Clause, frozen=True, kw_only=True):
    """Calls are made one by one, and never several at once."""

    one_by_one: Annotated[str, Meta(pattern="^(all|writes)$")]
    """Which calls: `all`, or only those that change something (`writes`)."""

    def covers(self, *, looks_up: bool) -> bool:
        """Whether it is about a call."""
        return self.one_by_one == "all" or not looks_up


class Instead(Clause, frozen=True, kw_only=True):
    """What the assistant offers when it has to refuse a call: `{instead: cancel_order, offer: "…"}`."""

    instead: Name
    offer: Annotated[Texts, REQUIRED] = ()

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.instead,)


class Tell(Clause, frozen=True, kw_only=True):
    """What the assistant says of a result: `{tell: cancel_order, fields: [refund_days]}`."""

    tell: Name
    fields: Annotated[tuple[Name, ...], Meta(min_length=1)]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.tell,)


class Transfer(Clause, frozen=True, kw_only=True):
    """In place of a call another tool hands the conversation over, and nothing comes after it."""

    transfer: Name
    """The tool that hands over."""
    of: Name
    """The tool whose call is not made."""
    when: str = ""
    """An expression of `it`, `args`, `today` and the numbers; empty: always."""
    seen: str = ""
    """The look-up whose results tell of the thing; empty: those that are linked to the tool."""
    says: Annotated[Texts, REQUIRED] = ()
    """What the assistant says then, and nothing else."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names, the one that is not called first."""
        return (self.of, self.transfer)

    @property
    def expression(self) -> str:
        """When it hands over."""
        return self.when


class Identity(Clause, frozen=True, kw_only=True):
    """Before any other call a look-up finds who the user is, by what the assistant asks for: `{identity: find_customer, by: email}`."""

    identity: Name
    by: Name
    """Its argument."""
    before: Annotated[str, Meta(pattern="^(all|writes)$")] = "all"
    """Before which calls: `all`, or only those that change something (`writes`)."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names."""
        return (self.identity,)

    def covers(self, *, looks_up: bool) -> bool:
        """Whether a call may come only after it."""
        return self.before == "all" or not looks_up


KINDS: dict[str, type[Clause]] = {
    "transfer": Transfer,
    "identity": Identity,
    "forbid": Forbid,
    "eligible": Eligible,
    "limit": Limit,
    "order": Order,
    "ask": Ask,
    "confirm": Confirm,
    "one_by_one": OneByOne,
    "instead": Instead,
    "tell": Tell,
    "about": About,
}
"""Kinds of clauses by their first word, in the order in which they are asked."""
_WORDS = {kind: word for word, kind in KINDS.items()}


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


def with_test(clause: Clause) -> Clause:
    """Return a clause with its expression compiled; raises ValueError for one that is none."""
    return (
        msgspec.structs.replace(clause, test=compile_test(clause.expression, clause.numbers))
        if clause.expression
        else clause
    )
