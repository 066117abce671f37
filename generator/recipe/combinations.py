"""Faults of a recipe: keys that cannot be combined."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Place
from generator.recipe.faults import RecipeFault
from generator.recipe.key_types import PREFERENCE_ROWS
from generator.recipe.recipe import Recipe
from generator.recipe.settings import Dedup
from generator.recipe.tools import EVERY_TOOL

_Rule = tuple[object, Place, str]
"""Whether a recipe breaks the rule, and then where, and what is wrong there."""


def combination_faults(written: dict[str, Any], recipe: Recipe, uses: list[Place]) -> Iterator[RecipeFault]:
    """Yield the faults of keys that cannot be combined; `uses` are the places of the recipe that ask a model."""
    rules = (
        *_rules_of_models(recipe, uses),
        *_rules_of_formats(written, recipe),
        *_rules_of_twins(recipe),
        *_rules_of_coverage(recipe),
        *_rules_of_removed_rows(recipe),
        *_rules_of_episodes(recipe),
    )
    yield from [RecipeFault(place, what) for is_broken, place, what in rules if is_broken]


def _rules_of_models(recipe: Recipe, uses: list[Place]) -> Iterator[_Rule]:
    """Yield the rules of what asks a model."""
    what = "a recipe that asks a model has a number of rows: to find out how many reach all, they would be made"
    yield uses and recipe.llm and not recipe.rows, ("rows",), what
    is_written = recipe.scripts is not None and recipe.scripts.asked
    yield is_written and not recipe.rows, ("rows",), "a recipe for which scripts are written has a number of rows"
    for place in uses:
        yield recipe.llm is None, place, "this needs a model: add a key 'llm', for example llm: {model: local}"


_WITH_THOUGHTS = ("openchatml", "trl", "axolotl", "sharegpt", "swift", "anthropic", "gemini", "responses")
"""Families of formats that carry thoughts."""


def _rules_of_formats(written: dict[str, Any], recipe: Recipe) -> Iterator[_Rule]:
    """Yield the rules of what only some formats write."""
    families, options = zip(*[name.partition("-")[::2] for name in recipe.formats], strict=True)
    is_unwritten = written.get("preferences") is not None and not {*PREFERENCE_ROWS}.intersection(options)
    what = "no format of the recipe writes what is rejected: add, for example, {name: trl, rows: preference}"
    yield is_unwritten, ("preferences",), what
    what = "thoughts speak of tools by their names: leave out 'thoughts', or this"
    yield recipe.overlays.scramble and recipe.thoughts, ("overlays", "scramble"), what
    what = f"no format of the recipe carries thoughts: add {' or '.join(_WITH_THOUGHTS)} to 'formats'"
    yield recipe.thoughts and not {*_WITH_THOUGHTS}.intersection(families), ("thoughts",), what


def _rules_of_twins(recipe: Recipe) -> Iterator[_Rule]:
    """Yield the rules of rows that belong together."""
    other = next((key for key in ("twins", "unique", "coverage", "llm") if getattr(recipe, key)), "")
    what = f"its rows have a twin of their own making: leave out this key or '{other}'"
    yield recipe.no_call and other, ("no_call",), what
    twins, is_single = recipe.twins, [name for name, _ in recipe.scenarios] == ["single"]
    what = "twins are made of requests for one tool: 'scenarios: single' is expected beside them"
    yield twins and not is_single, ("scenarios",), what
    what = "the rows of a family of twins have their request and calls in common: one of the two keys"
    yield twins and (recipe.unique or recipe.coverage), ("unique" if recipe.unique else "coverage",), what
    yield twins and recipe.llm, ("twins",), "rows that a model is asked about have no twins"


def _rules_of_coverage(recipe: Recipe) -> Iterator[_Rule]:
    """Yield the rules of rows that aim at coverage."""
    what = "coverage is of all tools together: splits by row go with it"
    yield recipe.coverage and recipe.split_by in ("tool", "domain"), ("splits", "by"), what
    what = "rows aim at what coverage asks for, and cannot be made anew: one of the two keys"
    yield recipe.coverage and recipe.unique, ("unique",), what
    yield not recipe.rows and not recipe.coverage, ("rows",), "'rows: coverage' needs 'coverage: pairwise'"


def _rules_of_removed_rows(recipe: Recipe) -> Iterator[_Rule]:
    """Yield the rules of keys that remove rows, and of shares that no data set has."""
    largest, number = dict(recipe.max_share).get("scenario", 1.0), len(recipe.scenarios)
    what = f"{number} scenarios of at most {largest:g} of the rows each are not all rows"
    yield largest * number < 1, ("max_share", "scenario"), what
    what = "removes nothing: leave out `rows: false` or `requests: false`, give `near`, or leave out the key"
    yield recipe.dedup == Dedup(rows=False, requests=False), ("dedup",), what
    for key in ("dedup", "max_share"):
        given = getattr(recipe, key)
        what = "rows that are alike are made anew (`unique`), so none can be removed: one of the two keys"
        yield given and recipe.unique, (key,), what
        what = "rows aim at what coverage asks for, and cannot be removed: one of the two keys"
        yield given and recipe.coverage, (key,), what
        what = "the rows of a family of twins belong together, and have their request in common: one of the two keys"
        yield given and recipe.twins, (key,), what


def _rules_of_episodes(recipe: Recipe) -> Iterator[_Rule]:
    """Yield the rules of keys beside a model that plays the rows."""
    solve, why = recipe.solve, why_unplayable(recipe)
    yield solve and why, ("solve",), why
    what = "rows aim at what coverage asks for, and a model does other things: one of the two keys"
    yield solve and recipe.coverage, ("solve",), what
    is_partial = solve is not None and solve.keep == "right"
    what = "families stay whole: `keep: all` writes the rows that no try gets right in the templates' words"
    yield is_partial and recipe.twins, ("solve", "keep"), what


def why_unplayable(recipe: Recipe) -> str:
    """Return why rows of a recipe cannot be played as episodes; empty where they can."""
    if recipe.backend == "llm":
        return "a model answers the calls of this recipe: what it would answer to other calls is not known"
    for tool, source in recipe.backends:
        named = "its tools" if tool == EVERY_TOOL else f"the tool {tool!r}"
        if source.recorded:
            return f"recorded calls answer {named}: calls that were not recorded have no answer, so it cannot be played"
        if source.http or source.command:
            return f"a server answers {named}: it cannot be set back to where a row begins, so it cannot be played"
    return ""
