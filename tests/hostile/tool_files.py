"""Hostile tool specs: the schemas of `schemas.py`, and wrong values for every keyword and every key of a tool."""

from collections.abc import Iterator
from typing import Any

from hostile.cases import RECIPE, TOOL, Case, changed, of_recipe
from hostile.schemas import ENDLESS, LARGE, NO_OBJECTS, REFUSED

KEYWORDS = (
    *(
        "type",
        "enum",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
    ),
    *("format", "items", "prefixItems", "contains", "minContains", "minItems", "maxItems", "uniqueItems", "properties"),
    *("patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties"),
    *(
        "dependentRequired",
        "dependentSchemas",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "$ref",
        "$dynamicRef",
        "$defs",
        "$id",
    ),
    *("$schema", "$anchor", "default", "examples", "deprecated", "contentEncoding", "unevaluatedProperties", "x-from"),
    *("x-compute", "x-minimum", "x-sort", "x-kind", "x-when", "discriminator", "nullable"),
)
OF_TOOL = (
    *("", "/type", "/function", "/function/name", "/function/description", "/function/parameters", "/function/strict"),
    *("/function/parameters/properties", "/function/parameters/required", "/function/parameters/properties/title"),
    *(
        "/returns",
        "/links",
        "/examples",
        "/examples/title",
        "/kinds",
        "/relations",
        "/phrases",
        "/phrases/request",
        "/x",
    ),
    *("/phrases/slots", "/phrases/answer", "/phrases/each", "/phrases/pick", "/phrases/synonyms", "/phrases/vary"),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0.5,
        1e308,
        2**63,
        10**399,
        "",
        "x",
        "\ud800",
        "\x00",
        "(a+)+$",
        "[",
        "(?<=a)b{1000000}",
        "x" * 50_000,
    ),
    *(
        [],
        [None],
        [[]],
        [{}],
        ["a", "a"],
        {},
        {"a": 1},
        {"$ref": "#"},
        {"a": {"$ref": "#/nowhere"}},
        {"type": "x"},
        [1e308, -1e308],
    ),
)
COMPUTED = (
    *(
        "round(args.copies, 0-999999999)",
        "9**9**9",
        "args.title * 999999999",
        "'\ud800'",
        "args",
        "args.copies.__class__",
        "((((" * 500,
    ),
    *("1/0", "len(args)", "0-" * 3000 + "1", "max()", "min(1, 'a')", "args.copies % 0", "round(1e308 * 10)"),
)
FOUND = {
    "/function/parameters/properties/title/maxItems": 10**399,
    "/function/parameters/properties/title/x-when": 10**399,
    "/returns/properties/price/x-kind": 0.5,
}
"""Values with which runs once ended in a traceback, by place."""


def always() -> Iterator[Case]:
    """Hostile computations, and what was found."""
    for place, value in FOUND.items():
        yield of_recipe(f"{place} found", RECIPE, changed(TOOL, place, value))
    for text in COMPUTED:
        yield of_recipe(f"x-compute {text[:40]}", RECIPE, changed(TOOL, "/returns/properties/price/x-compute", text))


def some() -> Iterator[Case]:
    """Everything above in the place that it is for."""
    for part in ("/function/parameters", "/returns"):
        for name, schema in (ENDLESS | REFUSED | LARGE | NO_OBJECTS).items():
            yield of_recipe(f"{part} {name}", RECIPE, changed(TOOL, part, schema))
    for keyword in KEYWORDS:
        for number, value in enumerate(VALUES):
            for place in ("/function/parameters/properties/title", "/returns/properties/price"):
                yield of_recipe(f"{place}/{keyword} value {number}", RECIPE, changed(TOOL, f"{place}/{keyword}", value))
    for place in OF_TOOL:
        for number, value in enumerate(VALUES):
            yield of_recipe(f"tool{place} value {number}", RECIPE, changed(TOOL, place, value) if place else value)
