"""The shipped stories: most attempts at each give a row, of several turns and calls, and what is planted in such rows is found."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nightly import one_in

from generator.core.claims import Claim
from generator.core.conversation import AssistantMessage, Conversation, Message, ToolCall, ToolMessage, UserMessage
from generator.core.errors import CannotFillError
from generator.core.exact_json import loads
from generator.dialogue.acts.check import check_row
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import MadeRow, PreparedRecipe, prepare
from generator.run.row import _attempt as attempt_at
from generator.run.stages.attempt import Attempt, RejectedRow
from generator.scenarios import SCENARIOS
from generator.scenarios.goals import Story, read_stories
from generator.scenarios.goals.goals import Bias
from generator.scenarios.policies.compliance.transcript import objects_of
from generator.scenarios.stories.course import is_sensible
from generator.scenarios.stories.drafting import whole

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "tool_specs" / "stories").glob("*.yaml"))
STORIES = [story.story for story in read_stories(FILES)]
ATTEMPTS = 6
CALLS = range(3, 16)
replace = msgspec.structs.replace


@cache
def prepared(recipe: str) -> PreparedRecipe:
    return prepare(load_recipe(ROOT / "recipes" / f"{recipe}.yaml", scenarios=SCENARIOS, formats=FORMATS))


def telling(story: str, recipe: str) -> PreparedRecipe:
    """Return a recipe with one story only."""
    own = prepared(recipe)
    stories = tuple([one for one in own.toolkit.stories if one.story == story])
    chosen = tuple([one for one in own.scenarios if one.name == "story"])
    toolkit = replace(own.toolkit, stories=stories)
    return replace(own, toolkit=toolkit, scenarios=chosen, scenario_bounds=(1.0,))


@cache
def rows(story: str) -> tuple[MadeRow, ...]:
    """Return the attempts that gave a row, under a policy where there is one for the story."""
    names = {one.story for one in prepared("service").toolkit.stories}
    own = telling(story, "service" if story in names else "conversations")
    return tuple([one for one in attempts(own, ATTEMPTS) if isinstance(one, MadeRow)])


def attempts(own: PreparedRecipe, number: int) -> list[MadeRow | RejectedRow]:
    return [attempt_at(own, Attempt(index=index)) for index in range(number)]


BIASED = [one for one in read_stories(FILES) if any(bias.share < 1 for bias in one.world)]


@pytest.mark.parametrize("story", BIASED, ids=lambda story: story.story)
def test_what_a_story_wants_in_its_world_is_there(story: Story) -> None:
    own = telling(story.story, "service" if story.story == "cancelled_trip" else "conversations")
    found = {}
    for share in (1.0, 0.0):
        world = tuple([replace(bias, share=share) for bias in story.world])
        toolkit = replace(own.toolkit, stories=(replace(own.toolkit.stories[0], world=world),))
        made = [attempt_at(replace(own, toolkit=toolkit), Attempt(index=index)) for index in range(2 * ATTEMPTS)]
        of = [row.row.conversation for row in made if isinstance(row, MadeRow)]
        found[share] = sum(all(is_shown(bias, one) for bias in story.world) for one in of) / len(of)
    assert found[1.0] > 0.6 > 0.3 > found[0.0]


@pytest.mark.parametrize("story", one_in(3, ["running_again", "new_in_town", "flat_costs"]))
def test_a_search_of_a_story_finds_nothing_in_its_share_of_rows(story: str) -> None:
    """Then the answer says so, and what would take something from it is not wanted."""
    own = telling(story, "conversations")
    (told,) = own.toolkit.stories
    goal = next(goal for goal in told.goals if goal.empty)
    takes = {
        want.call for one in told.goals for want in one.every if goal.goal in {s.goal for s in want.sources.values()}
    }
    for share in (1.0, 0.0):
        goals = tuple([replace(one, empty=share if one is goal else 0.0) for one in told.goals])
        toolkit = replace(own.toolkit, stories=(replace(told, goals=goals),))
        made = [attempt_at(replace(own, toolkit=toolkit), Attempt(index=index)) for index in range(ATTEMPTS)]
        of = [row.row for row in made if isinstance(row, MadeRow)]
        assert len(of) * 2 >= ATTEMPTS
        for row in of:
            said = [tell for tell in row.proof.tells if tell.how == "empty"]
            calls = [call for one in row.conversation.messages for call in getattr(one, "tool_calls", ())]
            assert len(said) == (share == 1.0)
            assert not said or not takes & {call.name for call in calls if call.id != said[0].call_id} - {"get_balance"}


def test_what_is_asked_for_again_is_something_else() -> None:
    """After a supermarket nobody asks for a supermarket."""
    for row in rows("new_in_town"):
        calls = [call for one in row.row.conversation.messages for call in getattr(one, "tool_calls", ())]
        found = [
            (call.arguments["category"], call.arguments["near"]) for call in calls if call.name == "find_nearby_places"
        ]
        assert len({*found}) == len(found)


def test_a_card_is_called_by_its_name() -> None:
    """Not "the one with the highest spending"."""
    made = attempts(telling("lost_card", "conversations"), ATTEMPTS)
    named = []
    for talk in [one.row.conversation for one in made if isinstance(one, MadeRow)]:
        said = " ".join([one.content or "" for one in talk.messages if type(one) is UserMessage]).casefold()
        results = [loads(one.content) for one in talk.messages if type(one) is ToolMessage]
        (frozen,) = [one for one in results if "replacement_ordered" in one]
        named.append(frozen["name"].casefold() in said)
    assert len(named) > 2
    assert sum(named) * 4 >= len(named) * 3


def is_shown(bias: Bias, conversation: Conversation) -> bool:
    """Whether a result shows a thing with the fields of which a story gives the value, as far as results show them."""
    given = {
        field: value if isinstance(value, list) else [value]
        for field, value in bias.has.items()
        if not isinstance(value, str)
    }
    results = [loads(one.content) for one in conversation.messages if type(one) is ToolMessage and not one.is_error]
    things = [thing for result in results for thing in objects_of(result) if given.keys() <= thing.keys()]
    return any(all(thing[field] in values for field, values in given.items()) for thing in things)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_what_people_choose_is_beaten_by_none_of_the_others(found: list[tuple[int, int]]) -> None:
    value = {"rooms": [{"room_id": f"R{at}", "rating": one[0], "price": one[1]} for at, one in enumerate(found)]}
    prefers = ("max rating", "min price")
    for at, (rating, price) in enumerate(found):
        is_beaten = any(one != (rating, price) and one[0] >= rating and one[1] <= price for one in found)
        chosen = is_sensible(value, "rooms/*/room_id", f"/rooms/{at}/room_id", prefers)
        assert chosen != is_beaten
        assert is_sensible(value, "rooms/*/room_id", f"/rooms/{at}/room_id", ())
        assert is_sensible(value, "rooms/*/room_id", f"/rooms/{at}/room_id", ("some price",)) == (price > 0)


def calls_of(row: MadeRow) -> int:
    return sum(len(one.tool_calls) for one in row.row.conversation.messages if type(one) is AssistantMessage)


@pytest.mark.parametrize("story", one_in(2, STORIES))
def test_most_attempts_at_a_story_give_a_row_of_several_turns(story: str) -> None:
    found = rows(story)
    assert len(found) * 2 >= ATTEMPTS
    for row in found:
        assert calls_of(row) in CALLS
        assert len([one for one in row.row.conversation.messages if type(one) is UserMessage]) > 2


def test_stories_are_many_and_each_is_in_a_recipe() -> None:
    named = {file.name for recipe in ("service", "conversations") for file in prepared(recipe).recipe.stories}
    assert named == {file.name for file in FILES}
    assert len(STORIES) >= 30


# --- what is planted ---


@pytest.mark.parametrize(("story", "slot"), [("cancelled_trip", "booking_id"), ("time_off", "request_id")])
def test_nobody_wants_again_what_was_refused(story: str, slot: str) -> None:
    """After "I can't cancel that" the next thing is another one."""
    number = 0
    for row in rows(story):
        wished = [claim.unmade[slot] for claim in row.row.proof.wishes if claim.unmade and slot in claim.unmade]
        calls = [call for message in row.row.conversation.messages for call in getattr(message, "tool_calls", ())]
        wished += [call.arguments[slot] for call in calls if slot in call.arguments]
        assert len(wished) == len({*wished}), wished
        number += len(wished) > 1
    assert number


def calls_to(story: str, tool: str) -> list[ToolCall]:
    messages = [message for row in rows(story) for message in row.row.conversation.messages]
    return [call for one in messages for call in getattr(one, "tool_calls", ()) if call.name == tool]


def test_the_story_answers_what_a_clause_asks() -> None:
    """Who has said why a card is frozen gives no other reason when asked."""
    own = next(one for one in read_stories(FILES) if one.story == "money_abroad")
    told = {call: goal.asked for goal in own.goals for call in [goal.call] if goal.asked}
    freezes, pays = calls_to("money_abroad", "freeze_card"), calls_to("money_abroad", "transfer_money")
    assert {call.arguments.get("reason") for call in freezes} <= {None, told["freeze_card"]["reason"]}
    assert {call.arguments.get("memo") for call in pays} <= {None, *told["transfer_money"]["memo"]}
    assert any("reason" in call.arguments for call in freezes)


def test_a_ticket_goes_to_the_address_that_the_user_names_as_the_account_s() -> None:
    pairs = []
    for row in rows("friends_away"):
        calls = [call for one in row.row.conversation.messages for call in getattr(one, "tool_calls", ())]
        known = {call.arguments["email"] for call in calls if call.name == "find_customer"}
        pairs += [
            (call.arguments["passenger"]["email"], known)
            for call in calls
            if call.name == "book_flight" and known and "email" in call.arguments["passenger"]
        ]
    assert pairs
    assert all(address in known for address, known in pairs)


def test_a_hidden_number_may_stand_for_something_else() -> None:
    """A dish may cost as much as a restaurant does on average, which a clause hides."""
    made = attempts(telling("reunion", "service"), 24)
    told = [fault.message for one in made if isinstance(one, RejectedRow) for fault in one.violations]
    assert [message for message in told if message.startswith("hide: ")] == []


def held(row: MadeRow) -> list[Claim]:
    """The arguments that hold on from an earlier request."""
    return [claim for claim in row.row.proof.arguments if claim.source == "earlier_turn"]


def found_in(row: MadeRow, messages: list[Message], arguments: tuple[Claim, ...] | None = None) -> list[object]:
    talk, proof = row.row.conversation, row.row.proof
    proof = proof if arguments is None else replace(proof, arguments=arguments)
    return list(check_row(Conversation(tuple(messages), talk.tools), proof, prepared("conversations").toolbox))


def another_value(row: MadeRow) -> Iterator[list[object]]:
    """A call takes another value than the one that holds on."""
    for claim in held(row):
        messages = list(row.row.conversation.messages)
        for at, message in enumerate(messages):
            if type(message) is AssistantMessage and claim.call_id in [call.id for call in message.tool_calls]:
                slot = claim.pointer[1:]
                calls = [
                    replace(one, arguments={**one.arguments, slot: _other(one.arguments[slot])})
                    if one.id == claim.call_id
                    else one
                    for one in message.tool_calls
                ]
                messages[at] = replace(message, tool_calls=tuple(calls))
                yield found_in(row, messages)


def _other(value: object) -> object:
    return value + 1 if type(value) is int else "2031-01-01" if str(value)[:2] == "20" else "Elsewhere"


def another_place(row: MadeRow) -> Iterator[list[object]]:
    """It is claimed to be what another argument of the same request says."""
    said = row.row.proof.arguments
    for claim in held(row):
        for other in said:
            if other.source == "user" and other.message == claim.message and other.start != claim.start:
                moved = replace(claim, start=other.start, end=other.end, verbalizer=other.verbalizer)
                yield found_in(
                    row, [*row.row.conversation.messages], tuple([moved if one is claim else one for one in said])
                )


def another_word(row: MadeRow) -> Iterator[list[object]]:
    """The user says a word more than the story has."""
    for use in row.row.proof.uses:
        if use.key.startswith("story: "):
            messages = list(row.row.conversation.messages)
            content = messages[use.message].content or ""
            messages[use.message] = replace(messages[use.message], content=f"{content} Never mind.")
            yield found_in(row, messages)


@pytest.mark.parametrize("plant", [another_value, another_place, another_word])
def test_what_is_planted_in_a_story_is_found(plant: object) -> None:
    assert callable(plant)
    names = {one.story for one in prepared("service").toolkit.stories}
    faults = [found for story in STORIES if story not in names for row in rows(story)[:2] for found in plant(row)]
    assert len(faults) > 9
    assert all(faults)


@given(st.permutations(["a/x", "b/x", "c", "d/x", "d/y", "e/x", "f/x"]))
def test_fixed_values_stand_in_the_order_of_the_story(slots: list[str]) -> None:
    """One seed gives the same bytes, whatever order sets have."""
    found = whole(dict.fromkeys(slots, 1), {"b": {"z": 2}})
    plain = [slot for slot in slots if "/" not in slot]
    assert list(found) == [*plain, *dict.fromkeys(slot[0] for slot in slots if "/" in slot)]
    assert list(found["b"].items()) == [("z", 2), ("x", 1)]
    assert list(found["d"]) == [slot[2:] for slot in slots if slot[0] == "d"]


def test_a_value_within_what_is_not_drawn_has_no_place() -> None:
    with pytest.raises(CannotFillError, match="a/b/c"):
        whole({"a/b/c": 1}, {"a": {}})


SEVERAL = """
stories:
- story: tour
  fewest: 2
  goals:
  - {goal: tour, call: find_concerts, say: "Do {artist} play in {city}?", vary: artist, times: [2]}
  - NEXT
"""
SAID = '{goal: next, call: find_concerts, say: "Is {artist} in {city}?", with: {city: "find_concerts#/concerts/0/city said"}}'
TAKEN = '{goal: next, call: reserve_concert_tickets, say: "Reserve {quantity} tickets for {concert_id}.", with: {concert_id: tour}, when: tour.done}'


def attempts_after_several(folder: Path, then: str) -> list[MadeRow | RejectedRow]:
    """Attempts at a goal after one that makes several calls at once."""
    (folder / "story.yaml").write_text(SEVERAL.replace("NEXT", then))
    tools = ROOT / "tool_specs" / "music.json"
    text = f"{{name: tour, rows: 9, seed: 3, tools: [{tools}], stories: [story.yaml], scenarios: [story]}}"
    (folder / "recipe.yaml").write_text(text)
    return attempts(prepare(load_recipe(folder / "recipe.yaml", scenarios=SCENARIOS, formats=FORMATS)), ATTEMPTS)


def test_what_one_of_several_calls_has_shown_is_not_said_again(tmp_path: Path) -> None:
    made = attempts_after_several(tmp_path, SAID)
    told = [fault.message for one in made if isinstance(one, RejectedRow) for fault in one.violations]
    assert any("several calls made at once" in message for message in told)


def test_a_goal_of_several_calls_is_done(tmp_path: Path) -> None:
    """What comes of it can be taken by its name."""
    made = attempts_after_several(tmp_path, TAKEN)
    assert sum(isinstance(one, MadeRow) for one in made) * 2 >= ATTEMPTS


def test_the_page_s_search_that_finds_nothing_gives_rows_of_both_kinds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "stories.md").read_text(encoding="utf-8")
    (tmp_path / "concerts.yaml").write_text(re.findall(r"```yaml\n(# concerts.yaml.*?)```", page, re.DOTALL)[0])
    tools = (ROOT / "tool_specs" / "music.json").as_posix()
    (tmp_path / "recipe.yaml").write_text(
        f"{{name: night, rows: 20, tools: [{tools}], stories: concerts.yaml, scenarios: [story]}}"
    )
    own = prepare(load_recipe(tmp_path / "recipe.yaml", scenarios=SCENARIOS, formats=FORMATS))
    made = [one for one in attempts(own, 12) if isinstance(one, MadeRow)]
    assert len(made) >= 9
    assert {any(tell.how == "empty" for tell in one.row.proof.tells) for one in made} == {True, False}
    assert not any("quantity?" in str(one.row.conversation.messages) for one in made)
