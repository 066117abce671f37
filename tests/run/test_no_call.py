"""Pairs on the same offer: a request that a tool serves, and its twin, in which nothing must be called."""

from functools import cache

import msgspec
import pytest
from consumers import ROOT

from generator.core.conversation import AssistantMessage, Row
from generator.core.errors import RecipeError
from generator.core.toolbox import name_as_words
from generator.dialogue.acts.check import check_row
from generator.dialogue.no_call.abilities import can_of, could_do
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.recipe.settings import NoCall, pair_place, rows_together
from generator.report.files.contamination import split_of
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS

ROWS = 80
MEMBERS = {"other_thing", "unrelated", "settled", "waits", "missing", "refused"}


@cache
def prepared() -> PreparedRecipe:
    recipe = load_recipe(ROOT / "recipes/your_tools.yaml", scenarios=SCENARIOS, formats=FORMATS)
    return prepare(msgspec.structs.replace(recipe, scenarios=(("single", 1.0),), no_call=NoCall(share=0.4)))


@cache
def made() -> tuple[Row, ...]:
    return tuple(make_row(prepared(), index).row for index in range(ROWS))


def pairs() -> list[tuple[Row, Row]]:
    return [(one, other) for one, other in zip(made(), made()[1:], strict=False) if "twin:called" in one.tags]


def calls(row: Row) -> list[str]:
    messages = [message for message in row.conversation.messages if isinstance(message, AssistantMessage)]
    return [call.name for message in messages for call in message.tool_calls]


def test_a_pair_has_one_offer_and_its_second_row_calls_nothing():
    assert len(pairs()) == 0.4 * ROWS
    for one, other in pairs():
        assert one.conversation.tools == other.conversation.tools
        assert len(calls(one)) == 1
        assert calls(other) == []
        assert one.family == other.family
    members = {tag.removeprefix("twin:") for _, other in pairs() for tag in other.tags}
    assert MEMBERS - {"refused"} <= members <= MEMBERS  # few of these tools have limits
    assert sum(not calls(row) for row in made()) == 0.4 * ROWS
    assert {len(one.conversation.tools) == 1 for one, _ in pairs()} == {True, False}


def test_what_is_declined_no_tool_on_offer_could_do():
    toolbox = prepared().toolbox
    declines = [(other, claim) for _, other in pairs() for claim in other.proof.declines]
    assert declines
    for row, claim in declines:
        assert not any(could_do(toolbox[tool.name], toolbox[claim.tool]) for tool in row.conversation.tools)


def says_a_value(row: Row) -> bool:
    proof = row.proof
    said = [*proof.arguments, *[claim for one in (*proof.wishes, *proof.declines) for claim in one.said]]
    return bool(proof.retracted) or any(claim.source == "user" for claim in said)


def test_a_twin_holds_values_as_often_as_the_request_that_is_served():
    served = [says_a_value(one) for one, _ in pairs()]
    others = [says_a_value(other) for _, other in pairs()]
    assert sum(served) / len(served) - sum(others) / len(others) < 0.15


def test_twins_are_proven_like_any_row():
    for row in made():
        assert check_row(row.conversation, row.proof, prepared().toolbox) == []


def test_no_tool_is_spoken_of_in_the_words_of_its_name():
    for name, spec in prepared().toolbox.items():
        bare = msgspec.structs.replace(spec, tool=msgspec.structs.replace(spec.tool, description=None))
        for known in (spec, msgspec.structs.replace(spec), bare):
            assert " ".join(name_as_words(name).split()) not in " ".join(can_of(known))
    assert can_of(prepared().toolbox["fieldworks_get_part_stock"]) == (
        "get how many pieces of a part are in stock at a warehouse",
    )


@pytest.mark.parametrize("twins", ["beside", "apart"])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.4])
def test_the_share_of_twins_is_that_of_the_recipe(twins: str, share: float):
    settings = NoCall(share=share, twins=twins)
    places = [pair_place(settings, index) for index in range(1280)]
    assert sum(place is not None and not place.is_first for place in places) == share * 1280
    for index, place in enumerate(places):
        if place is not None:
            assert (place.first == index) is place.is_first
            assert index - place.first in ((0, 1) if twins == "beside" else (0, 32))
            assert place.first // rows_together(settings) == index // rows_together(settings)


def test_splits_never_part_a_pair():
    recipe = msgspec.structs.replace(
        prepared().recipe, no_call=NoCall(share=0.3, twins="apart"), splits=(("train", 0.5), ("test", 0.5))
    )
    split = split_of(recipe)
    for index in range(640):
        place = pair_place(recipe.no_call, index)
        assert place is None or split(place.first) == split(index)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_other_shares_are_refused(tmp_path, share):
    text = (ROOT / "recipes/your_tools.yaml").read_text().replace("../tool_specs", str(ROOT / "tool_specs"))
    path = tmp_path / "recipe.yaml"
    path.write_text(text + f"no_call: {{share: {share}}}\n")
    with pytest.raises(RecipeError, match="share"):
        load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)


def test_pairs_and_other_twins_are_one_or_the_other(tmp_path):
    text = (ROOT / "recipes/your_tools.yaml").read_text().replace("../tool_specs", str(ROOT / "tool_specs"))
    path = tmp_path / "recipe.yaml"
    path.write_text(text + "no_call: {}\nunique: requests\n")
    with pytest.raises(RecipeError, match="leave out this key or 'unique'"):
        load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)
