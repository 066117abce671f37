"""Limits that a target puts on tools, calls and results, beyond legal JSON Schema, and what holds tools, arguments and results against them.

To add one: a record in providers.yaml; or a `Profile` here, and its name in the tuple at the end.

`rewritten` changes the parameters of tools until a profile takes them, and counts what is changed by name. What a target has no keyword for is
said in the description, and a value that was allowed before is allowed after, but for objects that are closed and arguments that become null
where they could be left out.
"""

import json
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
import orjson

from generator.core.conversation import Tool
from generator.core.documents import shown
from generator.core.errors import SchemaError
from generator.core.exact_json import is_json
from generator.core.schema_walk import inlined, rewrite, schemas_in
from generator.core.yaml_values import own_data


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a target accepts. None, or an empty text: no limit."""

    name: str
    tool_name: str
    """Regular expression that the whole of a tool's name matches."""
    longest_name: int
    reserved: frozenset[str] = frozenset()
    """Names that no tool may have."""
    argument_name: str = ""
    """Regular expression that the whole of each top-level parameter's name matches."""
    needs_description: bool = False
    longest_description: int | None = None
    """Most characters."""
    most_parameters: int | None = None
    most_enum_values: int | None = None
    most_tools: int | None = None
    references: bool = True
    """Whether `$ref`, `$dynamicRef` and `$recursiveRef` may be used; without them no schema is recursive either."""
    keywords: frozenset[str] = frozenset()
    """The keywords that schemas may have; empty: all."""
    formats: frozenset[str] = frozenset()
    """The values of `format`; empty: all."""
    closed: bool = False
    """Whether every object says `additionalProperties: false`."""
    all_required: bool = False
    """Whether every property is required: what may be left out is null then."""
    nullable: bool = False
    """Whether a schema has one type, and `nullable` where null is allowed, too."""
    text_enums: bool = False
    """Whether the values of `enum` are texts."""
    types: frozenset[str] = frozenset()
    """Types of JSON Schema that parameters may have."""
    needs_object: bool = False
    """Whether `parameters`, when there are any, say `type: object` at the top."""
    combined_top: bool = True
    """Whether the top level may hold `oneOf`, `anyOf`, `allOf`, `not` or `enum`."""
    draft_7: bool = False
    """Whether the schema has to be legal under draft-07 too."""
    arguments_bytes: int | None = None
    """Most bytes (UTF-8) of the JSON text of one call's arguments."""
    result_characters: int | None = None
    result_bytes: int | None = None
    plain_results: bool = False
    """Whether results are plain text for people, and errors begin with `Error: `."""


CHARACTER = Profile(
    name="character",
    tool_name=r"[a-zA-Z][a-zA-Z0-9_]*",
    longest_name=50,
    reserved=frozenset(keyword.kwlist),
    needs_description=True,
    longest_description=199,
    most_parameters=10,
    most_enum_values=10,
    most_tools=10,
    references=False,
    types=frozenset({"string", "number", "integer", "boolean", "array", "object"}),
    needs_object=True,
    arguments_bytes=2048,
    result_characters=999,
    result_bytes=1024,
    plain_results=True,
)


class _FailedResults(msgspec.Struct, frozen=True):
    """The content of `failed_results.yaml`."""

    beginnings: tuple[str, ...]
    exception: str
    keys: frozenset[str]
    values: dict[str, Any]
    beside: frozenset[str]
    wrappers: frozenset[str]


@cache
def failed_results() -> _FailedResults:
    """Return how results say that their call failed."""
    return msgspec.convert(own_data(__file__, "failed_results.yaml"), _FailedResults)


@cache
def _failure_pattern() -> re.Pattern[str]:
    """Return a pattern of texts with which results of failed calls begin."""
    rules = failed_results()
    texts = "|".join(re.escape(text) for text in rules.beginnings)
    return re.compile(rf"\s*(?:(?:{texts})(?!(?<=\w)\w)|error\s*$|{rules.exception})", re.IGNORECASE)


def _parsed_result(text: Any) -> Any:
    """Return what a text of JSON holds (some tools return their results as JSON in a text); anything else as it is."""
    with suppress(ValueError):
        return orjson.loads(text) if isinstance(text, str) and text[:1] == "{" else text
    return text


def says_failure(result: Any) -> bool:
    """Whether a result (a text, or a value of JSON) says that its call failed: `Error: …`, `{"error": …}`, `{"result": "Error: …"}`."""
    rules = failed_results()
    while isinstance(result, dict) and len(result) == 1 and (keys := [*result])[0] in rules.wrappers:
        result = _parsed_result(result[keys[0]])
    if isinstance(result, str):
        return _failure_pattern().match(result) is not None
    if not isinstance(result, dict):
        return False
    if not rules.keys.isdisjoint(result) and any(result.get(key) for key in rules.keys):
        return True
    return not rules.beside.isdisjoint(result) and any(
        type(result.get(key)) is type(failed) and result[key] == failed for key, failed in rules.values.items()
    )


ERROR = "Error: "
"""How the text of every failed call begins, in the data model for `TOOLS`."""
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_COMBINED = ("oneOf", "anyOf", "allOf", "not", "enum")


class Excess(msgspec.Struct, frozen=True):
    """One limit that is not kept."""

    error: str
    """`DuplicateName`, `InvalidName`, `ValueError` or `ValidationError`, as the document of the data model names them."""
    field: str
    """`function.name`, `function.parameters`, …"""
    message: str

    def __str__(self) -> str:
        return f"{self.error}: {self.field}: {self.message}"


def tools_excess(tools: Sequence[Tool], profile: Profile) -> Iterator[tuple[int, Excess]]:
    """Yield what each tool exceeds, by its index, and what the list does (reported for the first tool beyond the limit)."""
    names: set[str] = set()
    for index, tool in enumerate(tools):
        if tool.name in names:
            yield index, Excess("DuplicateName", "function.name", f"{tool.name!r} is the name of an earlier tool too")
        names.add(tool.name)
        yield from ((index, excess) for excess in check_tool(tool, profile))
        if profile.most_tools is not None and index == profile.most_tools:
            yield index, Excess("ValueError", "TOOLS", f"{len(tools)} tools; {profile.most_tools} are the most")


def check_tool(tool: Tool, profile: Profile) -> Iterator[Excess]:
    """Yield what one tool exceeds."""
    yield from _check_name(tool.name, profile)
    yield from _check_description(tool.description, profile)
    if tool.parameters is not None:
        yield from (
            Excess("ValidationError", "function.parameters", message)
            for message in _check_parameters(tool.parameters, profile)
        )


def arguments_excess(arguments: dict[str, Any], profile: Profile) -> Iterator[Excess]:
    """Yield what the arguments of a call exceed."""
    if profile.arguments_bytes is not None:
        size = len(json.dumps(arguments, ensure_ascii=False).encode("utf-8", "replace"))
        if size > profile.arguments_bytes:
            message = f"{size} bytes of JSON; {profile.arguments_bytes} are the most"
            yield Excess("ValueError", "function.arguments", message)


def check_result(content: str, profile: Profile) -> Iterator[Excess]:
    """Yield what the text of a result exceeds."""
    if profile.plain_results:
        yield from (Excess("TypeError", "content", message) for message in _faults_of_plain_text(content))
    if profile.result_characters is not None and len(content) > profile.result_characters:
        message = f"{len(content)} characters; {profile.result_characters} are the most"
        yield Excess("ValueError", "content", message)
    elif profile.result_bytes is not None and len(content.encode("utf-8", "replace")) > profile.result_bytes:
        message = f"{len(content.encode('utf-8', 'replace'))} bytes; {profile.result_bytes} are the most"
        yield Excess("ValueError", "content", message)


def _faults_of_plain_text(content: str) -> Iterator[str]:
    """Yield why a result is no message in plain text, or an error that does not look like one."""
    if content[:1] in ("{", "[") and is_json(content):
        yield "JSON; plain text for people is expected"
    if not content.strip():
        yield "nothing is said; a message is expected"
    if _UNSEEN.search(content):
        yield "control characters; plain text is expected"
    if says_failure(content) and not (content.startswith(ERROR) and content[len(ERROR) :].strip()):
        yield f"an error begins with {ERROR!r} and says what is wrong"


def _check_name(name: str, profile: Profile) -> Iterator[Excess]:
    """Yield what is wrong with the name of a tool: its letters, its length, or a word of Python."""
    if re.fullmatch(profile.tool_name, name) is None:
        yield Excess("InvalidName", "function.name", f"{name!r} does not match {profile.tool_name}")
    elif name in profile.reserved:
        yield Excess("InvalidName", "function.name", f"{name!r} is a word of Python's")
    elif len(name) > profile.longest_name:
        message = f"{name!r} has {len(name)} characters; {profile.longest_name} are the most"
        yield Excess("InvalidName", "function.name", message)


def _check_description(description: str | None, profile: Profile) -> Iterator[Excess]:
    """Yield what is wrong with the description of a tool: it is missing, or too long."""
    if profile.needs_description and not (description or "").strip():
        yield Excess("ValueError", "function.description", "a description is missing")
    elif profile.longest_description is not None and len(description or "") > profile.longest_description:
        message = f"{len(description or '')} characters; {profile.longest_description} are the most"
        yield Excess("ValueError", "function.description", message)


def _check_parameters(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Yield what the parameters of a tool exceed, as messages."""
    if profile.needs_object and schema.get("type") != "object":
        yield "the top-level type must be 'object'"
    for word in () if profile.combined_top else _COMBINED:
        if word in schema:
            yield f"{word!r} may not stand at the top"
    names = list(schema.get("properties") or ())
    if profile.most_parameters is not None and len(names) > profile.most_parameters:
        yield f"{len(names)} parameters; {profile.most_parameters} are the most"
    for name in names if profile.argument_name else ():
        if re.fullmatch(profile.argument_name, name) is None:
            yield f"the parameter {name!r} does not match {profile.argument_name}"
    yield from _check_parts(schema, profile)
    if profile.draft_7 and (fault := _draft_7_fault(schema)):
        yield f"not legal under draft-07: {fault}"


def _check_parts(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Yield what the schemas within the parameters exceed: references, types, keywords, long enums."""
    for word in () if profile.references else _REFERENCES:
        if any(word in part for part in _parts(schema)):
            yield f"{word!r} is used; every definition must stand where it is needed"
    for type_name in sorted(_types(schema) - profile.types) if profile.types else ():
        yield f"the type {type_name!r}; the types are {', '.join(sorted(profile.types))}"
    yield from _messages_of_rewriting(schema, profile) if profile.keywords else ()
    if profile.most_enum_values is not None:
        for part in _parts(schema):
            values = part.get("enum")
            if isinstance(values, list) and len(values) > profile.most_enum_values:
                yield f"an enum of {len(values)} values; {profile.most_enum_values} are the most"


def _messages_of_rewriting(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Yield a message for each kind of change that `rewritten` would make, or for its fault."""
    try:
        changes = rewritten(schema, profile)[1]
    except SchemaError as fault:
        yield str(fault)
        return
    for change, times in changes.items():
        yield f"it has to be rewritten (--rewrite): {change}, {times} times"


def _types(schema: dict[str, Any]) -> set[str]:
    """Return all types that a schema names; `null` beside another one only says that a value may be left open."""
    parts = list(_parts(schema))
    branches = [branch for part in parts for word in ("anyOf", "oneOf") for branch in part.get(word, ())]
    optional = {id(branch) for branch in branches}
    types_of_parts = [(part.get("type"), id(part) in optional) for part in parts]
    type_lists = [(kinds if isinstance(kinds, list) else [kinds], is_branch) for kinds, is_branch in types_of_parts]
    return {
        kind
        for kinds, is_branch in type_lists
        for kind in kinds
        if isinstance(kind, str) and (kind != "null" or not (is_branch or len(kinds) > 1))
    }


def _parts(schema: Any) -> list[dict[str, Any]]:
    """Return the schema and all schemas in it."""
    return [part for part, _ in schemas_in(schema)]


def _draft_7_fault(schema: dict[str, Any]) -> str:
    """Return why a schema is not legal under draft-07; an empty text where it is."""
    from generator.core.offline_schemas import check_legal

    try:
        check_legal({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
    except ValueError as fault:
        return getattr(fault, "message", str(fault))
    return ""


_SILENT = frozenset(
    ["$schema", "$id", "$comment", "$anchor", "title", "examples", "deprecated", "readOnly", "writeOnly"]
)
"""Keywords that say nothing of which values are allowed."""
_SAYS_VALUES = frozenset(["type", "anyOf", "$ref", "enum", "const"])
_NULL = {"type": "null"}
Schema = dict[str, Any]


def rewritten(schema: Schema, profile: Profile) -> tuple[Schema, Counter[str]]:
    """Return a schema as the profile takes it, and how often it was changed in which way: `{"oneOf as anyOf": 2}`.

    Raises:
        SchemaError: when a reference would have to be replaced by what it is a part of.
    """
    changes: Counter[str] = Counter()
    references = sum("$ref" in part for part, _ in schemas_in(schema))
    if references and ("$ref" in schema or "$ref" not in (profile.keywords or "$ref")):
        schema = inlined(schema)
        changes["$ref inlined"] += references
    if profile.needs_object and not {"type", "anyOf", "oneOf", "allOf"} & schema.keys():
        schema = {"type": "object", **schema}
        changes["type: object"] += 1
    reworded: Schema = rewrite(schema, lambda part, _: _in_known_keywords(part, profile, changes))
    fitted: Schema = rewrite(reworded, lambda part, _: _fitted(part, profile, changes))
    return fitted, +changes


def _fitted(part: Schema, profile: Profile, changes: Counter[str]) -> Schema:
    """Return a schema, whose parts are done, in the keywords of a profile; what is dropped is said in its description and counted in `changes`."""
    if profile.nullable:
        part = _with_one_type(part, changes)
    if profile.closed and ("properties" in part or part.get("type") == "object"):
        part = _closed(part, profile, changes)
    dropped = [key for key in part if profile.keywords and key not in profile.keywords]
    if profile.formats and part.get("format", "") not in ("", *profile.formats):
        dropped.append("format")
    changes.update(f"{key} dropped" for key in dropped)
    dropped_text = ", ".join(f"{key}: {shown(part[key])}" for key in dropped if key not in _SILENT)
    kept = {key: value for key, value in part.items() if key not in dropped}
    return kept | {"description": f"{part.get('description', '')} ({dropped_text})".strip()} if dropped_text else kept


def _in_known_keywords(part: Schema, profile: Profile, changes: Counter[str]) -> Schema:
    """Return a schema with keywords that say the same in the place of some that the profile does not have."""
    keywords = profile.keywords
    if keywords and "oneOf" in part and "anyOf" not in part:
        part = {"anyOf" if key == "oneOf" else key: value for key, value in part.items()}
        changes["oneOf as anyOf"] += 1
    if keywords and "const" in part and "const" not in keywords:
        part = {"enum" if key == "const" else key: [value] if key == "const" else value for key, value in part.items()}
        changes["const as enum"] += 1
    if keywords and "allOf" not in keywords and "allOf" in part and all(isinstance(one, dict) for one in part["allOf"]):
        changes["allOf merged"] += 1
        part = _with_all_of_merged(part)
    if profile.text_enums and not all(isinstance(value, str) for value in part.get("enum", ())):
        changes["enum dropped"] += 1
        values = ", ".join(map(shown, part["enum"]))
        part = {key: value for key, value in part.items() if key != "enum"}
        part["description"] = f"{part.get('description', '')} (one of {values})".strip()
    return part


def _with_all_of_merged(part: Schema) -> Schema:
    """Return a schema with those of its `allOf` in it; what it says itself goes first."""
    merged = {key: value for key, value in part.items() if key != "allOf"}
    for branch in part["allOf"]:
        combined = {}
        if "properties" in branch:
            combined["properties"] = branch["properties"] | merged.get("properties", {})
        if "required" in branch:
            combined["required"] = list(dict.fromkeys([*merged.get("required", []), *branch["required"]]))
        merged = branch | merged | combined
    return merged


def _with_one_type(part: Schema, changes: Counter[str]) -> Schema:
    """Return a schema that names one type, and says by `nullable` that null is allowed."""
    kinds = part.get("type")
    branches = [{"type": kind} for kind in kinds] if isinstance(kinds, list) else part.get("anyOf", [])
    not_null = [branch for branch in branches if branch != _NULL]
    if not branches or (len(not_null) == len(branches) and not isinstance(kinds, list)):
        return part
    changes["null as nullable"] += len(not_null) < len(branches)
    beside = {
        key: value for key, value in part.items() if key not in (("type",) if isinstance(kinds, list) else ("anyOf",))
    }
    beside |= {"nullable": True} if len(not_null) < len(branches) else {}
    return not_null[0] | beside if len(not_null) == 1 else beside | {"anyOf": not_null}


def _closed(part: Schema, profile: Profile, changes: Counter[str]) -> Schema:
    """Return an object that takes no other keys, and in which, where the profile says so, all keys are required."""
    properties, required = part.get("properties", {}), part.get("required", [])
    if part.get("additionalProperties", True) is not False:
        changes["additionalProperties: false"] += 1
    left = [name for name in properties if name not in required] if profile.all_required else []
    changes["optional as null"] += len(left)
    closed = {name: _allowing_null(one) if name in left else one for name, one in properties.items()}
    needed = list(properties) if profile.all_required else required
    return part | {"properties": closed, "required": needed, "additionalProperties": False}


def _allowing_null(part: Any) -> Any:
    """Return a schema that allows null, too."""
    types_named = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or _SAYS_VALUES.isdisjoint(part):
        return part
    if types_named is None or "const" in part:
        branches = part["anyOf"] if part.keys() <= {"anyOf", "description", "title"} else [part]
        annotations = {key: part[key] for key in ("description", "title") if key in part and branches is not part}
        return annotations | {"anyOf": [*branches, *([] if _NULL in branches else [_NULL])]}
    kinds = types_named if isinstance(types_named, list) else [types_named]
    with_null = part | {"type": kinds if "null" in kinds else [*kinds, "null"]}
    return with_null | {"enum": [*part["enum"], None]} if "enum" in part and None not in part["enum"] else with_null


PROVIDERS = msgspec.convert(own_data(__file__, "providers.yaml"), tuple[Profile, ...])


PROFILES: dict[str, Profile] = {profile.name: profile for profile in (CHARACTER, *PROVIDERS)}
