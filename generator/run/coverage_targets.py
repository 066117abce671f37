"""Coverage of a whole run: the target that each row aims at, and the goals that its calls reach.

A row's target follows from its index alone, so blocks of rows need to know nothing of each other.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from generator.arguments.coverage import CoverageTarget, ToolCoverage, compile_coverage
from generator.core.conversation import Conversation, calls_in
from generator.core.seeds import Draw
from generator.recipe import Recipe
from generator.scenarios import DocumentScenario, Scenario, Scene, Toolkit
from generator.scenarios.affordances.links import Edge

if TYPE_CHECKING:
    from generator.run.prepared import PreparedRecipe

AIMED_ATTEMPTS = 8
"""How many attempts of a row aim; the later ones take what comes."""
_ROOM = 1.2
"""How much longer a round is than it would have to be if chance gave every scenario its rows evenly."""
_SHIFT = 7
"""How many targets further each round begins, so that what ends one comes up earlier in the next."""
Aim = tuple[str, CoverageTarget]
"""A tool and what a call of it should show."""
Make = Callable[[Draw], dict[str, Any]]


class CoverageTargets(msgspec.Struct, frozen=True, kw_only=True):
    """The targets of all tools."""

    tools: dict[str, ToolCoverage]
    targets: tuple[Aim, ...]
    """All first targets of the tools, then all second ones, …"""
    round: int
    """How many rows make a round, in which as a rule every target has its turn."""
    by_scenario: dict[str, tuple[Aim, ...]]
    """Those of the tools that a scenario calls, without those of which other scenarios take better care."""

    def target_of(self, index: int, scenario_at: Callable[[int], str]) -> Aim | None:
        """Return the target of row `index`: the n-th of its scenario for the n-th row of that scenario."""
        begin = index - index % self.round
        if self._turns.get(begin) is None:
            self._turns.clear()
            self._turns[begin] = _numbered([scenario_at(begin + offset) for offset in range(self.round)])
        scenario, number = self._turns[begin][index - begin]
        aims = self.by_scenario[scenario]
        return aims[(number + begin // self.round * _SHIFT) % len(aims)] if aims else None

    _turns: dict[int, list[tuple[str, int]]] = {}
    """The round that was asked for last: each row's scenario, and how many rows of it come before in the round."""

    def reached(self, conversation: Conversation) -> dict[str, set[int]]:
        """Return the goals that a conversation's calls show, by tool."""
        goals_by_tool: dict[str, set[int]] = {}
        for call in calls_in(conversation.messages):
            if call.name in self.tools:
                goals_by_tool.setdefault(call.name, set()).update(self.tools[call.name].reached(call.arguments))
        return goals_by_tool


def compile_targets(
    recipe: Recipe,
    seed: int,
    scenarios: tuple[Scenario | DocumentScenario, ...],
    toolkit: Toolkit,
    sources: dict[str, Make],
) -> CoverageTargets | None:
    """Return the targets of a recipe that asks for coverage."""
    if recipe.coverage is None:
        return None
    tools = {
        name: compile_coverage(spec, recipe.arguments, seed, sources[name]) for name, spec in toolkit.toolbox.items()
    }
    longest_list = max(len(tool.targets) for tool in tools.values())
    targets = [
        (name, tool.targets[index])
        for index in range(longest_list)
        for name, tool in tools.items()
        if index < len(tool.targets)
    ]
    called = {
        scenario.name: set(scenario.able(toolkit)) if isinstance(scenario, Scenario) and scenario.calls else set()
        for scenario in scenarios
    }
    weights = dict(recipe.scenarios)
    shares = _shared_out(targets, called, weights)
    longest = max(len(share) / weights[name] for name, share in shares.items()) * sum(weights.values())
    return CoverageTargets(
        tools=tools, targets=tuple(targets), round=max(int(longest * _ROOM), 10), by_scenario=shares, _turns={}
    )


def _numbered(names: list[str]) -> list[tuple[str, int]]:
    """Return each name with how often it came before."""
    counts: dict[str, int] = {}
    numbered = []
    for name in names:
        numbered.append((name, counts.get(name, 0)))
        counts[name] = counts.get(name, 0) + 1
    return numbered


def _shared_out(
    targets: list[Aim], called: dict[str, set[str]], weights: dict[str, float]
) -> dict[str, tuple[Aim, ...]]:
    """Return the targets by scenario: evenly, each for one that calls its tool, those with the fewest such scenarios first."""
    shares: dict[str, list[Aim]] = {name: [] for name in called}
    scenarios_by_tool = {tool: [name for name, tools in called.items() if tool in tools] for tool, _ in targets}
    for tool, target in sorted(targets, key=lambda aim: len(scenarios_by_tool[aim[0]])):
        if scenarios_by_tool[tool]:
            least = min(scenarios_by_tool[tool], key=lambda name: (len(shares[name]) + 1) / weights[name])
            shares[least].append((tool, target))
    return {name: tuple(share) for name, share in shares.items()}


def scene_of(prepared: "PreparedRecipe", scenario: Scenario, draw: Draw, index: int, attempt: int) -> Scene:
    """Return the scene of a row, which prefers the coverage target of this row."""
    aims = prepared.aims
    scene = Scene(toolkit=prepared.toolkit, draw=draw, arguments=prepared.sources)
    if aims is None or attempt >= AIMED_ATTEMPTS:
        return scene
    aim = aims.target_of(index, prepared.scenario_of)
    if aim is None:
        return scene
    tool, target = aim
    return msgspec.structs.replace(
        scene,
        arguments=sources_for_target(prepared.sources, aims.tools[tool], target),
        prefers=partial(_concerns, tool, target),
    )


def _concerns(tool: str, target: CoverageTarget, option: Any) -> bool:
    """Whether an option of a scenario calls the tool with all arguments of the target free."""
    if isinstance(option, str):
        return option == tool
    if isinstance(option, Edge):
        return target.allows(option.link.argument.split("/")[0]) if option.target == tool else option.source == tool
    if isinstance(option, tuple) and option and isinstance(option[0], Edge):
        return any(_concerns(tool, target, edge) for edge in option)
    return isinstance(option, tuple) and bool(option) and option[0] == tool


def sources_for_target(sources: dict[str, Make], tool: ToolCoverage, target: CoverageTarget) -> dict[str, Make]:
    """Return the sources, of which the tool's shows the target in the first arguments it makes."""
    usual = sources[tool.tool]
    is_open = True

    def make(draw: Draw) -> dict[str, Any]:
        """Return arguments that show the target the first time, then usual ones."""
        nonlocal is_open
        arguments = tool.make(draw, target) if is_open else None
        is_open = False
        return usual(draw) if arguments is None else arguments

    return {**sources, tool.tool: make}
