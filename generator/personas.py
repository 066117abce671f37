"""Personas: how a user writes in all of a conversation, as data (`personas.yaml`)."""

from functools import cache

import msgspec

from generator.yaml_values import own_data


class Persona(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of user."""

    registers: tuple[str, ...] = ()
    """What their messages are put in, one after the other (`run/overlays/register.yaml`)."""
    greets: float = 0.12
    """How often their first message begins with a greeting."""
    thanks: float = 0.1
    """How often it ends with thanks."""
    reasons: float = 0.26
    """How often they are one who says why something is asked for."""


USUAL = Persona()
"""A user of no particular kind."""


@cache
def personas() -> dict[str, Persona]:
    """Return the personas of `personas.yaml` by name."""
    return msgspec.convert(own_data(__file__), dict[str, Persona])
