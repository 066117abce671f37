"""What passes must know of each row, and what they decide about it."""

import sqlite3

import msgspec

from generator.core.conversation import Row, UserMessage, calls_in
from generator.recipe import Recipe
from generator.report.files.contamination import digest_of

WIDTH = 16
"""Bytes of a hash."""


class Hashes:
    """The hashes of rows, in a temporary database, which spills to the disk what does not fit into a few megabytes."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("CREATE TABLE hashes (hash BLOB)")
        self._database.execute("BEGIN")

    def add(self, hashes: bytes) -> None:
        """Add the hashes of some rows, which stand one after the other."""
        each = [(hashes[at : at + WIDTH],) for at in range(0, len(hashes), WIDTH)]
        self._database.executemany("INSERT INTO hashes VALUES (?)", each)

    def repeated(self) -> set[bytes]:
        """Return the hashes that were added more than once; ends the search."""
        rows = self._database.execute("SELECT hash FROM hashes GROUP BY hash HAVING COUNT(*) > 1")
        hashes = {digest for (digest,) in rows}
        self._database.close()
        return hashes


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
    counts: dict[str, dict[str, int]] = {}
    if recipe.dedup is not None:
        looks_for_near = recipe.dedup.near is not None
        kinds = (("row", recipe.dedup.rows), ("request", recipe.dedup.requests), ("near request", looks_for_near))
        counts["dedup"] = {kind: 0 for kind, is_used in kinds if is_used}
    if recipe.max_share:
        counts["max_share"] = {}
    return counts


class FactsOfBlock:
    """Collects the facts of a block while its rows are made, in any order."""

    def __init__(self, recipe: Recipe) -> None:
        self._dedup = recipe.dedup
        self._kinds = tuple([kind for kind, _ in recipe.max_share])
        self._wanted = looks_across(recipe)
        self._found: dict[int, tuple[bytes, bytes, str, tuple[str, ...]]] = {}

    def add(self, index: int, row: Row | None) -> None:
        """Note a row; None is one that could not be made, which is like no other."""
        if self._wanted:
            looks_for_near = self._dedup is not None and self._dedup.near is not None
            self._found[index] = (
                self._digest(index, row, "rows"),
                self._digest(index, row, "requests"),
                said_in(row) if looks_for_near and row is not None else "",
                () if row is None else tuple([name for kind in self._kinds for name in _names_for_shares(row, kind)]),
            )

    def _digest(self, index: int, row: Row | None, what: str) -> bytes:
        """Return the hash by which rows are compared; empty where the recipe does not compare `rows` or `requests`."""
        if self._dedup is None or not getattr(self._dedup, what):
            return b""
        return (-1 - index).to_bytes(WIDTH, "big", signed=True) if row is None else digest_of(row, what)

    def all(self) -> RowFacts | None:
        """Return the facts of all rows in order; None where no pass needs them."""
        if not self._wanted:
            return None
        rows, requests, texts, names = zip(*[self._found[index] for index in sorted(self._found)], strict=True)
        looks_for_near = self._dedup is not None and self._dedup.near is not None
        return RowFacts(
            rows=b"".join(rows),
            requests=b"".join(requests),
            texts=texts if looks_for_near else (),
            names=names if self._kinds else (),
        )


def said_in(row: Row) -> str:
    """Return all that the user says."""
    return "\n".join([message.content for message in row.conversation.messages if isinstance(message, UserMessage)])


def _names_for_shares(row: Row, kind: str) -> list[str]:
    """Return what of a row counts for a share: `tool: get_menu`, `scenario: parallel`, or its tags."""
    if kind == "scenario":
        names = {row.scenario}
    elif kind == "tag":
        names = set(row.tags)
    else:
        names = {call.name for call in calls_in(row.conversation.messages)}
    return [f"{kind}: {name}" for name in sorted(names)]
