"""Portable JSON prompts: a prompt with `{{variables}}` and all that is to be known about it, in one JSON file."""

from generator.portable.files import MODEL_SUFFIX, prompt_text, read_prompt
from generator.portable.models import PortablePrompt, Variable
from generator.portable.render import placeholders, render

__all__ = ["MODEL_SUFFIX", "PortablePrompt", "Variable", "placeholders", "prompt_text", "read_prompt", "render"]
