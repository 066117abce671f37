"""Near-duplicates: requests whose three-word shingles are nearly those of an earlier request.

Candidates come from MinHash with bands (Broder, 1997; Leskovec and others, "Mining of Massive Datasets", chapter 3) as rensa
has them; each is then compared exactly, by the Jaccard similarity of the shingles. Only rows that stay are remembered, so a
row is never removed for its likeness to one that is not there.
"""

from importlib.util import find_spec
from typing import Any

from generator.core.errors import RecipeError, installing
from generator.report.mentions import words_of_text

MOST_ROWS = 5_000_000
_PERMUTATIONS = 120
_SHINGLE = 3
_FOUND = 0.98
"""Share of the pairs at the threshold that become candidates; of more similar pairs nearly all do."""
_SEED = 42


def check_near(rows: int) -> None:
    """Raise RecipeError when rensa is missing, or for more rows than memory holds."""
    if rows > MOST_ROWS:
        raise RecipeError(
            f"{rows:,} rows are too many, {MOST_ROWS:,} are the most, which take about 12 GB of memory here\n"
            "Leave out `near` and give the finished files to a tool that spreads MinHash over machines (datatrove, NeMo Curator)."
        )
    if find_spec("rensa") is None:
        raise RecipeError(f"needs the package rensa: {installing('dedup')}")


class NearRows:
    """The texts of the rows that stay, for finding similar ones."""

    def __init__(self, threshold: float) -> None:
        import rensa

        self._threshold = threshold
        bands = _bands(threshold)
        self._lsh = rensa.RMinHashLSH(threshold, _PERMUTATIONS, bands)
        self._hashed = rensa.RMinHash
        self._texts: dict[int, str] = {}
        self._looked_at: Any = None

    def find(self, text: str) -> int | None:
        """Return the first row that stays whose request is nearly this one; None where there is none, or nothing is said (documents)."""
        shingles, self._looked_at = shingles_of(text), None
        if not shingles:
            return None
        self._looked_at = hashed = self._hashed(_PERMUTATIONS, _SEED)
        hashed.update(sorted(shingles))
        for other in sorted(self._lsh.query(hashed)):
            if likeness(shingles, shingles_of(self._texts[other])) >= self._threshold:
                return int(other)
        return None

    def keep(self, row: int, text: str) -> None:
        """Remember the text that `find` looked for last: its row stays."""
        if self._looked_at is not None:
            self._lsh.insert(row, self._looked_at)
            self._texts[row] = text


def shingles_of(text: str) -> set[str]:
    """Return all runs of three words; of a shorter text all of it, and of one without words nothing."""
    words = words_of_text(text)
    return {" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))} if words else set()


def likeness(one: set[str], other: set[str]) -> float:
    """Return the Jaccard similarity, from 0 to 1."""
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _bands(threshold: float) -> int:
    """Return the least number of bands that finds nearly all pairs at the threshold; more bands make more candidates."""
    sizes = [bands for bands in range(1, _PERMUTATIONS + 1) if _PERMUTATIONS % bands == 0]
    return next(bands for bands in sizes if 1 - (1 - threshold ** (_PERMUTATIONS // bands)) ** bands >= _FOUND)
