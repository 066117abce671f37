"""Files that a recipe names: faults for missing ones."""

import difflib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from generator.core.documents import Place
from generator.recipe.faults import RecipeFault
from generator.recipe.settings import Documents
from generator.recipe.tools import EVERY_TOOL, SOURCES, ArgumentSource, ToolFile


def missing_tool_files(value: dict[str, Any], tools: tuple[ToolFile, ...]) -> Iterator[RecipeFault]:
    """Yield spec files of a recipe, which is given as it was written, that are not there."""
    for index, (written, tool) in enumerate(zip(value["tools"], tools, strict=True)):
        place: Place = ("tools", index)
        for at, overlay in enumerate(tool.overlays):
            if not is_there(Path.is_file, overlay):
                here: Place = ("overlay",) if isinstance(written["overlay"], str) else ("overlay", at)
                yield missing((*place, *here), overlay)
        if tool.file is None:
            continue
        place = place if isinstance(written, str) else ("tools", index, next(way for way in SOURCES if way in written))
        if is_there(Path.is_dir, tool.file):
            yield RecipeFault(place, f"{tool.file} is a folder; a tool spec file is expected")
        elif not is_there(Path.is_file, tool.file):
            yield missing(place, tool.file)


def missing_texts(documents: Documents) -> Iterator[RecipeFault]:
    """Yield texts of a recipe's documents that are not there."""
    for index, file in enumerate(documents.files):
        if is_there(Path.is_dir, file):
            yield RecipeFault(("documents", "files", index), f"{file} is a folder; a text file is expected")
        elif not is_there(Path.is_file, file):
            yield missing(("documents", "files", index), file)


def missing_files(key: str, files: Sequence[Path]) -> Iterator[RecipeFault]:
    """Yield files under a key of the recipe that are not there."""
    for index, file in enumerate(files):
        if not is_there(Path.is_file, file):
            yield missing((key, "files", index) if key == "scripts" else (key, index), file)


def missing(place: Place, file: Path) -> RecipeFault:
    """Return the fault that a file is not there, or is no file."""
    if is_there(Path.is_dir, file):
        return RecipeFault(place, f"{file} is a folder; a file is expected")
    if is_there(Path.exists, file):
        return RecipeFault(place, f"{file} is a device or a pipe; a file is expected")
    return RecipeFault(place, f"there is no file {file}", partial(_near_file, file))


def is_there(kind: Callable[[Path], bool], path: Path) -> bool:
    """Whether a file of that kind exists; false for an impossible path."""
    try:
        return kind(path)
    except OSError:
        return False


def _near_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f" (there is no folder {folder})"
    close = difflib.get_close_matches(path.name, sorted([other.name for other in folder.iterdir()]), n=1, cutoff=0.6)
    return f' (did you mean "{close[0]}"?)' if close else ""


def files_of_backends(found: tuple[tuple[str, ArgumentSource], ...]) -> Iterator[tuple[Place, Path]]:
    """Yield the files that backends need, each with its place in the recipe."""
    for tool, source in found:
        for word, file in (("python", source.python), ("recorded", source.recorded)):
            if file is not None:
                yield ("backend", word) if tool == EVERY_TOOL else ("backend", "tools", tool, word), file
