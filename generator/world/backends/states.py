"""The checks of a module with `TOOLS`, the life of it and of a call as a table of transitions, and calls that are streamed in pieces.

"Character Loading States" and "Validation Rules Summary" of the data model's document: `LOADED_NO_TOOLS`,
`LOADED_WITH_TOOLS`, `FAILED_VALIDATION` with the names of the errors there.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from generator.core.conversation import Tool
from generator.core.errors import FormatError
from generator.core.offline_schemas import check_legal, validator
from generator.core.profiles import CHARACTER, Excess, check_tool
from generator.core.sandbox.sandbox import MOST_SAID
from generator.world.backends.process import ModuleReport


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
    """One way through a table of transitions, from its first state on, in which `seen` can be seen."""

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


class Loaded(msgspec.Struct, frozen=True):
    """A module as it was loaded."""

    reached: tuple[Reached, ...]
    """Its life up to now; the last state is the result."""
    tools: tuple[Tool, ...] = ()
    faults: tuple[Excess, ...] = ()
    """What is wrong, under FAILED_VALIDATION; `error` is TypeError, ValueError, DuplicateName, InvalidName,
    ValidationError or MissingMethod."""

    @property
    def state(self) -> State:
        """LOADED_NO_TOOLS, LOADED_WITH_TOOLS or FAILED_VALIDATION."""
        return self.reached[-1].state


def check_report(module: str, report: ModuleReport) -> Loaded:
    """Return the state that a child process's report (`ModuleProcess.load`) of a module that could be imported leads to."""
    life = Life(MODULE, module)
    life.go("file found", module)
    values = report.tools or []
    handler = f"handle_tool_call of the {report.handler}" if report.handler else "no handle_tool_call"
    shown = f"a list of {len(values)}" if isinstance(values, list) and values else report.type
    life.go("module imported", f"TOOLS: {shown}; {handler}")
    faults = [_shortened(fault) for fault in _faults_of_module(report, values)]
    if faults:
        is_missing = [fault.error for fault in faults] == [_MISSING]
        life.go("handle_tool_call missing" if is_missing else "TOOLS invalid", "; ".join(map(str, faults)))
        return Loaded(tuple(life.reached), faults=tuple(faults))
    tools = tuple([_tool(value["function"]) for value in values])
    life.go("validation passed" if tools else "TOOLS missing or empty", ", ".join(tool.name for tool in tools))
    return Loaded(tuple(life.reached), tools)


def load_functions(module: str, functions: list[dict[str, Any]]) -> Loaded:
    """Return the state of a module whose functions (`ModuleProcess.functions`) are its tools, as far as they can be called."""
    life = Life(MODULE, module)
    life.go("file found", module)
    life.go("module imported", f"{len(functions)} functions")
    tools = tuple([_tool(one) for one in functions if not one.get("without_body") and "refused" not in one])
    life.go("validation passed" if tools else "TOOLS missing or empty", ", ".join(tool.name for tool in tools))
    return Loaded(tuple(life.reached), tools)


_MISSING = "MissingMethod"


def _shortened(fault: Excess) -> Excess:
    """Return a fault whose message quotes no more of the module than a person reads."""
    if len(fault.message) <= MOST_SAID:
        return fault
    message = f"{fault.message[:MOST_SAID]}… ({len(fault.message):,} characters)"
    return msgspec.structs.replace(fault, message=message)


def _faults_of_module(report: ModuleReport, values: list[Any]) -> Iterator[Excess]:
    """Yield what is wrong with a module's `TOOLS` and `handle_tool_call`."""
    if report.type not in ("list", "NoneType"):
        yield Excess("TypeError", "TOOLS", f"a list or None is expected, not {report.type}")
    elif report.not_json is not None:
        yield Excess("ValidationError", "TOOLS", f"it holds what JSON cannot say: {report.not_json}")
    elif values:
        faults = list(_check_items(values))
        yield from faults
        if not faults and not report.handler:
            yield Excess(_MISSING, "handle_tool_call", "TOOLS is there, but no handle_tool_call")


def _check_items(values: list[Any]) -> Iterator[Excess]:
    """Yield the faults of each item of `TOOLS`: its shape, names that occur twice, limits."""
    names: set[str] = set()
    for index, value in enumerate(values):
        at = f"TOOLS[{index}]"
        fault = _check_shape(value, at)
        if fault is not None:
            yield fault
            continue
        name = value["function"]["name"]
        if name in names:
            yield Excess("DuplicateName", f"{at}.function.name", f"{name!r} is the name of an earlier tool too")
        names.add(name)
        for excess in check_tool(_tool(value["function"]), CHARACTER):
            yield Excess(excess.error, f"{at}.{excess.field}", excess.message)
    if CHARACTER.most_tools is not None and len(values) > CHARACTER.most_tools:
        yield Excess("ValueError", "TOOLS", f"{len(values)} tools; {CHARACTER.most_tools} are the most")


def _check_shape(value: Any, at: str) -> Excess | None:
    """Return the first thing for which the item is no tool at all."""
    if not isinstance(value, dict) or "type" not in value or "function" not in value:
        return Excess("ValueError", at, "a dict with 'type' and 'function' is expected")
    if value["type"] != "function":
        return Excess("ValueError", f"{at}.type", f"'function' is expected, not {value['type']!r}")
    function = value["function"]
    if not isinstance(function, dict):
        return Excess("ValueError", f"{at}.function", "a dict is expected")
    if not isinstance(function.get("name"), str):
        return Excess("InvalidName", f"{at}.function.name", "a name is missing")
    if not isinstance(function.get("description", ""), str):
        return Excess("ValueError", f"{at}.function.description", "text is expected")
    return _check_schema(function.get("parameters"), f"{at}.function.parameters")


def _check_schema(schema: Any, at: str) -> Excess | None:
    """Return what is wrong with the schema of a tool's parameters; None for a valid one or none."""
    if schema is None:
        return None
    if not isinstance(schema, dict):
        return Excess("ValidationError", at, "a JSON Schema object is expected")
    try:
        check_legal({key: part for key, part in schema.items() if key != "$schema"})
        validator(schema)
    except ValueError as fault:
        return Excess("ValidationError", at, f"not valid JSON Schema: {getattr(fault, 'message', fault)}")
    return None


def _tool(function: dict[str, Any]) -> Tool:
    return Tool(name=function["name"], description=function.get("description"), parameters=function.get("parameters"))


class StreamedCall(msgspec.Struct, frozen=True):
    """A call as it was streamed; `arguments` is the JSON text as the model wrote it, which may be broken."""

    id: str
    name: str
    arguments: str


def assemble(chunks: Iterable[dict[str, Any]]) -> list[StreamedCall]:
    """Return the calls of one message, by the `index` of their pieces.

    These are `chat.completion.chunk` objects, their `delta`s, or single entries of a delta's `tool_calls`.

    Raises:
        FormatError: for a piece without index, with another id than before, or a call that never got a name.
    """
    calls: dict[int, dict[str, str]] = {}
    indexes_with_name: set[int] = set()  # also with an empty name, which the whole answer may tell, too
    for piece in _call_deltas(chunks):
        index = piece.get("index")
        if not isinstance(index, int) or isinstance(index, bool):
            raise FormatError(f"a piece of a tool call has no index: {piece!r}")
        call = calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        piece_id, function = piece.get("id"), piece.get("function") or {}
        if piece_id and call["id"] and piece_id != call["id"]:
            raise FormatError(f"tool call {index}: its id was {call['id']!r} and now is {piece_id!r}")
        call["id"] = call["id"] or piece_id or ""
        if isinstance(function.get("name"), str):
            indexes_with_name.add(index)
            call["name"] += function["name"]
        call["arguments"] += function.get("arguments") or ""
    nameless = [index for index in calls if index not in indexes_with_name]
    if nameless:
        raise FormatError(f"tool call {nameless[0]}: it never got a name")
    return [StreamedCall(**calls[index]) for index in sorted(calls)]


def _call_deltas(chunks: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Yield the parts of tool calls in chunks, whether of whole completions, of deltas or the parts alone."""
    for chunk in chunks:
        if "choices" in chunk:
            deltas = [choice.get("delta") or {} for choice in chunk["choices"]]
        else:
            deltas = [
                chunk
                if "tool_calls" in chunk
                else {"tool_calls": [chunk] if "index" in chunk or "function" in chunk else []}
            ]
        for delta in deltas:
            yield from delta.get("tool_calls") or ()
