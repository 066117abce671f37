"""What the tools of a recipe can do together: a few facts worked out at once, and all that scenarios ask for when they ask for it."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from generator.core.conversation import DocumentSettings
from generator.core.pointers import escape
from generator.core.templates import parse_template
from generator.core.toolbox import Toolbox, ToolSpec, name_as_words, unsettles
from generator.dialogue.no_call.abilities import is_alien, is_sister
from generator.recipe.goals import Goal
from generator.scenarios.affordances.goals import Purpose, compile_purposes
from generator.scenarios.affordances.links import (
    Edge,
    all_linked,
    edges_to,
    find_chains,
    find_edges_beside,
    find_edges_to_each,
    find_silent_edges,
    find_sources_with_goals,
    is_single,
)
from generator.scenarios.policies import Policy
from generator.tools.productions import place_frames

_MOST_OPTIONS = 9
"""The most choices that an assistant lists."""


ToolSlot = tuple[str, str]
"""A tool and one of its arguments."""


def find_limited(toolkit: "Toolkit") -> tuple[ToolSlot, ...]:
    """Return arguments whose limits people may exceed, and for which a question can be asked."""
    found = [(name, slot) for name in toolkit.starters for slot in _slots(toolkit.toolbox[name])]
    return tuple([place for place in found if any(True for _ in bad_values(toolkit, *place))])


def _slots(spec: ToolSpec) -> Iterator[str]:
    """Yield numbers with two bounds and enums for which the phrases have a question; without phrases, all of them."""
    for name, schema in spec.properties.items():
        if escape(name) != name or not isinstance(schema, dict):
            continue
        if "enum" in schema:
            texts = all(isinstance(value, str) for value in schema["enum"])
            if (
                schema.get("type") == "string"
                and name not in spec.required  # who wants one thing seldom takes another in its place
                and texts
                and 2 <= len(schema["enum"]) <= _MOST_OPTIONS
                and _has_frame(spec, name)
            ):
                yield name
        elif (
            schema.get("type") in ("integer", "number")
            and {"minimum", "maximum"} <= schema.keys()
            and _is_asked_for(spec, name)
        ):
            yield name


def _is_asked_for(spec: ToolSpec, slot: str) -> bool:
    """Whether people would be asked for this number: it is no year, and no other argument limits it."""
    if not (spec.phrases.request or spec.phrases.question or spec.phrases.want):
        return True
    if "year" in name_as_words(slot) or any(slot in (relation.left, relation.right) for relation in spec.relations):
        return False
    return slot in spec.phrases.ask or slot in spec.required


def _has_frame(spec: ToolSpec, slot: str) -> bool:
    """Whether any value of it can be said, not only those that have clauses of their own."""
    frames = spec.phrases.slots.get(slot)
    return frames is None or bool(frames.frames) or not frames.clauses


def bad_values(toolkit: "Toolkit", tool: str, slot: str) -> Iterator[Any]:
    """Yield values that people could give for an argument but that its schema does not allow."""
    schema = toolkit.toolbox[tool].properties[slot]
    if "enum" not in schema:
        yield from _beyond(schema["minimum"], schema["maximum"], schema.get("multipleOf", 1))
        return
    own = set(schema["enum"])
    spoken = {form.casefold() for _, forms in toolkit.toolbox[tool].phrases.synonyms.get(slot, ()) for form in forms}
    spoken |= {name_as_words(value) for value in own}
    for name, other in toolkit.toolbox.items():
        values = (other.properties.get(slot) or {}).get("enum", ()) if name != tool else ()
        if not own.isdisjoint([value for value in values if isinstance(value, str)]):
            others = [value for value in values if isinstance(value, str) and value not in own]
            yield from [value.replace("_", " ") for value in others if name_as_words(value) not in spoken]


def _beyond(low: float, high: float, step: float) -> Iterator[float]:
    """Yield round numbers outside the bounds, not far from them."""
    one_more = (high + step, low - step) if high - low <= _FEW * step else ()
    for value in (*one_more, 1.25 * high, 1.5 * high, low / 2):
        near = _round(round(value / step) * step)
        if near > 1 and not low <= near <= high:
            yield near


_FEW = 30
"""The most steps between bounds which people may miss by one step."""


def _round(value: float) -> float:
    """Return the number with two significant digits, as an integer if possible."""
    near = float(f"{value:.2g}")
    return int(near) if near.is_integer() else near


Gap = tuple[str, str]
"""A tool, and a required argument that a request can leave out."""


def find_gaps(toolkit: "Toolkit") -> tuple[Gap, ...]:
    """Return the gaps that requests can have."""
    return tuple([(name, slot) for name in toolkit.starters for slot in _slots_to_leave_out(toolkit.toolbox[name])])


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


def find_aliens(toolkit: "Toolkit") -> dict[str, tuple[str, ...]]:
    """Return, for each tool that can be asked for, those that have nothing to do with it."""
    toolbox = toolkit.toolbox
    unlike = {
        wished: tuple([name for name, spec in toolbox.items() if is_alien(spec, toolbox[wished])])
        for wished in toolkit.starters
    }
    return {wished: names for wished, names in unlike.items() if names}


def find_sisters(toolkit: "Toolkit") -> dict[str, tuple[str, ...]]:
    """Return, for each tool that can be asked for, those that only seem to do what it does."""
    toolbox = toolkit.toolbox
    sisters = {
        wished: tuple([name for name, spec in toolbox.items() if is_sister(spec, toolbox[wished])])
        for wished in toolkit.starters
    }
    return {wished: names for wished, names in sisters.items() if names}


def find_independent(toolkit: "Toolkit") -> tuple[str, ...]:
    """Return the tools that can be called beside another one."""
    return tuple([name for name in toolkit.starters if toolkit.partners[name]])


def find_independent_with_goals(toolkit: "Toolkit") -> tuple[str, ...]:
    """Return those that serve a goal together with other tools."""
    return tuple([name for name in toolkit.independent if name in toolkit.purposes])


def find_twin_tools(toolkit: "Toolkit") -> frozenset[str]:
    """Return the tools for which every row of a family of twins can be made: asked for without a value, and without being on offer."""
    return frozenset(tool for tool, _ in toolkit.gaps) & toolkit.aliens.keys()


class Toolkit(msgspec.Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """The tools and ranges of a recipe as scenarios see them, compiled once."""

    toolbox: Toolbox
    calls: tuple[int, int]
    """How many calls a parallel step has, at least and at most."""
    steps: tuple[int, int]
    """How many steps a chain has, at least and at most."""
    edges: tuple[Edge, ...]
    first_edges: tuple[Edge, ...]
    """Links that a chain can begin with: their source needs no other tool."""
    starters: tuple[str, ...]
    """Tools that need nothing from another tool's result."""
    repeatable: tuple[str, ...]
    """Tools that people call several times in one request."""
    partners: dict[str, tuple[str, ...]]
    """Tool → the starters that can be called beside it: no link leads from one to the other, neither changes what the other one
    looks up, and no file of goals keeps them apart."""
    partner_sets: dict[str, frozenset[str]]
    neighbours: dict[str, tuple[str, ...]]
    """Tool → its partners from the same domain."""
    look_ups: frozenset[str]
    """Tools that only look something up (readers); all others are writers."""
    purposes: dict[str, tuple[Purpose, ...]] = {}
    """The goals that each tool serves together with another one."""
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of tools that the files of goals keep apart whatever the goal: nobody asks for both in one request."""
    policies: tuple[Policy, ...] = ()
    """The written policies that rows may state."""
    sources: DocumentSettings = DocumentSettings()
    """What rows that are documents are made from."""

    @cached_property
    def making(self) -> frozenset[str]:
        """Tools that make something, or do what a later call is about."""
        effects = {name: spec.effect for name, spec in self.toolbox.items()}
        return frozenset([name for name, one in effects.items() if one is not None and one.kind in ("create", "act")])

    # what scenarios ask of the tools, each found when it is first asked for
    independent = cached_property(find_independent)
    """Tools that can be called beside another one."""
    independent_with_goals = cached_property(find_independent_with_goals)
    """Those that serve a goal together with other tools."""
    gaps = cached_property(find_gaps)
    """Required arguments that a request can leave out."""
    limited = cached_property(find_limited)
    """Arguments whose limits people may exceed."""
    edges_to_each = cached_property(find_edges_to_each)
    """Links into lists with a call for each element."""
    edges_beside = cached_property(find_edges_beside)
    """Links whose source can be called beside another tool."""
    sources_with_goals = cached_property(find_sources_with_goals)
    """Their sources that serve a goal together with other tools."""
    silent_edges = cached_property(find_silent_edges)
    """Links from a search that nobody need ask for."""
    chains = cached_property(find_chains)
    """Chains of links, by their number of steps, then by their last tool."""
    aliens = cached_property(find_aliens)
    """Tool → those that have nothing to do with it."""
    twin_tools = cached_property(find_twin_tools)
    """Tools of which rows of a family of twins are made."""
    sisters = cached_property(find_sisters)
    """Tool → those that only seem to do what it does."""


def compile_toolkit(
    toolbox: Toolbox,
    calls: tuple[int, int],
    steps: tuple[int, int],
    sources: DocumentSettings | None = None,
    dead_ends: frozenset[tuple[str, str]] = frozenset(),
    goals: tuple[Goal, ...] = (),
) -> Toolkit:
    """Return what the tools can do together, worked out once for a recipe."""
    found = [edge for spec in toolbox.values() for edge in edges_to(spec, toolbox)]
    edges = tuple(edge for edge in found if (edge.source, edge.target) not in dead_ends)
    starters = tuple(name for name, spec in toolbox.items() if not _needs_result(spec, toolbox))
    repeatable = tuple(name for name in starters if _reads_well_repeated(toolbox[name]))
    usable = starters or tuple(toolbox)
    linked = {(edge.source, edge.target) for edge in edges}
    apart = frozenset().union(*[goal.always_apart for goal in goals])
    partners = {
        name: tuple(
            o
            for o in usable
            if o != name
            and (name, o) not in linked
            and (o, name) not in linked
            and frozenset((name, o)) not in apart
            and not unsettles(spec, toolbox[o])
            and not unsettles(toolbox[o], spec)
        )
        for name, spec in toolbox.items()
    }
    partner_sets = {name: frozenset(others) for name, others in partners.items()}
    first = tuple(edge for edge in edges if edge.source in usable and edge.source != edge.target)
    return Toolkit(
        toolbox=toolbox,
        calls=calls,
        steps=steps,
        edges=edges,
        first_edges=tuple(edge for edge in first if all_linked(toolbox, edges, edge.target, {edge.source})) or first,
        starters=usable,
        repeatable=repeatable or usable,
        partners=partners,
        look_ups=frozenset(name for name, spec in toolbox.items() if spec.looks_up),
        sources=sources or DocumentSettings(),
        purposes=compile_purposes(goals, toolbox, partner_sets),
        apart=apart,
        partner_sets=partner_sets,
        neighbours={
            name: tuple(other for other in others if toolbox[other].domain == toolbox[name].domain)
            for name, others in partners.items()
        },
    )


def _needs_result(spec: ToolSpec, toolbox: Toolbox) -> bool:
    """Whether it has an argument that people do not know by heart; one with examples, a kind or a pattern is known, unless nobody says it."""
    required = spec.required
    known = {slot for slot in (*spec.examples, *spec.kinds, *spec.patterns) if spec.say.get(slot) != "never"}
    return any(
        link.argument.split("/")[0] in required and link.tool in toolbox and link.argument not in known
        for link in spec.links
    )


def _reads_well_repeated(spec: ToolSpec) -> bool:
    phrases = spec.phrases
    return bool(spec.properties) and bool(not phrases.request or phrases.again or phrases.entry or phrases.vary)
