"""The recipe language as a JSON Schema, so that editors complete and check recipes."""

from collections.abc import Iterable
from typing import Any

from generator.core.declared import schema_of
from generator.core.defects import DEFECTS
from generator.recipe.corpus import KINDS, CorpusRecipe
from generator.recipe.recipe import Recipe
from generator.recipe.settings import ARGUMENT_SOURCES, CUTS, RESULT_SIZES


def recipe_schema(scenarios: Iterable[str], formats: Iterable[str]) -> dict[str, Any]:
    """Return JSON Schema (2020-12) of a recipe file of a data set, with the names that are known here."""
    names = {
        "scenarios": list(scenarios),
        "formats": list(formats),
        "sources": list(ARGUMENT_SOURCES),
        "results": list(RESULT_SIZES),
        "cuts": list(CUTS),
        "defects": list(DEFECTS),
    }
    schema = _named(schema_of(Recipe), names)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Recipe", **schema}


def corpus_schema(
    wire: Iterable[str], rows: Iterable[str], mutations: Iterable[str], clients: Iterable[str] = ()
) -> dict[str, Any]:
    """Return JSON Schema (2020-12) of a recipe file of a corpus for parsers (`kind: corpus`)."""
    formats = ["wire", "rows", "clients", *wire, *rows, *clients]
    names = {"corpus formats": formats, "cases": list(KINDS), "mutations": list(mutations)}
    schema = _named(schema_of(CorpusRecipe), names)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Recipe of a corpus", **schema}


def either_schema(data_set: dict[str, Any], corpus: dict[str, Any]) -> dict[str, Any]:
    """Return one schema for both kinds of recipes: those with the key `kind` are of corpora."""
    kinds = [
        {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}
        for schema in (corpus, data_set)
    ]
    return {
        "$schema": data_set["$schema"],
        "title": "Recipe",
        "$defs": {**data_set.get("$defs", {}), **corpus.get("$defs", {})},
        "type": "object",
        "if": {"required": ["kind"]},
        "then": kinds[0],
        "else": kinds[1],
    }


def _named(part: Any, names: dict[str, list[str]]) -> Any:
    """Put the names in that are known here."""
    if isinstance(part, list):
        return [_named(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    named = {key: _named(value, names) for key, value in part.items()}
    known = names.get(named.pop("x-names", ""))  # locales are too many to list
    return named if known is None else {**named, "enum": known}
