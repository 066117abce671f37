"""The types of the functions that make values and results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from generator.core.seeds import Draw
from generator.world.expressions import ReadableNames


class CompileValue(Protocol):
    """Compiles a maker for the values of one schema; handed in, because sibling packages do not import each other."""

    def __call__(
        self, schema: dict[str, Any], name: str, seed: int, *, kind: str | None = None, when: str | None = None
    ) -> Callable[[Draw], Any]:
        """Return a function that draws one value."""


class CallDraw(Draw):
    """The random numbers of one call's result, and what the result may take from the call."""

    __slots__ = (
        *(
            "arguments",
            "day",
            "every",
            "extras",
            "facts",
            "fields",
            "found",
            "given",
            "proposed",
            "related",
            "remembered_extras",
            "undecided",
        ),
        "watch",
    )

    arguments: Mapping[str, Any]
    given: ReadableNames
    """The arguments that are not null."""
    facts: Mapping[str, Any]
    """The entity that is shown, or what earlier results say of the entities that the arguments name."""
    found: Sequence[Mapping[str, Any]]
    """The entities that a search has found."""
    day: str
    """`today` as text, YYYY-MM-DD."""
    fields: Mapping[str, Any]
    """The properties made so far of the object whose property is made."""
    proposed: Any
    """The value that somebody proposes for what is made, or ABSENT; only makers that were compiled for it look at this and the next three."""
    undecided: dict[str, None]
    """The slots of the result that nothing decided but chance."""
    remembered_extras: Mapping[tuple[Any, str], Any]
    """What earlier results showed beside the fields of entities, by their keys and the properties."""
    extras: dict[tuple[Any, str], Any]
    """What this result shows beside them."""
    related: Callable[[str, Any], Mapping[str, Any] | None]
    """The entity of a kind with a key."""
    every: Callable[[str], Iterable[Mapping[str, Any]]]
    """All entities of a kind."""
    watch: Callable[[str, Any], None] | None
    """Told the place and the value (or the exception) of every `x-compute`, while those are tried out."""

    def start(self, seed: int, today: date) -> None:
        """Begin the result of another call; `take` says of which."""
        self.reseed(seed, today)
        self.day, self.watch, self.related, self.every = today.isoformat(), None, _nothing_related, _nothing
        self.proposed, self.undecided, self.remembered_extras, self.extras = ABSENT, {}, _NOTHING, {}

    def take(
        self, arguments: dict[str, Any], facts: Mapping[str, Any], found: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Let the result take these values."""
        self.arguments, self.facts, self.found = arguments, facts, found
        self.given = ReadableNames({name: value for name, value in arguments.items() if value is not None})


_NOTHING: Mapping[Any, Any] = {}
ABSENT = object()
"""Stands for a value that is not there."""


def _nothing(title: str) -> tuple[()]:
    return ()


def _nothing_related(title: str, key: Any) -> None:
    return None


MakeResult = Callable[[CallDraw], Any]
"""Makes a result, or a part of one."""

MOST = 2**63 - 1
"""The greatest integer that every JSON reader keeps exactly."""
