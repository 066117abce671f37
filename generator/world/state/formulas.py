"""What the fields of an entity follow from: formulas, the keys that these read, other entities, and what tells one from the others."""

import re
from typing import Any

import orjson

from generator.core.entities import Entity, WorldDeclarations
from generator.world.expressions import Expression
from generator.world.keywords import read_expression


def told_by(entity: Entity) -> str | None:
    """Return the first field by which people name one, or else the first one that differs in all whole examples; None without such."""
    if entity.called or not entity.examples or len(entity.examples) < entity.count[1]:
        return next(iter(entity.called), None)
    told = [[orjson.dumps(one.get(field)) for one in entity.examples] for field in entity.examples[0]]
    return next(
        (field for field, all_of in zip(entity.examples[0], told, strict=True) if len({*all_of}) == len(all_of)), None
    )


def formula_of_key(entity: Entity, declared: WorldDeclarations) -> Expression | None:
    """Return what computes the key from other fields; None where it is no formula."""
    text = entity.fields[entity.key].get("x-compute")
    others = entity.fields.keys() - {entity.key}
    return None if text is None else read_expression(text, entity.key, others, {}, "", declared)[0]


def keys_in_formulas(entity: Entity, declared: WorldDeclarations, references: dict[str, str]) -> dict[str, Any]:
    """Return the key and the keys of others that formulas of an entity read, with their schemas."""
    keys = {entity.key: entity.fields[entity.key]}
    for field, other in references.items():
        keys[field] = declared.entities[other].fields[declared.entities[other].key]
    formulas = [
        str(one["x-compute"]) for name, one in entity.fields.items() if "x-compute" in one and name != entity.key
    ]
    named = {word for text in formulas for word in _WORD.findall(text)}
    return {field: without_notes(schema) for field, schema in keys.items() if field in named}


def words_of(text: str) -> set[str]:
    """Return the names that stand in a formula."""
    return {*_WORD.findall(text)}


_WORD = re.compile(r"[^\W\d]\w*")


def computed_fields(
    fields: dict[str, Any], declared: WorldDeclarations
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return (field, expression, fields that it reads) of all formulas but those that change a drawn value."""
    found = []
    for field, schema in fields.items():
        if "x-compute" in schema:
            expression, reads = read_expression(schema["x-compute"], field, fields, {}, "", declared)
            if "value" not in reads.properties:
                found.append((field, expression, reads.properties))
    return tuple(found)


def in_order(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields, those that are computed behind all that they read."""
    reads = {field: {*_WORD.findall(str(part.get("x-compute", "")))} - {field} for field, part in fields.items()}
    left, found = list(fields), dict[str, Any]()
    while left:
        able = next((field for field in left if reads[field].isdisjoint(left)), left[0])
        found[able] = fields[able]
        left.remove(able)
    return found


def crossed_fields(
    entity: Entity, declared: WorldDeclarations, computed: tuple[tuple[str, Expression, frozenset[str]], ...]
) -> tuple[tuple[str, Expression, frozenset[str]], ...]:
    """Return what is computed from other entities, or from something that is."""
    found: list[tuple[str, Expression, frozenset[str]]] = []
    for one in computed:
        named = _OF_OTHERS.findall(str(entity.fields[one[0]]["x-compute"]))
        if not declared.entities.keys().isdisjoint(named) or any(before[0] in one[2] for before in found):
            found.append(one)
    return tuple(found)


_OF_OTHERS = re.compile(r"\b(?:count|total|clashes|find|least|lookup)\(\s*(\w+)")
NO_FIELDS: frozenset[str] = frozenset()


def without_notes(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without our own keywords."""
    return {key: part for key, part in schema.items() if not key.startswith("x-")}
