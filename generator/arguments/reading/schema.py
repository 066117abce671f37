"""The front end: a JSON Schema becomes the few node kinds of nodes.py, or is refused with pointer and reason.

A schema is read as a conjunction of parts (itself, what it refers to, its allOf), so siblings of `$ref`, `allOf`
and `anyOf` need no special cases: parts are gathered, then read together. Keywords that look at a whole value (`not`,
`if`, `unevaluatedProperties`) are folded into others first (folding.py). Legal schemas for which no sensible value can be made are refused before anything is compiled.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from generator.arguments.reading.folding import (
    COMBINING,
    FOLDED,
    NOTES,
    PLACE,
    TYPES,
    check_keywords,
    check_metaschema,
    check_pattern,
    check_satisfiable,
    folded,
    has_old_references,
    is_foldable,
    without_folding,
)
from generator.arguments.reading.nodes import (
    Annotations,
    AnythingNode,
    ArrayNode,
    CheckedNode,
    ChoiceNode,
    Contains,
    EnumNode,
    Family,
    Node,
    NothingNode,
    ObjectNode,
    Property,
    ReferenceNode,
    Schema,
    StringNode,
    join_numbers,
    join_texts,
    list_shape,
)
from generator.arguments.reading.unfolding import unfolded
from generator.arguments.sampling.names_of_properties import PropertyNames, families, name_rules, property_parts
from generator.core.errors import SchemaError
from generator.core.offline_schemas import validator
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
    _checked_smallest_size(root, {})


def _check_targets(schema: dict[str, Any]) -> None:
    """Raise SchemaError for a reference whose target is not a schema."""
    for part, pointer in schemas_in(schema):
        for word in _REFERENCES:
            target = _target(schema, part, word)
            if target is not None and not isinstance(target[0], dict | bool):
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
        named_parts = (
            part_and_pointer
            for part_and_pointer in schemas_in(root)
            if reference[1:] in (part_and_pointer[0].get("$anchor"), part_and_pointer[0].get("$dynamicAnchor"))
        )
        return next(named_parts, None)
    pointer = unquote(reference[1:])
    try:
        return resolve(root, pointer), pointer
    except LookupError:
        return None


def _check_circles(schema: dict[str, Any]) -> None:
    """Raise SchemaError where a schema refers to itself for the same value, or to more schemas for it than can be read."""
    sizes: dict[str, int] = {}
    for part, pointer in schemas_in(schema):
        if not part.keys().isdisjoint(_REFERENCES):
            _count_schemas(schema, part, pointer, [], sizes)


def _count_schemas(root: dict[str, Any], schema: Any, pointer: str, above: list[str], sizes: dict[str, int]) -> int:
    """Return how many schemas hold for the same value as this one: they are read together, each as often as it is referred to."""
    if pointer in above:
        word = next((word for word in _REFERENCES if word in schema), "$ref")
        raise SchemaError(f"{above[-1]}/{word}: it leads back to itself, so it says nothing about values")
    if not isinstance(schema, dict):
        return 1
    if pointer not in sizes:
        parts = _schemas_of_same_value(root, schema, pointer)
        sizes[pointer] = 1 + sum(_count_schemas(root, part, place, [*above, pointer], sizes) for part, place in parts)
        if sizes[pointer] > MOST_PARTS:
            raise SchemaError(f"{pointer or '/'}: more than {MOST_PARTS:,} schemas hold for one value")
    return sizes[pointer]


def _schemas_of_same_value(root: dict[str, Any], schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """Yield the schemas that hold for the same value: by reference, or as parts of `allOf` and the like."""
    yield from filter(None, [_target(root, schema, word) for word in _REFERENCES])
    for word in _IN_PLACE:
        yield from ((part, f"{pointer}/{word}/{index}") for index, part in enumerate(schema.get(word, ())))
    yield from ((schema[word], f"{pointer}/{word}") for word in _ONE_IN_PLACE if word in schema)
    dependent = schema.get("dependentSchemas", {})
    yield from ((part, f"{pointer}/dependentSchemas/{escape(name)}") for name, part in dependent.items())


def _checked_smallest_size(node: Node, sizes: dict[int, int]) -> int:
    """Return a lower bound of the characters, items and properties of the smallest value."""
    if id(node) not in sizes:
        size = sizes[id(node)] = _smallest_size(node, sizes)
        if size > LARGEST:
            pointer = node.note.pointer or "/"
            raise SchemaError(f"{pointer}: the smallest value has more than {LARGEST} characters, items and properties")
    return sizes[id(node)]


def _smallest_size(node: Node, sizes_known: dict[int, int]) -> int:
    """Return a lower bound of the size of a node's smallest value; `_checked_smallest_size` holds it to the limit."""
    if isinstance(node, StringNode):
        return node.shortest + 1
    if isinstance(node, ArrayNode):
        prefix, items = (
            [_checked_smallest_size(part, sizes_known) for part in node.prefix],
            _checked_smallest_size(node.items, sizes_known),
        )
        return 1 + sum(prefix[: node.fewest]) + max(0, node.fewest - len(prefix)) * items
    if isinstance(node, ObjectNode):
        sizes = [(_checked_smallest_size(part.node, sizes_known), part.required) for part in node.properties]
        return max(node.fewest, sum(size for size, required in sizes if required)) + 1
    if isinstance(node, ChoiceNode):
        return min([_checked_smallest_size(branch, sizes_known) for branch in node.branches], default=1)
    return _checked_smallest_size(node.node, sizes_known) if isinstance(node, CheckedNode) else 1


Part = tuple[Any, str]
"""A schema that must hold, and its pointer."""

_ALL_TYPES = ("string", "number", "boolean", "null", "array", "object")
_ALONE = (NOTES - {"$defs", "definitions", "contentSchema"}) | {"type", "format"}
"""Keywords that alone are always satisfiable."""
_MOST_READS = 5000
_MOST_HOPS = 32
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
    try:
        check_limits(schema)
        wide = is_wide(schema)
        plain, is_exact = schema, True
        if is_foldable(schema):
            plain, is_exact = (without_folding(schema), False) if wide else folded(schema)
            _check_satisfiable(schema, wide)
        root, definitions, is_exact = _read(schema, plain, is_exact)
        if plain is schema:
            _check_satisfiable(schema, wide)
        if isinstance(root, NothingNode):
            raise SchemaError("/: no value satisfies this schema")
        check_size(root)
        return Schema(unfolded(root, definitions), schema, is_exact)
    except RecursionError:
        raise SchemaError("/: the schema is nested too deeply") from None


def _check_satisfiable(schema: dict[str, Any], wide: bool) -> None:
    """Raise SchemaError where no value satisfies the schema: not for wide ones, which take too long (draws will tell)."""
    if not wide and not schema.keys() <= _ALONE:
        check_satisfiable(schema)


def _read(schema: dict[str, Any], plain: dict[str, Any], is_exact: bool) -> tuple[Node, dict[str, Node], bool]:
    """Return root, targets of references by key, and exactness of the schema read in its plain form; if that is too wide, in a looser form whose values are checked."""
    try:
        reader = _Reader(plain)
        root = reader.read([(plain, "")])
    except WidthError:
        if plain is schema:
            raise
        plain, is_exact = without_folding(schema), False
        reader = _Reader(plain)
        root = reader.read([(plain, "")])
    return root, reader.definitions, is_exact and reader.is_exact


class WidthError(SchemaError):
    """A schema combines too many conditions at once."""


class _Reader:
    """One schema being read: what is known of its references so far."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.definitions: dict[str, Node] = {}
        self.is_exact = True
        self._around: dict[str, Any] = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
        self._old_references = has_old_references(root)
        self._done: dict[str, Node] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._reads = 0

    def read(self, parts: list[Part]) -> Node:
        """Return the node for values that satisfy all parts."""
        parts = list({part[1]: part for part in map(self.direct, parts)}.values())
        key = " & ".join(pointer or "#" for _, pointer in parts)
        if key in self._open:
            self._recursive.add(key)
            return ReferenceNode(key, _annotations_of(self.expand(parts)[0]))
        if key in self._done:
            return self._done[key]
        self._open.add(key)
        node = self.build(parts, 0)
        self._open.discard(key)
        if key in self._recursive:
            self.definitions[key] = node
            node = ReferenceNode(key, node.note)
        self._done[key] = node
        return node

    def expand(self, parts: list[Part]) -> tuple[list[Part], list[list[Part]], bool]:
        """Return (plain parts, groups of alternatives, whether it is satisfiable) of a conjunction."""
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
            self.check(schema, pointer)
            below: list[Part] = []
            if "$ref" in schema:
                below.append(self.target(schema["$ref"], pointer))
            if "$ref" not in schema or not self._old_references:
                plain.append(({key: value for key, value in schema.items() if key not in COMBINING}, pointer))
                below += _branches(schema, "allOf", pointer)
                groups += [_branches(schema, keyword, pointer) for keyword in ("anyOf", "oneOf") if keyword in schema]
            waiting += reversed(below)
        return plain, groups, True

    def direct(self, part: Part) -> Part:
        """Follow parts that are nothing but a reference, so that a shared target is read once."""
        for _ in range(_MOST_HOPS):
            schema, pointer = part
            if not isinstance(schema, dict) or schema.keys() - {PLACE} != {"$ref"}:
                break
            part = self.target(schema["$ref"], pointer)
        return part

    def check(self, schema: dict[str, Any], pointer: str) -> None:
        """Raise SchemaError for keywords that cannot be followed, or are left over from folding."""
        check_keywords(schema, pointer)
        for keyword in schema:
            if keyword in FOLDED and keyword != "not":
                raise SchemaError(
                    f"{schema.get(PLACE, pointer)}/{keyword}: the keyword {keyword!r} is not handled here"
                )

    def target(self, reference: str, pointer: str) -> Part:
        """Return the schema that a reference names."""
        target_pointer = unquote(reference.removeprefix("#"))
        if not reference.startswith("#") or (target_pointer and not target_pointer.startswith("/")):
            raise SchemaError(
                f"{pointer}/$ref: the reference {reference!r} is not handled; only places in the same schema ('#/…') are"
            )
        try:
            return resolve(self.root, target_pointer), target_pointer
        except LookupError:
            raise SchemaError(f"{pointer}/$ref: there is nothing at {reference!r}") from None

    def build(self, parts: list[Part], depth: int) -> Node:
        """Read a conjunction whose key is not being read yet."""
        self._reads += 1
        if self._reads > _MOST_READS or depth > _DEEPEST_CHOICE:
            what = "goes in a circle" if depth > _DEEPEST_CHOICE else "has too many combinations"
            raise WidthError(f"{parts[0][1] or '/'}: the schema {what}")
        plain, groups, possible = self.expand(parts)
        note = _annotations_of(plain)
        if not possible:
            return NothingNode(note)
        if not groups:
            return self.typed(plain, note)
        branches = []
        for branch in groups[0]:
            node = self.build_branch([*plain, branch], groups[1:], depth + 1)
            branches += [] if isinstance(node, NothingNode) else [node]
        return _choice_of(branches, note, self.exclusive(groups[0]))

    def build_branch(self, parts: list[Part], groups: list[list[Part]], depth: int) -> Node:
        """Return the node for one branch of a group; the remaining groups are still to be chosen from."""
        if not groups:
            return self.build(parts, depth)
        nodes = [self.build_branch([*parts, branch], groups[1:], depth + 1) for branch in groups[0]]
        return _choice_of([node for node in nodes if not isinstance(node, NothingNode)], Annotations())

    def exclusive(self, group: list[Part]) -> dict[str, Any]:
        """Return a `oneOf` as a self-contained schema; nothing for other groups."""
        if len(group) < 2 or not group[0][1].endswith("/oneOf/0"):
            return {}
        return {**self._around, "oneOf": [branch for branch, _ in group]}

    def alone(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a part as a self-contained schema, to check values with."""
        self.is_exact = False
        return {**self._around, **schema}

    def typed(self, plain: list[Part], note: Annotations) -> Node:
        """Return the node for plain parts, which have no references and nothing to combine."""
        schemas = [schema for schema, _ in plain]
        if any(schema.get("not", False) in ({}, True) for schema in schemas):
            return NothingNode(note)
        if any("enum" in schema or "const" in schema for schema in schemas):
            values = self.listed(schemas)
            return EnumNode(values, note) if values else NothingNode(note)
        node = self.of_types(_types(schemas), plain, note)
        if isinstance(node, NothingNode) and not any("type" in schema for schema in schemas):
            named = _types(schemas) or []  # the keywords about these types leave nothing, so it is none of them
            node = self.of_types([name for name in _ALL_TYPES if name not in named], plain, note)
        excluded = tuple(self.alone({"not": schema["not"]}) for schema in schemas if "not" in schema)
        return CheckedNode(node, excluded, note) if excluded and not isinstance(node, NothingNode) else node

    def of_types(self, types: list[str] | None, plain: list[Part], note: Annotations) -> Node:
        """Return the node for plain parts and values of some types; None stands for all types."""
        nodes = [AnythingNode(note)] if types is None else [self.of_type(name, plain, note) for name in types]
        return _choice_of([node for node in nodes if not isinstance(node, NothingNode)], note)

    def of_type(self, name: str, plain: list[Part], note: Annotations) -> Node:
        """Return the node for plain parts and values of one type."""
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
        return EnumNode((None,) if name == "null" else (True, False), note)

    def listed(self, schemas: list[dict[str, Any]]) -> tuple[Any, ...]:
        """Return the enum or const values that satisfy every part, in declared order."""
        first = next(schema for schema in schemas if "const" in schema or "enum" in schema)
        values = [first["const"]] if "const" in first else first["enum"]
        try:
            validator_of_parts = validator({**self._around, "allOf": schemas})
        except ValueError:
            return tuple(values)
        return tuple(value for value in values if validator_of_parts.is_valid(value))

    def object(self, plain: list[Part], note: Annotations) -> Node:
        """Return an object with the properties of all parts."""
        rules = name_rules(plain, self.read, self.definitions, self._around)
        required = list(dict.fromkeys(name for schema, _ in plain for name in schema.get("required", ())))
        names = dict.fromkeys([name for schema, _ in plain for name in schema.get("properties", ())] + required)
        properties = []
        for name in dict.fromkeys([*names, *rules.listed]):
            node = self.read(property_parts(plain, name)) if rules.allows(name) else NothingNode()
            if isinstance(node, NothingNode) and name in required:
                return NothingNode(note)
            if not isinstance(node, NothingNode):
                properties.append(Property(name, node, name in required))
        extras = [
            part
            for schema, pointer in plain
            for part in property_parts([({**schema, "properties": {}}, pointer)], None)
        ]
        extra = self.read(extras)
        fewest = int(max((schema.get("minProperties", 0) for schema, _ in plain), default=0))
        most = min((int(schema["maxProperties"]) for schema, _ in plain if "maxProperties" in schema), default=None)
        families_found = self.families(plain, rules, set(names), fewest)
        if most is not None and most < max(fewest, len(required)):
            return NothingNode(note)
        return ObjectNode(
            tuple(properties),
            None if isinstance(extra, NothingNode) or not rules.is_open else extra,
            any(schema is not True for schema, _ in extras),
            fewest,
            most,
            note,
            families_found,
        )

    def families(self, plain: list[Part], rules: PropertyNames, declared: set[str], fewest: int) -> tuple[Family, ...]:
        """Return undeclared properties where names matter."""
        if rules.is_open or rules.is_closed:
            return ()
        names_and_parts = families(plain, rules, declared, fewest)
        nodes = [(names, self.read(parts)) for names, parts in names_and_parts]
        return tuple(Family(names, node) for names, node in nodes if not isinstance(node, NothingNode))

    def array(self, plain: list[Part], note: Annotations) -> Node:
        """Return a list with the items of all parts."""
        places, rest = list_shape(plain)
        prefix = [self.read(parts) for parts in places]
        node = self.read(rest)
        contains = self.contains(plain, places, rest)
        fewest = int(
            max([*(schema.get("minItems", 0) for schema, _ in plain), *(part.fewest for part in contains)], default=0)
        )
        limits = [int(schema["maxItems"]) for schema, _ in plain if "maxItems" in schema]
        if isinstance(node, NothingNode):
            limits.append(len(prefix))
        limits += [index for index, place in enumerate(prefix) if isinstance(place, NothingNode)][:1]
        most = min(limits, default=None)
        if most is not None and fewest > most:
            return NothingNode(note)
        unique = any(schema.get("uniqueItems") is True for schema, _ in plain)
        self.is_exact = self.is_exact and not unique
        if any(part.fewest and isinstance(part.items, NothingNode) and not part.places for part in contains):
            return NothingNode(note)
        repeats = any(_repeats(schema.get("not")) for schema, _ in plain)
        node_of_list = ArrayNode(node, tuple(prefix[:most]), fewest, most, unique, note, contains, repeats)
        if not contains:
            return node_of_list
        schemas_of_contains = tuple(
            self.alone({word: schema[word] for word in _CONTAINS if word in schema})
            for schema, _ in plain
            if "contains" in schema
        )
        return CheckedNode(node_of_list, schemas_of_contains, note)

    def contains(self, plain: list[Part], places: list[list[Part]], rest: list[Part]) -> tuple[Contains, ...]:
        """Return the items that the list must contain."""
        kept = []
        for schema, pointer in plain:
            if "contains" not in schema:
                continue
            part = (schema["contains"], f"{pointer}/contains")
            at = tuple(self.read([*parts, part]) for parts in places)
            bounds = int(schema.get("minContains", 1)), schema.get("maxContains")
            most = None if bounds[1] is None else int(bounds[1])
            kept.append(Contains(self.alone({"allOf": [part[0]]}), self.read([*rest, part]), at, bounds[0], most))
        return tuple(kept)


_CONTAINS = ("contains", "minContains", "maxContains")


def _repeats(negated: Any) -> bool:
    """Whether a `not` asks for two equal items: `{"uniqueItems": true}`."""
    return (
        isinstance(negated, dict) and negated.get("uniqueItems") is True and negated.keys() <= {"type", "uniqueItems"}
    )


def _branches(schema: dict[str, Any], keyword: str, pointer: str) -> list[Part]:
    """Return the branches of a keyword such as `anyOf`, each with its pointer."""
    return [(branch, f"{pointer}/{keyword}/{index}") for index, branch in enumerate(schema.get(keyword, ()))]


def _choice_of(branches: Sequence[Node], note: Annotations, only_one_of: dict[str, Any] | None = None) -> Node:
    """Return a node for any of the branches: none → no value, one → that branch."""
    if not branches:
        return NothingNode(note)
    return (
        branches[0] if len(branches) == 1 and not only_one_of else ChoiceNode(tuple(branches), note, only_one_of or {})
    )


def _annotations_of(plain: list[Part]) -> Annotations:
    """Return the description, the examples and the pointer of schemas that hold together; the first description counts."""
    descriptions = (str(schema[word]) for schema, _ in plain for word in ("description", "title") if word in schema)
    examples: list[Any] = []
    for schema, _ in plain:
        examples_of_schema = schema.get("examples", [schema["example"]] if "example" in schema else [])
        examples += examples_of_schema if isinstance(examples_of_schema, list) else []
    return Annotations(next(descriptions, ""), tuple(examples), plain[0][0].get(PLACE, plain[0][1]) if plain else "")


def _types(schemas: list[dict[str, Any]]) -> list[str] | None:
    """Return the types that all parts allow, in declared order; without any `type`, those of the keywords."""
    types: list[str] | None = None
    for schema in schemas:
        if "type" in schema:
            types_of_schema = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
            types = list(types_of_schema) if types is None else _common_types(types, types_of_schema)
    if types is not None:
        return types
    types_of_keywords = {
        keyword: TYPES[keyword] for schema in schemas for keyword in schema if keyword not in NOTES if keyword in TYPES
    }
    return list(dict.fromkeys(types_of_keywords.values())) or None


def _common_types(left: list[str], right: list[str]) -> list[str]:
    """Return the types that both lists allow, in the order of the left one; an integer is a number, too."""
    common = [name for name in left if name in right or (name == "integer" and "number" in right)]
    return common + ["integer"] * ("number" in left and "number" not in right and "integer" in right)
