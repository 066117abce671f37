"""Coverage goals and targets: together the targets show all that the schema allows, and nothing else counts."""

from datetime import date
from itertools import combinations

import pytest
from arguments.making import faults, tool, tool_of
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_source
from generator.arguments.coverage import compile_coverage
from generator.core.seeds import Draw
from generator.core.toolbox import Relation
from generator.recipe import ArgumentSettings, Override

DAY = date(2026, 3, 1)
TEXT = {"type": "string"}
COLOR = {"enum": ["red", "green", "blue"]}


def cover(spec, **settings):
    recipe = ArgumentSettings(**settings)
    return compile_coverage(spec, recipe, 1, compile_source(spec, recipe, 1))


def shown(coverage, spec):
    """The goals that the targets' arguments show, each valid."""
    draw = Draw(3, DAY)
    found = set()
    for target in coverage.targets:
        arguments = coverage.make(draw, target)
        assert arguments is not None
        assert faults(spec.tool.parameters, arguments) == []
        assert list(arguments) == [name for name in spec.tool.parameters["properties"] if name in arguments]
        found |= coverage.reached(arguments)
    return found


@settings(max_examples=examples(40), deadline=None)
@given(
    optional=st.lists(
        st.sampled_from([TEXT, COLOR, {"type": "boolean"}, {"type": "array", "items": COLOR}]), max_size=9
    ),
    required=st.lists(st.sampled_from([TEXT, COLOR, {"type": "object", "properties": {"c": COLOR}}]), max_size=3),
)
def test_the_targets_show_every_goal(optional, required):
    names = [f"o{at}" for at in range(len(optional))]
    properties = dict(zip(names, optional, strict=True)) | {f"r{at}": part for at, part in enumerate(required)}
    spec = tool(properties, required=[name for name in properties if name[0] == "r"])
    coverage = cover(spec)
    n = len(optional)
    values = sum(0 if part is TEXT else 2 if part == {"type": "boolean"} else 3 for part in (*optional, *required))
    assert len(coverage.goals) == values + 2 * n + 4 * n * (n - 1) // 2
    assert shown(coverage, spec) == set(coverage.goals.values())
    assert len(coverage.targets) <= 3 + max(len(bin(n)) * 3, 3 * (len(required) + n))


def test_every_pair_of_states_is_a_goal():
    names = "abcde"
    coverage = cover(tool(dict.fromkeys(names, TEXT), required=[]))
    pairs = {((p, s), (q, t)) for p, q in combinations(names, 2) for s in (True, False) for t in (True, False)}
    assert {goal for goal in coverage.goals if isinstance(goal[0], tuple)} == pairs
    assert len(coverage.targets) < 12  # of 32 sets of states


def test_many_optional_parameters_are_each_once():
    names = [f"o{at}" for at in range(13)]
    spec = tool(dict.fromkeys(names, TEXT), required=[])
    coverage = cover(spec)
    assert len(coverage.goals) == 26
    assert len(coverage.targets) == 2
    assert shown(coverage, spec) == set(range(26))


def test_what_the_schema_forbids_is_no_goal():
    spec = tool_of(
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "maxProperties": 1, "additionalProperties": False}
    )
    coverage = cover(spec)
    assert (("a", True), ("b", True)) not in coverage.goals
    assert len(coverage.goals) == 4 + 3
    assert shown(coverage, spec) == set(coverage.goals.values())


def test_overridden_enums_are_no_goals():
    spec = tool({"color": COLOR, "size": {"enum": ["s", "m"]}})
    coverage = cover(spec, overrides={"do_it#/color": Override(choose=("red",))})
    assert {slot for slot, _ in coverage.goals} == {"size"}
    assert coverage.make(Draw(1, DAY), coverage.targets[0])["color"] == "red"


def test_relations_hold():
    place = {"enum": ["x", "y"]}
    spec = tool({"a": place, "b": place}, relations=(Relation("a", "!=", "b"),))
    coverage = cover(spec)
    made = [coverage.make(Draw(seed, DAY), target) for target in coverage.targets for seed in range(5)]
    assert all(row["a"] != row["b"] for row in made)
    assert len(coverage.goals) == 4


@pytest.mark.parametrize("source", ["realistic", "property_based"])
def test_of_both_sources(source):
    spec = tool({"c": COLOR, "o": TEXT, "l": {"type": "array", "items": COLOR, "uniqueItems": True}}, required=["c"])
    assert len(shown(cover(spec, source=((source, 1.0),)), spec)) == 3 + 3 + 4 + 4


@pytest.mark.parametrize(
    "more",
    [
        {"dependentRequired": {"a": ["b"]}},
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]},
    ],
)
def test_conditions_take_their_goals_away(more):
    schema = {"type": "object", "properties": {"a": TEXT, "b": TEXT, "c": COLOR}, "additionalProperties": False}
    spec = tool_of(schema | more)
    coverage = cover(spec)
    assert (("a", True), ("b", False)) not in coverage.goals
    assert {(("a", True), ("b", True)), (("a", False), ("b", False)), (("a", False), ("b", True))} <= set(
        coverage.goals
    )
    assert {goal for goal in coverage.goals if goal[0] == "c"} >= {("c", b'"red"'), ("c", b'"green"'), ("c", b'"blue"')}
    assert shown(coverage, spec) == set(coverage.goals.values())
