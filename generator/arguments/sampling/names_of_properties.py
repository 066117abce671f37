"""Names of undeclared properties, where `patternProperties` or `propertyNames` make them matter.

Such names are made when the schema is read, and grouped by what the schema says about each: the value of a name that
two patterns match must satisfy both.
"""

from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec

from generator.arguments.reading.nodes import EnumNode, Node, NothingNode, Schema, StringNode
from generator.arguments.reading.unfolding import unfolded
from generator.arguments.vocabulary.words import PROPERTY_NAMES, WORDS
from generator.core.errors import SchemaError
from generator.core.offline_schemas import validator
from generator.core.pointers import escape
from generator.core.seeds import Draw

Part = tuple[Any, str]
Read = Callable[[list[Part]], Node]

_USUAL = 24
_TRIES = 8


class PropertyNames(msgspec.Struct, frozen=True):
    """What a schema says about the names of an object's properties."""

    is_open: bool
    """Whether it says nothing."""
    allows: Callable[[str], bool]
    listed: tuple[str, ...] = ()
    """All names there may be, when they are listed."""
    is_closed: bool = False
    """Whether they are listed."""
    kinds: tuple[Schema, ...] = ()
    """What names may look like: one schema of texts for each pattern, or one for all."""


def name_rules(plain: list[Part], read: Read, definitions: dict[str, Node], around: dict[str, Any]) -> PropertyNames:
    """Return the rules for names in a conjunction of parts."""
    rules = [
        (schema["propertyNames"], f"{pointer}/propertyNames") for schema, pointer in plain if "propertyNames" in schema
    ]
    patterns = _name_patterns(plain)
    if not rules and not patterns:
        return PropertyNames(True, _allows_any_name)
    text = {"type": "string"}
    allows = _name_test({**around, "allOf": [text, *[schema for schema, _ in rules]]}) if rules else _allows_any_name
    names = read([*rules, (text, "the name")]) if rules else None
    if isinstance(names, NothingNode):
        return PropertyNames(False, lambda name: False, (), True)
    if isinstance(names, EnumNode):
        return PropertyNames(False, allows, tuple(names.values), True)
    schemas = [read([*rules, ({**text, "pattern": pattern}, pointer)]) for pattern, pointer in patterns.items()]
    schemas += [] if names is None else [names]
    return PropertyNames(False, allows, kinds=tuple(Schema(unfolded(kind, definitions), {}) for kind in schemas))


def property_parts(plain: list[Part], name: str | None) -> list[Part]:
    """Return the schemas of the property of that name (None: of one that no pattern matches)."""
    schemas: list[Part] = []
    for schema, pointer in plain:
        count_before = len(schemas)
        if name in schema.get("properties", {}):
            schemas.append((schema["properties"][name], f"{pointer}/properties/{escape(str(name))}"))
        for pattern, part in schema.get("patternProperties", {}).items():
            if name is not None and _pattern_test(pattern)(name):
                schemas.append((part, f"{pointer}/patternProperties/{escape(pattern)}"))
        if len(schemas) == count_before and "additionalProperties" in schema:
            schemas.append((schema["additionalProperties"], f"{pointer}/additionalProperties"))
    return schemas


def families(
    plain: list[Part], rules: PropertyNames, declared: set[str], fewest: int
) -> list[tuple[tuple[str, ...], list[Part]]]:
    """Return (names, schemas) pairs: names that undeclared properties may have, grouped by the schemas that hold for them."""
    groups: dict[tuple[str, ...], tuple[list[str], list[Part]]] = {}
    for name in _candidate_names(rules, max(_USUAL, 2 * fewest)):
        if name not in declared and rules.allows(name):
            parts = property_parts(plain, name)
            groups.setdefault(tuple(pointer for _, pointer in parts), ([], parts))[0].append(name)
    return [(tuple(names), parts) for names, parts in groups.values()]


def _candidate_names(rules: PropertyNames, count: int) -> list[str]:
    """Return names to try for undeclared properties: those that the rules suggest, then usual property names."""
    names: dict[str, None] = {}
    for kind in rules.kinds:
        names.update(dict.fromkeys(_sample_names(kind, count)))
    words = [*PROPERTY_NAMES, *WORDS] if count > _USUAL else PROPERTY_NAMES
    return [*names, *[word for word in words if word not in names]]


def _sample_names(kind: Schema, count: int) -> list[str]:
    """Return different names that satisfy the rules; none when they cannot be made."""
    from generator.arguments.sampling.leaves import ArgumentLocation, Hints
    from generator.arguments.sampling.realistic import Odds, compile_realistic

    draw = Draw(0, date(2026, 3, 1))
    try:
        make, _ = compile_realistic(kind, ArgumentLocation("key"), Hints(seed=0), Odds())
    except SchemaError:
        return []
    made = dict.fromkeys(make(draw) for _ in range(count * _TRIES))
    return [*_extended(kind.root, next(iter(made))), *[name for name in made if isinstance(name, str)]][:count]


def _extended(kind: Node, start: Any) -> list[str]:
    """Return the name with words appended, where the pattern says only how names begin."""
    if (
        not isinstance(kind, StringNode)
        or not kind.patterns
        or kind.patterns[-1].endswith("$")
        or not isinstance(start, str)
    ):
        return []
    fits = _name_test(kind.schema)
    return [name for name in (f"{start}{word}" for word in PROPERTY_NAMES) if fits(name)]


def _name_patterns(plain: list[Part]) -> dict[str, str]:
    """Return the patterns of `patternProperties`, each with the words for it in an error message."""
    return {
        pattern: f"{pointer}/patternProperties/{escape(pattern)} as a name"
        for schema, pointer in plain
        for pattern in schema.get("patternProperties", ())
    }


@lru_cache(maxsize=512)
def _pattern_test(pattern: str) -> Callable[[str], bool]:
    """Return a test of whether a name matches a pattern."""
    return _name_test({"type": "string", "pattern": pattern})


def _name_test(schema: dict[str, Any]) -> Callable[[str], bool]:
    """Return a test of names against a `propertyNames` schema; any name passes if the schema cannot be compiled."""
    try:
        return validator(schema).is_valid
    except ValueError:
        return _allows_any_name  # whole values are tested anyway


def _allows_any_name(name: str) -> bool:
    """Whether any name may stand: always."""
    return True
