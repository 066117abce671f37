"""The defaults that a tool's schema declares, as far as a report needs them.

Schemas are anybody's: whatever is not understood is not reported, and nothing here raises.
"""

import hashlib
from collections import OrderedDict
from functools import lru_cache
from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.core.pointers import escape

_DEEPEST = 5
_MOST_PLACES = 200
"""Arguments of one tool that are looked at."""


class ToolShape(msgspec.Struct, frozen=True):
    """A tool, by what it is called and takes."""

    name: str
    defaults: dict[str, Any]
    """JSON pointer of an argument, with `*` for any element of a list -> its default, or the only value that it may have; None
    where there is none."""


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
            root = tool.parameters if isinstance(tool.parameters, dict) else {}
            shape = self._known[digest] = ToolShape(tool.name, {})
            _walk(root, root, "", 0, shape.defaults)
        return shape


def _walk(root: dict[str, Any], schema: Any, slot: str, depth: int, defaults: dict[str, Any]) -> None:
    """Note the defaults of an object's properties, and of what is in them."""
    if depth > _DEEPEST:
        return
    schema = _followed(root, schema)
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if len(defaults) >= _MOST_PLACES:
            return
        found = _followed(root, inner)
        defaults[f"{slot}/{escape(name)}"] = _default(found)
        _walk(root, found, f"{slot}/{escape(name)}", depth + 1, defaults)
    items = _followed(root, schema.get("items"))
    if items and schema.get("type") == "array" and len(defaults) < _MOST_PLACES:
        defaults[f"{slot}/*"] = _default(items)
        _walk(root, items, f"{slot}/*", depth + 1, defaults)


def _default(schema: dict[str, Any]) -> Any:
    enum = schema.get("enum")
    only = enum[0] if isinstance(enum, list) and len(enum) == 1 else None
    return schema.get("default", schema.get("const", only))


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
