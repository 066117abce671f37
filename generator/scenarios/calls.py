"""Conversations of one request, its calls and an answer.

single: one request, one call.
multiple: one right tool among look-alikes.
parallel: one tool, called several times at once with different arguments.
parallel_multiple: different tools at once, none of which needs another's result.
sequential: a chain in which every later call takes an argument from an earlier result.
fan_out: a call that returns a list, then one call for each of its elements, in parallel.
mixed: several calls at once, then a call that needs one of their results.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import product

import msgspec

from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.planning import HERE, Back, Meant, Ref, Say, Step, Wish
from generator.core.pointers import escape, schema_at
from generator.dialogue.from_results.choosing import may_mean, on_another_day, same_again
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import Purpose, choose_tools
from generator.scenarios.affordances.links import EACH, Edge, tools_of
from generator.scenarios.scenario import Events, Scenario, at_once, serve, serve_all, tell
from generator.scenarios.scene import Picked, Scene
from generator.scenarios.shape import Pattern

_SAID_TWICE = 0.15
"""How often a message says a value again for each of its wishes."""


def _one_call(scene: Scene) -> Events:
    """Yield one wish, its call and the report."""
    asked = yield Say(wishes=(scene.wish(scene.decide(scene.toolkit.starters)),))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)


# --- several calls at once ---


def _tools_called_several_times(toolkit: Toolkit) -> Collection[str]:
    """Return the tools that can be called several times with different arguments."""
    return toolkit.repeatable if any(spec.properties for spec in toolkit.toolbox.values()) else ()


def _calls_of_one_tool(scene: Scene) -> Events:
    """Yield wishes for one tool, their calls at once and the report."""
    asked = yield Say(wishes=_wishes_for_one_tool(scene))
    done = yield Step(calls=at_once(serve_all(asked), scene.draw))
    yield tell(done)


def _wishes_for_one_tool(scene: Scene) -> tuple[Wish, ...]:
    """Return wishes that differ in all arguments, or in one that reads well as a list ("in Oslo, Rome and Lima")."""
    toolkit, draw = scene.toolkit, scene.draw
    tool = scene.decide(toolkit.repeatable)
    phrases = toolkit.toolbox[tool].phrases
    number = draw.between(*toolkit.calls)
    only_lists = phrases.vary and not (phrases.again or phrases.entry)
    if phrases.vary and (only_lists or draw.chance(0.5)):
        return scene.wishes_that_vary(tool, draw.choice(phrases.vary), number)
    return scene.wishes([tool] * number)


def _calls_of_different_tools(scene: Scene) -> Events:
    """Yield wishes for different tools, often with values in common, their calls at once and the report."""
    wanted = scene.draw.between(*scene.toolkit.calls)
    found = scene.purpose(scene.toolkit.independent_with_goals)
    if found is not None:
        first, purpose = found
        tools = choose_tools(purpose, first, wanted, scene.draw)
    else:
        purpose, tools = None, _tools_without_links(scene, wanted, scene.decide(scene.toolkit.independent))
    wishes = kept_to_today(scene, scene.agreed(purpose, scene.drafts.wishes(tools)))
    asked = yield Say(wishes=_with_references(scene, purpose, wishes))
    done = yield Step(calls=at_once(serve_all(asked), scene.draw))
    yield tell(done)


def _tools_without_links(scene: Scene, wanted: int, first: str) -> list[str]:
    """Return `first` and other tools, up to `wanted`, without a link between any two; often from one domain."""
    toolkit, rand = scene.toolkit, scene.draw.rand
    partners, sets = toolkit.partners[first], toolkit.partner_sets
    tools = [first, *scene.preferred(partners)[:1]]
    near = toolkit.neighbours[first] or partners
    for _ in range(wanted * 4):
        if len(tools) == wanted:
            break
        some = near if rand() < 0.35 else partners
        tool = some[int(rand() * len(some))]
        for other in tools:
            if tool not in sets[other]:
                break
        else:
            tools.append(tool)
    return tools


def kept_to_today(scene: Scene, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """Return the wishes of one message.

    Raises:
        CannotFillError: when one is for what is done at once, and another for something of another day, which could be heard of both.
    """
    toolbox = scene.toolkit.toolbox
    if on_another_day([(toolbox[wish.tool], wish.said) for wish in wishes], scene.draw.today.isoformat()):
        raise CannotFillError("a day is said of which what is done at once could be heard, too")
    return wishes


def _with_references(scene: Scene, purpose: Purpose | None, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """Return the wishes of one message, of which each later one refers to a value that an earlier one says, too."""
    if purpose is None or scene.draw.chance(_SAID_TWICE):
        return wishes
    found = list(wishes[:1])
    for wish in wishes[1:]:
        found.append(_referring_wish(scene, purpose, found, wish, wishes) or wish)
    return tuple(found)


def _referring_wish(
    scene: Scene, purpose: Purpose, before: Sequence[Wish], wish: Wish, wishes: Sequence[Wish]
) -> Wish | None:
    """Return a wish with words for a value that an earlier one says; None where there is none, or they could mean another one."""
    for at, earlier in enumerate(before):
        for there, slot in _slots_in_common(purpose, earlier, wish):
            words = scene.draw.choice(same_again(slot))
            value = wish.said[slot]
            if there in earlier.said and not any(_could_mean(scene, words, one, value) for one in wishes):
                said = {name: one for name, one in wish.said.items() if name != slot}
                meant = {**wish.meant, slot: Back(Ref(HERE, at, there), words)}
                return msgspec.structs.replace(wish, said=said, meant=meant)
    return None


def _could_mean(scene: Scene, words: str, wish: Wish, value: object) -> bool:
    """Whether words could refer to something else that a wish says than the value."""
    parameters = scene.toolkit.toolbox[wish.tool].tool.parameters
    others = [escape(name) for name, said in wish.said.items() if not same(said, value)]
    return any(may_mean(words, name, schema_at(parameters, name) or {}) for name in others)


def _slots_in_common(purpose: Purpose, one: Wish, other: Wish) -> Iterator[tuple[str, str]]:
    """Yield the slots of two wishes that share a value, if the words for the first also fit the second."""
    for left, right in product(purpose.slots.get(one.tool, ()), purpose.slots.get(other.tool, ())):
        are_said = left.name == right.name and left.at in one.said and right.at in other.said
        have_words = not {*same_again(left.at)}.isdisjoint(same_again(right.at))
        if are_said and have_words and same(one.said[left.at], other.said[right.at]):
            yield left.at, right.at


# --- calls that need results ---


def _tools_in_chains(toolkit: Toolkit) -> Collection[str]:
    """Return the tools of all chains."""
    chains = [chain for ends in toolkit.chains.values() for found in ends.values() for chain in found]
    return tools_of([edge for chain in chains for edge in chain])


def _chain_of_calls(scene: Scene) -> Events:
    """Yield wishes along a chain of links, one call after the other and the report."""
    chain = _chain(scene)
    tools = [edge.target for edge in chain]
    wishes = [scene.wish(chain[0].source, *tools)]
    made = {chain[0].source: Ref(HERE, 0, "")}
    picked: Picked = {}
    for edge in chain:
        made[edge.target] = Ref(HERE, len(wishes), "")
        wishes.append(scene.dependent_wish(edge, made, *tools[len(wishes) :], picked=picked))
    asked = yield Say(wishes=tuple(wishes))
    steps: list[Step] = []
    for place in range(len(wishes)):
        steps.append((yield Step(calls=(serve(asked, place, *steps),))))
    yield tell(*steps)


def _chain(scene: Scene) -> tuple[Edge, ...]:
    """Return a chain: its last tool is chosen first, so that tools at the end of long chains get their share."""
    toolkit = scene.toolkit
    chains = toolkit.chains
    wanted = scene.draw.between(*toolkit.steps)
    lengths = [length for length in chains if length <= wanted] or list(chains)
    ends = chains[max(lengths)]
    chain: tuple[Edge, ...] = scene.decide(ends[scene.decide(tuple(ends))])
    return chain


def _call_for_each_element(scene: Scene) -> Events:
    """Yield a wish for a list and one for each of its elements, the calls and the report."""
    edge: Edge = scene.decide(scene.toolkit.edges_to_each)
    each = Meant(Ref(HERE, 0, edge.link.result), (EACH,))
    first = scene.wish(edge.source, edge.target, fewest=2)
    target = scene.wish_with(edge.target, {edge.link.argument: each}, for_each=True)
    asked = yield Say(wishes=(first, target))
    found = yield Step(calls=(serve(asked, 0),))
    done = yield Step(calls=(serve(asked, 1, found),))
    yield tell(done)


def _tools_in_mixed_calls(toolkit: Toolkit) -> Collection[str]:
    """Return the tools that can be called at once before a call that needs a result, and those of the links to it."""
    edges = toolkit.edges_beside
    beside = {tool for edge in edges for tool in toolkit.partner_sets[edge.source] - {edge.target}}
    return beside | tools_of(edges)


def _calls_and_one_after_them(scene: Scene) -> Events:
    """Yield wishes, the calls at once of all but the last, the call of the last and the report."""
    asked = yield Say(wishes=_mixed_wishes(scene))
    together = yield Step(calls=at_once([serve(asked, place) for place in range(len(asked.wishes) - 1)], scene.draw))
    after = yield Step(calls=(serve(asked, len(asked.wishes) - 1, together),))
    yield tell(together, after)


def _mixed_wishes(scene: Scene) -> tuple[Wish, ...]:
    """Return the wishes of the first step, and last the wish for what uses the last result of it."""
    wanted = scene.draw.between(2, min(3, scene.toolkit.calls[1]))
    edges = scene.toolkit.edges_beside
    found = scene.purpose(scene.toolkit.sources_with_goals)
    if found is not None:
        source, purpose = found
        edge = scene.decide([edge for edge in edges if edge.source == source])
        tools = choose_tools(purpose, source, wanted, scene.draw)
    else:
        purpose, edge = None, scene.decide(edges)
        tools = _tools_without_links(scene, wanted, edge.source)
    # the call whose result is needed comes last, so that "the first one" refers to its result
    tools = [*(tool for tool in tools if tool not in {edge.source, edge.target}), edge.source]
    if len(tools) < _FEWEST:
        raise CannotFillError(f"nothing can be called beside {edge.source}")
    last = scene.drafts.dependent_wish(edge, {edge.source: Ref(HERE, len(tools) - 1, "")})
    drafts = (*scene.drafts.wishes(tools), last)
    wishes = kept_to_today(scene, scene.agreed(purpose, drafts, {edge.source: (edge.target,)}))
    return (*_with_references(scene, purpose, wishes[:-1]), wishes[-1])


_FEWEST = 2


SCENARIOS = (
    Scenario("single", "one request, one call", lambda toolkit: toolkit.starters, _one_call, (Pattern("U C A"),)),
    Scenario(
        "multiple",
        "one call; the other tools on offer look like the right one",
        lambda toolkit: toolkit.starters if len(toolkit.toolbox) > 1 else (),
        _one_call,
        (Pattern("U C A", also=lambda shape: shape.offered > 1),),
        look_alikes=True,
        needs="at least two tools: one to call and one that looks like it",
    ),
    Scenario(
        "parallel",
        "one tool, two or more calls at once",
        _tools_called_several_times,
        _calls_of_one_tool,
        (Pattern("U C{2+}:one_tool A"),),
        needs="a tool with parameters: its calls must differ in their arguments",
    ),
    Scenario(
        "parallel_multiple",
        "different tools called at once",
        lambda toolkit: toolkit.independent,
        _calls_of_different_tools,
        (Pattern("U C{2+}:other_tools A"),),
        needs="two tools that do not feed each other",
    ),
    Scenario(
        "sequential",
        "a chain: later calls need earlier results",
        _tools_in_chains,
        _chain_of_calls,
        (Pattern("U C{1+} (C{1+}:dependent)+ A"),),
        needs=(
            "a link between two loaded tools (e.g. `links: {order_id: find_orders#/orders/*/order_id}`); none of the "
            "loaded tools has one whose source is loaded too"
        ),
    ),
    Scenario(
        "fan_out",
        "a list, then one call for each element at once",
        lambda toolkit: tools_of(toolkit.edges_to_each),
        _call_for_each_element,
        (Pattern("U C C{2+}:dependent:takes_each A"),),
        needs=(
            "a link into a list (e.g. `order_id: find_orders#/orders/*/order_id`) between two loaded tools; none of "
            "the loaded tools has one"
        ),
    ),
    Scenario(
        "mixed",
        "parallel calls, then a call that needs one of their results",
        _tools_in_mixed_calls,
        _calls_and_one_after_them,
        (Pattern("U C{2+} C{1+}:dependent A"),),
        needs="a link between two loaded tools, and a third tool to call beside the first",
    ),
)
