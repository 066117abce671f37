"""Advice about a run's files: what trainers would do with them unexpectedly and without an error."""

from collections.abc import Iterator

import msgspec

from generator.core.defects import DEFECTS
from generator.formats import FORMATS
from generator.formats.run_folder.tally import Tally
from generator.recipe import Recipe


class DefaultTruncation(msgspec.Struct, frozen=True):
    """A trainer that truncates longer records by default."""

    trainer: str
    tokens: int
    option: str
    """The trainer's option for the length."""
    families: tuple[str, ...]
    """Families of formats that the trainer reads."""


_TEXTS = tuple(dict.fromkeys(fmt.family for fmt in FORMATS.values() if fmt.policy.train == "spans"))
CUTS = (
    DefaultTruncation("TRL's SFTTrainer", 1024, "max_length", ("trl", *_TEXTS)),
    DefaultTruncation("LLaMA-Factory", 2048, "cutoff_len", ("sharegpt", "alpaca")),
    DefaultTruncation("mlx-lm", 2048, "--max-seq-length", ("trl", *_TEXTS)),
)
"""The defaults of trl 1.16.0 (SFTConfig), llamafactory 0.9.5 (DataArguments) and mlx-lm 0.32.0 (lora.py)."""


def advice(recipe: Recipe, tally: Tally) -> Iterator[str]:
    """Return a sentence for each thing that would go wrong without an error in a format of the run."""
    wanted = dict(recipe.preferences.defects) or (DEFECTS if set(tally.defects) & set(DEFECTS) else {})
    unmade = [name for name in wanted if name not in tally.defects]
    if unmade:
        yield f"preferences: no row shows {', '.join(unmade)}"
    for name in recipe.formats:
        fmt = FORMATS[name]
        if fmt.policy.learns == "last" and recipe.records == "whole":
            yield (
                f"{name}: mistral-finetune learns the last message of a record with tools only, so no call before it;"
                " `records: unrolled` writes a record for each message"
            )
        if fmt.policy.train == "none" and fmt.policy.requests == "any" and recipe.train != "all":
            yield f"{name}: has no place for `train: {recipe.train}`; a trainer learns every message of the assistant"
        yield from _cuts(name, fmt.family, tally)
    yield from _unmarked(recipe, tally)


def _unmarked(recipe: Recipe, tally: Tally) -> Iterator[str]:
    """Return what a trainer that does not read `spans` would learn of texts."""
    texts = [name for name in recipe.formats if FORMATS[name].policy.train == "spans"]
    if texts and tally.wrong_calls:
        yield (
            f"{', '.join(texts)}: {tally.wrong_calls:,} of {tally.rows:,} rows hold a call that is wrong on purpose, outside"
            " of `spans`; a trainer that finds answers by itself, such as Unsloth's train_on_responses_only, would learn it:"
            " give it `trl`, which leaves such rows out"
        )


def _cuts(name: str, family: str, tally: Tally) -> Iterator[str]:
    lengths = tally.lengths.get(name)
    summary = lengths.summary() if lengths is not None else None
    if lengths is None or summary is None:
        return
    for cut in CUTS:
        if family in cut.families and (above := lengths.above(cut.tokens)):
            yield (
                f"{name}: {above:,} of {summary.records:,} records are longer than the {cut.tokens:,} tokens at which"
                f" {cut.trainer} cuts by default: set its {cut.option}, or `lengths: {{max_tokens: {cut.tokens}}}`"
            )
