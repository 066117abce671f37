"""The files of a run: their names, and which formats, splits and shards they hold."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator.core.errors import OutputError
from generator.formats import FORMATS
from generator.formats.columns import is_text
from generator.formats.sinks import SINKS, check_packing, suffix_of, unpacked_name
from generator.recipe import Recipe

PROOFS = "proofs.jsonl"
REJECTED = "rejected.jsonl"
TRANSCRIPTS = "transcripts.jsonl"
CARD = "README.md"
DATASET_INFO = "dataset_info.json"
REPORT = "report.json"
PAGE = "index.html"
FORMER_PAGE = "report.html"
"""What earlier versions wrote in place of it: a run that is made anew removes it."""
MANIFEST = "manifest.json"
PARTS = ".parts"
"""Folder of finished blocks, until the run is whole."""


_BESIDE_FORMATS = (Path(PROOFS).stem, Path(REJECTED).stem, Path(TRANSCRIPTS).stem)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How rows are put into files; no row depends on it."""

    sinks: tuple[str, ...] = ("jsonl",)
    packing: str | None = None
    shard_rows: int | None = None
    """Rows of the run in each shard, by their index; None: a format's rows are in one file."""
    against: tuple[Path, ...] = ()
    """Files that the rows should have nothing in common with."""
    report: bool = True
    """Whether a report of the rows stands beside them."""


def format_file(format_name: str, sink: str = "jsonl", split: str | None = None, shard: int | None = None) -> str:
    """Return the file of a format, before it is packed: `openai.train-00003.jsonl`."""
    number = "" if shard is None else f"-{shard:05}"
    return f"{format_name}{f'.{split}' if split else ''}{number}{SINKS[sink].ending}"


_PACKS = {sink.ending: sink.packs for sink in SINKS.values()}


def packed_name(name: str, layout: Layout) -> str:
    """Return the name of a file when it is packed; Parquet packs what it holds itself."""
    return name + suffix_of(layout.packing) if _PACKS[Path(name).suffix] else name


def takes(sink: str, format_name: str) -> bool:
    """Whether the sink can hold records of the format."""
    return is_text(format_name) if SINKS[sink].texts_only else True


def splits_of(recipe: Recipe) -> list[str | None]:
    """Return the splits, or None for all rows."""
    return [name for name, _ in recipe.splits] or [None]


def check_layout(recipe: Recipe, layout: Layout) -> None:
    """Raises OutputError for a layout that the recipe's formats cannot have, or that needs what is not installed."""
    check_packing(layout.packing)
    endings = [SINKS[sink].ending for sink in layout.sinks]
    if len(set(endings)) < len(endings):
        raise OutputError(f"--sink: two of {', '.join(layout.sinks)} write the same files; choose one")
    for sink in layout.sinks:
        SINKS[sink].check()
        if not any(takes(sink, name) for name in recipe.formats):
            texts = [name for name in FORMATS if takes(sink, name)]
            raise OutputError(
                f"--sink {sink}: holds only text, and none of the formats {', '.join(recipe.formats)} is text"
                f" (these are: {', '.join(texts)})"
            )
    files = sum(1 for _ in planned_files(recipe, layout))
    if files > MOST_FILES:
        raise OutputError(f"--shard-rows {layout.shard_rows}: makes {files:,} files; {MOST_FILES:,} are the most")


MOST_FILES = 100_000


class Planned(msgspec.Struct, frozen=True):
    """A file with rows that a run writes."""

    name: str
    sink: str
    format: str | None
    """None for what stands beside the formats."""
    split: str | None = None


def planned_files(recipe: Recipe, layout: Layout) -> Iterator[Planned]:
    """Yield all files with rows that a run writes."""
    size = layout.shard_rows
    shards: list[int | None] = [None] if size is None else list(range(-(-recipe.rows // size)))
    for name in recipe.formats:
        for sink in layout.sinks:
            for split in splits_of(recipe) if takes(sink, name) else ():
                for shard in shards:
                    file = packed_name(format_file(name, sink, split, shard), layout)
                    yield Planned(file, sink, name, split)
    for name in (PROOFS, REJECTED, *([TRANSCRIPTS] if recipe.solve is not None else [])):
        yield Planned(packed_name(name, layout), "jsonl", None)


def file_names(recipe: Recipe, layout: Layout) -> tuple[str, ...]:
    """Return all files that a run writes, but the manifest."""
    other_names = [CARD]
    other_names += [DATASET_INFO] if has_dataset_info(recipe, layout) else []
    other_names += [REPORT, PAGE] if has_report(layout) else []
    return (*[planned.name for planned in planned_files(recipe, layout)], *other_names)


def has_dataset_info(recipe: Recipe, layout: Layout) -> bool:
    """Whether LLaMA-Factory can read some file of the run: it takes neither compressed files nor shards."""
    plain = "jsonl" in layout.sinks and not layout.packing and not layout.shard_rows
    return plain and any(FORMATS[name].dataset_info for name in recipe.formats)


def has_report(layout: Layout) -> bool:
    """Whether a run writes a report: it needs a file that can be read again, so not plain text alone."""
    return layout.report and any(not SINKS[sink].texts_only for sink in layout.sinks)


_SHARD = re.compile(r"(.*)-(\d{5,})")
_NUMBER = re.compile(r"-\d{5,}(?=\.)")


def all_shards(name: str) -> str:
    """Return a name for all shards of a file: `openai.train-*.jsonl`."""
    return _NUMBER.sub("-*", name)


class RunFile(msgspec.Struct, frozen=True):
    """The format, split and shard of a file of a run, told from its name."""

    format: str
    split: str | None
    shard: int | None


def held_by(name: str) -> RunFile:
    """Return what a file name says: (`openai`, `train`, 3) for `openai.train-00003.jsonl.gz`."""
    stem = Path(unpacked_name(Path(name))).stem
    numbered = _SHARD.fullmatch(stem)
    shard = int(numbered[2]) if numbered else None
    format_name, _, split = (numbered[1] if numbered else stem).partition(".")
    return RunFile(format_name, split or None, shard)


def is_file_of_run(name: str) -> bool:
    """Whether a run could have written a file of that name beside its manifest."""
    rows = Path(unpacked_name(Path(name))).suffix in _PACKS and held_by(name).format in (*FORMATS, *_BESIDE_FORMATS)
    return rows or name in (CARD, DATASET_INFO, REPORT, PAGE, FORMER_PAGE)


def companion_file(path: Path, name: str) -> Path | None:
    """Return the file of proofs or rejected rows beside a file, compressed or not."""
    for suffix in dict.fromkeys((path.suffix, "", ".zst", ".gz")):
        other = path.parent / (name + (suffix if suffix in (".zst", ".gz") else ""))
        if other.is_file():
            return other
    return None


def files_of(path: Path, format_name: str | None = None) -> list[Path]:
    """Return the files of records of a path: itself, or in a folder those of one format, by default the one that keeps most.

    Raises:
        OutputError: when a folder has none.
    """
    if not path.is_dir():
        return [path]
    for ending in (".jsonl", ".parquet"):
        files_by_format: dict[str, list[Path]] = {}
        for file in sorted(path.iterdir()):
            name = held_by(file.name).format
            if unpacked_name(file).endswith(ending) and name in FORMATS and format_name in (None, name):
                files_by_format.setdefault(name, []).append(file)
        if files_by_format:
            return files_by_format[min(files_by_format, key=order_of_completeness)]
    raise OutputError(_nothing_in(path, format_name))


def _nothing_in(folder: Path, format_name: str | None) -> str:
    """Return the message about a folder without files of records."""
    what = f"no JSON Lines file of format {format_name}" if format_name else "no JSON Lines file named after a format"
    there = [
        file.name
        for file in sorted(folder.iterdir())
        if ".jsonl" in file.name and file.name not in (PROOFS, REJECTED, TRANSCRIPTS)
    ]
    inside = f"; name one of its files ({', '.join(there[:10])})" if there else ""
    return f"{folder}: there is {what} in this folder{inside}"


def order_of_completeness(name: str) -> tuple[bool, bool, bool, bool, int]:
    """Return a sort key by which the format that keeps most of a conversation comes first."""
    policy = FORMATS[name].policy
    several = policy.records != "whole"
    return (
        several,
        policy.requests != "any",
        policy.parallel != "ok",
        policy.train == "spans",
        list(FORMATS).index(name),
    )
