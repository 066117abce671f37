"""Rows in other languages: which rows are, and what of a recipe has words in a language."""

from collections.abc import Sequence
from datetime import date

import msgspec

from generator.errors import PlanError
from generator.locales import pack_of
from generator.recipe import Overlays, Recipe
from generator.recipe.tools import ToolFile
from generator.seeds import Draw, stream_seed
from generator.specs.spoken import spoken_in
from generator.toolbox import LeftOut, Toolbox


def drawn_language(recipe: Recipe, seed: int, index: int) -> str:
    """Return the language of a row, from a random stream of its own."""
    place = Draw(stream_seed(seed, "language", index), date.min).rand() * sum(weight for _, weight in recipe.language)
    for language, weight in recipe.language:
        place -= weight
        if place < 0:
            return language
    return recipe.language[-1][0]


def recipe_in(language: str, recipe: Recipe) -> tuple[Recipe, list[LeftOut]]:
    """Return what of a recipe there are words for, and the scenarios that have none.

    Where the recipe has system messages, or lets some rows have one, rows in another language have one of its pack.

    Raises:
        PlanError: when no scenario has any.
    """
    pack = pack_of(language)
    scenarios = tuple([(name, weight) for name, weight in recipe.scenarios if name in pack.scenarios])
    if not scenarios:
        raise PlanError(
            f"none of the recipe's scenarios has words in {pack.name}: these have: {', '.join(pack.scenarios)}"
        )
    others = [name for name, _ in recipe.scenarios if name not in pack.scenarios]
    why = f"it has no words in {pack.name}, so that rows in {pack.name} are of other scenarios"
    left_out = [LeftOut("scenario", f"{name} in {pack.name}", why) for name in others[:1]]
    if others[1:]:
        left_out = [LeftOut("scenario", f"{others[0]} (and {len(others) - 1} more) in {pack.name}", why)]
    overlays = Overlays(system=1.0 if recipe.system else recipe.overlays.system, scramble=recipe.overlays.scramble)
    stories = recipe.stories if "story" in pack.scenarios else ()
    return msgspec.structs.replace(
        recipe, scenarios=scenarios, stories=stories, required_scenarios=(), system=(), overlays=overlays
    ), left_out


def toolbox_in(language: str, sources: Sequence[ToolFile], toolbox: Toolbox) -> Toolbox:
    """Return the tools that have phrases in a language, with these.

    Raises:
        PlanError: when none has any.
        SpecError: for a file of phrases that does not fit its tools, or lacks some.
    """
    spoken = spoken_in(language, sources, toolbox)
    if not spoken:
        name = pack_of(language).name
        raise PlanError(
            f"none of the tools has phrases in {name}: they would stand beside the file of the tools, in locales/{language}/"
        )
    return spoken
