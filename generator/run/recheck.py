"""Make the conversations of a finished run again from their start, replay each, and compare what becomes of their entities."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator.data.run_folder.manifest import read_manifest
from generator.data.run_folder.proof_line import call_ids
from generator.data.verify import FileCheck
from generator.errors import GeneratorError, OutputError
from generator.recipe import Recipe, change_recipe
from generator.run.row import PreparedRecipe, make_row
from generator.run.usable import prepare_usable
from generator.sinks import reading

_PROOFS = "proofs"


class _Told(msgspec.Struct):
    """What of a line of the proofs follows from the row's calls."""

    index: int
    calls: tuple[str, ...] = ()
    state: str = ""


def recheck_states(recipe: Recipe, folder: Path) -> Iterator[FileCheck]:
    """Compare the calls and the `state` of every row in a run's proofs with those of the row made again.

    Raises:
        OutputError: when there is no finished run, or its proofs cannot be read.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise OutputError(f"{folder}: there is no finished run")
    seed = manifest.made_from.get("seed")
    recipe = change_recipe(recipe, seed=seed if isinstance(seed, int) else None, known_formats=recipe.formats)
    prepared = prepare_usable(msgspec.structs.replace(recipe, replay=1.0))
    for name in manifest.files:
        if name.startswith(_PROOFS):
            yield _recheck(prepared, folder / name)


def _recheck(prepared: PreparedRecipe, path: Path) -> FileCheck:
    rows = 0
    with reading(path) as file:
        for rows, line in enumerate(file, start=1):
            try:
                told = msgspec.json.decode(line, type=_Told)
            except msgspec.DecodeError as fault:
                raise OutputError(f"{path}:{rows}: not a line of proofs: {fault}") from None
            try:
                row = make_row(prepared, told.index).row
            except GeneratorError as fault:
                return FileCheck(path.name, rows, f"row {told.index} cannot be made again: {fault}")
            if call_ids(row.conversation) != told.calls:
                return FileCheck(path.name, rows, f"the recipe makes other calls in row {told.index}")
            if row.state != told.state:
                return FileCheck(path.name, rows, f"row {told.index} leaves its entities in another state than it says")
    return FileCheck(path.name, rows)
