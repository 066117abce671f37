"""How many examples a property test takes: half its own number, and ten times its number when new faults are searched for.

The profiles of tests/conftest.py set `max_examples` to half of Hypothesis's own default (`same`) and to ten times it
(`--hypothesis-profile explore`).
"""

from hypothesis import settings

USUAL = 100  # Hypothesis's default


def examples(count: int) -> int:
    """Return `count` times the factor of the profile that was chosen on the command line."""
    return max(1, count * settings().max_examples // USUAL)
