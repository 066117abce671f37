"""litellm's list of models and their prices. It is read without importing litellm, which takes seconds."""

import importlib.util
from functools import cache
from pathlib import Path

import msgspec

from generator.core.files.regular import read_regular

_FILE = "model_prices_and_context_window_backup.json"


class KnownModel(msgspec.Struct, frozen=True):
    """One model; US dollars for a token."""

    litellm_provider: str = ""
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None


def known_model(name: str) -> KnownModel | None:
    """Return a model by litellm's name for it, with or without its provider; None for one that is not on the list."""
    models = _models()
    provider, _, bare = name.partition("/")
    found = models.get(name)
    if found is None and bare in models and _decoded(models[bare]).litellm_provider == provider:
        found = models[bare]
    return None if found is None else _decoded(found)


def _decoded(entry: msgspec.Raw) -> KnownModel:
    try:
        return msgspec.json.decode(entry, type=KnownModel)
    except msgspec.ValidationError:
        return KnownModel()


@cache
def _models() -> dict[str, msgspec.Raw]:
    found = importlib.util.find_spec("litellm")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    try:
        return msgspec.json.decode(read_regular(Path(places[0], _FILE)), type=dict[str, msgspec.Raw])
    except (LookupError, OSError, msgspec.MsgspecError):  # the file is litellm's own affair
        return {}
