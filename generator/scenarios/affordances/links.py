"""Links between loaded tools, and how people single out an element of the list that a link leads into."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from generator.core.exact_json import is_among, same
from generator.core.pointers import schema_at
from generator.core.seeds import Draw
from generator.core.templates import parse_template
from generator.core.toolbox import Link, Pick, Toolbox, ToolSpec, fields_written, found_by, name_as_words, restores
from generator.dialogue.from_results.choosing import REFERENCES
from generator.tools.productions import place_frames

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


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


def picks_for(edge: Edge, toolbox: Toolbox, draw: Draw, is_seen: bool, then: Collection[str]) -> tuple[Pick, ...]:
    """Return picks for an element of the link's list, in random order, also with a view to the tools that are called `then`; `first` always works.

    Of a list that the user has not seen, nobody speaks of places in it unless there are no other picks, and some picks are no way to
    say what is to be changed.
    """
    if edge.list_slot is None:
        return ()
    own = toolbox[edge.source].phrases.pick.get(edge.list_slot, ())
    sure = (
        own
        if is_seen or all(toolbox[tool].looks_up for tool in (edge.target, *then))
        else tuple([pick for pick in own if not pick.looks_up])
    )
    sure = sure if is_seen else tuple([pick for pick in sure if not says_place(pick)]) or sure
    known = REFERENCES.picks
    usual, first = [tuple([pick for pick in picks if pick.by in known]) for picks in ((FIRST, LAST), (FIRST,))]
    return (*draw.shuffled(sure or usual), *(first if len(sure) == len(own) else ()))


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
        fewest = (
            _SUPPLIED
            if source.effect is not None and source.effect.kind == "find"
            else (listed or {}).get("minItems", 1)
        )
        edges.append(Edge(source.name, spec.name, link, list_slot, fewest))
    return edges


_SUPPLIED = 2
"""A world with entities is supplied with as many for a search as a scenario needs (`Scene.wish`)."""


def _takes_a_list(spec: ToolSpec, argument: str) -> bool:
    return (schema_at(spec.tool.parameters, argument) or {}).get("type") == "array"


# --- arguments asked again with another value ---


def beside(known: Iterable[dict[str, Any]], said: dict[str, Any], slot: str) -> list[Any]:
    """Return the different values of an argument in those known calls that are as `said` but for it."""
    found: list[Any] = []
    for one in known:
        if slot in one and slot in said and same({**said, slot: one[slot]}, one) and not is_among(one[slot], found):
            found.append(one[slot])
    return found


def can_be_said_alone(spec: ToolSpec, slot: str) -> bool:
    """Whether "And in Rome?" or "What about Rome?" can be said of an argument, which is no half of a place.

    A frame says the slot and nothing else; or it is a name, and the phrases do not keep it from being varied alone.
    """
    schema = schema_at(spec.tool.parameters, slot)
    if "/" in slot or not is_single(schema) or slot in place_frames(spec):
        return False
    phrases = spec.phrases
    frames = phrases.slots.get(slot)
    said = [parse_template(text) for text in frames.frames] if frames else []
    if any(one.says == one.needs == {slot} and not one.is_sentence and not one.text.startswith(",") for one in said):
        return frames is None or not frames.clauses
    is_name = schema is not None and schema["type"] == "string" and "enum" not in schema
    return slot in phrases.vary and is_name if phrases.request or phrases.question or phrases.want else frames is None


# --- what links are good for ---


_FOR_ONE_ONLY = frozenset(
    [
        "book",
        "buy",
        "confirm",
        "merge",
        "order",
        "pay",
        "play",
        "purchase",
        "reschedule",
        "reserve",
        "restore",
        "save",
        "take",
    ]
)
"""Verbs of tools before which people choose among what they found; nobody books every flight."""


_WHOLE_NAMES = frozenset({"last_name", "full_name"})
"""Arguments of searches for one person, even where several have that name."""


def find_edges_to_each(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links into lists; first those into lists of always at least two elements, to tools that one calls for each."""
    edges = [edge for edge in toolkit.first_edges if edge.list_slot is not None]
    long = [edge for edge in edges if edge.fewest >= 2] or edges
    usual = [edge for edge in long if edge.target.split("_")[0] not in _FOR_ONE_ONLY and not _is_for_one(edge, toolkit)]
    return tuple(usual or long)


def _is_for_one(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether the search is for one person by name, or the elements would all be moved to the same time.

    Nobody gives two people of a name the same telephone number.
    """
    required = toolkit.toolbox[edge.source].required
    target = toolkit.toolbox[edge.target]
    entity = target.declared.entities.get(target.effect.entity) if target.effect is not None else None
    times = (entity.one_at_a_time or ())[:2] if entity is not None else ()
    return not _WHOLE_NAMES.isdisjoint(required) or not fields_written(target).keys().isdisjoint(times)


def find_edges_beside(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links whose source can be called beside another tool."""
    edges = [
        edge
        for edge in toolkit.first_edges
        if toolkit.partner_sets[edge.source] - {edge.target} and works_unseen(edge, toolkit.toolbox)
    ]
    return tuple(edges)


def find_sources_with_goals(toolkit: "Toolkit") -> tuple[str, ...]:
    """Return the sources of such links that serve a goal together with other tools."""
    return tuple({edge.source: None for edge in toolkit.edges_beside if edge.source in toolkit.purposes})


def find_silent_edges(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links from a search to a tool that needs no other search."""
    return tuple([edge for edge in toolkit.first_edges if is_told_unseen(edge, toolkit)])


def is_told_unseen(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether people who have not searched can say which element of the list they want: "change the first match" is no way."""
    own = toolkit.toolbox[edge.source].phrases.pick.get(edge.list_slot or "", ())
    is_placed = bool(own) and all(map(says_place, own)) and edge.target not in toolkit.look_ups
    return bool(edge.list_slot) and not is_placed and is_searched_silently(toolkit, edge.source)


def is_searched_silently(toolkit: "Toolkit", tool: str) -> bool:
    """Whether a tool only looks something up, and has a noun phrase for what it finds: nobody need ask for the search."""
    return tool in toolkit.look_ups and bool(toolkit.toolbox[tool].phrases.found or found_by(tool))


# --- chains of links ---


Chain = tuple[Edge, ...]


_MOST_CHAINS = 20_000


def find_chains(toolkit: "Toolkit") -> dict[int, dict[str, tuple[Chain, ...]]]:
    """Return all chains that can be planned: by number of steps, then by their last tool."""
    known: dict[int, dict[str, tuple[Chain, ...]]] = {}
    firsts: list[Chain] = [
        (edge,)
        for edge in toolkit.first_edges
        if works_unseen(edge, toolkit.toolbox) and not _makes_no_sense(toolkit, edge.target, [edge.source])
    ]
    found = firsts
    for steps in range(2, toolkit.steps[1] + 1):
        ends: dict[str, list[Chain]] = {}
        for chain in found:
            ends.setdefault(chain[-1].target, []).append(chain)
        if steps >= toolkit.steps[0] and ends:
            known[steps] = {end: tuple(chains) for end, chains in ends.items()}
        found = [(*chain, edge) for chain in found for edge in _next_edges(toolkit, chain)][:_MOST_CHAINS]
    if not known:  # no chain is as long as the recipe asks for
        known[2] = {chain[0].target: (chain,) for chain in firsts}
    return known


def _next_edges(toolkit: "Toolkit", chain: Chain) -> list[Edge]:
    """Return the links from a tool of the chain to one outside it: only targets that need nothing else, if there are any."""
    made = [chain[0].source, *[edge.target for edge in chain]]
    if ends_a_chain(made[-1]):
        return []
    open_edges = [
        edge
        for edge in toolkit.edges
        if edge.source in made and edge.target not in made and works_unseen(edge, toolkit.toolbox)
    ]
    open_edges = [edge for edge in open_edges if not _makes_no_sense(toolkit, edge.target, made)]
    if not toolkit.look_ups.issuperset(
        made
    ):  # nobody has something changed and then has it taken away, or reads on about it
        open_edges = [
            edge for edge in open_edges if not ends_a_chain(edge.target) and not _looks_back(toolkit, edge, chain)
        ]
    closed = [edge for edge in open_edges if all_linked(toolkit.toolbox, toolkit.edges, edge.target, made)]
    return closed or open_edges


def _makes_no_sense(toolkit: "Toolkit", tool: str, made: list[str]) -> bool:
    """Whether nobody asks for a tool after those of a chain: it undoes one of them, or the files of goals keep the two apart."""
    spec = toolkit.toolbox[tool]
    return any(frozenset((tool, one)) in toolkit.apart or restores(spec, toolkit.toolbox[one]) for one in made)


def _looks_back(toolkit: "Toolkit", edge: Edge, chain: Chain) -> bool:
    """Whether something is looked up about an element of a list that the chain has already acted on."""
    acted = [one for one in chain if one.target not in toolkit.look_ups]
    return edge.target in toolkit.look_ups and any(
        (one.source, one.list_slot) == (edge.source, edge.list_slot) for one in acted
    )
