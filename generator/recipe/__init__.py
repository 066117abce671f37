"""Recipes: what to make, as YAML or JSON that is checked strictly and read into plain data.

It may import `core` alone. Start reading at recipe.py.
"""

from generator.recipe.load import change_recipe, load_recipe
from generator.recipe.overrides import Override
from generator.recipe.recipe import TWINS, Recipe
from generator.recipe.settings import ArgumentSettings
from generator.recipe.tools import OnIllegal, ToolFile

__all__ = ["TWINS", "ArgumentSettings", "OnIllegal", "Override", "Recipe", "ToolFile", "change_recipe", "load_recipe"]
