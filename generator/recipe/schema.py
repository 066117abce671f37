"""The recipe language as a JSON Schema, so that editors complete and check recipes."""

from collections.abc import Iterable
from typing import Any

from generator.defects import DEFECTS
from generator.recipe.corpus import KINDS, CorpusModel
from generator.recipe.language import ARGUMENT_SOURCES, CUTS, RecipeModel


def recipe_schema(scenarios: Iterable[str], formats: Iterable[str]) -> dict[str, Any]:
    """Return JSON Schema (2020-12) of a recipe file of a data set, with the names that are known here."""
    names = {
        "scenarios": list(scenarios),
        "formats": list(formats),
        "sources": list(ARGUMENT_SOURCES),
        "cuts": list(CUTS),
        "defects": list(DEFECTS),
    }
    made = RecipeModel.model_json_schema(by_alias=True, mode="validation")
    schema: dict[str, Any] = _tidy(made, names)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Recipe", **schema}


def corpus_schema(
    wire: Iterable[str], rows: Iterable[str], mutations: Iterable[str], clients: Iterable[str] = ()
) -> dict[str, Any]:
    """Return JSON Schema (2020-12) of a recipe file of a corpus for parsers (`kind: corpus`)."""
    formats = ["wire", "rows", "clients", *wire, *rows, *clients]
    names = {"corpus formats": formats, "cases": list(KINDS), "mutations": list(mutations)}
    made = CorpusModel.model_json_schema(by_alias=True, mode="validation")
    schema: dict[str, Any] = _tidy(made, names)
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


def _tidy(part: Any, names: dict[str, list[str]]) -> Any:
    """Put the known names in; leave out titles that repeat a key, and defaults that say "not given"."""
    if isinstance(part, list):
        return [_tidy(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    dropped = {
        key for key, value in part.items() if (key == "title" and isinstance(value, str)) or _is_empty(key, value)
    }
    tidy = {key: _tidy(value, names) for key, value in part.items() if key not in dropped}
    known = names.get(tidy.pop("x-names", ""))  # locales are too many to list
    if known is not None:
        tidy["enum"] = known
    return tidy


def _is_empty(key: str, value: Any) -> bool:
    return key == "default" and value in ("", [], {})
