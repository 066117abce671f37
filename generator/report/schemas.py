"""What a tool's schema declares about its arguments, as far as a report needs it.

Schemas are anybody's: whatever is not understood is not reported, and nothing here raises.
"""

import hashlib
from collections import OrderedDict
from functools import lru_cache
from typing import Any

import msgspec

from generator.conversation import Tool
from generator.pointers import escape

_DEEPEST = 5
_MOST_PLACES = 200
"""Arguments of one tool that are looked at."""


class DeclaredValue(msgspec.Struct, frozen=True):
    """One place for a value in a tool's arguments."""

    slot: str
    """JSON pointer with `*` for any element of a list."""
    parent: str
    """Slot of the object that it is a property of."""
    required: bool
    enum: tuple[str, ...]
    """Values of an enum as compact JSON; empty when it has none."""
    free_text: bool
    """A string that neither an enum, a constant, a format nor a pattern limits."""
    leaf: bool
    default: Any = None


class ToolShape(msgspec.Struct, frozen=True):
    """A tool, by what it is called and takes."""

    key: str
    """Digest of its name, description and schema."""
    name: str
    places: tuple[DeclaredValue, ...]
    by_slot: dict[str, DeclaredValue]
    text: str
    """All that it says of itself, names of properties included."""


class Shapes:
    """The shapes of the tools of a file; the latest are kept, because thousands of rows offer the same few."""

    def __init__(self, most: int = 2048) -> None:
        self._known: OrderedDict[bytes, ToolShape] = OrderedDict()
        self._most = most

    def of(self, tool: Tool) -> ToolShape:
        """Return the shape of a tool."""
        try:
            digest = hashlib.blake2b(msgspec.json.encode(tool), digest_size=12).digest()
        except (ValueError, TypeError, OverflowError, RecursionError):
            digest = hashlib.blake2b(repr((tool.name, tool.description)).encode(), digest_size=12).digest()
        shape = self._known.get(digest)
        if shape is None:
            if len(self._known) >= self._most:
                self._known.popitem(last=False)
            shape = self._known[digest] = _shape(tool, digest.hex())
        return shape


def _shape(tool: Tool, key: str) -> ToolShape:
    places: list[DeclaredValue] = []
    texts = [tool.name.replace("_", " "), tool.description or ""]
    root = tool.parameters if isinstance(tool.parameters, dict) else {}
    _walk(root, root, "", 0, places, texts)
    return ToolShape(key, tool.name, tuple(places), {place.slot: place for place in places}, " ".join(texts))


def _walk(
    root: dict[str, Any], schema: Any, slot: str, depth: int, places: list[DeclaredValue], texts: list[str]
) -> None:
    """Note the properties of an object, and of what is in it."""
    if depth > _DEEPEST:
        return
    schema = _followed(root, schema)
    properties = schema.get("properties")
    required = schema.get("required")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if len(places) >= _MOST_PLACES:
            return
        inner_slot = f"{slot}/{escape(name)}"
        found = _followed(root, inner)
        texts += [
            name.replace("_", " "),
            *([found["description"]] if isinstance(found.get("description"), str) else []),
        ]
        is_required = isinstance(required, list) and name in required
        places.append(_declared(found, inner_slot, slot, required=is_required))
        _walk(root, found, inner_slot, depth + 1, places, texts)
    items = _followed(root, schema.get("items"))
    if items and schema.get("type") == "array" and len(places) < _MOST_PLACES:
        places.append(_declared(items, f"{slot}/*", slot, required=True))
        _walk(root, items, f"{slot}/*", depth + 1, places, texts)


def _declared(schema: dict[str, Any], slot: str, parent: str, *, required: bool) -> DeclaredValue:
    enum = schema.get("enum")
    values = tuple(map(written, enum)) if isinstance(enum, list) else ()
    limited = enum is not None or any(key in schema for key in ("const", "format", "pattern"))
    leaf = schema.get("type") not in ("object", "array") and "properties" not in schema and "items" not in schema
    default = schema.get("default", schema.get("const", enum[0] if isinstance(enum, list) and len(enum) == 1 else None))
    free_text = schema.get("type") == "string" and not limited
    return DeclaredValue(slot, parent, required, values, free_text, leaf, default)


def _followed(root: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return the schema with local references followed, and with the first of its alternatives that says more than null."""
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        choices = next((schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), ())
        if isinstance(reference, str) and reference.startswith("#/"):
            target: Any = root
            for step in reference[2:].split("/"):
                target = target.get(step) if isinstance(target, dict) else None
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **beside} if isinstance(target, dict) else beside
        elif choices and "type" not in schema and "properties" not in schema:
            chosen = next((c for c in choices if isinstance(c, dict) and c.get("type") != "null"), {})
            schema = {**chosen, **{key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}}
        else:
            return schema
    return {}


def written(value: Any) -> str:
    """Return a value as compact JSON, to count and compare by."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        return repr(value)[:200]


@lru_cache(maxsize=1 << 12)
def slot_of(pointer: str) -> str:
    """Return the slot of a pointer: `/stops/0/city` is `/stops/*/city`."""
    if not any(letter.isdigit() for letter in pointer):
        return pointer
    return "/".join("*" if step.isdecimal() else step for step in pointer.split("/"))
