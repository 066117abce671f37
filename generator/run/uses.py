"""The uses of a model besides arguments and results: judging rows."""

import msgspec

from generator.llm.asking import Asker
from generator.llm.prompts import Prompts
from generator.recipe.llm import Judge


class Uses(msgspec.Struct, frozen=True, kw_only=True):
    """A model in the making of a row."""

    asker: Asker
    prompts: Prompts
    judge: Judge | None
