"""Personas: how a user writes in all of a conversation, as data (`personas.yaml`)."""

from functools import cache

import msgspec

from generator.core.planning import Persona
from generator.core.yaml_values import own_data


@cache
def personas() -> dict[str, Persona]:
    """Return the personas of `personas.yaml` by name."""
    return msgspec.convert(own_data(__file__), dict[str, Persona])
