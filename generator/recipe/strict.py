"""The base of all models of the recipe language."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A mapping whose keys are all known and whose values are of the type they should be."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
