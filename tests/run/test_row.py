"""One row: the same from the same words anywhere, right in every way, and its failed attempts kept."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from nightly import night
from workbench import CONVERSATIONS, SHOP, TOOL_SPECS, recipe, rows, user_text, workshop, write_tools

from generator.core.conversation import (
    AssistantMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
    Violation,
    failed_messages,
)
from generator.core.errors import RowError, SpecError
from generator.core.toolbox import Phrases
from generator.dialogue.acts.check import check_row
from generator.formats.rules import check_record
from generator.recipe import ArgumentSettings
from generator.recipe.settings import Offer
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.shape import conversation_shape

ALL = CONVERSATIONS


def encoded(made: MadeRow) -> bytes:
    return orjson.dumps(made.record) + msgspec.json.encode(made.row)


def broken(made: MadeRow) -> list[Violation]:
    """The rules that a record breaks, but for those about arguments of calls that were refused and are not to be learnt."""
    refused = {f"$.messages[{at}].tool_calls[0].function.arguments" for at in failed_messages(made.row.conversation)}
    found = check_record(made.record)
    return [one for one in found if one.rule != "DF202" or not any(one.path.startswith(path) for path in refused)]


def called(made: MadeRow) -> list[str]:
    return [
        call.name for m in made.row.conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls
    ]


def distractors(made: MadeRow) -> list[str]:
    unmade = [wish.tool for wish in made.row.proof.wishes if wish.unmade is not None]
    return [tool.name for tool in made.row.conversation.tools if tool.name not in [*called(made), *unmade]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> PreparedRecipe:
    return workshop(tmp_path_factory.mktemp("row"), *ALL)


def long_results(made: Iterable[MadeRow]) -> set[str]:
    """Results that two rows do not have in common by chance."""
    talks = [one.row.conversation for one in made]
    return {m.content for talk in talks for m in talk.messages if isinstance(m, ToolMessage) and len(m.content) > 60}


class TestTheSameRow:
    """A row is a function of recipe, tools, seed and index: nothing else."""

    SCRIPT = """
import sys
sys.path[:0] = {paths!r}
from hashlib import sha256
from pathlib import Path
from typing import Any
from workbench import recipe, rows
from test_row import ALL, encoded
from generator.recipe import ArgumentSettings
from generator.run.row import prepare
made = rows(prepare(recipe([Path({file!r})], *ALL, arguments=ArgumentSettings(edge_cases=0.2, optional=0.7))), 60)
print(sha256(b"".join(map(encoded, made))).hexdigest())
"""

    @night
    def test_in_other_processes(self, tmp_path: Path):
        here = Path(__file__).parent
        script = self.SCRIPT.format(
            paths=[str(here.parent), str(here), str(here.parents[1])], file=str(write_tools(tmp_path))
        )
        running = [
            subprocess.Popen(
                [sys.executable, "-c", script],
                stdout=subprocess.PIPE,
                text=True,
                cwd=tmp_path,
                env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"},
            )
            for seed, zone in (("0", "UTC"), ("4242", "Pacific/Kiritimati"))
        ]
        found = [process.communicate(timeout=120)[0].strip() for process in running]
        assert [process.returncode for process in running] == [0, 0]
        assert len(found[0]) == 64
        assert found[0] == found[1]

    def test_whatever_rows_are_asked_for(self, shop: PreparedRecipe, tmp_path: Path):
        forward = [encoded(made) for made in rows(shop, 12)]
        assert [encoded(make_row(shop, index)) for index in reversed(range(12))] == forward[::-1]
        fresh = workshop(tmp_path, *ALL)
        assert encoded(make_row(fresh, 11)) == forward[11]
        assert encoded(make_row(fresh, 11)) == forward[11]

    def test_however_many_rows_the_recipe_wants_and_wherever_it_lies(self, shop: PreparedRecipe, tmp_path: Path):
        other = workshop(tmp_path, *ALL, rows=100_000, path=Path("elsewhere/other.yaml"), formats=("openai",))
        assert [encoded(made) for made in rows(other, 5)] == [encoded(made) for made in rows(shop, 5)]

    def test_a_recipe_of_another_name_has_rows_and_results_of_its_own(self, shop: PreparedRecipe, tmp_path: Path):
        first, second = rows(shop, 40), rows(workshop(tmp_path, *ALL, name="other"), 40)
        assert all(encoded(one) != encoded(other) for one, other in zip(first, second, strict=True))
        shared = long_results(first) & long_results(second)
        assert len(shared) <= 0.05 * len(long_results(first)), shared

    def test_other_seeds_and_indexes_give_other_rows(self, shop: PreparedRecipe, tmp_path: Path):
        first, second = rows(shop, 40), rows(workshop(tmp_path, *ALL, seed=8), 40)
        assert len({user_text(made) for made in (*first, *second)}) >= 78
        assert all(encoded(one) != encoded(other) for one, other in zip(first, second, strict=True))

    def test_rows_far_away_can_be_made(self, shop: PreparedRecipe):
        assert make_row(shop, 10**9).row.index == 10**9


class TestEveryRow:
    @pytest.mark.parametrize("scenario", ALL)
    def test_passes_all_checks_in_every_scenario(self, tmp_path: Path, scenario: str):
        shop = workshop(tmp_path, scenario)
        for made in rows(shop, 12):
            talk, proof = made.row.conversation, made.row.proof
            assert made.row.scenario == scenario
            assert broken(made) == []
            assert check_row(talk, proof, shop.toolbox) == []
            assert not [*SCENARIOS[scenario].faults(conversation_shape(talk, proof))]
            assert len(made.rejected) <= 5

    @pytest.mark.parametrize(
        ("source", "edge_cases"), [("realistic", 0.0), ("realistic", 0.5), ("property_based", 0.2)]
    )
    def test_with_any_arguments(self, tmp_path: Path, source: str, edge_cases: float):
        arguments = ArgumentSettings(source=((source, 1.0),), edge_cases=edge_cases, optional=0.9)
        for made in rows(workshop(tmp_path, *ALL, arguments=arguments), 24):
            assert broken(made) == []
            assert len(made.rejected) <= 10

    def test_has_its_parts_in_order(self, shop: PreparedRecipe):
        for made in rows(shop, 40):
            messages = made.row.conversation.messages
            kinds = [type(message) for message in messages]
            assert kinds[:2] == [SystemMessage, UserMessage]
            assert kinds.count(UserMessage) == 1
            assert kinds[-1] is AssistantMessage
            assert messages[-1].content
            assert not messages[-1].tool_calls
            waiting: list[str] = []
            for message in messages[2:]:
                if isinstance(message, ToolMessage):
                    assert message.tool_call_id == waiting.pop(0)
                else:
                    assert waiting == []
                    waiting = [call.id for call in getattr(message, "tool_calls", ())]

    def test_has_as_many_calls_and_steps_as_the_recipe_says(self, tmp_path: Path):
        shop = workshop(tmp_path, "parallel", "parallel_multiple", "sequential", calls=(2, 4), steps=(3, 3))
        widths: dict[str, set[int]] = {}
        for made in rows(shop, 60):
            shape = conversation_shape(made.row.conversation, made.row.proof)
            if made.row.scenario == "sequential":
                assert len(shape.steps) <= 3
                widths.setdefault("sequential", set()).add(len(shape.steps))
            else:
                widths.setdefault(made.row.scenario, set()).add(len(shape.steps[0]))
        assert widths["parallel"] == {2, 3, 4}
        assert widths["parallel_multiple"] <= {2, 3, 4}
        assert 3 in widths["sequential"]

    def test_takes_place_on_a_day_of_the_recipe(self, tmp_path: Path):
        system = ("It is {weekday}, {today}.", "No day here.")
        shop = workshop(tmp_path, system=system, today=(date(2026, 2, 27), date(2026, 3, 2)))
        seen = {made.row.conversation.messages[0].content for made in rows(shop, 60)}
        assert seen == {
            "No day here.",
            "It is Friday, 2026-02-27.",
            "It is Saturday, 2026-02-28.",
            "It is Sunday, 2026-03-01.",
            "It is Monday, 2026-03-02.",
        }

    def test_has_no_system_message_when_the_recipe_has_none(self, tmp_path: Path):
        for made in rows(workshop(tmp_path, *ALL, system=()), 20):
            assert isinstance(made.row.conversation.messages[0], UserMessage)

    @pytest.mark.parametrize(
        "system",
        [
            "Rules of 2019-01-01 apply. Today is {today}.",
            "Today is {today}. Rules of 2019-01-01 apply.",
            "Rules of 2019-01-01.",
        ],
    )
    def test_another_date_in_the_system_message_is_not_today(self, tmp_path: Path, system: str):
        shop = workshop(tmp_path, *ALL, system=(system,))
        assert sum(len(made.rejected) for made in rows(shop, 40)) <= 8
        relative = {
            word
            for made in rows(shop, 60)
            for word in ("today", "tomorrow", "Friday")
            if word in user_text(made) and "{today}" not in system
        }
        assert relative == set()

    def test_comes_as_often_as_its_scenario_weighs(self, tmp_path: Path):
        files = [write_tools(tmp_path)]
        shop = prepare(recipe(files, scenarios=(("single", 3.0), ("parallel", 1.0))))
        seen = Counter(made.row.scenario for made in rows(shop, 120))
        assert set(seen) == {"single", "parallel"}
        assert 75 <= seen["single"] <= 105


class TestOffer:
    def test_holds_the_called_tools_once_and_distractors_within_the_range(self, tmp_path: Path):
        counts: dict[str, set[int]] = {}
        files = [write_tools(tmp_path), TOOL_SPECS / "weather.json"]
        for made in rows(prepare(recipe(files, *ALL, offer=Offer(distractors=(1, 3)))), 90):
            offered = [tool.name for tool in made.row.conversation.tools]
            assert len(set(offered)) == len(offered)
            assert set(called(made)) <= set(offered)
            counts.setdefault(made.row.scenario, set()).add(len(distractors(made)))
        assert all(found <= {1, 2, 3} for found in counts.values())
        assert set.union(*counts.values()) == {1, 2, 3}

    def test_holds_no_more_tools_than_there_are(self, tmp_path: Path):
        shop = workshop(tmp_path, *ALL, offer=Offer(distractors=(50, 60)))
        for made in rows(shop, 30):
            assert {tool.name for tool in made.row.conversation.tools} == set(shop.toolbox)

    def test_may_hold_nothing_else(self, tmp_path: Path):
        for made in rows(workshop(tmp_path, *ALL, offer=Offer(distractors=(0, 0))), 40):
            assert len(distractors(made)) == (1 if made.row.scenario == "multiple" else 0)

    def test_a_recipe_with_one_tool_offers_it_alone(self, tmp_path: Path):
        shop = workshop(
            tmp_path,
            "single",
            "parallel",
            text="{name: ping, parameters: {type: object, properties: {n: {type: integer}}}}",
        )
        assert all([tool.name for tool in made.row.conversation.tools] == ["ping"] for made in rows(shop, 6))

    def test_the_right_tool_stands_anywhere(self, tmp_path: Path):
        made = rows(workshop(tmp_path, offer=Offer(distractors=(2, 2))), 40)
        places = {[tool.name for tool in one.row.conversation.tools].index(called(one)[0]) for one in made}
        assert places == {0, 1, 2}

    def test_multiple_offers_look_alikes(self, tmp_path: Path):
        files = [TOOL_SPECS / "travel.yaml", write_tools(tmp_path)]
        shop = prepare(recipe(files, "multiple", offer=Offer(distractors=(2, 2))))
        shop_tools = {name for name, spec in shop.toolbox.items() if spec.domain == "shop"}
        for made in rows(shop, 60):
            (right,) = called(made)
            others = [name for name in distractors(made) if (name in shop_tools) != (right in shop_tools)]
            assert len(distractors(made)) == 2
            assert set(distractors(made)) <= set(shop.look_alikes[right][:4])
            assert len(others) <= 1

    def test_a_tool_is_offered_as_its_file_has_it(self, shop: PreparedRecipe):
        for made in rows(shop, 10):
            for tool in made.row.conversation.tools:
                assert tool is shop.toolbox[tool.name].tool


class TestRejected:
    ONE_OR_TWO = SHOP.replace("minItems: 3\n          maxItems: 4", "minItems: 1\n          maxItems: 2")
    ONLY_ONE = SHOP.replace("minItems: 3\n          maxItems: 4", "minItems: 1\n          maxItems: 1")

    def test_attempts_are_kept_with_their_reasons(self, tmp_path: Path):
        made = rows(workshop(tmp_path, "fan_out", text=self.ONE_OR_TWO), 20)
        rejected = [attempt for one in made for attempt in one.rejected]
        assert 5 < len(rejected) < 60
        for one in made:
            assert [attempt.attempt for attempt in one.rejected] == list(range(len(one.rejected)))
            assert {attempt.index for attempt in one.rejected} <= {one.row.index}
        assert {violation for attempt in rejected for violation in attempt.violations} == {
            Violation("PL101", "$", "a list that should have several elements has only one")
        }

    def test_a_row_that_cannot_be_made_stops_the_run(self, tmp_path: Path):
        shop = workshop(tmp_path, "fan_out", text=self.ONLY_ONE)
        with pytest.raises(RowError, match=r"^row 4: none of 75 attempts passed; the last one: PL101 a list that"):
            make_row(shop, 4)

    def test_arguments_that_cannot_be_drawn_to_fit_are_a_failed_attempt(self, tmp_path: Path):
        shop, left = workshop(tmp_path, "single"), 3

        def unlucky(source):
            def draw_arguments(draw):
                nonlocal left
                left -= 1
                if left >= 0:
                    raise RowError("find_orders: 200 drawn values were all invalid against its schema")
                return source(draw)

            return draw_arguments

        shop.sources = {name: unlucky(source) for name, source in shop.sources.items()}
        made = make_row(shop, 0)
        assert [attempt.violations[0].rule for attempt in made.rejected] == ["PL101"] * 3
        left = 10**9
        with pytest.raises(
            RowError, match=r"row 0: none of 75 attempts passed; the last one: PL101 find_orders: 200 drawn"
        ):
            make_row(shop, 0)

    def test_other_rows_are_not_touched_by_it(self, tmp_path: Path):
        text, files = self.ONE_OR_TWO, [write_tools(tmp_path, self.ONE_OR_TWO)]
        shop = prepare(recipe(files, "fan_out"))
        alone = [encoded(make_row(workshop(tmp_path, "fan_out", text=text), index)) for index in range(6)]
        assert [encoded(made) for made in rows(shop, 6)] == alone

    def test_a_row_that_another_world_would_answer_differently_is_rejected(self, tmp_path: Path):
        shop = workshop(tmp_path, "single")
        recipe = msgspec.structs.replace(shop.recipe, replay=1.0)
        made = make_row(msgspec.structs.replace(shop, recipe=recipe, backend=Fickle(shop.backend, 2)), 3)
        assert [{v.rule for v in attempt.violations} for attempt in made.rejected] == [{"RP101"}] * 2
        assert check_record(made.record) == []

    @pytest.mark.parametrize(("share", "of_hundred"), [(None, 5), (0.0, 0), (0.25, 25), (1.0, 100)])
    def test_a_share_of_the_rows_is_replayed(self, tmp_path: Path, share: float | None, of_hundred: int):
        shop = workshop(tmp_path, "single")
        shop.recipe = msgspec.structs.replace(shop.recipe, replay=share)
        opened: list[int] = []

        class Counted:
            def open(self, today: date, salt: int = 0) -> Any:
                opened.append(salt)
                return backend.open(today, salt)

        backend = shop.backend
        shop.backend = shop.simulated = Counted()
        tried = sum(1 + len(make_row(shop, index).rejected) for index in range(100))
        assert len(opened) == tried + of_hundred

    def test_a_row_that_says_what_the_tools_phrases_do_not_is_rejected(self, tmp_path: Path):
        shop = workshop(tmp_path, "single")
        silent = {name: msgspec.structs.replace(spec, phrases=Phrases()) for name, spec in shop.toolbox.items()}
        with pytest.raises(RowError, match="none of 75 attempts passed; the last one: PF1"):
            make_row(msgspec.structs.replace(shop, toolbox=silent), 3)

    def test_arguments_that_break_a_rule_are_rejected(self, tmp_path: Path):
        shop = workshop(tmp_path, "single")
        shop.sources = {name: lambda draw: {"unknown": "Oslo"} for name in shop.sources}
        with pytest.raises(RowError, match="none of 75 attempts passed; the last one: DF"):
            make_row(shop, 0)

    def test_a_row_of_the_wrong_shape_is_rejected(self, tmp_path: Path):
        wrong = msgspec.structs.replace(SCENARIOS["parallel"], events=SCENARIOS["single"].events)
        shop = msgspec.structs.replace(workshop(tmp_path, "parallel"), scenarios=(wrong,))
        with pytest.raises(RowError, match=r"SC101 not parallel: U C A .*, expected U C\{2\+\}:one_tool A"):
            make_row(shop, 0)

    def test_the_day_and_the_scenario_stay_for_all_attempts(self, shop: PreparedRecipe):
        shop = msgspec.structs.replace(shop, recipe=msgspec.structs.replace(shop.recipe, replay=1.0))
        index = next(at for at in range(5, 50) if make_row(shop, at).row.scenario == "single")
        plain = make_row(shop, index)
        other = make_row(msgspec.structs.replace(shop, backend=Fickle(shop.backend, 3)), index)
        assert len(other.rejected) == 3
        assert other.row.scenario == plain.row.scenario
        assert encoded(other) != encoded(plain)


class Fickle:
    """A backend that answers differently when it is asked again, for so many rows."""

    def __init__(self, backend, times: int):
        self.backend, self.left, self.is_again = backend, times, False

    def open(self, today: date, salt: int = 0):
        self.left -= self.is_again
        other = self.is_again and self.left >= 0
        self.is_again = not self.is_again
        return self.backend.open(today, salt + other)


class TestSpecsThatSurprise:
    """Tools that load and then must not stop a run with a traceback."""

    @pytest.mark.parametrize(
        "price", ["{type: [integer, 'null'], maximum: 9}", "{enum: [1, 2, null]}", "{type: boolean}"]
    )
    def test_a_pick_by_values_that_may_be_missing(self, tmp_path: Path, price: str):
        text = SHOP.replace(
            "total: {type: integer, minimum: 20, maximum: 900, x-maximum: max_total}", f"total: {price}", 1
        )
        assert rows(workshop(tmp_path, "sequential", text=text), 20)

    @pytest.mark.parametrize("price", ["{enum: [1, 2, null, high]}", "{type: [integer, string], maximum: 9}"])
    def test_a_pick_by_values_of_which_none_is_the_least(self, tmp_path: Path, price: str):
        text = SHOP.replace(
            "total: {type: integer, minimum: 20, maximum: 900, x-maximum: max_total}", f"total: {price}", 1
        )
        with pytest.raises(SpecError, match="values of total are texts and numbers, which cannot be compared"):
            workshop(tmp_path, "sequential", text=text)

    def test_vary_with_an_argument_that_may_be_missing(self, tmp_path: Path):
        text = SHOP.replace("vary: [city]", "vary: [day]").replace('again: ["in {city}"]', "again: []")
        made = rows(workshop(tmp_path, "parallel", text=text), 30)
        assert any(called(one)[0] == "get_weather" for one in made)

    def test_a_list_announced_with_a_slot(self, tmp_path: Path):
        """`several` speaks of all calls, so a slot in it is either refused or never shown with its braces."""
        text = SHOP.replace("find the orders of these people", "find the orders of {customer} and others")
        try:
            made = rows(workshop(tmp_path, "parallel", text=text), 40)
        except Exception as fault:  # refused: as good
            assert "several" in str(fault)  # noqa: PT017
        else:
            assert not any("{" in user_text(one) for one in made)

    def test_results_as_text_or_lists(self, tmp_path: Path):
        text = "- {name: say_text, returns: {type: string, examples: [Done., 'It took 3 days.']}}\n- {name: say_list, returns: {type: array, items: {type: integer}}}"
        for made in rows(workshop(tmp_path, "single", "multiple", "parallel_multiple", text=text), 12):
            assert made.row.conversation.messages[-1].content

    def test_names_of_which_no_word_is_left(self, tmp_path: Path):
        """Such tools resemble nothing, which is no reason to stop."""
        text = "[{name: a}, {name: b2}, {name: _}]"
        assert rows(workshop(tmp_path, "single", "multiple", text=text), 6)

    def test_a_name_with_a_digit(self, tmp_path: Path):
        assert rows(workshop(tmp_path, "single", text="{name: get_v2_status}"), 6)

    def test_a_result_with_relative_words_in_it(self, tmp_path: Path):
        text = "{name: a, returns: {type: object, properties: {when: {type: string, examples: [tomorrow, on Friday, '5']}}, required: [when]}, phrases: {answer: ['It is {when}.']}}"
        assert rows(workshop(tmp_path, text=text), 6)
