"""Synthetic tool-use data sets: planned, proven, validated, and written in many formats.

What can be imported from here is in `generator.run.api` (docs/api.md); it is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from generator.run.api import (
        Case,
        LoadedRecipe,
        MadeConversation,
        cases,
        convert,
        load_recipe,
        model_outputs,
        open_episode,
        rows,
        score,
        validate,
    )

__version__ = "0.1.0"

__all__ = [
    "Case",
    "LoadedRecipe",
    "MadeConversation",
    "cases",
    "convert",
    "load_recipe",
    "model_outputs",
    "open_episode",
    "rows",
    "score",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from generator.run import api

    return getattr(api, name)
