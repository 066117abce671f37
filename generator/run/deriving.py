"""Derive descriptions of tools, with the kinds of values of `generator.arguments`."""

from collections.abc import Mapping, Sequence

from generator.describing import Derived, derive
from generator.kinds.names import form_of_description, kind_of_name
from generator.overlays import Pieces
from generator.toolbox import ToolSpec


class _Vocabulary:
    def kind_of(self, name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
        return kind_of_name(name, parents, is_number)

    def form_of(self, description: str) -> str | None:
        return form_of_description(description)


def derive_all(specs: Sequence[ToolSpec]) -> dict[str, Derived]:
    """Return what can be derived of the tools of one source, and what cannot."""
    return derive(specs, _Vocabulary())


def derive_pieces(specs: Sequence[ToolSpec]) -> Mapping[str, Pieces]:
    """Return the pieces alone, as `load_toolbox` wants them."""
    return {name: derived.pieces for name, derived in derive_all(specs).items()}
