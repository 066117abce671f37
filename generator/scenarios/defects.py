"""Which defects rows of a scenario can show at all, for recipes of preference data."""

from collections.abc import Collection

from generator.recipe import TWINS, Recipe
from generator.scenarios.scripts import SCRIPTED

_PARALLEL = ("parallel", "parallel_multiple", "mixed", "under_policy", *SCRIPTED)
_CHAINS = ("sequential", "fan_out", "mixed", "under_policy", *SCRIPTED)
_WITHOUT_CALLS = ("irrelevant", "near_miss")
_ONLY_IN: dict[str, Collection[str]] = {
    "missing_call": _PARALLEL,
    "serial_calls": _PARALLEL,
    "dependent_calls": _CHAINS,
    "early_stop": _CHAINS,
    "ignored_error": ("under_policy",),
    "call_instead_of_question": ("under_policy", *[name for name in SCRIPTED if name != "confirm"]),
}
_OF_TEXTS = ("call_instead_of_question", "unfounded_claim")
_OF_BOTH = ("extra_call", "ignored_error")


def why_never(defect: str, recipe: Recipe) -> str | None:
    """Return why no row of a recipe can show a defect; None where one can."""
    scenarios = [name for name, _ in recipe.scenarios]
    scenarios += [twin.scenario for twin in TWINS.values()] if recipe.twins else []
    only = _ONLY_IN.get(defect)
    if only is not None and not set(only) & set(scenarios):
        return f"no scenario of the recipe can show it; these can: {', '.join(only)}"
    if defect != "extra_call" and set(scenarios) <= set(_WITHOUT_CALLS):
        return f"no row of {', '.join(scenarios)} can show it"
    is_of_texts = defect in _OF_TEXTS
    if defect not in _OF_BOTH and is_of_texts == (recipe.train == "calls") and recipe.train not in ("all", "decisions"):
        return f"`train: {recipe.train}` leaves no message to learn in whose place it could be"
    return None
