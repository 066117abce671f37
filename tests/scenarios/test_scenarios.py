"""Events of scenarios: they have the shapes that they should have, with tools of every kind."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import yaml
from changed_rows import BARE
from generator.scenarios.errors.unblocked import unblock
from nightly import night
from workbench import CONVERSATIONS, TODAY, TOOL_SPECS, WITH_ENTITIES, recipe, rows, workshop, write_tools

from generator.core.errors import CannotFillError
from generator.core.planning import Ask, Event, Meant, Note, Ref, Say, Step, Tell
from generator.core.pointers import expand, resolve
from generator.core.seeds import Draw, stream_seed
from generator.run.row import PreparedRecipe, prepare
from generator.run.stages.conduct import conduct
from generator.scenarios import SCENARIOS, Scene, Toolkit
from generator.scenarios.shape import conversation_shape

ALL = (*CONVERSATIONS, *WITH_ENTITIES)
NOTHING_THERE = {
    ("bare", "mixed"),
    *[(which, one) for which in ("small", "bare") for one in WITH_ENTITIES],
}
"""Tools that a scenario cannot do with."""
CHAINS = ("sequential", "fan_out", "mixed")
TURNS = ("follow_up", "clarify")


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
            served = [
                call.serves for step in one.of(Step) for call in step.calls if call.mends is call.unblocks is None
            ]
            unserved = {tell.wish for tell in one.of(Tell) if tell.how == "not_done"} - {*served}
            asking = [say for say in one.of(Say) if say.to is None]
            wishes = {
                (say.id, n) for say in asking for n, wish in enumerate(say.wishes) if wish.instead_of is None
            } - unserved
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
                    if (
                        call.unblocks is not None
                    ):  # its arguments are those of the call that was refused, and what the plan has fixed
                        continue
                    links = one.toolkit.toolbox[call.tool].links
                    for slot, ref in call.args.items():
                        assert ref.event < step.id
                        is_linked = slot in {link.argument for link in links}
                        if isinstance(one.events[ref.event], Step) and (is_linked or scenario != "multi_turn"):
                            source = one.events[ref.event].calls[ref.of].tool
                            pattern = "/".join("*" if part.isdecimal() else part for part in ref.at.split("/"))
                            assert (slot, source, pattern) in {
                                (link.argument, link.tool, link.result) for link in links
                            }
                            is_only = len(expand(one.events[ref.event].outcomes[ref.of].value, pattern)) == 1
                            assert (ref.pick is not None) == ("*" in pattern) or is_only
                    if call.wrong is None:
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

    def test_follow_up(self, played, which: str):
        """Both kinds: the same request with another value, and something done with what was found."""
        kinds = set()
        for one in played(which, "follow_up"):
            first, second = one.of(Say)
            (before,), (after,) = first.wishes, second.wishes
            (before_call,), (call,) = [step.made for step in one.of(Step)]
            if any(isinstance(meant, Meant) for meant in after.meant.values()):
                kinds.add("result")
                assert any(
                    isinstance(ref, Ref) and isinstance(one.events[ref.event], Step)
                    for ref in one.of(Step)[1].calls[0].args.values()
                )
            else:
                kinds.add("again")
                (slot,) = after.said
                assert before.tool == after.tool
                assert call.arguments == {**before_call.arguments, slot: after.said[slot]} != before_call.arguments
        assert kinds == {"result", "again"}

    def test_clarify(self, played, which: str):
        for one in played(which, "clarify"):
            asked, ask, reply, step, _ = one.events
            assert isinstance(ask, Ask)
            required = one.toolkit.toolbox[asked.wishes[0].tool].tool.parameters["required"]
            assert ask.slot in required
            assert ask.slot not in asked.wishes[0].said
            assert [*reply.wishes[0].said] == [ask.slot]
            assert step.made[0].arguments[ask.slot] == reply.wishes[0].said[ask.slot]

    def test_all_that_was_asked_for_is_told(self, played, which: str):
        """But for a list when each of its elements is told."""
        for scenario in CHAINS:
            for one in played(which, scenario):
                calls = {(step.id, place) for step in one.of(Step) for place in range(len(step.calls))}
                listed = {(one.of(Step)[0].id, 0)} if scenario == "fan_out" else set()
                assert set(one.of(Tell)[-1].about) == calls - listed


@pytest.mark.parametrize("which", ["small", "shipped", "bare"])
class TestWithAnyTools:
    """Scenarios that tools without phrases can serve, too."""

    def test_ambiguous(self, played, which: str):
        """The assistant chooses nothing itself: what is taken is what the user names among all that was found."""
        ways = set()
        for one in played(which, "ambiguous"):
            (ask,) = one.of(Ask)
            found, done = one.of(Step)
            elements = resolve(found.outcomes[0].value, ask.among.at.partition("/*/")[0])
            values = [element[ask.among.at.rpartition("/")[2]] for element in elements]
            assert len({*values}) == len(values) > 1
            (ref,) = [ref for ref in done.calls[0].args.values() if ref.event == found.id]
            reply = one.events[ref.because[0]]
            assert reply.to == ask.id
            ways.add(ref.pick.by.partition(" ")[0])
        assert ways == {"nth", "is"}


@pytest.mark.parametrize("with_phrases", [True, False])
@pytest.mark.parametrize(
    ("scenario", "file", "told"),
    [
        ("error_stop", "library.yaml", {("failed",)}),
        (
            "error_recover",
            "library.yaml",
            {(), ("if_need_be",)}
            | {
                ("failed", how, *answer)
                for how in ("alternative", "unblocking")
                for answer in (("yes",), ("no", "not_done"))
            },
        ),
        (
            "empty_result",
            "library.yaml",
            {
                ("empty",),
                ("empty", "alternative", "yes"),
                ("fallback", "empty", "left_out"),
                ("empty", "offered", "yes"),
                ("otherwise", "empty"),
            },
        ),
    ],
)
def test_what_the_state_of_a_world_forbids_and_undoes(
    tmp_path: Path, scenario: str, file: str, told: set[tuple[str, ...]], with_phrases: bool
):
    """With or without phrases of the tools, all that the scenario can come to does, and a row that has lost it is none of its kind."""
    spec = yaml.safe_load((Path(__file__).parents[1] / "golden" / file).read_text(encoding="utf-8"))
    for tool in spec["tools"] if not with_phrases else ():
        del tool["phrases"]
    shapes = [
        conversation_shape(one.row.conversation, one.row.proof)
        for one in rows(workshop(tmp_path, scenario, text=yaml.safe_dump(spec)), 25 if len(told) < 4 else 90)
    ]
    assert {shape.told for shape in shapes} == told
    for shape in shapes:
        assert not [*SCENARIOS[scenario].faults(shape)]
        assert [*SCENARIOS[scenario].faults(msgspec.structs.replace(shape, steps=shape.steps[:-1]))]
        if shape.told:
            assert [*SCENARIOS[scenario].faults(msgspec.structs.replace(shape, told=("done",)))]


def test_each_step_that_tools_of_the_library_need_ends_the_state_in_the_way(shops):
    """The same call is refused before the step and goes well after it; without leave nothing is called."""
    shop = shops["shipped"]
    ways = shop.toolkit.blocked
    assert {way.refusal.tool for way in ways} >= {
        "set_card_limits",
        "move_file",
        "rename_file",
        "delete_file",
        "log_task_time",
        "move_task_to_sprint",
    }
    for way in ways:
        scenario = msgspec.structs.replace(
            SCENARIOS["error_recover"], events=lambda scene, way=way: unblock(scene, way)
        )
        seen = set()
        for number in range(40):
            scene = Scene(
                toolkit=shop.toolkit, draw=Draw(stream_seed("unblock", number), TODAY), arguments=shop.sources
            )
            with suppress(CannotFillError):
                *_, refused, step, again = [
                    None,
                    None,
                    *conducted_calls(conduct(scenario, scene, shop.backend.open(TODAY, number), None)),
                ]
                if step is None or again[1].ok is False:  # the user has said no
                    seen.add("left")
                    continue
                seen.add("done")
                assert (refused[1].ok, step[1].ok, again[1].ok) == (False, True, True)
                assert refused[0].arguments == again[0].arguments
                assert step[0].arguments == {way.names: refused[0].arguments[way.named], **way.by.chosen}
            if len(seen) == 2:
                break
        assert seen == {"done", "left"}, way


def conducted_calls(events: tuple[Event, ...]) -> list:
    return [pair for step in events if isinstance(step, Step) for pair in zip(step.made, step.outcomes, strict=True)]
