"""What a call that depends on an earlier one may not lose of what the user said there, and what may not be read into it.

Used by what plans requests and by what checks them.
"""

from typing import Any

from generator.from_results.choosing import may_mean
from generator.pointers import escape
from generator.toolbox import ToolSpec


def days_said(spec: ToolSpec, arguments: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments of a call that are days."""
    schemas = spec.properties
    return tuple([name for name in arguments if may_mean("the same day", escape(name), schemas.get(name, {}))])


def acts_at_once(spec: ToolSpec) -> bool:
    """Whether a tool changes things that have no day of their own, and cannot be told one: blinds, but no event of a calendar."""
    kind = spec.declared.entities.get(spec.effect.entity) if spec.effect is not None and not spec.looks_up else None
    if kind is None or days_said(spec, spec.properties):
        return False
    return not any(may_mean("the same day", field, schema) for field, schema in kind.fields.items())


def without_lost(said: dict[str, Any], then: ToolSpec, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a look-up without what is lost in a call that takes its result.

    These are elements of lists that the later tool has to be told anew (hotels with breakfast, and a room that is booked without), and
    the number of those of whom it takes one (flights for five passengers, and a ticket for one).

    Args:
        said: The arguments of the look-up.
        then: The later tool.
        given: The arguments of the later call.
    """
    found = {}
    for name, value in said.items():
        if type(value) is list:
            kept = [one for one in value if given.get(str(one)) is True or not _is_told_again(one, then)]
            found |= {name: kept} if kept or not value else {}
        elif type(value) is not int or value < 2 or not _is_for_one(name, then):
            found[name] = value
    return found


def _is_told_again(value: Any, then: ToolSpec) -> bool:
    """Whether a tool has an argument for what an element of an earlier list names."""
    schema = then.properties.get(value) if type(value) is str else None
    return isinstance(schema, dict) and schema.get("type") == "boolean"


def _is_for_one(name: str, then: ToolSpec) -> bool:
    """Whether a tool takes one of those whom an earlier argument counts."""
    one = name.removesuffix("s")
    return one != name and name not in then.properties and not {one, f"{one}_name"}.isdisjoint(then.properties)
