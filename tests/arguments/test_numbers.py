"""Numbers obey bounds and grids exactly, by decimal and by floating-point reckoning."""

from decimal import Decimal

import pytest
from arguments.making import arguments_of, draws, faults, tool
from arguments.schema_strategies import numbers
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments import compile_value


@given(
    numbers(),
    st.integers(0, 2**32),
    st.sampled_from(["x", "price", "quantity", "rating", "year", "latitude", "percentage", "age"]),
)
def test_bounds_and_grids_are_exact(schema, seed, name):
    for value in draws(compile_value(schema, name, 1), 12, seed):
        assert faults(schema, value) == []
        if "multipleOf" in schema:
            assert Decimal(repr(value)) % Decimal(repr(schema["multipleOf"])) == 0


def test_people_say_round_figures_and_results_are_any_figures():
    wide = {"type": "integer", "minimum": 1, "maximum": 1_000_000}
    said = [row["x"] for row in arguments_of(tool({"x": wide}))]
    assert sum(value % 1000 == 0 for value in said) > 100
    assert sum(value % 1000 != 0 for value in said) > 5
    assert sum(value % 1000 == 0 for value in draws(compile_value(wide, "x", 1))) < 10


@pytest.mark.parametrize(
    "bounds",
    [
        {"minimum": 1e300, "maximum": 1e308},
        {"minimum": -1e308, "maximum": -1e300},
        {"minimum": -1e308, "maximum": 1e308},
        {"minimum": 1e308},
        {"minimum": 1e16, "maximum": 1e17},
    ],
)
@pytest.mark.parametrize("name", ["x", "price", "quantity"])
@pytest.mark.parametrize("prefers_round", [True, False])
def test_bounds_may_lie_where_only_floats_go(bounds, name, prefers_round):
    schema = {"type": "number"} | bounds
    said = [row[name] for row in arguments_of(tool({name: schema}), 50)]
    made = said if prefers_round else draws(compile_value(schema, name, 1), 50)
    assert all(faults(schema, value) == [] and abs(value) <= 1.8e308 for value in made)
    assert len(set(made)) > 5
