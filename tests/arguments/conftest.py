"""Pools drawn by Hypothesis are small here: to draw 200 values takes a second, and what is asked of each value is the same."""

import pytest

from generator.arguments.other_sources import property_based, user_strategies

POOL = 40


@pytest.fixture(autouse=True)
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here depends on how many values a pool has, as long as there are some."""
    monkeypatch.setattr(property_based, "POOL_SIZE", POOL)
    monkeypatch.setattr(user_strategies, "POOL_SIZE", POOL)
