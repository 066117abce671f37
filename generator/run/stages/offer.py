"""What a row shows beside its calls: the tools on offer and the system message."""

from datetime import date

from generator.core.conversation import Tool
from generator.core.planning import Ask, Decline, Event, Note, Say, Step
from generator.core.profiles import PROFILES
from generator.core.seeds import Draw
from generator.dialogue.no_call.abilities import could_do, is_alien
from generator.run.overlays import draw_system, on_that_day
from generator.run.prepared import PreparedRecipe
from generator.scenarios import Scenario
from generator.scenarios.policies import Rules

_FEWEST_HARD = 4
"""Tools like the called ones that a row offers where they shall be hard to tell apart."""


def choose_offer(
    prepared: PreparedRecipe, scenario: Scenario, events: tuple[Event, ...], draw: Draw, rules: Rules | None = None
) -> tuple[Tool, ...]:
    """Return the tools on offer: the called ones and distractors, in random order; under a policy, those that it serves."""
    if rules is not None:
        served = [name for name in prepared.names if prepared.toolbox[name].domain in rules.policy.serves]
        return _in_any_order(prepared, served, draw)
    declined = [event for event in events if type(event) is Decline]
    if declined:
        return _offer_without(prepared, declined, events, draw)
    extent = prepared.recipe.offer.distractors
    names = beside_called(prepared, _called(events), extent, draw, look_alikes=scenario.look_alikes)
    return _in_any_order(prepared, names, draw)


def beside_called(
    prepared: PreparedRecipe, called: list[str], extent: tuple[int, int], draw: Draw, *, look_alikes: bool = False
) -> list[str]:
    """Return the called tools and as many others as `extent` allows: any, or those that look most alike."""
    number_of_others = draw.between(*extent)
    is_hard = bool(called) and prepared.recipe.offer.hard > 0 and draw.chance(prepared.recipe.offer.hard)
    if is_hard:
        return [*called, *_most_alike(prepared, called, max(_FEWEST_HARD, number_of_others))]
    if not called:
        return draw.shuffled(prepared.names)[: max(1, number_of_others)]
    if look_alikes:
        return [*called, *_nearest(prepared, called, max(1, number_of_others), draw)]
    return [*called, *_others(prepared, called, number_of_others, draw)]


def _called(events: tuple[Event, ...]) -> list[str]:
    """Return the tools that are called, and those whose calls are proposed, hang on a condition, or are set aside or left open."""
    names: list[str] = []
    for event in events:
        if type(event) is Step:
            names += [call.tool for call in event.calls]
        elif type(event) is Ask and event.call is not None:
            names.append(event.call.tool)
        elif type(event) is Say:
            names += [wish.tool for wish in event.wishes if wish.set_aside]
            if event is events[-2] and type(events[-1]) is Ask:  # the conversation ends with the question
                names += [wish.tool for wish in event.wishes]
    return list(dict.fromkeys(names))


def _offer_without(
    prepared: PreparedRecipe, declined: list[Decline], events: tuple[Event, ...], draw: Draw
) -> tuple[Tool, ...]:
    """Return tools that cannot do what is declined, among them those that the assistant mentions."""
    toolbox = prepared.toolbox
    wished = [toolbox[_tool_of(decline, events)] for decline in declined]
    mentioned = [name for event in declined for name in (*event.instead, event.like) if name]
    called = [call.tool for event in events if type(event) is Step for call in event.calls]
    mentioned = list(dict.fromkeys([*mentioned, *called]))
    number_of_others = max(draw.between(*prepared.recipe.offer.distractors), 1 - len(mentioned))
    looks_like = any(event.like for event in declined)
    if mentioned and not called and not looks_like:  # "I can only …"
        return _in_any_order(prepared, mentioned, draw)
    is_ruled_out = could_do if looks_like or called else lambda offered, wished: not is_alien(offered, wished)
    others = [
        name
        for name in prepared.names
        if name not in mentioned and not any(is_ruled_out(toolbox[name], declined_tool) for declined_tool in wished)
    ]
    if looks_like:
        nearest = prepared.look_alikes[wished[0].name]
        others = sorted(others, key=nearest.index)[: 2 * number_of_others]
    names = [*mentioned, *draw.shuffled(others)[:number_of_others]]
    return _in_any_order(prepared, names, draw)


def _in_any_order(prepared: PreparedRecipe, names: list[str], draw: Draw) -> tuple[Tool, ...]:
    """Return the tools of these names, the first ones if a profile allows fewer."""
    most = PROFILES[prepared.recipe.profile].most_tools if prepared.recipe.profile else None
    return tuple([prepared.toolbox[name].tool for name in draw.shuffled(names[:most])])


def _tool_of(decline: Decline, events: tuple[Event, ...]) -> str:
    """Return the name of the tool that the declined wish is about."""
    say = events[decline.wish[0]]
    assert isinstance(say, Say)
    return say.wishes[decline.wish[1]].tool


def choose_system(prepared: PreparedRecipe, draw: Draw, today: date, *, styled: bool = True) -> Note | None:
    """Return the system message, if the row has one; with `styled` it may have a line about the looks of answers."""
    templates = prepared.recipe.system
    if prepared.recipe.overlays.system and draw.chance(prepared.recipe.overlays.system):
        return draw_system(draw, today, styled=styled)
    note = on_that_day(draw.choice(templates), today) if templates else None
    return note if note is None or styled or not note.style else note.without_style


def _nearest(prepared: PreparedRecipe, called: list[str], wanted: int, draw: Draw) -> list[str]:
    """Return those of the tools that are not called that are most like the called one."""
    nearest = [name for name in prepared.look_alikes[called[0]] if name not in called]
    return draw.shuffled(nearest[: wanted + 2])[:wanted]


def _most_alike(prepared: PreparedRecipe, called: list[str], number: int) -> list[str]:
    """Return the tools that are hardest to tell from the called ones, taken in turn from those like each of them."""
    nearest = [prepared.look_alikes[name] for name in called]
    mixed = [names[rank] for rank in range(len(prepared.names) - 1) for names in nearest]
    return [name for name in dict.fromkeys(mixed) if name not in called][:number]


def _others(prepared: PreparedRecipe, called: list[str], number: int, draw: Draw) -> list[str]:
    """Return any tools that are not called, every second one like a called one."""
    chosen: list[str] = []
    names = prepared.names
    most = min(number, len(names) - len(called))
    rand = draw.rand
    while len(chosen) < most:
        some = prepared.look_alikes[called[int(rand() * len(called))]][:8] if rand() < 0.5 else names
        name = some[int(rand() * len(some))]
        if name not in called and name not in chosen:
            chosen.append(name)
    return chosen
