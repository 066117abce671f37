"""Overlays that come with the program: of servers that people have, and phrases that are added to a tool file.

Those of servers stand in `generator/servers/PACKAGE/overlay.yaml` and apply by themselves where names and argument schemas
fit. Phrases for the file `NAME.*` stand beside it in `bank/NAME.yaml`, so they travel with it.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from generator.core.files import read_regular
from generator.core.overlays import digest_of_arguments
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.tools.specs.overlays import Overlay, name_at_source, read_overlay

SERVERS = Path(__file__).parents[1] / "servers"
_FEWEST = 2
_NAMED = re.compile(r"^  ([A-Za-z0-9_./-]+):", re.MULTILINE)


def bank_of(file: Path | None) -> Path | None:
    """Return the phrases that stand beside a tool file, in a folder `bank`, if there are any."""
    bank = file.parent / "bank" / f"{file.stem}.yaml" if file is not None else None
    return bank if bank is not None and bank.is_file() else None


def overlays_that_fit(specs: Sequence[ToolSpec], source: ToolFile) -> list[Overlay]:
    """Return what comes with the program about the tools of a source; nothing where they shall stay bare.

    An overlay of a server applies if at least two of its tools are there with the arguments that it was made for, or all.
    No tool is described by two of them.

    Raises:
        SpecError: for a file that is broken.
    """
    if source.describe != "derived":
        return []
    bank = bank_of(source.file)
    found = [] if bank is None else [msgspec.structs.replace(_of_some(read_overlay(bank), specs), package="bank")]
    left = {name_at_source(spec): spec for spec in specs}
    for path, known in _servers():
        overlay = _fitting(_read(path), [*left.values()]) if left.keys() & known else None
        if overlay is not None:
            found.append(msgspec.structs.replace(overlay, package=path.parent.name))
            left = {name: spec for name, spec in left.items() if name not in overlay.layers}
    return found


@cache
def _servers() -> tuple[tuple[Path, frozenset[str]], ...]:
    """Return the overlays of servers with the names that they may have tools of; only those are read that may fit."""
    paths = sorted(SERVERS.glob("*/overlay.yaml"))
    return tuple((path, frozenset(_NAMED.findall(read_regular(path).decode()))) for path in paths)


@cache
def _read(path: Path) -> Overlay:
    return read_overlay(path)


def _fitting(overlay: Overlay, specs: Sequence[ToolSpec]) -> Overlay | None:
    """Return the overlay with the tools that fit; None where that are too few."""
    digests = {name_at_source(spec): digest_of_arguments(spec.tool, name_at_source(spec)) for spec in specs}
    layers = {
        name: msgspec.structs.replace(layer, digest=None, is_shipped=True)
        for name, layer in overlay.layers.items()
        if layer.arguments is not None and digests.get(name) == layer.arguments
    }
    if len(layers) < min(_FEWEST, len(overlay.layers)) or not layers:
        return None
    return msgspec.structs.replace(overlay, layers=layers)


def _of_some(overlay: Overlay, specs: Sequence[ToolSpec]) -> Overlay:
    """Return the overlay of the tools that are there."""
    names = {name_at_source(spec) for spec in specs}
    return msgspec.structs.replace(
        overlay, layers={name: layer for name, layer in overlay.layers.items() if name in names}
    )
