"""Files that a recipe names: faults for missing ones."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from generator.core.documents import Place
from generator.recipe.faults import RecipeFault
from generator.recipe.recipe import Recipe
from generator.recipe.tools import EVERY_TOOL, SOURCES, ToolFile


def named_files(recipe: Recipe) -> Iterator[tuple[Place, Path]]:
    """Yield the files that a recipe names beside those of its tools, each with its place: `("goals", 0)`, `goals/trips.yaml`."""
    scripts = () if recipe.scripts is None else recipe.scripts.files
    lists: tuple[tuple[Place, tuple[Path, ...]], ...] = (
        (("documents", "files"), recipe.documents.files),
        (("goals",), recipe.goals),
        (("policies",), recipe.policies),
        (("scripts", "files"), scripts),
    )
    yield from [((*place, at), file) for place, files in lists for at, file in enumerate(files)]
    yield from [(("strategies", key), script.file) for key, script in recipe.arguments.strategies.items()]
    for key, override in recipe.arguments.overrides.items():
        for word, given in (("file", override.file), ("strategy", override.strategy)):
            if given is not None:
                yield ("arguments", "overrides", key, word), given.file
    if recipe.lengths.tokenizer is not None:
        yield ("lengths", "tokenizer"), recipe.lengths.tokenizer
    for tool, source in recipe.backends:
        for word, file in (("python", source.python), ("recorded", source.recorded)):
            if file is not None:
                yield ("backend", word) if tool == EVERY_TOOL else ("backend", "tools", tool, word), file


def missing_tool_files(written: dict[str, Any], tools: tuple[ToolFile, ...]) -> Iterator[RecipeFault]:
    """Yield spec files of a recipe, which is given as it was written, that are not there."""
    for index, (source, tool) in enumerate(zip(written.get("tools", ()), tools, strict=True)):
        place: Place = ("tools", index)
        for at, overlay in enumerate(tool.overlays):
            below: Place = ("overlay",) if isinstance(source["overlay"], str) else ("overlay", at)
            yield from _missing((*place, *below), overlay)
        if tool.file is not None:
            here: Place = () if isinstance(source, str) else (next(way for way in SOURCES if way in source),)
            yield from _missing((*place, *here), tool.file, "a tool spec file")


def missing_files(named: Iterable[tuple[Place, Path]]) -> Iterator[RecipeFault]:
    """Yield those of some files, each with its place in a recipe, that are not there."""
    for place, file in named:
        yield from _missing(place, file, "a text file" if place[0] == "documents" else "a file")


def _missing(place: Place, file: Path, expected: str = "a file") -> Iterator[RecipeFault]:
    """Yield the fault that a file is not there, or is no file."""
    if is_there(Path.is_dir, file):
        yield RecipeFault(place, f"{file} is a folder; {expected} is expected")
    elif not is_there(Path.exists, file):
        yield RecipeFault(place, f"there is no file {file}", partial(_near_file, file))
    elif not is_there(Path.is_file, file):
        yield RecipeFault(place, f"{file} is a device or a pipe; a file is expected")


def is_there(kind: Callable[[Path], bool], path: Path) -> bool:
    """Whether a file of that kind exists; false for an impossible path."""
    try:
        return kind(path)
    except OSError:
        return False


def _near_file(path: Path) -> str:
    """Return a hint at a file of a similar name in the same folder: ` (did you mean "tools.yaml"?)`."""
    folder = path.parent
    if not folder.is_dir():
        return f" (there is no folder {folder})"
    close = difflib.get_close_matches(path.name, sorted([other.name for other in folder.iterdir()]), n=1, cutoff=0.6)
    return f' (did you mean "{close[0]}"?)' if close else ""
