"""`x-` keywords: what they name must be there, and what comes up in a row never stops a run."""

from datetime import date
from pathlib import Path

import jsonschema_rs
import orjson
import pytest

from generator.arguments import compile_value
from generator.core.errors import SpecError
from generator.tools.specs import load_toolbox
from generator.world import Backend, compile_backend

TODAY = date(2026, 3, 12)
TOOL = """\
function:
  name: get
  parameters:
    type: object
    properties:
      city: {{type: string}}
      day: {{type: string}}
      count: {{type: integer}}
      low: {{type: number}}
      order: {{type: string, enum: [cheap, dear]}}
      place: {{type: object, properties: {{zip: {{type: string}}}}}}
returns: {returns}
"""


def backend(folder: Path, returns: str) -> Backend:
    path = folder / "tools.yaml"
    path.write_text(TOOL.format(returns=returns), encoding="utf-8")
    return compile_backend(load_toolbox([path]), compile_value, 1)


def property_x(schema: str) -> str:
    return f"{{type: object, required: [b, x], properties: {{b: {{type: integer, maximum: 9}}, x: {schema}, z: {{type: integer}}}}}}"


def refusal(folder: Path, schema: str) -> str:
    with pytest.raises(SpecError) as caught:
        backend(folder, property_x(schema))
    return str(caught.value)


def results(made: Backend, arguments: dict, count: int = 30) -> list:
    found = [made.open(TODAY, salt).answer("get", arguments) for salt in range(count)]
    assert orjson.loads(orjson.dumps(found)) == found
    return found


ITEMS = "{type: object, required: [n], properties: {n: {type: integer, maximum: 99}, m: {type: integer, maximum: 99}}}"


class TestSort:
    def test_elements_without_the_field_come_last(self, tmp_path: Path):
        made = backend(tmp_path, f"{{type: array, minItems: 6, maxItems: 6, x-sort: m, items: {ITEMS}}}")
        lists = results(made, {})
        assert any("m" not in element for found in lists for element in found)
        for found in lists:
            having = [element["m"] for element in found if "m" in element]
            assert having == sorted(having)
            assert all("m" in element for element in found[: len(having)])

    @pytest.mark.parametrize(
        ("schema", "what"),
        [
            (f"{{type: array, x-sort: k, items: {ITEMS}}}", "/properties/x: x-sort: the elements have no 'k'"),
            (f"{{type: array, x-sort: {{order: {{chep: n}}}}, items: {ITEMS}}}", 'did you mean "cheap"?'),
            (f"{{type: array, x-sort: {{ordr: {{cheap: n}}}}, items: {ITEMS}}}", 'did you mean "order"?'),
            ("{type: array, x-sort: n, items: {type: integer}}", "the elements have no 'n'"),
            ("{type: integer, x-sort: n}", "x-sort is for lists"),
        ],
    )
    def test_by_what_is_not_there_is_refused_with_its_place(self, tmp_path: Path, schema: str, what: str):
        message = refusal(tmp_path, schema)
        assert message.startswith(f"{tmp_path}/tools.yaml:1: get: returns: /properties/x")
        assert what in message


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ("{type: integer, x-form: count}", "unknown keyword 'x-form' (did you mean \"x-from\"?)"),
        ("{type: integer, x-from: cuont}", "x-from: there is no argument 'cuont' (did you mean \"count\"?)"),
        ("{type: string, x-from: place/zop}", "there is no argument 'place/zop'"),
        ("{type: integer, x-minimum: city}", "x-minimum: 'city' is of type string and cannot bound this"),
        (
            "{type: integer, x-compute: x + 1}",
            "no property 'x' stands before it (the value it would otherwise have is 'value')",
        ),
        ("{type: integer, x-compute: z + 1}", "no property 'z' stands before it"),
        ("{type: integer, x-compute: args.cont + 1}", "there is no argument 'cont' (did you mean \"count\"?)"),
        ("{type: string, x-compute: b + 1}", "which is not of type string"),
        ("{type: string, x-when: later}", "x-when: past or future is expected, not 'later'"),
        ("{type: object, additionalProperties: {type: string, x-kind: city}}", "x-kind does nothing here"),
    ],
)
def test_keywords_that_could_do_nothing_are_refused(tmp_path: Path, schema: str, what: str):
    message = refusal(tmp_path, schema)
    assert f"{tmp_path}/tools.yaml:1: get: returns: /properties/x: " in message
    assert what in message


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (
            "{type: string, format: date, x-compute: 'add_days(args.day, 1) if args.count > 0 else value'}",
            {"day": "2026-02-30", "count": 1},
        ),
        ("{type: string, format: date, x-compute: 'add_days(today, args.count)'}", {"count": 2**62}),
        ("{type: integer, x-compute: 'args.count * b * 10'}", {"count": 2**63 - 1}),
        ("{type: integer, x-compute: 'b // args.count'}", {"count": 0}),
        ("{type: integer, x-compute: 'b / args.count'}", {"count": 7}),
        ("{type: number, x-compute: 'args.low * 10'}", {"low": 1.7e308}),
        ("{type: number, x-minimum: low}", {"low": 1.7e308}),
        ("{type: integer, x-minimum: low}", {"low": 9e18}),
        ("{type: integer, x-minimum: count}", {"count": 2**63 - 1}),
        ("{type: string, format: date, x-minimum: day}", {"day": "2026-02-30"}),
        ("{type: string, format: date, x-maximum: day}", {"day": "soon"}),
        ("{type: string, pattern: '^[0-2][0-9]:[0-5][0-9]$', x-minimum: day}", {"day": "at noon"}),
    ],
)
def test_odd_values_never_stop_a_row(tmp_path: Path, schema: str, arguments: dict):
    made = backend(tmp_path, property_x(schema))
    is_valid = jsonschema_rs.validator_for(
        {"type": "object", "properties": {"x": {"type": ["string", "number"]}}}
    ).is_valid
    whole = "type: integer" in schema
    for result in results(made, arguments):
        assert is_valid(result)
        assert not whole or type(result["x"]) is int


@pytest.mark.parametrize(
    "returns",
    [
        "{type: object, required: [n, parts], properties: {n: {type: integer}, parts: {type: array, minItems: 0, items: {$ref: '#'}}}}",
        "{$defs: {node: {type: object, required: [n], properties: {n: {type: integer}, next: {$ref: '#/$defs/node'}}}}, $ref: '#/$defs/node'}",
        "{type: object, required: [a, b], properties: {a: {type: string, enum: [x, y]}, b: {$ref: '#/properties/a'}}}",
        "{type: object, required: [a, b], properties: {a: {type: integer}, b: {type: array, items: {$ref: '#/properties/a', minimum: 5}}}}",
        "{type: object, required: [a], properties: {a: true, b: {type: array, minItems: 3, maxItems: 3, uniqueItems: true, items: {enum: [1, 2, 3]}}}}",
        "{type: object, required: [a, other], properties: {a: {type: integer}}}",
        "{type: object, minProperties: 2, properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}}}",
        "{type: object, properties: {a: {type: integer}, b: {type: integer}}, anyOf: [{required: [a]}, {required: [b]}]}",
        "{type: array, maxItems: 0, items: {type: integer}}",
    ],
)
def test_schemas_of_all_shapes_are_kept(tmp_path: Path, returns: str):
    made = backend(tmp_path, returns)
    spec = load_toolbox([tmp_path / "tools.yaml"])["get"]
    is_valid = jsonschema_rs.validator_for(spec.returns or {}, validate_formats=True).is_valid
    for result in results(made, {}, 60):
        assert is_valid(result), result
