"""JSON pointers lead to the value they name, whatever the keys look like."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.pointers import expand, leaves, resolve, schema_at, set_at

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_every_leaf_is_found_again_by_its_pointer(value: Any) -> None:
    for pointer, leaf in leaves(value):
        # a key "" is a pointer "/", which cannot be told from the root by `split`
        if "//" not in pointer and not pointer.endswith("/"):
            assert resolve(value, pointer) is leaf


def test_put_changes_just_that_value() -> None:
    value = {"items": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]}
    set_at(value, "/items/1/sku", "c")
    assert value == {"items": [{"sku": "a", "n": 1}, {"sku": "c", "n": 2}]}


def test_expand_finds_the_place_in_every_element() -> None:
    orders = {"orders": [{"id": "x"}, {"name": "no id"}, {"id": "y"}]}
    assert expand(orders, "orders/*/id") == ["/orders/0/id", "/orders/2/id"]
    assert expand({"orders": "none"}, "orders/*/id") == []


@pytest.mark.parametrize("pointer", ["/missing", "/items/7", "/items/x", "/n/deeper"])
def test_a_pointer_into_nothing_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        resolve({"items": [1], "n": 3}, pointer)


def test_schemas_are_walked_through_references_and_branches() -> None:
    schema = {
        "$defs": {"address": {"type": "object", "properties": {"city": {"type": "string"}}}},
        "type": "object",
        "properties": {
            "to": {"anyOf": [{"$ref": "#/$defs/address"}, {"type": "null"}]},
            "items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            "loop": {"$ref": "#/properties/loop"},
        },
    }
    assert schema_at(schema, "to/city") == {"type": "string"}
    assert schema_at(schema, "items/*/n") == {"type": "integer"}
    assert schema_at(schema, "/items/4/n") == {"type": "integer"}
    assert schema_at(schema, "to/street") is None
    assert schema_at(schema, "loop") is None


def test_the_schema_of_a_place_is_found_through_conditions_and_in_tuples() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}
    schema = {
        "properties": {"pair": pair},
        "if": {"required": ["pair"]},
        "then": {"properties": {"card": {"type": "string"}}},
        "else": {"properties": {"cash": {"type": "number"}}},
        "dependentSchemas": {"pair": {"properties": {"size": {"type": "integer"}}}},
    }
    assert schema_at(schema, "/pair/1") == {"type": "integer"}
    assert schema_at(schema, "/pair/2") == {"type": "boolean"}
    assert schema_at(schema, "pair/*") == {"type": "string"}
    assert [schema_at(schema, slot) for slot in ("card", "cash", "size")] == [
        {"type": "string"},
        {"type": "number"},
        {"type": "integer"},
    ]
    assert schema_at(schema, "none") is None
