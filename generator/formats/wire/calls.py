"""A call as a parser must find it."""

from typing import Any

import msgspec


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call that a parser must find."""

    name: str
    arguments: dict[str, Any]
