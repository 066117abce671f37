"""Which rows of a data set are removed, decided from the facts of all its blocks in order."""

from collections.abc import Callable, Iterator

from generator.recipe import Dedup, Recipe
from generator.run.engine.blocks import Block, BlockRecord, Job, make_block
from generator.run.engine.passes.equal import WIDTH, Hashes, KeptRows
from generator.run.engine.passes.facts import Removed, RowFacts, looks_across
from generator.run.engine.passes.near import NearRows, check_near
from generator.run.engine.passes.shares import Shares
from generator.run.prepared import PreparedRecipe
from generator.run.preparing.faults import with_lines

Records = Callable[[], Iterator[BlockRecord]]
"""Yields the records of all blocks, in order."""


def check_passes(recipe: Recipe) -> None:
    """Raise RecipeError when a pass cannot handle so many rows, or lacks a package."""
    if recipe.dedup is not None and recipe.dedup.near is not None:
        with with_lines(recipe, ("dedup", "near")):
            check_near(recipe.rows)


def removed_rows(recipe: Recipe, records: Records) -> dict[int, Removed]:
    """Return the rows that are removed, by index.

    In index order a row is held against those that stay: so for every row that is removed as a duplicate there is one that stays.
    """
    dedup = recipe.dedup or Dedup(rows=False, requests=False)
    rows, requests = (
        _repeated(recipe.rows, records) if dedup.rows or dedup.requests else (KeptRows(set()), KeptRows(set()))
    )
    near = None if dedup.near is None else NearRows(dedup.near)
    shares = Shares(recipe.max_share)
    removed: dict[int, Removed] = {}
    for index, row, request, text, names in _rows(records):
        if (like := rows.find(row)) is not None:
            removed[index] = Removed(index, "row", like)
        elif (like := requests.find(request)) is not None:
            removed[index] = Removed(index, "request", like)
        elif near is not None and (like := near.find(text)) is not None:
            removed[index] = Removed(index, "near request", like)
        elif (name := shares.find(names)) is not None:
            removed[index] = Removed(index, name)
        else:
            rows.keep(index, row)
            requests.keep(index, request)
            if near is not None:
                near.keep(index, text)
    return removed


def _repeated(count: int, records: Records) -> tuple[KeptRows, KeptRows]:
    """Return what notes the rows that stay, for the hashes of rows and of requests that occur several times."""
    rows, requests = Hashes(count), Hashes(count)
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
            place = slice(at * WIDTH, (at + 1) * WIDTH)
            text = facts.texts[at] if facts.texts else ""
            yield index, facts.rows[place], facts.requests[place], text, facts.names[at] if facts.names else ()


class Passes:
    """Removes rows when the blocks are joined."""

    def __init__(self, prepared: PreparedRecipe, removed: dict[int, Removed]) -> None:
        self._prepared = prepared
        self._removed = removed

    def again(self, record: BlockRecord) -> Block | None:
        """Return the block without the removed rows, if it must be made again for that; None otherwise."""
        rows = range(record.start, record.stop)
        without = tuple([self._removed[row] for row in rows if row in self._removed])
        return None if record.without == without else Block(record.start, record.stop, without)

    def settle(self, job: Job, record: BlockRecord) -> BlockRecord:
        """Return the record of the block without the removed rows; the block is written again if it held any."""
        block = self.again(record)
        return record if block is None else make_block(job, block, self._prepared)


__all__ = ["Passes", "Records", "check_passes", "looks_across", "removed_rows"]
