"""What passes must know of each row, and what they decide about it."""

import tempfile
from itertools import pairwise
from pathlib import Path

import msgspec

from generator.core.conversation import AssistantMessage, Row, UserMessage
from generator.core.files import open_regular
from generator.recipe import Recipe
from generator.report.files.contamination import digest_of

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


class Removed(msgspec.Struct, frozen=True):
    """A row that a pass removes."""

    row: int
    why: str
    """`row`, `request`, `near request`, or what there would be too much of, such as `tool: get_menu`."""
    like: int | None = None
    """The row that stays which it is like; None for a share."""

    @property
    def key(self) -> str:
        """The key of the recipe that asks for it."""
        return "max_share" if self.like is None else "dedup"


class RowFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of the rows of a block, in order, including removed rows. What no pass needs is empty."""

    rows: bytes = b""
    """16 bytes for each row: a hash of all that makes two rows the same."""
    requests: bytes = b""
    """16 bytes for each row: a hash of what the user says."""
    texts: tuple[str, ...] = ()
    """What the user says in each row."""
    names: tuple[tuple[str, ...], ...] = ()
    """What the shares count in each row: `tool: get_menu`, `scenario: parallel`, `tag: …`."""


def looks_across(recipe: Recipe) -> bool:
    """Whether a pass of the recipe may remove rows because of other rows."""
    return recipe.dedup is not None or bool(recipe.max_share)


def nothing_removed(recipe: Recipe) -> dict[str, dict[str, int]]:
    """Return the counts of removed rows to begin with: 0 for all that rows may be like, and a place for those beyond a share."""
    found: dict[str, dict[str, int]] = {}
    if recipe.dedup is not None:
        near = recipe.dedup.near is not None
        kinds = (("row", recipe.dedup.rows), ("request", recipe.dedup.requests), ("near request", near))
        found["dedup"] = {kind: 0 for kind, wanted in kinds if wanted}
    if recipe.max_share:
        found["max_share"] = {}
    return found


class FactsOfBlock:
    """Collects the facts of a block while its rows are made, in any order."""

    def __init__(self, recipe: Recipe) -> None:
        self._dedup = recipe.dedup
        self._kinds = tuple([kind for kind, _ in recipe.max_share])
        self._wanted = looks_across(recipe)
        self._found: dict[int, tuple[bytes, bytes, str, tuple[str, ...]]] = {}

    def add(self, row: Row) -> None:
        """Note a row."""
        if not self._wanted:
            return
        dedup = self._dedup
        self._found[row.index] = (
            digest_of(row, "rows") if dedup is not None and dedup.rows else b"",
            digest_of(row, "requests") if dedup is not None and dedup.requests else b"",
            said_in(row) if dedup is not None and dedup.near is not None else "",
            tuple([name for kind in self._kinds for name in _names(row, kind)]),
        )

    def add_nothing(self, index: int) -> None:
        """Note a row that could not be made, which is like no other."""
        if self._wanted:
            nothing, dedup = (-1 - index).to_bytes(WIDTH, "big", signed=True), self._dedup
            self._found[index] = (
                nothing if dedup is not None and dedup.rows else b"",
                nothing if dedup is not None and dedup.requests else b"",
                "",
                (),
            )

    def all(self) -> RowFacts | None:
        """Return the facts of all rows in order; None where no pass needs them."""
        if not self._wanted:
            return None
        rows, requests, texts, names = zip(*[self._found[index] for index in sorted(self._found)], strict=True)
        near = self._dedup is not None and self._dedup.near is not None
        return RowFacts(
            rows=b"".join(rows),
            requests=b"".join(requests),
            texts=texts if near else (),
            names=names if self._kinds else (),
        )


def said_in(row: Row) -> str:
    """Return all that the user says."""
    return "\n".join([message.content for message in row.conversation.messages if isinstance(message, UserMessage)])


def _names(row: Row, kind: str) -> list[str]:
    if kind == "scenario":
        found = {row.scenario}
    elif kind == "tag":
        found = set(row.tags)
    else:
        messages = row.conversation.messages
        found = {call.name for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls}
    return [f"{kind}: {name}" for name in sorted(found)]
