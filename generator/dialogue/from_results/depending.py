"""What a call that depends on an earlier one may not lose of what the user said there, and what may not be read into it.

Used by what plans requests and by what checks them.
"""

from collections.abc import Sequence
from typing import Any

from generator.core.pointers import escape
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.from_results.choosing import may_mean


def on_another_day(asked: Sequence[tuple[ToolSpec, dict[str, Any]]], today: str) -> bool:
    """Whether what is done at once is asked for together with something of another day than today, which could be heard of both."""
    if not any(map(acts_at_once, [spec for spec, _ in asked])):
        return False
    return any(said[name] not in ("today", today) for spec, said in asked for name in days_of(spec) if name in said)


@once_per_tool
def days_of(spec: ToolSpec) -> frozenset[str]:
    """Return the names of a tool's arguments that are days."""
    return frozenset(
        [name for name, schema in spec.properties.items() if may_mean("the same day", escape(name), schema)]
    )


@once_per_tool
def acts_at_once(spec: ToolSpec) -> bool:
    """Whether a tool changes things that have no day of their own, and cannot be told one: blinds, but no event of a calendar."""
    effect = spec.effect
    if effect is None or effect.kind not in ("update", "act") or effect.entity not in spec.declared.entities:
        return False
    fields = spec.declared.entities[effect.entity].fields
    return not days_of(spec) and not any(may_mean("the same day", field, schema) for field, schema in fields.items())


def without_lost(said: dict[str, Any], then: ToolSpec, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a look-up without what is lost in a call that takes its result.

    These are elements of lists that the later tool has to be told anew (hotels with breakfast, and a room that is booked without), and
    the number of those of whom it takes one (flights for five passengers, and a ticket for one).

    Args:
        said: The arguments of the look-up.
        then: The later tool.
        given: The arguments of the later call.
    """
    found: dict[str, Any] = {}
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
