"""The entities of one conversation."""

from collections.abc import Iterable, Iterator
from datetime import date
from hashlib import blake2b
from itertools import count
from typing import Any

import orjson

from generator.core.errors import CannotFillError
from generator.world.expressions import EVERY, FAULTS, RELATED, ReadableNames
from generator.world.functions import MissingError, minutes_of
from generator.world.making import CallDraw
from generator.world.state.population import EntityFields, EntityKind, Population


class Members:
    """The entities of one kind, and what another one of them must differ from."""

    __slots__ = ("_busy", "by_key", "kind", "names", "used")

    def __init__(self, kind: EntityKind, used: set[int]) -> None:
        self.kind = kind
        self.used = used
        """Places of the pool from which they are."""
        self.by_key: dict[Any, EntityFields] = {}
        self.names: set[Any] = set()
        """Their values in the first field by which people name one."""
        self._busy: dict[Any, list[tuple[int, int]]] | None = {} if kind.entity.one_at_a_time else None

    def add(self, fields: EntityFields) -> None:
        """Add one, or put it in the place of the one with its key."""
        key = fields[self.kind.entity.key]
        is_new, self.by_key[key] = key not in self.by_key, fields
        if is_new and self.kind.told_by is not None:
            self.names.add(self.kind.name_of(fields))
        if is_new and self._busy is not None:
            day, start, end = self._time(fields)
            self._busy.setdefault(day, []).append((start, end))

    def is_free(self, fields: EntityFields) -> bool:
        """Whether no other has its key, where that follows from other fields, or is named alike, or is at the same time, where there is one at a time."""
        kind = self.kind
        if kind.key_formula is not None and fields[kind.entity.key] in self.by_key:
            return False
        for named in kind.apart:
            own = [fields[field] for field in named]
            if any([other[field] for field in named] == own for other in self.by_key.values()):
                return False
        if self._busy is None:
            return True
        day, start, end = self._time(fields)
        return not any(start < after and before < end for before, after in self._busy.get(day, ()))

    def may_begin(self, fields: EntityFields) -> bool:
        """Whether one may be there at the start beside those that are, where not all may."""
        kind = self.kind
        if kind.are_once and kind.name_of(fields) in self.names:
            return False
        return (kind.key_formula is None and not kind.apart) or self.is_free(fields)

    def copy(self) -> "Members":
        """Return an independent copy, to which nothing will be added."""
        other = Members(self.kind, self.used)
        other.by_key, other.names, other._busy = dict(self.by_key), self.names, self._busy
        return other

    def _time(self, fields: EntityFields) -> tuple[Any, int, int]:
        """Return the day of one, and the minutes after midnight at which it begins and ends."""
        on, start, minutes = self.kind.entity.one_at_a_time or ("", "", "")
        begins = minutes_of(fields[start])
        return fields[on], begins, begins + int(fields[minutes])


class State:
    """What exists, by kind and key; a kind is opened when it is first asked for.

    The same seed, salt and day, the same added entities and the same calls give the same state.
    """

    __slots__ = (
        "_crossed",
        "_day",
        "_first",
        "_members",
        "_opening",
        "_population",
        "_salt",
        "_today",
        "added",
        "created",
        "is_open",
        "touched",
    )

    def __init__(self, population: Population, today: date, salt: int) -> None:
        self._population, self._day, self._salt = population, today, salt
        self._today = today.isoformat()
        self._members: dict[str, Members] = {}
        self._first: dict[str, tuple[list[Any], int]] = {}
        self._opening: set[str] = set()
        """Kinds whose first entities are being put together, in order of asking."""
        self._crossed: list[str] = []
        """Open kinds with fields that other entities tell."""
        self.added: list[tuple[str, EntityFields]] = []
        """Entities that were put in before the first call, in order: what a replay needs besides the seed."""
        self.created: dict[bytes, int] = {}
        """How often something was created by the same call."""
        self.touched: set[str] = set()
        """Kinds that calls have been about."""
        self.is_open = True
        """Whether entities may still be put in, since nothing has happened yet."""

    def members(self, title: str) -> Members:
        """Return the entities of a kind."""
        found = self._members.get(title)
        if found is not None:
            return found
        self._opening.add(title)
        found = self._open(title)
        self._opening.discard(title)
        if found.kind.crossed:
            self._crossed.append(title)
        self.refresh()
        return found

    def begin(self) -> None:
        """Begin the conversation: from now on no entity can be added, and what others tell is as they are."""
        if self.is_open:
            self.is_open = False
            self.refresh()

    def refresh(self) -> None:
        """Compute anew what fields tell of other entities; what these tell of further ones follows."""
        if not self._crossed or self._opening:
            return
        self._opening.add("")  # what is opened meanwhile is looked at in the next round
        try:
            for _ in range(_ROUNDS):
                if not [title for title in sorted(self._crossed) if self._compute_from_others(self._members[title])]:
                    break
        finally:
            self._opening.discard("")

    def _compute_from_others(self, members: Members) -> bool:
        """Compute anew what the entities of a kind tell of others; return whether something is not as it was."""
        changed = False
        for key, fields in list(members.by_key.items()):
            now = {
                field: value for field, value in self._told_by_others(members.kind, fields) if fields[field] != value
            }
            if now:
                members.by_key[key], changed = {**fields, **now}, True
        return changed

    def _told_by_others(self, kind: EntityKind, fields: EntityFields) -> Iterator[tuple[str, Any]]:
        """Yield the fields that other entities tell, with their values as these are now."""
        names = self.names(fields)
        for field, expression, _ in kind.crossed:
            try:
                names[field] = found = expression(names)
            except FAULTS:
                continue
            yield field, found

    def names(self, fields: EntityFields) -> ReadableNames:
        """Return what formulas of an entity read."""
        names = ReadableNames(fields, today=self._today)
        names[RELATED], names[EVERY] = self._find_for_formula, self._every_for_formula
        return names

    def agrees(self, kind: EntityKind, fields: EntityFields, known: EntityFields) -> bool:
        """Whether the known values that other entities tell are what these tell."""
        held = [field for field, _, _ in kind.crossed if field in known]
        told = dict(self._told_by_others(kind, {**fields, **known})) if held else {}
        return all(field in told and told[field] == known[field] for field in held)

    def all(self, title: str) -> dict[Any, EntityFields]:
        """Return the entities of a kind, by key."""
        return self.members(title).by_key

    def find(self, title: str, key: Any) -> EntityFields | None:
        """Return the entity of a kind with a key."""
        return self.members(title).by_key.get(key)

    def every(self, title: str) -> Iterable[EntityFields]:
        """Return all entities of a kind."""
        return self.members(title).by_key.values()

    def _find_for_formula(self, title: str, key: Any) -> EntityFields | None:
        """Return an entity that a formula of another one looks up; MissingError where its kind is being opened because of this one."""
        return self._members_for_formula(title).by_key.get(key)

    def _every_for_formula(self, title: str) -> Iterable[EntityFields]:
        """Return all entities of a kind for a formula of another one: `count(orders, …)`."""
        return self._members_for_formula(title).by_key.values()

    def _members_for_formula(self, title: str) -> Members:
        """Return the entities of a kind that a formula reads; MissingError where that kind is being opened just now."""
        if title in self._opening:
            raise MissingError(title)
        return self.members(title)

    def kind(self, title: str) -> EntityKind:
        """Return the kind of entity with that title."""
        return self._population.kinds[title]

    def put(self, title: str, fields: EntityFields) -> None:
        """Add an entity, or put it in the place of the one with its key, before anything has happened."""
        if not self.is_open:
            raise CannotFillError("entities can be added before the first event only")
        self.members(title).add(fields)
        self.added.append((title, fields))

    def restore(self, added: list[tuple[str, EntityFields]]) -> None:
        """Put in what was added to the state that this one repeats."""
        for title, fields in added:
            self.put(title, fields)
        self.begin()

    def at(self, members: Members, place: int, known: EntityFields) -> EntityFields:
        """Return the entity at a place of the pool with the fields that are known; without a key, unless that follows from them."""
        kind = members.kind
        fields = self._copy_from_pool(kind, place)
        if kind.fresh or kind.parts:
            kind.number(fields, self._first_number(kind) + len(kind.pool) + place, self._today)
        if known:
            changed = {name for name, value in known.items() if fields[name] != value}
            fields.update(known)
            if changed and kind.computed:
                fields = self.computed(kind, fields, changed)
        for field, other in kind.references:
            if field not in known:
                keys = list(self.members(other).by_key)
                if kind.crossed:  # those with which the others tell what is known, if there are such
                    keys = [key for key in keys if self.agrees(kind, {**fields, field: key}, known)] or keys
                fields[field] = keys[place % len(keys)] if keys else None
        if kind.key_formula is not None and kind.entity.key not in known:
            fields[kind.entity.key] = kind.key_of(fields, self.names({}))
        return fields

    def _copy_from_pool(self, kind: EntityKind, place: int) -> EntityFields:
        """Return a copy of one from the pool, with its dates moved to the day and with what follows from them."""
        fields = kind.copy(place, self._day.toordinal())
        return self.computed(kind, fields, {*kind.dated}) if kind.dated else fields

    def _first_number(self, kind: EntityKind) -> int:
        """Return the number from which on entities of a kind have numbers of their own in this conversation."""
        return mixed(self._salt ^ kind.mark ^ _FRESH) >> 24

    def take(self, members: Members, place: int, fields: EntityFields) -> EntityFields:
        """Put in the entity of a place of the pool under a new key."""
        kind = members.kind
        if fields[kind.entity.key] is None:
            fields[kind.entity.key] = self.new_key(kind, f"added{len(self.added)}".encode())
        if kind.late:
            fields = self.computed(kind, fields, set(kind.late))
        members.used.add(place)
        self.put(kind.title, fields)
        return fields

    def new_key(self, kind: EntityKind, address: bytes) -> Any:
        """Return a key that is not in use, which depends on the address."""
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.mark.to_bytes(8, "big")
        )
        number = int.from_bytes(digest.digest(), "big")
        return kind.new_key(number, self.members(kind.title).by_key, self._population.draw, self._day)

    def make(self, kind: EntityKind, known: EntityFields, address: bytes) -> EntityFields:
        """Return a new entity with these fields, which depends on the address."""
        draw, own = self._population.draw, kind.entity.key
        if kind.key_formula is not None and own in known:  # what has that name already says the rest
            known = {**kind.named(known[own]), **known}
        is_computed = kind.key_formula is not None and own not in known
        key = known[own] if own in known else self.new_key(kind, address)
        for field, other in kind.references:
            if field not in known:
                keys = list(self.all(other)) if other != kind.title else []  # it is at the top of its own kind
                known[field] = keys[kind.mark % len(keys)] if keys else None
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.mark.to_bytes(8, "little")
        )
        draw.start(int.from_bytes(digest.digest(), "big"), self._day)
        given = {**_example_like(kind, known, draw), **known}
        draw.take({}, {**given, own: key} if kind.late else given)
        made = {own: key, **kind.make(draw), **known}
        if is_computed and (found := kind.key_of(made, self.names({}))) is not None:
            made[own] = _unused_key(found, self.all(kind.title))
        return self.computed(kind, made, {*kind.late, *known}) if kind.late else made

    def computed(self, kind: EntityKind, fields: EntityFields, changed: set[str]) -> EntityFields:
        """Return the entity with everything computed anew that depends on what was changed."""
        names: ReadableNames | None = None
        for field, expression, reads in kind.computed:
            if field not in changed and not changed.isdisjoint(reads):
                if names is None:
                    names = self.names(fields)
                    fields, changed = {**fields}, {*changed}
                try:
                    found = expression(names)
                except FAULTS:
                    continue
                fields[field] = names[field] = found
                changed.add(field)
        return fields

    def copy(self) -> "State":
        """Return an independent copy."""
        other = State(self._population, self._day, self._salt)
        other._members = {title: members.copy() for title, members in self._members.items()}
        other._first, other._crossed = dict(self._first), list(self._crossed)
        other.added, other.created, other.touched = list(self.added), dict(self.created), set(self.touched)
        other.is_open = self.is_open
        return other

    def digest(self) -> str:
        """Return a digest of all entities of the kinds that calls were about; empty when there were no such calls."""
        if not self.touched:
            return ""
        found = {title: self.all(title) for title in self.touched}
        return blake2b(orjson.dumps(found, option=_SORTED), digest_size=8).hexdigest()

    def _open(self, title: str) -> Members:
        """Open a kind: its entities stand side by side in the pool, from a place that depends on the conversation."""
        kind = self._population.ready(title)
        keys, number = self._keys_at_start(title)
        # where all whole examples are wanted, they are those with which the pool begins
        size = len(keys) if keys and len(keys) == len(kind.entity.examples) else len(kind.pool)
        start, spread = (number >> 4) % size, (number >> 8) % _PRIME
        there: list[Any] = [None]  # one lies within another of its kind that is there already, or at the top
        above = {title: there}
        owners = (
            [(field, above.get(other) or self._first_keys(other)) for field, other in kind.references] if keys else []
        )
        members = self._members[title] = Members(kind, set())
        first = self._first_number(kind) if kind.fresh or kind.parts else None
        are_sifted = kind.are_sifted
        for place, key in enumerate(keys, start):
            fields = self._copy_from_pool(kind, place % size)
            if first is not None:
                kind.number(fields, first + place, self._today)
            fields[kind.entity.key] = key
            for field, others in owners:
                fields[field] = others[spread * (place % size + 3) % _PRIME % len(others)] if others else None
            if kind.key_formula is not None and (found := kind.key_of(fields, self.names({}))) is not None:
                fields[kind.entity.key] = found
            if are_sifted and not members.may_begin(fields):
                continue
            if kind.late:
                fields = self.computed(kind, fields, set(kind.late))
            members.used.add(place % size)
            members.add(fields)
            there.append(fields[kind.entity.key])
        if are_sifted:
            self._first[title] = list(members.by_key), number
        return members

    def _first_keys(self, title: str) -> list[Any]:
        """Return the keys of a kind without added ones; a kind of which not all at the start may be there is opened for it."""
        if self.kind(title).are_sifted:
            self.members(title)
        return self._keys_at_start(title)[0]

    def _keys_at_start(self, title: str) -> tuple[list[Any], int]:
        """Return the keys of a kind without added ones, and the number that all at the start depends on."""
        known = self._first.get(title)
        if known is None:
            kind = self._population.ready(title)
            low, high = kind.entity.count
            number = mixed(self._salt ^ kind.mark)
            size = min(low + number % (high - low + 1), len(kind.pool))
            self._first[title] = known = kind.keys(number >> 20, size, self._population.draw), number
        return known


def _example_like(kind: EntityKind, known: EntityFields, draw: CallDraw) -> EntityFields:
    """Return the fields of a whole example, one with what is known if there is such."""
    told = {name: value for name, value in known.items() if name in kind.together}
    examples = kind.entity.examples
    alike = [one for one in examples if all(one.get(name) == value for name, value in told.items())]
    return draw.choice(alike or examples) if examples else {}


def _unused_key(key: Any, taken: Iterable[Any]) -> Any:
    """Return a key, with a number behind it if there is such a one already."""
    others = {*taken}
    return next(one for at in count(1) if (one := key if at == 1 else f"{key}-{at}") not in others)


def mixed(number: int) -> int:
    """Return a 64-bit hash of a 64-bit number (SplitMix64 by Steele, Lea and Flood)."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


_ROUNDS = 3
"""How far what one entity tells of another follows: the title of the board of a card's list."""
_FRESH = 0x5DEECE66D
_MASK = 2**64 - 1
_PRIME = 1_000_003
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
