"""Files of rows: how a conversation is written as a JSON record and read again (`rows`, `texts`), and what a record must keep (`rules`).

Beside them: how models write calls (`wire`), files that appear only when whole (`sinks`), the folder of a run (`run_folder`),
records of any file (`files`). It may import `llm`, `recipe` and `core`. Start reading at format.py.

To add one: a module in `rows/` with its `Format`, and one line in the tuple below; or, where its records are text, an entry of
texts/dialects.yaml, which one writer and one reader take (`texts/dialect.py`). A format with options
is one format for each choice; a recipe names it as `{name: deepfabric, arguments: string}` or, like the command line, by
its own name: `deepfabric-string`.
"""

from generator.formats import preferences
from generator.formats.format import Format
from generator.formats.rows import (
    alpaca,
    anthropic,
    axolotl,
    bfcl,
    deepfabric,
    evaluation,
    gemini,
    mistral,
    openai,
    responses,
    sharegpt,
    swift,
    trl,
    xlam,
)
from generator.formats.steps import with_required_first
from generator.formats.texts import dialects, openchatml

_FORMATS = (
    deepfabric.FORMAT,
    deepfabric.STRING_FORMAT,
    openai.FORMAT,
    preferences.openai(openai.FORMAT),
    trl.FORMAT,
    trl.COMPLETION_FORMAT,
    *trl.SPLIT_FORMATS,
    preferences.trl(trl.FORMAT),
    preferences.trl_unpaired(trl.FORMAT),
    sharegpt.FORMAT,
    preferences.sharegpt(sharegpt.FORMAT),
    preferences.sharegpt_unpaired(sharegpt.FORMAT),
    mistral.FORMAT,
    mistral.V13_FORMAT,
    anthropic.FORMAT,
    gemini.FORMAT,
    axolotl.FORMAT,
    swift.FORMAT,
    responses.FORMAT,
    xlam.FORMAT,
    bfcl.FORMAT,
    alpaca.FORMAT,
    *alpaca.OTHER_FORMATS,
    evaluation.FORMAT,
    evaluation.verl(evaluation.FORMAT),
    evaluation.nemo_gym(evaluation.FORMAT, responses.FORMAT),
    openchatml.FORMAT,
    *openchatml.OTHER_FORMATS,
    *dialects.FORMATS,
)

FORMATS: dict[str, Format] = {fmt.name: with_required_first(fmt) for fmt in _FORMATS}


def format_options(formats: dict[str, Format] = FORMATS) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return name without the choice -> option -> its values, the usual one first."""
    options: dict[str, dict[str, tuple[str, ...]]] = {}
    for fmt in formats.values():
        for option, value in fmt.options:
            values = options.setdefault(fmt.family, {}).setdefault(option, ())
            options[fmt.family][option] = values if value in values else (*values, value)
    return options


__all__ = ["FORMATS", "Format", "format_options"]
