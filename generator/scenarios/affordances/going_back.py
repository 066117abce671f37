"""What users can go back to some turns later, and what can be asked for in between."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from generator.core.pointers import escape, schema_at
from generator.core.toolbox import name_as_words
from generator.dialogue.from_results.choosing import noun_in_key, same_again
from generator.scenarios.affordances.choices import takes_one
from generator.scenarios.affordances.goals import Purpose
from generator.scenarios.affordances.links import Edge

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


def fillers(toolkit: "Toolkit", tool: str, wanted: int = 2) -> tuple[str, ...]:
    """Return look-ups to ask for in between: of the same subject if there are enough, or of any subject."""
    partners = toolkit.partners.get(tool) or tuple(name for name in toolkit.starters if name != tool)
    reading = [name for name in partners if name in toolkit.look_ups]
    near = [name for name in reading if toolkit.toolbox[name].domain == toolkit.toolbox[tool].domain]
    return tuple(near if len(near) > wanted else reading or partners)


def gives(toolkit: "Toolkit", tool: str, noun: str) -> bool:
    """Whether a tool's result may hold a thing of this kind."""
    return bool(noun) and noun in toolkit.nouns_of_results[tool]


def find_nouns_of_results(toolkit: "Toolkit") -> dict[str, frozenset[str]]:
    """Return, by tool, the nouns of the things whose keys stand in its result."""
    return {name: frozenset(_nouns(spec.returns)) for name, spec in toolkit.toolbox.items()}


def _nouns(schema: object) -> Iterator[str]:
    """Yield the nouns of the things whose keys stand in a result."""
    if isinstance(schema, dict):
        for name, part in (schema.get("properties") or {}).items():
            if name_as_words(name) != noun_in_key(escape(name)):
                yield noun_in_key(escape(name))
            yield from _nouns(part)
        yield from _nouns(schema.get("items"))


def find_listed(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links into lists whose elements can be referred to some turns later."""
    edges = [edge for edge in toolkit.edges_to_one if noun_in_key(edge.link.result) and _can_wait(toolkit, edge)]
    return tuple(edges)


def find_single(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links to what one call makes or finds."""
    edges = [edge for edge in toolkit.first_edges if edge.list_slot is None and takes_one(edge, toolkit)]
    return tuple([edge for edge in edges if noun_in_key(edge.link.result) and _can_wait(toolkit, edge)])


def _can_wait(toolkit: "Toolkit", edge: Edge) -> bool:
    """Whether something of another kind can be asked for in between."""
    noun, both = noun_in_key(edge.link.result), (edge.source, edge.target)
    return any(name not in both and not gives(toolkit, name, noun) for name in fillers(toolkit, edge.source))


SharedValue = tuple[Purpose, str, str]
"""A goal and two of its tools that share a value."""


def find_shared_values(toolkit: "Toolkit") -> tuple[SharedValue, ...]:
    """Return tools of a goal that share a value which people would not say again."""
    purposes = {id(purpose): purpose for own in toolkit.purposes.values() for purpose in own}
    pairs = [
        (purpose, one, other)
        for purpose in purposes.values()
        for one in purpose.friends
        for other in sorted(purpose.friends[one])
    ]
    return tuple([pair for pair in pairs if _can_be_said_again(toolkit, *pair)])


def _can_be_said_again(toolkit: "Toolkit", purpose: Purpose, one: str, other: str) -> bool:
    if one not in toolkit.starters or other not in toolkit.starters or not fillers(toolkit, one):
        return False
    names = {slot.name for slot in purpose.slots[one] if "/" not in slot.at and same_again(slot.at)}
    return any(
        slot.name in names and "/" not in slot.at and _is_text(toolkit, other, slot.at)
        for slot in purpose.slots[other]
        if same_again(slot.at)
    )


def _is_text(toolkit: "Toolkit", tool: str, slot: str) -> bool:
    schema = schema_at(toolkit.toolbox[tool].tool.parameters, slot) or {}
    return schema.get("type") == "string" and "enum" not in schema
