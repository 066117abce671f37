"""Files of portable JSON prompts, in and out."""

import json
from pathlib import Path
from typing import Any

from generator.documents import Document, parse_json, read_text, validated
from generator.errors import GeneratorError, PromptError
from generator.exact_json import loads
from generator.portable.models import PortablePrompt

MODEL_SUFFIX = ".portable.json"
"""How such files are called here."""


def read_prompt(path: Path, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt in a file.

    Raises:
        GeneratorError: `error`, with `file:line:column` for text that is not JSON, `file:line: path` for what is wrong.
    """
    text = read_text(path, error)
    try:
        loads(text)
    except json.JSONDecodeError as fault:
        raise error(f"{path}:{fault.lineno}:{fault.colno}: not valid JSON: {fault.msg}") from None
    except ValueError:
        pass  # told below
    document = Document(str(path), text, parse_json(text, str(path), error))
    return check_prompt(document, error)


def check_prompt(document: Document, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt that a document holds."""
    if not isinstance(document.value, dict):
        raise error(f"{document.where()}: a prompt is an object with 'model_prompt' and 'metadata'")
    return validated(PortablePrompt, document, document.value, (), error)


def prompt_text(prompt: PortablePrompt) -> str:
    """Return the file of a prompt: its keys in the format's order, without those that are not used."""
    value: dict[str, Any] = prompt.model_dump(exclude_none=True)
    if not value["metadata"]["variables"]:
        del value["metadata"]["variables"]
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
