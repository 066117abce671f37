"""Portable JSON prompts: a prompt with `{{variables}}` and all that is to be known about it, in one JSON file."""

from generator.portable.files import MODEL_SUFFIX, parse_prompt, read_prompt
from generator.portable.models import PortablePrompt, Variable
from generator.portable.render import placeholders, render
from generator.portable.rewriting import rewritten

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
