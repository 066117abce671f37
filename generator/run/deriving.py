"""Derive descriptions of tools, with the kinds of values of `generator.arguments`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from generator.arguments.kinds.names import form_of_description, kind_of_name
from generator.core.toolbox import ToolSpec
from generator.tools.specs.overlays import Description

if TYPE_CHECKING:  # with its lists of words, it is needed only for tools that nobody described
    from generator.tools.describing import Derivation


class _Vocabulary:
    def kind_of(self, name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
        return kind_of_name(name, parents, is_number)

    def form_of(self, description: str) -> str | None:
        return form_of_description(description)


def derive_all(specs: Sequence[ToolSpec]) -> "Derivation":
    """Return what can be derived of the tools of one source, and what cannot.

    It never raises: a tool that cannot be described is named, and the others are described without it.
    """
    from generator.tools.describing import derive

    try:
        return derive(specs, _Vocabulary())
    except Exception:  # whatever it is, it must not cost the other tools
        return _without_failing(specs)


def _without_failing(specs: Sequence[ToolSpec]) -> "Derivation":
    """Describe the tools that can be described: together, or each by itself where they fail together only."""
    from generator.tools.describing import Derivation, derive

    alone: dict[str, Derivation] = {}
    failed: dict[str, str] = {}
    for spec in specs:
        try:
            alone[spec.name] = derive([spec], _Vocabulary())
        except Exception as fault:
            failed[spec.name] = f"it cannot be described ({type(fault).__name__}: {fault})"
    try:
        found = derive([spec for spec in specs if spec.name in alone], _Vocabulary())
    except Exception:  # without what they say of each other
        found = Derivation(tools={name: one.tools[name] for name, one in alone.items()})
    return msgspec.structs.replace(found, failed=failed)


def derive_pieces(specs: Sequence[ToolSpec], is_answered: Callable[[ToolSpec], bool] = lambda _: False) -> Description:
    """Return what `load_toolbox` wants of it: entities and pieces.

    Args:
        specs: The tools of one source.
        is_answered: Whether something real answers calls of a tool, so that its results are known when they come.
    """
    derived = derive_all(specs)
    tools = {name: tool.pieces for name, tool in derived.tools.items()}
    answered = {spec.name for spec in specs if is_answered(spec)}
    unknown = {
        name: {key: why for key, why in tool.unknown.items() if key != "returns" or name not in answered}
        for name, tool in derived.tools.items()
    }
    return Description(tools=tools, entities=derived.entities, failed=derived.failed, unknown=unknown)
