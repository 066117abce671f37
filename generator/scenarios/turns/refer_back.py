"""refer_back: a request about what was said or found two or more turns ago: "the second flight", "that event", "the same day"."""

from collections.abc import Collection, Sequence

from generator.core.errors import CannotFillError
from generator.core.planning import Back, Meant, Ref, Say, Step, Wish
from generator.core.pointers import escape
from generator.dialogue.from_results.choosing import noun_in_key, same_again, told_fields
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import Purpose
from generator.scenarios.affordances.going_back import fillers, gives
from generator.scenarios.affordances.links import Edge
from generator.scenarios.ask_first.ambiguous import choose_way
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.shared import could_mean, in_common

_BETWEEN = (1, 2)
"""How many requests about something else come in between, at least and at most."""
_LISTED = 0.65
"""How often the user refers to one of several things, where a thing that is the only one of its kind could be used, too."""
_A_VALUE = 0.25
"""How often a value that was said is used again, where something that was found could be used, too."""
_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = tools_for_results(toolkit) | {tool for _, one, other in toolkit.shared_values for tool in (one, other)}
    return tools | {name for tool in tools for name in fillers(toolkit, tool)}


def tools_for_results(toolkit: Toolkit) -> set[str]:
    """Return the tools for which the user can refer to what was found or made."""
    return {tool for edge in (*toolkit.listed, *toolkit.single) for tool in (edge.source, edge.target)}


def _events(scene: Scene) -> Events:
    shared = scene.toolkit.shared_values
    has_edges = bool(scene.toolkit.listed or scene.toolkit.single)
    if shared and (not has_edges or scene.draw.chance(_A_VALUE)):
        yield from _take_a_value_again(scene, *scene.decide(shared))
    else:
        yield from go_back_to_a_result(scene, _BETWEEN)


def go_back_to_a_result(scene: Scene, number: tuple[int, int]) -> Events:
    """Yield requests, the last of which refers to what the first one found or made."""
    listed, single = scene.toolkit.listed, scene.toolkit.single
    edge: Edge = scene.decide(listed if listed and (not single or scene.draw.chance(_LISTED)) else single)
    first = scene.wish(edge.source, edge.target, fewest=2 if edge.list_slot is not None else 1)
    between = requests_between(scene, (edge.source, edge.target), noun_in_key(edge.link.result), number=number)
    asked = yield Say(wishes=(first,))
    found = yield Step(calls=(serve(asked),))
    yield tell(found)
    yield from ask_for(scene, between)
    source = Ref(asked.id, 0, edge.link.result)
    if edge.list_slot is None:
        wish = scene.wish_with(edge.target, {edge.link.argument: Meant(source)})
    else:
        told = told_fields(scene.toolkit.toolbox[edge.source], edge.list_slot)
        _, pick = choose_way(scene, edge, found, told)
        wish = scene.wish_with(edge.target, {edge.link.argument: Meant(source, (pick,))})
    then = yield Say(wishes=(wish,))
    done = yield Step(calls=(serve(then, 0, found),))
    yield tell(done)


def _take_a_value_again(scene: Scene, purpose: Purpose, first: str, last: str) -> Events:
    """Yield requests, the last of which refers to a value of the first: the same day, the same city, the same person."""
    one, other = scene.agreed(purpose, scene.drafts.wishes((first, last)))
    before, slot = next(iter(in_common(purpose, one, other)), ("", ""))
    if not slot:
        raise CannotFillError(f"{first} and {last} have nothing in common that can be said again")
    words = scene.draw.choice(same_again(slot))
    between = requests_between(scene, (first, last), "", words)
    if could_mean(scene, words, one, before) or could_mean(scene, words, other, slot):
        raise CannotFillError(f"{words!r} could mean two things")
    asked = yield Say(wishes=(one,))
    found = yield Step(calls=(serve(asked),))
    yield tell(found)
    yield from ask_for(scene, between)
    said = {name: value for name, value in other.said.items() if escape(name) != slot}
    then = yield Say(wishes=(Wish(last, said, {slot: Back(Ref(asked.id, 0, before), words)}),))
    done = yield Step(calls=(serve(then),))
    yield tell(done)


def ask_for(scene: Scene, wishes: Sequence[Wish]) -> Events:
    """Yield independent requests, one after the other."""
    for wish in wishes:
        asked = yield Say(wishes=(wish,))
        done = yield Step(calls=(serve(asked),))
        yield tell(done)


def requests_between(
    scene: Scene, tools: tuple[str, str], noun: str, words: str = "", number: tuple[int, int] = _BETWEEN
) -> tuple[Wish, ...]:
    """Return requests that come in between, none of which is about something that the user could mean in the end.

    Args:
        scene: The row.
        tools: The first and the last tool that is called.
        noun: What the user goes back to; empty for a value.
        words: How the user refers to a value.
        number: How many there are, at least and at most.
    """
    wanted = scene.draw.between(*number)
    able = [
        name
        for name in fillers(scene.toolkit, tools[0], wanted)
        if name not in tools and not gives(scene.toolkit, name, noun) and not _tells(scene.toolkit, name, words)
    ]
    if not able:
        raise CannotFillError(f"nothing can be asked for between {tools[0]} and {tools[1]}")
    for _ in range(_TRIES):
        chosen = scene.draw.shuffled(able)[:wanted]
        more = number[0] - len(chosen)  # where there are few tools, some are called several times
        wishes = scene.wishes((*chosen, *[scene.draw.choice(able) for _ in range(more)]), at_once=False)
        if not words or not any(could_mean(scene, words, wish) for wish in wishes):
            return wishes
    raise CannotFillError(f"every request in between says what {words!r} could mean")


def _tells(toolkit: Toolkit, tool: str, words: str) -> bool:
    """Whether the results of a tool have a field that some words could refer to: a day, or a city, of each thing in a list."""
    parts = [toolkit.toolbox[tool].returns or {}] if words else []
    for part in parts:
        for name, schema in part.get("properties", {}).items():
            if words in same_again(name) or (schema.get("format") == "date" and words in same_again("date")):
                return True
            parts += [one for one in (schema, schema.get("items")) if isinstance(one, dict) and "properties" in one]
    return False


SCENARIO = Scenario(
    "refer_back",
    "a request about what was said or found some turns ago, with something else in between",
    _tools,
    _events,
    (Pattern("U C A (U C A)+ U C:from_turns_ago A"),),
    needs=(
        "a link between two loaded tools, and a third one to ask for in between, or a goal whose tools share a "
        "day, a city or a person"
    ),
)
