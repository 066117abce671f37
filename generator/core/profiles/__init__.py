"""Limits that a target puts on tools, calls and results, beyond legal JSON Schema, and what holds tools, arguments and results against them.

To add one: a record in providers.yaml; or a `Profile` in profile.py, and its name in the tuple at the end.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
import orjson

from generator.core.conversation import Tool
from generator.core.errors import SchemaError
from generator.core.exact_json import loads
from generator.core.profiles.profile import CHARACTER, Profile
from generator.core.profiles.rewriting import rewritten
from generator.core.schema_walk import schemas_in
from generator.core.yaml_values import own_data


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
def _begins() -> re.Pattern[str]:
    known = failed_results()
    texts = "|".join(re.escape(text) for text in known.beginnings)
    return re.compile(rf"\s*(?:(?:{texts})(?!(?<=\w)\w)|error\s*$|{known.exception})", re.IGNORECASE)


def _value(text: Any) -> Any:
    """Return what a text of JSON holds, as tools have it that write their results themselves; anything else as it is."""
    with suppress(ValueError):
        return orjson.loads(text) if isinstance(text, str) and text[:1] == "{" else text
    return text


def says_failure(result: Any) -> bool:
    """Whether a result (a text, or a value of JSON) says that its call failed: `Error: …`, `{"error": …}`, `{"result": "Error: …"}`."""
    known = failed_results()
    while isinstance(result, dict) and len(result) == 1 and (inside := [*result])[0] in known.wrappers:
        result = _value(result[inside[0]])
    if isinstance(result, str):
        return _begins().match(result) is not None
    if not isinstance(result, dict):
        return False
    if not known.keys.isdisjoint(result) and any(result.get(key) for key in known.keys):
        return True
    return not known.beside.isdisjoint(result) and any(
        type(result.get(key)) is type(failed) and result[key] == failed for key, failed in known.values.items()
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
    """Yield what each tool exceeds, by its index, and what the list does (told of the first tool that is too many)."""
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
        yield from (Excess("TypeError", "content", message) for message in _not_plain(content))
    if profile.result_characters is not None and len(content) > profile.result_characters:
        message = f"{len(content)} characters; {profile.result_characters} are the most"
        yield Excess("ValueError", "content", message)
    elif profile.result_bytes is not None and len(content.encode("utf-8", "replace")) > profile.result_bytes:
        message = f"{len(content.encode('utf-8', 'replace'))} bytes; {profile.result_bytes} are the most"
        yield Excess("ValueError", "content", message)


def _not_plain(content: str) -> Iterator[str]:
    """Yield why a result is no message in plain text, or an error that does not look like one."""
    if content[:1] in ("{", "[") and _is_json(content):
        yield "JSON; plain text for people is expected"
    if not content.strip():
        yield "nothing is said; a message is expected"
    if _UNSEEN.search(content):
        yield "control characters; plain text is expected"
    if says_failure(content) and not (content.startswith(ERROR) and content[len(ERROR) :].strip()):
        yield f"an error begins with {ERROR!r} and says what is wrong"


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except ValueError:
        return False
    return True


def _check_name(name: str, profile: Profile) -> Iterator[Excess]:
    if re.fullmatch(profile.tool_name, name) is None:
        yield Excess("InvalidName", "function.name", f"{name!r} does not match {profile.tool_name}")
    elif name in profile.reserved:
        yield Excess("InvalidName", "function.name", f"{name!r} is a word of Python's")
    elif len(name) > profile.longest_name:
        message = f"{name!r} has {len(name)} characters; {profile.longest_name} are the most"
        yield Excess("InvalidName", "function.name", message)


def _check_description(description: str | None, profile: Profile) -> Iterator[Excess]:
    if profile.needs_description and not (description or "").strip():
        yield Excess("ValueError", "function.description", "a description is missing")
    elif profile.longest_description is not None and len(description or "") > profile.longest_description:
        message = f"{len(description or '')} characters; {profile.longest_description} are the most"
        yield Excess("ValueError", "function.description", message)


def _check_parameters(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
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
    for word in () if profile.references else _REFERENCES:
        if any(word in part for part in _parts(schema)):
            yield f"{word!r} is used; every definition must stand where it is needed"
    for kind in sorted(_types(schema) - profile.types) if profile.types else ():
        yield f"the type {kind!r}; the types are {', '.join(sorted(profile.types))}"
    yield from _rewriting(schema, profile) if profile.keywords else ()
    if profile.most_enum_values is not None:
        for part in _parts(schema):
            values = part.get("enum")
            if isinstance(values, list) and len(values) > profile.most_enum_values:
                yield f"an enum of {len(values)} values; {profile.most_enum_values} are the most"


def _rewriting(schema: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Yield what would have to be rewritten."""
    try:
        made = rewritten(schema, profile)[1]
    except SchemaError as fault:
        yield str(fault)
        return
    for what, times in made.items():
        yield f"it has to be rewritten (--rewrite): {what}, {times} times"


def _types(schema: dict[str, Any]) -> set[str]:
    """Return all types that a schema names; `null` beside another one only says that a value may be left open."""
    parts = list(_parts(schema))
    branches = [branch for part in parts for word in ("anyOf", "oneOf") for branch in part.get(word, ())]
    optional = {id(branch) for branch in branches}
    named = [(part.get("type"), id(part) in optional) for part in parts]
    lists = [(kinds if isinstance(kinds, list) else [kinds], is_branch) for kinds, is_branch in named]
    return {
        kind
        for kinds, is_branch in lists
        for kind in kinds
        if isinstance(kind, str) and (kind != "null" or not (is_branch or len(kinds) > 1))
    }


def _parts(schema: Any) -> list[dict[str, Any]]:
    """Return the schema and all schemas in it."""
    return [part for part, _ in schemas_in(schema)]


def _draft_7_fault(schema: dict[str, Any]) -> str:
    from generator.core.offline_schemas import check_legal

    try:
        check_legal({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
    except ValueError as fault:
        return getattr(fault, "message", str(fault))
    return ""


PROVIDERS = msgspec.convert(own_data(__file__, "providers.yaml"), tuple[Profile, ...])


PROFILES: dict[str, Profile] = {profile.name: profile for profile in (CHARACTER, *PROVIDERS)}

__all__ = [
    "CHARACTER",
    "ERROR",
    "PROFILES",
    "Excess",
    "Profile",
    "arguments_excess",
    "check_result",
    "check_tool",
    "failed_results",
    "rewritten",
    "says_failure",
    "tools_excess",
]
