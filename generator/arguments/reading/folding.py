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
        near = get_close_matches(keyword, sorted(HANDLED | FOLDED.keys()), n=1, cutoff=0.85)
        if near:
            raise SchemaError(f"{at}: unknown keyword {keyword!r}; did you mean {near[0]!r}?")
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
        _explain(schema)


def _explain(schema: Any) -> None:
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
    found = _canonical_form(schema)
    return None if found.kind == CanonicalKind.RAW else found.to_json_schema()


def check_satisfiable(schema: dict[str, Any]) -> None:
    """Raise SchemaError, with pointer and reason, when no value satisfies the schema or a required part of it."""
    hopeless = _canonical_form(schema).satisfiability()
    reasons = unsatisfiable(schema)
    faults = {pointer: why for pointer, why in reasons.items() if not _is_meant(schema, pointer, why)}
    if hopeless is Satisfiability.NO:
        pointer = max(faults, key=lambda place: place.count("/"), default="")
        raise SchemaError(_unsatisfiable_message(pointer, faults.get(pointer)))
    for pointer, why in faults.items():
        if not any(branch in pointer for branch in _BRANCHES):
            raise SchemaError(_unsatisfiable_message(pointer, why))


def _is_meant(schema: dict[str, Any], pointer: str, why: UnsatisfiableReason) -> bool:
    """Whether the schema there was written as `false` (or a form of it), so that it is unsatisfiable on purpose."""
    if not isinstance(why, UnsatisfiableReason.Empty):
        return isinstance(why, UnsatisfiableReason.Literal)
    part = resolve(schema, pointer)
    return part.get("not") in ({}, True) or set(why.cause.keywords) <= {"$ref", "$dynamicRef"}


def _canonical_form(schema: dict[str, Any]) -> CanonicalSchema:
    """Return the canonical form; raises SchemaError where there is none."""
    try:
        return canonical_schema(schema)
    except ValueError as fault:
        raise SchemaError(f"/: {str(fault).splitlines()[0]}") from None


def _unsatisfiable_message(pointer: str, why: UnsatisfiableReason | None) -> str:
    """Return `pointer: no value satisfies 'minimum' and 'maximum' together`, of the keywords that cannot both hold."""
    causes = list(why.causes) if isinstance(why, UnsatisfiableReason.Conflict) else []
    if isinstance(why, UnsatisfiableReason.Empty):
        causes = [why.cause]
    keywords = list(dict.fromkeys(keyword for cause in causes for keyword in cause.keywords))
    told = [keyword for keyword in keywords if keyword != "type"] or keywords
    if not told:
        return f"{pointer or '/'}: no value satisfies this schema"
    named = " and ".join([", ".join(map(repr, told[:-1])), repr(told[-1])] if told[1:] else [repr(told[0])])
    return f"{pointer or '/'}: no value satisfies {named}{' together' if told[1:] else ''}"


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
        word in FOLDED or (word == "$id" and pointer) or (word == "$ref" and not _is_plain(part[word]))
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
        raise _unfollowed(schema, "not handled; nothing in the same schema has that name") or fault from None
    if plain is None:
        return without_folding(schema), False
    return (_Notes(schema, plain).back() if isinstance(plain, dict) else {"allOf": [plain]}), True


def without_folding(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without the keywords that would have to be folded; values made for it must be checked.

    Raises:
        SchemaError: when it refers to something by a name, which only the canonical form resolves.
    """
    _check_every_part(schema)
    fault = _unfollowed(schema, "not handled together with what stands around it")
    if fault is not None:
        raise fault
    old = is_oldest(schema)
    found: dict[str, Any] = rewrite(schema, lambda part, _: _without_folded_keywords(part, old))
    return found


def _without_folded_keywords(schema: dict[str, Any], old: bool) -> dict[str, Any]:
    """Return one schema without the keywords that would have to be folded; maps of subschemas stay."""
    found = {
        word: value
        for word, value in schema.items()
        if word not in FOLDED or (word in MAPS and isinstance(value, dict))
    }
    return without_boolean_bounds(found) if old else found


def _check_every_part(schema: dict[str, Any]) -> None:
    """Raise SchemaError for an unknown keyword or an illegal pattern, anywhere in the schema."""
    for part, pointer in schemas_in(schema):
        check_keywords(part, pointer)
        check_pattern(part, pointer)


def _is_plain(reference: Any) -> bool:
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def _unfollowed(schema: dict[str, Any], why: str) -> SchemaError | None:
    """Return the error for the first reference that is not a pointer, which is why there is no canonical form."""
    for part, pointer in schemas_in(schema):
        for word in ("$ref", "$dynamicRef"):
            if word in part and not _is_plain(part[word]):
                return SchemaError(f"{pointer}/{word}: the reference {part[word]!r} is {why}")
            if word in part and not _parts_at(schema, unquote(part[word][1:])):
                return SchemaError(f"{pointer}/{word}: there is nothing at {part[word]!r}")
    return None


class _Notes:
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
        done: dict[str, Any] = self.walk(self.plain, [(self.source, "")])
        return {**done, self.home: {**self.known, **self.definitions}} if self.known else done

    def walk(self, plain: Any, sources: list[Part]) -> Any:
        """Return one part of the folded schema with the annotations of its sources."""
        if not isinstance(plain, dict):
            return plain
        sources = self.all_of(sources)
        done: dict[str, Any] = {}
        for schema, pointer in sources:
            done.setdefault(PLACE, pointer)
            for word in _ANNOTATIONS:
                if word in schema:
                    done.setdefault(word, schema[word])
        for word, value in plain.items():
            if word != self.home:
                done[word] = self.keyword(word, value, sources)
        return without_boolean_bounds(done) if self.is_oldest else done

    def keyword(self, word: str, value: Any, sources: list[Part]) -> Any:
        """Return one keyword of the folded schema."""
        if word == "$ref":
            self.define(value, sources)
            return value
        if word == "properties":
            return {
                name: self.walk(value[name], _schemas_of_property(sources, name)) for name in _in_order(value, sources)
            }
        if word == "patternProperties":
            return {name: self.walk(part, list(_parts_below(sources, word, name))) for name, part in value.items()}
        if word == "enum":
            return _in_declared_order(value, sources)
        if isinstance(value, list):
            return self.listed(word, value, sources)
        if word in {"items", "additionalItems"}:
            return self.walk(value, list(_schemas_of_later_items(sources)))
        return (
            self.walk(value, list(_parts_below(sources, word)))
            if word in {"additionalProperties", "contains"}
            else value
        )

    def listed(self, word: str, value: list[Any], sources: list[Part]) -> list[Any]:
        """Return a keyword whose value is a list, of schemas or not."""
        if word in _WITHIN:
            branches = _without_other_types(value, sources) if word == "anyOf" else value
            return [self.walk(branch, sources) for branch in branches]
        if word in {"items", "prefixItems"}:
            return [self.walk(part, _schemas_of_item(sources, index)) for index, part in enumerate(value)]
        return value

    def define(self, reference: str, sources: list[Part]) -> None:
        """Walk the target of a reference the first time it is seen."""
        name = unquote(reference.removeprefix(f"#/{self.home}/"))
        for key, value in self.known.items():
            if key not in self.definitions and name == escape(key):
                self.definitions[key] = value  # while it is walked: it may refer to itself
                self.definitions[key] = self.walk(value, sources)

    def all_of(self, sources: list[Part]) -> list[Part]:
        """Yield the parts and everything they refer to or combine, each once."""
        found: dict[str, Part] = {}
        waiting = list(reversed(sources))
        while waiting and len(found) < _MOST_SOURCES:
            schema, pointer = waiting.pop()
            if pointer in found or not isinstance(schema, dict):
                continue
            found[pointer] = (schema, pointer)
            below: list[Part] = []
            reference = schema.get("$ref")
            if isinstance(reference, str) and _is_plain(reference):
                below += _parts_at(self.source, reference.removeprefix("#"))
            for word in _WITHIN:
                below += [(part, f"{pointer}/{word}/{at}") for at, part in enumerate(schema.get(word, ()))]
            below += [(schema[word], f"{pointer}/{word}") for word in _BESIDE if word in schema]
            for word in ("dependentSchemas", "dependencies"):
                below += [(part, f"{pointer}/{word}/{escape(name)}") for name, part in schema.get(word, {}).items()]
            waiting += reversed(below)
        return list(found.values())


def _parts_at(root: dict[str, Any], place: str) -> list[Part]:
    """Return the part at a pointer, as a list of one; an empty list where nothing is there."""
    try:
        return [(resolve(root, place), place)]
    except LookupError:
        return []


def _parts_below(sources: list[Part], word: str, *steps: str) -> Iterator[Part]:
    """Return the parts of the sources below a keyword."""
    for schema, pointer in sources:
        found = schema.get(word)
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            yield found, "".join([f"{pointer}/{word}", *[f"/{escape(step)}" for step in steps]])


def _schemas_of_property(sources: list[Part], name: str) -> list[Part]:
    """Return the schemas of a property in the sources; those of undeclared properties when none names it."""
    found = list(_parts_below(sources, "properties", name))
    return found or [*_parts_below(sources, "additionalProperties"), *_parts_below(sources, "unevaluatedProperties")]


def _schemas_of_item(sources: list[Part], index: int) -> list[Part]:
    """Return the schemas that the sources have for the item at `index` of a list."""
    found = []
    for schema, pointer in sources:
        for word in ("prefixItems", "items"):
            if isinstance(schema.get(word), list) and index < len(schema[word]):
                found += [(schema[word][index], f"{pointer}/{word}/{index}")]
    return found or list(_schemas_of_later_items(sources))


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
        repr(value): -place for schema, _ in sources for place, value in enumerate(reversed(schema.get("enum", ())))
    }
    return sorted(values, key=lambda value: ranks.get(repr(value), 1))


def _without_other_types(branches: list[Any], sources: list[Part]) -> list[Any]:
    """Return the branches without those for "any other type", when keywords tell which type is meant."""
    if any("type" in schema or "enum" in schema or "const" in schema for schema, _ in sources):
        return branches
    words = {word for schema, _ in sources for word in schema if word not in NOTES}
    told = {kind for word in words for kind in (TYPES.get(word), FOLDED.get(word)) if kind is not None}
    kept = [branch for branch in branches if _only_types(branch).isdisjoint(_OTHERS) or _only_types(branch) & told]
    return kept if told and kept else branches


_OTHERS = {"null", "boolean", "number", "integer", "string", "array", "object"}


def _only_types(branch: Any) -> set[str]:
    """Return the types that a branch names, when it says nothing else."""
    if not isinstance(branch, dict) or branch.keys() != {"type"}:
        return set()
    named = branch["type"]
    return {named} if isinstance(named, str) else set(named)
