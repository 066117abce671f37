"""How many examples a property test takes: its own number, times ten when new faults are searched for.

`--hypothesis-profile explore` (tests/conftest.py) sets `max_examples` to ten times Hypothesis's own default.
"""

from hypothesis import settings

USUAL = 100  # Hypothesis's default


def examples(count: int) -> int:
    """Return `count` times the factor of the profile that was chosen on the command line."""
    return count * settings().max_examples // USUAL
