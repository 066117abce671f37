"""Schemas of an OpenAPI document as JSON Schema 2020-12 that stands alone.

What a schema refers to becomes `$defs`, as far as it can be reached; nothing is put in place of a reference, because
real documents grow many times as large by that.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import unquote

from generator.core.errors import SpecError
from generator.core.pointers import escape, parts_of_object, resolve, unescape
from generator.core.schema_walk import rewrite, schemas_in, without_boolean_bounds
from generator.tools.specs.models import object_or_empty

MOST_DEFINITIONS = 16
"""Definitions that a response schema keeps, the nearest first; those that it cannot do without are kept beyond it."""

_PREFIX = "#/$defs/"


def narrowed(schema: Any, definition_of: Callable[[str], Any]) -> tuple[Any, dict[str, Any]]:
    """Return a schema with references to `#/$defs/NAME` only, and the definitions that it needs, without what is too far away."""
    reach = _Reach()
    narrowed_schema = reach.narrow(schema)
    definitions: dict[str, Any] = {}
    while reach.waiting:
        name = reach.waiting.popleft()
        definitions[name] = reach.narrow(definition_of(name))
    return narrowed_schema, dict(sorted(definitions.items()))


class _Reach:
    """The definitions that are kept so far, and of these the ones that wait for being narrowed."""

    def __init__(self) -> None:
        self.waiting: deque[str] = deque()
        self._kept: set[str] = set()

    def narrow(self, part: Any) -> Any:
        """Return a schema without what there is no room for; what it still refers to is kept."""
        if self._fits(part):
            return part
        narrowed_schema = rewrite(part, self._narrowed_schema)
        self._keep(_names_in(narrowed_schema))
        return narrowed_schema

    def _fits(self, part: Any) -> bool:
        """Whether what a schema refers to is kept, for which it is added as long as there is room."""
        names = _names_in(part) - self._kept
        if names and len(names) + len(self._kept) > MOST_DEFINITIONS:
            return False
        self._keep(names)
        return True

    def _keep(self, names: set[str]) -> None:
        self.waiting.extend(sorted(names - self._kept))
        self._kept |= names

    def _narrowed_schema(self, part: dict[str, Any], _pointer: str) -> dict[str, Any]:
        """Return one schema without optional properties and choices that refer to definitions for which there is no room."""
        properties, required = part.get("properties"), part.get("required")
        if isinstance(properties, dict):
            needed = required if isinstance(required, list) else ()
            kept = {name: child for name, child in properties.items() if name in needed or self._fits(child)}
            part = {**part, "properties": kept}
        for word in ("anyOf", "oneOf"):
            if isinstance(part.get(word), list):
                part = {**part, word: [branch for branch in part[word] if self._fits(branch)] or part[word]}
        return part


def _names_in(schema: Any) -> set[str]:
    """Return the names of the definitions that a schema refers to."""
    references = [part["$ref"] for part, _ in schemas_in(schema) if isinstance(part.get("$ref"), str)]
    return {unescape(reference.removeprefix(_PREFIX)) for reference in references}


Direction = Literal["request", "response"]

_DROPPED = frozenset({"xml", "externalDocs", "example"})
_NOT_THERE = {"request": "readOnly", "response": "writeOnly"}
_MOST_HOPS = 20


class Schemas:
    """The schemas of one document.

    Args:
        document: The whole document.
        old: Whether its schemas are those of OpenAPI 2.0 and 3.0 (`nullable`, boolean exclusive bounds, no siblings of
            `$ref`) and not JSON Schema, as since 3.1.
    """

    def __init__(self, document: dict[str, Any], *, old: bool) -> None:
        self._document = document
        self._old = old
        self._names: dict[str, str] = {}
        self._references: dict[str, str] = {}
        self._converted: dict[tuple[str, Direction], tuple[Any, tuple[str, ...]]] = {}

    def at(self, reference: str) -> Any:
        """Return what a reference leads to.

        Raises:
            SpecError: for one that leads out of the document (nothing is fetched), or nowhere.
        """
        if not reference.startswith("#"):
            raise SpecError(f"$ref {reference!r} is outside of the document; nothing is fetched from there")
        try:
            return resolve(self._document, unquote(reference[1:]))
        except LookupError:
            raise SpecError(f"$ref {reference!r}: there is no such place in the document") from None

    def followed(self, part: Any) -> Any:
        """Return the part, or what it refers to."""
        for _ in range(_MOST_HOPS):
            if not isinstance(part, dict) or not isinstance(part.get("$ref"), str):
                return part
            part = self.at(part["$ref"])
        raise SpecError("a $ref leads back to itself")

    def closed(self, schemas: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return schemas of a request converted, their references led to `#/$defs/NAME`, and the definitions they need.

        A definition is the same object wherever it is returned.
        """
        converted: dict[str, Any] = {}
        waiting: list[str] = []
        for name, schema in schemas.items():
            converted[name], references = self._convert(schema, "request")
            waiting += references
        definitions: dict[str, Any] = {}
        while waiting:
            reference = waiting.pop()
            name = self._name_for(reference)
            if name not in definitions:
                definitions[name], further_references = self._definition(reference, "request")
                waiting += further_references
        return converted, dict(sorted(definitions.items()))

    def closed_response(self, schema: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return a schema of a response converted, without what is too far away in it, and the definitions it needs."""

        def definition_of(name: str) -> Any:
            return self._definition(self._references[name], "response")[0]

        return narrowed(self._convert(schema, "response")[0], definition_of)

    def _definition(self, reference: str, direction: Direction) -> tuple[Any, tuple[str, ...]]:
        """Return what a reference leads to, converted, and the references in it."""
        key = (reference, direction)
        if key not in self._converted:
            self._converted[key] = self._convert(self.at(reference), direction)
        return self._converted[key]

    def _convert(self, schema: Any, direction: Direction) -> tuple[Any, tuple[str, ...]]:
        """Return a schema as JSON Schema of 2020-12, and the references in it."""
        references: dict[str, None] = {}

        def change(part: dict[str, Any], _pointer: str) -> Any:
            """Return one schema within another as JSON Schema 2020-12; what it refers to is noted."""
            changed = {
                key: value for key, value in part.items() if key not in _DROPPED and not str(key).startswith("x-")
            }
            if isinstance(changed.get("$ref"), str):
                references[changed["$ref"]] = None
                changed["$ref"] = f"#/$defs/{escape(self._name_for(changed['$ref']))}"
            changed = _from_openapi_3_0(changed) if self._old else without_boolean_bounds(changed)
            changed = _with_discriminator_values(changed)
            _add_example(changed, part)
            self._drop_properties(changed, direction)
            return changed

        return rewrite(schema, change), tuple(references)

    def _drop_properties(self, part: dict[str, Any], direction: Direction) -> None:
        """Leave out what only the server sets (readOnly), or what it never tells (writeOnly)."""
        properties, _ = parts_of_object(part)
        dropped = {name for name, child in properties.items() if _is_flagged(child, _NOT_THERE[direction])}
        if dropped:
            part["properties"] = {name: child for name, child in properties.items() if name not in dropped}
            if isinstance(part.get("required"), list):
                part["required"] = [name for name in part["required"] if name not in dropped]

    def _name_for(self, reference: str) -> str:
        """Return the name of a definition, another one for each place."""
        if reference not in self._names:
            name = plain = definition_name(reference)
            number = 1
            while name in self._references:
                number += 1
                name = f"{plain}_{number}"
            self._names[reference] = name
            self._references[name] = reference
        return self._names[reference]


def _is_flagged(schema: Any, word: str) -> bool:
    """Whether a schema says `readOnly: true`, or another word."""
    return isinstance(schema, dict) and schema.get(word) is True


def definition_name(reference: str) -> str:
    """Return `Pet` for `#/components/schemas/Pet` and `#/definitions/Pet`; other places are named by their whole path."""
    steps = [unescape(step) for step in unquote(reference.removeprefix("#")).split("/") if step]
    start = 2 if steps[:2] == ["components", "schemas"] else 1 if steps[:1] == ["definitions"] else 0
    return re.sub(r"[^A-Za-z0-9_.-]", "_", ".".join(steps[start:])) or "document"


def _from_openapi_3_0(part: dict[str, Any]) -> dict[str, Any]:
    """Return one schema of OpenAPI 2.0 or 3.0 as JSON Schema."""
    nullable = part.pop("nullable", None) is True or part.pop("x-nullable", None) is True
    if "$ref" in part:  # what stands beside a reference is ignored there; a description does no harm
        part = {key: part[key] for key in ("$ref", "description") if key in part}
    part = without_boolean_bounds(part)
    if part.get("type") == "file":
        part = {**part, "type": "string", "format": "binary"}
    if isinstance(part.get("required"), bool):
        del part["required"]
    return _nullable(part) if nullable else part


def _with_discriminator_values(part: dict[str, Any]) -> dict[str, Any]:
    """Return what a `discriminator` with a mapping tells apart: each choice says which value that property has.

    Without a mapping the names of the schemas would be the values; real documents do not mean that.
    """
    discriminator = object_or_empty(part.pop("discriminator", None))
    name, mapping = discriminator.get("propertyName"), object_or_empty(discriminator.get("mapping"))
    word = next((word for word in ("oneOf", "anyOf") if isinstance(part.get(word), list)), None)
    if word is None or not isinstance(name, str):
        return part
    values: dict[str, list[str]] = {}
    for value, reference in mapping.items():
        target = definition_name(str(reference)) if "/" in str(reference) else reference
        values.setdefault(f"#/$defs/{target}", []).append(str(value))
    choices = [_choice_with_value(choice, name, values) for choice in part[word]]
    return {**part, word: choices}


def _choice_with_value(choice: Any, name: str, values: dict[str, list[str]]) -> Any:
    """Return one choice of a `discriminator` with the value, or values, that its property `name` has there; `values` are by `$ref`."""
    reference = object_or_empty(choice).get("$ref")
    values_of_choice = values.get(reference) if isinstance(reference, str) else None
    if not values_of_choice:
        return choice
    value = {"const": values_of_choice[0]} if len(values_of_choice) == 1 else {"enum": values_of_choice}
    return {**choice, "properties": {name: value}, "required": [name]}


def _nullable(part: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that allows null, too."""
    if "$ref" in part or ("type" not in part and not part.keys().isdisjoint(("allOf", "anyOf", "oneOf"))):
        described = {key: part[key] for key in ("description",) if key in part}
        rest = {key: value for key, value in part.items() if key not in described}
        return {"anyOf": [rest, {"type": "null"}], **described}
    nullable = dict(part)
    declared_type = part.get("type")
    if isinstance(declared_type, str | list):
        types = [declared_type] if isinstance(declared_type, str) else declared_type
        nullable["type"] = types if "null" in types else [*types, "null"]
    if isinstance(part.get("enum"), list) and None not in part["enum"]:
        nullable["enum"] = [*part["enum"], None]
    return nullable


def _add_example(schema: dict[str, Any], original: dict[str, Any]) -> None:
    """Add OpenAPI's `example: x` to a converted schema as `examples: [x]`.

    Whole objects are left out, which old documents often get wrong.
    """
    if "examples" in schema and not isinstance(schema["examples"], list):
        del schema["examples"]
    example = original.get("example")
    if isinstance(example, str | int | float) and "examples" not in schema and "$ref" not in schema:
        schema["examples"] = [example]
