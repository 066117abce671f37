"""Whatever is said of a world: what is kept of it loads, what is wrong is told, and one bad piece costs itself."""

import asyncio
import re
from pathlib import Path
from typing import Any

import authored
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.core.errors import SpecError
from generator.core.toolbox import Toolbox
from generator.recipe import ToolFile
from generator.run.authoring import world as module
from generator.run.authoring.world import heard, write_world
from generator.tools.specs.load import load_toolbox

SAID: dict[str, Any] = yaml.safe_load(authored.WORLD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spokes")


@pytest.fixture(scope="module")
def tools(folder: Path) -> Toolbox:
    return authored.tools(folder)


def loaded(folder: Path, text: str) -> Toolbox:
    """The tools under the overlay that comes out, as a run loads them."""
    overlay = folder / "spokes.world.yaml"
    overlay.write_text(text)
    return load_toolbox([ToolFile(file=folder / "spokes.json", describe="bare", overlays=(overlay,))])


def test_a_good_world_has_no_faults_and_loads_as_it_was_heard(folder: Path, tools: Toolbox):
    world = heard(tools, SAID)
    assert (world.faults, world.refused) == ((), {"draw_view": "it draws pictures"})
    assert world.callable == ["list_bikes", "search_parts", "reserve_part"]
    assert {name: spec.returns for name, spec in loaded(folder, world.text("t")).items()} == {
        name: spec.returns for name, spec in world.tools.items()
    }
    assert any(line.startswith('list_bikes(customer_name="') for line in world.results)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places within a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *[place for key, part in parts for place in places(part, (*at, key))]]


def changed(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The value with something else at a place."""
    if not place:
        return new
    if isinstance(value, dict):
        return {key: changed(part, place[1:], new) if key == place[0] else part for key, part in value.items()}
    return [changed(part, place[1:], new) if at == place[0] else part for at, part in enumerate(value)]


ODD = st.sampled_from(
    [None, 7, "", "nonsense", "bike", "args.nothing", [], ["x"], {}, {"type": "string"}, {"x-compute": "1 +"}, True]
)


@settings(max_examples=20)
@given(st.sampled_from([place for place in places(SAID) if len(place) > 1]), ODD)
def test_whatever_stands_in_place_of_a_piece_the_rest_is_heard_and_loads(
    folder: Path, tools: Toolbox, place: Any, new: Any
):
    world = heard(tools, changed(SAID, place, new))
    read = loaded(folder, world.text("t"))
    if place[0] == "tools":  # the other tools are as they were
        whole = heard(tools, SAID)
        others = [name for name in whole.callable if name != place[1]]
        assert {name: read[name].returns for name in others} == {name: whole.tools[name].returns for name in others}


@pytest.mark.parametrize(
    ("place", "new", "told"),
    [
        (("tools", "list_bikes", "effect", "by"), {}, "tools.list_bikes: the argument customer_name has no part"),
        (("tools", "list_bikes", "result"), ["colours"], "there is no such field or argument (did you mean"),
        (("tools", "serch_parts"), {}, 'tools.serch_parts: there is no such tool (did you mean "search_parts"?)'),
        (("tools", "search_parts"), None, "tools.search_parts: nothing says what it returns"),
        (("entities", "part", "examples", 2, "price"), "dear", "entities.part.examples[2].price: 'dear' is no value"),
        (("entities", "bike", "fields", "colour"), {"x-compute": "upper(hue)"}, "hue"),
        (("tools", "list_bikes", "result", "count", "x-compute"), "len(bikes) + 1", "but there are"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tools: Toolbox, place: tuple[Any, ...], new: Any, told: str):
    said = changed(
        {**SAID, "tools": {**SAID["tools"], "serch_parts": {}}} if "serch_parts" in place else SAID, place, new
    )
    faults = heard(tools, said).faults
    assert any(told in fault for fault in faults), faults


def test_what_a_result_repeats_has_a_part_in_it(tools: Toolbox):
    said = changed(SAID, ("tools", "reserve_part", "effect"), {"get": "part", "by": {"sku": "sku"}})
    shown = changed(said, ("tools", "reserve_part", "result"), ["sku", "bike_id"])
    hidden = changed(said, ("tools", "reserve_part", "result"), ["sku"])
    assert heard(tools, shown).faults == ()
    assert [fault for fault in heard(tools, hidden).faults if "bike_id has no part" in fault]


def test_an_example_that_does_not_fit_goes_alone(tools: Toolbox):
    world = heard(tools, changed(SAID, ("entities", "part", "examples", 2, "price"), "dear"))
    assert len(world.entities["part"]["examples"]) == len(SAID["entities"]["part"]["examples"]) - 1
    assert len(world.faults) == 1


def test_arguments_that_set_a_field_have_its_values(tools: Toolbox):
    said = changed(
        SAID,
        ("tools", "reserve_part", "effect"),
        {"update": "part", "by": {"sku": "sku"}, "set": {"in_stock": "in_stock - 1"}},
    )
    said["entities"]["part"]["fields"]["bike_id"] = {"type": "string", "examples": ["B-00001", "B-00002"]}
    world = heard(tools, said)
    assert world.pieces["reserve_part"].get(("examples", "bike_id")) == ["B-00001", "B-00002"]


def test_a_world_is_shown_back_until_nothing_is_wrong_and_no_longer_than_thrice(tools: Toolbox):
    seen: list[str] = []

    def reply(messages: Any) -> str:
        seen.append(messages[-1][1])
        return authored.reply(messages)

    world = asyncio.run(write_world(authored.Scripted(reply), tools))
    assert world.faults == ()
    assert len(seen) == 2  # faulty, then mended
    assert "names: there is no such field" in seen[1]
    assert "no part in the effect" in seen[1]
    never = asyncio.run(
        write_world(
            authored.Scripted(
                lambda messages: seen.append("") or f"tools: {{list_bikes: {{say: {{limit{len(seen)}: never}}}}}}"
            ),
            tools,
        )
    )  # type: ignore[func-returns-value]
    assert len(seen) == 2 + 1 + module.MENDS
    assert never.callable == []


def test_what_is_no_yaml_costs_its_own_piece_only(tools: Toolbox):
    broken = authored.WORLD.replace("Deore chain, price: 24.95", "Deore 'chain: price").replace(
        "result: [reservation_id", "result: [[reservation_id"
    )
    seen: list[str] = []

    def reply(messages: Any) -> str:
        seen.append(messages[-1][1])
        part = re.search(r"  part:\n(?:    .*\n)+", authored.WORLD)
        tool = re.search(r"  reserve_part:\n(?:    .*\n)+", authored.WORLD)
        assert part
        assert tool
        return broken if len(seen) == 1 else f"entities:\n{part[0]}tools:\n{tool[0]}"

    world = asyncio.run(write_world(authored.Scripted(reply), tools))
    assert "entities.part: answer:" in seen[1]
    assert "tools.reserve_part: answer:" in seen[1]
    assert "list_bikes(" in seen[1]
    assert (world.faults, len(world.callable)) == ((), 3)


@pytest.mark.parametrize("text", ["", "no", "- a", "{", "entities: [1]\ntools: 7", "worlds: {}", "a: &a [*a]"])
def test_an_answer_that_is_no_world_is_told(tools: Toolbox, text: str):
    world = asyncio.run(write_world(authored.Scripted(lambda messages: text), tools))
    assert world.faults
    assert world.callable == []


def test_what_comes_out_is_refused_for_another_function(folder: Path, tools: Toolbox):
    text = heard(tools, SAID).text("t").replace("function: ", "function: '0000000000000000' # ", 1)
    with pytest.raises(SpecError, match="has another function"):
        loaded(folder, text)
