"""What mutations take and give: a valid completion, and a broken one."""

from collections.abc import Callable

import msgspec

from generator.core.seeds import Draw
from generator.formats.wire.arguments import write_arguments
from generator.formats.wire.format import ExpectedCall, Style, WireFormat
from generator.formats.wire.writing import write

Calls = tuple[ExpectedCall, ...]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A valid completion and what it was written from."""

    fmt: WireFormat
    text: str
    calls: Calls
    content: str | None
    style: Style

    def again(self, calls: Calls) -> str:
        """The completion with other calls."""
        return write(self.fmt, calls, self.content, self.style)

    def arguments_text(self, index: int) -> str:
        """The arguments of one call as they stand in the text."""
        call = self.calls[index]
        return write_arguments(self.fmt, call.arguments, self.style)

    def with_call(self, index: int, call: ExpectedCall) -> Calls:
        """The calls with another one at that place."""
        return (*self.calls[:index], call, *self.calls[index + 1 :])


class BrokenCompletion(msgspec.Struct, frozen=True, kw_only=True):
    """A broken completion."""

    text: str
    at: int
    """Character at which it was changed."""
    arg: str | None = None
    allowed: tuple[Calls, ...] = ()
    """All readings, where they can be listed."""


Mutate = Callable[[Draft, Draw], BrokenCompletion | None]


def with_replaced(
    text: str, at: int, length: int, new: str, arg: str | None = None, allowed: tuple[Calls, ...] = ()
) -> BrokenCompletion:
    """The text with other characters at a place."""
    return BrokenCompletion(text=text[:at] + new + text[at + length :], at=at, arg=arg, allowed=allowed)


def with_arguments(draft: Draft, draw: Draw) -> int | None:
    """A call that has arguments."""
    found = [index for index, call in enumerate(draft.calls) if call.arguments]
    return draw.choice(found) if found else None


def in_arguments(draft: Draft, index: int) -> int:
    """Where the arguments of a call begin in the text."""
    before = write(draft.fmt, draft.calls[: index + 1], draft.content, draft.style)
    return before.rfind(draft.arguments_text(index))
