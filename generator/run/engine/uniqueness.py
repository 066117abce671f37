"""No two rows alike: blocks are looked at in order, and rows that were there before are made anew.

A block knows nothing of the others, so this is done where blocks come together, in their order: what comes out does not
depend on how many processes made them.
"""

from collections.abc import Callable, Iterable

from generator.core.errors import RowError
from generator.run.engine.blocks import Block, BlockRecord, Job

_TRIES = 50
"""How often rows of a block are made anew."""


class Unique:
    """The keys of all rows so far, about 100 bytes for each.

    Args:
        remake: Makes a block anew.
    """

    def __init__(self, remake: Callable[[Block], BlockRecord]) -> None:
        self._remake = remake
        self._seen: set[int] = set()

    def keep(self, keys: Iterable[int]) -> None:
        """Note rows that are there already."""
        self._seen.update(keys)

    def settle(self, job: Job, record: BlockRecord) -> BlockRecord:
        """Return the block with rows that are unlike each other and all before; it is written anew where some were not.

        Raises:
            RowError: when the tools and values do not allow as many different rows.
        """
        again: dict[int, int] = {}
        for _ in range(_TRIES):
            alike = self._alike(record)
            if not alike:
                self._seen.update(record.keys)
                return record
            again |= {index: again.get(index, 0) + 1 for index in alike}
            record = self._remake(Block(record.start, record.stop, again=tuple(again.items())))
        what = job.recipe.unique
        raise RowError(f"row {min(alike)}: no row with other {what} than those before could be made (unique: {what})")

    def _alike(self, record: BlockRecord) -> list[int]:
        """Return indexes of the rows that are like one before them."""
        found: list[int] = []
        here: set[int] = set()
        for index, key in enumerate(record.keys, record.start):
            if key in self._seen or key in here:
                found.append(index)
            here.add(key)
        return found
