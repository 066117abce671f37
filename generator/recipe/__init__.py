"""Recipes: what to make, as YAML or JSON that is checked strictly and read into plain data.

It may import `core` alone. Start reading at recipe.py.
"""

from generator.recipe.key_types import Weights
from generator.recipe.load import change_recipe, load_recipe, load_recipe_document
from generator.recipe.overrides import Distribution, FakerProvider, Override, Script, ValueFile
from generator.recipe.recipe import TWINS, Recipe
from generator.recipe.schema import corpus_schema, either_schema, recipe_schema
from generator.recipe.settings import (
    ARGUMENT_SOURCES,
    ArgumentSettings,
    Dedup,
    Documents,
    LengthLimits,
    NoCall,
    Offer,
    Overlays,
    Preferences,
)
from generator.recipe.tools import EVERY_TOOL, ArgumentSource, OnIllegal, Select, ToolFile

__all__ = [
    "ARGUMENT_SOURCES",
    "EVERY_TOOL",
    "TWINS",
    "ArgumentSettings",
    "ArgumentSource",
    "Dedup",
    "Distribution",
    "Documents",
    "FakerProvider",
    "LengthLimits",
    "NoCall",
    "Offer",
    "OnIllegal",
    "Overlays",
    "Override",
    "Preferences",
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
