"""Scrambled rows at the border: an agent calls tools by the names it is shown, and the world knows the usual ones."""

from typing import Any

from generator.core.conversation import Renamed, ToolCall


def usual_call(call: ToolCall, renamed: dict[str, Renamed]) -> ToolCall:
    """Return a call with the usual names of its tool, its arguments and their values.

    Args:
        call: The call as the agent makes it, of a tool that is on offer.
        renamed: The usual name of each tool and its new names (`Row.renamed`); empty where names are not scrambled.
    """
    for usual, new in renamed.items():
        if new.tool == call.name:
            names = {after: before for before, after in new.arguments.items()}
            values = {name: {after: before for before, after in enum.items()} for name, enum in new.values.items()}
            return ToolCall(call.id, usual, _usual(call.arguments, "", names, values))
    return call


def _usual(value: Any, name: str, names: dict[str, str], values: dict[str, dict[str, str]]) -> Any:
    """Return a value with the usual keys and enum members; `name` is the usual name of the property that holds it."""
    if isinstance(value, dict):
        usual = {str(key): names.get(str(key), str(key)) for key in value}
        return {usual[key]: _usual(inner, usual[key], names, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [_usual(inner, name, names, values) for inner in value]
    return values.get(name, {}).get(value, value) if isinstance(value, str) else value
