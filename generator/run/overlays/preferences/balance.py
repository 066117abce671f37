"""How often each defect must be tried first so that rows show all of them about equally often.

Some defects can be made in nearly every row, others in few. So a sample of rows is made, to see which defects each of them can
show; from that follow weights with which the expected numbers are those that the recipe wants. The weights depend on the recipe,
the tools and the seed alone, and so a row does as well.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

SAMPLE = 100
"""How many rows are made for it."""
_ROUNDS = 30
_MOST = 1000.0
"""How much more weight a defect has than wanted at most: it is then tried before all others."""


def balanced(wanted: Mapping[str, float], shown: Iterable[frozenset[str]]) -> tuple[tuple[str, float], ...]:
    """Return (name, weight) pairs of the defects.

    Args:
        wanted: How often each should occur, as weights.
        shown: For each row of the sample, the defects that it can show.
    """
    rows = Counter([one for one in shown if one])
    seen = frozenset().union(*rows)
    share = sum(rows.values()) / (sum(wanted[name] for name in seen) or 1)
    weights = dict(wanted)
    for _ in range(_ROUNDS):
        expected = dict.fromkeys(seen, 0.0)
        for able, number in rows.items():
            whole = sum(weights[name] for name in able)
            for name in able:
                expected[name] += number * weights[name] / whole
        for name in seen:
            weights[name] = min(weights[name] * share * wanted[name] / expected[name], _MOST * wanted[name])
    return tuple([(name, weights[name] if name in seen else _MOST * wanted[name]) for name in wanted])
