"""Makers of objects: which properties there are, and how many."""

from collections.abc import Callable
from typing import Any

from generator.arguments.vocabulary.words import WORDS
from generator.core.seeds import Draw

Maker = Callable[[Draw], Any]
Fields = tuple[tuple[str, Maker, bool], ...]
"""Name, maker and whether it is required, of each declared property."""


def simple_object_maker(fields: Fields, optional: float) -> Maker:
    """Return a maker of objects with all required properties, and each optional one with its probability."""
    if all(required for _, _, required in fields):
        pairs = tuple((name, maker) for name, maker, _ in fields)
        return lambda draw: {name: maker(draw) for name, maker in pairs}

    def make(draw: Draw) -> dict[str, Any]:
        return {name: maker(draw) for name, maker, required in fields if required or draw.rand() < optional}

    return make


def _counted(fields: Fields, optional: float, bounds: tuple[int, int]) -> Maker:
    """Return a maker of declared properties, as many as the bounds want as far as there are enough."""
    fewest, most = bounds

    def make(draw: Draw) -> dict[str, Any]:
        kept = [required or draw.rand() < optional for _, _, required in fields]
        spare = [at for at, (_, _, required) in enumerate(fields) if not required]
        for at in draw.shuffled(spare):
            count = sum(kept)
            if count < fewest or count > most:
                kept[at] = count < fewest
        made: dict[str, Any] = {name: maker(draw) for (name, maker, _), keep in zip(fields, kept, strict=True) if keep}
        return made

    return make


def family_object(
    fields: Fields,
    optional: float,
    bounds: tuple[int, int],
    families: tuple[tuple[str, Maker], ...],
    is_open: bool,
) -> Maker:
    """Return a maker of objects with undeclared properties of known names: always some if nothing is declared."""
    fewest, most = bounds
    declared = _counted(fields, optional, bounds)

    def make(draw: Draw) -> dict[str, Any]:
        made: dict[str, Any] = declared(draw)
        more = 1 + int(draw.rand() * 2) if is_open or draw.rand() < optional else 0
        wanted = min(max(fewest, len(made) + more), most)
        if wanted > len(made):
            for name, maker in draw.shuffled(families)[: wanted - len(made)]:
                made[name] = maker(draw)
        return made

    return make


def counted_object(
    fields: Fields, optional: float, bounds: tuple[int, int], extra: Maker | None, known: tuple[str, ...]
) -> Maker:
    """Return a maker of objects with a bounded number of properties, or with undeclared ones, first of all of known names."""
    fewest, most = bounds
    declared = _counted(fields, optional, bounds)

    def make(draw: Draw) -> dict[str, Any]:
        made: dict[str, Any] = declared(draw)
        if extra is not None:
            wanted = min(max(fewest, len(made) + 1 + int(draw.rand() * 2)), most)
            names = draw.shuffled(known) + draw.shuffled(WORDS) if wanted > len(known) else draw.shuffled(known)
            for name in names:
                if len(made) >= wanted:
                    break
                if name not in made:
                    made[name] = extra(draw)
            for number in range(2, 2 + fewest - len(made)):
                made[f"{names[number % len(names)]}_{number}"] = extra(draw)
        return made

    return make
