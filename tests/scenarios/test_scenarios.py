"""Events of scenarios: they have the shapes that they should have, with tools of every kind."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import msgspec
import pytest
from changed_rows import BARE
from nightly import night
from workbench import CONVERSATIONS, TODAY, TOOL_SPECS, recipe, write_tools

from generator.core.errors import CannotFillError
from generator.core.planning import Event, Note, Say, Step, Tell
from generator.core.pointers import expand
from generator.core.seeds import Draw, stream_seed
from generator.run.row import PreparedRecipe, prepare
from generator.run.stages.conduct import conduct
from generator.scenarios import SCENARIOS, Scene, Toolkit

ALL = CONVERSATIONS
NOTHING_THERE = {("bare", "mixed")}
"""Tools that a scenario cannot do with."""
CHAINS = ("sequential", "fan_out", "mixed")


@pytest.fixture(scope="module")
def shops(tmp_path_factory) -> dict[str, PreparedRecipe]:
    """A small toolbox, everything that is shipped, and tools without phrases."""
    folder = tmp_path_factory.mktemp("scenarios")
    files = {
        "small": [write_tools(folder)],
        "shipped": sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".json", ".yaml"}),
        "bare": [write_tools(folder, BARE, "bare.yaml")],
    }
    return {
        name: prepare(
            recipe(tools, *[one for one in ALL if (name, one) not in NOTHING_THERE], calls=(2, 4), steps=(2, 4))
        )
        for name, tools in files.items()
    }


class Played(NamedTuple):
    """A conversation without words."""

    events: tuple[Event, ...]
    toolkit: Toolkit

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def widths(self) -> list[int]:
        return [len(step.calls) for step in self.of(Step)]

    @property
    def tools(self) -> list[list[str]]:
        return [[call.tool for call in step.calls] for step in self.of(Step)]


def play(shop: PreparedRecipe, scenario: str, count: int = 40) -> list[Played]:
    """Conversations, without those for which the drawn values did not do."""
    found = []
    for number in range(count):
        scene = Scene(toolkit=shop.toolkit, draw=Draw(stream_seed(scenario, number), TODAY), arguments=shop.sources)
        try:
            events = conduct(SCENARIOS[scenario], scene, shop.backend.open(TODAY, number), None)
        except CannotFillError:
            continue
        found.append(Played(events, shop.toolkit))
    assert len(found) >= 0.4 * count
    return found


@pytest.fixture(scope="module")
def played(shops) -> Callable[[str, str], list[Played]]:
    return cache(lambda which, scenario: play(shops[which], scenario))


WHICH = [
    pytest.param(which, scenario, marks=[night] * (place != at % len(served)))
    for at, scenario in enumerate(ALL)
    for served in [[which for which in ("small", "shipped", "bare") if (which, scenario) not in NOTHING_THERE]]
    for place, which in enumerate(served)
]
"""Every scenario with a set of tools in each run, and with the others at night."""


@pytest.mark.parametrize(("which", "scenario"), WHICH)
class TestEvents:
    """What holds for every scenario, with whatever tools."""

    def test_call_the_scenarios_tools_and_no_others(self, played, which: str, scenario: str):
        found = played(which, scenario)
        allowed = set(SCENARIOS[scenario].tools(found[0].toolkit))
        called = {name for one in found for step in one.tools for name in step}
        assert called <= allowed
        assert len(called) > 0.5 * min(len(allowed), 8)

    def test_are_the_same_from_the_same_stream_and_differ_from_others(self, shops, played, which: str, scenario: str):
        again = play(shops[which], scenario, 20)
        first = played(which, scenario)[: len(again)]
        assert [one.events for one in first] == [one.events for one in again]
        assert (
            len({msgspec.json.encode([event for event in one.events if isinstance(event, Step)]) for one in first}) > 8
        )

    def test_begin_with_the_user_and_end_with_a_report(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            assert isinstance(next(event for event in one.events if not isinstance(event, Note)), Say)
            assert isinstance(one.events[-1], Tell)
            assert [event.id for event in one.events] == list(range(len(one.events)))

    def test_serve_every_wish_once_and_report_only_what_was_done(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            served = [call.serves for step in one.of(Step) for call in step.calls]
            wishes = {(say.id, n) for say in one.of(Say) for n in range(len(say.wishes))}
            many = {place for place in wishes if one.events[place[0]].wishes[place[1]].for_each}
            assert set(served) == wishes
            assert all(served.count(place) == 1 for place in wishes - many)
            assert all(served.count(place) > 1 for place in many)
            for tell in one.of(Tell):
                assert tell.about or tell.wish
                assert all(step < tell.id and place < len(one.events[step].calls) for step, place in tell.about)

    def test_take_only_what_was_said_or_found_before(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            for step in one.of(Step):
                for call, made in zip(step.calls, step.made, strict=True):
                    links = one.toolkit.toolbox[call.tool].links
                    for slot, ref in call.args.items():
                        assert ref.event < step.id
                        if isinstance(one.events[ref.event], Step):
                            source = one.events[ref.event].calls[ref.of].tool
                            pattern = "/".join("*" if part.isdecimal() else part for part in ref.at.split("/"))
                            assert (slot, source, pattern) in {
                                (link.argument, link.tool, link.result) for link in links
                            }
                            is_only = len(expand(one.events[ref.event].outcomes[ref.of].value, pattern)) == 1
                            assert (ref.pick is not None) == ("*" in pattern) or is_only
                    assert {slot.split("/")[0] for slot in call.args} == set(made.arguments)

    def test_people_do_not_ask_with_an_identifier(self, played, which: str, scenario: str):
        """A required argument that only another tool's result holds is never said."""
        for one in played(which, scenario):
            for say in one.of(Say):
                for wish in say.wishes:
                    spec = one.toolkit.toolbox[wish.tool]
                    required = (spec.tool.parameters or {}).get("required", ())
                    known = {*spec.examples, *spec.kinds}
                    loaded = [
                        link for link in spec.links if link.tool in one.toolkit.toolbox and link.argument not in known
                    ]
                    hidden = {link.argument for link in loaded if link.argument.split("/")[0] in required}
                    assert not hidden & set(wish.said), wish.tool


@pytest.mark.parametrize("which", ["small", "shipped"])
class TestEachScenario:
    @pytest.mark.parametrize("scenario", ["single", "multiple"])
    def test_one_call(self, played, which: str, scenario: str):
        assert all(one.widths == [1] for one in played(which, scenario))

    def test_parallel(self, played, which: str):
        found = played(which, "parallel")
        assert all(len(set(one.tools[0])) == len(one.widths) == 1 for one in found)
        assert {width for one in found for width in one.widths} == {2, 3, 4}
        varied = [self.varied(one.events[0]) for one in found]
        assert 0.1 < sum(len(keys) == 1 for keys in varied) / len(found) < 0.9

    def varied(self, say: Say) -> set[str]:
        first, *others = [wish.said for wish in say.wishes]
        return {key for other in others for key in {**first, **other} if first.get(key) != other.get(key)}

    def test_parallel_multiple(self, played, which: str):
        for one in played(which, "parallel_multiple"):
            ((*names,),) = one.tools
            assert 2 <= len(names) <= 4
            assert len(set(names)) == len(names)
            linked = {(edge.source, edge.target) for edge in one.toolkit.edges}
            assert not any((first, second) in linked for first in names for second in names)

    def test_sequential(self, played, which: str):
        found = played(which, "sequential")
        for one in found:
            assert set(one.widths) == {1}
            assert 2 <= len(one.widths) <= 4
            first, *later = one.events[0].wishes
            assert not first.meant
            assert all(wish.meant for wish in later)
            names = [name for step in one.tools for name in step]
            assert len(set(names)) == len(names)
            assert not any(name.startswith(("cancel_", "delete_", "remove_")) for name in names[:-1])
        assert {len(one.widths) for one in found} >= {2, 3}

    def test_fan_out(self, played, which: str):
        for one in played(which, "fan_out"):
            first, second = one.of(Step)
            assert len(first.calls) == 1
            (pointer,) = {slot for call in second.calls for slot, ref in call.args.items() if ref.event == first.id}
            assert {call.args[pointer].pick.by for call in second.calls} == {"each"}
            assert len({call.args[pointer].at for call in second.calls}) == len(second.calls) > 1

    def test_mixed(self, played, which: str):
        for one in played(which, "mixed"):
            first, *later = one.of(Step)
            names = [call.tool for call in first.calls]
            assert 2 <= len(names) <= 3
            assert len(set(names)) == len(names)
            (call,) = [call for step in later for call in step.calls]
            assert call.tool not in names
            taken = {ref.of for ref in call.args.values() if ref.event == first.id}
            (source,) = taken
            assert first.calls[source].serves[1] == len(names) - 1  # asked for last, whenever it is called

    def test_all_that_was_asked_for_is_told(self, played, which: str):
        """But for a list when each of its elements is told."""
        for scenario in CHAINS:
            for one in played(which, scenario):
                calls = {(step.id, place) for step in one.of(Step) for place in range(len(step.calls))}
                listed = {(one.of(Step)[0].id, 0)} if scenario == "fan_out" else set()
                assert set(one.of(Tell)[-1].about) == calls - listed
