"""Arguments that belong together keep their relation and stay valid."""

import pytest
from arguments.making import arguments_of, faults, tool

from generator.core.toolbox import Relation

DATE = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
LOCAL = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$"}
MOMENT = {"type": "string", "format": "date-time"}


@pytest.mark.parametrize(
    "schema",
    [
        DATE,
        CLOCK,
        LOCAL,
        MOMENT,
        {"type": "integer", "minimum": 1, "maximum": 9},
        {"type": "number", "minimum": 0, "maximum": 2, "multipleOf": 0.05},
        {"type": "integer", "multipleOf": 50, "minimum": 0, "maximum": 200},
        {"type": "string", "pattern": "^(0[6-9]|1[0-9]|2[0-2]):[0-5][05]$"},
    ],
)
@pytest.mark.parametrize("edge_cases", [0.0, 0.5])
def test_left_comes_before_right(schema, edge_cases):
    spec = tool({"start": schema, "end": schema}, relations=(Relation("start", "<", "end"),))
    for row in arguments_of(spec, edge_cases=edge_cases):
        assert row["start"] < row["end"]
        assert faults(spec.tool.parameters, row) == []


def test_stays_are_days_long_and_meetings_are_not():
    stay = tool({"check_in": DATE, "check_out": DATE}, relations=(Relation("check_in", "<", "check_out"),))
    assert all(
        row["check_out"] <= row["check_in"][:8] + "99" or row["check_out"][5:7] != row["check_in"][5:7]
        for row in arguments_of(stay)
    )
    meeting = tool({"start_time": CLOCK, "end_time": CLOCK}, relations=(Relation("start_time", "<", "end_time"),))
    assert all(int(row["end_time"][:2]) - int(row["start_time"][:2]) <= 3 for row in arguments_of(meeting))


def test_left_differs_from_right():
    place = {"type": "string", "enum": ["a", "b", "c"]}
    spec = tool(
        {"origin": place, "trip": {"type": "object", "properties": {"to": place}, "required": ["to"]}},
        relations=(Relation("origin", "!=", "trip/to"),),
    )
    made = arguments_of(spec)
    assert all(row["origin"] != row["trip"]["to"] for row in made)
    assert len({(row["origin"], row["trip"]["to"]) for row in made}) == 6


def test_a_side_that_is_absent_is_left_alone():
    spec = tool({"start": DATE, "end": DATE}, required=["end"], relations=(Relation("start", "<", "end"),))
    made = arguments_of(spec)
    assert {len(row) for row in made} == {1, 2}
    assert all(row["start"] < row["end"] for row in made if "start" in row)
