"""Goals: tools that people use together have values in common, and what a file of goals says wrong is told.

Covered: shared values and their days, the shipped goals over the shipped tools, faults with file and line.
"""

from datetime import date
from functools import cache
from pathlib import Path

import pytest
from changed_rows import Proven
from hypothesis import given
from hypothesis import strategies as st
from nightly import some_of
from workbench import TODAY, TOOL_SPECS, recipe, rows

from generator.core.errors import CannotFillError, RecipeError
from generator.core.planning import Meant, Say, Step, Tell, Wish
from generator.core.seeds import Draw, stream_seed
from generator.recipe.goals import read_goals
from generator.run.prepared import prepare
from generator.run.stages.conduct import conduct
from generator.scenarios import SCENARIOS, Scene
from generator.scenarios.affordances.goals import agree
from generator.tools.specs import load_toolbox

GOALS = TOOL_SPECS / "goals" / "everyday.yaml"
SHIPPED = sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".json", ".yaml"})


@cache
def shipped():
    return load_toolbox(SHIPPED)


@pytest.fixture(scope="module")
def shop():
    return prepare(recipe(SHIPPED, "parallel_multiple", "mixed", goals=(GOALS,), calls=(2, 3)))


def wishes(shop, scenario: str, number: int) -> tuple[Wish, ...]:
    scene = Scene(toolkit=shop.toolkit, draw=Draw(stream_seed("goals", number), TODAY), arguments=shop.sources)
    events = conduct(SCENARIOS[scenario], scene, shop.backend.open(TODAY, number), None)
    return next(event.wishes for event in events if isinstance(event, Say))


def values_of(wish: Wish) -> set[str]:
    return {value for value in wish.said.values() if isinstance(value, str)}


@some_of(2, "scenario", ["parallel_multiple", "mixed"])
def test_most_requests_for_several_tools_have_something_in_common(shop, scenario: str) -> None:
    common: list[bool] = []
    for number in range(70):
        try:
            asked = wishes(shop, scenario, number)
            first, *others = [one for one in asked if not any(type(meant) is Meant for meant in one.meant.values())]
        except CannotFillError:  # the row is tried again
            continue
        common.append(any(one.meant or values_of(first) & values_of(one) for one in others))  # "on the same day"
    assert len(common) > 50
    assert sum(common) >= 0.88 * len(common)


def test_every_shipped_goal_can_be_pursued(shop) -> None:
    usable = {purpose.name for purposes in shop.toolkit.purposes.values() for purpose in purposes}
    assert usable == {goal.name for goal in read_goals((GOALS,))}


@some_of(2, "scenario", ["parallel_multiple", "mixed"])
def test_what_acts_at_once_is_asked_for_beside_nothing_of_another_day(scenario: str) -> None:
    """ "Give me the rundown of my events on March 1, and have the lights in the bathroom at 100%" """
    home = [TOOL_SPECS / name for name in ("smart_home.yaml", "calendar.yaml", "travel.yaml")]
    shop = prepare(recipe(home, scenario, calls=(2, 3)))
    beside = set()
    for one in rows(shop, 80):
        row = Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox)
        calls = list(row.calls.values())
        if any(call.name in ("set_blinds", "set_thermostat", "set_room_lights", "set_door_lock") for call in calls):
            days = [call.arguments[name] for call in calls for name in ("date", "new_date") if name in call.arguments]
            assert {*days} <= {TODAY.isoformat()}
            beside |= {call.name for call in calls}
    assert len(beside) > 6


def test_no_step_changes_what_another_of_its_calls_looks_up(shop) -> None:
    beside = shop.toolkit.partner_sets
    for look_up, change in [
        ("get_file_info", "move_file"),
        ("get_file_info", "delete_file"),
        ("list_file_versions", "rename_file"),
    ]:
        assert change not in beside[look_up]
        assert look_up not in beside[change]
    assert "share_file" in beside["get_file_info"]  # who can open a file is not told


def test_pairs_kept_apart_stand_in_no_step_and_no_chain(shop) -> None:
    chains = [chain for ends in shop.toolkit.chains.values() for found in ends.values() for chain in found]
    together = {
        frozenset((one, chain[-1].target))
        for chain in chains
        for one in (chain[0].source, *[edge.target for edge in chain[:-1]])
    }
    assert shop.toolkit.apart
    assert together.isdisjoint(shop.toolkit.apart)
    assert not [
        name
        for name, others in shop.toolkit.partner_sets.items()
        for other in others
        if frozenset((name, other)) in shop.toolkit.apart
    ]
    assert frozenset(("freeze_card", "unfreeze_card")) not in together  # one undoes the other


FLIGHT = {"origin": "Oslo", "destination": "Rome", "date": "2026-05-02"}
HOTEL = {"city": "Paris", "check_in": "2026-06-01", "check_out": "2026-06-04"}


def city_break(shop):
    return next(one for one in shop.toolkit.purposes["search_hotels"] if one.name == "city break")


@given(st.dates(date(2026, 1, 1), date(2027, 1, 1)), st.integers(0, 99))
def test_what_is_shared_is_the_same_and_a_stay_keeps_its_length(shop, day: date, seed: int) -> None:
    said = (Wish("search_flights", {**FLIGHT, "date": day.isoformat()}), Wish("search_hotels", HOTEL))
    flight, hotel = agree(city_break(shop), said, shop.toolbox, Draw(seed, TODAY))
    assert hotel.said["city"] == flight.said["destination"] == "Rome"
    assert hotel.said["check_in"] == flight.said["date"] == day.isoformat()
    nights = date.fromisoformat(hotel.said["check_out"]) - date.fromisoformat(hotel.said["check_in"])
    assert nights.days == 3


def test_a_shared_value_is_one_that_every_tool_knows(shop) -> None:
    said = (Wish("search_hotels", {**HOTEL, "city": "Nowhere"}), Wish("search_flights", FLIGHT))
    hotel, flight = agree(city_break(shop), said, shop.toolbox, Draw(1, TODAY))
    assert hotel.said["city"] == flight.said["destination"] == "Rome"


def test_what_a_wish_takes_from_a_result_is_not_said(shop) -> None:
    wish = next(one for number in range(400) for one in _all_wishes(shop, number) if one.meant)
    assert wish.said.keys().isdisjoint(wish.meant)


def _all_wishes(shop, number: int) -> tuple[Wish, ...]:
    try:
        return wishes(shop, "mixed", number)
    except CannotFillError:
        return ()


FAULTS = [
    ("goals: []", ":1: goals: at least 1 entry"),
    ("goals:\n  - {name: x}", ":2: goals[0].share: this key is missing"),
    ("goals:\n  - {name: x, share: {a: [t#/b]}}", ":2: goals[0].share.a: at least 2"),
    ("goals:\n  - {name: x, share: {a: [t#/b, t]}}", ":2: goals[0].share.a[1]: text that matches"),
    ("goals:\n  - {name: x, share: {a: [t#/b, u#/b]}, apart: [[t, v]]}", ":2: goals[0].apart[0]: 'v' is not among"),
    ("goals:\n  - {name: x, shares: {}}", 'did you mean "share"?'),
    ("goals:\n  - {name: x, share: {a: [t#/b, t#/b]}}", "stands twice"),
    ("goals:\n  - {name: x, share: {a: [t#/b, u#/b]}}\napart: [[t, t]]", ":3: apart[0]: 't' is kept apart from itself"),
    (
        "goals:\n  - {name: x, share: {a: [t#/b, u#/b]}, apart: [[t, t]]}",
        ":2: goals[0].apart[0]: 't' is kept apart from itself",
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_file_of_goals_is_checked(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "g.yaml"
    file.write_text(text)
    with pytest.raises(RecipeError) as caught:
        read_goals((file,))
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_an_argument_that_a_loaded_tool_does_not_have_is_told(tmp_path: Path) -> None:
    file = tmp_path / "g.yaml"
    file.write_text("goals:\n  - {name: x, share: {city: [search_hotels#/town, get_air_quality#/city]}}")
    with pytest.raises(RecipeError, match=r"g\.yaml:2: goals\[0\]: search_hotels has no argument 'town'"):
        prepare(recipe([TOOL_SPECS / "travel.yaml", TOOL_SPECS / "weather.json"], "parallel_multiple", goals=(file,)))


def test_calls_made_at_once_stand_in_another_order_now_and_then_and_are_told_as_they_were_asked_for(shop) -> None:
    turned = 0
    for number in range(100):
        scene = Scene(toolkit=shop.toolkit, draw=Draw(stream_seed("order", number), TODAY), arguments=shop.sources)
        world = shop.backend.open(TODAY, number)
        try:
            events = conduct(SCENARIOS["parallel_multiple"], scene, world, None)
        except CannotFillError:
            continue
        (step,) = [event for event in events if isinstance(event, Step)]
        (told,) = [event for event in events if isinstance(event, Tell)]
        wished = [call.serves for call in step.calls]
        turned += wished != sorted(wished)
        assert [step.calls[place].serves for _, place in told.about] == sorted(wished)
    assert 8 <= turned <= 35


def test_a_chain_goes_on_about_one_element_of_a_list_and_takes_back_nothing(shop) -> None:
    """Nobody has the biggest file described and the smallest one deleted in one breath, nor a card limited and then blocked."""
    chains = prepare(recipe(SHIPPED, "sequential", goals=(GOALS,), steps=(3, 3)))
    apart = {frozenset(pair) for goal in read_goals((GOALS,)) for pair in goal.always_apart}
    several = 0
    for number in range(90):
        try:
            made = wishes(chains, "sequential", number)
        except CannotFillError:
            continue
        named = [
            (meant.source.of, meant.source.at.partition("/*")[0], meant.picks)
            for wish in made
            for meant in wish.meant.values()
            if meant.picks
        ]
        several += len(named) - len({(of, where) for of, where, _ in named}) > 0
        assert len(set(named)) == len({(of, where) for of, where, _ in named})
        assert not apart & {frozenset((one.tool, other.tool)) for one in made for other in made}
    assert several > 30
