"""The tools of a recipe, as it wants them: loaded, refused where settings do not fit them, fitted to what answers their calls."""

from functools import partial

import msgspec

from generator.arguments import check_locale
from generator.core.documents import nearest
from generator.core.errors import RecipeError
from generator.core.profiles import PROFILES
from generator.core.toolbox import Toolbox, ToolSpec
from generator.recipe import Override, Recipe
from generator.run.deriving import derive_pieces
from generator.run.preparing.faults import with_lines
from generator.scenarios import DOCUMENT_SCENARIOS
from generator.tools.specs.load import LoadedTools, load_tools


def load(recipe: Recipe) -> LoadedTools:
    """Load the tools of a recipe, and name those that cannot be used."""
    profile = PROFILES[recipe.profile] if recipe.profile else None
    with with_lines(recipe):
        derive = partial(derive_pieces, is_answered=partial(_is_answered, recipe))
        loaded = load_tools(recipe.tools, profile=profile, seed=recipe.seed, derive=derive)
        toolbox = loaded.toolbox
        if not toolbox:
            raise RecipeError("the recipe leaves out every tool it loads", ("tools",))
        check_locale(recipe.arguments.locale)
        _check_overrides(recipe, toolbox)
        _check_shares(recipe, toolbox)
    toolbox = {name: _without_fixed(_as_answered(spec, recipe), recipe) for name, spec in toolbox.items()}
    return LoadedTools(toolbox, loaded.left_out)


def _is_answered(recipe: Recipe, spec: ToolSpec) -> bool:
    """Whether something real answers calls of a tool."""
    return recipe.backend == "llm" or recipe.answered_by(spec) is not None


def _as_answered(spec: ToolSpec, recipe: Recipe) -> ToolSpec:
    """Return the tool without an effect that nobody wrote by hand where a real backend answers its calls, which knows better what they do.

    The errors of a Python module are plain text, and under a profile that asks for that all errors are.
    """
    source = recipe.answered_by(spec)
    if source is not None and spec.origins.get("effect") in ("derived", "model"):
        spec = msgspec.structs.replace(spec, effect=None)
    is_plain = recipe.profile is not None and PROFILES[recipe.profile].plain_results
    if is_plain or (source is not None and source.python is not None):
        spec = msgspec.structs.replace(spec, plain_errors=True)
    return spec


def _check_overrides(recipe: Recipe, toolbox: Toolbox) -> None:
    places = [("arguments", "overrides", key) for key in recipe.arguments.overrides]
    for place in [*places, *[("strategies", key) for key in recipe.arguments.strategies]]:
        tool = place[-1].partition("#")[0]
        if tool not in toolbox:
            raise RecipeError(f"there is no tool {tool!r}{nearest(tool, toolbox)}", place)


_WITHOUT_CALLS = frozenset({"irrelevant", "near_miss", "direct_answer", *DOCUMENT_SCENARIOS})
"""Scenarios with rows that call nothing."""


def _check_shares(recipe: Recipe, toolbox: Toolbox) -> None:
    """Raise RecipeError for a largest share of a tool with which all tools together are in fewer than all rows."""
    largest = dict(recipe.max_share).get("tool", 1.0)
    if largest * len(toolbox) < 1 and _WITHOUT_CALLS.isdisjoint(name for name, _ in recipe.scenarios):
        what = (
            f"{len(toolbox)} tools in at most {largest:g} of the rows each are not in all rows, and each row calls one"
        )
        raise RecipeError(what, ("max_share", "tool"))


def _without_fixed(spec: ToolSpec, recipe: Recipe) -> ToolSpec:
    """Return the tool without asking for several values of an argument for which the recipe leaves one value only."""
    overrides = recipe.arguments.overrides
    fixed = {slot for slot in spec.phrases.vary if len(overrides.get(f"{spec.name}#/{slot}", Override()).choose) == 1}
    if not fixed:
        return spec
    vary = tuple(slot for slot in spec.phrases.vary if slot not in fixed)
    return msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, vary=vary))
