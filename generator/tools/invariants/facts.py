"""What results say of things: (key, field, value, time), until a call changes it."""

from collections.abc import Iterator
from typing import Any

from generator.tools.invariants.calls import SeenCall

_SHORTEST = 4
"""Characters of a text that tells a thing from all others."""
_MOST_OBJECTS = 2000
Thing = tuple[str, str]
"""(name of the key, key), as in ("event_id", "EVT-000123")."""
NO_KEY: Thing = ("", "")


Fact = tuple[Any, SeenCall]
"""What a field of a thing is, and the call whose result says so."""


class Facts:
    """What is known of things at one time."""

    __slots__ = ("by_thing", "changed")

    def __init__(self) -> None:
        self.by_thing: dict[Thing, dict[str, Fact]] = {}
        self.changed: set[str] = set()
        """Keys of things that calls have made or changed."""

    def of_kind(self, key: str) -> Iterator[tuple[Thing, dict[str, Any]]]:
        """Yield the things with a key of that name, each with its fields."""
        for thing, facts in self.by_thing.items():
            if thing[0] == key:
                yield thing, {**{name: fact[0] for name, fact in facts.items()}, key: thing[1]}

    def end(self, call: SeenCall, objects: list[tuple[Thing, dict[str, Any]]]) -> None:
        """Forget the things that a call which changes something names, by key or by name."""
        keys = {thing[1] for thing, _ in objects if thing is not NO_KEY}
        self.changed |= keys
        if self.by_thing:
            named = keys.union(_texts(call.arguments))
            for thing in [one for one in self.by_thing if one[1] in named or self._is_named(one, named)]:
                del self.by_thing[thing]

    def _is_named(self, thing: Thing, named: set[str]) -> bool:
        facts = self.by_thing[thing]
        return any(name in facts and facts[name][0] in named for name in _NAMES)

    def forget(self, key: str, fields: tuple[str, ...]) -> None:
        """Forget all things of a kind, or only some fields of them."""
        for thing, facts in list(self.by_thing.items()):
            if thing[0] == key:
                if not fields:
                    del self.by_thing[thing]
                for field in fields:
                    facts.pop(field, None)


_NAMES = ("name", "title", "subject")


def objects_of(result: Any) -> list[tuple[Thing, dict[str, Any]]]:
    """Return all objects of a result, each with the thing that it tells of: its first `…_id` is the key."""
    found = []
    rest = [result]
    for value in rest:
        if type(value) is dict:
            thing = NO_KEY
            for name, part in value.items():
                kind = type(part)
                if kind is dict or kind is list:
                    rest.append(part)
                elif (
                    thing is NO_KEY and kind is str and len(part) >= _SHORTEST and (name[-3:] == "_id" or name == "id")
                ):
                    thing = (name, part)
            found.append((thing, value))
        elif type(value) is list:
            rest += value
        if len(found) > _MOST_OBJECTS:
            break
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
