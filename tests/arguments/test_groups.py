"""Argument groups: what goes together, and what stands in each other's place, in drawing, wording, checks."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments.sources import compile_source
from generator.core.conversation import AssistantMessage, UserMessage
from generator.core.errors import SpecError
from generator.core.seeds import Draw
from generator.core.toolbox import Groups, ToolSpec
from generator.recipe import ArgumentSettings, ToolFile
from generator.run.trials import try_tool
from generator.tools.specs.load import load_toolbox

STAY = """
tools:
  - type: function
    function:
      name: search_stays
      description: Find places to stay.
      parameters:
        type: object
        properties:
          check_in: {type: string, format: date}
          city: {type: string}
          latitude: {type: number, minimum: -60, maximum: 60}
          guests: {type: integer, minimum: 2, maximum: 6}
          check_out: {type: string, format: date}
          longitude: {type: number, minimum: -170, maximum: 170}
        required: [REQUIRED]
    returns: {type: object, properties: {found: {type: integer, minimum: 1, maximum: 90}}, required: [found]}
    relations: ["check_in < check_out"]
    together: TOGETHER
    one_of: ONE_OF
    phrases:
      request: ["find places to stay"]
      slots:
        check_in: ["from {check_in}"]
        check_out: ["to {check_out}"]
        city: ["in {city}"]
        guests: ["for {guests} people"]
        latitude: ["at latitude {latitude}"]
        longitude: ["longitude {longitude}"]
      answer: ["I found {found} places."]
"""


def stay(folder: Path, together: str = "[]", one_of: str = "[]", required: str = "") -> ToolSpec:
    """The tool of the file above with some groups."""
    path = folder / "stay.yaml"
    path.write_text(STAY.replace("TOGETHER", together).replace("ONE_OF", one_of).replace("REQUIRED", required))
    return load_toolbox([ToolFile(file=path)])["search_stays"]


def drawn(spec: ToolSpec, number: int = 200) -> list[dict[str, Any]]:
    """So many arguments of the tool."""
    make = compile_source(spec, ArgumentSettings(), 1)
    return [make(Draw(seed, date(2026, 3, 1))) for seed in range(number)]


def test_a_group_is_drawn_whole_or_not_at_all(tmp_path: Path):
    found = drawn(stay(tmp_path, "[check_in, check_out]", "[[latitude, longitude], [city]]"))
    assert {("check_in" in one) + ("check_out" in one) for one in found} == {0, 2}
    assert {("latitude" in one, "longitude" in one, "city" in one) for one in found} == {
        (True, True, False),
        (False, False, True),
    }
    assert all(one["check_in"] < one["check_out"] for one in found if "check_in" in one)
    order = ["check_in", "city", "latitude", "guests", "check_out", "longitude"]
    assert all(list(one) == sorted(one, key=order.index) for one in found)


def test_what_is_required_brings_the_rest_of_its_group(tmp_path: Path):
    found = drawn(stay(tmp_path, "[[check_in, check_out]]", "[[latitude, longitude], [city]]", "check_in, city"), 60)
    assert all({"check_in", "check_out", "city"} <= one.keys() and "latitude" not in one for one in found)


def test_an_empty_set_lets_a_call_have_none(tmp_path: Path):
    found = drawn(stay(tmp_path, one_of="[[[latitude, longitude], [city], []]]"), 120)
    assert {tuple(sorted(one.keys() & {"latitude", "longitude", "city"})) for one in found} == {
        (),
        ("city",),
        ("latitude", "longitude"),
    }


def test_what_goes_together_is_said_side_by_side_and_rows_pass(tmp_path: Path):
    trial = try_tool(stay(tmp_path, "[[check_in, check_out], [latitude, longitude]]"), 40)
    assert trial.attempts == len(trial.rows) == 40
    said = 0
    for row in trial.rows:
        text = next(m.content for m in row.conversation.messages if isinstance(m, UserMessage))
        if "from " in text:
            said += 1
            between = text.partition("from ")[2].partition(" to ")[0]
            assert not any(word in between for word in (" in ", "latitude", "people"))
    assert said > 5


def test_a_call_that_breaks_a_group_is_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from generator.arguments import sources

    monkeypatch.setattr(sources, "keeping_groups", lambda make, *_: make)
    trial = try_tool(stay(tmp_path, "[check_in, check_out]"), 30)
    assert any(why.startswith("SC102 search_stays: check_") for why, _ in trial.refusals)
    for row in trial.rows:
        calls = [call for m in row.conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        assert all(("check_in" in call.arguments) == ("check_out" in call.arguments) for call in calls)


@pytest.mark.parametrize(
    ("together", "one_of", "required", "message"),
    [
        ("[check_in, check_ot]", "[]", "", "no argument 'check_ot'"),
        ("[check_in]", "[]", "", "two arguments or more"),
        ("[check_in, check_out]", "[]", "check_in, check_out", "always together"),
        ("[]", "[[city]]", "", "no choice"),
        ("[]", "[[city], [latitude]]", "city, latitude", "nothing else can be chosen"),
    ],
)
def test_groups_that_nobody_can_honour_are_refused(
    tmp_path: Path, together: str, one_of: str, required: str, message: str
):
    with pytest.raises(SpecError, match=message):
        stay(tmp_path, together, one_of, required)


NAMES = ("a", "b", "c", "d")
SETS = st.lists(st.sampled_from(NAMES), unique=True, max_size=3).map(tuple)


@given(st.lists(SETS.filter(lambda one: len(one) > 1), max_size=2), st.sets(st.sampled_from(NAMES)))
def test_together_is_all_or_none(together: list[tuple[str, ...]], given_: set[str]):
    groups = Groups(together=tuple(together))
    assert any(groups.broken(given_)) == any(0 < len(given_ & {*group}) < len(group) for group in together)
