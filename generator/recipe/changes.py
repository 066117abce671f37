"""What a command line says instead of a recipe: the number of rows or cases, the seed, the formats."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from generator.core.documents import nearest
from generator.core.errors import RecipeError

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
    """Return the recipe with what is said instead; what is not given stays.

    Args:
        recipe: Has `seed`, `formats` and the field that `counted` names.
        counted: The field that `--rows` sets.
        most: The largest number of them.
        count: What `--rows` says.
        seed: What `--seed` says.
        formats: What `--format` says, each time that it is given.
        known: All names of formats.

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
