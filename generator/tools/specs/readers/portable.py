"""A portable JSON prompt, offered as a tool."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document
from generator.core.errors import SpecError
from generator.core.portable import check_prompt
from generator.tools.specs.found import FoundTool
from generator.tools.specs.prompt_tools import tool_of_prompt

KIND = "portable"


def recognises(value: Any) -> bool:
    """Whether this is such a prompt."""
    return isinstance(value, dict) and "model_prompt" in value


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the one tool of a prompt."""
    yield tool_of_prompt(check_prompt(document, SpecError), document, domain)
