"""Links between loaded tools, and how people single out an element of the list that a link leads into."""

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from generator.core.exact_json import is_among, same
from generator.core.pointers import schema_at
from generator.core.seeds import Draw
from generator.core.templates import parse_template
from generator.core.toolbox import Link, Pick, Toolbox, ToolSpec
from generator.dialogue.from_results.choosing import REFERENCES
from generator.tools.productions import place_frames


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
    return (*draw.shuffled(sure or (FIRST, LAST)), *((FIRST,) if len(sure) == len(own) else ()))


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
        argument = schema_at(spec.tool.parameters, link.argument) or {}
        if source is None or "*" in link.argument or argument.get("type") == "array":
            continue
        list_slot = link.result.split("/*")[0] if "*" in link.result else None
        fewest: int = ((schema_at(source.returns, list_slot) if list_slot else None) or {}).get("minItems", 1)
        if source.effect is not None and source.effect.kind == "find":
            fewest = _SUPPLIED
        edges.append(Edge(source.name, spec.name, link, list_slot, fewest))
    return edges


_SUPPLIED = 2
"""A world with entities is supplied with as many for a search as a scenario needs (`Scene.wish`)."""


# --- arguments asked again with another value ---


def other_known_values(known: Iterable[dict[str, Any]], arguments: dict[str, Any], slot: str) -> list[Any]:
    """Return the different values of an argument in those known calls that are as `said` but for it."""
    values: list[Any] = []
    for known_call in known:
        if (
            slot in known_call
            and slot in arguments
            and same({**arguments, slot: known_call[slot]}, known_call)
            and not is_among(known_call[slot], values)
        ):
            values.append(known_call[slot])
    return values


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
