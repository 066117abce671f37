"""Derive descriptions of tools, with the kinds of values of `generator.arguments`."""

from collections.abc import Sequence

from generator.describing import Derivation, derive
from generator.kinds.names import form_of_description, kind_of_name
from generator.specs.overlays import Description
from generator.toolbox import ToolSpec


class _Vocabulary:
    def kind_of(self, name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
        return kind_of_name(name, parents, is_number)

    def form_of(self, description: str) -> str | None:
        return form_of_description(description)


def derive_all(specs: Sequence[ToolSpec]) -> Derivation:
    """Return what can be derived of the tools of one source, and what cannot."""
    return derive(specs, _Vocabulary())


def derive_pieces(specs: Sequence[ToolSpec]) -> Description:
    """Return what `load_toolbox` wants of it: entities and pieces."""
    derived = derive_all(specs)
    return Description(tools={name: tool.pieces for name, tool in derived.tools.items()}, entities=derived.entities)
