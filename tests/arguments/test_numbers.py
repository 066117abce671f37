"""Numbers obey bounds and grids exactly, by decimal and by floating-point reckoning."""

from decimal import Decimal

from arguments.making import draws, faults
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


def test_wide_ranges_give_round_figures_mostly():
    values = draws(compile_value({"type": "integer", "minimum": 1, "maximum": 1_000_000}, "x", 1))
    assert sum(value % 1000 == 0 for value in values) > 100
    assert sum(value % 1000 != 0 for value in values) > 5
