"""Results are pure functions of the call, agree with earlier ones in a conversation, and faults of `returns` are told."""

import json
from itertools import permutations
from pathlib import Path

import orjson
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from world.results import TODAY, backend, returning

from generator.core.errors import SpecError


class TestPurity:
    def test_equal_calls_equal_results(self, tmp_path: Path):
        made, again = backend(tmp_path), backend(tmp_path)
        first = made.open(TODAY).answer("find_orders", {"customer": "Ada", "page": 2})
        world = again.open(TODAY)
        world.answer("find_orders", {"customer": "Bob"})
        assert world.answer("find_orders", {"page": 2, "customer": "Ada"}) == first
        assert orjson.dumps(first) == orjson.dumps(
            again.open(TODAY).answer("find_orders", {"customer": "Ada", "page": 2})
        )

    def test_other_arguments_tools_and_seeds_give_other_results(self, tmp_path: Path):
        made = backend(tmp_path)
        results = [
            made.open(TODAY).answer("find_orders", {"customer": "Ada"}),
            made.open(TODAY).answer("find_orders", {"customer": "Ada", "page": 1}),
            backend(tmp_path, seed=2).open(TODAY).answer("find_orders", {"customer": "Ada"}),
        ]
        assert len({json.dumps(result["orders"]) for result in results}) == 3

    def test_numbers_that_json_tells_apart_are_other_arguments(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: string, pattern: '^[a-z]{12}$'}")
        assert made.open(TODAY).answer("get", {"count": 1}) != made.open(TODAY).answer("get", {"count": "1"})

    def test_calls_of_one_step_do_not_see_each_other(self, tmp_path: Path):
        made = backend(tmp_path)
        (order, *_) = made.open(TODAY).answer("find_orders", {"customer": "Ada"})["orders"]
        calls = [
            ("find_orders", {"customer": "Ada"}),
            ("get_order", {"order_id": order["order_id"]}),
            ("cancel_order", {"order_id": order["order_id"]}),
        ]
        seen = []
        for ordered in permutations(calls):
            world = made.open(TODAY)
            seen.append({tool: orjson.dumps(world.answer(tool, arguments)) for tool, arguments in ordered})
        assert all(results == seen[0] for results in seen)
        assert orjson.loads(seen[0]["get_order"])["total"] != order["total"]

    def test_another_conversation_is_another_world(self, tmp_path: Path):
        made = backend(tmp_path)
        call = ("find_orders", {"customer": "Ada"})
        worlds = [made.open(TODAY, salt).answer(*call) for salt in (0, 0, 1, 2**64 - 1)]
        assert worlds[0] == worlds[1]
        assert len({json.dumps(result) for result in worlds}) == 3

    def test_conversations_do_not_see_each_other(self, tmp_path: Path):
        made = backend(tmp_path)
        alone = made.open(TODAY).answer("get_order", {"order_id": "ORD-000001"})
        one, other = made.open(TODAY), made.open(TODAY)
        one.answer("cancel_order", {"order_id": "ORD-000001"})
        one.settle()
        assert other.answer("get_order", {"order_id": "ORD-000001"}) == alone

    def test_handing_out_a_result_hands_out_no_memory(self, tmp_path: Path):
        world = backend(tmp_path).open(TODAY)
        found = world.answer("find_orders", {"customer": "Ada"})
        before = json.dumps(found)
        world.settle()
        world.answer("cancel_order", {"order_id": found["orders"][0]["order_id"]})
        world.settle()
        assert json.dumps(found) == before

    @given(
        arguments=st.dictionaries(
            st.sampled_from(["city", "low", "count", "day", "tags"]),
            st.none()
            | st.integers(-(2**63), 2**63 - 1)
            | st.text(st.characters(codec="utf-8"))
            | st.lists(st.floats(allow_nan=False, allow_infinity=False)),
        )
    )
    @settings(max_examples=examples(60))
    def test_any_arguments_get_an_answer_that_json_can_carry(self, tmp_path_factory, arguments):
        folder = tmp_path_factory.getbasetemp()
        made = returning(folder, "city: {type: string}\ntags: {type: array, items: {}}\nx: {type: integer}")
        result = made.open(TODAY).answer("get", arguments)
        assert orjson.loads(orjson.dumps(result)) == result


class TestFacts:
    def world_with_orders(self, folder: Path):
        world = backend(folder).open(TODAY)
        orders = world.answer("find_orders", {"customer": "Ada"})["orders"]
        world.settle()
        return world, orders

    def test_the_order_that_was_found_is_the_order_that_is_looked_up(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        for order in orders:
            known = world.answer("get_order", {"order_id": order["order_id"]})
            assert {key: known[key] for key in order} == order

    def test_the_order_that_was_found_is_the_order_that_is_cancelled(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        cancelled = world.answer("cancel_order", {"order_id": orders[1]["order_id"]})
        assert (cancelled["order_id"], cancelled["total"]) == (orders[1]["order_id"], orders[1]["total"])
        assert cancelled["status"] == "cancelled"

    def test_what_a_call_changes_is_seen_later_and_only_there(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        cancelled = world.answer("cancel_order", {"order_id": orders[1]["order_id"]})
        world.settle()
        later = world.answer("get_order", {"order_id": orders[1]["order_id"]})
        assert (later["status"], later["total"]) == ("cancelled", orders[1]["total"])
        assert later["carrier"] == cancelled["carrier"]
        assert world.answer("get_order", {"order_id": orders[0]["order_id"]})["status"] == orders[0]["status"]

    def test_a_fact_that_is_not_valid_in_a_result_is_not_told_there(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        assert world.answer("cancel_order", {"order_id": orders[0]["order_id"]})["status"] == "cancelled"

    def test_an_argument_that_changes_a_fact_wins(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        order = orders[2]["order_id"]
        moved = world.answer("readdress_order", {"order_id": order, "address": "newavenuexyz"})
        assert moved == {"address": "newavenuexyz", "total": orders[2]["total"]}
        world.settle()
        assert world.answer("get_order", {"order_id": order})["address"] == "newavenuexyz"

    def test_an_identifier_inside_an_object_counts_too(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        moved = world.answer("move_order", {"order": {"order_id": orders[0]["order_id"]}})
        assert moved["total"] == orders[0]["total"]

    def test_what_was_asked_twice_is_answered_by_what_is_known_in_between(self, tmp_path: Path):
        world, orders = self.world_with_orders(tmp_path)
        order = {"order_id": orders[0]["order_id"]}
        before = world.answer("get_order", order)
        world.settle()
        assert world.answer("get_order", order) == before


class TestFaults:
    @pytest.mark.parametrize(
        ("schema", "what"),
        [
            ("{type: integer, x-compute: 'value ** 2'}", "x-compute of 'x': 'value \\*\\* 2': Pow is not known here"),
            ("{type: integer, x-compute: [1]}", "x-compute of 'x'"),
            ("{type: string, x-kind: citty}", "citty"),
            ("{type: whole}", "whole"),
            ("{$ref: '#/$defs/nowhere'}", "nowhere"),
        ],
    )
    def test_are_told_with_file_line_and_tool(self, tmp_path: Path, schema: str, what: str):
        with pytest.raises(SpecError, match=rf"tools\.yaml:1: get: .*{what}"):
            returning(tmp_path, f"x: {schema}")


NUMBERED = """\
- function:
    name: find_orders
    parameters: {type: object, properties: {}}
  returns: &list
    type: object
    properties:
      found:
        type: array
        minItems: 3
        maxItems: 3
        items:
          type: object
          properties:
            id: {type: integer, minimum: 1, maximum: 3}
            note: {type: string, pattern: "^[a-z]{12}$"}
          required: [id, note]
    required: [found]
- function:
    name: find_customers
    parameters: {type: object, properties: {}}
  returns: *list
- function: {name: get_order, parameters: &id {type: object, properties: {id: {type: integer}}, required: [id]}}
  links: {id: "find_orders#/found/*/id"}
  returns: &one
    type: object
    properties: {id: {type: integer}, note: {type: string, pattern: "^[a-z]{12}$"}}
    required: [id, note]
- function: {name: get_customer, parameters: *id}
  links: {id: "find_customers#/found/*/id"}
  returns: *one
- function: {name: cancel_order, parameters: *id}
  links: {id: "get_order#/id"}
  returns: *one
"""


def test_an_order_is_not_the_customer_of_the_same_number(tmp_path: Path):
    made = backend(tmp_path, NUMBERED)
    for salt in range(20):
        world = made.open(TODAY, salt)
        notes = {}
        for name in ("order", "customer"):
            notes[name] = {found["id"]: found["note"] for found in world.answer(f"find_{name}s", {})["found"]}
        world.settle()
        for name in ("order", "customer"):
            for number, note in notes[name].items():
                assert world.answer(f"get_{name}", {"id": number}) == {"id": number, "note": note}
        world.settle()
        for number, note in notes["order"].items():  # two links away, and still the same order
            assert world.answer("cancel_order", {"id": number}) == {"id": number, "note": note}
