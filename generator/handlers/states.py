"""The states in which a module with `TOOLS` can be loaded, and the checks between them.

"Character Loading States" and "Validation Rules Summary" of the data model's document: `LOADED_NO_TOOLS`,
`LOADED_WITH_TOOLS`, `FAILED_VALIDATION` with the names of the errors there.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any

import jsonschema_rs
import msgspec

from generator.conversation import Tool
from generator.handlers.process import ModuleReport
from generator.offline_schemas import check_legal
from generator.profiles import CHARACTER, Excess, check_tool


class LoadState(Enum):
    """The result of loading a module."""

    LOADED_NO_TOOLS = "LOADED_NO_TOOLS"
    LOADED_WITH_TOOLS = "LOADED_WITH_TOOLS"
    FAILED_VALIDATION = "FAILED_VALIDATION"


class Loaded(msgspec.Struct, frozen=True):
    """A module as it was loaded."""

    state: LoadState
    tools: tuple[Tool, ...] = ()
    faults: tuple[Excess, ...] = ()
    """What is wrong, under FAILED_VALIDATION; `error` is TypeError, ValueError, DuplicateName, InvalidName,
    ValidationError or MissingMethod."""


def check_report(report: ModuleReport) -> Loaded:
    """Return the state that a child process's report of a module leads to.

    `report` is what `ModuleProcess.load` gives for a module that could be imported.
    """
    if report.type not in ("list", "NoneType"):
        return _failed([Excess("TypeError", "TOOLS", f"a list or None is expected, not {report.type}")])
    if report.not_json is not None:
        return _failed([Excess("ValidationError", "TOOLS", f"it holds what JSON cannot say: {report.not_json}")])
    values = report.tools or []
    if not values:
        return Loaded(LoadState.LOADED_NO_TOOLS)
    faults = list(_check_items(values))
    if not faults and not report.handler:
        faults.append(Excess("MissingMethod", "handle_tool_call", "TOOLS is there, but no handle_tool_call"))
    if faults:
        return _failed(faults)
    return Loaded(LoadState.LOADED_WITH_TOOLS, tuple([_tool(value["function"]) for value in values]))


def _failed(faults: list[Excess]) -> Loaded:
    return Loaded(LoadState.FAILED_VALIDATION, faults=tuple(faults))


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
    except jsonschema_rs.ValidationError as fault:
        return Excess("ValidationError", at, f"not valid JSON Schema: {fault.message}")
    return None


def _tool(function: dict[str, Any]) -> Tool:
    return Tool(name=function["name"], description=function.get("description"), parameters=function.get("parameters"))
