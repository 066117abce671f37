"""Links between loaded tools, and how people single out an element of the list that a link leads into."""

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from generator.core.pointers import schema_at
from generator.core.seeds import Draw
from generator.core.toolbox import Link, Pick, Toolbox, ToolSpec, name_as_words
from generator.dialogue.from_results.choosing import REFERENCES


class Edge(msgspec.Struct, frozen=True):
    """A link between two loaded tools: `target` can take an argument from a result of `source`."""

    source: str
    target: str
    link: Link
    list_slot: str | None
    """The list in the result whose elements hold the value, if it is in a list."""
    fewest: int
    """The least number of elements of that list."""


def tools_of(edges: Iterable[Edge]) -> set[str]:
    """Return the tools at both ends of links."""
    return {tool for edge in edges for tool in (edge.source, edge.target)}


def all_linked(toolbox: Toolbox, edges: tuple[Edge, ...], target: str, made: Collection[str]) -> bool:
    """Whether every required argument that has links can come from the tools already called."""
    spec = toolbox[target]
    required = spec.required
    served = {edge.link.argument for edge in edges if edge.target == target and edge.source in made}
    linked = {link.argument for link in spec.links if link.tool in toolbox}
    return all(argument in served for argument in linked if argument.split("/")[0] in required)


_ENDINGS = {"archive", "cancel", "delete", "discard", "drop", "remove", "terminate", "unsubscribe"}


def ends_a_chain(tool: str) -> bool:
    """Whether nothing can be done afterwards with what this tool is called for, because it is gone."""
    return not _ENDINGS.isdisjoint(name_as_words(tool).split()[:2])  # the name of a server may precede the verb


FIRST, LAST, EACH = (Pick(REFERENCES.picks[by], by) for by in ("first", "last", "each"))


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
    known = REFERENCES.picks
    usual, first = [tuple([pick for pick in picks if pick.by in known]) for picks in ((FIRST, LAST), (FIRST,))]
    return (*draw.shuffled(sure or usual), *(first if len(sure) == len(own) else ()))


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


def edges_to(spec: ToolSpec, toolbox: Toolbox) -> list[Edge]:
    """Return the links by which a tool can take arguments from results of loaded tools."""
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
