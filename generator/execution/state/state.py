"""The entities of one conversation."""

from collections.abc import Iterable
from datetime import date
from hashlib import blake2b
from typing import Any

import orjson

from generator.errors import CannotFillError
from generator.execution.expressions import FAULTS, ReadableNames
from generator.execution.state.population import EntityFields, EntityKind, Population


class State:
    """What exists, by kind and key; a kind is opened when it is first asked for.

    The same seed, salt and day, the same added entities and the same calls give the same state.
    """

    __slots__ = ("_day", "_first", "_kinds", "_population", "_salt", "_used", "added", "created", "is_open", "touched")

    def __init__(self, population: Population, today: date, salt: int) -> None:
        self._population, self._day, self._salt = population, today, salt
        self._kinds: dict[str, dict[Any, EntityFields]] = {}
        self._first: dict[str, tuple[list[Any], int]] = {}
        self._used: dict[str, set[int]] = {}
        self.added: list[tuple[str, EntityFields]] = []
        """Entities that were put in before the first call, in order: what a replay needs besides the seed."""
        self.created: dict[bytes, int] = {}
        """How often something was created by the same call."""
        self.touched: set[str] = set()
        """Kinds that calls have been about."""
        self.is_open = True
        """Whether entities may still be put in, since nothing has happened yet."""

    def all(self, title: str) -> dict[Any, EntityFields]:
        """Return the entities of a kind, by key."""
        found = self._kinds.get(title)
        return self._opened(title) if found is None else found

    def find(self, title: str, key: Any) -> EntityFields | None:
        """Return the entity of a kind with a key."""
        return self.all(title).get(key)

    def every(self, title: str) -> Iterable[EntityFields]:
        """Return all entities of a kind."""
        return self.all(title).values()

    def kind(self, title: str) -> EntityKind:
        """Return the kind of entity with that title."""
        return self._population.kinds[title]

    def put(self, title: str, fields: EntityFields) -> None:
        """Add an entity, or put it in the place of the one with its key, before anything has happened."""
        if not self.is_open:
            raise CannotFillError("entities can be added before the first event only")
        self.all(title)[fields[self.kind(title).entity.key]] = fields
        self.added.append((title, fields))

    def restore(self, added: list[tuple[str, EntityFields]]) -> None:
        """Put in what was added to the state that this one repeats."""
        for title, fields in added:
            self.put(title, fields)
        self.is_open = False

    def candidate(self, title: str, place: int, known: EntityFields) -> EntityFields:
        """Return an entity without a key, with the fields that are known, from a place of the pool."""
        kind = self.kind(title)
        (body,) = kind.copies([place % self.size(title)], self._day.toordinal())
        fields = {**body, **known}
        for field, other in kind.references:
            if field not in known:
                keys = list(self.all(other))
                fields[field] = keys[place % len(keys)] if keys else None
        return self.computed(kind, fields, set(known)) if known and kind.computed else fields

    def place(self, title: str, number: int) -> int:
        """Return a place of the pool from which nothing has been taken yet, from this one on if it is free."""
        used, size = self._used.setdefault(title, set()), self.size(title)
        while number % size in used and len(used) < size:
            number += 1
        return number % size

    def size(self, title: str) -> int:
        """Return how many entities are in the pool."""
        kind = self.kind(title)
        return len(kind.pool or kind.fill(self._population.draw))

    def take(self, title: str, place: int, fields: EntityFields) -> EntityFields:
        """Put in a candidate under a new key."""
        kind = self.kind(title)
        key = kind.entity.key
        if fields[key] is None:
            fields = {**fields, key: self.new_key(kind, f"added{len(self.added)}".encode())}
        self._used.setdefault(title, set()).add(place)
        self.put(title, fields)
        return fields

    def new_key(self, kind: EntityKind, address: bytes) -> Any:
        """Return a key that is not in use, which depends on the address."""
        taken = self.all(kind.title)
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.mark.to_bytes(8, "big")
        )
        for key in kind.new_keys(int.from_bytes(digest.digest(), "big"), self._population.draw, self._day):
            if key not in taken:
                return key
        raise CannotFillError(f"no new key for {kind.title} came up")

    def make(self, kind: EntityKind, known: EntityFields, address: bytes) -> EntityFields:
        """Return a new entity with these fields, which depends on the address."""
        draw = self._population.draw
        key = known[kind.entity.key] if kind.entity.key in known else self.new_key(kind, address)
        for field, other in kind.references:
            if field not in known:
                keys = list(self.all(other))
                known[field] = keys[kind.mark % len(keys)] if keys else None
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.mark.to_bytes(8, "little")
        )
        draw.start(int.from_bytes(digest.digest(), "big"), self._day)
        draw.take({}, known)
        made = kind.make(draw)
        return {kind.entity.key: key, **made, **known}

    def computed(self, kind: EntityKind, fields: EntityFields, changed: set[str]) -> EntityFields:
        """Return the entity with everything computed anew that depends on what was changed."""
        for field, expression, reads in kind.computed:
            if field not in changed and not changed.isdisjoint(reads):
                try:
                    found = expression(ReadableNames(fields, today=self._day.isoformat()))
                except FAULTS:
                    continue
                fields, changed = {**fields, field: found}, {*changed, field}
        return fields

    def copy(self) -> "State":
        """Return an independent copy."""
        other = State(self._population, self._day, self._salt)
        other._kinds = {title: dict(found) for title, found in self._kinds.items()}
        other._first = dict(self._first)
        other._used = {title: set(found) for title, found in self._used.items()}
        other.added, other.created, other.touched = list(self.added), dict(self.created), set(self.touched)
        other.is_open = self.is_open
        return other

    def digest(self) -> str:
        """Return a digest of all entities of the kinds that calls were about; empty when there were no such calls."""
        if not self.touched:
            return ""
        found = {title: self.all(title) for title in self.touched}
        return blake2b(orjson.dumps(found, option=_SORTED), digest_size=8).hexdigest()

    def _opened(self, title: str) -> dict[Any, EntityFields]:
        """Open a kind: its entities stand side by side in the pool, from a place that depends on the conversation."""
        kind, size, today = self._population.kinds[title], self.size(title), self._day.toordinal()
        keys, number = self._keys_at_start(title)
        start, spread = (number >> 4) % size, (number >> 8) % _PRIME
        places = [at % size for at in range(start, start + len(keys))]
        copies = kind.copies(places, today)
        owners = [(field, self._keys_at_start(other)[0]) for field, other in kind.references] if keys else []
        for place, (key, fields) in enumerate(zip(keys, copies, strict=True)):
            fields[kind.entity.key] = key
            for field, others in owners:
                fields[field] = others[spread * (place + 3) % _PRIME % len(others)] if others else None
        self._used[title] = set(places)
        self._kinds[title] = found = dict(zip(keys, copies, strict=True))
        return found

    def _keys_at_start(self, title: str) -> tuple[list[Any], int]:
        """Return the keys of a kind without added ones, and the number that all at the start depends on."""
        known = self._first.get(title)
        if known is None:
            kind = self._population.kinds[title]
            low, high = kind.entity.count
            number = _mixed(self._salt ^ kind.mark)
            count = min(low + number % (high - low + 1), self.size(title))
            self._first[title] = known = kind.keys(number >> 20, count, self._population.draw), number
        return known


def _mixed(number: int) -> int:
    """Return a 64-bit hash of a 64-bit number (SplitMix64 by Steele, Lea and Flood)."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


_MASK = 2**64 - 1
_PRIME = 1_000_003
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
