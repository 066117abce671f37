"""Formats by name: how a conversation is written as a JSON record, and read again.

To add one: a module with `render`, `read`, `carries` and `FORMAT`, and one line in the tuple below. A module whose format
has options makes one format for each choice; a recipe names it as `{name: deepfabric, arguments: string}` or, like the
command line, by its own name: `deepfabric-string`.
"""

from generator.formats.base import Format
from generator.formats.rows import (
    alpaca,
    anthropic,
    axolotl,
    bfcl,
    deepfabric,
    gemini,
    mistral,
    openai,
    sharegpt,
    trl,
    xlam,
)
from generator.formats.texts import (
    deepseek_v3,
    deepseek_v31,
    glm45,
    granite,
    harmony,
    hermes,
    kimi_k2,
    llama3_json,
    llama_pythonic,
    mistral_text,
    openchatml,
    qwen,
    qwen3_coder,
)

_FORMATS = (
    deepfabric.FORMAT,
    deepfabric.STRING_FORMAT,
    openai.FORMAT,
    trl.FORMAT,
    trl.COMPLETION_FORMAT,
    sharegpt.FORMAT,
    mistral.FORMAT,
    mistral.V13_FORMAT,
    anthropic.FORMAT,
    gemini.FORMAT,
    axolotl.FORMAT,
    xlam.FORMAT,
    bfcl.FORMAT,
    alpaca.FORMAT,
    openchatml.FORMAT,
    *openchatml.OTHER_FORMATS,
    hermes.FORMAT,
    qwen.FORMAT,
    qwen3_coder.FORMAT,
    granite.FORMAT,
    llama3_json.FORMAT,
    llama_pythonic.FORMAT,
    mistral_text.FORMAT,
    *mistral_text.OTHER_FORMATS,
    deepseek_v3.FORMAT,
    deepseek_v31.FORMAT,
    kimi_k2.FORMAT,
    glm45.FORMAT,
    harmony.FORMAT,
)

FORMATS: dict[str, Format] = {fmt.name: fmt for fmt in _FORMATS}


def format_options(formats: dict[str, Format] = FORMATS) -> dict[str, dict[str, tuple[str, ...]]]:
    """Module name -> option -> its values, the usual one first."""
    options: dict[str, dict[str, tuple[str, ...]]] = {}
    for fmt in formats.values():
        for option, value in fmt.options:
            known = options.setdefault(fmt.family, {}).setdefault(option, ())
            options[fmt.family][option] = known if value in known else (*known, value)
    return options


__all__ = ["FORMATS", "Format", "format_options"]
