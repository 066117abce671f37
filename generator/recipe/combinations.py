"""Faults of a recipe: keys that cannot be combined."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Place
from generator.recipe.faults import RecipeFault
from generator.recipe.key_types import PREFERENCE_ROWS
from generator.recipe.recipe import Recipe
from generator.recipe.settings import Dedup
from generator.recipe.tools import EVERY_TOOL


def without_a_model(recipe: Recipe, uses: list[Place]) -> Iterator[RecipeFault]:
    """Yield faults for uses of a model in a recipe that names none."""
    if uses and recipe.llm is not None and not recipe.rows:
        what = "a recipe that asks a model has a number of rows: to find out how many reach all, they would be made"
        yield RecipeFault(("rows",), what)
    if recipe.scripts is not None and recipe.scripts.asked and not recipe.rows:
        yield RecipeFault(("rows",), "a recipe for which scripts are written has a number of rows")
    for place in uses if recipe.llm is None else ():
        yield RecipeFault(place, "this needs a model: add a key 'llm', for example llm: {model: local}")


def impossible_coverage(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with `rows: coverage`."""
    if recipe.coverage and recipe.split_by in ("tool", "domain"):
        yield RecipeFault(("splits", "by"), "coverage is of all tools together: splits by row go with it")
    if recipe.coverage and recipe.unique:
        yield RecipeFault(
            ("unique",), "rows aim at what coverage asks for, and cannot be made anew: one of the two keys"
        )


def impossible_passes(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with those that remove rows, and for shares that no data set has."""
    largest = dict(recipe.max_share).get("scenario", 1.0)
    if largest * len(recipe.scenarios) < 1:
        what = f"{len(recipe.scenarios)} scenarios of at most {largest:g} of the rows each are not all rows"
        yield RecipeFault(("max_share", "scenario"), what)
    if recipe.dedup == Dedup(rows=False, requests=False):
        yield RecipeFault(
            ("dedup",),
            "removes nothing: leave out `rows: false` or `requests: false`, give `near`, or leave out the key",
        )
    for key, given in (("dedup", recipe.dedup is not None), ("max_share", bool(recipe.max_share))):
        if given and recipe.unique:
            yield RecipeFault(
                (key,), "rows that are alike are made anew (`unique`), so none can be removed: one of the two keys"
            )
        if given and recipe.coverage:
            yield RecipeFault((key,), "rows aim at what coverage asks for, and cannot be removed: one of the two keys")
        if given and recipe.twins:
            yield RecipeFault(
                (key,),
                "the rows of a family of twins belong together, and have their request in common: one of the two keys",
            )


def unwritten_preferences(written: dict[str, Any], recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield a fault where a recipe says what is rejected, and no format has that."""
    is_said = written.get("preferences") is not None
    if is_said and not any(name.partition("-")[2] in PREFERENCE_ROWS for name in recipe.formats):
        yield RecipeFault(
            ("preferences",),
            "no format of the recipe writes what is rejected: add, for example, {name: trl, rows: preference}",
        )


_WITH_THOUGHTS = ("openchatml", "trl", "axolotl", "sharegpt", "swift", "anthropic", "gemini", "responses")
"""Families of formats that carry thoughts."""


def unwritten_thoughts(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield a fault where a recipe wants thoughts, and no format carries them."""
    if recipe.thoughts and not any(name.partition("-")[0] in _WITH_THOUGHTS for name in recipe.formats):
        names = " or ".join(_WITH_THOUGHTS)
        yield RecipeFault(("thoughts",), f"no format of the recipe carries thoughts: add {names} to 'formats'")


def impossible_twins(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with `twins`."""
    if recipe.no_call is not None and (recipe.twins or recipe.unique or recipe.coverage or recipe.llm is not None):
        other = next(key for key in ("twins", "unique", "coverage", "llm") if getattr(recipe, key))
        yield RecipeFault(("no_call",), f"its rows have a twin of their own making: leave out this key or '{other}'")
    if not recipe.twins:
        return
    if [name for name, _ in recipe.scenarios] != ["single"]:
        yield RecipeFault(
            ("scenarios",), "twins are made of requests for one tool: 'scenarios: single' is expected beside them"
        )
    if recipe.unique or recipe.coverage:
        what = "unique" if recipe.unique else "coverage"
        yield RecipeFault(
            (what,), "the rows of a family of twins have their request and calls in common: one of the two keys"
        )
    if recipe.llm is not None:
        yield RecipeFault(("twins",), "rows that a model is asked about have no twins")


def scrambled_thoughts(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield a fault where thoughts would name tools that have other names."""
    if recipe.overlays.scramble and recipe.thoughts:
        yield RecipeFault(
            ("overlays", "scramble"), "thoughts speak of tools by their names: leave out 'thoughts', or this"
        )


def why_unplayable(recipe: Recipe) -> str:
    """Return why rows of a recipe cannot be played as episodes; empty where they can."""
    if recipe.backend == "llm":
        return "a model answers the calls of this recipe: what it would answer to other calls is not known"
    for tool, source in recipe.backends:
        what = "recorded" if source.recorded else "http" if source.http else "command" if source.command else ""
        named = "its tools" if tool == EVERY_TOOL else f"the tool {tool!r}"
        if what == "recorded":
            return f"recorded calls answer {named}: calls that were not recorded have no answer, so it cannot be played"
        if what:
            return f"a server answers {named}: it cannot be set back to where a row begins, so it cannot be played"
    return ""


def impossible_episodes(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with a model that plays the rows."""
    why = why_unplayable(recipe) if recipe.solve is not None else ""
    if why:
        yield RecipeFault(("solve",), why)
    if recipe.solve is not None and recipe.coverage:
        yield RecipeFault(
            ("solve",), "rows aim at what coverage asks for, and a model does other things: one of the two keys"
        )
    if recipe.solve is not None and recipe.twins and recipe.solve.keep == "right":
        what = "families stay whole: `keep: all` writes the rows that no try gets right in the templates' words"
        yield RecipeFault(("solve", "keep"), what)
