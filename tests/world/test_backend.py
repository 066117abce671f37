"""Results: from their schema and the arguments, the same for the same call, consistent within a conversation."""

from pathlib import Path

import jsonschema_rs
import orjson
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from world.results import HEAD, ORDERS, TODAY, answers, backend, field, returning, toolbox

from generator.arguments import compile_value
from generator.core.errors import SpecError
from generator.world import compile_backend
from generator.world.world import content_of


class TestEcho:
    def test_properties_named_like_an_argument_take_its_value(self, tmp_path: Path):
        made = returning(
            tmp_path, "x: {type: string}\ncity: {type: string}\ntags: {type: array, items: {type: string}}"
        )
        for result in answers(made, {"city": "Oslo", "tags": ["a", "b"]}):
            assert result.get("city", "Oslo") == "Oslo"
            assert result.get("tags", ["a", "b"]) == ["a", "b"]

    def test_not_when_it_is_not_valid_there(self, tmp_path: Path):
        made = returning(tmp_path, "city: {type: string, enum: [rome, lima]}\ncount: {type: integer, maximum: 5}")
        for result in answers(made, {"city": "Oslo", "count": 9}):
            assert result.get("city", "rome") in {"rome", "lima"}
            assert result.get("count", 1) <= 5

    def test_in_elements_of_lists_too_but_not_deeper(self, tmp_path: Path):
        items = "{type: object, properties: {x: {type: string}, city: {type: string}}, required: [x, city]}"
        inner = "{type: object, properties: {city: {type: string, enum: [rome]}}, required: [city]}"
        made = returning(tmp_path, f"x: {{type: array, minItems: 2, items: {items}}}\ninner: {inner}")
        for result in answers(made, {"city": "Oslo"}):
            assert {element["city"] for element in result.get("x", ())} <= {"Oslo"}
            assert result.get("inner", {"city": "rome"}) == {"city": "rome"}

    def test_a_list_is_as_long_as_it_must_be_when_its_elements_begin_with_an_argument(self, tmp_path: Path):
        """Hotels in Oslo are all in Oslo: that does not make them the same hotel."""
        items = "{type: object, properties: {city: {type: string}, stars: {type: integer}}, required: [city, stars]}"
        made = returning(tmp_path, f"x: {{type: array, minItems: 2, maxItems: 3, items: {items}}}")
        assert {len(found) for found in field(made, {"city": "Oslo"})} <= {2, 3}

    def test_x_from_names_another_argument(self, tmp_path: Path):
        made = returning(
            tmp_path, "x: {type: string, x-from: place/city}\ncity: {type: string, x-from: null, enum: [rome]}"
        )
        assert set(field(made, {"city": "Oslo", "place": {"city": "Lima"}})) == {"Lima"}
        assert {result.get("city", "rome") for result in answers(made, {"city": "rome2"})} == {"rome"}

    def test_x_from_falls_back_when_the_argument_is_not_there(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: string, enum: [a, b], x-from: place/city}")
        for arguments in ({}, {"place": {}}, {"place": {"city": 3}}, {"place": "Oslo"}, {"place": {"city": "c"}}):
            assert set(field(made, arguments)) == {"a", "b"}

    def test_null_never_takes_a_value(self, tmp_path: Path):
        made = returning(tmp_path, "city: {type: string, x-from: null, pattern: '^[a-z]{9}$'}")
        assert "abcdefghi" not in {result.get("city") for result in answers(made, {"city": "abcdefghi"})}


class TestCompute:
    def test_from_arguments_siblings_today_and_the_value_itself(self, tmp_path: Path):
        made = returning(
            tmp_path,
            "a: {type: integer, minimum: 2, maximum: 9}\n"
            "x: {type: integer, minimum: 100, maximum: 200, x-compute: 'args.count * 1000 + value'}\n"
            "later: {type: string, x-compute: 'add_days(today, args.count)'}",
        )
        for result in answers(made, {"count": 3}):
            assert 3100 <= result.get("x", 3100) <= 3200
            assert result.get("later", "2026-03-15") == "2026-03-15"

    def test_is_ignored_without_the_argument(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: integer, minimum: 1, maximum: 3, x-compute: 'args.count * 1000'}")
        assert set(field(made, {})) == {1, 2, 3}
        assert set(field(made, {"count": None})) == {1, 2, 3}

    def test_sums_over_a_list_that_stands_before(self, tmp_path: Path):
        line = "{type: object, properties: {id: {type: integer}, price: {type: integer}}, required: [id, price]}"
        text = ORDERS.partition("  returns")[0].replace("find_orders", "get") + (
            "  returns:\n    type: object\n    required: [lines, total]\n    properties:\n"
            f"      lines: {{type: array, minItems: 2, items: {line}}}\n"
            "      total: {type: integer, x-compute: 'sum_of(lines, \"price\")'}\n"
        )
        for result in answers(backend(tmp_path, text), {}):
            assert result["total"] == sum(part["price"] for part in result["lines"])

    def test_in_elements_of_a_list(self, tmp_path: Path):
        items = (
            "{type: object, required: [a, b], properties: {a: {type: integer, minimum: 1, maximum: 99}, "
            "b: {type: integer, x-compute: 'a * args.count'}}}"
        )
        made = returning(tmp_path, f"x: {{type: array, minItems: 2, items: {items}}}")
        for found in field(made, {"count": 7}):
            assert all(element["b"] == element["a"] * 7 for element in found)

    def test_what_now_and_then_cannot_be_computed_is_drawn(self, tmp_path: Path):
        """A zero comes up: no reason to stop a run."""
        made = returning(tmp_path, "x: {type: integer, minimum: 1, maximum: 3, x-compute: '6 // args.count'}")
        assert set(field(made, {"count": 0})) == {1, 2, 3}
        assert set(field(made, {"count": 2})) == {3}

    @pytest.mark.parametrize(
        "text",
        ["value + args.city", "add_days(args.city, args.count)", "len(value)", "round(args.city)", "upper(1)", "len()"],
    )
    def test_what_can_never_be_computed_is_refused(self, tmp_path: Path, text: str):
        with pytest.raises(SpecError, match=r"get: .*x-compute of 'x'"):
            returning(tmp_path, f"x: {{type: integer, minimum: 1, maximum: 3, x-compute: '{text}'}}")


class TestOrder:
    ITEMS = (
        "{type: object, required: [id, price, name], properties: {id: {type: string, pattern: '^[A-Z]{9}$'}, "
        "price: PRICE, name: {type: string, pattern: '^[a-z]{6}$'}}}"
    )

    def lists(self, folder: Path, order: str, arguments: dict, price: str = "{type: integer}") -> list:
        items = self.ITEMS.replace("PRICE", price)
        made = returning(folder, f"x: {{type: array, minItems: 4, maxItems: 6, x-sort: {order}, items: {items}}}")
        return field(made, arguments)

    @pytest.mark.parametrize(
        ("order", "key", "falls"), [("price", "price", False), ("-price", "price", True), ("name", "name", False)]
    )
    def test_by_a_field(self, tmp_path: Path, order: str, key: str, falls: bool):
        for found in self.lists(tmp_path, order, {}):
            values = [element[key] for element in found]
            assert values == sorted(values, reverse=falls)
            assert len(found) >= 4

    @pytest.mark.parametrize(
        ("arguments", "key", "falls"),
        [({"city": "cheap"}, "price", False), ({"city": "dear"}, "price", True), ({"city": "name"}, "name", False)],
    )
    def test_that_an_argument_chooses(self, tmp_path: Path, arguments: dict, key: str, falls: bool):
        for found in self.lists(tmp_path, "{city: {cheap: price, dear: -price, name: name}}", arguments):
            values = [element[key] for element in found]
            assert values == sorted(values, reverse=falls)

    @pytest.mark.parametrize("arguments", [{}, {"city": "other"}, {"city": None}, {"city": ["cheap"]}, {"city": {}}])
    def test_is_free_when_the_argument_says_nothing(self, tmp_path: Path, arguments: dict):
        prices = [[e["price"] for e in found] for found in self.lists(tmp_path, "{city: {cheap: price}}", arguments)]
        assert any(values != sorted(values) for values in prices)

    @pytest.mark.parametrize(
        "price", ["{type: [integer, 'null']}", "{enum: [1, two, null, true, 4.5, six]}", "{type: object}"]
    )
    def test_of_values_that_cannot_be_compared_is_free(self, tmp_path: Path, price: str):
        assert all(len(found) >= 4 for found in self.lists(tmp_path, "price", {}, price))

    @pytest.mark.parametrize(
        "order", ["cost", "-cost", "[price]", "3", "{nothing: {a: price}}", "{city: {a: cost}}", "{city: price}"]
    )
    def test_by_what_is_not_there_is_refused(self, tmp_path: Path, order: str):
        with pytest.raises(SpecError, match="x-sort"):
            self.lists(tmp_path, order, {})


class TestBounds:
    NUMBER = "x: {{type: {type}, minimum: {low}, maximum: {high}, {more}}}"

    @pytest.mark.parametrize("kind", ["integer", "number"])
    @pytest.mark.parametrize(
        ("arguments", "low", "high"),
        [
            ({"low": 60}, 60, 100),
            ({"high": 60}, 40, 60),
            ({"low": 55, "high": 60}, 55, 60),
            ({"low": 70, "high": 70}, 70, 70),
            ({"high": 41}, 40, 41),
            ({"low": 99}, 99, 100),
            ({"low": 0, "high": 500}, 40, 100),
            ({"low": None}, 40, 100),
        ],
    )
    def test_numbers_keep_the_bounds_of_the_call_and_their_own(self, tmp_path: Path, kind: str, arguments, low, high):
        text = self.NUMBER.format(type=kind, low=40, high=100, more="x-minimum: low, x-maximum: high")
        found = field(returning(tmp_path, text), arguments)
        assert low <= min(found)
        assert max(found) <= high
        assert all(type(value) is int for value in found) or kind == "number"

    @pytest.mark.parametrize(
        ("arguments", "low", "high"),
        [({"low": -5}, -5, 30), ({"high": -5}, -20, -5), ({"high": 0}, -20, 0), ({"low": 0}, 0, 30)],
    )
    def test_also_below_zero(self, tmp_path: Path, arguments, low, high):
        text = self.NUMBER.format(type="integer", low=-20, high=30, more="x-minimum: low, x-maximum: high")
        found = field(returning(tmp_path, text), arguments)
        assert low <= min(found)
        assert max(found) <= high

    @pytest.mark.parametrize("arguments", [{"low": 61}, {"high": 66}, {"low": 43, "high": 52}])
    def test_steps_are_kept(self, tmp_path: Path, arguments):
        text = self.NUMBER.format(
            type="number", low=40, high=100, more="multipleOf: 5, x-minimum: low, x-maximum: high"
        )
        found = field(returning(tmp_path, text), arguments)
        assert {value % 5 for value in found} == {0}
        assert arguments.get("low", 40) <= min(found)
        assert max(found) <= arguments.get("high", 100)

    @given(low=st.integers(4000, 9900), width=st.integers(0, 300))
    @settings(max_examples=examples(25))
    def test_cents_do_not_slip_out(self, tmp_path_factory, low: int, width: int):
        text = self.NUMBER.format(type="number", low=40, high=100, more="x-minimum: low, x-maximum: high")
        made = returning(tmp_path_factory.mktemp("cents"), text)
        arguments = {"low": low / 100, "high": min(low + width, 10000) / 100}
        for value in field(made, arguments, 8):
            assert arguments["low"] <= value <= arguments["high"]

    def test_dates(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: string, format: date, x-minimum: day}")
        found = field(made, {"day": "2026-11-02"})
        assert min(found) >= "2026-11-02"
        assert len(set(found)) > 3
        made = returning(tmp_path, "x: {type: string, format: date, x-maximum: day, x-when: past}")
        assert max(field(made, {"day": "2025-06-01"})) <= "2025-06-01"

    def test_moments_stay_moments_when_a_date_bounds_them(self, tmp_path: Path):
        made = returning(
            tmp_path, "x: {type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$', x-minimum: day}"
        )
        for value in field(made, {"day": "2027-11-02"}):
            assert value >= "2027-11-02"
            assert len(value) == 16

    def test_clock_times(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: string, pattern: '^(0[6-9]|1[0-9]|2[0-2]):[0-5][05]$', x-minimum: clock}")
        found = field(made, {"clock": "18:00"})
        assert min(found) >= "18:00"
        assert all(len(value) == 5 for value in found)

    @pytest.mark.parametrize(("count", "most"), [(1, 1), (2, 2), (3, 3), (9, 5), (None, 5)])
    def test_length_of_a_list(self, tmp_path: Path, count, most: int):
        made = returning(
            tmp_path, "x: {type: array, maxItems: 5, x-maximum: count, items: {type: string, pattern: '^[a-z]{9}$'}}"
        )
        lengths = {len(found) for found in field(made, {"count": count})}
        assert max(lengths) == most
        assert min(lengths) >= 1


class TestShapes:
    def test_lists_repeat_no_first_property_name_or_title(self, tmp_path: Path):
        items = (
            "{type: object, required: [id, name, size], properties: {id: {type: string, pattern: '^[AB][0-9]$'}, "
            "name: {enum: [a, b, c, d, e, f]}, size: {enum: [1]}}}"
        )
        made = returning(tmp_path, f"x: {{type: array, minItems: 3, maxItems: 4, items: {items}}}")
        for found in field(made, {}):
            assert (
                len({element["id"] for element in found}) == len({element["name"] for element in found}) == len(found)
            )

    def test_plain_lists_repeat_nothing(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: array, minItems: 3, maxItems: 3, items: {enum: [a, b, c]}}")
        assert {tuple(sorted(found)) for found in field(made, {})} == {("a", "b", "c")}

    def test_a_list_that_must_repeat_itself_still_has_its_length(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: array, minItems: 3, maxItems: 3, items: {enum: [a, b]}}")
        assert {len(found) for found in field(made, {})} == {3}

    def test_optional_properties_come_and_go_and_required_ones_stay(self, tmp_path: Path):
        made = backend(
            tmp_path, HEAD + "  returns: {type: object, required: [a], properties: {a: {const: 1}, b: {const: 2}}}\n"
        )
        assert {tuple(result) for result in answers(made, {})} == {("a",), ("a", "b")}

    def test_examples_are_used(self, tmp_path: Path):
        made = returning(tmp_path, "x: {type: string, examples: [Blue Door, Lantern]}")
        assert set(field(made, {})) == {"Blue Door", "Lantern"}

    def test_past_and_future(self, tmp_path: Path):
        assert max(field(returning(tmp_path, "x: {type: string, format: date, x-when: past}"), {})) < TODAY.isoformat()
        assert min(field(returning(tmp_path, "x: {type: string, format: date}"), {})) > TODAY.isoformat()

    @pytest.mark.parametrize(
        "schema",
        [
            "{$ref: '#/$defs/part'}",
            "{type: array, minItems: 2, items: {$ref: '#/$defs/part'}}",
            "{anyOf: [{type: integer, minimum: 1}, {type: 'null'}]}",
            "{oneOf: [{const: a}, {type: integer, minimum: 9}]}",
            "{type: [string, 'null']}",
            "{type: object, additionalProperties: {type: integer}}",
            "{type: array, prefixItems: [{type: string}, {type: integer}], items: false, minItems: 2}",
            "{type: array, items: {type: array, items: {type: integer}}}",
            "{type: string, format: uuid}",
            "{type: string, format: date-time}",
            "{type: string, format: email, maxLength: 40}",
        ],
    )
    def test_results_are_valid(self, tmp_path: Path, schema: str):
        returns = (
            "    type: object\n    required: [x]\n    $defs: {part: {type: object, required: [n], "
            f"properties: {{n: {{type: integer, maximum: 9}}}}}}}}\n    properties:\n      x: {schema}\n"
        )
        tools = toolbox(tmp_path, HEAD + "  returns:\n" + returns)
        validator = jsonschema_rs.validator_for(tools["get"].returns or {}, validate_formats=True)
        for result in answers(compile_backend(tools, compile_value, 1), {"x": 3}):
            assert validator.is_valid(result), result

    @pytest.mark.parametrize(
        ("name", "schema"),
        [
            ("departure_time", "{type: string, pattern: '^(0[6-9]|1[0-9]|20):[0-5][0-9]$'}"),
            ("opens_at", "{type: string, pattern: '^(0[7-9]|10):(00|30)$'}"),
            ("closing_time", "{type: string, pattern: '^1[2-5]:[0-5]0$'}"),
            ("date", "{type: string, pattern: '^2026-0[4-6]-[0-9]{2}$'}"),
            ("phone", "{type: string, pattern: '^[0-9]{3}-[0-9]{4}$'}"),
            ("price", "{type: number, minimum: 1.5, maximum: 2, multipleOf: 0.25}"),
            ("city", "{type: string, minLength: 9, maxLength: 12}"),
            ("quantity", "{type: integer, exclusiveMinimum: 3, exclusiveMaximum: 6}"),
        ],
    )
    def test_values_that_a_name_suggests_are_valid_too(self, tmp_path: Path, name: str, schema: str):
        tools = toolbox(
            tmp_path, HEAD + f"  returns: {{type: object, required: [{name}], properties: {{{name}: {schema}}}}}\n"
        )
        is_valid = jsonschema_rs.validator_for(tools["get"].returns or {}).is_valid
        for result in answers(compile_backend(tools, compile_value, 1), {}, 400):
            assert is_valid(result), result

    def test_a_tool_that_says_nothing_of_its_result(self, tmp_path: Path):
        assert answers(backend(tmp_path, HEAD), {"city": "Oslo"}, 2) == [{"status": "success"}] * 2

    def test_a_result_may_be_text_or_a_list(self, tmp_path: Path):
        text = backend(tmp_path, HEAD + "  returns: {type: string, enum: [Done., Sent.]}\n")
        assert {content_of(result) for result in answers(text, {})} == {"Done.", "Sent."}
        items = backend(tmp_path, HEAD + "  returns: {type: array, minItems: 2, maxItems: 2, items: {type: integer}}\n")
        assert all(len(orjson.loads(content_of(result))) == 2 for result in answers(items, {}))

    def test_content_is_text_as_it_is_or_json(self):
        assert content_of('Zoë says "hi"\n') == 'Zoë says "hi"\n'
        assert content_of({"a": "Zoë", "b": [1, None, True]}) == '{"a":"Zoë","b":[1,null,true]}'
