"""The dataset card: `README.md` of an output folder, which also tells `datasets` what to load.

The front matter has one configuration a format (Hugging Face Hub, "Manual Configuration"), so that
`datasets.load_dataset(folder, "openai")` gives the rows of that format, a split for each split of the recipe.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from hashlib import sha256

import msgspec
import yaml

from generator import __version__
from generator.core.defects import DEFECTS, NAMED_DEFECTS
from generator.core.toolbox import LeftOut
from generator.formats import FORMATS
from generator.formats.run_folder.files import MANIFEST, PAGE, PROOFS, REJECTED, Layout, packed_name, planned_files
from generator.formats.run_folder.tally import Shared, Tally
from generator.formats.sinks import SINKS
from generator.recipe import Recipe

MARK = "<!-- made by tool-use-generator -->"
"""What tells a card of ours from a README that somebody wrote."""


def card(
    recipe: Recipe,
    layout: Layout,
    tally: Tally,
    rows: Mapping[str, int],
    digests: Mapping[str, str],
    figures: Sequence[tuple[str, str]] = (),
    shared: Shared | None = None,
    left_out: Sequence[LeftOut] = (),
) -> str:
    """Return the card of a finished run.

    Args:
        recipe: What was made.
        layout: How it was put into files.
        tally: What was counted.
        rows: How many lines each file has.
        digests: The SHA-256 of what was written to each file, in hexadecimal; for Parquet, of the lines it is made of.
        figures: What its report shows first.
        shared: What the rows share with other files.
        left_out: Tools and scenarios that could not be used.
    """
    matter: dict[str, object] = {"pretty_name": recipe.name, "tags": ["tool-use", "function-calling", "synthetic"]}
    written = {planned.format for planned in planned_files(recipe, layout)}
    configs = _configs(recipe, layout, rows, digests)
    if configs:
        matter["configs"] = configs
    return "\n".join(
        [
            "---",
            yaml.safe_dump(matter, sort_keys=False, allow_unicode=True).rstrip(),
            "---",
            MARK,
            "",
            f"# {_escaped_cell(recipe.name)}",
            "",
            f"{tally.rows:,} synthetic rows, made with seed {recipe.seed} by tool-use-generator {__version__}. In conversations",
            *(
                [
                    "that a model has played what is done is scored, and what is said is proven only where the row has the tag `proof_read`. In others"
                ]
                if recipe.solve is not None
                else []
            ),
            f"every argument of a call is proven: `{packed_name(PROOFS, layout)}` says where each value comes from,",
            f"`{packed_name(REJECTED, layout)}` what was thrown away and why; `{MANIFEST}` holds the digest of every file.",
            "",
            "In JSON Lines `datasets` reads numbers with decimals to about 15 digits where arguments are objects; they are exact",
            "in Parquet (`--sink parquet`) and in formats whose arguments are text.",
            "",
            *_table("scenario", "rows", [(name, f"{count:,}") for name, count in sorted(tally.scenarios.items())]),
            *_table("split", "rows", [(name, f"{tally.splits.get(name, 0):,}") for name, _ in recipe.splits]),
            *_table(
                "format", "what it is", [(name, FORMATS[name].about) for name in recipe.formats if name in written]
            ),
            *_table_of_lengths(recipe, tally, written),
            *_table(
                "what is rejected",
                "continuations",
                [(f"`{name}`: {NAMED_DEFECTS[name]}", f"{n:,}") for name, n in sorted(tally.defects.items())],
            ),
            *_table("removed because of", "rows", _counts_by_name(tally.removed)),
            *_table("left out", "rows", _counts_by_name(tally.refused)),
            *_table("written without", "rows", _counts_by_name(tally.lost)),
            *_table_of_shared(shared),
            *_table(
                "not used",
                "why",
                [
                    (f"{tool_or_scenario.what} `{tool_or_scenario.name}`", tool_or_scenario.why)
                    for tool_or_scenario in left_out
                ],
            ),
            *_table("report", "", list(figures)),
            *(
                [f"[{PAGE}]({PAGE}) shows rows, says what these figures mean, and has more of them.", ""]
                if figures
                else []
            ),
        ]
    )


def _configs(
    recipe: Recipe, layout: Layout, rows: Mapping[str, int], digests: Mapping[str, str]
) -> list[dict[str, object]]:
    """Return a configuration for each format, from the first sink that `datasets` reads rows from; in plain text it would see lines.

    Files without rows are not named: `datasets` would not load the others then. The digest is for its cache, which knows a
    local folder by its configurations alone: without it, a folder that was made again would give the rows of before.
    """
    sink = next((sink for sink in layout.sinks if not SINKS[sink].texts_only), None)
    configs: list[dict[str, object]] = []
    for name in recipe.formats:
        files: dict[str, list[str]] = {}
        for planned in planned_files(recipe, layout):
            if (planned.format, planned.sink) == (name, sink) and rows[planned.name]:
                files.setdefault(planned.split or "train", []).append(planned.name)
        if files:
            data = [{"split": split, "path": paths} for split, paths in files.items()]
            digest = sha256(" ".join(digests[path] for paths in files.values() for path in paths).encode()).hexdigest()
            configs.append({"config_name": name, "description": f"SHA-256 {digest}", "data_files": data})
    if configs:
        configs[0]["default"] = True
    return configs


def _table_of_lengths(recipe: Recipe, tally: Tally, written: Set[str | None]) -> list[str]:
    """Return how long the records of the written formats are."""
    summaries = {
        name: tally.lengths[name].summary() for name in recipe.formats if name in tally.lengths and name in written
    }
    rows = [
        (name, f"{length.p50:,} half of them, {length.p95:,} 95 %, {length.longest:,} the longest")
        for name, length in summaries.items()
        if length is not None
    ]
    by = "four bytes each" if recipe.lengths.tokenizer is None else recipe.lengths.tokenizer.name
    return _table(f"tokens of a record ({by})", "at most", rows)


def _table_of_shared(shared: Shared | None) -> list[str]:
    """Return what the rows have in common with other files."""
    if shared is None:
        return []
    rows = [
        ("eight words of a request in a row", f"{shared.requests:,} of {shared.rows:,}"),
        ("the name of a tool on offer", f"{shared.tools:,} ({', '.join(shared.names)})" if shared.names else "0"),
        ("the arguments of a call", f"{shared.arguments:,}"),
    ]
    return _table(f"in common with {', '.join(shared.files)} ({shared.records:,} records)", "rows", rows)


def _counts_by_name(counts: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str]]:
    """Return counts of counts as rows of a table: `openai: no content`, 12."""
    return [
        (f"{name}: {what}", f"{count:,}")
        for name, parts in sorted(counts.items())
        for what, count in sorted(parts.items())
    ]


def _table(left: str, right: str, rows: list[tuple[str, str]]) -> list[str]:
    """Return a table of two columns as lines of Markdown; none where it has no rows."""
    if not rows:
        return []
    lines = [f"| {_escaped_cell(a)} | {_escaped_cell(b)} |" for a, b in rows]
    return [f"| {_escaped_cell(left)} | {_escaped_cell(right)} |", "|---|---|", *lines, ""]


def _escaped_cell(text: str) -> str:
    """Return text from data escaped, so that it can neither end a cell nor be HTML, a link or an image."""
    return " ".join(_MARKUP.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;")).split())


_MARKUP = re.compile(r"[\\|\[\]]")
"""What Markdown reads as the end of a cell, or as the beginning of a link or an image."""


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
    """Yield a sentence for each thing that would go wrong without an error in a format of the run."""
    wanted_defects = dict(recipe.preferences.defects) or (DEFECTS if set(tally.defects) & set(DEFECTS) else {})
    not_shown = [name for name in wanted_defects if name not in tally.defects]
    if not_shown:
        yield f"preferences: no row shows {', '.join(not_shown)}"
    for name in recipe.formats:
        fmt = FORMATS[name]
        if fmt.policy.learns == "last" and recipe.records == "whole":
            yield (
                f"{name}: mistral-finetune learns the last message of a record with tools only, so no call before it;"
                " `records: unrolled` writes a record for each message"
            )
        if fmt.policy.train == "none" and fmt.policy.requests == "any" and recipe.train != "all":
            yield f"{name}: has no place for `train: {recipe.train}`; a trainer learns every message of the assistant"
        yield from _advice_about_truncation(name, fmt.family, tally)
    yield from _advice_about_wrong_calls(recipe, tally)


def _advice_about_wrong_calls(recipe: Recipe, tally: Tally) -> Iterator[str]:
    """Yield what a trainer that does not read `spans` would learn of texts."""
    texts = [name for name in recipe.formats if FORMATS[name].policy.train == "spans"]
    if texts and tally.wrong_calls:
        yield (
            f"{', '.join(texts)}: {tally.wrong_calls:,} of {tally.rows:,} rows hold a call that is wrong on purpose, outside"
            " of `spans`; a trainer that finds answers by itself, such as Unsloth's train_on_responses_only, would learn it:"
            " give it `trl`, which leaves such rows out"
        )


def _advice_about_truncation(name: str, family: str, tally: Tally) -> Iterator[str]:
    """Yield a sentence for each trainer that cuts some records of a format by default."""
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
