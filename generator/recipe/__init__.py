"""Recipes: what to make, as YAML or JSON that is checked strictly and read into plain data."""

from generator.recipe.language import ARGUMENT_SOURCES
from generator.recipe.load import change_recipe, load_recipe, load_recipe_document
from generator.recipe.recipe import (
    TWINS,
    ArgumentSettings,
    ArgumentSource,
    Dedup,
    Distribution,
    Documents,
    FakerProvider,
    LengthLimits,
    Offer,
    OnIllegal,
    Overlays,
    Override,
    Recipe,
    Script,
    Select,
    ToolFile,
    ValueFile,
    Weights,
)
from generator.recipe.schema import corpus_schema, either_schema, recipe_schema

__all__ = [
    "ARGUMENT_SOURCES",
    "TWINS",
    "ArgumentSettings",
    "ArgumentSource",
    "Dedup",
    "Distribution",
    "Documents",
    "FakerProvider",
    "LengthLimits",
    "Offer",
    "OnIllegal",
    "Overlays",
    "Override",
    "Recipe",
    "Script",
    "Select",
    "ToolFile",
    "ValueFile",
    "Weights",
    "change_recipe",
    "corpus_schema",
    "either_schema",
    "load_recipe",
    "load_recipe_document",
    "recipe_schema",
]
