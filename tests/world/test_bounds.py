"""Days within one bound stay near it, and on the side of today on which they were drawn."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from generator.core.seeds import Draw
from generator.world.returns import SchemaBounds, within

TODAY = date(2026, 3, 14)
NO_BOUNDS = SchemaBounds(None, None, None, False)
DAYS = st.integers(-60, 60).map(lambda days: (TODAY + timedelta(days)).isoformat())


@given(value=DAYS, low=st.none() | DAYS, high=st.none() | DAYS, seed=st.integers(0, 99))
def test_days_keep_their_bounds(value, low, high, seed):
    found = within(value, low, high, NO_BOUNDS, Draw(seed, TODAY))
    if low is None or high is None or low <= high:
        assert low is None or found >= low
        assert high is None or found <= high


@given(high=st.integers(0, 60), ahead=st.integers(61, 90), seed=st.integers(0, 99))
def test_what_lies_ahead_is_not_moved_into_the_past(high, ahead, seed):
    bound, value = ((TODAY + timedelta(days)).isoformat() for days in (high, ahead))
    assert TODAY.isoformat() <= within(value, None, bound, NO_BOUNDS, Draw(seed, TODAY)) <= bound


@given(low=st.integers(0, 60), back=st.integers(61, 90), seed=st.integers(0, 99))
def test_what_is_past_is_not_moved_into_the_future(low, back, seed):
    bound, value = ((TODAY - timedelta(days)).isoformat() for days in (low, back))
    assert bound <= within(value, bound, None, NO_BOUNDS, Draw(seed, TODAY)) <= TODAY.isoformat()
