"""Numbers of things that are made one after the other."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from generator.world.state.population import scattered


@given(st.integers(3, 12), st.integers(0, 2**64), st.integers(1, 2**40))
def test_numbers_at_equal_steps_are_scattered_and_no_two_alike(digits: int, first: int, step: int) -> None:
    size = 10**digits
    numbers = [first + step * place for place in range(12)]
    keys = [scattered(number, size) for number in numbers]
    assert all(0 <= key < size for key in keys)
    assert len(set(keys)) == len({number % size for number in numbers})
    if len(set(keys)) == len(keys):
        assert len({(after - before) % size for before, after in pairwise(keys)}) > 1
