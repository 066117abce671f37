"""Arguments made wrong on purpose: in the named way, at the named place, and nowhere else; two validators agree."""

from datetime import date
from functools import cache
from pathlib import Path

import jsonschema_rs
import orjson
import pytest
from arguments.making import faults, tool, tool_of
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import ArgumentSettings, compile_source
from generator.arguments.other_sources.invalid import WAYS, break_arguments
from generator.pointers import leaves, resolve
from generator.seeds import Draw
from generator.specs import load_toolbox


@cache
def toolbox():
    return load_toolbox(sorted((Path(__file__).parents[2] / "tool_specs").glob("*.*")))


@cache
def source(name):
    return compile_source(toolbox()[name], ArgumentSettings(optional=0.6), 1)


@settings(max_examples=examples(60), deadline=None)
@given(name=st.deferred(lambda: st.sampled_from(sorted(toolbox()))), seed=st.integers(0, 10**6))
def test_every_way_breaks_one_place_of_a_shipped_tool(name, seed):
    schema = toolbox()[name].tool.parameters or {"type": "object"}
    draw = Draw(seed, date(2026, 3, 1))
    arguments = source(name)(draw)
    before = orjson.dumps(arguments)
    for way in WAYS:
        broken = break_arguments(way, schema, arguments, draw)
        assert orjson.dumps(arguments) == before
        if broken is None:
            continue
        assert broken.way == way
        assert faults(schema, broken.arguments)
        assert not jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(broken.arguments)
        rule = broken.rules[0]
        assert rule.keyword == rule.pointer.split("/")[-1]
        assert resolve(schema, rule.pointer) is not None
        if broken.at and isinstance(broken.arguments, dict):  # all else is as it was
            others = [dict(leaves(value)) for value in (arguments, broken.arguments)]
            outside = [{k: v for k, v in one.items() if not f"{k}/".startswith(f"{broken.at}/")} for one in others]
            assert outside[0] == outside[1]


def test_the_ways_apply_to_most_shipped_tools():
    draw = Draw(1, date(2026, 3, 1))
    counts = dict.fromkeys(WAYS, 0)
    names = sorted(toolbox())[::4]
    for name in names:
        arguments = source(name)(draw)
        for way in WAYS:
            schema = toolbox()[name].tool.parameters or {}
            counts[way] += break_arguments(way, schema, arguments, draw) is not None
    assert counts["wrong_type"] > 0.9 * len(names)
    assert min(counts.values()) > 0.25 * len(names)


GOOD = {"city": "Oslo", "unit": "celsius", "day": "2026-03-14", "days": 3, "where": {"street": "Elm Road 3"}}
SCHEMA = tool(
    {
        "city": {"type": "string"},
        "unit": {"enum": ["celsius", "kelvin"]},
        "day": {"type": "string", "format": "date"},
        "days": {"type": "integer", "minimum": 1, "maximum": 5},
        "where": {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]},
    }
).tool.parameters


@pytest.mark.parametrize(
    ("way", "keywords", "places"),
    [
        ("missing_required", {"required"}, {"", "/where"}),
        ("wrong_type", {"type", "enum"}, {"/city", "/unit", "/day", "/days", "/where", "/where/street"}),
        ("out_of_range", {"minimum", "maximum"}, {"/days"}),
        ("unknown_key", {"additionalProperties"}, {""}),
        ("bad_enum", {"enum"}, {"/unit"}),
        ("broken_format", {"format"}, {"/day"}),
        ("extra_nesting", {"type", "enum"}, {"/city", "/unit", "/day", "/days", "/where", "/where/street"}),
        ("stringified_object", {"type"}, {"/where", ""}),
    ],
)
def test_what_each_way_breaks(way, keywords, places):
    seen = set()
    for seed in range(60):
        broken = break_arguments(way, SCHEMA, GOOD, Draw(seed, date(2026, 3, 1)))
        assert broken is not None
        assert {rule.keyword for rule in broken.rules} <= keywords
        seen.add(broken.at)
    assert seen <= places
    assert len(seen) > 1 or len(places) == 1 or way == "stringified_object"


@pytest.mark.parametrize("way", ["missing_required", "out_of_range", "unknown_key", "bad_enum", "broken_format"])
def test_a_way_that_does_not_apply_gives_nothing(way):
    open_schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert break_arguments(way, open_schema, {"city": "Oslo"}, Draw(1, date(2026, 3, 1))) is None


def test_text_that_is_an_object():
    broken = break_arguments("stringified_object", SCHEMA, GOOD, Draw(1, date(2026, 3, 1)))
    assert orjson.loads(resolve(broken.arguments, broken.at)) == GOOD["where"]


def test_a_type_comes_before_an_enum():
    spec = tool_of({"type": "object", "properties": {"n": {"type": "string", "enum": ["a", "b"]}}})
    broken = break_arguments("wrong_type", spec.tool.parameters, {"n": "a"}, Draw(1, date(2026, 3, 1)))
    assert [rule.keyword for rule in broken.rules] == ["type", "enum"]
    assert [rule.pointer for rule in broken.rules] == ["/properties/n/type", "/properties/n/enum"]
