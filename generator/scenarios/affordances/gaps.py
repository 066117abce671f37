"""Requests without a value that a tool needs: the assistant asks for it."""

from itertools import combinations
from typing import TYPE_CHECKING

from generator.core.pointers import escape
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec
from generator.scenarios.affordances.links import is_single
from generator.tools.productions import place_frames

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

Gap = tuple[str, str]
"""A tool, and a required argument that a request can leave out."""


def find_gaps(toolkit: "Toolkit") -> tuple[Gap, ...]:
    """Return the gaps that requests can have."""
    return tuple([(name, slot) for name in toolkit.starters for slot in _slots_to_leave_out(toolkit.toolbox[name])])


_MOST = 3
"""How many arguments a request leaves out at most."""


def find_gaps_together(toolkit: "Toolkit") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the tools with the arguments, several of each, that one request can leave out together."""
    found: dict[str, list[str]] = {}
    for tool, slot in toolkit.gaps:
        found.setdefault(tool, []).append(slot)
    return tuple(
        [
            (tool, slots)
            for tool, names in found.items()
            for many in range(2, _MOST + 1)
            for slots in combinations(names, many)
            if any(needs.isdisjoint(slots) for needs in _heads(toolkit.toolbox[tool]))
        ]
    )


def _heads(spec: ToolSpec) -> list[frozenset[str]]:
    """Return what each of a tool's requests says."""
    phrases = spec.phrases
    return [parse_template(text).needs for texts in (phrases.request, phrases.question, phrases.want) for text in texts]


def _slots_to_leave_out(spec: ToolSpec) -> list[str]:
    """Return the required arguments with a single value that at least one of the tool's requests does not say."""
    properties = spec.properties
    required = [name for name in spec.required if name in properties]
    phrases = spec.phrases
    heads = _heads(spec)
    linked = {frame for frames in phrases.slots.values() for text in frames.frames for frame in _said_together(text)}
    linked |= place_frames(spec).keys()
    return [
        name
        for name in required
        if spec.say.get(name) != "never"
        and name not in spec.context
        and is_single(properties[name])
        and escape(name) == name
        and name not in linked
        and (not heads or any(needs <= {*required} - {name} for needs in heads))
    ]


def _said_together(text: str) -> frozenset[str]:
    """Return the slots that a frame says together."""
    says = parse_template(text).says
    return says if len(says) > 1 else frozenset()


Interruption = tuple[str, str, tuple[str, ...]]
"""A tool, the argument that is asked for, and the tools that the user may ask for in between."""


def find_interruptions(toolkit: "Toolkit") -> tuple[Interruption, ...]:
    """Return gaps of requests, each with look-ups of the same subject, else with other look-ups, else with any other tools."""
    found: list[Interruption] = []
    for tool, slot in toolkit.gaps:
        partners = toolkit.partners[tool]
        reading = [name for name in partners if name in toolkit.look_ups]
        near = [name for name in reading if name in toolkit.neighbours[tool]]
        if partners:
            found.append((tool, slot, tuple(near or reading or partners)))
    return tuple(found)
