"""Hostile JSON Schemas by name, for `parameters` and `returns`: data for the tests in this folder."""

from typing import Any

S = {"type": "string"}


def rooted(schema: Any, **definitions: Any) -> dict[str, Any]:
    """An object whose only property has the schema."""
    return {
        "type": "object",
        "properties": {"a": schema},
        "required": ["a"],
        **({"$defs": definitions} if definitions else {}),
    }


def nested(times: int, wrap: Any, inner: Any = S) -> Any:
    for _ in range(times):
        inner = wrap(inner)
    return inner


def doubling(levels: int, wrap: Any) -> dict[str, Any]:
    """Definitions of which each refers to the next one several times."""
    names = {f"d{level}": wrap({"$ref": f"#/$defs/d{level + 1}"}) for level in range(levels)}
    return rooted({"$ref": "#/$defs/d0"}, **names, **{f"d{levels}": S})


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


ENDLESS: dict[str, Any] = {
    "holds itself": {"type": "object", "properties": {"n": {"$ref": "#"}}},
    "holds itself and a text": {"type": "object", "properties": {"a": S, "n": {"$ref": "#"}}, "required": ["a"]},
    "tree": rooted(
        ref("t"), t={"type": "object", "properties": {"v": S, "kids": {"type": "array", "items": ref("t")}}}
    ),
    "linked list": rooted(
        ref("t"),
        t={"anyOf": [{"type": "null"}, {"type": "object", "properties": {"next": ref("t")}, "required": ["next"]}]},
    ),
    "list of itself": {"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/a"}}}},
    "additional itself": {"type": "object", "additionalProperties": {"$ref": "#"}},
    "five that hold each other": rooted(
        ref("d0"),
        **{f"d{n}": {"type": "object", "properties": {f"p{m}": ref(f"d{m}") for m in range(5)}} for n in range(5)},
    ),
    "two levels of lists of itself": rooted(
        ref("t"), t={"type": "object", "properties": {k: {"type": "array", "items": ref("t")} for k in "abc"}}
    ),
}
"""They can end, so rows are made."""

REFUSED: dict[str, Any] = {
    "must hold itself": {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
    "refers to a reference": {"type": "object", "properties": {"a": {"$ref": "#/properties/a/$ref"}}},
    "refers to a type": {"type": "object", "properties": {"a": {"$ref": "#/type"}}},
    "refers to a list": rooted({"$ref": "#/required"}),
    "is itself": rooted({"$ref": "#/properties/a"}),
    "is itself, dynamically": {"$dynamicRef": "#"},
    "is itself, by a name": rooted({"$dynamicAnchor": "x", "$dynamicRef": "#x"}),
    "is itself, recursively": {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"},
    "goes round": rooted(ref("x"), x=ref("y"), y=ref("x")),
    "all of itself": {"type": "object", "properties": {"a": S}, "allOf": [{"$ref": "#"}]},
    "not itself": {"type": "object", "properties": {"a": S}, "not": {"$ref": "#"}},
    "unknown dynamic": {"type": "object", "properties": {"n": {"$dynamicRef": "#nothing"}}},
    "12 levels of four": doubling(
        12, lambda r: {"type": "object", "properties": dict.fromkeys("wxyz", r), "required": list("wxyz")}
    ),
    "2^25 of any": doubling(25, lambda r: {"anyOf": [r, r]}),
    "2^25 of all": doubling(25, lambda r: {"allOf": [r, r]}),
    "2^25 of one": doubling(25, lambda r: {"oneOf": [r, r, {"type": "null"}]}),
    "a chain of 3,000": rooted(ref("d0"), **{f"d{n}": ref(f"d{n + 1}") for n in range(3000)}, d3000=S),
    "150 deep": nested(150, rooted),
    "a pattern of 5,000 letters": rooted({"type": "string", "pattern": "a" * 5_000}),
    "a pattern of 1,600 words": rooted({"type": "string", "pattern": r"\w+" * 1_600}),
    "a property for a pattern of 5,000": rooted({"type": "object", "patternProperties": {"." * 5_000: S}}),
    "lists of two, 20 deep": rooted(nested(20, lambda inner: {"type": "array", "minItems": 2, "items": inner})),
}
"""They are refused by name."""

LARGE: dict[str, Any] = {
    "lists 20 deep": rooted(nested(20, lambda inner: {"type": "array", "items": inner})),
    "lists of objects 8 deep": rooted(nested(8, lambda inner: {"type": "array", "items": rooted(inner)})),
    "a literal pattern of 2,000": rooted({"type": "string", "pattern": "^" + "abcdefghij" * 200 + "$"}),
    "12 levels of four that may be left out": doubling(
        12, lambda r: {"type": "object", "properties": dict.fromkeys("wxyz", r)}
    ),
    "twelve that hold each other": rooted(
        ref("d0"),
        **{f"d{n}": {"type": "object", "properties": {f"p{m}": ref(f"d{m}") for m in range(12)}} for n in range(12)},
    ),
    "400 properties": {"type": "object", "properties": {f"p{n}": S for n in range(400)}},
}
"""They are large, and rows are made all the same."""

NO_OBJECTS: dict[str, Any] = {
    "text": {"type": "string"},
    "text or null": {"type": ["string", "null"]},
}
OBJECTS_AT_LEAST: dict[str, Any] = {
    "anything": {},
    "a title": {"title": "x"},
    "list or object": {"type": ["array", "object"]},
}
"""As parameters: an object all the same."""
