"""Tools that come without phrases, with any names and values: worded from their schemas, and proven all the same."""

import re
import string
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from workbench import CONVERSATIONS, TODAY, filled, rows, tell, workshop

from generator.core.connectives import unit_in_sentences
from generator.core.conversation import Tool
from generator.core.toolbox import ToolSpec

NASTY_NAMES = (
    *("$filter", "a/b", "a~b", "~1", "~0", "x{y}", "{x}", "e:f", "a#", "q?one|two", "args.x", "."),
    *("größe", "日本語", "e\u0301", "1st", "2024", "0", "*", "a b", " x ", "", "-", "__proto__", "maxPrice", "URL"),
    *("date", "time", "to", "from", "city", "no", "and", 'say "x"', "back\\slash", "tab\tname", "line\nbreak"),
)
NASTY_TEXTS = (
    *("", " ", "a", "on", "no", "null", "true", "3", "3.50", "-5", "5%", "$9", "1,000", "tomorrow", "Friday", "3 pm"),
    *("a, b and c", "Hello. World", "really?", "stop!", "(x)", "x)", "a;b", "{city}", "}{", "%s", "\\n", "C:\\temp"),
    *(
        'say "hi"',
        "it's",
        "“quoted”",
        "'single'",
        "\"both\" and 'both'",
        "two\nlines",
        "tab\there",
        "\u2028",
        "\x00",
        "\x7f",
    ),
    *(
        "日本語",
        "👩‍👩‍👧",
        "e\u0301",
        "\u202eabc",
        "\ufeffx",
        " leading",
        "trailing ",
        "x" * 200,
        "<|im_end|>",
        "- item",
        "1. item",
    ),
)
names = st.sampled_from(NASTY_NAMES) | st.text(st.characters(codec="utf-8"), max_size=8)
texts = st.sampled_from(NASTY_TEXTS) | st.text(st.characters(codec="utf-8"), max_size=12)
whole = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
ENUM = ["in_progress", "inProgress", "IN PROGRESS", "done", "Done", "", "no", 3, "3", None, True, 2.5, 'a "b"']

LEAVES: list[tuple[dict[str, Any], st.SearchStrategy[Any]]] = [
    ({"type": "string"}, texts),
    ({"type": "string", "maxLength": 500}, texts),
    ({}, texts | whole | floats | st.booleans() | st.none()),
    ({"type": ["string", "null"]}, texts | st.none()),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, texts | whole),
    ({"type": "integer"}, whole | st.integers(-20, 20)),
    ({"type": "number"}, floats | st.integers(-20, 20)),
    ({"type": ["number", "null"]}, floats | st.none()),
    ({"type": "boolean"}, st.booleans()),
    ({"enum": ENUM}, st.sampled_from(ENUM)),
    ({"type": "string", "enum": ["a_b", "A-B", "a b", "c"]}, st.sampled_from(["a_b", "A-B", "a b", "c"])),
    ({"const": "fixed"}, st.just("fixed")),
    ({"type": "string", "format": "date"}, st.dates().map(str)),
    (
        {"type": "string", "format": "date"},
        st.integers(-20, 400).map(lambda n: str(TODAY.fromordinal(TODAY.toordinal() + n))),
    ),
    ({"type": "string", "format": "date-time"}, st.datetimes().map(lambda d: d.isoformat(timespec="seconds") + "Z")),
    ({"type": "string", "format": "time"}, st.times().map(lambda t: t.isoformat("seconds") + "Z")),
    ({"type": "string", "pattern": r"^\d{2}:\d{2}$"}, st.times().map(lambda t: t.isoformat("minutes"))),
]


@pytest.mark.parametrize("field", ["rate(", "a.b", "x{y}"])
def test_the_unit_behind_a_field_is_found_whatever_the_field_is_called(field: str):
    assert unit_in_sentences([f"it is {{{field}}}% in {{city}}", "{a+b}°C"], field) == "%"


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """(schema, value) of an object with some of these properties."""

    def build(properties: dict[str, Any], extra: dict[str, Any], leave_out: bool) -> tuple[dict[str, Any], Any]:
        schema = {"type": "object", "properties": {name: part[0] for name, part in properties.items()}}
        given = list(properties.items())[1:] if leave_out else properties.items()
        unknown = {name: text for name, text in extra.items() if name not in properties}
        return schema, {**unknown, **{name: part[1] for name, part in given}}

    extra = st.dictionaries(names, texts, max_size=1)
    return st.builds(build, st.dictionaries(names, inner, max_size=3), st.just({}) | extra, st.booleans())


def arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """(schema, value) of a list; its elements need not be alike."""
    one = st.builds(lambda part, n: ({"type": "array", "items": part[0]}, [part[1]] * n), inner, st.integers(0, 3))
    free = st.builds(lambda parts: ({"type": "array"}, [part[1] for part in parts]), st.lists(inner, max_size=3))
    return one | free


leaf = st.sampled_from(LEAVES).flatmap(lambda kind: st.tuples(st.just(kind[0]), kind[1]))
things = st.recursive(leaf, lambda inner: objects(inner) | arrays(inner), max_leaves=5)
json_values = st.recursive(
    st.none() | st.booleans() | whole | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
tool_names = st.sampled_from(["do_it", "getV2Data", "2fa.reset", "SEND-SMS", "_", "-", "1"]) | st.text(
    string.ascii_letters + string.digits + "_.-", min_size=1, max_size=12
)


def bare(name: str, parameters: dict[str, Any] | None, returns: dict[str, Any] | None = None) -> ToolSpec:
    tool = Tool(name=name, description=None, parameters=parameters)
    return ToolSpec(tool=tool, domain="bare", where="bare.yaml:1", returns=returns)


@given(name=tool_names, made=objects(things), result=json_values, seed=st.integers(0, 99), knows=st.booleans())
@settings(max_examples=examples(100), deadline=None)
@example(
    name="x", made=({"type": "object", "properties": {"a/b": {"const": 1}}}, {"a/b": 1}), result={}, seed=0, knows=True
)
@example(
    name="x",
    made=({"type": "object", "properties": {"a~1b": {"const": 1}}}, {"a~1b": 1}),
    result={},
    seed=0,
    knows=True,
)
@example(
    name="x",
    made=({"type": "object", "properties": {"0": {"enum": ["in_progress", "x"]}}}, {"0": "in_progress"}),
    result={},
    seed=0,
    knows=True,
)
@example(
    name="x",
    made=(
        {"type": "object", "properties": {"box": {"type": "object", "properties": {"c": {"const": 1}}}}},
        {"box": {}},
    ),
    result={},
    seed=0,
    knows=True,
)
@example(name="x", made=({"type": "object"}, {"anything": {"goes": [1]}}), result=[], seed=0, knows=True)
@example(name="x", made=({"type": "object"}, {}), result={"a#": 8e164, "on": "2026-03-15"}, seed=0, knows=True)
def test_any_arguments_and_any_result_are_said_and_proven(name, made, result, seed, knows):
    told = tell((filled(bare(name, made[0]), made[1], result),), seed=seed, knows_today=knows)
    assert told.faults == [], (told.user, told.answer)


NAMED: list[tuple[dict[str, Any], list[Any]]] = [
    ({"type": "string"}, ["Oslo", ""]),
    ({"type": ["integer", "null"]}, [3, None]),
    ({"type": "boolean"}, [True]),
    ({"enum": ["in_progress", "done", "a/b"]}, ["in_progress", "a/b"]),
    ({"const": "only"}, ["only"]),
    ({"type": "array", "items": {"type": "string"}}, [["a", "b"], []]),
    ({"type": "object", "properties": {"in": {"type": "string"}}}, [{"in": "x"}, {"other": 1}]),
]


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("name", NASTY_NAMES)
def test_names_that_get_in_the_way(name: str, deep: bool):
    """Names with the signs of pointers, slots and templates in them, at the top and inside an object."""
    for schema, values in NAMED:
        parameters: dict[str, Any] = {"type": "object", "properties": {name: schema}}
        spec = bare("do_it", {"type": "object", "properties": {"box": parameters}} if deep else parameters)
        for value in values:
            told = tell((filled(spec, {"box": {name: value}} if deep else {name: value}),))
            assert told.faults == [], (told.user, told.answer)


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_names_of_results_that_get_in_the_way(name: str):
    for result in ({name: 5}, {name: [{name: "x"}]}, {"box": {name: None}}):
        told = tell((filled(bare("do_it", None), {}, result),))
        assert told.faults == [], (told.user, told.answer)


@pytest.mark.parametrize("text", NASTY_TEXTS)
def test_values_that_get_in_the_way(text: str):
    spec = bare("do_it", {"type": "object", "properties": {"x": {"type": "string"}, "n": {"type": "integer"}}})
    for seed in range(5):
        told = tell((filled(spec, {"x": text, "n": 5}, {"x": text, "list": [text]}),), seed=seed)
        assert told.faults == [], (told.user, told.answer)


@pytest.mark.parametrize("text", ["null", "True", "no", "NaN", "12", "-3.50", "1,000", "1e5"])
def test_text_that_would_be_taken_for_something_else_is_quoted(text: str):
    text_only = {"type": "string"}
    spec = bare(
        "book_room",
        {"type": "object", "properties": {"room": text_only, "days": {"type": "array", "items": text_only}}},
    )
    for seed in range(10):
        told = tell((filled(spec, {"room": text, "days": [text, "b"]}),), seed=seed)
        assert told.faults == [], (told.user, told.answer)
        assert len(re.findall(f'["“]{re.escape(text)}["”]', told.user)) == 2, told.user


def test_the_words_of_the_names_are_used():
    properties = {"maxPrice": {"type": "integer"}, "zip_code": {"type": "string"}, "is-open": {"type": "boolean"}}
    spec = bare("find_cheapHotels-v2", {"type": "object", "properties": properties})
    for seed in range(20):
        told = tell((filled(spec, {"maxPrice": 90, "zip_code": "0150", "is-open": True}),), seed=seed)
        assert "find_cheapHotels-v_two" in told.user
        assert "max price" in told.user
        assert "zip code 0150" in told.user
        assert "is open set to yes" in told.user


BARE_TOOLS = """
tools:
  - name: list_items
    parameters: {type: object, properties: {"$filter": {type: string}, "a/b": {type: integer}, "x{y}": {enum: [p_q, r]}}, required: ["$filter"]}
    returns: {type: object, required: ["a/b"], properties: {"a/b": {type: array, minItems: 2, items: {type: object, required: [id], properties: {id: {type: string, pattern: "^[A-Z]{8}$"}}}}}}
  - name: get_item
    parameters: {type: object, properties: {id: {type: string}, "e:f": {type: boolean}}, required: [id]}
    links: {id: "list_items#/a~1b/*/id"}
  - name: ping
    parameters: {type: object, properties: {"größe": {type: [string, "null"]}, "a~b": {type: array, items: {type: object, properties: {"1": {type: number}}}}, c: {const: 1}}, required: [c, "größe"]}
  - name: noop
"""


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_whole_rows(tmp_path: Path, scenario: str):
    made = rows(workshop(tmp_path, scenario, text=BARE_TOOLS.strip()), 12)
    assert [row.rejected for row in made if len(row.rejected) > 6] == []
