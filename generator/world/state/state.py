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
        """Begin without entities; those to come are from none of the `used` places of the pool."""
        self.kind = kind
        self.used = used
        """Places of the pool from which they are."""
        self.by_key: dict[Any, EntityFields] = {}
        self.names: set[Any] = set()
        """Their values in the first field by which people name one."""
        self._busy: dict[Any, list[tuple[int, int]]] | None = {} if kind.entity.one_at_a_time else None

    def add(self, fields: EntityFields) -> None:
        """Add an entity, or put it in the place of the one with its key."""
        key = fields[self.kind.entity.key]
        is_new, self.by_key[key] = key not in self.by_key, fields
        if is_new and self.kind.name_field is not None:
            self.names.add(self.kind.name_of(fields))
        if is_new and self._busy is not None:
            day, start, end = self._time(fields)
            self._busy.setdefault(day, []).append((start, end))

    def is_free(self, fields: EntityFields) -> bool:
        """Whether an entity may be added: no other has its key (if computed), the same fields that must differ, or its time (if one at a time)."""
        kind = self.kind
        if kind.key_formula is not None and fields[kind.entity.key] in self.by_key:
            return False
        for fields_together in kind.distinct_fields:
            values = [fields[field] for field in fields_together]
            if any([entity[field] for field in fields_together] == values for entity in self.by_key.values()):
                return False
        if self._busy is None:
            return True
        day, start, end = self._time(fields)
        return not any(start < after and before < end for before, after in self._busy.get(day, ()))

    def may_start_with(self, fields: EntityFields) -> bool:
        """Whether an entity may be there at the start beside those added so far: with a name, key and time that none of them has."""
        kind = self.kind
        if kind.are_named_once and kind.name_of(fields) in self.names:
            return False
        return (kind.key_formula is None and not kind.distinct_fields) or self.is_free(fields)

    def copy(self) -> "Members":
        """Return an independent copy, to which nothing will be added."""
        other = Members(self.kind, self.used)
        other.by_key, other.names, other._busy = dict(self.by_key), self.names, self._busy
        return other

    def _time(self, fields: EntityFields) -> tuple[Any, int, int]:
        """Return the day of an entity, and the minutes after midnight at which it begins and ends: `("2026-03-02", 540, 600)`."""
        on, start, minutes = self.kind.entity.one_at_a_time or ("", "", "")
        begins = minutes_of(fields[start])
        return fields[on], begins, begins + int(fields[minutes])


class State:
    """What exists, by kind and key; a kind is opened when it is first asked for.

    The same seed, salt and day, the same added entities and the same calls give the same state.
    """

    __slots__ = (
        "_day",
        "_dependent",
        "_members",
        "_opening",
        "_population",
        "_salt",
        "_start_keys",
        "_today",
        "added",
        "created",
        "is_open",
        "touched",
    )

    def __init__(self, population: Population, today: date, salt: int) -> None:
        """Begin with no kind opened; `salt` sets a conversation's entities apart from those of others."""
        self._population, self._day, self._salt = population, today, salt
        self._today = today.isoformat()
        self._members: dict[str, Members] = {}
        self._start_keys: dict[str, tuple[list[Any], int]] = {}
        self._opening: set[str] = set()
        """Kinds whose first entities are being put together, in order of asking."""
        self._dependent: list[str] = []
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
        members = self._members.get(title)
        if members is not None:
            return members
        self._opening.add(title)
        members = self._open(title)
        self._opening.discard(title)
        if members.kind.from_others:
            self._dependent.append(title)
        self.refresh()
        return members

    def begin(self) -> None:
        """Begin the conversation: from now on no entity can be added, and what others tell is as they are."""
        if self.is_open:
            self.is_open = False
            self.refresh()

    def refresh(self) -> None:
        """Compute anew the fields of open kinds that are computed from other entities, until nothing changes or for a few rounds."""
        if not self._dependent or self._opening:
            return
        self._opening.add("")  # what is opened meanwhile is looked at in the next round
        try:
            for _ in range(_ROUNDS):
                if not [title for title in sorted(self._dependent) if self._compute_from_others(self._members[title])]:
                    break
        finally:
            self._opening.discard("")

    def _compute_from_others(self, members: Members) -> bool:
        """Compute anew the fields of a kind's entities that are computed from others; return whether any value changed."""
        changed = False
        for key, fields in list(members.by_key.items()):
            new = {
                field: value
                for field, value in self._computed_from_others(members.kind, fields)
                if fields[field] != value
            }
            if new:
                members.by_key[key], changed = {**fields, **new}, True
        return changed

    def _computed_from_others(self, kind: EntityKind, fields: EntityFields) -> Iterator[tuple[str, Any]]:
        """Yield (field, value) for the fields of an entity that are computed from others, with the others as they are now."""
        names = self.names(fields)
        for field, expression, _ in kind.from_others:
            try:
                names[field] = value = expression(names)
            except FAULTS:
                continue
            yield field, value

    def names(self, fields: EntityFields) -> ReadableNames:
        """Return what formulas of an entity read: its fields, `today`, and the functions that look up other entities."""
        names = ReadableNames(fields, today=self._today)
        names[RELATED], names[EVERY] = self._find_for_formula, self._every_for_formula
        return names

    def agrees(self, kind: EntityKind, fields: EntityFields, given_fields: EntityFields) -> bool:
        """Whether those of the given values whose fields are computed from other entities are what is computed for them."""
        given_computed = [field for field, _, _ in kind.from_others if field in given_fields]
        computed = dict(self._computed_from_others(kind, {**fields, **given_fields})) if given_computed else {}
        return all(field in computed and computed[field] == given_fields[field] for field in given_computed)

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
        """Add an entity before the first call, or replace the one with its key; a replay restores it from `added`."""
        if not self.is_open:
            raise CannotFillError("entities can be added before the first event only")
        self.members(title).add(fields)
        self.added.append((title, fields))

    def restore(self, added: list[tuple[str, EntityFields]]) -> None:
        """Add the entities that were added to the state which this one repeats, and begin."""
        for title, fields in added:
            self.put(title, fields)
        self.begin()

    def at(self, members: Members, place: int, given_fields: EntityFields) -> EntityFields:
        """Return the entity at a place of the pool with the given fields set and what follows from them; its key is None unless given or computed."""
        kind = members.kind
        fields = self._copy_from_pool(kind, place)
        if kind.numbered_fields or kind.numbered_parts:
            kind.number(fields, self._first_number(kind) + len(kind.pool) + place, self._today)
        if given_fields:
            changed = {name for name, value in given_fields.items() if fields[name] != value}
            fields.update(given_fields)
            if changed and kind.computed:
                fields = self.computed(kind, fields, changed)
        for field, referred in kind.references:
            if field not in given_fields:
                keys = list(self.members(referred).by_key)
                if kind.from_others:  # those with which the others tell what is known, if there are such
                    keys = [key for key in keys if self.agrees(kind, {**fields, field: key}, given_fields)] or keys
                fields[field] = keys[place % len(keys)] if keys else None
        if kind.key_formula is not None and kind.entity.key not in given_fields:
            fields[kind.entity.key] = kind.key_of(fields, self.names({}))
        return fields

    def _copy_from_pool(self, kind: EntityKind, place: int) -> EntityFields:
        """Return a copy of the pool's entity at a place, with its dates moved to the conversation's day and what follows from them."""
        fields = kind.copy(place, self._day.toordinal())
        return self.computed(kind, fields, {*kind.start_dates}) if kind.start_dates else fields

    def _first_number(self, kind: EntityKind) -> int:
        """Return the number from which on entities of a kind have numbers of their own in this conversation."""
        return mixed(self._salt ^ kind.stream ^ _FRESH) >> 24

    def take(self, members: Members, place: int, fields: EntityFields) -> EntityFields:
        """Add the entity of a place of the pool, under a new key if it has none; return it."""
        kind = members.kind
        if fields[kind.entity.key] is None:
            fields[kind.entity.key] = self.new_key(kind, f"added{len(self.added)}".encode())
        if kind.keys_read:
            fields = self.computed(kind, fields, set(kind.keys_read))
        members.used.add(place)
        self.put(kind.title, fields)
        return fields

    def new_key(self, kind: EntityKind, address: bytes) -> Any:
        """Return a key that no entity of the kind has, which depends on an address such as `added0`."""
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.stream.to_bytes(8, "big")
        )
        number = int.from_bytes(digest.digest(), "big")
        return kind.new_key(number, self.members(kind.title).by_key, self._population.draw, self._day)

    def make(self, kind: EntityKind, given_fields: EntityFields, address: bytes) -> EntityFields:
        """Return a new entity for a call that creates one: the given fields, the others drawn from a stream that depends on the address."""
        draw, key_field = self._population.draw, kind.entity.key
        if kind.key_formula is not None and key_field in given_fields:  # what has that name already says the rest
            given_fields = {**kind.fields_with_key(given_fields[key_field]), **given_fields}
        is_computed = kind.key_formula is not None and key_field not in given_fields
        key = given_fields[key_field] if key_field in given_fields else self.new_key(kind, address)
        for field, referred in kind.references:
            if field not in given_fields:
                keys = list(self.all(referred)) if referred != kind.title else []  # it is at the top of its own kind
                given_fields[field] = keys[kind.stream % len(keys)] if keys else None
        digest = blake2b(
            address, digest_size=8, salt=self._salt.to_bytes(8, "big"), person=kind.stream.to_bytes(8, "little")
        )
        draw.start(int.from_bytes(digest.digest(), "big"), self._day)
        drawn_fields = {**_example_like(kind, given_fields, draw), **given_fields}
        draw.take({}, {**drawn_fields, key_field: key} if kind.keys_read else drawn_fields)
        entity = {key_field: key, **kind.make(draw), **given_fields}
        if is_computed and (computed_key := kind.key_of(entity, self.names({}))) is not None:
            entity[key_field] = _unused_key(computed_key, self.all(kind.title))
        return self.computed(kind, entity, {*kind.keys_read, *given_fields}) if kind.keys_read else entity

    def computed(self, kind: EntityKind, fields: EntityFields, changed: set[str]) -> EntityFields:
        """Return the entity with each computed field set anew that reads one of the changed fields, or another one that was set anew."""
        names: ReadableNames | None = None
        for field, expression, reads in kind.computed:
            if field not in changed and not changed.isdisjoint(reads):
                if names is None:
                    names = self.names(fields)
                    fields, changed = {**fields}, {*changed}
                try:
                    value = expression(names)
                except FAULTS:
                    continue
                fields[field] = names[field] = value
                changed.add(field)
        return fields

    def copy(self) -> "State":
        """Return an independent copy."""
        other = State(self._population, self._day, self._salt)
        other._members = {title: members.copy() for title, members in self._members.items()}
        other._start_keys, other._dependent = dict(self._start_keys), list(self._dependent)
        other.added, other.created, other.touched = list(self.added), dict(self.created), set(self.touched)
        other.is_open = self.is_open
        return other

    def digest(self) -> str:
        """Return a digest of all entities of the kinds that calls were about; empty when there were no such calls."""
        if not self.touched:
            return ""
        entities = {title: self.all(title) for title in self.touched}
        return blake2b(orjson.dumps(entities, option=_SORTED), digest_size=8).hexdigest()

    def _open(self, title: str) -> Members:
        """Return the entities of a kind at the start: neighbours in the pool, from a place that depends on the conversation, with its keys."""
        kind = self._population.ready(title)
        keys, number = self._keys_at_start(title)
        # where all whole examples are wanted, they are those with which the pool begins
        size = len(keys) if keys and len(keys) == len(kind.entity.examples) else len(kind.pool)
        start, spread = (number >> 4) % size, (number >> 8) % _PRIME
        kind_keys: list[Any] = [None]  # one lies within another of its kind that is there already, or at the top
        by_kind = {title: kind_keys}
        owners = (
            [(field, by_kind.get(referred) or self._keys_of_start(referred)) for field, referred in kind.references]
            if keys
            else []
        )
        members = self._members[title] = Members(kind, set())
        first_number = self._first_number(kind) if kind.numbered_fields or kind.numbered_parts else None
        may_drop_some = kind.may_drop_some
        for place, key in enumerate(keys, start):
            fields = self._copy_from_pool(kind, place % size)
            if first_number is not None:
                kind.number(fields, first_number + place, self._today)
            fields[kind.entity.key] = key
            for field, choices in owners:
                fields[field] = choices[spread * (place % size + 3) % _PRIME % len(choices)] if choices else None
            if kind.key_formula is not None and (key_value := kind.key_of(fields, self.names({}))) is not None:
                fields[kind.entity.key] = key_value
            if may_drop_some and not members.may_start_with(fields):
                continue
            if kind.keys_read:
                fields = self.computed(kind, fields, set(kind.keys_read))
            members.used.add(place % size)
            members.add(fields)
            kind_keys.append(fields[kind.entity.key])
        if may_drop_some:
            self._start_keys[title] = list(members.by_key), number
        return members

    def _keys_of_start(self, title: str) -> list[Any]:
        """Return the keys that a kind has at the start; a kind that may drop some of these is opened first."""
        if self.kind(title).may_drop_some:
            self.members(title)
        return self._keys_at_start(title)[0]

    def _keys_at_start(self, title: str) -> tuple[list[Any], int]:
        """Return (keys drawn for a kind's start, 64-bit number of kind and conversation on which the choice of its entities depends)."""
        start_keys = self._start_keys.get(title)
        if start_keys is None:
            kind = self._population.ready(title)
            low, high = kind.entity.count
            number = mixed(self._salt ^ kind.stream)
            size = min(low + number % (high - low + 1), len(kind.pool))
            self._start_keys[title] = start_keys = kind.keys(number >> 20, size, self._population.draw), number
        return start_keys


def _example_like(kind: EntityKind, given_fields: EntityFields, draw: CallDraw) -> EntityFields:
    """Return the fields of one whole example, drawn among those with the given values if there are such; {} for a kind without examples."""
    given = {name: value for name, value in given_fields.items() if name in kind.example_fields}
    examples = kind.entity.examples
    matching = [one for one in examples if all(one.get(name) == value for name, value in given.items())]
    return draw.choice(matching or examples) if examples else {}


def _unused_key(key: Any, keys_in_use: Iterable[Any]) -> Any:
    """Return a key that is not in use, with a number behind it if need be: `summer-sale` → `summer-sale-2`."""
    keys_in_use = {*keys_in_use}
    return next(candidate for at in count(1) if (candidate := key if at == 1 else f"{key}-{at}") not in keys_in_use)


def mixed(number: int) -> int:
    """Return a 64-bit hash of a 64-bit number (SplitMix64 by Steele, Lea and Flood)."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


_ROUNDS = 3
"""How far computed fields follow from entity to entity: the title of the board of a card's list."""
_FRESH = 0x5DEECE66D
_MASK = 2**64 - 1
_PRIME = 1_000_003
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
