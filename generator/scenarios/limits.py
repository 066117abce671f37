"""Arguments that limit how much a tool finds, such as `limit`."""

from typing import Any

from generator.core.pointers import escape
from generator.core.toolbox import ToolSpec


def with_least(spec: ToolSpec, said: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call with the smallest limit that its tool allows; unchanged for a tool without limits."""
    properties: dict[str, Any] = spec.properties
    changed = dict(said)
    for name in sorted(_limits(spec) & properties.keys()):
        least = [value for value in spec.examples.get(escape(name), ()) if type(value) is int] or [
            properties[name].get("minimum")
        ]
        if spec.say.get(name) != "never" and type(least[0]) is int:
            changed[name] = min(least)
    return {key: changed[key] for key in (*properties, *changed) if key in changed}


def _limits(spec: ToolSpec) -> set[str]:
    """Return the arguments that limit lists of the result."""
    found = {spec.effect.limit} if spec.effect is not None else set()
    return {name for name in (*found, *_maxima(spec.returns)) if isinstance(name, str)}


def _maxima(schema: Any) -> set[str]:
    """Return the arguments that `x-maximum` names, at any depth of a result's schema."""
    if isinstance(schema, list):
        return set().union(*map(_maxima, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["x-maximum"]} if isinstance(schema.get("x-maximum"), str) else set()
    return own.union(*map(_maxima, schema.values()))
