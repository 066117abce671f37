"""Rewrite schemas with `not`, `if`, `unevaluatedProperties` and the like into keywords that can be read; which keywords are.

The canonical form does that, but it drops annotations and order. They are restored here: descriptions, examples, the
order of properties and enum values, and where each part was written.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

from jsonschema_rs import CanonicalSchema
from jsonschema_rs.canonical import CanonicalKind, Satisfiability, UnsatisfiableReason

from generator.arguments.kinds.records import split_values
from generator.arguments.reading.patterns import read_pattern
from generator.core.errors import SchemaError
from generator.core.offline_schemas import (
    DIALECTS,
    canonical_schema,
    check_legal,
    is_known_dialect,
    reference_validator,
    unsatisfiable,
)
from generator.core.pointers import escape, resolve
from generator.core.schema_walk import MAPS, rewrite, schemas_in, without_boolean_bounds
from generator.core.yaml_values import own_data

_KEYWORDS = own_data(__file__)
COMBINING = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
TYPES = {word: kind for kind, words in _KEYWORDS["types"].items() for word in split_values(words)}
"""Keywords that say something about values of one type, and that type."""
HANDLED = frozenset(TYPES) | COMBINING | {"type", "enum", "const", "minContains", "maxContains"}
NOTES = frozenset(split_values(_KEYWORDS["notes"]))
FOLDED: dict[str, str | None] = {
    word: kind for kind, words in _KEYWORDS["folded"].items() for word in split_values(words)
}
"""Keywords that are said here in terms of the others, and the type of value they are about."""
REFUSED = frozenset({"$vocabulary"})


def check_keywords(schema: dict[str, Any], pointer: str) -> None:
    """Raise SchemaError for the first keyword of `schema` (not of its subschemas) that cannot be followed."""
    for keyword in schema:
        if keyword in HANDLED or keyword in NOTES or keyword in FOLDED or keyword.startswith("x-"):
            continue
        at = f"{pointer}/{escape(keyword)}"
        if keyword in REFUSED:
            raise SchemaError(f"{at}: the keyword {keyword!r} is not handled")
        if keyword in {"$id", "id"}:
            continue
        similar = get_close_matches(keyword, sorted(HANDLED | FOLDED.keys()), n=1, cutoff=0.85)
        if similar:
            raise SchemaError(f"{at}: unknown keyword {keyword!r}; did you mean {similar[0]!r}?")
    if isinstance(schema.get("items"), list) and "prefixItems" in schema:
        raise SchemaError(f"{pointer}/items: a list of schemas beside 'prefixItems' is not handled")


def check_pattern(schema: dict[str, Any], pointer: str) -> None:
    """Raise SchemaError when the pattern of `schema`, if it has one, cannot be sampled."""
    if "pattern" in schema:
        try:
            read_pattern(schema["pattern"])
        except ValueError as fault:
            raise SchemaError(f"{pointer}/pattern: the pattern {schema['pattern']!r} is not handled: {fault}") from None


_OLD = set(DIALECTS[2:])
_OLDEST = DIALECTS[-1]
_BRANCHES = ("/anyOf/", "/oneOf/", "/allOf/", "/not", "/if", "/then", "/else")


def has_old_references(schema: Any) -> bool:
    """Whether the schema's dialect ignores what stands beside a `$ref`."""
    return isinstance(schema, dict) and str(schema.get("$schema", "")).rstrip("#") in _OLD


def is_oldest(schema: Any) -> bool:
    """Whether the schema is of draft-04, in which `exclusiveMinimum` is a boolean."""
    return isinstance(schema, dict) and str(schema.get("$schema", "")).rstrip("#") == _OLDEST


def check_metaschema(schema: Any) -> None:
    """Raise SchemaError, with the pointer of the fault, unless `schema` is a legal JSON Schema."""
    dialect = schema.get("$schema", DIALECTS[0]) if isinstance(schema, dict) else DIALECTS[0]
    if not is_known_dialect(dialect):
        raise SchemaError(f"/$schema: the dialect {dialect!r} is not handled; known are {', '.join(DIALECTS)}")
    if not _is_legal(schema):
        _raise_reference_fault(schema)


def _raise_reference_fault(schema: Any) -> None:
    """Raise the fault as the reference implementation words it (which is slow to load and to run)."""
    from jsonschema import SchemaError as Fault

    try:
        reference_validator(schema).check_schema(schema)
    except Fault as fault:
        pointer = "".join(f"/{escape(str(step))}" for step in fault.absolute_path)
        raise SchemaError(f"{pointer or '/'}: not valid JSON Schema: {fault.message}") from None


def _is_legal(schema: Any) -> bool:
    """Return the answer of the fast implementation, two hundred times faster than the reference implementation."""
    try:
        check_legal(schema)
    except ValueError:
        return False
    return True


def simplified(schema: dict[str, Any]) -> Any:
    """Return an equivalent schema in plain keywords, as far as possible.

    Left over are `not` where no keyword says the opposite, and `allOf` and `oneOf` around references. None when the
    schema cannot be brought into canonical form.
    """
    canonical = _canonical_form(schema)
    return None if canonical.kind == CanonicalKind.RAW else canonical.to_json_schema()


def check_satisfiable(schema: dict[str, Any]) -> None:
    """Raise SchemaError, with pointer and reason, when no value satisfies the schema or a required part of it."""
    satisfiability = _canonical_form(schema).satisfiability()
    reasons = unsatisfiable(schema)
    faults = {pointer: reason for pointer, reason in reasons.items() if not _is_deliberate(schema, pointer, reason)}
    if satisfiability is Satisfiability.NO:
        pointer = max(faults, key=lambda place: place.count("/"), default="")
        raise SchemaError(_unsatisfiable_message(pointer, faults.get(pointer)))
    for pointer, reason in faults.items():
        if not any(branch in pointer for branch in _BRANCHES):
            raise SchemaError(_unsatisfiable_message(pointer, reason))


def _is_deliberate(schema: dict[str, Any], pointer: str, reason: UnsatisfiableReason) -> bool:
    """Whether the schema at a pointer was written as `false` (or a form of it), so that it is unsatisfiable on purpose."""
    if not isinstance(reason, UnsatisfiableReason.Empty):
        return isinstance(reason, UnsatisfiableReason.Literal)
    part = resolve(schema, pointer)
    return part.get("not") in ({}, True) or set(reason.cause.keywords) <= {"$ref", "$dynamicRef"}


def _canonical_form(schema: dict[str, Any]) -> CanonicalSchema:
    """Return the canonical form; raises SchemaError where there is none."""
    try:
        return canonical_schema(schema)
    except ValueError as fault:
        raise SchemaError(f"/: {str(fault).splitlines()[0]}") from None


def _unsatisfiable_message(pointer: str, reason: UnsatisfiableReason | None) -> str:
    """Return `pointer: no value satisfies 'minimum' and 'maximum' together`, of the keywords that cannot both hold."""
    causes = list(reason.causes) if isinstance(reason, UnsatisfiableReason.Conflict) else []
    if isinstance(reason, UnsatisfiableReason.Empty):
        causes = [reason.cause]
    keywords = list(dict.fromkeys(keyword for cause in causes for keyword in cause.keywords))
    named = [keyword for keyword in keywords if keyword != "type"] or keywords
    if not named:
        return f"{pointer or '/'}: no value satisfies this schema"
    listed = " and ".join([", ".join(map(repr, named[:-1])), repr(named[-1])] if named[1:] else [repr(named[0])])
    return f"{pointer or '/'}: no value satisfies {listed}{' together' if named[1:] else ''}"


PLACE = "x-declared-at"
"""Keyword that a folded schema carries in every part: the pointer of what it comes from."""

Part = tuple[Any, str]

_ANNOTATIONS = ("title", "description", "examples", "example")
_WITHIN = ("allOf", "anyOf", "oneOf")
_BESIDE = ("if", "then", "else")
_MOST_SOURCES = 64


def is_foldable(schema: dict[str, Any]) -> bool:
    """Whether the schema uses keywords that only its canonical form expresses in plain ones."""
    return is_oldest(schema) or any(
        word in FOLDED or (word == "$id" and pointer) or (word == "$ref" and not _is_pointer(part[word]))
        for part, pointer in schemas_in(schema)
        for word in part
    )


def folded(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the schema in plain keywords, with its annotations and order, and whether it is equivalent.

    Raises:
        SchemaError: `pointer: reason`, when a keyword is not known or a reference leads nowhere.
    """
    _check_every_part(schema)
    try:
        plain = simplified(schema)
    except SchemaError as fault:
        raise _fault_of_references(schema, "not handled; nothing in the same schema has that name") or fault from None
    if plain is None:
        return without_folding(schema), False
    return (_AnnotatedFolding(schema, plain).back() if isinstance(plain, dict) else {"allOf": [plain]}), True


def without_folding(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without the keywords that would have to be folded; values made for it must be checked.

    Raises:
        SchemaError: when it refers to something by a name, which only the canonical form resolves.
    """
    _check_every_part(schema)
    fault = _fault_of_references(schema, "not handled together with what stands around it")
    if fault is not None:
        raise fault
    is_draft_4 = is_oldest(schema)
    found: dict[str, Any] = rewrite(schema, lambda part, _: _without_folded_keywords(part, is_draft_4))
    return found


def _without_folded_keywords(schema: dict[str, Any], is_draft_4: bool) -> dict[str, Any]:
    """Return one schema without the keywords that would have to be folded; maps of subschemas stay."""
    kept = {
        word: value
        for word, value in schema.items()
        if word not in FOLDED or (word in MAPS and isinstance(value, dict))
    }
    return without_boolean_bounds(kept) if is_draft_4 else kept


def _check_every_part(schema: dict[str, Any]) -> None:
    """Raise SchemaError for an unknown keyword or an illegal pattern, anywhere in the schema."""
    for part, pointer in schemas_in(schema):
        check_keywords(part, pointer)
        check_pattern(part, pointer)


def _is_pointer(reference: Any) -> bool:
    """Whether a reference is a JSON pointer into the same schema: `#`, `#/$defs/address`."""
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def _fault_of_references(schema: dict[str, Any], reason: str) -> SchemaError | None:
    """Return the error for the first reference that is not a pointer, which is why there is no canonical form."""
    for part, pointer in schemas_in(schema):
        for word in ("$ref", "$dynamicRef"):
            if word in part and not _is_pointer(part[word]):
                return SchemaError(f"{pointer}/{word}: the reference {part[word]!r} is {reason}")
            if word in part and not _parts_at(schema, unquote(part[word][1:])):
                return SchemaError(f"{pointer}/{word}: there is nothing at {part[word]!r}")
    return None


class _AnnotatedFolding:
    """A folded schema and the one it comes from, walked side by side."""

    def __init__(self, source: dict[str, Any], plain: dict[str, Any]) -> None:
        self.source = source
        self.plain = plain
        self.is_oldest = is_oldest(source)
        self.home = "definitions" if "definitions" in plain else "$defs"
        self.known: dict[str, Any] = plain.get(self.home, {})
        self.definitions: dict[str, Any] = {}

    def back(self) -> dict[str, Any]:
        """Return the folded schema with all annotations."""
        annotated: dict[str, Any] = self.walk(self.plain, [(self.source, "")])
        return {**annotated, self.home: {**self.known, **self.definitions}} if self.known else annotated

    def walk(self, plain: Any, sources: list[Part]) -> Any:
        """Return one part of the folded schema with the annotations of its sources."""
        if not isinstance(plain, dict):
            return plain
        sources = self.with_referenced_parts(sources)
        annotated: dict[str, Any] = {}
        for schema, pointer in sources:
            annotated.setdefault(PLACE, pointer)
            for word in _ANNOTATIONS:
                if word in schema:
                    annotated.setdefault(word, schema[word])
        for word, value in plain.items():
            if word != self.home:
                annotated[word] = self.keyword(word, value, sources)
        return without_boolean_bounds(annotated) if self.is_oldest else annotated

    def keyword(self, keyword: str, value: Any, sources: list[Part]) -> Any:
        """Return the value of one keyword of the folded schema, with the annotations and the order of its sources."""
        if keyword == "$ref":
            self.define(value, sources)
            return value
        if keyword == "properties":
            return {
                name: self.walk(value[name], _schemas_of_property(sources, name)) for name in _in_order(value, sources)
            }
        if keyword == "patternProperties":
            return {name: self.walk(part, list(_parts_below(sources, keyword, name))) for name, part in value.items()}
        if keyword == "enum":
            return _in_declared_order(value, sources)
        if isinstance(value, list):
            return self.listed(keyword, value, sources)
        if keyword in {"items", "additionalItems"}:
            return self.walk(value, list(_schemas_of_later_items(sources)))
        return (
            self.walk(value, list(_parts_below(sources, keyword)))
            if keyword in {"additionalProperties", "contains"}
            else value
        )

    def listed(self, keyword: str, value: list[Any], sources: list[Part]) -> list[Any]:
        """Return a keyword whose value is a list, of schemas or not."""
        if keyword in _WITHIN:
            branches = _without_other_types(value, sources) if keyword == "anyOf" else value
            return [self.walk(branch, sources) for branch in branches]
        if keyword in {"items", "prefixItems"}:
            return [self.walk(part, _schemas_of_item(sources, index)) for index, part in enumerate(value)]
        return value

    def define(self, reference: str, sources: list[Part]) -> None:
        """Walk the target of a reference the first time it is seen."""
        name = unquote(reference.removeprefix(f"#/{self.home}/"))
        for key, value in self.known.items():
            if key not in self.definitions and name == escape(key):
                self.definitions[key] = value  # while it is walked: it may refer to itself
                self.definitions[key] = self.walk(value, sources)

    def with_referenced_parts(self, sources: list[Part]) -> list[Part]:
        """Return the parts and everything they refer to or combine, each once."""
        parts_by_pointer: dict[str, Part] = {}
        waiting = list(reversed(sources))
        while waiting and len(parts_by_pointer) < _MOST_SOURCES:
            schema, pointer = waiting.pop()
            if pointer in parts_by_pointer or not isinstance(schema, dict):
                continue
            parts_by_pointer[pointer] = (schema, pointer)
            below: list[Part] = []
            reference = schema.get("$ref")
            if isinstance(reference, str) and _is_pointer(reference):
                below += _parts_at(self.source, reference.removeprefix("#"))
            for word in _WITHIN:
                below += [(part, f"{pointer}/{word}/{at}") for at, part in enumerate(schema.get(word, ()))]
            below += [(schema[word], f"{pointer}/{word}") for word in _BESIDE if word in schema]
            for word in ("dependentSchemas", "dependencies"):
                below += [(part, f"{pointer}/{word}/{escape(name)}") for name, part in schema.get(word, {}).items()]
            waiting += reversed(below)
        return list(parts_by_pointer.values())


def _parts_at(root: dict[str, Any], place: str) -> list[Part]:
    """Return the part at a pointer, as a list of one; an empty list where nothing is there."""
    try:
        return [(resolve(root, place), place)]
    except LookupError:
        return []


def _parts_below(sources: list[Part], keyword: str, *steps: str) -> Iterator[Part]:
    """Yield the parts of the sources below a keyword and the steps after it: `properties`, `name`."""
    for schema, pointer in sources:
        part = schema.get(keyword)
        for step in steps:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None:
            yield part, "".join([f"{pointer}/{keyword}", *[f"/{escape(step)}" for step in steps]])


def _schemas_of_property(sources: list[Part], name: str) -> list[Part]:
    """Return the schemas of a property in the sources; those of undeclared properties when none names it."""
    schemas = list(_parts_below(sources, "properties", name))
    return schemas or [*_parts_below(sources, "additionalProperties"), *_parts_below(sources, "unevaluatedProperties")]


def _schemas_of_item(sources: list[Part], index: int) -> list[Part]:
    """Return the schemas that the sources have for the item at `index` of a list."""
    schemas = []
    for schema, pointer in sources:
        for word in ("prefixItems", "items"):
            if isinstance(schema.get(word), list) and index < len(schema[word]):
                schemas += [(schema[word][index], f"{pointer}/{word}/{index}")]
    return schemas or list(_schemas_of_later_items(sources))


def _schemas_of_later_items(sources: list[Part]) -> Iterator[Part]:
    """Yield the schemas that the sources have for items that no prefix names."""
    for schema, pointer in sources:
        yield from (
            (schema[word], f"{pointer}/{word}")
            for word in ("items", "additionalItems", "unevaluatedItems", "contains")
            if isinstance(schema.get(word), dict)
        )


def _in_order(names: Iterable[str], sources: list[Part]) -> list[str]:
    """Return property names as the sources declare them, others after those."""
    declared = [name for schema, _ in sources for name in schema.get("properties", ())]
    return [name for name in dict.fromkeys([*declared, *names]) if name in set(names)]


def _in_declared_order(values: list[Any], sources: list[Part]) -> list[Any]:
    """Return enum values in the order of the sources."""
    ranks = {
        repr(value): -index for schema, _ in sources for index, value in enumerate(reversed(schema.get("enum", ())))
    }
    return sorted(values, key=lambda value: ranks.get(repr(value), 1))


def _without_other_types(branches: list[Any], sources: list[Part]) -> list[Any]:
    """Return the branches without those for "any other type", when keywords tell which type is meant."""
    if any("type" in schema or "enum" in schema or "const" in schema for schema, _ in sources):
        return branches
    words = {word for schema, _ in sources for word in schema if word not in NOTES}
    named = {kind for word in words for kind in (TYPES.get(word), FOLDED.get(word)) if kind is not None}
    kept = [branch for branch in branches if _only_types(branch).isdisjoint(_OTHERS) or _only_types(branch) & named]
    return kept if named and kept else branches


_OTHERS = {"null", "boolean", "number", "integer", "string", "array", "object"}


def _only_types(branch: Any) -> set[str]:
    """Return the types that a branch names, when it says nothing else."""
    if not isinstance(branch, dict) or branch.keys() != {"type"}:
        return set()
    types = branch["type"]
    return {types} if isinstance(types, str) else set(types)
