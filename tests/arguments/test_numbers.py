"""Numbers obey bounds and grids exactly, by decimal and by floating-point reckoning."""

from decimal import Decimal

from arguments.making import arguments_of, draws, faults, tool
from arguments.schema_strategies import numbers
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments import compile_value


@given(numbers(), st.integers(0, 2**32), st.sampled_from(["x", "price", "quantity", "rating", "year", "latitude", "percentage", "age"]))
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
