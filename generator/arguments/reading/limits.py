"""Limits on legal schemas for which no sensible value can be made; they are checked before anything is compiled."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from generator.arguments.reading.nodes import ArrayNode, CheckedNode, ChoiceNode, Node, ObjectNode, StringNode
from generator.core.errors import SchemaError
from generator.core.pointers import escape, resolve
from generator.core.schema_walk import parts_of, schemas_in

LONGEST_TEXT = 100_000
"""Characters that a schema may ask for in one text at least."""
LONGEST_LIST = 10_000
MOST_PROPERTIES = 1_000
LARGEST = 200_000
"""Characters, items and properties that the smallest value may have in all."""
MOST_PARTS = 20_000
"""Schemas that can be reached within a schema and through its references, each counted once."""
_LEAST = {
    "minLength": LONGEST_TEXT,
    "minItems": LONGEST_LIST,
    "minContains": LONGEST_LIST,
    "minProperties": MOST_PROPERTIES,
}
_MOST_BRANCHES = 100
_MOST_CONDITIONS = 7
_WITHIN_ALL = re.compile(r"(/allOf/[0-9]+)+$")
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_ONE_IN_PLACE = ("not", "if", "then", "else")


def check_limits(schema: dict[str, Any]) -> None:
    """Raise SchemaError for absurd sizes, and for references to something that is not a schema or to themselves."""
    for part, pointer in schemas_in(schema):
        for word, most in _LEAST.items():
            least = part.get(word, 0)
            if isinstance(least, int | float) and least > most:
                raise SchemaError(f"{pointer}/{word}: {least} is more than this program makes (at most {most})")
    _check_targets(schema)
    _check_parts(schema)
    _check_circles(schema)


def is_wide(schema: dict[str, Any]) -> bool:
    """Whether there are too many conditions or alternatives to look at all their combinations."""
    conditions: Counter[str] = Counter()
    for part, pointer in schemas_in(schema):
        if any(len(part.get(word, ())) > _MOST_BRANCHES for word in ("anyOf", "oneOf")):
            return True
        dependent = [value for word in ("dependentSchemas", "dependencies") for value in part.get(word, {}).values()]
        conditions[_WITHIN_ALL.sub("", pointer)] += ("if" in part) + sum(isinstance(value, dict) for value in dependent)
    return max(conditions.values(), default=0) > _MOST_CONDITIONS


def check_size(root: Node) -> None:
    """Raise SchemaError when even the smallest value of the schema, or of a part that may be left out, is huge."""
    _least(root, {})


def _check_targets(schema: dict[str, Any]) -> None:
    """Raise SchemaError for a reference whose target is not a schema."""
    for part, pointer in schemas_in(schema):
        for word in _REFERENCES:
            found = _target(schema, part, word)
            if found is not None and not isinstance(found[0], dict | bool):
                raise SchemaError(f"{pointer}/{word}: what stands at {part[word]!r} is no schema")


def _check_parts(schema: dict[str, Any]) -> None:
    """Raise SchemaError for more schemas than can be walked; what several references lead to is counted once."""
    seen: set[int] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        if len(seen) > MOST_PARTS:
            raise SchemaError(f"/: the schema has more than {MOST_PARTS:,} parts")
        waiting += [child for child, pointer in parts_of(part, "") if not _DEFINED.fullmatch(pointer)]
        waiting += [found[0] for word in _REFERENCES if (found := _target(schema, part, word)) is not None]


_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DEFINED = re.compile(r"/(?:\$defs|definitions)/.*", re.DOTALL)


def _target(root: dict[str, Any], schema: dict[str, Any], word: str) -> tuple[Any, str] | None:
    """Return what a reference to a place or a name in the same schema leads to."""
    reference = schema.get(word)
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    if reference[1:] and not reference.startswith("#/"):
        named = (
            found
            for found in schemas_in(root)
            if reference[1:] in (found[0].get("$anchor"), found[0].get("$dynamicAnchor"))
        )
        return next(named, None)
    place = unquote(reference[1:])
    try:
        return resolve(root, place), place
    except LookupError:
        return None


def _check_circles(schema: dict[str, Any]) -> None:
    """Raise SchemaError where a schema refers to itself for the same value, or to more schemas for it than can be read."""
    sizes: dict[str, int] = {}
    for part, pointer in schemas_in(schema):
        if not part.keys().isdisjoint(_REFERENCES):
            _size(schema, part, pointer, [], sizes)


def _size(root: dict[str, Any], schema: Any, pointer: str, above: list[str], sizes: dict[str, int]) -> int:
    """Return how many schemas hold for one value: they are read together, each as often as it is referred to."""
    if pointer in above:
        word = next((word for word in _REFERENCES if word in schema), "$ref")
        raise SchemaError(f"{above[-1]}/{word}: it leads back to itself, so it says nothing about values")
    if not isinstance(schema, dict):
        return 1
    if pointer not in sizes:
        below = _in_place(root, schema, pointer)
        sizes[pointer] = 1 + sum(_size(root, part, place, [*above, pointer], sizes) for part, place in below)
        if sizes[pointer] > MOST_PARTS:
            raise SchemaError(f"{pointer or '/'}: more than {MOST_PARTS:,} schemas hold for one value")
    return sizes[pointer]


def _in_place(root: dict[str, Any], schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """Yield the schemas that hold for the same value: by reference, or as parts of `allOf` and the like."""
    yield from filter(None, [_target(root, schema, word) for word in _REFERENCES])
    for word in _IN_PLACE:
        yield from ((part, f"{pointer}/{word}/{index}") for index, part in enumerate(schema.get(word, ())))
    yield from ((schema[word], f"{pointer}/{word}") for word in _ONE_IN_PLACE if word in schema)
    dependent = schema.get("dependentSchemas", {})
    yield from ((part, f"{pointer}/dependentSchemas/{escape(name)}") for name, part in dependent.items())


def _least(node: Node, known: dict[int, int]) -> int:
    """Return a lower bound of the characters, items and properties of the smallest value."""
    if id(node) not in known:
        found = known[id(node)] = _count(node, known)
        if found > LARGEST:
            pointer = node.note.pointer or "/"
            raise SchemaError(f"{pointer}: the smallest value has more than {LARGEST} characters, items and properties")
    return known[id(node)]


def _count(node: Node, known: dict[int, int]) -> int:
    if isinstance(node, StringNode):
        return node.shortest + 1
    if isinstance(node, ArrayNode):
        prefix, items = [_least(part, known) for part in node.prefix], _least(node.items, known)
        return 1 + sum(prefix[: node.fewest]) + max(0, node.fewest - len(prefix)) * items
    if isinstance(node, ObjectNode):
        sizes = [(_least(part.node, known), part.required) for part in node.properties]
        return max(node.fewest, sum(size for size, required in sizes if required)) + 1
    if isinstance(node, ChoiceNode):
        return min([_least(branch, known) for branch in node.branches], default=1)
    return _least(node.node, known) if isinstance(node, CheckedNode) else 1
