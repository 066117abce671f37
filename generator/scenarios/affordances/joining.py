"""Tools that take values from the lists of two other ones."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from generator.core.pointers import schema_at
from generator.core.toolbox import Pick, ToolSpec, found_by, name_as_words
from generator.scenarios.affordances.links import picks_unseen
from generator.scenarios.affordances.names import words_that_tell

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_VAGUE = words_that_tell("vague")
"""Words for an element that do not tell which of two lists is meant."""


_ONE = re.compile(r"\bone\b")
"""A word that leaves open of which of two lists it is, in picks that have others beside them."""


_PEOPLE = words_that_tell("people")
"""Words in the names of look-ups that list people, one in each element."""


_STAFF, _WORK = words_that_tell("staff"), words_that_tell("work")
"""Those of look-ups that list people who work somewhere, and words in names of arguments that mean one of these."""


class ListField(msgspec.Struct, frozen=True):
    """An argument, and the field of a list from which it can come."""

    argument: str
    source: str
    at: str
    """The pointer to the field, with `*` for the place in the list."""

    @property
    def list_slot(self) -> str:
        """Return the slot of the list in the result."""
        return self.at.partition("/*")[0]


Joint = tuple[str, ListField, ListField]
"""A tool, and the origins of two of its arguments."""


def find_joints(toolkit: "Toolkit") -> tuple[Joint, ...]:
    """Return tools that take values from two lists."""
    return tuple([joint for name in toolkit.toolbox for joint in _of_tool(toolkit, name)])


def _of_tool(toolkit: "Toolkit", target: str) -> Iterator[Joint]:
    spec = toolkit.toolbox[target]
    if target in toolkit.look_ups:
        return
    linked = [
        ListField(edge.link.argument, edge.source, edge.link.result)
        for edge in toolkit.edges
        if edge.target == target
        and edge.list_slot
        and "/" not in edge.link.argument
        and edge.source in toolkit.starters
    ]
    linked = [origin for origin in linked if origin.source in toolkit.look_ups and picks_in(toolkit, origin)]
    needed = {link.argument for link in spec.links if link.argument in spec.required}
    for one in linked:
        for other in [*linked, *_people(toolkit, spec)]:
            is_pair = other.argument != one.argument and other.source in toolkit.partner_sets[one.source]
            if (
                is_pair
                and needed <= {one.argument, other.argument}
                and (other not in linked or one.argument < other.argument)
            ):
                yield target, one, other


def _people(toolkit: "Toolkit", spec: ToolSpec) -> Iterator[ListField]:
    """Yield arguments that are names of people, each with a look-up that lists people."""
    properties = spec.properties
    names = [slot for slot, kind in spec.kinds.items() if kind == "person_name" and slot in properties]
    for slot in [slot for slot in names if properties[slot].get("type") == "string"]:
        for source in _lists_of_people(toolkit, slot):
            yield from [origin for origin in _names_in(slot, toolkit.toolbox[source]) if picks_in(toolkit, origin)]


def _lists_of_people(toolkit: "Toolkit", slot: str) -> list[str]:
    """Return the look-ups that list people; for the name of somebody who is to do some work, staff rather than friends."""
    words = {source: set(name_as_words(source).split()) for source in toolkit.starters if source in toolkit.look_ups}
    people = [source for source, own in words.items() if own & _PEOPLE and "duplicate" not in own]
    staff = [source for source in people if words[source] & _STAFF] if _WORK & set(name_as_words(slot).split()) else []
    return staff or people


def _names_in(slot: str, source: ToolSpec) -> Iterator[ListField]:
    for name, schema in (source.returns or {}).get("properties", {}).items():
        field = schema_at(schema, "*/name") if isinstance(schema, dict) else None
        entity = None if source.effect is None else source.declared.entities.get(source.effect.entity)
        own = {} if entity is None else entity.fields.get("name", {})
        if field is not None and "person_name" in (field.get("x-kind"), own.get("x-kind")):
            yield ListField(slot, source.name, f"{name}/*/name")


def picks_in(toolkit: "Toolkit", origin: ListField) -> tuple[Pick, ...]:
    """Return picks whose words tell from which list the element is."""
    own = toolkit.toolbox[origin.source].phrases.pick.get(origin.list_slot, ())
    clear = picks_unseen(tuple([pick for pick in own if pick.say not in _VAGUE]))
    clear = tuple([pick for pick in clear if not _ONE.search(pick.say)]) or clear
    noun = found_by(origin.source)
    return clear or ((Pick(f"the first of {noun}", "first"), Pick(f"the last of {noun}", "last")) if noun else ())
