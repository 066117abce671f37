"""Events run: arguments drawn, values taken from earlier results, every call answered, and answered again."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from workbench import TODAY, rows, workshop

from generator.core.conversation import ToolMessage
from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Event, Meant, Ref, Say, Step
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Pick
from generator.run.row import PreparedRecipe
from generator.run.stages.conduct import conduct, replay
from generator.scenarios import Scenario, Scene
from generator.scenarios.scenario import serve, serve_all

LISTS = """
tools:
  - function:
      name: search
      parameters: {{type: object, properties: {{q: {{type: string, enum: [a, b, c, d, e, f, g, h]}}}}, required: [q]}}
    returns:
      type: object
      properties:
        owner: {{type: object, properties: {{key: {{type: string, pattern: "^K[0-9]{{6}}$"}}}}, required: [key]}}
        hits:
          type: array
          minItems: {least}
          maxItems: {most}
          items:
            type: object
            properties:
              id: {{type: string, pattern: "^[A-Z]{{6}}$"}}
              price: {price}
            required: {required}
      required: [owner, hits]
  - function:
      name: act
      parameters:
        type: object
        properties:
          note: {{type: string, enum: [x, y]}}
          target: {{type: object, properties: {{where: {{enum: [here]}}, id: {{type: string}}}}, required: [where, id]}}
          key: {{type: string}}
          last: {{type: integer}}
        required: [note, target]
"""


def lists(
    folder: Path,
    *,
    least: int = 3,
    most: int = 3,
    price: str = "{type: integer, minimum: 1, maximum: 99999}",
    required: str = "[id, price]",
) -> PreparedRecipe:
    return workshop(folder, text=LISTS.format(least=least, most=most, price=price, required=required))


def run(shop: PreparedRecipe, script: Callable[[Scene], Any], seed: object = 0) -> list[Event]:
    scene = Scene(toolkit=shop.toolkit, draw=Draw(stream_seed(seed), TODAY), arguments=shop.sources)
    scenario = Scenario("any", "anything", lambda toolkit: (), script, ())
    return list(conduct(scenario, scene, shop.backend.open(TODAY, 0), None))


def search(shop: PreparedRecipe, number: int = 1, seed: object = 0) -> Step:
    """That many searches at once."""

    def script(scene: Scene) -> Any:
        yield Step(calls=serve_all((yield Say(wishes=scene.wishes(["search"] * number)))))

    return run(shop, script, seed)[-1]


def act_on(
    shop: PreparedRecipe, meant: dict[str, Meant], seed: object = 0, *, for_each: bool = False
) -> tuple[Step, Step]:
    """A search, and what is done with its result."""

    def script(scene: Scene) -> Any:
        asked = yield Say(wishes=(scene.wish("search"), scene.wish_with("act", meant, for_each)))
        found = yield Step(calls=(serve(asked),))
        yield Step(calls=(serve(asked, 1, found),))

    return tuple(run(shop, script, seed)[1:])


def taking(*picks: Pick, slot: str = "target/id", result: str = "hits/*/id") -> dict[str, Meant]:
    return {slot: Meant(Ref(HERE, 0, result), picks)}


CHEAPEST, DEAREST = Pick("the cheapest", "min price"), Pick("the dearest", "max price")
FIRST, LAST, EACH = Pick("the first", "first"), Pick("the last", "last"), Pick("each of them", "each")


class TestTaking:
    @pytest.mark.parametrize("pick", [FIRST, LAST, CHEAPEST, DEAREST])
    def test_the_element_that_the_pick_names(self, tmp_path: Path, pick: Pick):
        shop = lists(tmp_path)
        taken = 0
        for seed in range(20):
            try:
                found, done = act_on(shop, taking(pick), seed)
            except CannotFillError:  # two of the elements have the same price
                continue
            taken += 1
            hits = found.outcomes[0].value["hits"]
            prices = [hit["price"] for hit in hits]
            wanted = {FIRST: 0, LAST: 2, CHEAPEST: prices.index(min(prices)), DEAREST: prices.index(max(prices))}[pick]
            assert done.made[0].arguments["target"]["id"] == hits[wanted]["id"]
            ref = done.calls[0].args["target/id"]
            assert (ref.event, ref.of, ref.at, ref.pick) == (found.id, 0, f"hits/{wanted}/id", pick)
        assert taken >= 15

    def test_the_next_pick_when_none_stands_out(self, tmp_path: Path):
        shop = lists(tmp_path, price="{type: integer, enum: [5]}")
        _, done = act_on(shop, taking(CHEAPEST, DEAREST, LAST, FIRST))
        assert done.calls[0].args["target/id"].pick == LAST
        with pytest.raises(CannotFillError, match="stands out"):
            act_on(shop, taking(CHEAPEST))

    @pytest.mark.parametrize(
        ("price", "required"),
        [
            ("{type: integer}", "[id]"),  # some elements have none
            ("{type: [integer, 'null']}", "[id, price]"),
            ("{enum: [null]}", "[id, price]"),
            ("{enum: [1, cheap, null, true]}", "[id, price]"),
            ("{type: object, properties: {a: {type: integer}}}", "[id, price]"),
        ],
    )
    def test_elements_that_cannot_be_compared_do_not_stand_out(self, tmp_path: Path, price: str, required: str):
        shop = lists(tmp_path, price=price, required=required)
        for seed in range(30):
            found, done = act_on(shop, taking(CHEAPEST, DEAREST, FIRST), seed)
            hits = found.outcomes[0].value["hits"]
            assert done.calls[0].args["target/id"].pick == FIRST or all(type(hit.get("price")) is int for hit in hits)

    def test_an_element_is_the_first_of_all_and_not_of_those_with_a_value(self, tmp_path: Path):
        shop, outcomes = lists(tmp_path, required="[price]"), Counter()
        for seed in range(30):
            has_id = "id" in search(shop, seed=seed).outcomes[0].value["hits"][0]
            outcomes[has_id] += 1
            if has_id:
                assert act_on(shop, taking(FIRST), seed)[1].calls[0].args["target/id"].at == "hits/0/id"
            else:
                with pytest.raises(CannotFillError, match="stands out"):
                    act_on(shop, taking(FIRST), seed)
        assert outcomes[True] > 10
        assert outcomes[False] > 0

    def test_a_value_that_is_in_no_list(self, tmp_path: Path):
        found, done = act_on(lists(tmp_path), {**taking(FIRST), **taking(slot="key", result="owner/key")})
        (made,) = done.made
        assert made.arguments["key"] == found.outcomes[0].value["owner"]["key"]
        args = done.calls[0].args
        assert [(args[slot].at, args[slot].pick) for slot in ("target/id", "key")] == [
            ("hits/0/id", FIRST),
            ("owner/key", None),
        ]
        assert list(made.arguments)[:3] == ["note", "target", "key"]  # as declared
        assert made.arguments["target"]["where"] == "here"

    def test_one_call_for_each_element(self, tmp_path: Path):
        found, done = act_on(lists(tmp_path), taking(EACH), for_each=True)
        hits = found.outcomes[0].value["hits"]
        assert [made.arguments["target"]["id"] for made in done.made] == [hit["id"] for hit in hits]
        rest = [{**made.arguments, "target": None} for made in done.made]
        assert rest == rest[:1] * 3
        assert len({id(made.arguments["target"]) for made in done.made}) == 3  # nothing is shared

    @pytest.mark.parametrize(("least", "most"), [(1, 1), (0, 0)])
    def test_each_of_them_needs_several(self, tmp_path: Path, least: int, most: int):
        with pytest.raises(CannotFillError):
            act_on(lists(tmp_path, least=least, most=most), taking(EACH), for_each=True)

    def test_an_empty_list_has_no_first_element(self, tmp_path: Path):
        with pytest.raises(CannotFillError, match="hits"):
            act_on(lists(tmp_path, least=0, most=0), taking(FIRST))


class TestDrawing:
    def test_wishes_of_one_message_differ(self, tmp_path: Path):
        shop = lists(tmp_path)
        for seed in range(10):
            assert len({made.arguments["q"] for made in search(shop, 5, seed).made}) == 5

    def test_or_are_given_up(self, tmp_path: Path):
        with pytest.raises(CannotFillError, match="differ"):
            search(lists(tmp_path), 9)

    def test_wishes_that_vary_differ_in_one_argument_only(self, tmp_path: Path):
        def script(scene: Scene) -> Any:
            yield Step(calls=serve_all((yield Say(wishes=scene.wishes_that_vary("get_weather", "city", 3)))))

        shop = workshop(tmp_path)
        for seed in range(20):
            made = run(shop, script, seed)[-1].made
            rest = [{k: v for k, v in one.arguments.items() if k != "city"} for one in made]
            assert len({one.arguments["city"] for one in made}) == 3
            assert rest == rest[:1] * 3

    def test_ids_are_nine_letters_or_digits_and_never_the_same(self, tmp_path: Path):
        ids = [made.id for made in search(lists(tmp_path), 6).made]
        assert len(set(ids)) == 6
        assert all(re.fullmatch("[a-zA-Z0-9]{9}", one) for one in ids)

    def test_the_same_stream_the_same_events(self, tmp_path: Path):
        shop = lists(tmp_path)
        assert act_on(shop, taking(FIRST)) == act_on(shop, taking(FIRST))
        assert act_on(shop, taking(FIRST)) != act_on(shop, taking(FIRST), 1)

    def test_contents_are_the_results_as_json(self, tmp_path: Path):
        (outcome,) = search(lists(tmp_path)).outcomes
        assert orjson.loads(outcome.content) == outcome.value
        assert outcome.ok


class TestReplay:
    @pytest.fixture(scope="class")
    @classmethod
    def made(cls, tmp_path_factory):
        shop = workshop(
            tmp_path_factory.mktemp("replay"),
            "sequential",
            "fan_out",
            "mixed",
            today=(TODAY, TODAY),
        )
        return shop, [(row.row.conversation, stream_seed(shop.seed, "world", row.row.index)) for row in rows(shop, 15)]

    def test_finds_nothing_in_made_rows(self, made):
        shop, talks = made
        assert [fault for talk, salt in talks for fault in replay(talk, shop.backend.open(TODAY, salt))] == []

    def test_another_world_answers_differently(self, made):
        shop, talks = made
        assert all(replay(talk, shop.backend.open(TODAY, salt + 1)) for talk, salt in talks)

    def test_finds_every_result_that_was_changed(self, made):
        shop, talks = made
        for talk, salt in talks:
            for index, message in enumerate(talk.messages):
                if isinstance(message, ToolMessage):
                    for content in (message.content + " ", "{}", message.content.replace('"', "'"), ""):
                        messages = list(talk.messages)
                        messages[index] = msgspec.structs.replace(message, content=content)
                        found = replay(
                            msgspec.structs.replace(talk, messages=tuple(messages)), shop.backend.open(TODAY, salt)
                        )
                        assert [(fault.rule, fault.path) for fault in found] == [
                            ("RP101", f"$.messages[{index}].content")
                        ]

    def test_finds_a_result_under_another_calls_name(self, made):
        shop, talks = made
        for talk, salt in talks:
            answers = [i for i, message in enumerate(talk.messages) if isinstance(message, ToolMessage)]
            if len(answers) > 1 and Counter(talk.messages[i].content for i in answers).most_common(1)[0][1] == 1:
                messages = list(talk.messages)
                first, last = answers[0], answers[-1]
                ids = messages[first].tool_call_id, messages[last].tool_call_id
                messages[first] = msgspec.structs.replace(messages[first], tool_call_id=ids[1])
                messages[last] = msgspec.structs.replace(messages[last], tool_call_id=ids[0])
                assert replay(msgspec.structs.replace(talk, messages=tuple(messages)), shop.backend.open(TODAY, salt))
