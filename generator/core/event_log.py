"""What is put into words: the events of a conversation as they were run, and who its user is."""

import msgspec

from generator.core.conversation import Tool
from generator.core.planning import Event, Note


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
    drips: float = 0
    """How often they leave out more than one value of what they want, and say them one after the other when asked."""


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
