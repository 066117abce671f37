"""The files of a run: their names, and which formats and splits they hold."""

from pathlib import Path

from generator.recipe import Recipe
from generator.sinks import suffix_of, unpacked_name

PROOFS = "proofs.jsonl"
REJECTED = "rejected.jsonl"
MANIFEST = "manifest.json"
PARTS = ".parts"
"""Folder of finished blocks, until the run is whole."""


def format_file(format_name: str, split: str | None = None) -> str:
    """The file of a format, before it is packed."""
    return f"{format_name}.{split}.jsonl" if split else f"{format_name}.jsonl"


def file_names(recipe: Recipe, packing: str | None) -> tuple[str, ...]:
    """All files with rows that a run writes."""
    splits: list[str | None] = [name for name, _ in recipe.splits]
    formats = [format_file(name, split) for name in recipe.formats for split in splits or [None]]
    return tuple([name + suffix_of(packing) for name in (*formats, PROOFS, REJECTED)])


def format_and_split(name: str) -> tuple[str, str | None]:
    """What a file holds by its name: (`openai`, `train`) for `openai.train.jsonl.gz`."""
    stem = unpacked_name(Path(name)).removesuffix(".jsonl")
    format_name, _, split = stem.partition(".")
    return format_name, split or None


def beside(path: Path, name: str) -> Path | None:
    """The proofs or rejected rows beside a file, packed or not."""
    for suffix in dict.fromkeys((path.suffix, "", ".zst", ".gz")):
        other = path.with_name(name + (suffix if suffix in (".zst", ".gz") else ""))
        if other.exists():
            return other
    return None
