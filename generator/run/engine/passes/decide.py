"""Which rows of a data set are removed, decided from the facts of all its blocks in order."""

from collections.abc import Callable, Iterator

from generator.recipe import Recipe
from generator.run.engine.blocks import Block, BlockRecord, Job, make_block
from generator.run.engine.passes.equal import EqualRows
from generator.run.engine.passes.facts import Removed, RowFacts, looks_across
from generator.run.engine.passes.near import NearRows, check_near
from generator.run.engine.passes.shares import Shares
from generator.run.prepared import PreparedRecipe

Records = Callable[[], Iterator[BlockRecord]]
"""Yields the records of all blocks, in order."""


def check_passes(recipe: Recipe) -> None:
    """Raise OutputError when a pass cannot handle so many rows, or lacks a package."""
    if recipe.dedup is not None and recipe.dedup.near is not None:
        check_near(recipe.rows)


def removed_rows(recipe: Recipe, records: Records) -> dict[int, Removed]:
    """Return the rows that are removed, by index."""
    removed: dict[int, Removed] = {}
    if recipe.dedup is not None and (recipe.dedup.rows or recipe.dedup.requests):
        _remove_equal(recipe.rows, records, removed)
    near = None if recipe.dedup is None or recipe.dedup.near is None else NearRows(recipe.dedup.near)
    shares = Shares(recipe.max_share) if recipe.max_share else None
    if near is None and shares is None:
        return removed
    for index, text, names in _rows(records):
        if index in removed:
            continue
        like = near.find(text) if near is not None else None
        if like is not None:
            removed[index] = Removed(index, "near request", like)
        elif shares is not None and (name := shares.find(names)) is not None:
            removed[index] = Removed(index, name)
        elif near is not None:
            near.keep(index, text)
    return removed


def _remove_equal(count: int, records: Records, removed: dict[int, Removed]) -> None:
    rows, requests = EqualRows(count), EqualRows(count)
    for record in records():
        facts = record.facts or RowFacts()
        rows.add(record.start, facts.rows)
        requests.add(record.start, facts.requests)
    for why, found in (("row", rows), ("request", requests)):
        for index, like in found.duplicates():
            removed.setdefault(index, Removed(index, why, like))


def _rows(records: Records) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for record in records():
        facts = record.facts or RowFacts()
        for at, index in enumerate(range(record.start, record.stop)):
            yield index, facts.texts[at] if facts.texts else "", facts.names[at] if facts.names else ()


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
