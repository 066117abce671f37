"""Faults of a recipe: names that nothing has."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from generator.defects import DEFECTS
from generator.documents import Place, nearest
from generator.recipe.faults import RecipeFault
from generator.recipe.language import ARGUMENT_SOURCES, CUTS, RecipeModel
from generator.recipe.overrides import WAYS
from generator.recipe.recipe import Recipe

FormatOptions = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Format -> option -> values, the usual one first."""


def unknown_names(
    value: dict[str, Any],
    model: RecipeModel,
    scenarios: tuple[str, ...],
) -> Iterator[RecipeFault]:
    """Yield names of scenarios, sources, cuts and defects that there are not, and overrides of the wrong kind of key."""
    yield from _unknown("scenario", value["scenarios"], ("scenarios",), model.scenarios, scenarios)
    required = value.get("required_scenarios", [])
    own = tuple(model.scenarios)
    yield from _unknown("scenario", required, ("required_scenarios",), model.required_scenarios, own)
    yield from _unknown_parts(value, model)
    arguments = value.get("arguments", {})
    place: Place = ("arguments", "source")
    yield from _unknown("source", arguments.get("source"), place, model.arguments.source, ARGUMENT_SOURCES)
    for name, other in model.arguments.overrides.items():
        if "source" in other.model_fields_set and other.source not in ARGUMENT_SOURCES:
            near = partial(nearest, other.source, ARGUMENT_SOURCES)
            yield RecipeFault(("arguments", "overrides", name), f"unknown source {other.source!r}", near)
        elif other.source == "llm" and "#" in name:
            tool = name.partition("#")[0]
            yield RecipeFault(
                ("arguments", "overrides", name), f"llm makes all arguments of a tool at once: name the tool, {tool}"
            )
        elif "#" not in name and "source" not in other.model_fields_set:
            way = next(iter(other.model_fields_set & set(WAYS)))
            yield RecipeFault(("arguments", "overrides", name), f"{way!r} is for one argument: {name}#/argument")
    for name in model.strategies:
        if name in model.arguments.overrides:
            yield RecipeFault(
                ("strategies", name), "arguments.overrides changes this argument too; one of them is enough"
            )


def _unknown_parts(value: dict[str, Any], model: RecipeModel) -> Iterator[RecipeFault]:
    if model.documents is not None:
        yield from _unknown(
            "cut", value["documents"].get("cuts", []), ("documents", "cuts"), model.documents.cuts, CUTS
        )
    if model.preferences is not None:
        written = value["preferences"].get("defects", [])
        yield from _unknown("defect", written, ("preferences", "defects"), model.preferences.defects, tuple(DEFECTS))


def wrong_formats(
    model: RecipeModel, recipe: Recipe, formats: tuple[str, ...], format_options: FormatOptions
) -> Iterator[RecipeFault]:
    """Yield formats that there are not or that stand twice, and options that a format does not have."""
    seen: set[str] = set()
    for index, ((name, chosen), full_name) in enumerate(zip(model.formats, recipe.formats, strict=True)):
        place: Place = ("formats", index)
        options = format_options.get(name, {})
        faults = [
            (option, _wrong_option(name, option, value, options))
            for option, value in chosen
            if value not in options.get(option, ())
        ]
        if name not in formats:
            yield RecipeFault(place, f"unknown format {name!r}", partial(nearest, name, formats))
        elif faults:
            yield from (RecipeFault((*place, option), what) for option, what in faults)
        elif full_name in seen:
            yield RecipeFault(("formats",), f"{full_name!r} stands here twice")
        seen.add(full_name)


def _wrong_option(name: str, option: str, value: str, options: Mapping[str, tuple[str, ...]]) -> str:
    if option not in options:
        return f"unknown option of {name}{nearest(option, options)}" if options else f"{name} has no options"
    return f"{' or '.join(options[option])} is expected, not {value!r}"


def _unknown(
    word: str, written: Any, place: Place, names: Iterable[str], known: tuple[str, ...]
) -> Iterator[RecipeFault]:
    """Yield names that are not known, each at its place in what was written (one name, a list or a mapping)."""
    for index, name in enumerate(names):
        if name not in known:
            step: Place = (index,) if isinstance(written, list) else (name,) if isinstance(written, dict) else ()
            yield RecipeFault((*place, *step), f"unknown {word} {name!r}", partial(nearest, name, known))
