"""What a scenario is: a generator of events, and what every finished conversation of its kind fulfils."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from typing import Any

import msgspec

from generator.core.conversation import PlannedDocument
from generator.core.errors import PlanError
from generator.core.planning import HERE, Call, Event, Meant, Ref, Say, Step, Tell
from generator.core.pointers import escape
from generator.core.seeds import Draw
from generator.scenarios.affordances import Toolkit
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape, Pattern

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
        if not any(pattern.fits(shape) for pattern in self.patterns):
            expected = " or ".join(map(str, self.patterns))
            said = ", ".join(shape.told) or "nothing else told"
            yield f"not {self.name}: {' '.join(shape.order)} ({said}), expected {expected}"


class DocumentScenario(msgspec.Struct, frozen=True):
    """A kind of row that is a document, made from the files that the recipe names."""

    name: str
    about: str
    check: Callable[[Toolkit], None]
    """Raises PlanError when the files cannot serve it."""
    write: Callable[[Toolkit, Draw], PlannedDocument]


# --- the calls that serve wishes, and the reports on them ---


_IN_ANOTHER_ORDER = 0.2
"""How often the calls of one step stand in another order than the wishes for them."""


def serve(say: Say, wish: int = 0, *steps: Step, **given: Ref) -> Call:
    """Return the call that serves a wish, with what the user said, what was meant from the steps' results, and `given`."""
    wanted = say.wishes[wish]
    args: dict[str, Ref] = {slot: Ref(say.id, wish, slot) for slot in map(escape, wanted.said)}
    for slot, meant in wanted.meant.items():
        source = meant.source
        if isinstance(meant, Meant):
            of = (say.id if source.event == HERE else source.event, source.of)
            step, place = _server(of, steps)
            args[slot] = Ref(step.id, place, source.at, (say.id, wish, slot))
        else:
            args[slot] = Ref(say.id, source.of, source.at) if source.event == HERE else source
    return Call(wanted.tool, {**args, **given}, (say.id, wish))


def serve_all(say: Say, *steps: Step) -> tuple[Call, ...]:
    """Return the calls that serve all wishes of an event."""
    return tuple([serve(say, wish, *steps) for wish in range(len(say.wishes))])


def at_once(calls: Sequence[Call], draw: Draw) -> tuple[Call, ...]:
    """Return the calls of one step, usually in the order in which they are asked for, now and then in another."""
    if len(calls) < 2 or not draw.chance(_IN_ANOTHER_ORDER):
        return tuple(calls)
    shuffled = draw.shuffled(list(calls))
    return tuple(shuffled if shuffled != list(calls) else shuffled[::-1])


def tell(*steps: Step) -> Tell:
    """Return a report on all calls of some steps, in the order in which they were asked for."""
    calls = [(step, place) for step in steps for place in range(len(step.calls))]
    in_order = sorted(calls, key=lambda one: one[0].calls[one[1]].serves)
    return Tell(about=tuple([(step.id, place) for step, place in in_order]))


def _server(of: tuple[int, int], steps: Sequence[Step]) -> tuple[Step, int]:
    """Return the step and place of the call that served a wish."""
    for step in steps:
        for place, call in enumerate(step.calls):
            if call.serves == of:
                return step, place
    raise LookupError(f"no call serves the wish {of}")
