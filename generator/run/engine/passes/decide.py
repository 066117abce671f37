"""Which rows of a data set are removed, decided from the facts of all its blocks in order."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from generator.core.errors import RecipeError, RowError, installing
from generator.recipe import Recipe
from generator.recipe.settings import Dedup
from generator.report.rows import words_of_text
from generator.run.engine.blocks import Block, BlockRecord
from generator.run.engine.passes.facts import WIDTH, Hashes, KeptRows, Removed, RowFacts
from generator.run.prepared import with_lines


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


MOST_ROWS = 5_000_000
_PERMUTATIONS = 120
_SHINGLE = 3
_FOUND = 0.98
"""Share of the pairs at the threshold that become candidates; of more similar pairs nearly all do."""
_SEED = 42


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
        """Remember a row that stays, by the text that `find` looked for last."""
        if self._looked_at is not None:
            self._lsh.insert(row, self._looked_at)
            self._texts[row] = text


def shingles_of(text: str) -> set[str]:
    """Return all runs of three words; of a shorter text all of it, and of one without words nothing."""
    words = words_of_text(text)
    return {" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))} if words else set()


def likeness(first: set[str], second: set[str]) -> float:
    """Return the Jaccard similarity of two sets of shingles, from 0 to 1."""
    common = len(first & second)
    return common / (len(first) + len(second) - common)


def _bands(threshold: float) -> int:
    """Return the least number of bands that finds nearly all pairs at the threshold; more bands make more candidates."""
    sizes = [bands for bands in range(1, _PERMUTATIONS + 1) if _PERMUTATIONS % bands == 0]
    return next(bands for bands in sizes if 1 - (1 - threshold ** (_PERMUTATIONS // bands)) ** bands >= _FOUND)


Records = Callable[[], Iterator[BlockRecord]]
"""Yields the records of all blocks, in order."""


def check_passes(recipe: Recipe) -> None:
    """Raise RecipeError when `dedup: {near: …}` lacks its package, or is for more rows than memory holds."""
    if recipe.dedup is None or recipe.dedup.near is None:
        return
    with with_lines(recipe, ("dedup", "near")):
        if recipe.rows > MOST_ROWS:
            raise RecipeError(
                f"{recipe.rows:,} rows are too many, {MOST_ROWS:,} are the most, which take about 12 GB of memory here\n"
                "Leave out `near` and give the finished files to a tool that spreads MinHash over machines (datatrove, NeMo Curator)."
            )
        if find_spec("rensa") is None:
            raise RecipeError(f"needs the package rensa: {installing('dedup')}")


def removed_rows(recipe: Recipe, records: Records) -> dict[int, Removed]:
    """Return the rows that are removed, by index.

    In index order a row is held against those that stay: so for every row that is removed as a duplicate there is one that stays.
    """
    dedup = recipe.dedup or Dedup(rows=False, requests=False)
    rows, requests = _repeated(records) if dedup.rows or dedup.requests else (KeptRows(set()), KeptRows(set()))
    near_rows = None if dedup.near is None else NearRows(dedup.near)
    shares = Shares(recipe.max_share)
    removed: dict[int, Removed] = {}
    for index, row, request, text, names in _rows(records):
        if (like := rows.find(row)) is not None:
            removed[index] = Removed(index, "row", like)
        elif (like := requests.find(request)) is not None:
            removed[index] = Removed(index, "request", like)
        elif near_rows is not None and (like := near_rows.find(text)) is not None:
            removed[index] = Removed(index, "near request", like)
        elif (name := shares.find(names)) is not None:
            removed[index] = Removed(index, name)
        else:
            rows.keep(index, row)
            requests.keep(index, request)
            if near_rows is not None:
                near_rows.keep(index, text)
    return removed


def _repeated(records: Records) -> tuple[KeptRows, KeptRows]:
    """Return what notes the rows that stay, for the hashes of rows and of requests that occur several times."""
    rows, requests = Hashes(), Hashes()
    for record in records():
        facts = record.facts or RowFacts()
        rows.add(facts.rows)
        requests.add(facts.requests)
    return KeptRows(rows.repeated()), KeptRows(requests.repeated())


def _rows(records: Records) -> Iterator[tuple[int, bytes, bytes, str, tuple[str, ...]]]:
    """Yield index, hash, hash of the request, text of the request and names of every row; what no pass needs is empty."""
    for record in records():
        facts = record.facts or RowFacts()
        for at, index in enumerate(range(record.start, record.stop)):
            hash_slice = slice(at * WIDTH, (at + 1) * WIDTH)
            text = facts.texts[at] if facts.texts else ""
            yield (
                index,
                facts.rows[hash_slice],
                facts.requests[hash_slice],
                text,
                facts.names[at] if facts.names else (),
            )


def block_without(record: BlockRecord, removed: Mapping[int, Removed]) -> Block | None:
    """Return the block of a record without the removed rows, if it must be made again for that; None otherwise."""
    without = tuple([removed[row] for row in range(record.start, record.stop) if row in removed])
    return None if record.without == without else Block(record.start, record.stop, without)


MOST_REMADE = 50
"""How often rows of a block are made anew."""


class Unique:
    """The keys of all rows so far, about 100 bytes for each; rows that are like earlier ones are made anew."""

    def __init__(self, what: str, remake: Callable[[Block], BlockRecord]) -> None:
        """Begin with no rows.

        Args:
            what: The key of the recipe: `calls`, `requests` or the like must be unique.
            remake: Makes a block anew.
        """
        self._what = what
        self._remake = remake
        self._seen: set[int] = set()

    def keep(self, keys: Iterable[int]) -> None:
        """Note rows that are there already."""
        self._seen.update(keys)

    def settle(self, record: BlockRecord) -> BlockRecord:
        """Return the block with rows that are unlike each other and all before; it is written anew where some were not.

        Raises:
            RowError: when the tools and values do not allow as many different rows.
        """
        again: dict[int, int] = {}
        for _ in range(MOST_REMADE):
            alike = self._repeated_rows(record)
            if not alike:
                self._seen.update(record.keys)
                return record
            again |= {index: again.get(index, 0) + 1 for index in alike}
            record = self._remake(Block(record.start, record.stop, again=tuple(again.items())))
        raise RowError(
            f"row {min(alike)}: no row with other {self._what} than those before could be made (unique: {self._what})"
        )

    def _repeated_rows(self, record: BlockRecord) -> list[int]:
        """Return the indexes of the rows of a block whose key an earlier row of the run has."""
        repeated: list[int] = []
        keys_of_block: set[int] = set()
        for index, key in enumerate(record.keys, record.start):
            if key in self._seen or key in keys_of_block:
                repeated.append(index)
            keys_of_block.add(key)
        return repeated
