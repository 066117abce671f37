"""What the tools of a recipe can do together: which need no other tool, and which links lead from one to another."""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar

import msgspec

from generator.execution.state import StateFacts
from generator.planning import DocumentSettings
from generator.pointers import schema_at
from generator.recipe.goals import Condition, Goal
from generator.scenarios.conditions import compile_conditions
from generator.scenarios.goals import Purpose, compile_purposes
from generator.seeds import Draw
from generator.toolbox import Link, Pick, Toolbox, ToolSpec, name_as_words, unsettles

_Found = TypeVar("_Found")


class Edge(msgspec.Struct, frozen=True):
    """A link between two loaded tools: `target` can take an argument from a result of `source`."""

    source: str
    target: str
    link: Link
    list_slot: str | None
    """The list in the result whose elements hold the value, if it is in a list."""
    fewest: int
    """The least number of elements of that list."""


class Toolkit(msgspec.Struct, frozen=True, kw_only=True):
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
    facts: StateFacts = StateFacts()
    """What trying the tools in every state of their entities has shown: which calls fail, and what mends that."""
    memo: dict[str, Any] = {}
    """What functions marked `once` have worked out about this toolkit, by their names."""
    purposes: dict[str, tuple[Purpose, ...]] = {}
    """The goals that each tool serves together with another one."""
    conditions: tuple[Condition, ...] = ()
    """What people make depend on results, where files of goals say so of loaded tools."""
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of tools that the files of goals keep apart whatever the goal: nobody asks for both in one request."""
    sources: DocumentSettings = DocumentSettings()
    """What rows that are documents are made from."""


def once(find: Callable[[Toolkit], _Found]) -> Callable[[Toolkit], _Found]:
    """Have a function work out something about a toolkit once, and keep it with the toolkit."""
    name = f"{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def kept(toolkit: Toolkit) -> _Found:
        if name not in toolkit.memo:
            toolkit.memo[name] = find(toolkit)
        found: _Found = toolkit.memo[name]
        return found

    return kept


def compile_toolkit(
    toolbox: Toolbox,
    calls: tuple[int, int],
    steps: tuple[int, int],
    sources: DocumentSettings | None = None,
    facts: StateFacts | None = None,
    goals: tuple[Goal, ...] = (),
    conditions: tuple[Condition, ...] = (),
) -> Toolkit:
    """Return what the tools can do together, worked out once for a recipe."""
    facts = facts or StateFacts()
    found = [edge for spec in toolbox.values() for edge in _edges_to(spec, toolbox)]
    edges = tuple(edge for edge in found if (edge.source, edge.target) not in facts.dead_ends)
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
        facts=facts,
        memo={},
        sources=sources or DocumentSettings(),
        purposes=compile_purposes(goals, toolbox, partner_sets),
        conditions=compile_conditions(conditions, toolbox),
        apart=apart,
        partner_sets=partner_sets,
        neighbours={
            name: tuple(other for other in others if toolbox[other].domain == toolbox[name].domain)
            for name, others in partners.items()
        },
    )


def all_linked(toolbox: Toolbox, edges: tuple[Edge, ...], target: str, made: Collection[str]) -> bool:
    """Whether every required argument that has links can come from the tools already called."""
    spec = toolbox[target]
    required = (spec.tool.parameters or {}).get("required", ())
    served = {edge.link.argument for edge in edges if edge.target == target and edge.source in made}
    linked = {link.argument for link in spec.links if link.tool in toolbox}
    return all(argument in served for argument in linked if argument.split("/")[0] in required)


_ENDINGS = {"archive", "cancel", "delete", "discard", "drop", "remove", "terminate", "unsubscribe"}


def ends_a_chain(tool: str) -> bool:
    """Whether nothing can be done afterwards with what this tool is called for, because it is gone."""
    return not _ENDINGS.isdisjoint(name_as_words(tool).split()[:2])  # the name of a server may precede the verb


FIRST = Pick("the first one", "first")
LAST = Pick("the last one on the list", "last")
EACH = Pick("each of them", "each")


def picks_for(
    edge: Edge, toolbox: Toolbox, draw: Draw, is_seen: bool = True, then: Collection[str] = ()
) -> tuple[Pick, ...]:
    """Return picks for an element of the link's list, in random order; `first` always works.

    Args:
        edge: The link.
        toolbox: The tools.
        draw: The row's stream.
        is_seen: Whether the user has seen the list; if not, nobody speaks of places in it, and some picks are no way to say what is
            to be changed.
        then: Further tools that may be called for the element.
    """
    if edge.list_slot is None:
        return ()
    own = toolbox[edge.source].phrases.pick.get(edge.list_slot, ())
    sure = (
        own
        if is_seen or all(toolbox[tool].looks_up for tool in (edge.target, *then))
        else tuple([pick for pick in own if not pick.looks_up])
    )
    sure = sure if is_seen else picks_unseen(sure)
    return (*draw.shuffled(sure or (FIRST, LAST)), *((FIRST,) if len(sure) == len(own) else ()))


def picks_unseen(picks: tuple[Pick, ...]) -> tuple[Pick, ...]:
    """Return the picks with which people speak of a list that they have not seen: by no place in it, unless there are no others."""
    return tuple([pick for pick in picks if not says_place(pick)]) or picks


def says_place(pick: Pick) -> bool:
    """Whether the words of a pick name a place in a list: "the last one on the list", but not "the opening track"."""
    return pick.by in ("first", "last") and f" {pick.by} " in f" {pick.say} "


def works_unseen(edge: Edge, toolbox: Toolbox) -> bool:
    """Whether people can say which element of the link's list they mean before they have seen the list."""
    own = toolbox[edge.source].phrases.pick.get(edge.list_slot or "", ())
    return not own or toolbox[edge.target].looks_up or not all(pick.looks_up for pick in own)


def is_single(schema: Any) -> bool:
    """Whether people say a value of this schema as one text or number."""
    if not isinstance(schema, dict) or schema.get("type") not in ("string", "integer", "number"):
        return False
    return "const" not in schema and len(schema.get("enum", (1, 2))) > 1


def _edges_to(spec: ToolSpec, toolbox: Toolbox) -> list[Edge]:
    edges = []
    for link in spec.links:
        source = toolbox.get(link.tool)
        if source is None or "*" in link.argument or _takes_a_list(spec, link.argument):
            continue
        list_slot = link.result.split("/*")[0] if "*" in link.result else None
        listed = schema_at(source.returns, list_slot) if list_slot else None
        fewest = _SUPPLIED if _finds(source) else (listed or {}).get("minItems", 1)
        edges.append(Edge(source.name, spec.name, link, list_slot, fewest))
    return edges


_SUPPLIED = 2
"""A world with entities is supplied with as many for a search as a scenario needs (`Scene.wish`)."""


def _finds(spec: ToolSpec) -> bool:
    return spec.effect is not None and spec.effect.kind == "find"


def _takes_a_list(spec: ToolSpec, argument: str) -> bool:
    return (schema_at(spec.tool.parameters, argument) or {}).get("type") == "array"


def _needs_result(spec: ToolSpec, toolbox: Toolbox) -> bool:
    """Whether it has an argument that people do not know by heart; one with examples, a kind or a pattern is known, unless nobody says it."""
    required = (spec.tool.parameters or {}).get("required", ())
    known = {slot for slot in (*spec.examples, *spec.kinds, *spec.patterns) if spec.say.get(slot) != "never"}
    return any(
        link.argument.split("/")[0] in required and link.tool in toolbox and link.argument not in known
        for link in spec.links
    )


def _reads_well_repeated(spec: ToolSpec) -> bool:
    phrases = spec.phrases
    has_arguments = bool((spec.tool.parameters or {}).get("properties"))
    return has_arguments and bool(not phrases.request or phrases.again or phrases.entry or phrases.vary)
