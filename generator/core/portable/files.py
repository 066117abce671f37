"""Files of portable JSON prompts."""

import json
from pathlib import Path

from generator.core.declared import read
from generator.core.documents import BYTE_ORDER_MARK, Document, parse_json, read_text
from generator.core.errors import GeneratorError, PromptError
from generator.core.exact_json import loads
from generator.core.portable.models import PortablePrompt

MODEL_SUFFIX = ".portable.json"
"""How such files are called here."""


def read_prompt(path: Path, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt in a file.

    Raises:
        GeneratorError: `error`, with `file:line:column` for text that is not JSON, `file:line: path` for what is wrong.
    """
    return parse_prompt(read_text(path, error, exact=True), str(path), error)


def parse_prompt(text: str, path: str, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt in the text of a file; raises as `read_prompt` does."""
    try:
        loads(text.removeprefix(BYTE_ORDER_MARK))
    except json.JSONDecodeError as fault:
        raise error(f"{path}:{fault.lineno}:{fault.colno}: not valid JSON: {fault.msg}") from None
    except ValueError:
        pass  # told below
    return check_prompt(Document(path, text, parse_json(text, path, error)), error)


def check_prompt(document: Document, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt that a document holds."""
    if not isinstance(document.value, dict):
        raise error(f"{document.where()}: a prompt is an object with 'model_prompt' and 'metadata'")
    return read(PortablePrompt, document, document.value, (), error)
