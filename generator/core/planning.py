"""Events: what happens in a conversation, in order and as data, before it is put into words; and who its user is.

A scenario yields events; running them fills in what the calls answer. What the user says of a slot (`Wish`) and where
the assistant takes an argument from (`Ref`) are two things. References name an event by its id, its place in the list
of the whole conversation, so that a later turn can take values from an earlier one.

Events are not messages: neighbouring events of the assistant are worded as one message, which a `Step` closes.
"""

from typing import Any

import msgspec

from generator.core.conversation import Tool, ToolCall
from generator.core.toolbox import Pick

HERE = -1
"""In a `Ref` within a `Say`: the event that holds the reference."""


class Outcome(msgspec.Struct, frozen=True):
    """The result of a call, or its error."""

    ok: bool
    content: str
    """As the tool message carries it."""
    value: Any = None
    """The content parsed: what pointers lead into."""


class Ref(msgspec.Struct, frozen=True, gc=False):
    """A value of an earlier event."""

    event: int
    of: int
    """Which wish of a `Say` (0 for a reply), or which call of a `Step`."""
    at: str
    """The slot of the wish, or a pointer (without its first slash) into the call's result; of a `Note` the name of
    the value. Before the event is run, a pointer into a list has `*` for the element that `because` names."""
    because: tuple[int, int, str] | None = None
    """The `Say`, wish and slot whose description chooses the element."""
    pick: Pick | None = None
    """How the description singled the element out of its list, once the event has been run."""


class Meant(msgspec.Struct, frozen=True):
    """A value that the user describes without knowing it: "the cheapest one" of a call's results."""

    source: Ref
    """The wish (in this `Say` or an earlier one) whose result holds the value, and the pattern of its pointer."""
    picks: tuple[Pick, ...] = ()
    """How the element of the list is singled out: the first pick that names exactly one is taken. Empty when the
    pointer leads into no list."""


class Back(msgspec.Struct, frozen=True):
    """A value of an earlier wish that is referred to: "the same day"."""

    source: Ref
    words: str
    """How the request refers to it."""


class PlannedFailure(msgspec.Struct, frozen=True):
    """A planned failure of a call in the world of one conversation, for a reason other than its arguments."""

    tool: str
    arguments: dict[str, Any]
    content: str
    """As the tool message carries it."""


class Wish(msgspec.Struct, frozen=True):
    """What the user wants of one tool. A required slot that is neither in `said` nor in `meant` was withheld."""

    tool: str
    said: dict[str, Any] = {}
    """Arguments with the values the user says."""
    meant: dict[str, Meant | Back] = {}
    """Slots whose values come from elsewhere."""
    for_each: bool = False
    """One call for each element of the list that the (only) meant slot leads into."""
    known: dict[str, Ref] = {}
    """Arguments of `said` that need not be said: where the system message or an earlier request states them."""
    unnamed: bool = False
    """It is a search that the user does not ask for: they name what it finds with what they want of it."""
    demanded: bool = False
    """It is no wish of the user's: a policy demands the call before the last wish may be served. Nobody speaks of it."""
    set_aside: str = ""
    """Why it is not to be served although a tool on offer could: it has been done already (`settled`), or `waits`."""

    @property
    def spoken(self) -> dict[str, Any]:
        """The arguments that the request itself says."""
        return {slot: value for slot, value in self.said.items() if slot not in self.known} if self.known else self.said


class Call(msgspec.Struct, frozen=True):
    """One call to make."""

    tool: str
    args: dict[str, Ref]
    """Slots (pointers without their first slash) and where their values come from."""
    serves: tuple[int, int]
    """The `Say` and its wish for which the call is made."""


class Remark(msgspec.Struct, frozen=True):
    """What the user says that is no request and no yes or no."""

    kind: str
    """`retry`: of what was declined; `insists`: on what has been refused; `unsure`: neither yes nor no to a proposal; `asks_for`: to be handed over; `asks_of`: for a
    field of what has been found."""
    wish: tuple[int, int] | None = None
    """The `Say` and its wish that it is about; None: the only one of the `Say` that holds the remark."""
    text: str = ""
    """The sentence, where the policy's file has it."""


class Say(msgspec.Struct, frozen=True, kw_only=True):
    """The user asks for something, or gives what was asked for."""

    id: int = HERE
    wishes: tuple[Wish, ...] = ()
    to: int | None = None
    """The `Ask` that this replies to: the only wish holds the slot that was asked for."""
    yes: bool | None = None
    """Whether the user lets the call be made that an `Ask` proposes."""
    remark: Remark | None = None
    """The message is one remark."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The assistant asks the user for the value of one slot of a wish."""

    id: int = HERE
    wish: tuple[int, int]
    slot: str = ""
    """The slot whose value is missing; empty for a question whether the call may be made."""
    call: Call | None = None
    """The call that is proposed."""
    again: bool = False
    """It has been asked before, and the user has asked for something else since."""
    refuses: bool = False
    """The value that the wish has for the slot is none that the tool accepts: the assistant says what it accepts."""


class Decline(msgspec.Struct, frozen=True, kw_only=True):
    """The assistant says that it cannot do what a wish asks for, because no tool on offer can."""

    id: int = HERE
    wish: tuple[int, int]
    """The `Say` and its wish; the wish's tool is not on offer."""
    instead: tuple[str, ...] = ()
    """Tools on offer whose use the assistant mentions."""
    like: str = ""
    """A tool that is on offer and looks as if it could do it, but cannot."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Calls made at once."""

    id: int = HERE
    calls: tuple[Call, ...]
    made: tuple[ToolCall, ...] = ()
    """The calls with their arguments, once the event has been run; then `calls` name the elements that were taken."""
    outcomes: tuple[Outcome, ...] = ()


class Ruled(msgspec.Struct, frozen=True):
    """What a clause of a policy has the assistant say of a thing: why a call is not made, or what it is about."""

    call: Call
    """The call that is not made, or is proposed."""
    form: str
    """The sentence, with its numbers, and names of fields of the thing (`{status}`) and of arguments (`{args.reason}`)."""
    at: str = ""
    """The pointer (without its first slash) to the thing in the outcome that `Tell.about` names."""


class Tell(msgspec.Struct, frozen=True, kw_only=True):
    """The assistant reports the outcomes of calls."""

    id: int = HERE
    about: tuple[tuple[int, int], ...]
    """The `Step` and the call of each outcome that is reported."""
    how: str = "done"
    """`done`; `failed`: the calls failed; `not_done`: the wish was not served; `patient`: to a user who has not decided yet; `ruled_out`,
    `shown`, `instead`, `put_off`, `handed_over`, `told` and `kept_back`: as `ruled` says."""
    wish: tuple[int, int] | None = None
    """The `Say` and the wish that is not served."""
    ruled: Ruled | None = None
    """What a policy has the assistant say (`ruled_out`: why a wish is not served; `shown`: what a proposal is about; `instead`: what
    is offered in its place; `put_off`: to who asks for a person; `handed_over`: that one takes over; `told` and `kept_back`: of a field that the
    user asks for)."""
    again: bool = False
    """The same has been refused before, and the user has insisted on it."""
    fields: tuple[str, ...] = ()
    """Fields of the results that a policy requires to be reported."""
    kept_back: tuple[str, ...] = ()
    """Fields of the results that a policy forbids to report."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A system message."""

    id: int = HERE
    text: str
    """The message as it stands there; values in it are marked by `spans`."""
    spans: tuple[tuple[str, Any, int, int], ...] = ()
    """Name, value, start and end of each value that calls may take from the message."""
    states_today: bool = False
    """Whether it states today's date, so that relative dates may be said."""
    style: str = ""
    """The line of it that says how answers look (`styles.py`)."""

    @property
    def without_style(self) -> "Note":
        """The message without that line, for a row in which answers cannot look so."""
        start = self.text.index(self.style)
        before, after = self.text[:start].rstrip(), self.text[start + len(self.style) :]
        after = after if before else after.lstrip()
        end, cut = len(self.text) - len(after), len(self.text) - len(before) - len(after)
        moved = [(name, value, *[at - cut * (at >= end) for at in span]) for name, value, *span in self.spans]
        return msgspec.structs.replace(self, text=before + after, spans=tuple(moved), style="")


Event = Say | Ask | Decline | Step | Tell | Note


class Persona(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of user."""

    registers: tuple[str, ...] = ()
    """What their messages are put in, one after the other (`run/overlays/register.yaml`)."""
    greets: float = 0.12
    """How often their first message begins with a greeting."""
    thanks: float = 0.1
    """How often it ends with thanks."""
    reasons: float = 0.36
    """How often they are one who says why something is asked for."""
    insists: float = 0.35
    """How often they insist on what has been refused."""


USUAL = Persona()
"""A user of no particular kind."""


class EventLog(msgspec.Struct, frozen=True, kw_only=True):
    """All events of a conversation after they were run, and the tools on offer; the wording comes next."""

    events: tuple[Event, ...]
    offered: tuple[Tool, ...] = ()
    otherwise: float = 0.75
    """The share of values with other words that users say in them."""
    persona: Persona = USUAL
    """How the user writes; they give no reasons where rows are twins, of which some make no call."""

    @property
    def note(self) -> Note | None:
        """The first system message."""
        return next((event for event in self.events if type(event) is Note), None)
