"""What a verbalizer is."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.dialogue.values.voice import Voice


class Verbalizer(msgspec.Struct, frozen=True):
    """A way to say a value. The reader of the same name understands it."""

    name: str
    say: Callable[[Any, Voice], str | None]
    """Returns the value in words; None when this value cannot be said this way."""
