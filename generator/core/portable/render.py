"""Put values into the `{{variables}}` of a prompt. Nothing else in its text, and nothing in the values, is looked at."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from generator.core.documents import nearest
from generator.core.errors import PromptError

if TYPE_CHECKING:
    from generator.core.portable.models import PortablePrompt

_PLACE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")


def placeholders(text: str) -> list[str]:
    """Return the names between double braces, each once, in order."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with each placeholder replaced by its value, which must be there."""
    return _PLACE.sub(lambda place: values[place[1]], text)


def render(prompt: "PortablePrompt", values: Mapping[str, str | list[str]]) -> str:
    """Return the prompt's text with the values, or the defaults, of its variables.

    Raises:
        PromptError: as `texts_of` does.
    """
    return fill(prompt.model_prompt, texts_of(prompt, values))


def texts_of(prompt: "PortablePrompt", values: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Return what stands in the places of the variables: the values, or the defaults. Several values are joined by a comma.

    Raises:
        PromptError: for a value of no variable, a variable without value or default, and a value that is not allowed.
    """
    variables = {variable.name: variable for variable in prompt.metadata.variables}
    for name in values:
        if name not in variables:
            raise PromptError(f"there is no variable {name!r}{nearest(name, variables)}")
    texts: dict[str, str] = {}
    for name, variable in variables.items():
        value = values.get(name, variable.default)
        if value is None:
            if name in placeholders(prompt.model_prompt):
                raise PromptError(f"the variable {name!r} has no value and no default")
            continue
        fault = variable.fault_of(value)
        if fault:
            raise PromptError(f"the variable {name!r}: {fault}")
        texts[name] = ", ".join(value) if isinstance(value, list) else value
    return texts
