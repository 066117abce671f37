"""The life of a module with `TOOLS` and of a call, as the data model's document draws them ("State Transitions").

A table of transitions is data; a `Life` goes along one, and no step is made that its table does not have.
"""

from enum import Enum
from typing import NamedTuple


class State(Enum):
    """The states of both lives, by the document's names."""

    UNLOADED = "UNLOADED"
    LOADING = "LOADING"
    VALIDATING_TOOLS = "VALIDATING_TOOLS"
    LOADED_NO_TOOLS = "LOADED_NO_TOOLS"
    LOADED_WITH_TOOLS = "LOADED_WITH_TOOLS"
    FAILED_VALIDATION = "FAILED_VALIDATION"

    IDLE = "IDLE"
    TOOL_CALL_INITIATED = "TOOL_CALL_INITIATED"
    VALIDATING_PARAMETERS = "VALIDATING_PARAMETERS"
    EXECUTING_TOOL = "EXECUTING_TOOL"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    TOOL_COMPLETED = "TOOL_COMPLETED"
    AWAITING_LLM_RESPONSE = "AWAITING_LLM_RESPONSE"


Transitions = dict[tuple[State, str], State]
"""(state, what happens in it) → the next state."""

MODULE: Transitions = {
    (State.UNLOADED, "file found"): State.LOADING,
    (State.LOADING, "module imported"): State.VALIDATING_TOOLS,
    (State.VALIDATING_TOOLS, "TOOLS missing or empty"): State.LOADED_NO_TOOLS,
    (State.VALIDATING_TOOLS, "TOOLS invalid"): State.FAILED_VALIDATION,
    (State.VALIDATING_TOOLS, "handle_tool_call missing"): State.FAILED_VALIDATION,
    (State.VALIDATING_TOOLS, "validation passed"): State.LOADED_WITH_TOOLS,
}
CALL: Transitions = {
    (State.IDLE, "tool chosen"): State.TOOL_CALL_INITIATED,
    (State.TOOL_CALL_INITIATED, "arguments read"): State.VALIDATING_PARAMETERS,
    (State.VALIDATING_PARAMETERS, "JSON invalid"): State.EXECUTION_FAILED,
    (State.VALIDATING_PARAMETERS, "validation failed"): State.EXECUTION_FAILED,
    (State.VALIDATING_PARAMETERS, "validation passed"): State.EXECUTING_TOOL,
    (State.EXECUTING_TOOL, "execution error"): State.EXECUTION_FAILED,
    (State.EXECUTING_TOOL, "timeout"): State.EXECUTION_FAILED,
    (State.EXECUTING_TOOL, "success"): State.TOOL_COMPLETED,
    (State.EXECUTION_FAILED, "error returned"): State.AWAITING_LLM_RESPONSE,
    (State.TOOL_COMPLETED, "result returned"): State.AWAITING_LLM_RESPONSE,
    (State.AWAITING_LLM_RESPONSE, "result processed"): State.IDLE,
}


class Reached(NamedTuple):
    """A state that was reached."""

    state: State
    event: str
    """What led to it; empty for the first state."""
    seen: str
    """What can be seen in it: the file, the tools, the arguments, the text that the model is told, …"""


class Life:
    """One way through a table of transitions, from its first state on.

    Args:
        transitions: The table.
        seen: What can be seen in the first state.
    """

    def __init__(self, transitions: Transitions, seen: str = "") -> None:
        self._transitions = transitions
        self.reached = [Reached(next(iter(transitions))[0], "", seen)]

    @property
    def state(self) -> State:
        """The present state."""
        return self.reached[-1].state

    def go(self, event: str, seen: str = "") -> None:
        """Enter the next state; raises KeyError for what cannot happen in the present one."""
        self.reached.append(Reached(self._transitions[self.state, event], event, seen))
