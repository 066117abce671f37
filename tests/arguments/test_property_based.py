"""Hypothesis pools: valid, different, adversarial, and the same everywhere."""

import pytest
from arguments.making import arguments_of, draws, faults, tool
from arguments.schema_strategies import DEFINITIONS

from generator.arguments import compile_source, property_based
from generator.recipe import ArgumentSettings

PROPERTIES = {
    "city": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
    "email": {"type": "string", "format": "email"},
    "guests": {"type": "integer", "minimum": 1, "maximum": 100},
    "price": {"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 50},
    "ratio": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "note": {"type": ["string", "null"], "maxLength": 12},
    "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 1},
    "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, "maxItems": 3},
    "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "items": False, "minItems": 2},
    "tree": {"$ref": "#/$defs/tree"},
    "extra": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 3},
    "either": {"oneOf": [{"type": "integer"}, {"type": "string", "maxLength": 5}]},
}  # fmt: skip
SPEC = tool(PROPERTIES, required=["city", "guests", "price"])
SPEC.tool.parameters["$defs"] = DEFINITIONS
POOLED = (("property_based", 1.0),)


@pytest.fixture(autouse=True)
def pool(monkeypatch):
    """Edges are seldom drawn."""
    monkeypatch.setattr(property_based, "POOL_SIZE", 100)


def test_values_are_valid_different_and_in_declared_order():
    made = arguments_of(SPEC, 200, source=POOLED)
    assert all(faults(SPEC.tool.parameters, row) == [] for row in made)
    assert all(list(row) == [name for name in PROPERTIES if name in row] for row in made)
    assert len({repr(row) for row in made}) > 60


def test_values_are_adversarial():
    made = arguments_of(SPEC, 200, source=POOLED)
    assert {1, 100} <= {row["guests"] for row in made}
    assert any(not row["city"].isascii() for row in made)
    assert any(row["city"] == "" for row in made)
    for name in PROPERTIES:
        assert any(name in row for row in made)
        assert name in SPEC.tool.parameters["required"] or any(name not in row for row in made)


def test_sources_are_mixed_by_weight():
    made = arguments_of(SPEC, 400, source=(("realistic", 0.75), ("property_based", 0.25)), optional=0.0)
    usual = sum(
        set(row) == {"city", "guests", "price"} and row["city"].istitle() and row["city"].isprintable() for row in made
    )
    assert 200 < usual < 380


def test_values_are_fresh():
    make = compile_source(tool({"tags": {"const": ["a"]}}), ArgumentSettings(source=POOLED), 1)
    for row in draws(make, 5):
        assert row == {"tags": ["a"]}
        row["tags"].append("b")
