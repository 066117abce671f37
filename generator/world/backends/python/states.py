"""The checks of a module with `TOOLS`, and the state in which it is loaded.

"Character Loading States" and "Validation Rules Summary" of the data model's document: `LOADED_NO_TOOLS`,
`LOADED_WITH_TOOLS`, `FAILED_VALIDATION` with the names of the errors there.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.core.offline_schemas import check_legal, validator
from generator.core.profiles import CHARACTER, Excess, check_tool
from generator.core.sandbox.sandbox import MOST_SAID
from generator.world.backends.python.life import MODULE, Life, Reached, State
from generator.world.backends.python.process import ModuleReport


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
    """Return the state that a child process's report of a module leads to.

    Args:
        module: Path or name of the module.
        report: What `ModuleProcess.load` gives for a module that could be imported.
    """
    life = Life(MODULE, module)
    life.go("file found", module)
    values = report.tools or []
    handler = f"handle_tool_call of the {report.handler}" if report.handler else "no handle_tool_call"
    shown = f"a list of {len(values)}" if isinstance(values, list) and values else report.type
    life.go("module imported", f"TOOLS: {shown}; {handler}")
    faults = [_in_short(fault) for fault in _faults_of(report, values)]
    if faults:
        is_missing = [fault.error for fault in faults] == [_MISSING]
        life.go("handle_tool_call missing" if is_missing else "TOOLS invalid", "; ".join(map(str, faults)))
        return Loaded(tuple(life.reached), faults=tuple(faults))
    tools = tuple([_tool(value["function"]) for value in values])
    life.go("validation passed" if tools else "TOOLS missing or empty", ", ".join(tool.name for tool in tools))
    return Loaded(tuple(life.reached), tools)


def load_functions(module: str, functions: list[dict[str, Any]]) -> Loaded:
    """Return the state of a module whose functions are its tools, as far as they can be called.

    Args:
        module: Path or name of the module.
        functions: What `ModuleProcess.functions` gives for it.
    """
    life = Life(MODULE, module)
    life.go("file found", module)
    life.go("module imported", f"{len(functions)} functions")
    tools = tuple([_tool(one) for one in functions if not one.get("without_body") and "refused" not in one])
    life.go("validation passed" if tools else "TOOLS missing or empty", ", ".join(tool.name for tool in tools))
    return Loaded(tuple(life.reached), tools)


_MISSING = "MissingMethod"


def _in_short(fault: Excess) -> Excess:
    """Return a fault whose message quotes no more of the module than a person reads."""
    if len(fault.message) <= MOST_SAID:
        return fault
    message = f"{fault.message[:MOST_SAID]}… ({len(fault.message):,} characters)"
    return msgspec.structs.replace(fault, message=message)


def _faults_of(report: ModuleReport, values: list[Any]) -> Iterator[Excess]:
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
