"""The front end: a JSON Schema becomes the few node kinds of nodes.py, or is refused with pointer and reason.

A schema is read as a conjunction of parts (itself, what it refers to, its allOf), so siblings of `$ref`, `allOf`
and `anyOf` need no special cases: parts are gathered, then read together.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from generator.arguments.canonical import check_metaschema, check_satisfiable, has_old_references
from generator.arguments.keywords import COMBINING, NOTES, TYPES, check_keywords, check_pattern
from generator.arguments.nodes import (
    Anything,
    Array,
    Choice,
    Fixed,
    Node,
    Note,
    Nothing,
    Object,
    Property,
    Reference,
    Schema,
)
from generator.arguments.shapes import join_numbers, join_texts, list_shape
from generator.errors import SchemaError
from generator.pointers import escape, resolve

Part = tuple[Any, str]
"""A schema that must hold, and its pointer."""

_MOST_READS = 5000
_DEEPEST_CHOICE = 12


def read_schema(schema: Any) -> Schema:
    """Read a schema into nodes.

    Raises:
        SchemaError: `pointer: reason`, when it is not legal, cannot be satisfied, or uses what is not handled.
    """
    check_metaschema(schema)
    if schema is False:
        raise SchemaError("/: no value satisfies this schema")
    schema = {} if schema is True else schema
    reader = _Reader(schema)
    try:
        root = reader.read([(schema, "")])
        check_satisfiable(schema)
    except RecursionError:
        raise SchemaError("/: the schema is nested too deeply") from None
    if isinstance(root, Nothing):
        raise SchemaError("/: no value satisfies this schema")
    return Schema(root, reader.definitions, schema)


class _Reader:
    """One schema being read: what is known of its references so far."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.definitions: dict[str, Node] = {}
        self._old_references = has_old_references(root)
        self._done: dict[str, Node] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._reads = 0

    def read(self, parts: list[Part]) -> Node:
        """The node for values that satisfy all parts."""
        parts = list({pointer: (schema, pointer) for schema, pointer in parts}.values())
        key = " & ".join(pointer or "#" for _, pointer in parts)
        if key in self._open:
            self._recursive.add(key)
            return Reference(key, _note(self.expand(parts)[0]))
        if key in self._done:
            return self._done[key]
        self._open.add(key)
        node = self.build(parts, 0)
        self._open.discard(key)
        if key in self._recursive:
            self.definitions[key] = node
            node = Reference(key, node.note)
        self._done[key] = node
        return node

    def expand(self, parts: list[Part]) -> tuple[list[Part], list[list[Part]], bool]:
        """(plain parts, groups of which one each must hold, whether anything can hold) for a conjunction."""
        plain: list[Part] = []
        groups: list[list[Part]] = []
        seen: set[str] = set()
        waiting = list(reversed(parts))
        while waiting:
            schema, pointer = waiting.pop()
            if schema is False:
                return plain, groups, False
            if schema is True or pointer in seen:
                continue
            seen.add(pointer)
            check_keywords(schema, pointer)
            below: list[Part] = []
            if "$ref" in schema:
                below.append(self.target(schema["$ref"], pointer))
            if "$ref" not in schema or not self._old_references:
                plain.append(({key: value for key, value in schema.items() if key not in COMBINING}, pointer))
                below += _branches(schema, "allOf", pointer)
                groups += [_branches(schema, word, pointer) for word in ("anyOf", "oneOf") if word in schema]
            waiting += reversed(below)
        return plain, groups, True

    def target(self, reference: str, pointer: str) -> Part:
        """The schema that a reference names."""
        place = unquote(reference.removeprefix("#"))
        if not reference.startswith("#") or (place and not place.startswith("/")):
            raise SchemaError(
                f"{pointer}/$ref: the reference {reference!r} is not handled; only places in the same schema ('#/…') are"
            )
        try:
            return resolve(self.root, place), place
        except LookupError:
            raise SchemaError(f"{pointer}/$ref: there is nothing at {reference!r}") from None

    def build(self, parts: list[Part], depth: int) -> Node:
        """Read a conjunction whose key is not being read yet."""
        self._reads += 1
        if self._reads > _MOST_READS or depth > _DEEPEST_CHOICE:
            what = "goes in a circle" if depth > _DEEPEST_CHOICE else "has too many combinations"
            raise SchemaError(f"{parts[0][1] or '/'}: the schema {what}")
        plain, groups, possible = self.expand(parts)
        note = _note(plain)
        if not possible:
            return Nothing(note)
        if not groups:
            return self.typed(plain, note)
        branches = []
        for branch in groups[0]:
            node = self.build_branch([*plain, branch], groups[1:], depth + 1)
            branches += [] if isinstance(node, Nothing) else [node]
        return _choice(branches, note, self.exclusive(groups[0]))

    def build_branch(self, parts: list[Part], groups: list[list[Part]], depth: int) -> Node:
        """One branch of a group; the remaining groups are still to be chosen from."""
        if not groups:
            return self.build(parts, depth)
        nodes = [self.build_branch([*parts, branch], groups[1:], depth + 1) for branch in groups[0]]
        return _choice([node for node in nodes if not isinstance(node, Nothing)], Note())

    def exclusive(self, group: list[Part]) -> tuple[dict[str, Any], ...]:
        """The branches of a `oneOf`, each as a schema that stands alone; nothing for other groups."""
        if len(group) < 2 or not group[0][1].endswith("/oneOf/0"):
            return ()
        around: dict[str, Any] = {key: self.root[key] for key in ("$schema", "$defs", "definitions") if key in self.root}
        return tuple({**around, "allOf": [branch]} for branch, _ in group)

    def typed(self, plain: list[Part], note: Note) -> Node:
        """Plain parts: no references, nothing to combine."""
        schemas = [schema for schema, _ in plain]
        if any("enum" in schema or "const" in schema for schema in schemas):
            values = self.listed(schemas)
            return Fixed(values, note) if values else Nothing(note)
        types = _types(schemas)
        if types is None:
            return Anything(note)
        nodes = [self.of_type(name, plain, note) for name in types]
        return _choice([node for node in nodes if not isinstance(node, Nothing)], note)

    def of_type(self, name: str, plain: list[Part], note: Note) -> Node:
        """Plain parts, for values of one type."""
        schemas = [schema for schema, _ in plain]
        if name == "object":
            return self.object(plain, note)
        if name == "array":
            return self.array(plain, note)
        if name == "string":
            for schema, pointer in plain:
                check_pattern(schema, pointer)
            return join_texts(schemas, note)
        if name in {"integer", "number"}:
            return join_numbers(schemas, name == "integer", note)
        return Fixed((None,) if name == "null" else (True, False), note)

    def listed(self, schemas: list[dict[str, Any]]) -> tuple[Any, ...]:
        """The enum or const values that satisfy every part, in declared order."""
        first = next(schema for schema in schemas if "const" in schema or "enum" in schema)
        values = [first["const"]] if "const" in first else first["enum"]
        definitions: dict[str, Any] = {key: self.root[key] for key in ("$defs", "definitions") if key in self.root}
        try:
            validator = jsonschema_rs.validator_for({**definitions, "allOf": schemas}, validate_formats=True)
        except (ValueError, jsonschema_rs.ReferencingError):
            return tuple(values)
        return tuple(value for value in values if validator.is_valid(value))

    def object(self, plain: list[Part], note: Note) -> Node:
        """An object with the properties of all parts."""
        required = list(dict.fromkeys(name for schema, _ in plain for name in schema.get("required", ())))
        names = dict.fromkeys([name for schema, _ in plain for name in schema.get("properties", ())] + required)
        properties = []
        for name in names:
            node = self.read([part for schema, pointer in plain for part in _property(schema, pointer, name)])
            if isinstance(node, Nothing) and name in required:
                return Nothing(note)
            if not isinstance(node, Nothing):
                properties.append(Property(name, node, name in required))
        extras = [part for schema, pointer in plain for part in _extra(schema, pointer)]
        extra = self.read(extras)
        fewest = max((schema.get("minProperties", 0) for schema, _ in plain), default=0)
        most = min((schema["maxProperties"] for schema, _ in plain if "maxProperties" in schema), default=None)
        return Object(
            tuple(properties),
            None if isinstance(extra, Nothing) else extra,
            any(schema is not True for schema, _ in extras),
            int(fewest),
            None if most is None else int(most),
            note,
        )

    def array(self, plain: list[Part], note: Note) -> Node:
        """A list with the items of all parts."""
        places, rest = list_shape(plain)
        prefix = [self.read(parts) for parts in places]
        node = self.read(rest)
        fewest = int(max((schema.get("minItems", 0) for schema, _ in plain), default=0))
        limits = [int(schema["maxItems"]) for schema, _ in plain if "maxItems" in schema]
        if isinstance(node, Nothing):
            limits.append(len(prefix))
        limits += [index for index, place in enumerate(prefix) if isinstance(place, Nothing)][:1]
        most = min(limits, default=None)
        if most is not None and fewest > most:
            return Nothing(note)
        unique = any(schema.get("uniqueItems") is True for schema, _ in plain)
        return Array(node, tuple(prefix[:most]), fewest, most, unique, note)


def _branches(schema: dict[str, Any], keyword: str, pointer: str) -> list[Part]:
    return [(branch, f"{pointer}/{keyword}/{index}") for index, branch in enumerate(schema.get(keyword, ()))]


def _property(schema: dict[str, Any], pointer: str, name: str) -> Iterable[Part]:
    if name in schema.get("properties", {}):
        return [(schema["properties"][name], f"{pointer}/properties/{escape(name)}")]
    return _extra(schema, pointer)


def _extra(schema: dict[str, Any], pointer: str) -> list[Part]:
    if "additionalProperties" not in schema:
        return []
    return [(schema["additionalProperties"], f"{pointer}/additionalProperties")]


def _choice(branches: Sequence[Node], note: Note, only_one_of: tuple[dict[str, Any], ...] = ()) -> Node:
    if not branches:
        return Nothing(note)
    return branches[0] if len(branches) == 1 and not only_one_of else Choice(tuple(branches), note, only_one_of)


def _note(plain: list[Part]) -> Note:
    descriptions = (str(schema[word]) for schema, _ in plain for word in ("description", "title") if word in schema)
    examples: list[Any] = []
    for schema, _ in plain:
        given = schema.get("examples", [schema["example"]] if "example" in schema else [])
        examples += given if isinstance(given, list) else []
    return Note(next(descriptions, ""), tuple(examples), plain[0][1] if plain else "")


def _types(schemas: list[dict[str, Any]]) -> list[str] | None:
    """The types that all parts allow, in declared order; what the keywords are about when no part names a type."""
    found: list[str] | None = None
    for schema in schemas:
        if "type" in schema:
            named = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
            found = list(named) if found is None else _both(found, named)
    if found is not None:
        return found
    told = {keyword: TYPES[keyword] for schema in schemas for keyword in schema if keyword not in NOTES if keyword in TYPES}
    return list(dict.fromkeys(told.values())) or None


def _both(left: list[str], right: list[str]) -> list[str]:
    found = [name for name in left if name in right or (name == "integer" and "number" in right)]
    return found + ["integer"] * ("number" in left and "number" not in right and "integer" in right)
