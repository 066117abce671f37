"""Faults of recipes: values with a place, which are reported together; unknown names; and what a command line says in place of a recipe."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from generator.core.declared import gone_keys
from generator.core.defects import DEFECTS
from generator.core.documents import Document, Place, nearest
from generator.core.errors import RecipeError
from generator.recipe.key_types import FormatChoice
from generator.recipe.overrides import WAYS, Override
from generator.recipe.recipe import Recipe
from generator.recipe.settings import ARGUMENT_SOURCES, CUTS, RESULT_SIZES

_MOST_TOLD = 20
"""Faults that are told."""


class RecipeFault(NamedTuple):
    """A fault at a place of the recipe, with a hint at what may have been meant, which is computed when needed."""

    place: Place
    what: str
    near: Callable[[], str] = str


def raise_faults(document: Document, found: Iterable[RecipeFault]) -> None:
    """Raise RecipeError for the faults: the first ones, and how many more there are."""
    rest = iter(found)
    faults = list(islice(rest, _MOST_TOLD))
    lines = [f"{document.at(at)}: {what}{near()}" for at, what, near in faults]
    more = sum(1 for _ in rest)
    if more:
        lines.append(f"{document.path}: and {more:,} more faults")
    if lines:
        raise RecipeError("\n".join(lines))


FormatOptions = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Format -> option -> values, the usual one first."""


def unknown_names(written: dict[str, Any], recipe: Recipe, scenarios: tuple[str, ...]) -> Iterator[RecipeFault]:
    """Yield names of scenarios, sources, cuts and defects that there are not, and overrides of the wrong kind of key."""
    own = tuple(_names_in(written["scenarios"]))
    known: tuple[tuple[str, Place, tuple[str, ...]], ...] = (
        ("scenario", ("scenarios",), scenarios),
        ("scenario", ("required_scenarios",), own),
        ("size", ("results",), RESULT_SIZES),
        ("cut", ("documents", "cuts"), CUTS),
        ("defect", ("preferences", "defects"), tuple(DEFECTS)),
        ("source", ("arguments", "source"), ARGUMENT_SOURCES),
    )
    for word, place, names in known:
        yield from unknown(word, written, place, names)
    for name, other in recipe.arguments.overrides.items():
        yield from _wrong_override(written["arguments"]["overrides"][name], name, other)
    for name in recipe.arguments.strategies:
        if name in recipe.arguments.overrides:
            yield RecipeFault(
                ("strategies", name), "arguments.overrides changes this argument too; one of them is enough"
            )


def _wrong_override(written: Any, name: str, override: Override) -> Iterator[RecipeFault]:
    """Yield what is wrong with the key of an override: an unknown source, or a way that is not for it."""
    place: Place = ("arguments", "overrides", name)
    source = override.source
    if source is not None and source not in ARGUMENT_SOURCES:
        yield RecipeFault(place, f"unknown source {source!r}", partial(nearest, source, ARGUMENT_SOURCES))
    elif source == "llm" and "#" in name:
        tool = name.partition("#")[0]
        yield RecipeFault(place, f"llm makes all arguments of a tool at once: name the tool, {tool}")
    elif source is None and "#" not in name:
        way = next(way for way in WAYS if way in written)
        yield RecipeFault(place, f"{way!r} is for one argument: {name}#/argument")


def _names_in(written: Any) -> list[Any]:
    """Return the names in what was written: one name, a list or a mapping."""
    return [written] if isinstance(written, str) else list(written)


def unknown(word: str, written: Any, place: Place, known: tuple[str, ...]) -> Iterator[RecipeFault]:
    """Yield the names at a place of what was written that are not known."""
    for step in place:
        written = (written or {}).get(step)
    for index, name in enumerate(_names_in(written or ())):
        if name not in known:
            below: Place = (index,) if isinstance(written, list) else (name,) if isinstance(written, dict) else ()
            gone = gone_keys().get(".".join(map(str, (*place, name))))
            hint = partial(nearest, name, known) if gone is None else partial(str, f": it is gone; {gone}")
            yield RecipeFault((*place, *below), f"unknown {word} {name!r}", hint)


def wrong_formats(
    choices: list[FormatChoice], recipe: Recipe, formats: tuple[str, ...], format_options: FormatOptions
) -> Iterator[RecipeFault]:
    """Yield formats that there are not or that stand twice, and options that a format does not have."""
    seen: set[str] = set()
    for index, ((name, chosen), full_name) in enumerate(zip(choices, recipe.formats, strict=True)):
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
    """Return what is wrong with an option of a format."""
    if option not in options:
        return f"unknown option of {name}{nearest(option, options)}" if options else f"{name} has no options"
    return f"{' or '.join(options[option])} is expected, not {value!r}"


R = TypeVar("R", bound=msgspec.Struct)


def change(
    recipe: R,
    counted: str,
    most: int,
    *,
    count: int | None,
    seed: int | None,
    formats: tuple[str, ...],
    known: Iterable[str],
) -> R:
    """Return the recipe with what the options `--rows` (for the field `counted`, `most` at most), `--seed` and `--format` say; what is not given stays.

    Raises:
        RecipeError: for a format that is not known, and for a number out of range.
    """
    known = tuple(known)
    for name in formats:
        if name not in known:
            raise RecipeError(f"--format {name}: unknown format{nearest(name, known)}")
    if count is not None and not 1 <= count <= most:
        raise RecipeError(f"--rows {count}: a whole number from 1 to {most} is expected")
    if seed is not None and seed < 0:
        raise RecipeError(f"--seed {seed}: a whole number of at least 0 is expected")
    given = {counted: count, "seed": seed, "formats": tuple(dict.fromkeys(formats)) or None}
    return msgspec.structs.replace(recipe, **{name: value for name, value in given.items() if value is not None})
