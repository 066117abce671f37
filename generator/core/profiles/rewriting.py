"""Rewrite the parameters of tools until a profile takes them; what is changed is counted by name.

Nothing is made up: what a target has no keyword for is said in the description, and a value that was allowed before is allowed
after, but for objects that are closed and arguments that become null where they could be left out.
"""

from collections import Counter
from typing import Any

from generator.core.documents import shown
from generator.core.profiles.profile import Profile
from generator.core.schema_walk import inlined, rewrite, schemas_in

_SILENT = frozenset(
    ["$schema", "$id", "$comment", "$anchor", "title", "examples", "deprecated", "readOnly", "writeOnly"]
)
"""Keywords that say nothing of which values are allowed."""
_SAYS_VALUES = frozenset(["type", "anyOf", "$ref", "enum", "const"])
_NULL = {"type": "null"}
Schema = dict[str, Any]


def rewritten(schema: Schema, profile: Profile) -> tuple[Schema, Counter[str]]:
    """Return a schema as the profile takes it, and how often what was changed.

    Raises:
        SchemaError: when a reference would have to be replaced by what it is a part of.
    """
    made: Counter[str] = Counter()
    references = sum("$ref" in part for part, _ in schemas_in(schema))
    if references and ("$ref" in schema or "$ref" not in (profile.keywords or "$ref")):
        schema = inlined(schema)
        made["$ref inlined"] += references
    if profile.needs_object and not {"type", "anyOf", "oneOf", "allOf"} & schema.keys():
        schema = {"type": "object", **schema}
        made["type: object"] += 1
    said: Schema = rewrite(schema, lambda part, _: _in_known_words(part, profile, made))
    found: Schema = rewrite(said, lambda part, _: _fitted(part, profile, made))
    return found, +made


def _fitted(part: Schema, profile: Profile, made: Counter[str]) -> Schema:
    """Return a schema, whose parts are done, in the keywords of a profile."""
    if profile.nullable:
        part = _with_one_type(part, made)
    if profile.closed and ("properties" in part or part.get("type") == "object"):
        part = _closed(part, profile, made)
    dropped = [key for key in part if profile.keywords and key not in profile.keywords]
    if profile.formats and part.get("format", "") not in ("", *profile.formats):
        dropped.append("format")
    made.update(f"{key} dropped" for key in dropped)
    said = ", ".join(f"{key}: {shown(part[key])}" for key in dropped if key not in _SILENT)
    kept = {key: value for key, value in part.items() if key not in dropped}
    return kept | {"description": f"{part.get('description', '')} ({said})".strip()} if said else kept


def _in_known_words(part: Schema, profile: Profile, made: Counter[str]) -> Schema:
    """Return a schema with keywords that say the same in the place of some that the profile does not have."""
    known = profile.keywords
    if known and "oneOf" in part and "anyOf" not in part:
        part = {"anyOf" if key == "oneOf" else key: value for key, value in part.items()}
        made["oneOf as anyOf"] += 1
    if known and "const" in part and "const" not in known:
        part = {"enum" if key == "const" else key: [value] if key == "const" else value for key, value in part.items()}
        made["const as enum"] += 1
    if known and "allOf" not in known and "allOf" in part and all(isinstance(one, dict) for one in part["allOf"]):
        made["allOf merged"] += 1
        part = _merged(part)
    if profile.text_enums and not all(isinstance(value, str) for value in part.get("enum", ())):
        made["enum dropped"] += 1
        values = ", ".join(map(shown, part["enum"]))
        part = {key: value for key, value in part.items() if key != "enum"}
        part["description"] = f"{part.get('description', '')} (one of {values})".strip()
    return part


def _merged(part: Schema) -> Schema:
    """Return a schema with those of its `allOf` in it; what it says itself goes first."""
    found = {key: value for key, value in part.items() if key != "allOf"}
    for one in part["allOf"]:
        both = {}
        if "properties" in one:
            both["properties"] = one["properties"] | found.get("properties", {})
        if "required" in one:
            both["required"] = list(dict.fromkeys([*found.get("required", []), *one["required"]]))
        found = one | found | both
    return found


def _with_one_type(part: Schema, made: Counter[str]) -> Schema:
    """Return a schema that names one type, and says by `nullable` that null is allowed."""
    kinds = part.get("type")
    branches = [{"type": kind} for kind in kinds] if isinstance(kinds, list) else part.get("anyOf", [])
    others = [one for one in branches if one != _NULL]
    if not branches or (len(others) == len(branches) and not isinstance(kinds, list)):
        return part
    made["null as nullable"] += len(others) < len(branches)
    beside = {
        key: value for key, value in part.items() if key not in (("type",) if isinstance(kinds, list) else ("anyOf",))
    }
    beside |= {"nullable": True} if len(others) < len(branches) else {}
    return others[0] | beside if len(others) == 1 else beside | {"anyOf": others}


def _closed(part: Schema, profile: Profile, made: Counter[str]) -> Schema:
    """Return an object that takes no other keys, and in which, where the profile says so, all keys are required."""
    properties, required = part.get("properties", {}), part.get("required", [])
    if part.get("additionalProperties", True) is not False:
        made["additionalProperties: false"] += 1
    left = [name for name in properties if name not in required] if profile.all_required else []
    made["optional as null"] += len(left)
    closed = {name: _or_null(one) if name in left else one for name, one in properties.items()}
    needed = list(properties) if profile.all_required else required
    return part | {"properties": closed, "required": needed, "additionalProperties": False}


def _or_null(part: Any) -> Any:
    """Return a schema that allows null, too."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or _SAYS_VALUES.isdisjoint(part):
        return part
    if kind is None or "const" in part:
        branches = part["anyOf"] if part.keys() <= {"anyOf", "description", "title"} else [part]
        about = {key: part[key] for key in ("description", "title") if key in part and branches is not part}
        return about | {"anyOf": [*branches, *([] if _NULL in branches else [_NULL])]}
    kinds = kind if isinstance(kind, list) else [kind]
    both = part | {"type": kinds if "null" in kinds else [*kinds, "null"]}
    return both | {"enum": [*part["enum"], None]} if "enum" in part and None not in part["enum"] else both
