"""Portable JSON prompts: a prompt with `{{variables}}` and all that is to be known about it, in one JSON file."""

from generator.core.portable.files import MODEL_SUFFIX, parse_prompt, read_prompt
from generator.core.portable.models import PortablePrompt, Variable
from generator.core.portable.render import placeholders, render
from generator.core.portable.rewriting import rewritten

__all__ = [
    "MODEL_SUFFIX",
    "PortablePrompt",
    "Variable",
    "parse_prompt",
    "placeholders",
    "read_prompt",
    "render",
    "rewritten",
]
