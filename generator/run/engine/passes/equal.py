"""Exact duplicates among any number of rows, found by sorting 128-bit hashes in partitions that fit into memory.

Two of n different rows share a hash with a chance of about n² / 2¹²⁹: 10⁻²⁰ for 10⁹ rows. Up to a million rows are sorted in
memory, about 100 bytes for each; more are spread over files by their first bits, 24 bytes for each row, and sorted one file
after the other. Beside that only duplicates take memory, about 200 bytes each.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

WIDTH = 16
"""Bytes of a hash."""
_ROW = WIDTH + 8
PARTITION_ROWS = 1 << 20
_MOST_PARTITIONS = 4096
_HELD = 1 << 16
"""Bytes that are buffered for each file."""


class EqualRows:
    """Finds rows with equal hashes."""

    def __init__(self, rows: int, partition_rows: int = PARTITION_ROWS) -> None:
        """Begin with no rows.

        Args:
            rows: How many there will be.
            partition_rows: How many are sorted at once.
        """
        wanted = -(-rows // partition_rows)
        self._bits = min(max(0, (wanted - 1).bit_length()), _MOST_PARTITIONS.bit_length() - 1)
        self._waiting = [bytearray() for _ in range(1 << self._bits)]
        self._folder = tempfile.TemporaryDirectory(prefix="generator-") if self._bits else None

    def add(self, start: int, hashes: bytes) -> None:
        """Add the hashes of the rows from `start` on."""
        for at in range(0, len(hashes), WIDTH):
            found = hashes[at : at + WIDTH]
            place = int.from_bytes(found[:2], "big") >> 16 - self._bits
            waiting = self._waiting[place]
            waiting += found + (start + at // WIDTH).to_bytes(8, "big")
            if self._folder is not None and len(waiting) >= _HELD:
                self._spill(place)

    def duplicates(self) -> Iterator[tuple[int, int]]:
        """Yield (row, first row with the same hash) for all rows that have such a one, in no order; ends the search."""
        for place in range(len(self._waiting)):
            if self._folder is not None:
                self._spill(place)
                data = self._path(place).read_bytes()
            else:
                data = bytes(self._waiting[place])
            yield from _repeats(data)
        if self._folder is not None:
            self._folder.cleanup()

    def _spill(self, place: int) -> None:
        with self._path(place).open("ab") as file:
            file.write(self._waiting[place])
        self._waiting[place].clear()

    def _path(self, place: int) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / f"{place:04}"


def _repeats(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield rows that equal the one before them when all are sorted; equal hashes stand in index order."""
    before, first = b"", 0
    for entry in sorted([data[at : at + _ROW] for at in range(0, len(data), _ROW)]):
        index = int.from_bytes(entry[WIDTH:], "big")
        if entry[:WIDTH] == before:
            yield index, first
        else:
            before, first = entry[:WIDTH], index
