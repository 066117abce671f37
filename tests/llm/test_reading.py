"""Hostile answers: refused by name, and nothing ever breaks."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments.llm import array_schema
from generator.llm import ModelAnswer
from generator.llm.prompts import looser_schema
from generator.llm.reading import answer_fault, json_of_answer

TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"text": "good"}', ""),
        ('```json\n{"text": "good"}\n```', ""),
        ('\n```\n\n{"text": "good"}\n \n```\n', ""),
        ('```json {"text": "good"}```', "not JSON"),
        ('```python\n{"text": "good"}\n```', "not JSON"),
        ('Sure! {"text": "good"}', "not JSON"),
        ('{"text": "good"} I hope this helps.', "not JSON"),
        ('{"text": "go', "not JSON"),
        ('{"text": "good", "text": "again"}', "repeated keys"),
        ('{"text": NaN}', "not JSON"),
        ('{"text": 5}', "not valid"),
        ('{"text": "good", "more": 1}', "not valid"),
        ("[" * 100_000, "not JSON"),
        ('{"text": ' + "[" * 100 + "]" * 100 + "}", "too deep"),
        ('{"text": "a<|im_end|>b"}', "holds a control token"),
        ('{"text": "[INST] b"}', "holds a control token"),
        ('{"text": "</s>"}', "holds a control token"),
        ('{"text": "<tool_call>"}', "holds a control token"),
        ('{"text": "a\\u202eb"}', "holds unseen characters"),
        ('{"text": "a\\u0000b"}', "holds unseen characters"),
        ('{"text": "a\\u200bb"}', "holds unseen characters"),
        ("", "not JSON"),
    ],
)
def test_faults_have_names(text: str, fault: str):
    value, found = json_of_answer(ModelAnswer(text=text), TEXT)
    assert found.partition(":")[0] == fault
    assert (value is None) == bool(fault)


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_whatever_comes_is_read_or_refused(text: str):
    value, fault = json_of_answer(ModelAnswer(text=text), TEXT)
    assert (value is None) == bool(fault)
    if not fault:
        assert jsonschema_rs.is_valid(TEXT, value)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="<[")))
def test_plain_text_is_left_alone(text: str):
    assert answer_fault(text) == ""


schemas = st.deferred(
    lambda: st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(["not", "a", "title"]), leaves, max_size=3),
        },
        optional={"not": st.just({"required": ["zzz"]}), "title": st.just("T"), "additionalProperties": st.just(False)},
    )
)
leaves: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"type": "string", "title": "x", "x-kind": "city"},
        {"type": "integer", "minimum": 1, "examples": [2]},
        {"type": "array", "items": {"type": "string", "default": "q"}, "uniqueItems": True},
        {"anyOf": [{"type": "null"}, {"type": "boolean", "$comment": "c"}]},
    ]
)


@given(
    schemas,
    st.dictionaries(
        st.sampled_from(["not", "a", "title", "b"]), st.none() | st.integers() | st.text() | st.lists(st.text())
    ),
)
def test_a_schema_as_it_is_sent_allows_all_that_the_real_one_does(schema: dict[str, Any], value: dict[str, Any]):
    if jsonschema_rs.is_valid(schema, value):
        assert jsonschema_rs.is_valid(looser_schema(schema), value)
        assert jsonschema_rs.is_valid(array_schema(schema, 3), {"values": [value, value]})
    for part in json.dumps(looser_schema(schema)), json.dumps(array_schema(schema, 3)):
        assert "x-kind" not in part
        assert "uniqueItems" not in part


def test_references_lead_where_they_led():
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}}
    assert not jsonschema_rs.is_valid(array_schema(schema, 2), {"values": [{"a": "x"}]})
    assert jsonschema_rs.is_valid(array_schema(schema, 2), {"values": [{"a": 1}]})
    inner = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}
    assert jsonschema_rs.is_valid(array_schema(inner, 2), {"values": [{"b": 1}]})
