"""The clauses of a policy, each kind told by its first word."""

from collections.abc import Callable, Collection
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from generator.core.forms import REQUIRED, UNWRITTEN, Key, Texts, one_or_many
from generator.world.expressions import FAULTS, ReadableNames, compile_expression

Test = Callable[[dict[str, Any]], Any]
"""Takes `it`, `args` (objects), `today` and the numbers; returns None where a value is missing or of another kind."""
_OBJECTS = frozenset({"args", "it"})
_PLAIN = frozenset({"today"})


def compile_test(text: str, numbers: Collection[str] = ()) -> Test:
    """Return the function of an expression.

    Raises:
        ValueError: the expression uses something that is not allowed, or a name that nothing has.
    """
    expression, reads = compile_expression(text, dotted=_OBJECTS)
    unknown = reads.properties - _OBJECTS - _PLAIN - set(numbers)
    if unknown:
        known = ", ".join(sorted([*[f"{name}.…" for name in _OBJECTS], *_PLAIN, *numbers]))
        raise ValueError(f"nothing has the name {min(unknown)!r}: {known} are known")

    def test(names: dict[str, Any]) -> Any:
        readable = {key: ReadableNames(value) if key in _OBJECTS else value for key, value in names.items()}
        try:
            return expression(ReadableNames(readable))
        except FAULTS:
            return None

    return test


Name = Annotated[str, Meta(min_length=1)]
Number = float
WRITES = "writes"
"""Stands for all tools that change something."""


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """What all clauses have."""

    tools_in: ClassVar[tuple[str, ...]] = ()
    """Its fields that name tools, by themselves or before `#/argument`."""
    expression_in: ClassVar[str] = ""
    """Its field that holds an expression."""

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
    name: str = ""
    """What other clauses call it by."""
    not_with: Annotated[tuple[str, ...], one_or_many(str)] = ()
    """Names of clauses beside which it does not stand, because together nobody could tell which of them holds."""
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
        """The tools that it names, the one whose calls it is about first."""
        written = [getattr(self, field) for field in self.tools_in]
        names = [name for one in written for name in ([one] if isinstance(one, str) else one)]
        return tuple(dict.fromkeys([name.partition("#")[0] for name in names if name not in ("", WRITES)]))

    @property
    def slot(self) -> str:
        """The argument that it is about, as a pointer without its first slash: `cancel_order#/reason` → `reason`."""
        return str(getattr(self, self.kind)).partition("#/")[2]

    @property
    def expression(self) -> str:
        """Its expression; empty where it has none."""
        return getattr(self, self.expression_in) if self.expression_in else ""


class About(Clause, frozen=True, kw_only=True):
    """A statement that asks for nothing that a call could break: a definition, opening hours, a name."""

    about: Name


class Eligible(Clause, frozen=True, kw_only=True):
    """A call is made only for a thing of which an expression holds, as the last result has it that told of the thing."""

    tools_in = ("eligible", "seen")
    expression_in = "that"
    eligible: Name
    """The tool."""
    seen: Name
    """The look-up whose results tell of the thing."""
    that: Name
    """An expression of `it`, `args`, `today` and the numbers."""


class Forbid(Clause, frozen=True, kw_only=True):
    """A call is never made, never with some arguments, or never when an expression holds."""

    tools_in = ("forbid",)
    expression_in = "when"
    forbid: Name
    """The tool."""
    args: dict[str, Any] = {}
    """Arguments with values that make it forbidden."""
    when: str = ""
    """An expression of `it`, `args`, `today` and the numbers."""
    seen: str = ""
    """The look-up whose results tell of the thing; empty: those that are linked to the tool."""


class Limit(Clause, frozen=True, kw_only=True):
    """A call is made so often in one conversation at most."""

    tools_in = ("limit",)
    limit: Annotated[tuple[Name, ...], one_or_many(str, fewest=1)]
    """The tool, or tools that do the same: their calls count together."""
    most: Name | int
    """How often: a number, or the name of one."""


class Confirm(Clause, frozen=True, kw_only=True):
    """A call is made only directly after the user's yes to just this call."""

    tools_in = ("confirm", "says")
    confirm: Name | tuple[str, ...]
    """`writes`, a tool, or tools."""
    says: dict[str, Texts] = {}
    """Tool → what the assistant says of the thing before it asks: "That's {name}, {price:usd}."."""

    def covers(self, tool: str, *, looks_up: bool) -> bool:
        """Whether calls of a tool need a yes."""
        named = (self.confirm,) if isinstance(self.confirm, str) else self.confirm
        return tool in named or (WRITES in named and not looks_up)


class Ask(Clause, frozen=True, kw_only=True):
    """The assistant asks for an optional argument where the user leaves it out: `{ask: cancel_order#/reason}`."""

    tools_in = ("ask",)
    ask: Annotated[str, Meta(pattern=r"^[^#\s]+#/[^/]+$")]


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

    tools_in = ("instead",)
    instead: Name
    offer: Annotated[Texts, REQUIRED] = ()
    after: Annotated[tuple[str, ...], Meta(min_length=1)] = ("eligible", "forbid")
    """After the refusals of which clauses: kinds (`eligible`, `forbid`), or names of clauses."""

    def follows(self, clause: Clause) -> bool:
        """Whether it is about what another clause refuses."""
        is_named = clause.kind in self.after or clause.name in self.after
        return is_named and isinstance(clause, Eligible | Forbid) and clause.tools[0] == self.instead


class Tell(Clause, frozen=True, kw_only=True):
    """What the assistant says of a result: `{tell: cancel_order, fields: [refund_days]}`."""

    tools_in = ("tell",)
    tell: Name
    fields: Annotated[tuple[Name, ...], Meta(min_length=1)]


class Transfer(Clause, frozen=True, kw_only=True):
    """In place of a call, or because of what the user says, another tool hands the conversation over, and nothing comes after it."""

    tools_in = ("of", "transfer")
    expression_in = "when"
    transfer: Name
    """The tool that hands over."""
    of: str = ""
    """The tool whose call is not made; empty: it is handed over because of what the user says (`on`)."""
    on: Texts = ()
    """What the user says, in one sentence or another."""
    times: str | int = 1
    """How often they have to say so: a number, or the name of one."""
    first: Texts = ()
    """What the assistant says to it before that."""
    otherwise: Texts = ()
    """What the assistant says to it in rows that do not state the clause; empty: there it hands over at once."""
    when: str = ""
    """An expression of `it`, `args`, `today` and the numbers; empty: always."""
    seen: str = ""
    """The look-up whose results tell of the thing; empty: those that are linked to the tool."""
    says: Annotated[Texts, REQUIRED] = ()
    """What the assistant says then, and nothing else."""


class Identity(Clause, frozen=True, kw_only=True):
    """Before any other call a look-up finds who the user is, by what the assistant asks for: `{identity: find_customer, by: email}`."""

    tools_in = ("identity", "transfer")
    identity: Name
    by: Name
    """Its argument."""
    before: Annotated[str, Meta(pattern="^(all|writes)$")] = "all"
    """Before which calls: `all`, or only those that change something (`writes`)."""
    tries: str | int = 0
    """After how many wrong answers the conversation is handed over: a number, or the name of one; 0: it never is."""
    transfer: str = ""
    """The tool that does that."""
    says: Texts = ()
    """What the assistant says then, and nothing else."""
    error: str = "There is no account with this address."
    """What the look-up says to a wrong answer."""

    def covers(self, *, looks_up: bool) -> bool:
        """Whether a call may come only after it."""
        return self.before == "all" or not looks_up


class Scope(Clause, frozen=True, kw_only=True):
    """What the assistant is for: tools outside it are not called, although they are on offer."""

    tools_in = ("scope",)
    scope: Annotated[tuple[Name, ...], Meta(min_length=1)]
    """The tools within it; those that other clauses demand are so, too."""


class Whose(Clause, frozen=True, kw_only=True):
    """An argument is the one that belongs to the user, as the look-up of the user has it: `{whose: book_flight#/email, is: email}`."""

    tools_in = ("whose", "by")
    whose: Annotated[str, Meta(pattern=r"^[^#\s]+#/[^#\s]+$")]
    same: Annotated[Name, Key("is")]
    """The field of that look-up's result."""
    by: Name
    """The look-up of the user."""


class Hide(Clause, frozen=True, kw_only=True):
    """A field of what a look-up finds is not told, although the user asks for it."""

    tools_in = ("hide",)
    hide: Name
    """The look-up."""
    field: Name
    """The field."""
    asks: Annotated[Texts, REQUIRED] = ()
    """What a user says who wants to know it."""
    tells: Annotated[Texts, REQUIRED] = ()
    """What the assistant says then in rows that do not state the clause: "It has {reviews} reviews."."""


class Amount(Clause, frozen=True, kw_only=True):
    """An optional argument is what an expression makes of the thing and the other arguments; the user does not say it.

    The numbers that come out of it stand in the clause's text.
    """

    tools_in = ("amount",)
    expression_in = "value"
    amount: Annotated[str, Meta(pattern=r"^[^#\s]+#/[^/\s]+$")]
    value: Annotated[Name, Key("is")]
    """An expression of `it`, `args`, `today` and the numbers."""
    seen: str = ""
    """The look-up whose results tell of the thing; empty: those that are linked to the tool."""


KINDS: dict[str, type[Clause]] = {
    "transfer": Transfer,
    "scope": Scope,
    "identity": Identity,
    "whose": Whose,
    "forbid": Forbid,
    "eligible": Eligible,
    "limit": Limit,
    "order": Order,
    "amount": Amount,
    "ask": Ask,
    "confirm": Confirm,
    "one_by_one": OneByOne,
    "instead": Instead,
    "tell": Tell,
    "hide": Hide,
    "about": About,
}
"""Kinds of clauses by their first word, in the order in which they are asked."""
_WORDS = {kind: word for word, kind in KINDS.items()}
