"""A world in which calls fail: those with invalid arguments, and those for which a scenario has planned a fault."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import orjson

from generator.core.conversation import ToolCall
from generator.core.offline_schemas import validator
from generator.core.planning import Outcome, PlannedFailure
from generator.core.profiles import ERROR
from generator.core.toolbox import Toolbox
from generator.world.outcome import World
from generator.world.state import Entities, State, entities_of, state_of

Refuse = Callable[[ToolCall], str | None]
"""Why the arguments of a call are invalid, or None."""


class FailingWorld:
    """The world of a conversation in which something goes wrong; the other calls come to the world behind it.

    More faults may be added until they are made. The schemas of the toolbox refuse invalid arguments, where the world behind does not
    check them itself.
    """

    def __init__(self, world: World, faults: Sequence[PlannedFailure], toolbox: Toolbox) -> None:
        self._world, self._faults, self._toolbox = world, faults, toolbox

    @property
    def entities(self) -> Entities | None:
        """The entities of the world behind."""
        return entities_of(self._world)

    @property
    def state(self) -> State | None:
        """Their state."""
        return state_of(self._world)

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes of calls made at once: planned failures and invalid arguments here, the others from the world behind."""
        outcomes: dict[int, Outcome] = {}
        for index, call in enumerate(calls):
            failure_of_call = self._planned_failure(call) or self._invalid_arguments(call)
            if failure_of_call is not None:
                outcomes[index] = failure_of_call
        remaining = [index for index in range(len(calls)) if index not in outcomes]
        if remaining:
            outcomes |= zip(remaining, self._world.step([calls[index] for index in remaining]), strict=True)
        return tuple([outcomes[index] for index in range(len(calls))])

    def _planned_failure(self, call: ToolCall) -> Outcome | None:
        """Return the outcome of a fault that is planned for this very call."""
        key = _canonical(call.name, call.arguments)
        for fault in self._faults:
            if fault.tool == call.name and _canonical(fault.tool, fault.arguments) == key:
                return failure(fault.content)
        return None

    def _invalid_arguments(self, call: ToolCall) -> Outcome | None:
        """Return the failure of a call with arguments that its schema does not allow, where the backend does not check them itself."""
        checks = getattr(self._world, "checks_arguments", None)
        if checks is not None and checks(call.name):
            return None
        why = why_invalid(self._toolbox[call.name].tool.parameters, call.arguments)
        return None if why is None else failure(f"{ERROR}Invalid parameters - {why}")


def failure(content: str) -> Outcome:
    """Return a failed call, with its text parsed where it is JSON."""
    value: Any = content
    with suppress(ValueError):
        value = orjson.loads(content)
    return Outcome(False, content, value)


def why_invalid(parameters: dict[str, Any] | None, arguments: dict[str, Any]) -> str | None:
    """Return what is wrong with the arguments, in the words of JSON Schema; None when nothing is."""
    if parameters is None:
        return None
    faults = [
        f"{'.'.join(map(str, error.instance_path)) or 'arguments'}: {error.message}"
        for error in _validator(orjson.dumps(parameters)).iter_errors(arguments)
    ]
    return "; ".join(faults) or None


@lru_cache(maxsize=512)
def _validator(parameters: bytes) -> Any:
    """Return the validator of a schema, given as JSON."""
    return validator(orjson.loads(parameters))


def _canonical(tool: str, arguments: dict[str, Any]) -> bytes:
    return tool.encode() + b"\x1f" + orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
