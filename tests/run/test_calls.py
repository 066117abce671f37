"""Plans carried out: arguments drawn, values taken from earlier results, every call answered, and answered again."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import orjson
import pytest
from generator.run.calls import CannotFill, carry_out, replay
from workbench import TODAY, rows, workshop

from generator.conversation import ToolMessage
from generator.planning import Binding, FilledStep, Plan, PlannedCall, Step, Turn
from generator.run.row import Workshop
from generator.seeds import Draw, stream_seed
from generator.toolbox import Pick

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


def lists(folder: Path, *, least: int = 3, most: int = 3, price: str = "{type: integer, minimum: 1, maximum: 99999}", required: str = "[id, price]") -> Workshop:
    return workshop(folder, text=LISTS.format(least=least, most=most, price=price, required=required))


def carry(shop: Workshop, *steps: Step, seed: object = 0) -> tuple[FilledStep, ...]:
    (turn,) = carry_out(Plan(scenario="any", turns=(Turn(steps=steps),)), shop, Draw(stream_seed(seed), TODAY), TODAY, 0)
    return turn


def call(tool: str, *bindings: Binding, for_each: bool = False) -> PlannedCall:
    return PlannedCall(tool=tool, bindings=bindings, for_each=for_each)


def taking(*picks: Pick, argument: str = "target/id", result: str = "hits/*/id") -> Binding:
    return Binding(argument=argument, step=0, call=0, result=result, picks=picks)


CHEAPEST, DEAREST = Pick("the cheapest", "min price"), Pick("the dearest", "max price")
FIRST, LAST = Pick("the first", "first"), Pick("the last", "last")


class TestTaking:
    @pytest.mark.parametrize("pick", [FIRST, LAST, CHEAPEST, DEAREST])
    def test_the_element_that_the_pick_names(self, tmp_path: Path, pick: Pick):
        shop = lists(tmp_path)
        for seed in range(20):
            first, second = carry(shop, Step(calls=(call("search"),)), Step(calls=(call("act", taking(pick)),)), seed=seed)
            hits = first.calls[0].result["hits"]
            prices = [hit["price"] for hit in hits]
            wanted = {FIRST: 0, LAST: 2, CHEAPEST: prices.index(min(prices)), DEAREST: prices.index(max(prices))}[pick]
            (made,) = second.calls
            assert made.call.arguments["target"]["id"] == hits[wanted]["id"]
            (bound,) = made.bound
            assert (bound.argument, bound.call_id) == ("target/id", first.calls[0].call.id)
            assert (bound.pointer, bound.pick) == (f"/hits/{wanted}/id", pick)

    def test_the_next_pick_when_none_stands_out(self, tmp_path: Path):
        shop = lists(tmp_path, price="{type: integer, enum: [5]}")
        steps = (Step(calls=(call("search"),)), Step(calls=(call("act", taking(CHEAPEST, DEAREST, LAST, FIRST)),)))
        _, second = carry(shop, *steps)
        assert second.calls[0].bound[0].pick == LAST
        with pytest.raises(CannotFill, match="stands out"):
            carry(shop, steps[0], Step(calls=(call("act", taking(CHEAPEST)),)))

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
        steps = (Step(calls=(call("search"),)), Step(calls=(call("act", taking(CHEAPEST, DEAREST, FIRST)),)))
        for seed in range(30):
            first, second = carry(shop, *steps, seed=seed)
            (bound,) = second.calls[0].bound
            assert bound.pick == FIRST or all(type(hit.get("price")) is int for hit in first.calls[0].result["hits"])

    def test_an_element_is_the_first_of_all_and_not_of_those_with_a_value(self, tmp_path: Path):
        shop = lists(tmp_path, required="[price]")
        search = Step(calls=(call("search"),))
        outcomes = Counter()
        for seed in range(30):
            (alone,) = carry(shop, search, seed=seed)  # the same search with nothing after it
            has_id = "id" in alone.calls[0].result["hits"][0]
            outcomes[has_id] += 1
            if not has_id:
                with pytest.raises(CannotFill, match="stands out"):
                    carry(shop, search, Step(calls=(call("act", taking(FIRST)),)), seed=seed)
                continue
            first, second = carry(shop, search, Step(calls=(call("act", taking(FIRST)),)), seed=seed)
            assert second.calls[0].bound[0].pointer == "/hits/0/id"
            assert second.calls[0].call.arguments["target"]["id"] == first.calls[0].result["hits"][0]["id"]
        assert outcomes[True] > 10
        assert outcomes[False] > 0

    def test_a_value_that_is_in_no_list(self, tmp_path: Path):
        shop = lists(tmp_path)
        binding = taking(argument="key", result="owner/key")
        first, second = carry(shop, Step(calls=(call("search"),)), Step(calls=(call("act", taking(FIRST), binding),)))
        (made,) = second.calls
        assert made.call.arguments["key"] == first.calls[0].result["owner"]["key"]
        assert [(bound.argument, bound.pointer, bound.pick) for bound in made.bound] == [
            ("target/id", "/hits/0/id", FIRST),
            ("key", "/owner/key", None),
        ]
        assert list(made.call.arguments)[:3] == ["note", "target", "key"]
        assert made.call.arguments["target"]["where"] == "here"

    def test_one_call_for_each_element(self, tmp_path: Path):
        shop = lists(tmp_path)
        each = Pick("each of them", "each")
        first, second = carry(shop, Step(calls=(call("search"),)), Step(calls=(call("act", taking(each), for_each=True),)))
        assert second.for_each
        hits = first.calls[0].result["hits"]
        assert [made.call.arguments["target"]["id"] for made in second.calls] == [hit["id"] for hit in hits]
        rest = [{**made.call.arguments, "target": None} for made in second.calls]
        assert rest == rest[:1] * 3

    @pytest.mark.parametrize(("least", "most"), [(1, 1), (0, 0)])
    def test_each_of_them_needs_several(self, tmp_path: Path, least: int, most: int):
        shop = lists(tmp_path, least=least, most=most)
        each = Pick("each of them", "each")
        with pytest.raises(CannotFill):
            carry(shop, Step(calls=(call("search"),)), Step(calls=(call("act", taking(each), for_each=True),)))

    def test_an_empty_list_has_no_first_element(self, tmp_path: Path):
        with pytest.raises(CannotFill, match="hits"):
            carry(lists(tmp_path, least=0, most=0), Step(calls=(call("search"),)), Step(calls=(call("act", taking(FIRST)),)))


class TestDrawing:
    def test_calls_of_a_step_differ(self, tmp_path: Path):
        shop = lists(tmp_path)
        for seed in range(10):
            (step,) = carry(shop, Step(calls=(call("search"),) * 5), seed=seed)
            assert len({made.call.arguments["q"] for made in step.calls}) == 5

    def test_or_are_given_up(self, tmp_path: Path):
        with pytest.raises(CannotFill, match="differ"):
            carry(lists(tmp_path), Step(calls=(call("search"),) * 9))

    def test_varied_calls_differ_in_one_argument_only(self, tmp_path: Path):
        shop = workshop(tmp_path)
        steps = (Step(calls=(call("get_weather"),) * 3, vary="city"),)
        for seed in range(20):
            (step,) = carry(shop, *steps, seed=seed)
            cities = [made.call.arguments["city"] for made in step.calls]
            rest = [{k: v for k, v in made.call.arguments.items() if k != "city"} for made in step.calls]
            assert len(set(cities)) == 3
            assert rest == rest[:1] * 3
            assert step.vary == "city"

    def test_ids_are_nine_letters_or_digits_and_never_the_same(self, tmp_path: Path):
        (step,) = carry(lists(tmp_path), Step(calls=(call("search"),) * 6))
        ids = [made.call.id for made in step.calls]
        assert len(set(ids)) == 6
        assert all(re.fullmatch("[a-zA-Z0-9]{9}", one) for one in ids)

    def test_the_same_stream_the_same_calls(self, tmp_path: Path):
        shop = lists(tmp_path)
        steps = (Step(calls=(call("search"),)), Step(calls=(call("act", taking(FIRST)),)))
        assert carry(shop, *steps) == carry(shop, *steps)
        assert carry(shop, *steps) != carry(shop, *steps, seed=1)

    def test_contents_are_the_results_as_json(self, tmp_path: Path):
        (step,) = carry(lists(tmp_path), Step(calls=(call("search"),)))
        assert orjson.loads(step.calls[0].content) == step.calls[0].result

    def test_no_argument_is_shared_with_another_call(self, tmp_path: Path):
        each = Pick("each of them", "each")
        steps = (Step(calls=(call("search"),)), Step(calls=(call("act", taking(each), for_each=True),)))
        _, second = carry(lists(tmp_path), *steps)
        assert len({id(made.call.arguments["target"]) for made in second.calls}) == 3


class TestReplay:
    @pytest.fixture(scope="class")
    @classmethod
    def made(cls, tmp_path_factory):
        shop = workshop(tmp_path_factory.mktemp("replay"), "sequential", "fan_out", "mixed", today=(TODAY, TODAY))
        return shop, [(row.row.conversation, stream_seed(shop.recipe.seed, "world", row.row.index)) for row in rows(shop, 12)]

    def test_finds_nothing_in_made_rows(self, made):
        shop, talks = made
        assert [fault for talk, salt in talks for fault in replay(talk, shop.backend, TODAY, salt)] == []

    def test_another_world_answers_differently(self, made):
        shop, talks = made
        assert all(replay(talk, shop.backend, TODAY, salt + 1) for talk, salt in talks)

    def test_finds_every_result_that_was_changed(self, made):
        shop, talks = made
        for talk, salt in talks:
            for index, message in enumerate(talk.messages):
                if isinstance(message, ToolMessage):
                    for content in (message.content + " ", "{}", message.content.replace('"', "'"), ""):
                        messages = list(talk.messages)
                        messages[index] = msgspec.structs.replace(message, content=content)
                        found = replay(msgspec.structs.replace(talk, messages=tuple(messages)), shop.backend, TODAY, salt)
                        assert [(fault.rule, fault.path) for fault in found] == [("RP101", f"$.messages[{index}].content")]

    def test_finds_a_result_under_another_calls_name(self, made):
        shop, talks = made
        for talk, salt in talks:
            answers = [i for i, message in enumerate(talk.messages) if isinstance(message, ToolMessage)]
            if Counter(talk.messages[i].content for i in answers).most_common(1)[0][1] == 1:
                messages = list(talk.messages)
                first, last = answers[0], answers[-1]
                ids = messages[first].tool_call_id, messages[last].tool_call_id
                messages[first] = msgspec.structs.replace(messages[first], tool_call_id=ids[1])
                messages[last] = msgspec.structs.replace(messages[last], tool_call_id=ids[0])
                assert replay(msgspec.structs.replace(talk, messages=tuple(messages)), shop.backend, TODAY, salt)
