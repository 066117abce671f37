"""How many examples a property test takes: a third of its own number, and ten times its number when new faults are searched for.

The profiles of tests/conftest.py set `max_examples` to a third of Hypothesis's own default (`same`) and to thirty times that
(`--hypothesis-profile explore`).
"""

from hypothesis import settings

USUAL = 100  # Hypothesis's default
FEWEST = 10


def examples(count: int) -> int:
    """Return `count` times the factor of the profile that was chosen on the command line, but no fewer than ten of what are more."""
    return max(min(count, FEWEST), count * settings().max_examples // USUAL)
