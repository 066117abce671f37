"""The entities of a conversation as scenarios use them: fit arguments to them, add some, try calls."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from generator.core.conversation import ToolCall
from generator.core.errors import CannotFillError
from generator.core.planning import Outcome
from generator.core.seeds import Draw
from generator.world.state.effects import ANY
from generator.world.state.fitting import fitted_arguments
from generator.world.state.population import EntityFields
from generator.world.state.state import State
from generator.world.state.supplying import Fit, Said, put_in, supply, supply_refused

if TYPE_CHECKING:
    from generator.world.world import SimulatedWorld


class Entities:
    """What a scenario sees of a world with entities."""

    __slots__ = ("_day", "_effects", "_named", "_state", "_world")

    def __init__(self, world: "SimulatedWorld", day: str) -> None:
        self._world, self._state, self._effects, self._day = world, world.state, world.effects, day
        self._named: set[Any] = set()

    def begin(self) -> None:
        """Begin the conversation: from now on no entity can be added."""
        self._state.begin()

    def fit(
        self,
        tool: str,
        said: Said,
        draw: Draw,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> Said:
        """Return drawn arguments of a call, changed so that it succeeds.

        Args:
            tool: The tool.
            said: Its arguments.
            draw: The row's random numbers.
            then: Tools that are called next for what this call is about.
            meant: Arguments whose values will come from results.
            fewest: How many a search finds at least.
            agreed: Whether the call may be about what other calls are about, too: its arguments are changed only if they must be.

        Raises:
            CannotFillError: when no such arguments are found.
        """
        effect = self._effects.get(tool)
        if effect is None:
            return said
        said = fitted_arguments(
            Fit(self._state, self._effects, effect, draw, self._day, then, meant, self._named, fewest, agreed=agreed),
            said,
        )
        for name, _ in effect.equal:
            value = said.get(name)
            self._named.update(value if type(value) is list else (value,))
        return said

    def settles(self, tool: str, argument: str) -> bool:
        """Whether fitting decides the value of an argument, since it must name an entity that exists."""
        effect = self._effects.get(tool)
        return effect is not None and argument in effect.settled

    def finds(self, tool: str, said: Said, draw: Draw) -> bool:
        """Make sure that a search finds something, if possible; return whether it does (true for other tools)."""
        effect = self._effects.get(tool)
        return effect is None or supply(Fit(self._state, self._effects, effect, draw, self._day), said) > 0

    def add(self, title: str, draw: Draw, tool: str, error: str, fields: EntityFields) -> EntityFields:
        """Put in an entity with these fields for which the tool succeeds, or gives the error; see `Scene.add`."""

        def answers(one: EntityFields) -> bool:
            """Whether the tool answers so."""
            refused = self._effects[tool].refuse_one(self._state, one, ANY, self._day)
            return (refused.error if refused is not None else "") == error

        found = put_in(self._state, title, draw, fields, answers if tool else None)
        if not found:
            raise CannotFillError(f"no {title} came up for which {tool} {'gives ' + error if error else 'succeeds'}")
        return found[0]

    def find_refused(self, search: str, said: Said, draw: Draw, tool: str, error: str) -> bool:
        """Make sure that a search finds something, all of which another tool refuses with an error; return whether it does."""
        fit = Fit(self._state, self._effects, self._effects[search], draw, self._day)
        return supply_refused(fit, said, self._effects[tool], error)

    def peek(self, call: ToolCall) -> Outcome:
        """Return the outcome that a call would have now, without making it."""
        return self._world.peek(call)

    def changes_nothing(self, call: ToolCall) -> bool:
        """Whether a call that should change something leaves all that it is about as it is now."""
        effect = self._effects.get(call.name)
        if effect is None or not effect.must_change:
            return False
        found = effect.found(self._state, call.arguments, self._day)
        return bool(found) and all(effect.is_idle(one, call.arguments, self._day, self._state) for one in found)

    def all(self, title: str) -> list[EntityFields]:
        """Return all entities of a kind, as they are now."""
        return list(self._state.all(title).values())

    def called(self, title: str, fields: EntityFields) -> EntityFields:
        """Return the fields that name an entity among all others of its kind; see `Scene.called`."""
        entity = self._state.kind(title).entity
        others = [one for key, one in self._state.all(title).items() if key != fields[entity.key]]
        told: EntityFields = {}
        for field in entity.called:
            told[field] = fields[field]
            others = [one for one in others if one[field] == fields[field]]
            if not others:
                return told
        raise CannotFillError(f"another {title} is called the same")


def entities_of(world: object) -> Entities | None:
    """Return the entities of a world, as scenarios see them; None for worlds that keep no such state."""
    return getattr(world, "entities", None)


def state_of(world: object) -> State | None:
    """Return the state of a world; none for worlds without one that is ours."""
    return getattr(world, "state", None)
