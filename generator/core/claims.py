"""The proof of a row: what is claimed about each value and sentence of its messages."""

from typing import Any, Literal

import msgspec

Source = Literal["user", "context", "result", "earlier_turn", "default", "expression"]
"""Where an argument leaf's value comes from: the user says it, the system message gives it, an
earlier result holds it, an earlier turn said it, it is the schema's default, or it is computed from what was said and found."""


class Claim(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Where one argument leaf comes from.

    A claim about an object or array covers every leaf below it.
    """

    call_id: str
    pointer: str
    """JSON pointer into the call's arguments."""
    source: Source
    message: int | None = None
    """Index of the message that holds the value."""
    start: int | None = None
    end: int | None = None
    """Character span [start, end) in that message's content, when a person can read it there. For a value from a
    result: where the user's message before the call says which element is meant ("the cheapest one")."""
    verbalizer: str | None = None
    """How the span says the value; its reader turns the span back into the value."""
    result_pointer: str | None = None
    """JSON pointer into that tool message's JSON content, for values from a result."""
    pick: str | None = None
    """How the element of a list was chosen: `first`, `last`, `min price`, `max …`, `nth 2`, `is time "09:40"`, `each`."""
    expression: str | None = None
    """In the row of a script: what computes the value from what was said and found."""
    referred: tuple[int, int, int] | None = None
    """Message and span of the user's words for a value that stands elsewhere ("the same day")."""

    def words_at(self, asked_at: int | None) -> tuple[int, int, int] | None:
        """Return (message, start, end) of the words that say the value, or describe it; None where nobody can read them. `asked_at` is the message that asks for the call."""
        message = asked_at if self.source == "result" else self.message
        if message is None or self.start is None or self.end is None:
            return None
        return message, self.start, self.end


class Words(msgspec.Struct, frozen=True):
    """Words of a message: its index, and where they begin and end in its content."""

    message: int
    start: int
    end: int


class SpanClaim(Words, frozen=True, omit_defaults=True):
    """A span of a text of a script's row, which says the value of an expression."""

    verbalizer: str
    """How the span says it; `meant`: in words that mean a constant; `list`: as many things are said one by one from here on."""
    expression: str
    value: Any = None
    """Of what the user or a system message says: the value that the words say. Of a `list`: how many things."""


class NamedResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What a call's result is called in expressions."""

    call_id: str
    name: str
    of_several: bool = False
    """Whether the name stands for a list, to which each such call adds its result."""


class Condition(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What must be so before a message, or what a name stands for."""

    message: int
    expression: str
    name: str = ""
    """What the value of the expression is called wherever all is known that it reads; empty: the expression must be true."""


class ScriptProof(msgspec.Struct, frozen=True, omit_defaults=True):
    """The proof of what a script makes of a conversation: whatever the assistant writes is computed from what the user and the results say.

    Several scripts can follow each other; what is known begins anew with each.
    """

    script: str
    first: int = 0
    """Index of its first message."""
    governed: bool = False
    """Whether the system message says words of its own, which what the assistant does may follow from."""
    spans: tuple[SpanClaim, ...] = ()
    results: tuple[NamedResult, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def until(self, message: int) -> "ScriptProof":
        """Return what it says of the messages before one."""
        spans = tuple([one for one in self.spans if one.message < message])
        return msgspec.structs.replace(
            self, spans=spans, conditions=tuple([one for one in self.conditions if one.name or one.message < message])
        )


class AnswerClaim(Words, frozen=True, omit_defaults=True, gc=False):
    """Which value of a result (or of a call's arguments) a span of an answer states."""

    verbalizer: str
    call_id: str
    of: Literal["result", "arguments"]
    pointer: str


class WishClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which message of the user asks for a call."""

    call_id: str
    tool: str
    message: int
    unmade: dict[str, Any] | None = None
    """For a call that was asked for and rightly never made: the arguments that it would have had."""
    said: tuple[Claim, ...] = ()
    """Where these are said."""
    helps: str | None = None
    """For a search that the user does not ask for: the call that takes a value from its result."""
    demanded: bool = False
    """For a call that only a policy demands: it is made before the one that it helps."""


class AskClaim(Words, frozen=True, gc=False):
    """Where the assistant asks the user for a value that a later call takes."""

    call_id: str
    pointer: str
    """JSON pointer into the call's arguments."""


class TellClaim(Words, frozen=True, gc=False):
    """A sentence that neither makes a request nor reports the result of a successful call."""

    call_id: str
    """The call it is about."""
    how: str
    """`failed`: that the call failed, and why; `not_done`: that it was not made; `proposed`: that it would be made, and a question for
    leave; `refused`: what is accepted instead of what the user says; `listed`: the elements that it found, in lines; `singled_out`: which
    of them has the least or the most of something; `picked`: that one is what the user's superlative singles out; `detailed`: the fields
    of what it found, one by one; `tallied`: what holds of all elements of a list together; `reason`: why the user asks for it; or the
    kind of a remark, or of what a policy has the assistant say."""


ANYWHERE = frozenset({"listed", "singled_out", "picked", "detailed", "tallied", "reason"})
"""What is said in any scenario: it tells of a result as other answers do, or why the user asks."""


class RetractedClaim(Words, frozen=True, gc=False):
    """Where the user says a value that is later taken back or refused."""

    verbalizer: str
    call_id: str
    pointer: str
    by: int | None = None
    """Index of the user's message that takes it back before the call is made; None: the value is refused."""


class DeclineClaim(Words, frozen=True, omit_defaults=True):
    """Where the assistant declines a wish, and what the user wished: no call is made for it."""

    asked_at: int
    """Index of the user's message that asks for it."""
    tool: str
    """The tool that could do it, were it on offer."""
    arguments: dict[str, Any]
    """What it would be called with."""
    said: tuple[Claim, ...] = ()
    """Where the user says these arguments; the `call_id` of the claims is `asked_at` and `tool` as `2:book_train`."""
    instead: tuple[str, ...] = ()
    """Tools on offer that the text says it can use."""
    like: str = ""
    """A tool on offer that looks as if it could do it."""


class UseClaim(msgspec.Struct, frozen=True, gc=False):
    """A form of a tool that a text is made of: the claims of a message together are how it was derived."""

    message: int
    start: int
    """Where its text begins."""
    key: str
    """Its kind and its text, as the tool's phrases have it: `request: book {table}`; see `productions.py`."""
    calls: tuple[str, ...]
    """The calls of which it is said."""


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that is claimed about a row's values."""

    arguments: tuple[Claim, ...] = ()
    answers: tuple[AnswerClaim, ...] = ()
    wishes: tuple[WishClaim, ...] = ()
    asks: tuple[AskClaim, ...] = ()
    tells: tuple[TellClaim, ...] = ()
    retracted: tuple[RetractedClaim, ...] = ()
    declines: tuple[DeclineClaim, ...] = ()
    uses: tuple[UseClaim, ...] = ()
    scripts: tuple[ScriptProof, ...] = ()
    """Of a row of scripts; then the other claims follow from these."""
