"""A job with its files as text: all that another machine needs besides the installed package."""

import os
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import dump_pools, load_pools
from generator.core.files.regular import read_regular
from generator.formats.sinks import write_whole
from generator.run.engine.blocks import Job
from generator.run.engine.identity import files_of


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A job that another machine can run."""

    job: Job
    files: dict[str, bytes]
    """Path below the common folder of the recipe's files → content."""
    places: dict[str, str]
    """Path of a file or of its folder, as the recipe names it → path below the common folder."""
    pools: bytes
    """The values of pools, which have been drawn already."""


def bundle_of(job: Job) -> Bundle:
    """Return the job with the content of all files that its recipe names.

    A module that a Python file imports, and the program of an MCP server, are not among these: every machine must have them.
    """
    named = [job.recipe.path, *files_of(job.recipe)]
    common = os.path.commonpath([os.path.abspath(path.parent) for path in named])  # noqa: PTH100  # resolve() would follow links
    places = {str(path): os.path.relpath(path, common) for file in named for path in (file, file.parent)}
    files = {places[str(path)]: read_regular(path) for path in named if path.is_file()}
    return Bundle(job=job, files=files, places=places, pools=dump_pools())


def open_bundle(bundle: Bundle, folder: Path) -> Job:
    """Write the files to a folder, where other processes may be writing the same ones, and return the job that uses them there."""
    for place, content in bundle.files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [content])
    load_pools(bundle.pools)
    places = {Path(path): folder / place for path, place in bundle.places.items()}
    return msgspec.structs.replace(bundle.job, recipe=_moved(bundle.job.recipe, places))


def _moved(value: Any, places: dict[Path, Path]) -> Any:
    """Return a value of a recipe with its paths replaced."""
    if isinstance(value, Path):
        return places.get(value, value)
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := _moved(old, places)) is not old}
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple | list):
        items = [_moved(item, places) for item in value]
        return type(value)(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        return {key: _moved(item, places) for key, item in value.items()}
    return value
