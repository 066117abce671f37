"""Exact duplicates among any number of rows, found by sorting 128-bit hashes in partitions that fit into memory.

Two of n different rows share a hash with a chance of about n² / 2¹²⁹: 10⁻²¹ for 10⁹ rows. A row takes the 16 bytes of its hash,
in memory up to a million rows, beyond that on disk. What is found are the hashes that several rows have, some 200 bytes of
memory each; which of these rows come first is seen when all are gone through in order.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

from generator.core.files import open_regular

WIDTH = 16
"""Bytes of a hash."""
PARTITION_ROWS = 1 << 16
"""Rows that are sorted at once, as objects of some 60 bytes; more for more than 268 million rows."""
IN_MEMORY = 1 << 20
"""Rows whose hashes are held in memory."""
_MOST_PARTITIONS = 4096
_HELD = 1 << 14
"""Bytes that are buffered for each file."""


class Hashes:
    """The hashes of rows, spread by their first bits."""

    def __init__(self, rows: int, partition_rows: int = PARTITION_ROWS, in_memory: int = IN_MEMORY) -> None:
        """Begin with no rows.

        Args:
            rows: How many there will be.
            partition_rows: How many are sorted at once.
            in_memory: How many are held without a disk.
        """
        wanted = -(-rows // partition_rows)
        self._bits = min(max(0, (wanted - 1).bit_length()), _MOST_PARTITIONS.bit_length() - 1)
        self._waiting = [bytearray() for _ in range(1 << self._bits)]
        self._folder = tempfile.TemporaryDirectory(prefix="generator-") if rows > in_memory else None

    def add(self, hashes: bytes) -> None:
        """Add the hashes of some rows, which stand one after the other."""
        for at in range(0, len(hashes), WIDTH):
            place = int.from_bytes(hashes[at : at + 2], "big") >> 16 - self._bits
            waiting = self._waiting[place]
            waiting += hashes[at : at + WIDTH]
            if self._folder is not None and len(waiting) >= _HELD:
                self._spill(self._folder, place)

    def repeated(self) -> set[bytes]:
        """Return the hashes that were added more than once; ends the search."""
        found: set[bytes] = set()
        for place, waiting in enumerate(self._waiting):
            data = bytes(waiting)
            if self._folder is not None:
                self._spill(self._folder, place)
                with open_regular(self._path(self._folder, place)) as spilled:
                    data = spilled.read()
            waiting.clear()
            found.update(_repeated(data))
        if self._folder is not None:
            self._folder.cleanup()
        return found

    def _spill(self, folder: "tempfile.TemporaryDirectory[str]", place: int) -> None:
        with self._path(folder, place).open("ab") as file:
            file.write(self._waiting[place])
        self._waiting[place].clear()

    def _path(self, folder: "tempfile.TemporaryDirectory[str]", place: int) -> Path:
        return Path(folder.name) / f"{place:04}"


def _repeated(data: bytes) -> set[bytes]:
    return {
        one
        for one, other in pairwise(sorted([data[at : at + WIDTH] for at in range(0, len(data), WIDTH)]))
        if one == other
    }


class KeptRows:
    """The rows that stay of those that are alike, by the hash that these have in common."""

    def __init__(self, repeated: set[bytes]) -> None:
        self._rows: dict[bytes, int | None] = dict.fromkeys(repeated)
        """Hashes that more than one row has; no other needs to be remembered."""

    def find(self, digest: bytes) -> int | None:
        """Return the number of the row that stays with this hash; None for no row yet."""
        return self._rows.get(digest)

    def keep(self, row: int, digest: bytes) -> None:
        """Note that a row stays, unless its hash is that of no other row."""
        if digest in self._rows:
            self._rows[digest] = row
