"""remember: something is written down with a tool in one part of the conversation, and looked up with one in a later part."""

import re
from collections.abc import Collection

import orjson

from generator.core.errors import CannotFillError
from generator.core.planning import Meant, Ref, Say, Step, Wish
from generator.core.pointers import escape, leaves, resolve
from generator.dialogue.from_results.choosing import noun_in_key, told_fields
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.going_back import fillers
from generator.scenarios.affordances.links import Edge
from generator.scenarios.ask_first.ambiguous import choose_way
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.turns.refer_back import ask_for, requests_between

_USED = 0.5
"""How often what was looked up is then used."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    pairs = toolkit.remembered
    tools = {tool for writer, finder, _ in pairs for tool in (writer, finder)}
    used = {edge.target for edge in toolkit.edges_to_one if edge.source in tools}
    return tools | used | {name for writer, finder, _ in pairs for name in fillers(toolkit, writer)}


def _events(scene: Scene) -> Events:
    writer, finder, shared = scene.decide(scene.toolkit.remembered)
    first = scene.wish(writer)
    if not all(name in first.said for name in shared.values()):
        raise CannotFillError(f"{finder} would have nothing to look for")
    between = requests_between(scene, (writer, finder), _noun(scene, finder))
    asked = yield Say(wishes=(first,))
    written = yield Step(calls=(serve(asked),))
    yield tell(written)
    yield from ask_for(scene, between)
    then = yield Say(wishes=(Wish(finder, {name: first.said[own] for name, own in shared.items()}),))
    found = yield Step(calls=(serve(then),))
    if not _holds_again(written.outcomes[0].content, found.outcomes[0].content):
        raise CannotFillError(f"{finder} does not find what {writer} has written down")
    yield tell(found)
    edges = [edge for edge in scene.toolkit.edges_to_one if edge.source == finder]
    if edges and scene.draw.chance(_USED):
        yield from _use(scene, scene.decide(edges), then, found)


def _use(scene: Scene, edge: Edge, then: Say, found: Step) -> Events:
    """Yield a request for something to be done with what was looked up."""
    assert edge.list_slot is not None
    source, slot = Ref(then.id, 0, edge.link.result), edge.link.argument
    if len(resolve(found.outcomes[0].value, edge.list_slot)) == 1:
        meant = Meant(source)
    else:
        told = told_fields(scene.toolkit.toolbox[edge.source], edge.list_slot)
        meant = Meant(source, (choose_way(scene, edge, found, told)[1],))
    last = yield Say(wishes=(scene.wish_with(edge.target, {slot: meant}),))
    done = yield Step(calls=(serve(last, 0, found),))
    yield tell(done)


def _noun(scene: Scene, finder: str) -> str:
    """Return the noun for what is written down."""
    effect = scene.toolkit.toolbox[finder].effect
    entity = None if effect is None else scene.toolkit.toolbox[finder].declared.entities.get(effect.entity)
    return "" if entity is None else noun_in_key(escape(entity.key))


def _holds_again(before: str, after: str) -> bool:
    """Whether a result holds an identifier that an earlier one gave."""
    try:
        first, later = orjson.loads(before), orjson.loads(after)
    except orjson.JSONDecodeError:
        return False
    known = {value for _, value in leaves(later) if isinstance(value, str)}
    return any(
        value in known
        for _, value in leaves(first)
        if isinstance(value, str) and re.search(r"\d{3}", value) and "-" in value
    )


def _reads_what_was_written(shape: ConversationShape) -> bool:
    """Whether what is written down at first is looked up in the end."""
    last = len(shape.contents) - 1
    reads = [place for place in (last - 1, last) if place > 1 and not shape.steps[place][0].takes]
    return any(_holds_again(shape.contents[0], shape.contents[place]) for place in reads)


SCENARIO = Scenario(
    "remember",
    "something is written down with a tool, and looked up with another one some turns later",
    _tools,
    _events,
    (Pattern("U C A (U C A)+ U C A", also=_reads_what_was_written),),
    needs=(
        "a tool with `effect: {create: …}` and one with `effect: {find: …}` for the same entity, by an argument "
        "that both have"
    ),
)
