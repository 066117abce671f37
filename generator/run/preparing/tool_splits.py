"""Splits that hold out tools: which tools the rows of each split may see."""

from itertools import accumulate

from generator.core.errors import RecipeError
from generator.core.seeds import stream_seed
from generator.core.toolbox import Toolbox
from generator.recipe import Recipe


def deal(recipe: Recipe, toolbox: Toolbox, attempt: int = 0) -> dict[str, list[str]]:
    """Return names of tools by split: tools, or whole domains, assigned at random by the recipe's seed.

    Each split gets about its share of the tools, and at least one. Other attempts deal otherwise.

    Raises:
        RecipeError: when there are fewer tools (or domains) than splits.
    """
    units: dict[str, list[str]] = {}
    for name, spec in toolbox.items():
        units.setdefault(spec.domain if recipe.split_by == "domain" else name, []).append(name)
    splits = [name for name, _ in recipe.splits]
    if len(units) < len(splits):
        what = f"{len(units)} {recipe.split_by}{'s' if len(units) != 1 else ''}"
        raise RecipeError(f"{what} cannot be divided among {len(splits)} splits", ("splits",))
    order = sorted(units, key=lambda unit: stream_seed(recipe.seed, "deal", attempt, unit))
    bounds = list(accumulate(share * len(toolbox) for _, share in recipe.splits))
    dealt: dict[str, list[str]] = {split: [] for split in splits}
    at, seen = 0, 0
    for left, unit in zip(range(len(order), 0, -1), order, strict=True):
        full = dealt[splits[at]] and seen + len(units[unit]) / 2 > bounds[at]
        if at < len(splits) - 1 and dealt[splits[at]] and (full or left < len(splits) - at):
            at += 1
        dealt[splits[at]] += units[unit]
        seen += len(units[unit])
    return {split: [name for name in toolbox if name in set(names)] for split, names in dealt.items()}
