"""Largest shares: rows are taken in order, and a row stays if no name then has more than its share.

So the limit holds in every beginning of the data set, up to rounding, and memory is that of the counts.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


class Shares:
    """Counts of the rows that stay, by tool, scenario or tag."""

    def __init__(self, limits: Sequence[tuple[str, float]]) -> None:
        """Begin with no rows.

        Args:
            limits: Kind (`tool`, `scenario` or `tag`) and the largest share that one of its names may have.
        """
        self._limits = {kind: Fraction(str(share)) for kind, share in limits}
        self._rows = 0
        self._counts: Counter[str] = Counter()

    def find(self, names: Sequence[str]) -> str | None:
        """Return the first name of which there would be too much; None if there is none, and then the row is counted."""
        for name in names:
            limit = self._limits[name.partition(":")[0]]
            if self._counts[name] + 1 > -(-limit.numerator * (self._rows + 1) // limit.denominator):
                return name
        self._rows += 1
        self._counts.update(names)
        return None
