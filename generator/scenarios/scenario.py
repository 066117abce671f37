"""What a scenario is: a generator of events, and what every finished conversation of its kind fulfils."""

from collections.abc import Callable, Collection, Generator, Iterator
from typing import Any

import msgspec

from generator.core.conversation import PlannedDocument
from generator.core.errors import PlanError
from generator.core.planning import Event
from generator.core.seeds import Draw
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern, pattern_faults
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape

Events = Generator[Event, Any, None]
"""Yields events and gets each back as it was run: with its id, and a `Step` with the calls made and their outcomes."""


class Scenario(msgspec.Struct, frozen=True):
    """A kind of conversation."""

    name: str
    about: str
    able: Callable[[Toolkit], Collection[str]]
    """Returns the tools that its conversations can be about; none when the loaded ones cannot serve it."""
    events: Callable[[Scene], Events]
    """Yields the events of one conversation; raises CannotFillError, before its first event or later, when the values drawn do not allow it."""
    patterns: tuple[Pattern, ...]
    """The ways in which its conversations go: every finished one goes one of them."""
    needs: str = ""
    """What is missing when there are none: "a link into a list between two loaded tools"."""
    calls: bool = True
    """Whether its conversations call these tools."""
    fails: bool = False
    """Whether it plans failures; only then is it given back failed calls."""
    governed: bool = False
    """Whether the system message of a row is one of the recipe's policies, which its events follow."""
    look_alikes: bool = False
    """Whether the tools offered besides the called ones should resemble them."""

    def tools(self, toolkit: Toolkit) -> Collection[str]:
        """Return the tools that its conversations can call; raises PlanError, which says what is missing, when they cannot serve it."""
        able = self.able(toolkit)
        if not able and self.needs:
            raise PlanError(f"scenario {self.name!r} needs {self.needs}")
        return able if self.calls else ()

    def faults(self, shape: ConversationShape) -> Iterator[str]:
        """Yield what is wrong with a finished conversation that is not of this kind."""
        return pattern_faults(self.name, self.patterns, shape)


class DocumentScenario(msgspec.Struct, frozen=True):
    """A kind of row that is a document, made from the files that the recipe names."""

    name: str
    about: str
    check: Callable[[Toolkit], None]
    """Raises PlanError when the files cannot serve it."""
    write: Callable[[Toolkit, Draw], PlannedDocument]
