"""Families of twins: rows from one plan that differ in one thing, in one split, each proven like any row."""

import json
from functools import cache
from pathlib import Path

import msgspec
import pytest
from consumers import ROOT
from nightly import night

from generator.core.conversation import AssistantMessage, Row, UserMessage
from generator.core.errors import PlanError, RecipeError
from generator.dialogue.acts.check import check_row
from generator.formats import FORMATS
from generator.recipe import TWINS, load_recipe
from generator.recipe.settings import Overlays
from generator.run.engine.run import RunOptions, run
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.shape import conversation_shape

FAMILIES = 24


TOOLS = "[tool_specs/travel.yaml, tool_specs/shop.yaml, tool_specs/weather.json, tool_specs/calendar.yaml, tool_specs/mail.yaml]"


def written(folder: Path, *more: str, tools: str = TOOLS) -> Path:
    (folder / "tool_specs").symlink_to(ROOT / "tool_specs")
    lines = ["name: twins", "rows: 60", f"tools: {tools}", "twins: true", "formats: [trl, eval]", *more]
    if not any(line.startswith("scenarios") for line in more):
        lines.append("scenarios: single")
    (folder / "twins.yaml").write_text("\n".join(lines) + "\n")
    return folder / "twins.yaml"


def loaded(path: Path):
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)


@cache
def prepared() -> PreparedRecipe:
    recipe = load_recipe(ROOT / "recipes/mixed.yaml", scenarios=SCENARIOS, formats=FORMATS)
    recipe = msgspec.structs.replace(
        recipe,
        scenarios=(("single", 1.0),),
        twins=True,
        overlays=Overlays(personas=(("casual", 0.3),)),
        formats=("trl",),
    )
    return prepare(recipe)


@cache
def families() -> tuple[dict[str, Row], ...]:
    size = len(TWINS)
    return tuple(
        dict(
            zip(
                TWINS,
                [make_row(prepared(), index).row for index in range(size * family, size * family + size)],
                strict=True,
            )
        )
        for family in range(FAMILIES)
    )


def calls_of(row: Row) -> list[tuple[str, dict]]:
    return [
        (c.name, c.arguments)
        for m in row.conversation.messages
        if isinstance(m, AssistantMessage) and m.train
        for c in m.tool_calls
    ]


def request(row: Row) -> str:
    return next(message.content for message in row.conversation.messages if isinstance(message, UserMessage))


def test_the_rows_of_a_family_say_which_they_are():
    for number, family in enumerate(families()):
        for place, (member, row) in enumerate(family.items()):
            assert (row.index, row.family) == (number * len(TWINS) + place, number)
            assert row.scenario == TWINS[member].scenario
            assert f"twin:{member}" in row.tags


def test_they_have_the_planned_call_in_common_or_decline_it():
    for family in families():
        (plan,) = calls_of(family["easy"])
        assert calls_of(family["hard"]) == [plan]
        (wish,), (ask,) = family["without_value"].proof.wishes, family["without_value"].proof.asks
        left_out = ask.pointer.removeprefix("/")
        assert (wish.tool, wish.unmade) == (plan[0], {key: one for key, one in plan[1].items() if key != left_out})
        assert left_out in plan[1]
        assert calls_of(family["without_value"]) == []
        (decline,) = family["without_tool"].proof.declines
        assert (decline.tool, decline.arguments) == plan
        assert calls_of(family["without_tool"]) == []


def test_they_say_the_same_in_the_same_words_but_for_the_one_thing():
    for family in families():
        same = [request(family[member]) for member in ("easy", "hard", "without_tool")]
        assert len(set(same)) == 1
        assert request(family["without_value"]) != same[0]
        assert len({row.conversation.messages[0] for row in family.values()}) == 1


def test_hard_rows_offer_the_tools_most_like_the_called_one():
    for family in families():
        ((tool, _),) = calls_of(family["easy"])
        others = [other.name for other in family["hard"].conversation.tools if other.name != tool]
        nearest = prepared().look_alikes[tool]
        assert len(others) >= 4
        assert set(others) == set(nearest[: len(others)])
        assert tool not in [other.name for other in family["without_tool"].conversation.tools]


def test_every_row_of_a_family_is_proven_like_any_row():
    for family in families():
        for row in family.values():
            is_plain = not any(tag.startswith("persona:") for tag in row.tags)
            assert not check_row(row.conversation, row.proof, prepared().toolbox, phrases=is_plain)
            assert not [*SCENARIOS[row.scenario].faults(conversation_shape(row.conversation, row.proof))]


@night
@pytest.mark.parametrize("by", ["row", "tool"])
def test_splits_never_part_a_family(tmp_path, by):
    path = written(tmp_path, f"splits: {{by: {by}, train: 0.5, test: 0.5}}")
    run(loaded(path), tmp_path / "out", how=RunOptions(executor="serial"))
    proofs = [json.loads(line) for line in (tmp_path / "out/proofs.jsonl").read_text().splitlines()]
    where: dict[int, set[str]] = {}
    for line in proofs:
        where.setdefault(line["family"], set()).add(line["split"])
    assert len(where) == 60 // len(TWINS)
    assert all(len(splits) == 1 for splits in where.values())
    assert set().union(*where.values()) == {"train", "test"}
    asked = [json.loads(line) for line in (tmp_path / "out/eval.test.jsonl").read_text().splitlines()]
    assert {record["family"] for record in asked} == {family for family, splits in where.items() if splits == {"test"}}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("scenarios: [single, parallel]", "'scenarios: single' is expected beside them"),
        ("unique: calls", "have their request and calls in common"),
        ("coverage: pairwise", "have their request and calls in common"),
    ],
)
def test_keys_that_do_not_go_with_twins_are_told(tmp_path, more, told):
    with pytest.raises(RecipeError) as raised:
        loaded(written(tmp_path, more))
    assert told in str(raised.value)


def test_tools_of_which_no_family_can_be_made_are_told(tmp_path):
    with pytest.raises(PlanError) as raised:
        prepare(loaded(written(tmp_path, tools="[{file: tool_specs/weather.json, only: [get_sun_times]}]")))
    assert "twins.yaml:4: twins: twins need a tool" in str(raised.value)
